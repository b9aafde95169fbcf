"""What keeping a tenant lean takes out of its live tier, as a plan for the one executor.

Guarantees: pure: equal views give equal plans, and nothing is changed here. Nothing protected (section 4's K) and
nothing canonical is ever taken, and nothing on which something that stays live depends. For the cap of a subject the
threshold rises from the lowest score until the subject is within it: superseded memories first, then by score, oldest
access, sequence; what is of higher standing counts by itself, so that no number of others takes it. What is archived
keeps its content. Reasons are made of numbers, never of names or content.
Source: MemoryArchitect II.F ("Pruning Thresholds", "Multi-tier Storage"); semantics sections 3, 4 and 7.
"""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from marskg.clock import DAY_MS
from marskg.learning.rules.score import decayed
from marskg.ontology.vocabulary import ACTIVE_STATUSES, Kind, MemoryClass, SourceType, is_higher
from marskg.policies.core.candidates import Candidate, from_row, policy_statement
from marskg.policies.core.plans import Choice, archives, build_plan
from marskg.policies.executor import KEEP
from marskg.store.rows.paging import pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from marskg.policies.core.policy import PolicyView
    from marskg.records import Plan

#: The name that plans and the audit carry.
NAME: Final = "lean"
CAP: Final = "cap-per-subject"
_PAGE: Final = 500
_MICRO: Final = 1_000_000

#: Superseded first, then the score, the oldest access, the sequence; the id never decides.
_Place: TypeAlias = "tuple[int, int, int, int, str]"


@dataclass(frozen=True, slots=True)
class Kept:
    """One live memory, with what decides whether it stays: ``score`` is decayed to the moment of the view."""

    candidate: Candidate
    subjects: tuple[str, ...]
    score: int
    stored_score: int
    #: Why no housekeeping may take it: protected, or canonical.
    held: bool
    #: Memories with content, in any tier, that depend on it.
    dependents: int
    shortenable: bool
    #: Whether it is the user's word, or what the operator vouches for.
    higher: bool = False

    @property
    def id(self) -> str:
        """Return the memory's id."""
        return self.candidate.id

    @property
    def place(self) -> _Place:
        """Return its place in the order of leaving."""
        one = self.candidate
        last = max(one.last, one.created)
        return (int(one.rank), self.score, last, one.sequence, one.id)


def live(view: PolicyView) -> dict[str, Kept]:
    """Return the tenant's live memories by id."""
    return {kept.id: kept for kept in (_kept(row, view.now) for row in _rows(view))}


def _rows(view: PolicyView) -> Iterator[Mapping[str, Any]]:
    for rows in pages(partial(view.run, policy_statement("live-page")), view.tenant, _PAGE):
        yield from rows


def _kept(row: Mapping[str, Any], now: int) -> Kept:
    candidate = from_row(row)
    canonical = row["memoryClass"] == MemoryClass.CANONICAL
    protected = (row["guards"] or 0) > 0 or row["status"] in ACTIVE_STATUSES
    return Kept(
        candidate=candidate,
        subjects=tuple(row["subjects"] or ()),
        score=decayed(row["score"], now - max(candidate.last, candidate.created)),
        stored_score=row["score"],
        held=canonical or protected,
        dependents=row["blockers"] or 0,
        shortenable=not (row["guards"] or 0)
        and not row["blockers"]
        and not canonical
        and candidate.kind is not Kind.TASK
        and candidate.superseded_at is None
        and row["validTo"] is None,
        higher=is_higher(SourceType(row["source"]), row["reliability"]),
    )


def trim(view: PolicyView, memories: Mapping[str, Kept], latent_room: int | None) -> Plan:
    """Return the plan that brings every subject within its cap and archives what has faded.

    Args:
        view: the tenant.
        memories: its live memories, as :func:`live` gives them.
        latent_room: tokens that the latent tier may still take; None for any number.
    """
    taking = _Taking(view, memories, latent_room)
    lean = view.settings.lean
    if lean.cap_per_subject is not None:
        taking.cap(lean.cap_per_subject)
    if lean.archive_below is not None:
        taking.archive(lean.archive_below, lean.archive_after)
    parameters = tuple(text for text in view.settings.to_parameters() if text.startswith("lean."))
    return build_plan(view, NAME, parameters, view.settings.budget, taking.choices, None)


