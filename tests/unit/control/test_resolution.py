"""Conflicts are resolved in the stated order, with a reason that holds no content."""

from __future__ import annotations

from dataclasses import replace

import pytest

from marskg.config import LearningSettings
from marskg.learning.rules.conflict_detection import Conflict, ConflictKind, Statement
from marskg.learning.rules.resolution import (
    ConflictPolicy,
    ResolutionAction,
    ResolutionRules,
    resolve,
)

SURE = Conflict(ConflictKind.NUMBER, 900_000, ("secret",), ())
OLD = Statement("the secret is 1", valid_from=10, reliability=0.9, score=60, sequence=1, id="old")
NEW = Statement("the secret is 2", valid_from=20, reliability=0.8, score=50, sequence=2, id="new")


def test_the_newest_valid_wins() -> None:
    found = resolve(NEW, OLD, SURE)
    assert (found.action, found.winner, found.loser) == (ResolutionAction.SUPERSEDE, NEW, OLD)
    assert "valid from later" in found.reason


def test_a_late_arriving_older_fact_loses() -> None:
    late = replace(NEW, valid_from=5)
    found = resolve(late, OLD, SURE)
    assert (found.winner, found.loser) == (OLD, late)


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (replace(NEW, valid_from=10, reliability=1.0), "more reliable"),
        (replace(NEW, valid_from=10, reliability=0.9, score=61), "more useful"),
        (replace(NEW, valid_from=10, reliability=0.9, score=60), "recorded later"),
    ],
)
def test_ties_fall_through_reliability_score_and_sequence(new: Statement, said: str) -> None:
    found = resolve(new, OLD, SURE)
    assert found.winner == new
    assert said in found.reason


def test_the_most_reliable_wins_where_the_policy_says_so() -> None:
    found = resolve(NEW, OLD, SURE, ResolutionRules.of(LearningSettings(), ConflictPolicy.MOST_RELIABLE))
    assert found.winner == OLD


def test_a_person_is_asked_by_policy_or_when_the_newer_source_is_much_weaker() -> None:
    assert (
        resolve(NEW, OLD, SURE, ResolutionRules.of(LearningSettings(), ConflictPolicy.REVIEW)).action
        is ResolutionAction.ASK
    )
    weak = replace(NEW, reliability=0.2)
    assert resolve(weak, OLD, SURE).action is ResolutionAction.ASK
    keyed = Conflict(ConflictKind.KEY, 1_000_000, ("k",), ())
    assert resolve(weak, OLD, keyed).action is ResolutionAction.SUPERSEDE


def test_an_unsure_conflict_keeps_both() -> None:
    unsure = Conflict(ConflictKind.VALUE, 700_000, (), ())
    assert resolve(NEW, OLD, unsure).action is ResolutionAction.CONTRADICTS


@pytest.mark.parametrize("policy", ConflictPolicy)
def test_a_reason_holds_no_content_and_the_order_of_arguments_decides_nothing(policy: ConflictPolicy) -> None:
    rules = ResolutionRules.of(LearningSettings(), policy)
    equal = replace(NEW, valid_from=10, reliability=0.9, score=60, sequence=1)
    for new in (NEW, equal):
        one, other = resolve(new, OLD, SURE, rules), resolve(OLD, new, SURE, rules)
        assert "secret" not in one.reason
        assert one == other
