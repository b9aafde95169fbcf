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

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from marskg.errors import InvalidConfig
from marskg.policies.bundles import Knapsack, choose, closures
from marskg.retrieval.similarity import UNIT_BITS, similarities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from marskg.policies.bundles import Selection
    from marskg.retrieval.candidate import Candidate
    from marskg.retrieval.similarity import Similarities

MICRO = 1_000_000
_MAX_WEIGHT = 100.0


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
    costs = [max(1, cost(one)) for one in candidates]
    return choose(knapsack_of(candidates, costs, function or SetFunction(candidates), given), budget)


def knapsack_of(
    candidates: Sequence[Candidate], costs: Sequence[int], function: SetFunction, given: frozenset[str] = frozenset()
) -> Knapsack:
    """Return what the greedy chooses from: each candidate's bundle, cost and tie, and F."""
    return Knapsack(
        bundles=closures([one.id for one in candidates], [one.bases for one in candidates], given),
        costs=costs,
        ties=[(-one.score, one.memory.sequence) for one in candidates],
        begin=lambda: Cover(function),
    )


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
