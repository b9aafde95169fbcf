"""Recent turns and the running summary of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from marskg.errors import InvalidInput
from marskg.ontology.vocabulary import Kind
from marskg.retrieval.mix import Frame, Summary, recent_passages, summary_passages, updated, without
from marskg.weight import TokenCounter
from tests.support.candidates import NOON, memory

if TYPE_CHECKING:
    from marskg.records import Memory

COUNTER = TokenCounter()
PLAIN = Frame(COUNTER, plain=True)


def _turn(number: int, text: str) -> Memory:
    return memory(number, text, kind=Kind.EPISODIC, valid_from=NOON + number)


def test_the_newest_turns_are_kept_and_shown_in_their_order() -> None:
    turns = [_turn(1, "one"), _turn(2, "two"), _turn(3, "three")]
    assert [one.text for one in recent_passages(turns, 8, PLAIN)] == ["two", "three"]
    assert [one.text for one in recent_passages(turns[::-1], 100, PLAIN)] == ["one", "two", "three"]


def test_the_first_turn_that_does_not_fit_is_shortened_and_no_older_one_is_shown() -> None:
    turns = [_turn(1, "one"), _turn(2, "We walked to the old harbour. " * 20), _turn(3, "three")]
    shown = recent_passages(turns, 30, PLAIN)
    assert [(one.ids, one.shortened) for one in shown] == [(("m2",), True), (("m3",), False)]
    assert sum(PLAIN.cost(one) for one in shown) <= 30


TURNS = [
    _turn(1, "Hello there! We plan a journey to Oslo in spring."),
    _turn(2, "Thanks!"),
    _turn(3, "The budget is 1,200 euros. Is that enough?"),
    _turn(4, "We plan a journey to Oslo."),
]


def test_a_summary_takes_the_most_telling_sentence_of_each_turn_that_adds_something() -> None:
    made = updated(Summary(), TURNS, 100, COUNTER)
    assert [(one.text, one.sources) for one in made.lines] == [
        ("We plan a journey to Oslo in spring.", ("m1",)),
        ("Thanks!", ("m2",)),
        ("The budget is 1,200 euros.", ("m3",)),
    ]
    assert made.through == 4


def test_a_full_summary_gives_up_what_is_missed_least() -> None:
    made = updated(Summary(), [*TURNS, _turn(5, "Oslo budget journey hotel")], 16, COUNTER)
    assert made.tokens(COUNTER) <= 16
    assert "Oslo budget journey hotel" in [one.text for one in made.lines]


def test_lines_of_an_erased_turn_go() -> None:
    made = without(updated(Summary(), TURNS, 100, COUNTER), {"m1"})
    assert [one.sources for one in made.lines] == [("m2",), ("m3",)]
    assert made.through == 4


def test_lines_of_turns_that_are_shown_themselves_are_left_out() -> None:
    made = updated(Summary(), TURNS, 100, COUNTER)
    assert [one.ids for one in summary_passages(made, {"m3"}, 100, PLAIN)] == [("m1",), ("m2",)]
    assert [one.ids for one in summary_passages(made, set(), 14, PLAIN)] == [("m3",)]


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least 0"):
        updated(Summary(), [], -1, COUNTER)
