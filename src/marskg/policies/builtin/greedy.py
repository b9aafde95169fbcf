"""Greedy: keeps what is worth most together within the budget, and forgets the rest (MaRS section 3.1, eq. 2).

What is kept is worth the sum of its importance, and once for each key, entity, task and person that some of it covers
(:mod:`marskg.policies.optimise.coverage`, settings ``policy.coverage.*``), so that the only memory of a thing outlives
the tenth of another. The terms of contents cover nothing here: a policy reads no content.

Guarantees: the protected set and what is excluded stay, with what they depend on; superseded memories are worth nothing
and cover nothing, and none of them stays while a current one goes, unless something that stays depends on it; what
goes, goes after all that depends on it, superseded ones and the least useful first. No current memory that goes would
fit beside what stays. What only latent memories depend on is archived beside them. The score is what a memory would add
to what stays, per 1,000 tokens, in 1e-6. It passes over columns of all live memories, which the retrieval index keeps;
one by one it looks at what is not surely kept (:mod:`marskg.policies.optimise.variable_fixing`). The store has the last
word on what may go.
"""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from marskg.ontology.vocabulary import Tier
from marskg.policies.core import features
from marskg.policies.core.bounds import Loss, loss_bound
from marskg.policies.core.candidates import Candidate, from_row, members
from marskg.policies.core.plans import (
    REASON_FREED,
    REASON_STRANDED,
    Choice,
    archives,
    build_plan,
    facts,
    parameters_of,
    ruled,
    words,
)
from marskg.policies.core.policy import sealed
from marskg.policies.optimise.coverage import Item, keep
from marskg.policies.optimise.variable_fixing import Choosable, split
from marskg.store.rows.order_keys import SUPERSEDED, VITAL, micro

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy.typing as npt

    from marskg.policies.core.features import FeatureTable, Integers, Links
    from marskg.policies.core.policy import PolicyView
    from marskg.records import Plan

    Mask = npt.NDArray[np.bool_]

_NAME: Final = "greedy"
_PAGE: Final = 2048
#: Evictable memories above which sets are not enumerated: three of them would take a hundred thousand runs.
_MOST_ENUMERATED: Final = 64
#: Memories up to which all are looked at one by one: columns gain nothing there.
_FEW: Final = 256
_PER_TOKENS: Final = 1_000
_MICRO: Final = 1_000_000


class GreedyPolicy:
    """Keeps by marginal gain per token over closed bundles."""

    @property
    def name(self) -> str:
        """Return the policy's name."""
        return _NAME

    @property
    def reads_features(self) -> bool:
        """Return that it asks its view for the table of features."""
        return True

    def plan(
        self, view: PolicyView, *, target: int, exclude: frozenset[str] = frozenset(), seed: int | None = None
    ) -> Plan:
        """Return the plan down to ``target``; nothing is drawn, so ``seed`` is only recorded."""
        parameters = parameters_of(view)
        if view.weight <= target:
            return build_plan(view, _NAME, parameters, target, (), seed)
        store = _Store(view, view.table(linked=True), exclude)
        while True:
            departures = _Departures(store, store.staying(target), target)
            if not departures.mistaken:
                break
            store.protect(departures.mistaken)
        choices = departures.choices()
        plan = build_plan(view, _NAME, parameters, target, choices, seed, notes=store.notes(departures.going))
        loss = store.loss(departures.going)
        # The set function has coverage besides importance: its bound is the one that holds for what is optimised.
        bound, realised = loss.bound / _MICRO, loss.realised / _MICRO
        lipschitz = bound / plan.freed_tokens if plan.freed_tokens else 0.0
        return sealed(replace(plan, bound=bound, realised_loss=realised, lipschitz=lipschitz))


