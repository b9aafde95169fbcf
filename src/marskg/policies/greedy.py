"""Greedy: keeps what is worth most together within the budget, and forgets the rest (MaRS section 3.1, eq. 2).

What is kept is worth the sum of its importance, and once for each key, entity, task and person that some of it covers
(:mod:`marskg.policies.coverage`, settings ``policy.coverage.*``), so that the only memory of a thing outlives the tenth
of another. The terms of contents cover nothing here: a policy reads no content.

Guarantees: the protected set and what is excluded stay, with what they depend on; superseded memories are worth nothing
and cover nothing, and none of them stays while a current one goes, unless something that stays depends on it; what
goes, goes after all that depends on it, superseded ones and the least useful first. No current memory that goes would
fit beside what stays. What only latent memories depend on is archived beside them. The score is what a memory would
add to what stays, per 1,000 tokens, in 1e-6. It reads the whole tenant: O(n log n) for n live memories, however few go.
"""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, replace
from string import Template
from typing import TYPE_CHECKING, Any

from marskg.policies.bounds import coverage_loss
from marskg.policies.candidates import Candidate, from_row, policy_statement
from marskg.policies.coverage import Coverage, Covered, Item, keep
from marskg.policies.plans import (
    REASON_FREED,
    REASON_STRANDED,
    REASON_SUPERSEDED,
    Choice,
    archives,
    build_plan,
    facts,
    parameters_of,
    words,
)
from marskg.store.order import SUPERSEDED, importance, key_range, micro

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from marskg.policies.policy import PolicyView
    from marskg.records import Plan

_NAME = "greedy"
_PAGE = 2048
#: Evictable memories above which sets are not enumerated: three of them would take a hundred thousand runs.
_MOST_ENUMERATED = 64
_PER_TOKENS = 1_000


@dataclass(frozen=True, slots=True)
class _Live:
    """A live memory as the statement gives it, and as the set function sees it."""

    candidate: Candidate
    item: Item
    guarded: bool
    #: How many memories with content depend on it, latent ones included.
    blockers: int

    @property
    def superseded(self) -> bool:
        """Return whether a newer value has taken its place."""
        return self.candidate.rank == SUPERSEDED


class GreedyPolicy:
    """Keeps by marginal gain per token over closed bundles."""

    @property
    def name(self) -> str:
        """Return the policy's name."""
        return _NAME

    def plan(
        self, view: PolicyView, *, target: int, exclude: frozenset[str] = frozenset(), seed: int | None = None
    ) -> Plan:
        """Return the plan down to ``target``; nothing is drawn, so ``seed`` is only recorded."""
        parameters = parameters_of(view)
        if view.weight <= target:
            return build_plan(view, _NAME, parameters, target, (), seed)
        store = _Store(view, {one.candidate.id: one for one in _read(view)}, exclude)
        choices = _Departures(store, store.staying(target)).choices(target)
        plan = build_plan(view, _NAME, parameters, target, choices, seed)
        return replace(plan, notes=store.notes({choice.candidate.id for choice in choices}))


class _Store:
    """The live memories with what is protected among them, and the set function over them."""

    def __init__(self, view: PolicyView, live: Mapping[str, _Live], exclude: frozenset[str]) -> None:
        self.view = view
        self.live = live
        self.items = [one.item for one in live.values()]
        self.worths = _worths(view, self.items)
        self.function = Coverage(self.items, self.worths)
        self.places = {ident: place for place, ident in enumerate(live)}
        self.always = self.closed(ident for ident, one in live.items() if one.guarded or ident in exclude)
        dependents = Counter(base for one in live.values() for base in one.candidate.bases)
        #: What only archiving takes, as latent memories depend on it: the last resort. Archived alike, nothing is.
        held = () if archives(view) else (ident for ident, one in live.items() if one.blockers > dependents[ident])
        self.held = self.closed(held) - self.always

    def closed(self, idents: Iterable[str]) -> set[str]:
        """Return the live memories among ``idents`` with all live ones that they depend on."""
        queue = list(idents)
        found: set[str] = set()
        while queue:
            ident = queue.pop()
            if ident in self.live and ident not in found:
                found.add(ident)
                queue += self.live[ident].candidate.bases
        return found

    def staying(self, target: int) -> set[str]:
        """Return what greedy keeps within ``target`` tokens."""
        last = self.always | self.held
        room = sum(self.live[ident].item.weight for ident in last) <= target
        items = self.items if room else [item for item in self.items if item.id in last]
        kept = keep(items, self.worths, max(target, 0), always=last if room else self.always, seed=self._seed())
        return self._without_superseded(set(kept.ids), last if room else self.always)

    def _seed(self) -> int:
        return self.view.settings.policy.enumeration if self._free <= _MOST_ENUMERATED else 0

    @property
    def _free(self) -> int:
        return len(self.live) - len(self.always)

    def _without_superseded(self, kept: set[str], always: set[str]) -> set[str]:
        """Return ``kept`` without the superseded memories that nothing else in it needs, if a current one goes."""
        if all(one.superseded for ident, one in self.live.items() if ident not in kept):
            return kept
        return self.closed([*always, *(ident for ident in kept if not self.live[ident].superseded)])

    def notes(self, gone: set[str]) -> tuple[str, ...]:
        """Return what of the set function goes, its bound, and what the settings asked for in vain."""
        loss = coverage_loss(
            self.function, [item.weight for item in self.items], [self.places[ident] for ident in gone]
        )
        found = (
            f"of {loss.before / 1e6:.4g} of importance and coverage {loss.realised / 1e6:.4g} goes; "
            f"its bound L*W_E is {loss.bound / 1e6:.4g}"
        )
        if self.view.settings.policy.enumeration > self._seed():
            return (found, f"policy.enumeration left out: {self._free} memories may go, over {_MOST_ENUMERATED}")
        return (found,)


