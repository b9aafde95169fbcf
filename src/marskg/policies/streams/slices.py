"""Forgetting by slices: which kind of memory pays, where each kind has a share of the budget.

Guarantees: nothing is taken from a kind within its share while what another one has over its share may still go; a kind
that was over pays down to its own part of the low-water mark, and no other kind pays for it. Only where the live tier
would otherwise stay above the hard budget (I1 comes first) are taken, in this order: what is younger than its kind's
minimum lifetime, of kinds over their shares and down to these; memories of kinds within their shares, then what lies
within reserves, then the young of these; the reason of each, and the plan's notes, say so. A kind at or below its
reserve counts as reserve, so a pass may end below it by less than one memory. Within a kind the policy's own order
decides. k evictions read O(k) rows, however large the store is and however many memories are too young.

Source: MaRS section 3.2.7; lines 708, 728 and 768 (minimum lifetimes, reserves) of sections 6.8 to 7.1.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from marskg.ontology.vocabulary import KINDS
from marskg.policies.core.plans import REASON_STRANDED, Choice, archives, build_plan, explained, parameters_of
from marskg.policies.core.policy import sealed
from marskg.policies.core.shares import Partition, apportion, begin, fitted, tokens, updated
from marskg.policies.streams.indexed import MAX_MARKS, KeyStream, marks_of
from marskg.policies.streams.leaves import Leaves
from marskg.store.rows.order_keys import FIFO_KEY, RANKS, Access, density, micro, place_key, slice_prefix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from marskg.ontology.vocabulary import Kind
    from marskg.policies.core.candidates import Candidate
    from marskg.policies.core.policy import PolicyView
    from marskg.policies.core.shares import Slices
    from marskg.policies.streams.leaves import Place, Stream
    from marskg.policies.streams.order import Order
    from marskg.records import Plan
    from marskg.store.upkeep.maintenance import KindShare

#: The name of what a tenant's row keeps of its partition.
CONTROL: Final = "partitions"
#: How many memories that are too young are passed over in the policy's order before the oldest are looked at instead.
_PATIENCE: Final = 64
#: How many of the next memories of a kind to go are priced.
_MARGIN: Final = 8
_AHEAD: Final = 32
_MILLION: Final = 1_000_000

OVER, WITHIN, RESERVE, YOUNG = "over", "within", "reserve", "young"
WHY: Final = {
    OVER: "{kind} memories weigh {weight} tokens, their share is {share}",
    WITHIN: "{kind} memories are within their share, but nothing else outside the reserves may go",
    RESERVE: "out of the reserve of {kind} memories, as the budget cannot hold it",
    YOUNG: "younger than {kind} memories should get, as the budget cannot hold it",
}
NOTES: Final = {
    WITHIN: "{count} memories of kinds within their shares: what is over a share is protected",
    RESERVE: "{count} memories out of reserves: the budget could not be held otherwise",
    YOUNG: "{count} memories younger than the minimum lifetime of their kind: the budget could not be held otherwise",
}


def partition_of(view: PolicyView, budget: int) -> Partition:
    """Return the shares that are in force, for ``budget`` tokens."""
    settings = view.settings.partitions
    reserves = by_place(settings.reserves)
    stored = view.controls.get(CONTROL) if settings.mode == "dual" else None
    if stored is None:
        return begin(budget, by_place(settings.shares), reserves)
    return fitted(Partition.from_json(stored), budget, tokens(budget, reserves))


def shares_of(view: PolicyView) -> dict[str, KindShare]:
    """Return for each kind its share, its reserve and its weight in tokens, and the price of its next token in 1e-6.

    Empty where kinds have no shares; the price is 0 where none was seen yet.
    """
    if not view.settings.partitions.on:
        return {}
    budget = view.settings.budget
    found = partition_of(view, budget)
    reserves = tokens(budget, by_place(view.settings.partitions.reserves))
    return {
        kind.value: {
            "share": found.shares[place],
            "reserve": reserves[place],
            "weight": view.census.weights[place],
            "price": max(0, found.prices[place]),
        }
        for place, kind in enumerate(KINDS)
    }


def by_place(parts: Mapping[Kind, float]) -> list[float]:
    """Return parts of the budget in the order of the slices."""
    return [parts[kind] for kind in KINDS]


def plan_by_slices(view: PolicyView, order: Order, *, target: int, exclude: frozenset[str], seed: int) -> Plan:
    """Return the plan of ``order`` down to ``target``, each kind paying for itself."""
    work = _Work(view, order, target=target, exclude=exclude, seed=seed)
    choices = work.choose()
    plan = build_plan(view, order.name, (*parameters_of(view), *work.described()), target, choices, seed)
    if not choices:
        return plan
    taken = {choice.candidate.id for choice in choices}
    streams = [lane.stream for lane in work.lanes.values()]
    told = replace(
        plan,
        marks=marks_of(streams, min(len(choices), MAX_MARKS), exclude)[:MAX_MARKS],
        index_gaps=tuple(gap for stream in streams for gap in stream.index_gaps(taken)),
        notes=work.notes(),
        controls=work.controls(),
    )
    return sealed(told)


class Lane:
    """The candidates of one kind: in the policy's order, those that are too young apart."""

    def __init__(self, view: PolicyView, order: Order, kind: Kind, seed: int) -> None:
        """Begin with nothing read."""
        self._view = view
        self._prefix = slice_prefix(view.tenant, kind)
        self.stream: Stream = order.open(view, seed, self._prefix)
        self._born_by = view.now - view.settings.partitions.lifetimes[kind]
        self._ages = view.settings.partitions.lifetimes[kind] > 0
        self._freed: list[tuple[Place, Candidate]] = []
        self._young: list[tuple[Place, Candidate]] = []
        self._patience = _PATIENCE
        self._oldest: deque[KeyStream] | None = None

    def queue(self, freed: Candidate) -> None:
        """Take in a memory that has become a leaf."""
        place = self.stream.place(freed)
        if place is not None:
            heapq.heappush(self._freed if self._is_old(freed) else self._young, (place, freed))

    def _is_old(self, candidate: Candidate) -> bool:
        return not self._ages or candidate.created <= self._born_by

    def next(self, *, young: bool) -> tuple[Place, Candidate] | None:
        """Return the next candidate with its place: of those that are old enough, or with ``young`` of the others."""
        return self._next_young() if young else self._next_old()

    def _next_old(self) -> tuple[Place, Candidate] | None:
        while self._oldest is None:
            place = self.stream.peek()
            if self._freed and (place is None or self._freed[0][0] < place):
                return heapq.heappop(self._freed)
            if place is None:
                return None
            candidate = self.stream.pop()
            if self._is_old(candidate):
                return place, candidate
            heapq.heappush(self._young, (place, candidate))
            self._patience -= 1
            if not self._patience:
                self._oldest = deque(self._by_age(rank) for rank in RANKS)
        if self._freed:
            return heapq.heappop(self._freed)
        while self._oldest:
            if self._oldest[0].peek() is not None:
                found = self._oldest[0].pop()
                return self.stream.place(found), found
            self._oldest.popleft()
        return None

    def _by_age(self, rank: str) -> KeyStream:
        """Return the candidates of a rank that are old enough, the oldest first, and no other."""
        bounds = (f"{self._prefix}|{rank}", place_key(self._prefix, rank, self._born_by + 1, 0))
        return KeyStream(self._view, "fifo", FIFO_KEY, lambda _one, last: last, bounds)

    def _next_young(self) -> tuple[Place, Candidate] | None:
        heap = min((one for one in (self._freed, self._young) if one), default=None)
        place = self.stream.peek()
        if heap is not None and (place is None or heap[0][0] < place):
            return heapq.heappop(heap)
        return None if place is None else (place, self.stream.pop())

    def upcoming(self) -> list[Candidate]:
        """Return what is read already and comes soon."""
        return self.stream.upcoming(_AHEAD)

    def worth(self) -> int | None:
        """Return what the next memories to go are worth per token, in 1e-6; None if there is none."""
        self.stream.peek()
        near = [candidate for _, candidate in heapq.nsmallest(_MARGIN, [*self._young, *self._freed])]
        near = (near + self.stream.upcoming(_MARGIN))[:_MARGIN]
        if not near:
            return None
        scoring, now = self._view.settings.scoring, self._view.now
        values = [
            density(scoring, one.kind, one.weight, Access(one.last, one.times), now) * max(one.weight, 1)
            for one in near
        ]
        return sum(micro(value) for value in values) // max(1, sum(one.weight for one in near))


