"""Which memories say most together within a token budget: a monotone submodular set function and its greedy.

For a set S of candidates, with r(j) in (0, 1] the rank score of j divided by the best one's,

    F(S) = a * sum of r(j) over S                                    relevance, modular
         + b * sum over all i of r(i)/R * max of sim(i, j) over S     facility location, R = sum of all r(i)
         + sum of v(u) over all u that S covers                       weighted coverage

where u runs over the keys, entities and goals that members carry and the query terms that they hold, and a, b and v
are the non-negative :class:`Weights`. F(empty) is 0. Each of the three terms is monotone and submodular, so F is
(Nemhauser, Wolsey and Fisher 1978; Lin and Bilmes 2011 for the mixture).

Guarantees: F and its marginal gains are exact integers of 1e-6, so both laws hold without a tolerance and equal inputs
give equal choices on every machine. What is chosen is closed: a memory comes with all its ``bases``; it never costs
more than the budget. The value is at least that of the best single bundle that fits. It is not always half of the
optimum, which Theorem A2 of MaRS promises: docs/explanation/assembly.md says when and how often.
Sources: MaRS section 3.1, appendix E; semantics section 12; Minoux 1978 (lazy evaluation); Tang et al. 2021 (0.405
without dependencies); Taylor 2016 (set-union knapsack, with them).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from marskg.errors import InvalidConfig, InvalidInput
from marskg.retrieval.similarity import UNIT_BITS, similarities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from marskg.retrieval.candidate import Candidate
    from marskg.retrieval.similarity import Similarities

MICRO = 1_000_000
#: Density in 1e-6 of F's unit per token, gain in F's unit, cost in tokens.
_Offer: TypeAlias = "tuple[int, int, int]"
#: Minus the density, score and sequence for ties, position, size of the set it was computed for, cost.
_Entry: TypeAlias = "tuple[int, int, int, int, int, int]"
_MAX_WEIGHT = 100.0
#: How many shared bases are tried as a beginning.
_STARTS = 4


@dataclass(frozen=True, slots=True)
class Weights:
    """What each term of F is worth, in units of one fully relevant memory; from 0 to 100.

    ``facility`` and ``terms`` are the whole worth of standing for all candidates and of holding all query terms;
    ``key``, ``entity`` and ``goal`` are the worth of each one that is covered.
    """

    relevance: float = 1.0
    facility: float = 4.0
    terms: float = 2.0
    key: float = 0.25
    entity: float = 0.25
    goal: float = 0.5

    def __post_init__(self) -> None:
        """Refuse what would make F decrease.

        Raises:
            InvalidConfig: a weight is not a number from 0 to 100.
        """
        for name in ("relevance", "facility", "terms", "key", "entity", "goal"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MAX_WEIGHT:
                message = f"assembly weight {name} is {value!r}: it must be a number from 0 to {_MAX_WEIGHT:g}"
                raise InvalidConfig(message)


@dataclass(frozen=True, slots=True)
class Selection:
    """What a greedy run chose: positions in the order of choice, with each one's cost and marginal gain in 1e-6.

    ``open`` are the positions that cannot be shown at any budget, because a base of theirs is not at hand.
    """

    chosen: tuple[int, ...]
    gains: tuple[int, ...]
    value: int
    cost: int
    open: frozenset[int] = frozenset()


class SetFunction:
    """F over a fixed list of candidates; members of a set are positions in that list."""

    def __init__(
        self,
        candidates: Sequence[Candidate],
        query_terms: frozenset[str] = frozenset(),
        weights: Weights | None = None,
        table: Similarities | None = None,
    ) -> None:
        """Prepare F; ``table`` are the candidates' similarities where they are known already.

        Raises:
            InvalidInput: the candidates' vectors cannot be compared.
        """
        weights = weights or Weights()
        relevance = _relevance(candidates)
        self.relevance = [_micro(weights.relevance) * part // MICRO for part in relevance]
        self.facility = _facility(
            similarities(candidates) if table is None else table, relevance, _micro(weights.facility)
        )
        #: What each candidate alone adds to the facility term.
        self.reach: npt.NDArray[np.int64] = self.facility.sum(axis=0, dtype=np.int64)
        self.worth: list[int] = []
        self._known: dict[tuple[str, str], int] = {}
        self.features = [self._number(names) for names in _features(candidates, query_terms, weights)]

    def __len__(self) -> int:
        """Return the number of candidates."""
        return len(self.relevance)

    def value(self, members: Iterable[int]) -> int:
        """Return F of the set of ``members``, an integer of 1e-6."""
        cover = Cover(self)
        return sum(cover.add(member) for member in sorted(set(members)))

    def _number(self, features: dict[tuple[str, str], int]) -> tuple[int, ...]:
        known = self._known
        numbers = []
        for name, worth in features.items():
            number = known.setdefault(name, len(known))
            if number == len(self.worth):
                self.worth.append(worth)
            numbers.append(number)
        return tuple(numbers)


class Cover:
    """A growing set with what it covers.

    Keeps what each candidate alone would still add to the facility term, so that the gain of one is a look-up; a new
    member changes that only through the rows for which it is the nearest so far.
    """

    def __init__(self, function: SetFunction) -> None:
        """Start with the empty set."""
        self._function = function
        self._best: npt.NDArray[np.int32] = np.zeros(len(function), dtype=np.int32)
        self._adds = function.reach.copy()
        self._covered: set[int] = set()
        self.members: set[int] = set()

    def gain(self, members: Sequence[int]) -> int:
        """Return how much F grows when ``members``, none of them in the set yet, join it together."""
        function, covered = self._function, self._covered
        if len(members) == 1:
            (member,) = members
            total = function.relevance[member] + int(self._adds[member])
            for number in function.features[member]:
                if number not in covered:
                    total += function.worth[number]
            return total
        if not members:
            return 0
        nearest = function.facility[:, list(members)].max(axis=1)
        fresh = {number for member in members for number in function.features[member]} - covered
        total = int(np.maximum(nearest - self._best, 0).sum(dtype=np.int64))
        return total + sum(function.relevance[member] for member in members) + sum(function.worth[n] for n in fresh)

    def add(self, member: int) -> int:
        """Let ``member``, not in the set yet, join it; return by how much F grew."""
        grown = self.gain((member,))
        function = self._function
        row = function.facility[:, member]
        nearer = np.flatnonzero(row > self._best)
        if len(nearer):
            given = function.facility[nearer]
            before = np.maximum(given, self._best[nearer, None]).sum(axis=0, dtype=np.int64)
            lost = np.maximum(given, row[nearer, None]).sum(axis=0, dtype=np.int64) - before
            closer = int((row[nearer] - self._best[nearer]).sum(dtype=np.int64))
            # max(g - best, 0) is max(g, best) - best, summed over the rows that came nearer.
            self._adds += lost - closer
            self._best[nearer] = row[nearer]
        self._covered.update(function.features[member])
        self.members.add(member)
        return grown


def greedy(
    candidates: Sequence[Candidate],
    budget: int,
    cost: Callable[[Candidate], int],
    *,
    function: SetFunction | None = None,
    given: frozenset[str] = frozenset(),
) -> Selection:
    """Return a closed choice of ``candidates`` that costs at most ``budget``.

    Takes the bundle, a candidate with its missing bases, of the largest marginal gain per token that still fits, until
    none does; if one bundle alone is worth more than all of that, starts again from that bundle; and tries starting
    from each of up to four bases that several bundles share, because every bundle alone is charged the whole base.
    ``cost`` gives each candidate's tokens; what costs nothing counts as one. ``given`` are ids that are shown anyway
    and cost nothing. Ties go to the higher score, then to the earlier sequence.

    Raises:
        InvalidInput: the budget is negative.
    """
    if budget < 0:
        message = f"the budget of a selection is {budget}: it must be at least 0 tokens"
        raise InvalidInput(message)
    run = _Greedy(candidates, [max(1, cost(one)) for one in candidates], function or SetFunction(candidates), given)
    best = run.choose(budget)
    single = run.best_bundle(budget)
    if single is not None and run.function.value(single) > best.value:
        best = run.choose(budget, single)
    for base in run.shared_bases(budget):
        other = run.choose(budget, base)
        best = other if other.value > best.value else best
    return best


class _Greedy:
    """What every run over one list of candidates shares: costs, bundles, and what each bundle is worth alone."""

    def __init__(
        self, candidates: Sequence[Candidate], costs: Sequence[int], function: SetFunction, given: frozenset[str]
    ) -> None:
        self.function = function
        self.costs = costs
        self.ties = [(-one.score, one.memory.sequence) for one in candidates]
        self.bundles = _bundles(candidates, given)
        #: The bundles of several members by each of their members.
        self.sharing: dict[int, set[int]] = {}
        for place, bundle in enumerate(self.bundles):
            if bundle is not None and len(bundle) > 1:
                for member in bundle:
                    self.sharing.setdefault(member, set()).add(place)
        nothing = Cover(function)
        self.alone = [self.offer(place, nothing) for place in range(len(candidates))]

    def offer(self, place: int, cover: Cover) -> _Offer:
        """Return what is missing of the bundle at ``place`` offers: its density, gain and cost."""
        bundle = self.bundles[place] or ()
        missing = bundle if len(bundle) == 1 else [member for member in bundle if member not in cover.members]
        if not missing:
            return (0, 0, 0)
        cost = self.costs[place] if len(missing) == 1 else sum(self.costs[member] for member in missing)
        gain = cover.gain(missing)
        return (gain * MICRO // cost, gain, cost)

    def best_bundle(self, budget: int) -> tuple[int, ...] | None:
        """Return the bundle of the largest F that costs at most ``budget``, None if none fits."""
        fitting = [
            (-gain, *self.ties[place], place)
            for place, (_, gain, cost) in enumerate(self.alone)
            if self.bundles[place] is not None and cost <= budget
        ]
        return self.bundles[min(fitting)[-1]] if fitting else None

    def shared_bases(self, budget: int) -> list[tuple[int, ...]]:
        """Return the bundles that fit and that at least two others contain, those of the greatest gains first."""
        found = []
        for place, sharing in self.sharing.items():
            others = sharing - {place}
            if len(others) > 1 and self.alone[place][2] <= budget:
                found.append((-sum(self.alone[other][1] for other in others), *self.ties[place], place))
        return [self.bundles[place] or () for *_, place in sorted(found)[:_STARTS]]

    def choose(self, budget: int, start: Sequence[int] = ()) -> Selection:
        """Return the greedy choice that begins with the bundle ``start``."""
        run = _Run(self, budget)
        run.take(start)
        while run.step():
            pass
        hopeless = frozenset(place for place, bundle in enumerate(self.bundles) if bundle is None)
        return Selection(tuple(run.chosen), tuple(run.gains), sum(run.gains), budget - run.left, hopeless)


class _Run:
    """One lazy greedy run.

    A gain that was computed for a smaller set bounds the gain for a larger one, so the bundle on top of the heap needs
    a second look only if the set has grown since (Minoux 1978). That holds while a bundle's members stay the same;
    when some of them join the set with another bundle, what is left of it is entered anew.
    """

    def __init__(self, shared: _Greedy, budget: int) -> None:
        self._shared = shared
        self._cover = Cover(shared.function)
        #: Size of the set for which each bundle's entry in the heap was computed; older entries are passed over.
        self._seen_at = [0] * len(shared.bundles)
        self._heap: list[_Entry] = [
            (-shared.alone[place][0], *shared.ties[place], place, 0, shared.alone[place][2])
            for place, bundle in enumerate(shared.bundles)
            if bundle is not None
        ]
        heapq.heapify(self._heap)
        self.left = budget
        self.chosen: list[int] = []
        self.gains: list[int] = []

    def step(self) -> bool:
        """Look at the top of the heap; return whether there was one."""
        if not self._heap:
            return False
        _, _, _, place, size, cost = heapq.heappop(self._heap)
        if size != self._seen_at[place] or place in self._cover.members or cost > self.left:
            # What does not fit now will not later, unless a part of it is taken: then it is entered anew.
            return True
        if size == len(self.chosen):
            self.take(self._shared.bundles[place] or ())
        else:
            self._enter(place)
        return True

    def take(self, bundle: Sequence[int]) -> None:
        """Let ``bundle`` join the set."""
        for member in bundle:
            if member not in self._cover.members:
                self.gains.append(self._cover.add(member))
                self.chosen.append(member)
                self.left -= self._shared.costs[member]
        changed = {place for member in bundle for place in self._shared.sharing.get(member, ())}
        for place in changed - self._cover.members:
            self._enter(place)

    def _enter(self, place: int) -> None:
        density, _, cost = self._shared.offer(place, self._cover)
        self._seen_at[place] = len(self.chosen)
        heapq.heappush(self._heap, (-density, *self._shared.ties[place], place, len(self.chosen), cost))


def _bundles(candidates: Sequence[Candidate], given: frozenset[str]) -> list[tuple[int, ...] | None]:
    """Return each candidate's closure under ``bases``, bases before dependents; None where a base is not at hand."""
    places = {one.id: place for place, one in enumerate(candidates)}
    if len(places) < len(candidates):
        message = "two candidates have the same id: pass each memory once"
        raise InvalidInput(message)
    return [
        (place,) if not one.bases else _closure(candidates, places, place, given)
        for place, one in enumerate(candidates)
    ]