def _read(view: PolicyView) -> Iterator[_Live]:
    """Yield the tenant's live memories in the order of their references."""
    low, high = key_range(view.tenant)
    rows = view.run(policy_statement("greedy"), {"low": low, "high": high, "limit": _PAGE})
    while rows:
        for row in rows:
            yield _live(view, row)
        if len(rows) < _PAGE:
            return
        parameters = {"low": f"{rows[-1]['ref']}\x01", "high": high, "limit": _PAGE}
        rows = view.run(policy_statement("greedy"), parameters)


def _live(view: PolicyView, row: Mapping[str, Any]) -> _Live:
    candidate = from_row(row)
    worth = importance(view.settings.scoring, candidate.kind, candidate.last, candidate.times, view.now)
    current = candidate.rank != SUPERSEDED
    item = Item(
        id=candidate.id,
        weight=max(candidate.weight, 1),
        # Nothing current is worth nothing: then superseded memories are the last that greedy looks at.
        value=max(1, micro(worth)) if current else 0,
        sequence=candidate.sequence,
        covers=_elements(row) if current else (),
        bases=candidate.bases,
    )
    return _Live(candidate, item, (row["guards"] or 0) > 0, row["blockers"] or 0)


def _elements(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a memory covers, each with the sort of thing that it is."""
    found = {f"entity {name}" for name in row["entities"]}
    found |= {f"goal {name}" for name in row["goals"]}
    found |= {f"subject {name}" for name in row["subjects"] or ()}
    if row["slot"] is not None:
        # A key belongs to its subjects: the same key of another person is another thing.
        found.add(f"key {row['slot']} {sorted(row['subjects'] or ())}")
    return tuple(sorted(found))


def _worths(view: PolicyView, items: Sequence[Item]) -> dict[str, int]:
    coverage = view.settings.policy.coverage
    by_sort = {
        "key": micro(coverage.key),
        "entity": micro(coverage.entity),
        "goal": micro(coverage.goal),
        "subject": micro(coverage.subject),
    }
    return {name: by_sort[name.partition(" ")[0]] for item in items for name in item.covers}


class _Departures:
    """What goes, in the order in which it goes, with the reason of each."""

    def __init__(self, store: _Store, staying: set[str]) -> None:
        self._store = store
        self._going = {ident: one for ident, one in store.live.items() if ident not in staying}
        self._stays: Covered = store.function.begin()
        for ident in staying:
            self._stays.add(store.places[ident])

    def choices(self, target: int) -> list[Choice]:
        """Return what goes until ``target`` is reached: the last resort last, superseded first, then by score."""
        waiting = Counter(base for one in self._going.values() for base in one.candidate.bases)
        freed = frozenset(waiting)
        ready = [self._entry(one) for ident, one in self._going.items() if not waiting[ident]]
        heapq.heapify(ready)
        found: list[Choice] = []
        weight = self._store.view.weight
        while ready and weight > target:
            one = self._going[heapq.heappop(ready)[-1]]
            choice = self._choice(one)
            if one.candidate.id in freed:
                choice = replace(choice, reason=f"{choice.reason}; {REASON_FREED}")
            found.append(choice)
            weight -= one.candidate.weight
            for base in one.candidate.bases:
                waiting[base] -= 1
                if base in self._going and not waiting[base]:
                    heapq.heappush(ready, self._entry(self._going[base]))
        return found

    def _entry(self, one: _Live) -> tuple[bool, str, int, int, str]:
        ident = one.candidate.id
        return (ident in self._store.held, one.candidate.rank, self._score(one), one.candidate.sequence, ident)

    def _score(self, one: _Live) -> int:
        return self._stays.gain((self._store.places[one.candidate.id],)) * _PER_TOKENS // one.item.weight

    def _choice(self, one: _Live) -> Choice:
        candidate, place, score = one.candidate, self._store.places[one.candidate.id], self._score(one)
        elements, covered = len(self._store.function.covers[place]), self._stays.covered(place)
        gain = self._stays.gain((place,)) / 1e6
        features = {"gain": gain, "elements": float(elements), "covered": float(covered)}
        if candidate.id in self._store.held:
            return Choice(candidate, "stranded", score, REASON_STRANDED, stranded=True, features=features)
        shown = words(facts(self._store.view, candidate))
        if one.superseded:
            reason = Template(REASON_SUPERSEDED).substitute(shown)
            return Choice(candidate, "superseded", score, reason, features=features)
        reason = f"adds {gain:.4g} to what stays, over {shown['weight']} tokens"
        if elements:
            reason = f"{reason}; of {elements} keys, names, tasks and people it covers, {covered} stay covered"
        return Choice(candidate, _NAME, score, reason, features=features)


GREEDY = GreedyPolicy()
