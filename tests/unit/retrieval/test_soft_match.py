"""Words of a question and those like them: what stands there wins, and codes are like nothing but themselves."""

from __future__ import annotations

import numpy as np
import pytest

from marskg.embedding.word_vectors import word_vectors
from marskg.retrieval.index.lexical import Lexical
from marskg.retrieval.index.similar_words import ALIKE, Vocabulary
from marskg.text import terms
from tests.support.candidates import NOON
from tests.support.indexed import indexed, ranked, stored


def _order(question: str, *texts: str) -> list[str]:
    index = indexed(*(stored(number, text, valid_from=NOON) for number, text in enumerate(texts)))
    return [texts[int(ident[1:])] for ident, *_ in ranked(index, question)]


@pytest.mark.parametrize(
    ("question", "meant", "other"),
    [
        ("Are there any kids?", "Two children came along", "Two sandwiches came along"),
        ("Where does she purchase bread?", "She buys it at the corner", "She bakes it at the corner"),
    ],
)
def test_a_word_that_is_alike_is_found(question: str, meant: str, other: str) -> None:
    assert _order(question, other, meant)[0] == meant


@pytest.mark.parametrize(
    ("question", "exact", "other"),
    [
        ("kids", "The kids sing", "The children sing"),
        ("who teaches C#?", "Cy teaches C#", "Ada teaches C"),
        ("ticket QX-7744-a", "Ticket QX-7744-a is open", "Ticket QX-7744-b is open"),
        ("what did build 2.1.03 fix?", "Build 2.1.03 fixed it", "Build 2.10.3 fixed it"),
        ("is max_rows set?", "max_rows is set", "rows of at most max"),
    ],
)
def test_what_stands_there_comes_before_what_is_alike(question: str, exact: str, other: str) -> None:
    assert _order(question, other, exact)[0] == exact


def test_a_word_that_is_alike_counts_less_than_itself_and_a_name_or_number_not_at_all() -> None:
    lexical = Lexical()
    lexical.add(0, terms("children kid Nora Mona 7731 7732 qx-1 house"))
    vocabulary = Vocabulary(lexical)
    found = vocabulary.like("kid")
    assert {word for _, word in found} >= {"children"}
    assert all(ALIKE <= alike < 1 for alike, _ in found)
    assert found == sorted(found)
    assert all(vocabulary.like(term) == [] for term in ("7731", "qx-1", "zzzz"))


def test_what_comes_later_is_found_like_what_was_there_first() -> None:
    words = terms("house home car bus dog puppy kid children river sea bread cake happy sad run walk")
    grown, whole = Lexical(), Lexical()
    vocabulary = Vocabulary(grown)
    for row, word in enumerate(words):
        grown.add(row, [word])
        whole.add(row, [word])
        vocabulary.like("children")
    fresh = Vocabulary(whole)
    for word in words:
        assert vocabulary.like(word) == fresh.like(word)


@pytest.mark.parametrize(("asked", "later"), [("car", "vehicle"), ("street", "road"), ("music", "guitar")])
def test_how_alike_a_term_is_does_not_depend_on_how_many_came_with_it(asked: str, later: str) -> None:
    found = []
    for others in ((), ("trip",), ("trip", "wedding", "village")):
        grown = Lexical()
        vocabulary = Vocabulary(grown)
        grown.add(0, ["bread"])
        vocabulary.like(asked)
        grown.add(1, [*others, later])
        found.append([alike for alike, word in vocabulary.like(asked) if word == later])
    assert found[0]
    assert found[0] == found[1] == found[2]


def test_a_vector_is_of_its_term_alone_and_stems_are_words() -> None:
    together = word_vectors(["happi", "children", "7731", "жена"])
    assert np.array_equal(together[1], word_vectors(["children"])[0])
    assert together.any(axis=1).tolist() == [True, True, False, False]
    lengths = np.sqrt((together**2).sum(axis=1))
    assert lengths == pytest.approx([1, 1, 0, 0], abs=1e-6)


def test_what_was_said_before_counts_for_an_answer_and_only_in_its_session() -> None:
    index = indexed(
        stored(1, "Do you play the violin?", session="s1", valid_from=NOON - 2_000),
        stored(2, "Since last year!", session="s1", valid_from=NOON - 1_000),
        stored(3, "Since last winter!", session="s2", valid_from=NOON - 1_000),
    )
    found = {ident: why["lexical"] for ident, _, why in ranked(index, "who plays the violin?")}
    assert found["m1"] > found["m2"] > 0
    assert found.get("m3", 0) == 0


def test_a_hidden_memory_changes_no_number() -> None:
    shown = [
        stored(1, "The kids swim", session="s1", valid_from=NOON - 3_000),
        stored(3, "Every Sunday", session="s1", valid_from=NOON - 1_000),
    ]
    text = "Children, offspring, youngsters, toddlers"
    secret = stored(2, text, session="s1", valid_from=NOON - 2_000, sensitivity=0.9)
    question = "when do the children swim?"
    alone = ranked(indexed(*shown), question, max_sensitivity=0.5)
    beside = indexed(*shown, secret)
    assert ranked(beside, question, max_sensitivity=0.5) == alone
    assert ranked(beside, question) != alone