class _Store:
    """The live memories as columns with what is protected among them, and the set function over them."""

    def __init__(self, view: PolicyView, table: FeatureTable, exclude: frozenset[str]) -> None:
        if table.links is None:
            message = "the table of features has no links although they were asked for"
            raise RuntimeError(message)
        self.view = view
        self.table = table
        self.links: Links = table.links
        self.superseded: Mask = table.columns["rank"] == int(SUPERSEDED)
        self.vital: Mask = table.columns["rank"] == int(VITAL)
        self.weights: Integers = np.maximum(table.columns["weight"].astype(np.int64), 1)
        self.sequences: Integers = table.columns["sequence"].astype(np.int64)
        self.values = _values(view, table, self.superseded)
        self.worths = _worths(view)[self.links.sorts]
        #: What superseded memories cover counts for nothing.
        counted = ~self.superseded[self.links.rows]
        self.rows, self.elements = self.links.rows[counted], self.links.elements[counted]
        stays = self.links.guarded.copy()
        for found in members(view, sorted(exclude)):
            row = table.row(found["id"], found["sequence"])
            if row is not None:
                stays[row] = True
        self.always = self.closed(stays)

    @cached_property
    def held(self) -> Mask:
        """What only archiving takes, as latent memories depend on it: the last resort. Archived alike, nothing is."""
        if archives(self.view):
            return np.zeros(len(self.table), dtype=np.bool_)
        live = np.bincount(self.links.bases, minlength=len(self.table))
        return self.closed(self.links.blockers > live) & ~self.always

    @cached_property
    def bases(self) -> Mapping[int, list[int]]:
        """The rows that a row depends on, where there are some."""
        found: dict[int, list[int]] = {}
        for row, base in zip(self.links.dependents.tolist(), self.links.bases.tolist(), strict=True):
            found.setdefault(row, []).append(base)
        return found

    def protect(self, rows: Iterable[int]) -> None:
        """Keep ``rows`` in any case, too: the store says that they may not go."""
        mask = self.always.copy()
        mask[list(rows)] = True
        self.always = self.closed(mask)
        self.__dict__.pop("held", None)

    def closed(self, rows: Mask) -> Mask:
        """Return ``rows`` with all live ones that they depend on."""
        found = rows.copy()
        queue = [row for row in self.bases if found[row]]
        while queue:
            for base in self.bases.get(queue.pop(), ()):
                if not found[base]:
                    found[base] = True
                    queue.append(base)
        return found

    def staying(self, target: int) -> Mask:
        """Return what greedy keeps within ``target`` tokens."""
        last = self.always | self.held
        among, always = self._last_resorts(last, target)
        kept = self._kept(among, always, max(target, 0))
        if self.superseded[~kept].all():
            return kept
        # A current memory goes: then only those superseded ones stay that something else needs.
        return self.closed(always | (kept & ~self.superseded))

    def _last_resorts(self, last: Mask, target: int) -> tuple[Mask, Mask]:
        """Return what greedy chooses among, and what of it stays in any case.

        Each that must have room before others: what is protected, then what only archiving takes, then what a life
        depends on.
        """
        resorts = [self.always, last, self.closed(last | self.vital)]
        for among, always in zip(resorts[1:], resorts, strict=False):
            if int(self.weights[among].sum()) > target:
                return among, always
        return np.ones(len(self.table), dtype=np.bool_), resorts[-1]

    def _kept(self, among: Mask, always: Mask, target: int) -> Mask:
        """Return what greedy keeps of the rows ``among``, ``always`` of these in any case."""
        if int(among.sum()) <= _FEW:
            return self._looked_at(among, always, target, np.ones(len(self.rows), dtype=np.bool_))
        free = among & ~always
        covered = self.covered(always)
        counts = free[self.rows] & ~covered[self.elements]
        depends = free[self.links.dependents] & free[self.links.bases]
        places = np.cumsum(free) - 1
        given = Choosable(
            values=self.values[free],
            weights=self.weights[free],
            sequences=self.sequences[free],
            rows=places[self.rows[counts]],
            elements=self.elements[counts],
            worths=self.worths,
            dependents=places[self.links.dependents[depends]],
            bases=places[self.links.bases[depends]],
        )
        left = target - int(self.weights[always].sum())
        found = split(given, left)
        if found.richest > int(given.values[found.sure].sum()):
            # One bundle might be worth more than all that is sure, which greedy has to see.
            return self._looked_at(among, always, target, np.ones(len(self.rows), dtype=np.bool_))
        sure = np.zeros(len(self.table), dtype=np.bool_)
        sure[np.flatnonzero(free)[found.sure]] = True
        pairs = np.zeros(len(self.rows), dtype=np.bool_)
        pairs[np.flatnonzero(counts)[found.alive]] = True
        chosen = self._looked_at(free & ~sure, np.zeros_like(sure), left - int(self.weights[sure].sum()), pairs)
        return always | sure | chosen

    def _looked_at(self, among: Mask, always: Mask, target: int, pairs: Mask) -> Mask:
        """Return what greedy keeps of ``among`` when it looks at each; only ``pairs`` of what is covered count."""
        rows = np.flatnonzero(among).tolist()
        covers: dict[int, list[int]] = {row: [] for row in rows}
        mine = pairs & among[self.rows]
        for row, element in zip(self.rows[mine].tolist(), self.elements[mine].tolist(), strict=True):
            covers[row].append(element)
        items = [
            Item(
                id=str(row),
                weight=int(self.weights[row]),
                value=int(self.values[row]),
                sequence=int(self.sequences[row]),
                covers=tuple(str(element) for element in covers[row]),
                bases=tuple(str(base) for base in self.bases.get(row, ()) if among[base]),
            )
            for row in rows
        ]
        worths = {name: int(self.worths[int(name)]) for item in items for name in item.covers}
        kept = keep(items, worths, target, always=[str(row) for row in rows if always[row]], seed=self._seed())
        found = np.zeros(len(self.table), dtype=np.bool_)
        found[[int(ident) for ident in kept.ids]] = True
        return found

    def covered(self, rows: Mask) -> Mask:
        """Return which elements one of ``rows`` covers."""
        found = np.zeros(len(self.worths), dtype=np.bool_)
        found[self.elements[rows[self.rows]]] = True
        return found

    def _seed(self) -> int:
        return self.view.settings.policy.enumeration if self._free <= _MOST_ENUMERATED else 0

    @property
    def _free(self) -> int:
        return int((~self.always).sum())

    def notes(self, going: Mask) -> tuple[str, ...]:
        """Return what of the set function goes, its bound, and what the settings asked for in vain."""
        loss = self.loss(going)
        found = (
            f"of {loss.before / _MICRO:.4g} of importance and coverage {loss.realised / _MICRO:.4g} goes; "
            f"its bound L*W_E is {loss.bound / _MICRO:.4g}"
        )
        if self.view.settings.policy.enumeration > self._seed():
            return (found, f"policy.enumeration left out: {self._free} memories may go, over {_MOST_ENUMERATED}")
        return (found,)

    def loss(self, going: Mask) -> Loss:
        """Return what of the set function is lost with the rows ``going``, in 1e-6, with its bound (MaRS eq. 4)."""
        everything = np.ones(len(self.table), dtype=np.bool_)
        before, after = self._worth(everything), self._worth(~going)
        alone = self.values.copy()
        np.add.at(alone, self.rows, self.worths[self.elements])
        bound = loss_bound(alone[going].tolist(), self.weights[going].tolist())
        return Loss(before, before - after, bound)

    def _worth(self, rows: Mask) -> int:
        return int(self.values[rows].sum()) + int(self.worths[self.covered(rows)].sum())


