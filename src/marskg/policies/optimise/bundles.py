"""Greedy over closed bundles: what to keep, or to show, of things that need one another, within a budget of tokens.

A bundle is one item with all that it depends on and that is not there yet. Theorem A2 of MaRS adds single items, which
fails: v (utility 100) depends on p (0), beside q (1) and r (1), all of weight 1, at a budget of 2: the densest feasible
items are q and r, 2 of 100. Over bundles, v comes with p and the choice is best.

Guarantees, for any monotone submodular set function of integers: what is chosen is closed under the dependencies and,
beyond what is kept in any case, never costs more than the budget; it is worth at least what the best single bundle is;
equal inputs give equal choices. Without dependencies, starting from every set of up to three items gives 1 - 1/e of
the optimum (Sviridenko 2004), and the plain run with the best single one 0.405 (Tang et al. 2021). With them no
constant holds for the plain run: it charges a base that several bundles share to each of them. Two such cases are in
docs/explanation/guarantees.md, with how often it falls below one half.
Sources: MaRS section 3.1, appendix E; semantics section 12; Minoux 1978 (lazy evaluation); Taylor 2016 (set-union
knapsack).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Protocol, TypeAlias

from marskg.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

#: Density in 1e-6 of the function's unit per token, gain in its unit, cost in tokens.
_Offer: TypeAlias = "tuple[int, int, int]"
#: What orders equal densities: the lowest first, and no two items have the same.
Tie: TypeAlias = "tuple[int, ...]"
#: Minus the density, the tie, position, size of the set it was computed for, cost.
_Entry: TypeAlias = "tuple[int, Tie, int, int, int]"
_MICRO = 1_000_000
#: How many shared bases are tried as a beginning.
_STARTS = 4
#: The largest sets that partial enumeration starts from: more would change no guarantee.
MAX_SEED = 3


class Growing(Protocol):
    """A set that grows, with what it is worth: the value of the set function at it is never computed as a whole."""

    members: set[int]

    def gain(self, members: Sequence[int]) -> int:
        """Return how much the function grows when ``members``, none of them in the set yet, join it together."""
        ...

    def add(self, member: int) -> int:
        """Let ``member``, not in the set yet, join it; return by how much the function grew."""
        ...


@dataclass(frozen=True, slots=True)
class Selection:
    """What a greedy run chose: positions in the order of choice, with each one's cost and marginal gain in 1e-6.

    ``open`` are the positions that cannot be chosen at any budget, because a base of theirs is not at hand.
    """

    chosen: tuple[int, ...]
    gains: tuple[int, ...]
    value: int
    cost: int
    open: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Knapsack:
    """What there is to choose from; positions in ``bundles``, ``costs`` and ``ties`` are the items.

    ``bundles`` as :func:`closures` gives them; ``costs`` are tokens from 1; ``ties`` order equal densities; ``begin``
    gives the empty set; ``kept`` are chosen in any case, whatever they cost, and are closed.
    """

    bundles: Sequence[tuple[int, ...] | None]
    costs: Sequence[int]
    ties: Sequence[Tie]
    begin: Callable[[], Growing]
    kept: tuple[int, ...] = ()


def closures(
    ids: Sequence[str], bases: Sequence[Sequence[str]], given: Collection[str] = frozenset()
) -> list[tuple[int, ...] | None]:
    """Return each item's closure under its ``bases`` as positions, bases before dependents.

    It is None where a base is neither among ``ids`` nor ``given``, which are there anyway.

    Raises:
        InvalidInput: an id comes twice, or an item depends on itself.
    """
    places = {ident: place for place, ident in enumerate(ids)}
    if len(places) < len(ids):
        message = "two items have the same id: pass each memory once"
        raise InvalidInput(message)
    return [(place,) if not bases[place] else _closure(bases, places, place, given) for place in range(len(ids))]


def _closure(
    bases: Sequence[Sequence[str]], places: Mapping[str, int], place: int, given: Collection[str]
) -> tuple[int, ...] | None:
    # Depth first without recursion: a chain of dependencies may be longer than Python's stack.
    done: dict[int, None] = {}
    entered = {place}
    path = [place]
    while path:
        top = path[-1]
        needed = [base for base in bases[top] if base not in given]
        if any(base not in places for base in needed):
            return None
        if any(places[base] in entered and places[base] not in done for base in needed):
            message = "items depend on each other in a circle: dependencies must be acyclic"
            raise InvalidInput(message)
        ahead = [places[base] for base in needed if places[base] not in entered]
        if ahead:
            entered.add(ahead[0])
            path.append(ahead[0])
        else:
            done[path.pop()] = None
    return tuple(done)


def choose(knapsack: Knapsack, budget: int, *, seed: int = 0) -> Selection:
    """Return a closed selection that costs at most ``budget``, or what is kept in any case where that costs more.

    Takes the bundle of the largest marginal gain per token that still fits, until none does; if one bundle alone is
    worth more than all of that, starts again from that bundle; and tries starting from each of up to four bases that
    several bundles share. ``seed`` above 0 also tries every set of up to so many bundles as a beginning, which takes
    as many runs as there are such sets.

    Raises:
        InvalidInput: the budget is negative, or ``seed`` is not from 0 to 3.
    """
    if budget < 0:
        message = f"the budget of a selection is {budget}: it must be at least 0 tokens"
        raise InvalidInput(message)
    if not 0 <= seed <= MAX_SEED:
        message = f"seed is {seed}: partial enumeration starts from sets of 0 to {MAX_SEED} bundles"
        raise InvalidInput(message)
    greedy = Greedy(knapsack)
    best = greedy.run(budget)
    single = greedy.best_bundle(budget)
    if single is not None and greedy.floor + greedy.alone[single][1] > best.value:
        best = greedy.run(budget, knapsack.bundles[single] or ())
    for start in (*greedy.shared_bases(budget), *greedy.seeds(budget, seed)):
        other = greedy.run(budget, start)
        best = other if other.value > best.value else best
    return best


class Greedy:
    """What every run over one knapsack shares: which bundles overlap, and what each of them is worth alone."""

    def __init__(self, knapsack: Knapsack) -> None:
        """Look at each bundle alone, beside what is kept in any case."""
        self.knapsack = knapsack
        #: The bundles of several members by each of their members.
        self.sharing: dict[int, set[int]] = {}
        for place, bundle in enumerate(knapsack.bundles):
            if bundle is not None and len(bundle) > 1:
                for member in bundle:
                    self.sharing.setdefault(member, set()).add(place)
        start = knapsack.begin()
        #: What is kept in any case is worth so much, and costs so much.
        self.floor = sum(start.add(member) for member in knapsack.kept)
        self.floor_cost = sum(knapsack.costs[member] for member in knapsack.kept)
        self.alone = [self.offer(place, start) for place in range(len(knapsack.bundles))]

    def offer(self, place: int, cover: Growing) -> _Offer:
        """Return what is missing of the bundle at ``place`` offers: its density, gain and cost."""
        bundle = self.knapsack.bundles[place] or ()
        missing: Sequence[int] = bundle
        if not cover.members.isdisjoint(bundle):
            missing = [member for member in bundle if member not in cover.members]
        if not missing:
            return (0, 0, 0)
        cost = (
            self.knapsack.costs[place] if len(missing) == 1 else sum(self.knapsack.costs[member] for member in missing)
        )
        gain = cover.gain(missing)
        return (gain * _MICRO // cost, gain, cost)

    def best_bundle(self, budget: int) -> int | None:
        """Return the position of the bundle of the largest gain alone that fits, None if none does."""
        left = budget - self.floor_cost
        fitting = [
            (-gain, self.knapsack.ties[place], place)
            for place, (_, gain, cost) in enumerate(self.alone)
            if self.knapsack.bundles[place] is not None and 0 < cost <= left
        ]
        return min(fitting)[-1] if fitting else None

    def shared_bases(self, budget: int) -> list[tuple[int, ...]]:
        """Return the bundles that fit and that at least two others contain, those of the greatest gains first."""
        left = budget - self.floor_cost
        found = []
        for place, sharing in self.sharing.items():
            others = sharing - {place}
            if len(others) > 1 and 0 < self.alone[place][2] <= left:
                found.append((-sum(self.alone[other][1] for other in others), self.knapsack.ties[place], place))
        return [self.knapsack.bundles[place] or () for *_, place in sorted(found)[:_STARTS]]

    def seeds(self, budget: int, size: int) -> Iterator[tuple[int, ...]]:
        """Yield what is in every set of up to ``size`` bundles that fits, each once."""
        left = budget - self.floor_cost
        fitting = [
            place
            for place, bundle in enumerate(self.knapsack.bundles)
            if bundle is not None and 0 < self.alone[place][2] <= left
        ]
        seen: set[frozenset[int]] = set()
        for count in range(1, size + 1):
            for places in combinations(fitting, count):
                members = tuple(dict.fromkeys(m for place in places for m in self.knapsack.bundles[place] or ()))
                known = frozenset(members).difference(self.knapsack.kept)
                if known not in seen and sum(self.knapsack.costs[member] for member in known) <= left:
                    seen.add(known)
                    yield members

    def run(self, budget: int, start: Sequence[int] = ()) -> Selection:
        """Return the greedy choice that begins with ``start``, which is closed and fits."""
        run = _Run(self, budget)
        run.take(start)
        while run.step():
            pass
        hopeless = frozenset(place for place, bundle in enumerate(self.knapsack.bundles) if bundle is None)
        return Selection(tuple(run.chosen), tuple(run.gains), sum(run.gains), budget - run.left, hopeless)


class _Run:
    """One lazy greedy run.

    A gain that was computed for a smaller set bounds the gain for a larger one, so the bundle on top of the heap needs
    a second look only if the set has grown since (Minoux 1978). That holds while a bundle's members stay the same;
    when some of them join the set with another bundle, what is left of it is entered anew.
    """

    def __init__(self, shared: Greedy, budget: int) -> None:
        self._shared = shared
        knapsack = shared.knapsack
        self._cover = knapsack.begin()
        self.chosen = list(knapsack.kept)
        self.gains = [self._cover.add(member) for member in knapsack.kept]
        self.left = budget - shared.floor_cost
        #: Size of the set for which each bundle's entry in the heap was computed; older entries are passed over.
        self._seen_at = [len(self.chosen)] * len(knapsack.bundles)
        self._heap: list[_Entry] = [
            (-shared.alone[place][0], knapsack.ties[place], place, len(self.chosen), shared.alone[place][2])
            for place, bundle in enumerate(knapsack.bundles)
            if bundle is not None
        ]
        heapq.heapify(self._heap)

    def step(self) -> bool:
        """Look at the top of the heap; return whether there was one."""
        if not self._heap:
            return False
        _, _, place, size, cost = heapq.heappop(self._heap)
        if size != self._seen_at[place] or place in self._cover.members or cost > self.left:
            # What does not fit now will not later, unless a part of it is taken: then it is entered anew.
            return True
        if size == len(self.chosen):
            self.take(self._shared.knapsack.bundles[place] or ())
        else:
            self._enter(place)
        return True

    def take(self, bundle: Sequence[int]) -> None:
        """Let ``bundle`` join the set."""
        for member in bundle:
            if member not in self._cover.members:
                self.gains.append(self._cover.add(member))
                self.chosen.append(member)
                self.left -= self._shared.knapsack.costs[member]
        changed = {place for member in bundle for place in self._shared.sharing.get(member, ())}
        for place in changed - self._cover.members:
            self._enter(place)

    def _enter(self, place: int) -> None:
        density, _, cost = self._shared.offer(place, self._cover)
        self._seen_at[place] = len(self.chosen)
        heapq.heappush(self._heap, (-density, self._shared.knapsack.ties[place], place, len(self.chosen), cost))
