"""What keeping a tenant lean takes, over random memories: never what is held or needed, always the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from marskg.config import Settings
from marskg.learning.housekeeping.retention_trim import CAP, Kept, trim
from marskg.ontology.vocabulary import Kind, Tier
from marskg.policies.core.candidates import Candidate
from marskg.policies.core.features import FeatureTable
from marskg.policies.executor import KEEP
from marskg.store.rows.kind_statistics import KindStatistics
from marskg.store.rows.order_keys import Access
from marskg.store.rows.read_statistics import Usage

if TYPE_CHECKING:
    from collections.abc import Mapping

DAY = 86_400_000
NOW = 1_772_323_200_000
SUBJECTS = ("ann", "bob", "cid")


@dataclass
class View:
    """A view of nothing but settings and the time."""

    settings: Settings
    tenant: str = "t"
    now: int = NOW
    sequence: int = 99
    weight: int = 10_000
    rows: list[dict[str, Any]] = field(default_factory=list)
    ceiling: int | None = None
    within: frozenset[str] | None = None
    vectoriser: None = None
    sensing: None = None
    summariser: None = None
    census: KindStatistics = field(default_factory=KindStatistics)
    usage: Usage = field(default_factory=Usage)
    controls: Mapping[str, str] = field(default_factory=dict)

    def run(self, statement: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:  # noqa: ARG002 - the protocol
        return self.rows

    def timed(self, statement: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        return self.run(statement, parameters)

    def index_gaps(self, key_name: str) -> list[Any]:  # noqa: ARG002 - the protocol
        return []

    def table(self, *, linked: bool = False) -> FeatureTable:  # noqa: ARG002 - the protocol
        return FeatureTable([], {}, "none")


def kept(number: int, subjects: tuple[str, ...], score: int, idle: int, bases: tuple[str, ...], **more: Any) -> Kept:
    last = NOW - idle * DAY
    candidate = Candidate(
        id=f"m{number:02}",
        kind=Kind.SEMANTIC,
        weight=1 + number % 5,
        created=last,
        last=last,
        times=0,
        sequence=number + 2,
        superseded_at=NOW - DAY if more.get("superseded") else None,
        access=Access(last, 0),
        marked=False,
        bases=bases,
    )
    return Kept(candidate, subjects, score, score, more.get("held", False), more.get("dependents", 0), shortenable=True)


@st.composite
def stores(draw: st.DrawFn) -> dict[str, Kept]:
    """Draw memories, each of which depends on some before it; some have a dependent in the latent tier besides."""
    count = draw(st.integers(1, 24))
    bases = [
        tuple(f"m{base:02}" for base in sorted(draw(st.sets(st.integers(0, number - 1), max_size=2)) if number else ()))
        for number in range(count)
    ]
    found = {}
    for number in range(count):
        ident = f"m{number:02}"
        live = sum(ident in others for others in bases)
        one = kept(
            number,
            tuple(sorted(draw(st.sets(st.sampled_from(SUBJECTS), max_size=2)))),
            draw(st.integers(0, 100)),
            draw(st.integers(0, 200)),
            bases[number],
            held=draw(st.integers(0, 5)) == 0,
            superseded=draw(st.integers(0, 3)) == 0,
            dependents=live + draw(st.integers(0, 1)),
        )
        found[one.id] = one
    return found


SETTINGS = st.fixed_dictionaries({
    "lean.cap_per_subject": st.one_of(st.none(), st.integers(1, 6)),
    "lean.archive_below": st.one_of(st.none(), st.integers(0, 100)),
    "policy.evict_to": st.sampled_from(["tombstone", "latent"]),
})  # fmt: skip


@given(memories=stores(), values=SETTINGS, room=st.one_of(st.none(), st.integers(0, 20)))
def test_a_plan_takes_what_may_go_and_no_more(
    memories: dict[str, Kept], values: dict[str, Any], room: int | None
) -> None:
    view = View(Settings().with_values(values))
    plan = trim(view, memories, room)
    assert plan == trim(view, dict(reversed(memories.items())), room)
    there = set(memories)
    emptied: dict[str, int] = dict.fromkeys(memories, 0)
    archived = 0
    for action in plan.actions:
        one = memories[action.id]
        assert not one.held
        # Nothing that stays live depends on it, and what loses its content loses it after all that depends on it.
        assert not any(action.id in memories[other].candidate.bases for other in there)
        if action.tier_after is Tier.TOMBSTONE:
            assert one.dependents == emptied[action.id]
            for base in one.candidate.bases:
                emptied[base] += 1
        else:
            archived += action.weight
        there.remove(action.id)
    assert room is None or archived <= room
    capped(memories, plan.actions, values["lean.cap_per_subject"])
    for action in plan.actions:
        if action.rule == KEEP:
            assert memories[action.id].score < values["lean.archive_below"]


def capped(memories: dict[str, Kept], actions: Any, cap: int | None) -> None:
    """Check that no action of the cap takes from a subject that is within it."""
    left = {subject: {one.id for one in memories.values() if subject in one.subjects} for subject in SUBJECTS}
    for action in actions:
        if action.rule == CAP:
            assert cap is not None
            assert any(action.id in ids and len(ids) > cap for ids in left.values())
        for ids in left.values():
            ids.discard(action.id)


@given(scores=st.lists(st.integers(0, 100), min_size=1, max_size=20), cap=st.integers(1, 10))
def test_the_threshold_rises_until_the_subject_is_within_its_cap(scores: list[int], cap: int) -> None:
    memories = {one.id: one for one in (kept(n, ("ann",), score, 0, ()) for n, score in enumerate(scores))}
    view = View(Settings().with_values({"lean.cap_per_subject": cap, "lean.archive_below": None}))
    plan = trim(view, memories, None)
    taken = [memories[action.id].score for action in plan.actions]
    stay = [one.score for one in memories.values() if one.id not in {action.id for action in plan.actions}]
    assert len(stay) == min(cap, len(scores))
    assert taken == sorted(taken)
    assert max(taken, default=0) <= min(stay)


def test_the_check_finds_a_plan_that_takes_what_is_needed() -> None:
    """A planted fault: were the base's dependents not counted, the base would go first."""
    base, leaf = kept(0, ("ann",), 1, 0, (), dependents=1), kept(1, ("ann",), 90, 0, ("m00",))
    view = View(Settings().with_values({"lean.cap_per_subject": 1, "lean.archive_below": None}))
    right = trim(view, {"m00": base, "m01": leaf}, None)
    assert [action.id for action in right.actions] == ["m01"]
    alone = kept(1, ("ann",), 90, 0, ())
    assert [action.id for action in trim(view, {"m00": base, "m01": alone}, None).actions] == ["m00"]