def _values(view: PolicyView, table: FeatureTable, superseded: Mask) -> Integers:
    """Return what each memory is worth whatever else is kept: its importance in 1e-6, nothing if superseded."""
    worth = np.rint(features.raw_importance(table, view.settings, view.now) * 1e6).astype(np.int64)
    # Nothing current is worth nothing: then superseded memories are the last that greedy looks at.
    return np.where(superseded, 0, np.maximum(1, worth))


def _worths(view: PolicyView) -> Integers:
    """Return what an element of each sort is worth, in 1e-6."""
    coverage = view.settings.policy.coverage
    by_sort = {"key": coverage.key, "entity": coverage.entity, "goal": coverage.goal, "subject": coverage.subject}
    return np.array([micro(by_sort[name]) for name in features.SORTS], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class _Going:
    """One memory that goes: its score, and how much of what it covers stays covered."""

    row: int
    score: int
    gain: int
    elements: int
    covered: int
    freed: bool


class _Departures:
    """What goes, in the order in which it goes, with the reason of each.

    ``going`` are its rows; ``mistaken`` those of them that the store says may not go.
    """

    def __init__(self, store: _Store, staying: Mask, target: int) -> None:
        self._store = store
        self._leaving = ~staying
        self._covered = store.covered(staying)
        self._elements: dict[int, list[int]] = {}
        mine = self._leaving[store.rows]
        for row, element in zip(store.rows[mine].tolist(), store.elements[mine].tolist(), strict=True):
            self._elements.setdefault(row, []).append(element)
        self._taken = self._in_order(target)
        self.going = np.zeros(len(store.table), dtype=np.bool_)
        self.going[[one.row for one in self._taken]] = True
        self._known = self._read()
        known = {one.row: self._known.get(store.table.ids[one.row]) for one in self._taken}
        self.mistaken = [row for row, found in known.items() if found is None or not _may_go(found)]

    def _in_order(self, target: int) -> list[_Going]:
        """Return what goes until ``target`` is reached: the last resort last, superseded first, then by score."""
        bases = self._store.bases
        leaving = np.flatnonzero(self._leaving).tolist()
        waiting = Counter(base for row in leaving for base in bases.get(row, ()))
        freed = frozenset(waiting)
        ready = [self._entry(row) for row in leaving if not waiting[row]]
        heapq.heapify(ready)
        found: list[_Going] = []
        weight = self._store.view.weight
        while ready and weight > target:
            row = heapq.heappop(ready)[-1]
            found.append(self._gone(row, freed=row in freed))
            weight -= int(self._store.table.columns["weight"][row])
            for base in bases.get(row, ()):
                waiting[base] -= 1
                if self._leaving[base] and not waiting[base]:
                    heapq.heappush(ready, self._entry(base))
        return found

    def _entry(self, row: int) -> tuple[bool, int, int, int, str, int]:
        store = self._store
        score, sequence = self._score(row), int(store.sequences[row])
        rank = int(store.table.columns["rank"][row])
        return (bool(store.held[row]), rank, score, sequence, store.table.ids[row], row)

    def _gain(self, row: int) -> int:
        store = self._store
        fresh = sum(int(store.worths[one]) for one in self._elements.get(row, ()) if not self._covered[one])
        return int(store.values[row]) + fresh

    def _score(self, row: int) -> int:
        return self._gain(row) * _PER_TOKENS // int(self._store.weights[row])

    def _gone(self, row: int, *, freed: bool) -> _Going:
        elements = [one for one in self._elements.get(row, ()) if self._store.worths[one]]
        covered = sum(bool(self._covered[one]) for one in elements)
        return _Going(row, self._score(row), self._gain(row), len(elements), covered, freed)

    def _read(self) -> dict[str, Mapping[str, Any]]:
        """Return what the store says of what goes."""
        ids = [self._store.table.ids[one.row] for one in self._taken]
        pages = (members(self._store.view, ids[start : start + _PAGE]) for start in range(0, len(ids), _PAGE))
        return {row["id"]: row for page in pages for row in page}

    def choices(self) -> list[Choice]:
        """Return what goes as a plan takes it."""
        store = self._store
        return [self._choice(one, from_row(self._known[store.table.ids[one.row]])) for one in self._taken]

    def _choice(self, one: _Going, candidate: Candidate) -> Choice:
        gain = one.gain / 1e6
        numbers = {"gain": gain, "elements": float(one.elements), "covered": float(one.covered)}
        if self._store.held[one.row]:
            reason = f"{REASON_STRANDED}; {REASON_FREED}" if one.freed else REASON_STRANDED
            return Choice(candidate, "stranded", one.score, reason, stranded=True, features=numbers)
        shown = words(facts(self._store.view, candidate))
        reason = f"adds {gain:.4g} to what stays, over {shown['weight']} tokens"
        if one.elements:
            reason += f"; of {one.elements} keys, names, tasks and people it covers, {one.covered} stay covered"
        rank = str(self._store.table.columns["rank"][one.row])
        rule, reason = ruled(_NAME, reason, shown, rank=rank, freed=one.freed)
        return Choice(candidate, rule, one.score, reason, features=numbers)


def _may_go(row: Mapping[str, Any]) -> bool:
    return (row["guards"] or 0) < 1 and row["tier"] == Tier.LIVE.value


GREEDY = GreedyPolicy()