class _SlicedLeaves(Leaves):
    """Leaves of several lanes, taken from the one whose turn it is."""

    def __init__(self, view: PolicyView, lanes: dict[Kind, Lane], *, exclude: frozenset[str], archive: bool) -> None:
        self._lanes = lanes
        self._turn = lanes[KINDS[0]]
        self._wants_young = False
        super().__init__(view, self._turn.stream, exclude=exclude, archive=archive)

    def take_from(self, kind: Kind, *, young: bool) -> tuple[Place, Candidate] | None:
        """Return the next leaf of ``kind`` with its place, and count it as gone."""
        self._turn, self._wants_young = self._lanes[kind], young
        return self.take()

    def _next(self) -> tuple[Place, Candidate] | None:
        return self._turn.next(young=self._wants_young)

    def _upcoming(self) -> list[Candidate]:
        return self._turn.upcoming()

    def _queue(self, freed: Candidate) -> None:
        self._lanes[freed.kind].queue(freed)


@dataclass(frozen=True, slots=True)
class _Stage:
    """One pass: whose memories may go, down to what weight, and whether they may be too young."""

    name: str
    goal: int
    may: Callable[[int], bool]
    young: bool = False


class _Work:
    """One plan in the making."""

    def __init__(self, view: PolicyView, order: Order, *, target: int, exclude: frozenset[str], seed: int) -> None:
        self._view = view
        self._order = order
        self._exclude = exclude
        self._target = target
        #: What must be reached; between it and the target a kind pays for its own headroom alone.
        self._ceiling = target if view.ceiling is None else max(target, view.ceiling)
        self.lanes = {kind: Lane(view, order, kind, seed) for kind in KINDS}
        self._leaves = _SlicedLeaves(view, self.lanes, exclude=exclude, archive=archives(view))
        self._partition = partition_of(view, self._ceiling)
        self._shares = self._partition.shares
        self._low = apportion(self._target, self._shares, (0,) * len(KINDS))
        self._reserves = tokens(self._ceiling, by_place(view.settings.partitions.reserves))
        self._before: Slices = view.census.weights
        self._weights = list(self._before)
        self._weight = view.weight
        self._counts: Counter[str] = Counter()
        #: The kinds of which nothing is left to take, of what is old enough and of the rest.
        self._spent: dict[bool, set[int]] = {False: set(), True: set()}
        self._choices: list[Choice] = []

    def choose(self) -> list[Choice]:
        """Return what goes, in order."""
        paying: set[int] = set()

        def pays(place: int) -> bool:
            if self._weights[place] > self._shares[place]:
                paying.add(place)
            return place in paying and self._weights[place] > self._low[place]

        stages = (
            _Stage(OVER, self._target, pays),
            # A burst of what must not go so soon is paid for by itself, and not by who keeps to a share.
            _Stage(YOUNG, self._ceiling, lambda place: self._weights[place] > self._shares[place], young=True),
            _Stage(WITHIN, self._ceiling, lambda place: self._weights[place] > self._reserves[place]),
            _Stage(RESERVE, self._ceiling, lambda _place: True),
            _Stage(YOUNG, self._ceiling, lambda _place: True, young=True),
        )
        # From the first stage again after each, as a base of a kind above its share may have become a leaf.
        while any(self._take_one(stage) for stage in stages):
            pass
        self._archive_stranded()
        return self._choices

    def _take_one(self, stage: _Stage) -> bool:
        """Take one memory from whoever may pay and is furthest above its share; return whether there was one."""
        spent = self._spent[stage.young]
        while self._weight > stage.goal:
            able = [place for place in range(len(KINDS)) if place not in spent and stage.may(place)]
            if not able:
                return False
            place = max(able, key=lambda one: (self._excess(one), -one))
            taken = self._leaves.take_from(KINDS[place], young=stage.young)
            if taken is not None:
                if taken[1].bases:
                    for one in self._spent.values():
                        one.clear()
                self._take(stage.name, place, *taken)
                return True
            spent.add(place)
        return False

    def _excess(self, place: int) -> int:
        """Return a kind's weight as a multiple of its share, in 1e-6."""
        return self._weights[place] * _MILLION // max(1, self._shares[place])

    def _take(self, name: str, place: int, at: Place, candidate: Candidate) -> None:
        order, weight, share = self._order, self._weights[place], self._shares[place]
        choice = explained(self._view, order.name, order.reason, candidate, order.score(candidate, at))
        why = WHY[name].format(kind=KINDS[place].value, weight=weight, share=share)
        features = {**choice.features, "slice_weight": float(weight), "slice_share": float(share)}
        self._choices.append(replace(choice, reason=f"{why}; {choice.reason}", features=features))
        self._counts[name] += 1
        self._weights[place] -= candidate.weight
        self._weight -= candidate.weight

    def _archive_stranded(self) -> None:
        for candidate in self._leaves.stranded(self._weight - self._ceiling):
            score = self._order.score(candidate, self.lanes[candidate.kind].stream.place(candidate))
            self._choices.append(Choice(candidate, "stranded", score, REASON_STRANDED, stranded=True))
            self._weight -= candidate.weight

    def described(self) -> Iterable[str]:
        """Return the shares in force and what the kinds weigh, as the audit records them."""
        for place, kind in enumerate(KINDS):
            yield f"slice.{kind.value}={self._before[place]}/{self._shares[place]}"

    def notes(self) -> tuple[str, ...]:
        """Return what else the caller should know."""
        found = [NOTES[name].format(count=self._counts[name]) for name in NOTES if self._counts[name]]
        if self._target < self._weight <= self._ceiling:
            found.append(f"stopped at {self._weight} tokens, within the budget: no kind pays for another's headroom")
        return tuple(found)

    def controls(self) -> tuple[tuple[str, str], ...]:
        """Return the shares for the next trigger, where these move and anything was learned."""
        worth = [self.lanes[kind].worth() for kind in KINDS]
        return moved_shares(self._view, self._partition, self._ceiling, worth)


def moved_shares(
    view: PolicyView, partition: Partition, ceiling: int, worth: Sequence[int | None]
) -> tuple[tuple[str, str], ...]:
    """Return the shares for the trigger after this one as a plan's controls; nothing where they stay as they are.

    ``worth`` is what the next memories of each kind to go are worth per token in 1e-6. Only what happens under the
    tenant's own budget teaches.
    """
    settings, budget = view.settings.partitions, view.settings.budget
    if settings.mode != "dual" or ceiling != budget:
        return ()
    moved = updated(
        partition,
        weights=view.census.weights,
        worth=list(worth),
        reserves=tokens(budget, by_place(settings.reserves)),
        step=int(settings.step * budget),
        window=settings.window,
    )
    text = moved.to_json()
    return () if text == view.controls.get(CONTROL) else ((CONTROL, text),)
