"""Which budget would have been enough: the recent past, replayed under a policy's order (MaRS section 6.9.2).

The replay stores every memory when it was stored, shows it when it was shown, and evicts by the order whenever the
budget is exceeded, down to the low-water mark. A showing is kept if the memory would still have been there; what went
stays away. Superseded memories go first, what is protected stays, and what something present depends on goes after it.

Guarantees: equal inputs give equal advice; the advised budget keeps the wanted share, and so does every larger one
that was replayed (the share may fall as a budget grows: docs/explanation/guarantees.md). The full weight keeps every
showing. What was forgotten before today cannot be replayed, as its weight is not known any more: its showings are
counted apart. Memories are weighed and protected as they are today. No store is touched.
"""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from marskg.answer import Answer
from marskg.errors import InvalidInput
from marskg.ontology.vocabulary import EdgeType, Operation
from marskg.privacy.disclosures.audit_fields import parameter, values
from marskg.store.rows.order_keys import Access, density, micro
from marskg.store.upkeep.access_log import REPORT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from marskg.config import PartitionSettings, Scoring
    from marskg.ontology.vocabulary import Kind
    from marskg.records import AuditRecord, Edge, Memory

#: How many budgets are replayed before the place between two of them is looked at more closely, and how closely.
_STEPS = 20
_REFINEMENTS = 5
_THOUSAND = 1_000


@dataclass(frozen=True, slots=True)
class Remembered:
    """One memory that is there today; times are epoch milliseconds, ``bases`` what it depends on."""

    id: str
    kind: Kind
    weight: int
    created: int
    sequence: int
    superseded_at: int | None = None
    protected: bool = False
    bases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """Memories that were shown together."""

    at: int
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Replay:
    """One budget: how many showings it would have kept of how many, and how often and how much it would have evicted.

    ``feasible`` is False where what may not go would have been heavier than the budget.
    """

    budget: int
    kept: int
    showings: int
    triggers: int
    evicted: int
    feasible: bool

    @property
    def rate(self) -> float:
        """Return the share of the showings that it would have kept; 1 where there is none."""
        return self.kept / self.showings if self.showings else 1.0


@dataclass(frozen=True, slots=True)
class Advice(Answer, rows="replays"):
    """The smallest budget that would have done, with all that were replayed, smallest first.

    ``budget`` is None where nothing was shown, so that there is nothing to go by. ``unknown`` counts showings of what
    has been forgotten since, or was stored under that id only later; ``notes`` say what the replay leaves out.
    """

    policy: str
    rate: float
    budget: int | None
    since: int
    showings: int
    unknown: int
    replays: tuple[Replay, ...]
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Present:
    """A memory that is there in the replay, with its accesses so far."""

    memory: Remembered
    last: int
    times: int = 0


#: What goes first has the lowest; ties go by sequence.
_Order: TypeAlias = "Callable[[Scoring, _Present, int], int]"


def _by_creation(_scoring: Scoring, one: _Present, _now: int) -> int:
    return one.memory.created


def _by_access(_scoring: Scoring, one: _Present, _now: int) -> int:
    return one.last


def _by_density(scoring: Scoring, one: _Present, now: int) -> int:
    return micro(density(scoring, one.memory.kind, one.memory.weight, Access(one.last, one.times), now) * _THOUSAND)


#: The policies whose order can be replayed.
ORDERS: Mapping[str, _Order] = MappingProxyType(
    {"fifo": _by_creation, "lru": _by_access, "priority-decay": _by_density}
)


def advise(
    memories: Sequence[Remembered],
    shown: Iterable[Shown],
    *,
    policy: str,
    rate: float,
    since: int,
    scoring: Scoring,
    low_water: float,
) -> Advice:
    """Return the smallest replayed budget that keeps ``rate`` of the showings from ``since`` on.

    Args:
        memories: all that have content today.
        shown: what was shown, also before ``since``.
        policy: whose order: one of :data:`ORDERS`.
        rate: the wanted share, above 0 and at most 1.
        since: epoch milliseconds; earlier showings count as accesses only.
        scoring: the weights of importance.
        low_water: share of the budget that a trigger evicts down to.

    Raises:
        InvalidInput: the policy is no order that can be replayed, or the rate is out of range.
    """
    if policy not in ORDERS:
        message = f"policy {policy[:80]!r} cannot be replayed offline: use {', '.join(ORDERS)}"
        raise InvalidInput(message)
    if not 0 < rate <= 1:
        message = f"rate is {rate}: it must be above 0 and at most 1, such as 0.9"
        raise InvalidInput(message)
    past = _Past(memories, shown, since=since, order=ORDERS[policy], scoring=scoring, low_water=low_water)
    found = {budget: past.replay(budget) for budget in _grid(memories)}
    for _ in range(_REFINEMENTS):
        enough = _smallest(found, rate)
        below = max((budget for budget in found if budget < enough), default=enough)
        middle = (below + enough) // 2
        if middle in found:
            break
        found[middle] = past.replay(middle)
    replays = tuple(found[budget] for budget in sorted(found))
    showings = replays[-1].showings
    budget = _smallest(found, rate) if showings else None
    return Advice(policy, rate, budget, since, showings, past.unknown, replays)


def left_out(partitions: PartitionSettings) -> tuple[str, ...]:
    """Return what the replay does not follow of a tenant's shares and budgets, so that the advice may be too low."""
    notes = []
    if partitions.on:
        notes.append(
            f"shares of kinds (partitions.mode: {partitions.mode}) are not replayed: a kind that fills its share would "
            "have lost more than this says, and other kinds less"
        )
    notes += [
        f"the budget of each {sort} ({budget} tokens) is not replayed: no budget of the tenant keeps more of it"
        for sort, budget in sorted(partitions.quotas.items())
    ]
    return tuple(notes)


