"""Weights add up: what a budget sums is what the joined text would weigh; and no text is lighter than its bytes say."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from marskg.weight import TokenCounter, _bundled

COUNTER = TokenCounter()
TEXT = st.text()
#: Mostly plain words, with now and then what is not: marks, controls, special tokens, other scripts.
WORDS = st.lists(
    st.sampled_from(
        [
            "water",
            "don't",
            "3.14",
            "[PAD]",
            "[",
            "##ing",
            "\x00",
            "\x1c",
            "é",
            "e\u0301",
            "水",
            "x" * 101,
            "A-b",
            "\t",
            "วันนี้",
            "🐝",
            "\u200d",
            "\xa0",
            " " * 20,
        ]
    )
    | st.text(st.characters(max_codepoint=127), max_size=8)
)
#: Runs of blanks that weigh.
WIDE = re.compile(r"[ \t\n\r]{16,}")


def tokenizer() -> Tokenizer:
    """Return the tokenizer of the vocabulary, as it would weigh by itself."""
    parts = _bundled()
    made = Tokenizer(parts.model)
    made.normalizer = parts.clean
    made.pre_tokenizer = parts.words
    return made


PUBLISHED = tokenizer()


@given(TEXT, TEXT)
def test_lines_weigh_as_much_together_as_apart(first: str, second: str) -> None:
    joined = f"{first}\n{second}"
    apart = COUNTER.count(first) + COUNTER.count(second)
    assert COUNTER.count(joined) >= apart
    if not WIDE.search(joined):
        assert COUNTER.count(joined) == apart


@given(st.lists(TEXT, max_size=5))
def test_a_batch_counts_as_its_texts_do_one_by_one(texts: list[str]) -> None:
    assert COUNTER.count_many(texts) == [COUNTER.count(text) for text in texts]


@given(WORDS, st.sampled_from(["", " ", "\n"]))
def test_a_text_weighs_what_the_tokenizer_makes_of_it_and_more_where_it_knows_nothing(
    words: list[str], between: str
) -> None:
    text = between.join(words)
    tokens = PUBLISHED.encode(text, add_special_tokens=False).tokens
    if text.isascii() and text.isprintable() and "[UNK]" not in tokens and not WIDE.search(text):
        assert COUNTER.count(text) == len(tokens)
    assert COUNTER.count(text) >= len(tokens)


@given(TEXT)
def test_plain_and_mixed_texts_are_weighed_alike(text: str) -> None:
    assert COUNTER.count(text) == COUNTER._mixed(text)


@given(st.text(st.characters(max_codepoint=126)), WORDS)
def test_a_text_of_printable_ascii_weighs_the_same_both_ways(text: str, words: list[str]) -> None:
    for one in (text, " ".join(words)):
        assert COUNTER.count(one) == COUNTER._mixed(one)


@given(TEXT)
def test_case_and_outer_space_weigh_nothing(text: str) -> None:
    assert COUNTER.count(f"  {text}\t\n") == COUNTER.count(text)


@given(st.text(st.characters(min_codepoint=0x0E01, max_codepoint=0x0E2E), min_size=1, max_size=400))
@example("\u0e01" * 400)
def test_unbroken_text_of_three_bytes_a_character_weighs_a_third_of_them(text: str) -> None:
    assert COUNTER.count(text) >= len(text.encode()) // 9


@given(st.text("0123456789abcdef", min_size=101, max_size=2000))
def test_a_run_of_more_than_a_hundred_characters_weighs_a_token_for_three_bytes(text: str) -> None:
    assert COUNTER.count(text) == len(text) // 3


@given(st.text(st.characters(min_codepoint=0x80, exclude_categories=["Cs"]), max_size=60))
def test_no_character_beyond_ascii_is_free(text: str) -> None:
    # Every one of them is a piece, a share of a run that weighs by its bytes, or left out and counted.
    assert COUNTER.count(text) * 36 >= len(text)
