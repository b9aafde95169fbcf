"""Long texts are shortened by leaving sentences out, never by rewriting them."""

from __future__ import annotations

import pytest

from marskg.ontology.vocabulary import SourceType
from marskg.retrieval.assembly.excerpt import excerpt
from marskg.text import passage_span, passages, terms
from marskg.weight import TokenCounter

COUNTER = TokenCounter()
TEXT = (
    "We met in the old station. It rained all day. Ann said that the budget is 1,200 euros. "
    "Then we ate soup. The train left at nine."
)


def test_a_text_that_fits_is_returned_as_it_is() -> None:
    found = excerpt(TEXT, 1_000, COUNTER)
    assert found is not None
    assert (found.text, found.shortened) == (TEXT, False)


def test_sentences_with_the_terms_of_the_query_come_first() -> None:
    found = excerpt(TEXT, 16, COUNTER, query_terms=frozenset({"budget", "euro"}))
    assert found is not None
    assert found.text == "… Ann said that the budget is 1,200 euros. …"
    assert found.tokens <= 16


def test_without_a_query_the_beginning_is_kept() -> None:
    found = excerpt(TEXT, 14, COUNTER)
    assert found is not None
    assert found.text == "We met in the old station. It rained all day. …"


def test_a_gap_is_marked_where_it_is() -> None:
    found = excerpt(TEXT, 24, COUNTER, query_terms=frozenset({"budget", "old"}))
    assert found is not None
    assert found.text == "We met in the old station. … Ann said that the budget is 1,200 euros. …"


def test_where_no_sentence_fits_the_first_words_of_the_best_are_kept() -> None:
    found = excerpt("water " * 300, 10, COUNTER, source=SourceType.DOC)
    assert found is not None
    assert found.text == "water " * 8 + "water …"


@pytest.mark.parametrize(
    ("run", "source"),
    [
        ("water " * 300, SourceType.CHAT_USER),
        ("water " * 300, SourceType.REFLECTION),
        ("wasser und brot " * 100, SourceType.DOC),
        ("water " * 300 + "and never tea", SourceType.DOC),
        ("water " * 300 + "unless it rains", SourceType.API_RESULT),
        ("water " * 50, SourceType.DOC),
    ],
)
def test_what_may_not_be_parted_goes(run: str, source: SourceType) -> None:
    assert excerpt(run, 20, COUNTER, source=source) is None


def test_less_than_the_minimum_is_not_shown_at_all() -> None:
    assert excerpt(TEXT, 7, COUNTER) is None
    assert excerpt(TEXT, 7, COUNTER, minimum=5) is not None
    assert excerpt("yes", 1, COUNTER) is not None
    assert excerpt("yes", 0, COUNTER) is None


def test_a_run_without_breaks_is_left_out_rather_than_cut_inside_a_word() -> None:
    assert excerpt("é" * 40 + "-" * 4_000, 20, COUNTER, minimum=1) is None or COUNTER.count("é" * 40) <= 20
    assert excerpt("-" * 4_000, 20, COUNTER) is None


def test_a_short_sentence_alone_is_not_worth_showing() -> None:
    found = excerpt("Yes. " + "Plants need water " * 100, 20, COUNTER, source=SourceType.DOC)
    assert found is not None
    assert found.text.startswith("… Plants need water Plants")
    assert excerpt("Yes. No. " + "-" * 400, 20, COUNTER) is None


def _of(part: str, text: str) -> tuple[int, int]:
    """Return where ``part`` stands in ``text``."""
    return text.index(part), text.index(part) + len(part)


@pytest.mark.parametrize("limit", [20, 40, 90, 200])
@pytest.mark.parametrize("talk", ["so we talked of the garden and what to plant, she said ", "<b>tea</b>&amp; ", "🌧 "])
def test_of_a_text_without_sentences_the_words_are_shown_that_were_found(talk: str, limit: int) -> None:
    told = "and by the way the zebra sleeps in the barn near Lyon"
    text = f"{talk * 200}{told} {talk * 200}"
    number = next(place for place, one in enumerate(passages(text)) if "zebra" in one)
    asked = frozenset(terms("where does the zebra sleep?"))
    there = passage_span(text, number)
    found = excerpt(text, limit, COUNTER, query_terms=asked, passage=there, source=SourceType.DOC)
    assert found is not None
    assert found.tokens <= limit
    assert "zebra sleeps" in found.text
    for place in (place for span in found.spans for place in span):
        assert not text[place - 1 : place + 1].isalnum(), text[place - 9 : place + 9]


def test_the_passage_that_was_found_comes_before_other_sentences_with_the_words() -> None:
    text = "Tea is grown in hills. The cup is blue. Nobody saw the tea. Green tea is bitter and cold."
    asked = frozenset(terms("tea"))
    found = excerpt(text, 12, COUNTER, query_terms=asked, passage=_of("The cup is blue.", text), minimum=1)
    assert found is not None
    assert "The cup is blue." in found.text


def test_a_passage_far_into_a_very_long_text_is_found() -> None:
    filler = "Rain fell on the ferry and the barn. " * 4_000
    text = f"{filler}The deed lies in a tin. {filler}"
    found = excerpt(text, 40, COUNTER, passage=_of("The deed lies in a tin.", text))
    assert found is not None
    assert "The deed lies in a tin." in found.text


def test_a_part_of_a_very_long_text_is_whole_sentences() -> None:
    filler = "Rain fell on the ferry and the barn. " * 4_000
    text = f"{filler}The deed lies in a tin. {filler}"
    found = excerpt(text, 60, COUNTER, passage=_of("The deed lies in a tin.", text))
    assert found is not None
    pieces = {piece.strip() for piece in found.text.strip("… ").split("…")}
    assert all(piece.endswith(".") and piece[0] in "RT" for piece in pieces)
