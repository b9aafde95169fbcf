"""Contradictions are settled by time, reliability and rank, and named without their content."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from marskg.ontology.vocabulary import Cardinality
from marskg.retrieval.assembly.candidate import Outdated
from marskg.retrieval.assembly.contradictions import resolve
from tests.support.candidates import DAY, NOON, candidate

if TYPE_CHECKING:
    from marskg.records import Memory


def test_of_one_single_key_the_newest_valid_value_stays() -> None:
    old = candidate(1, "the secret is 100", key="budget", score=900_000)
    new = candidate(2, "the secret is 200", key="budget", valid_from=NOON + DAY)
    kept, (lost,) = resolve([old, new])
    assert [one.id for one in kept] == ["m2"]
    assert (lost.loser, lost.winner, lost.rule) == ("m1", "m2", "same key")
    assert lost.reason == "the other is valid from a later time"


def test_then_reliability_then_rank_then_the_later_one_decides() -> None:
    cases = [
        (candidate(1, "x", key="k"), candidate(2, "y", key="k", reliability=0.5, score=900_000), "m1", "more reliable"),
        (candidate(1, "x", key="k", score=900_000), candidate(2, "y", key="k"), "m1", "ranks higher"),
        (candidate(1, "x", key="k"), candidate(2, "y", key="k"), "m2", "stored later"),
    ]
    for one, other, winner, reason in cases:
        kept, (lost,) = resolve([one, other])
        assert [left.id for left in kept] == [winner]
        assert reason in lost.reason


def test_values_of_sets_and_ledgers_and_of_other_subjects_live_together() -> None:
    for several in (Cardinality.SET, Cardinality.APPEND):
        both = [candidate(number, text, key="k", cardinality=several) for number, text in ((1, "x"), (2, "y"))]
        assert len(resolve(both)[0]) == 2
    ann, bob = candidate(1, "x", key="k", subjects=("ann",)), candidate(2, "y", key="k", subjects=("bob",))
    assert len(resolve([ann, bob])[0]) == 2


def test_an_edge_decides_in_either_direction_and_unknown_ids_are_passed_over() -> None:
    old, new = candidate(1, "x"), candidate(2, "y", valid_from=NOON + DAY)
    for pairs in ([("m1", "m2")], [("m2", "m1")]):
        kept, (lost,) = resolve([old, new], contradicts=[*pairs, ("m1", "m9"), ("m8", "m9")])
        assert [one.id for one in kept] == ["m2"]
        assert lost.rule == "contradicts"


def test_what_was_overruled_overrules_nothing() -> None:
    oldest, middle, newest = (candidate(n, f"v{n}", valid_from=NOON + n) for n in range(3))
    kept, lost = resolve([oldest, middle, newest], contradicts=[("m0", "m1"), ("m1", "m2")])
    assert [one.id for one in kept] == ["m0", "m2"]
    assert [one.loser for one in lost] == ["m1"]


@pytest.mark.parametrize("holds", [False, True])
def test_of_what_is_perhaps_outdated_the_caller_is_asked_whether_both_can_hold(*, holds: bool) -> None:
    asked = []

    def differ(newer: Memory, older: Memory, *, likely: bool = False) -> bool:
        asked.append((newer.id, older.id, likely))
        return not holds

    first = replace(candidate(1, "the travel budget is 100 euros"), outdated=Outdated("m2", alone=True))
    second = candidate(2, "the travel budget is 200 euros", valid_from=NOON + DAY)
    far = candidate(3, "the travel budget is for the whole team")
    kept, lost = resolve([first, second, far], differ=differ)
    assert asked == [("m2", "m1", True)]
    assert [one.id for one in kept] == (["m1", "m2", "m3"] if holds else ["m2", "m3"])
    assert [(one.loser, one.winner, one.rule) for one in lost] == ([] if holds else [("m1", "m2", "newer value")])


def test_a_reason_says_nothing_of_content_or_key() -> None:
    old = candidate(1, "hunter2", key="password", score=900_000)
    new = candidate(2, "hunter3", key="password", valid_from=NOON + DAY)
    _, (lost,) = resolve([old, new])
    assert "hunter" not in repr(lost)
    assert "password" not in repr(lost)