def showings(accesses: Iterable[AuditRecord]) -> Iterator[Shown]:
    """Yield what the access log says was shown to agents: neither feedback nor what a report on a person held."""
    for one in accesses:
        if one.memories and one.operation is Operation.ACCESS and parameter(values(one, 0), "call") != REPORT:
            yield Shown(one.recorded_at, one.memories)


def remembered(stored: Iterable[tuple[Memory, tuple[Edge, ...], object]]) -> list[Remembered]:
    """Return what has content of the memories that a reader gives with their outgoing edges.

    Protected are pins and active tasks, with what they depend on or require.
    """
    found = [(memory, edges) for memory, edges, _ in stored if memory.content is not None]
    needs = {
        memory.id: {
            edge.target
            for edge in edges
            if edge.type is EdgeType.DEPENDS_ON or (edge.type is EdgeType.REQUIRES and memory.active)
        }
        for memory, edges in found
    }
    queue = [memory.id for memory, _ in found if memory.pinned or memory.active]
    protected: set[str] = set()
    while queue:
        ident = queue.pop()
        if ident not in protected:
            protected.add(ident)
            queue += needs.get(ident, ())
    return [
        Remembered(
            id=memory.id,
            kind=memory.kind,
            weight=memory.weight,
            created=memory.created,
            sequence=memory.sequence,
            superseded_at=memory.superseded_at,
            protected=memory.id in protected,
            bases=tuple(sorted(edge.target for edge in edges if edge.type is EdgeType.DEPENDS_ON)),
        )
        for memory, edges in found
    ]


def _grid(memories: Sequence[Remembered]) -> list[int]:
    total = max(1, sum(memory.weight for memory in memories))
    return sorted({max(1, total * step // _STEPS) for step in range(1, _STEPS + 1)})


def _smallest(found: Mapping[int, Replay], rate: float) -> int:
    """Return the smallest budget from which on every one that was replayed is enough."""
    enough = max(found)
    for budget in sorted(found, reverse=True):
        if not found[budget].feasible or found[budget].rate < rate:
            return enough
        enough = budget
    return enough


class _Past:
    """What happened, in order: memories that were stored and shown."""

    def __init__(
        self,
        memories: Sequence[Remembered],
        shown: Iterable[Shown],
        *,
        since: int,
        order: _Order,
        scoring: Scoring,
        low_water: float,
    ) -> None:
        self._since = since
        self._order = order
        self._scoring = scoring
        self._low_water = low_water
        created = {memory.id: memory.created for memory in memories}
        #: At one moment what is stored comes before what is shown.
        self._events: list[tuple[int, int, int, Remembered | Shown]] = [
            (memory.created, 0, memory.sequence, memory) for memory in memories
        ]
        self.unknown = 0
        for number, showing in enumerate(shown):
            here = Shown(
                showing.at, tuple(ident for ident in showing.ids if created.get(ident, showing.at + 1) <= showing.at)
            )
            self.unknown += len(showing.ids) - len(here.ids) if showing.at >= since else 0
            self._events.append((showing.at, 1, number, here))
        self._events.sort(key=lambda event: event[:3])

    def replay(self, budget: int) -> Replay:
        """Return what would have become of the showings at ``budget``."""
        run = _Run(self._order, self._scoring, budget, int(self._low_water * budget))
        kept = showings = 0
        for at, _, _, event in self._events:
            if isinstance(event, Remembered):
                run.store(event, at)
            else:
                there = run.show(event)
                kept += there if at >= self._since else 0
                showings += len(event.ids) if at >= self._since else 0
        return Replay(budget, kept, showings, run.triggers, run.evicted, run.feasible)


class _Run:
    """A store that holds no more than its budget."""

    def __init__(self, order: _Order, scoring: Scoring, budget: int, low_water: int) -> None:
        self._order, self._scoring, self._budget, self._low_water = order, scoring, budget, low_water
        self._present: dict[str, _Present] = {}
        self._weight = 0
        self.triggers = self.evicted = 0
        self.feasible = True

    def show(self, showing: Shown) -> int:
        """Show what is there; return how many are."""
        there = [self._present[ident] for ident in showing.ids if ident in self._present]
        for one in there:
            one.last, one.times = showing.at, one.times + 1
        return len(there)

    def store(self, memory: Remembered, now: int) -> None:
        """Store a memory, and evict what the budget then asks for."""
        self._present[memory.id] = _Present(memory, now)
        self._weight += memory.weight
        if self._weight > self._budget:
            self.triggers += 1
            self._evict(memory.id, now)
            self.feasible = self.feasible and self._weight <= self._budget

    def _evict(self, written: str, now: int) -> None:
        needed = Counter(base for one in self._present.values() for base in one.memory.bases)
        # What is being written stays, and so does all that is protected: protection reaches down to the bases.
        held = {written, *(ident for ident, one in self._present.items() if one.memory.protected)}
        ready = [
            self._place(one, now) for ident, one in self._present.items() if ident not in held and not needed[ident]
        ]
        heapq.heapify(ready)
        while ready and self._weight > self._low_water:
            gone = self._present.pop(heapq.heappop(ready)[-1])
            self._weight -= gone.memory.weight
            self.evicted += 1
            for base in gone.memory.bases:
                needed[base] -= 1
                if not needed[base] and base in self._present and base not in held:
                    heapq.heappush(ready, self._place(self._present[base], now))

    def _place(self, one: _Present, now: int) -> tuple[bool, int, int, str]:
        superseded = one.memory.superseded_at is not None and one.memory.superseded_at <= now
        return (not superseded, self._order(self._scoring, one, now), one.memory.sequence, one.memory.id)
