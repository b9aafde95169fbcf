"""Recent turns and the running summary of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from marskg.errors import InvalidInput
from marskg.ontology.vocabulary import Kind
from marskg.retrieval.assembly.context_sections import Shortener, Summary, lay_recent, lay_summary, updated, without
from marskg.retrieval.assembly.token_room import Room
from marskg.weight import TokenCounter
from tests.support.candidates import NOON, memory

if TYPE_CHECKING:
    from marskg.records import Memory

COUNTER = TokenCounter()
SHORTENER = Shortener(frozenset(), 8)


def _room(budget: int = 100) -> Room:
    return Room(budget, COUNTER, plain=True, weighed=False)


def _turn(number: int, text: str) -> Memory:
    return memory(number, text, kind=Kind.EPISODIC, valid_from=NOON + number)


def test_the_newest_turns_are_kept_and_shown_in_their_order() -> None:
    turns = [_turn(1, "one"), _turn(2, "two"), _turn(3, "three")]
    assert [one.text for one in lay_recent(turns, 7, _room(), SHORTENER)] == ["two", "three"]
    assert [one.text for one in lay_recent(turns[::-1], 100, _room(), SHORTENER)] == ["one", "two", "three"]


def test_the_first_turn_that_does_not_fit_is_shortened_and_no_older_one_is_shown() -> None:
    turns = [_turn(1, "one"), _turn(2, "We walked to the old harbour. " * 20), _turn(3, "three")]
    room = _room()
    shown = lay_recent(turns, 30, room, SHORTENER)
    assert [(one.ids, one.shortened) for one in shown] == [(("m2",), True), (("m3",), False)]
    assert 100 - room.left <= 30


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
    assert [one.ids for one in lay_summary(made, {"m3"}, 100, _room())] == [("m1",), ("m2",)]
    assert [one.ids for one in lay_summary(made, set(), 13, _room())] == [("m3",)]


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least 0"):
        updated(Summary(), [], -1, COUNTER)