def _closure(
    candidates: Sequence[Candidate], places: dict[str, int], place: int, given: frozenset[str]
) -> tuple[int, ...] | None:
    # Depth first without recursion: a chain of dependencies may be longer than Python's stack.
    done: dict[int, None] = {}
    entered = {place}
    path = [place]
    while path:
        top = path[-1]
        needed = [base for base in candidates[top].bases if base not in given]
        if any(base not in places for base in needed):
            return None
        ahead = [places[base] for base in needed if places[base] not in entered]
        if ahead:
            entered.add(ahead[0])
            path.append(ahead[0])
        else:
            done[path.pop()] = None
    return tuple(done)


def _micro(weight: float) -> int:
    return round(weight * MICRO)


def _relevance(candidates: Sequence[Candidate]) -> list[int]:
    """Return r of each candidate in 1e-6, at least 1, so that nothing is worth nothing."""
    top = max((one.score for one in candidates), default=0)
    return [max(1, one.score * MICRO // top) if top > 0 else 1 for one in candidates]


def _facility(table: Similarities, relevance: Sequence[int], weight: int) -> npt.NDArray[np.int32]:
    """Return ``[i, j]``: what j gives to i, an integer of 1e-6."""
    total = max(1, sum(relevance))
    shares = np.array([[weight * part // total] for part in relevance], dtype=np.int64).reshape(-1, 1)
    whole: npt.NDArray[np.int32] = ((table.astype(np.int64) * shares) >> UNIT_BITS).astype(np.int32)
    return whole


def _features(
    candidates: Sequence[Candidate], query_terms: frozenset[str], weights: Weights
) -> list[dict[tuple[str, str], int]]:
    """Return what each candidate covers with its worth in 1e-6."""
    term = _micro(weights.terms) // max(1, len(query_terms))
    key, entity, goal = _micro(weights.key), _micro(weights.entity), _micro(weights.goal)
    found = []
    for one in candidates:
        worths = {("term", name): term for name in one.terms & query_terms}
        if one.memory.key is not None:
            worths["key", one.memory.key] = key
        worths |= {("entity", name): entity for name in one.entities}
        worths |= {("goal", name): goal for name in one.goals}
        found.append(worths)
    return found