def shortenable(view: PolicyView, memories: Mapping[str, Kept], taken: Iterable[str]) -> list[str]:
    """Return the ids of long memories of low score that an excerpt may replace, the lowest score first."""
    lean = view.settings.lean
    if lean.compress_below is None:
        return []
    gone = set(taken)
    found = [
        kept
        for kept in memories.values()
        if kept.shortenable
        and kept.id not in gone
        and kept.score < lean.compress_below
        and kept.candidate.weight > lean.compress_longer_than
    ]
    return [kept.id for kept in sorted(found, key=lambda kept: kept.place)]


class _Taking:
    """Takes leaves, one after another; new leaves appear as it goes."""

    def __init__(self, view: PolicyView, memories: Mapping[str, Kept], latent_room: int | None) -> None:
        self._view = view
        self._memories = memories
        self._room = latent_room
        self.choices: list[Choice] = []
        self._taken: set[str] = set()
        #: Live memories that depend on each, and those with content that do, less what was taken.
        self._live = Counter(base for kept in memories.values() for base in kept.candidate.bases)
        self._whole = Counter({kept.id: kept.dependents for kept in memories.values()})

    def cap(self, most: int) -> None:
        """Take the lowest of each subject that has more than ``most`` live memories.

        What is of lower standing goes first; of the higher one what it has too much by itself, so that no number of the
        others costs it anything.
        """
        about: dict[str, list[Kept]] = {}
        for kept in self._memories.values():
            for subject in kept.subjects:
                about.setdefault(subject, []).append(kept)
        for subject in sorted(about):
            # Each may rest on what the other has: the lower ones are looked at again when the higher ones are gone.
            for higher in (False, True, False):
                there = [kept for kept in about[subject] if kept.id not in self._taken]
                among = [kept for kept in there if kept.higher is higher]
                above = min(len(there) - len(among), most) if not higher else 0
                self._lower(among, len(among) + above, most)

    def _lower(self, there: list[Kept], count: int, most: int) -> None:
        """Take the lowest of these, as many as ``count`` is above ``most``."""

        def take(kept: Kept) -> bool:
            numbers = {"about_subject": count, "cap": most}
            reason = f"score {kept.score}, the lowest of {count} memories about a subject that may have {most}"
            return self._take(kept, CAP, reason, numbers, archive=archives(self._view))

        self._leaves(there, take, count - most)

    def archive(self, below: int, after: int) -> None:
        """Take to the latent tier what has a score below ``below`` and was not accessed for ``after`` ms."""

        def faded(kept: Kept) -> bool:
            idle = self._view.now - max(kept.candidate.last, kept.candidate.created)
            return kept.score < below and idle >= after

        def take(kept: Kept) -> bool:
            days = (self._view.now - max(kept.candidate.last, kept.candidate.created)) // DAY_MS
            reason = f"score {kept.score} is below {below}, and it was not accessed for {days} days"
            return self._take(kept, KEEP, reason, {"below": below}, archive=True)

        self._leaves([kept for kept in self._memories.values() if faded(kept)], take, len(self._memories))

    def _leaves(self, among: Iterable[Kept], take: Callable[[Kept], bool], most: int) -> None:
        """Call ``take`` for up to ``most`` of the leaves among these, the lowest place first."""
        waiting = {kept.id: kept for kept in among if not kept.held and kept.id not in self._taken}
        ready = [kept.place for kept in waiting.values() if not self._live[kept.id]]
        heapq.heapify(ready)
        done = 0
        while ready and done < most:
            kept = waiting.pop(heapq.heappop(ready)[-1])
            if not take(kept):
                continue
            done += 1
            for base in kept.candidate.bases:
                if base in waiting and not self._live[base]:
                    heapq.heappush(ready, waiting[base].place)

    def _take(self, kept: Kept, rule: str, reason: str, numbers: Mapping[str, int], *, archive: bool) -> bool:
        """Take one memory; returns False where the latent tier has no room for it."""
        # What only latent memories keep cannot lose its content: it goes beside them.
        beside = not archive and self._whole[kept.id] > 0
        weight = kept.candidate.weight
        if archive or beside:
            if self._room is not None and weight > self._room:
                return False
            self._room = None if self._room is None else self._room - weight
        features = {"score": float(kept.score), "stored_score": float(kept.stored_score)}
        features |= {name: float(value) for name, value in numbers.items()}
        stranded = beside or (archive and not archives(self._view))
        self.choices.append(Choice(kept.candidate, rule, kept.score * _MICRO, reason, stranded, features))
        self._taken.add(kept.id)
        for base in kept.candidate.bases:
            self._live[base] -= 1
            if not archive and not beside:
                self._whole[base] -= 1
        return True
