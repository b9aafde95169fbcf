"""Only what has faded, is old enough and is not critical is pruned; proven memories live longer, within the law."""

from __future__ import annotations

from dataclasses import replace

import pytest

from marskg.clock import DAY_MS
from marskg.learning.rules.fading import critical, extended_expiry, prune
from marskg.ontology.vocabulary import Kind, MemoryClass, TaskStatus, Tier
from marskg.records import Memory

NOW = 1_000 * DAY_MS
FADED = Memory(
    id="m", tenant="t", kind=Kind.SEMANTIC, content="x", created=NOW - 10 * DAY_MS, sequence=1, score=10,
    last_access=NOW - DAY_MS,
)  # fmt: skip


def _ids(
    memory: Memory, protected: tuple[str, ...] = (), required: tuple[str, ...] = ()
) -> tuple[list[str], list[str]]:
    found = prune([memory], NOW, protected=protected, required=required)
    return [one.id for one in found.candidates], [one.id for one in found.review]


def test_what_has_faded_is_a_candidate_with_its_reason() -> None:
    (one,) = prune([FADED], NOW).candidates
    assert (one.id, one.score, one.age_ms) == ("m", 10, 10 * DAY_MS)
    assert one.reason == "score 10 is below the floor of 20 (stored 10), age 10 days, class factual"


@pytest.mark.parametrize(
    "changes",
    [
        {"pinned": True},
        {"memory_class": MemoryClass.CANONICAL},
        {"kind": Kind.TASK, "status": TaskStatus.OPEN},
        {"created": NOW - 6 * DAY_MS},
        {"score": 50},
        {"tier": Tier.LATENT},
        {"tier": Tier.TOMBSTONE},
    ],
)
def test_what_is_critical_young_or_useful_is_left_alone(changes: dict[str, object]) -> None:
    assert _ids(replace(FADED, **changes)) == ([], [])  # type: ignore[arg-type]


def test_what_is_protected_or_required_is_left_alone() -> None:
    assert _ids(FADED, protected=("m",)) == ([], [])
    assert _ids(FADED, required=("m",)) == ([], [])
    assert _ids(FADED, required=("other",)) == (["m"], [])


def test_a_done_task_is_not_critical() -> None:
    assert critical(replace(FADED, kind=Kind.TASK, status=TaskStatus.DONE)) is None
    assert critical(replace(FADED, kind=Kind.TASK, status=TaskStatus.BLOCKED)) == "an active task"


@pytest.mark.parametrize(
    ("score", "candidates", "review"),
    [(17, ["m"], []), (18, [], ["m"]), (19, [], ["m"]), (21, [], ["m"]), (22, [], [])],
)
def test_the_borderline_is_for_a_person(score: int, candidates: list[str], review: list[str]) -> None:
    assert _ids(replace(FADED, score=score)) == (candidates, review)


def test_decay_counts() -> None:
    old = replace(FADED, score=60, created=0, last_access=NOW - 430 * DAY_MS)
    assert _ids(old) == (["m"], [])
    assert _ids(replace(old, last_access=NOW)) == ([], [])


def test_the_lowest_comes_first_and_ties_go_by_sequence() -> None:
    memories = [replace(FADED, id=name, score=score, sequence=place) for place, (name, score) in
                enumerate([("a", 15), ("b", 3), ("c", 15)])]  # fmt: skip
    assert [one.id for one in prune(reversed(memories), NOW).candidates] == ["b", "a", "c"]


LIFE = 30 * DAY_MS


@pytest.mark.parametrize(
    ("expires", "score", "horizon", "expected"),
    [
        (NOW + 5 * DAY_MS, 50, None, NOW + 5 * DAY_MS),
        (NOW + 5 * DAY_MS, 70, None, NOW + LIFE),
        (NOW + 5 * DAY_MS, 85, None, NOW + LIFE + LIFE // 2),
        (NOW + 5 * DAY_MS, 100, None, NOW + 2 * LIFE),
        (NOW + 5 * DAY_MS, 100, NOW + 9 * DAY_MS, NOW + 9 * DAY_MS),
        (NOW + 90 * DAY_MS, 100, None, NOW + 90 * DAY_MS),
        (NOW + 90 * DAY_MS, 100, NOW + DAY_MS, NOW + DAY_MS),
        (NOW - 1, 100, None, NOW - 1),
        (NOW, 100, None, NOW),
        (None, 100, None, None),
        (None, 100, NOW + DAY_MS, NOW + DAY_MS),
    ],
)
def test_a_proven_memory_lives_longer_but_never_past_the_horizon(
    expires: int | None, score: int, horizon: int | None, expected: int | None
) -> None:
    assert extended_expiry(expires, score, LIFE, NOW, legal_horizon=horizon) == expected


def test_a_class_without_a_life_extends_nothing() -> None:
    assert extended_expiry(NOW + 1, 100, None, NOW) == NOW + 1
