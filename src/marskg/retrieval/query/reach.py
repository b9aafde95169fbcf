"""What of a ranking is read for an answer: as much as it may show, and whatever decides about that.

Guarantees: a longer reach reads all that a shorter one does; with each memory whoever of the ranking may say the same
as it, may contradict it, belongs to its list or slot family, asks what it answers, outdates it, or is what it depends
on. So what stands at a place of an answer goes by the ranking alone, and not by how much was asked for. Source:
semantics section 13 (a smaller answer is the beginning of a larger one).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.ontology.vocabulary import Cardinality
from marskg.retrieval.assembly.candidate import family_of
from marskg.retrieval.assembly.queue import NEAR
from marskg.retrieval.assembly.similarity import UNIT_BITS, Similarities
from marskg.retrieval.index.memory_index import CARDINALITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from marskg.retrieval.index.memory_index import MemoryIndex
    from marskg.retrieval.query.ranking import Ranked

#: Weight that is read for assembly to choose from, as a multiple of the budget, and the fewest memories.
_CHOICE: Final = 1.1
#: Tokens of the number before a line.
MARK: Final = 3
_LEAST_READ: Final = 20
#: Of a list or family that has more, each is shown for its own sake: to read them all costs more than an answer.
_LARGEST_FAMILY: Final = 64
_NONE: Final = -1
_APPEND: Final = CARDINALITIES.index(Cardinality.APPEND)
_SET: Final = CARDINALITIES.index(Cardinality.SET)


def most_that_fit(budget: int) -> int:
    """Return how many memories at most a budget of tokens holds: each takes its number and what it says."""
    return max(1, budget // MARK)


@dataclass(frozen=True, slots=True)
class Wanted:
    """How much is asked for: ``k`` memories, ``budget`` tokens, of which a long one takes ``share``.

    The ``least`` best are read in any case; memories say the same from a similarity of ``cosine`` on.
    """

    k: int
    budget: int
    share: float
    cosine: float
    least: int = 0

    @property
    def most(self) -> int:
        """Return how many are read for ``k`` to be shown: some say the same as others, or are contradicted by them."""
        return self.k + max(_LEAST_READ, self.k // 2)

    def of(self, index: MemoryIndex, ranked: Sequence[Ranked]) -> int:
        """Return how many of ``ranked``, best first, are worth reading."""
        rows = np.array([one.row for one in ranked], dtype=np.intp)
        # Of a long one no more than its share is shown while others wait.
        longest = max(1, int(self.share * self.budget))
        weights = np.minimum(index.columns["weight"][rows], longest) + MARK
        before = np.cumsum(weights, dtype=np.int64) - weights
        within = int(np.searchsorted(before, _CHOICE * self.budget))
        return min(len(rows), max(self.least, min(self.most, max(within, _LEAST_READ))))


@dataclass(frozen=True, slots=True)
class Reach:
    """The ``places`` of a ranking that are read, rising.

    ``among`` has for each place the best one of those that may not be shown beside it; ``single`` are those that bring
    no family along; ``horizon`` is the score from which downwards not everything was read, None where it was.
    """

    places: tuple[int, ...] = ()
    among: Mapping[int, int] = field(default_factory=dict)
    single: frozenset[int] = frozenset()
    horizon: int | None = None


def reached(
    index: MemoryIndex, ranked: Sequence[Ranked], wanted: Wanted, first: int, needed: Iterable[tuple[int, int]]
) -> Reach:
    """Return what is read of ``ranked``, best first.

    Only the ``first`` places, which any answer has, bring others of these along. ``needed`` has pairs of rows, the
    second of which is read with the first: an answer's question, and what outdates a turn.
    """
    if not ranked:
        return Reach()
    # Near equals change places: all of them are read, or none.
    last = ranked[wanted.of(index, ranked) - 1].score - near(ranked)
    end = sum(one.score >= last for one in ranked)
    ties = _Ties(index, ranked[:first], wanted.cosine, needed)
    places = ties.closed(range(min(end, first)))
    among = ties.groups(places)
    beyond = range(first, end)
    return Reach(
        (*places, *beyond),
        among | {place: place for place in beyond},
        frozenset({*ties.single, *beyond}),
        ranked[end].score if end < len(ranked) else None,
    )


def near(ranked: Sequence[Ranked]) -> int:
    """Return by how much the scores of two near equals may differ."""
    return int(NEAR * abs(ranked[0].score)) + 1


def appended(ranked: Sequence[Ranked], wider: Iterable[Ranked]) -> list[Ranked]:
    """Return ``ranked`` with what a ``wider`` search found besides, clearly below it: what was found first is first."""
    if not ranked:
        return list(wider)
    there = {one.row for one in ranked}
    most = ranked[-1].score - near(ranked) - 1
    return [*ranked, *(replace(one, score=min(one.score, most)) for one in wider if one.row not in there)]


class _Ties:
    """Who of a ranking is not to be looked at without whom."""

    def __init__(
        self, index: MemoryIndex, ranked: Sequence[Ranked], cosine: float, needed: Iterable[tuple[int, int]]
    ) -> None:
        self._index = index
        self._rows = [one.row for one in ranked]
        self._places = {row: place for place, row in enumerate(self._rows)}
        self._needs: dict[int, list[int]] = {}
        for row, other in needed:
            self._needs.setdefault(row, []).append(other)
        self._least = round(cosine * 2**UNIT_BITS)
        self._table: Similarities | None = None
        if index.dimension and ranked:
            vectored = index.columns["vectored"][self._rows]
            self._table = Similarities.of_vectors(
                np.where(vectored[:, None], index.vectors["vector"][self._rows], np.float32(0))
            )
        self._slots: dict[int, list[int]] = {}
        self._families: dict[tuple[str, tuple[str, ...]], list[int]] = {}
        for place, row in enumerate(self._rows):
            self._note(place, row)
        self._rivals: dict[int, tuple[int, ...]] = {}
        self.single = frozenset(
            place for places in self._families.values() if len(places) > _LARGEST_FAMILY for place in places
        )

    def _note(self, place: int, row: int) -> None:
        columns = self._index.columns
        code, cardinality = int(columns["key"][row]), int(columns["cardinality"][row])
        if code == _NONE or cardinality == _APPEND:
            return
        if cardinality != _SET:
            self._slots.setdefault(code, []).append(place)
        name = family_of(self._index.words[code], Cardinality.SET if cardinality == _SET else None)
        if name is not None:
            subjects = tuple(sorted(self._index.facets_of(row, "subject")))
            self._families.setdefault((name, subjects), []).append(place)

    def closed(self, places: Iterable[int]) -> tuple[int, ...]:
        """Return ``places`` and all that is not to be left out beside them, rising."""
        kin = {
            place: others for others in self._families.values() if len(others) <= _LARGEST_FAMILY for place in others
        }
        found = set(places)
        queue = [*found]
        while queue:
            place = queue.pop()
            for other in chain(self._opposed(place), kin.get(place, ()), self._needed(place)):
                if other not in found:
                    found.add(other)
                    queue.append(other)
        return tuple(sorted(found))

    def groups(self, places: Iterable[int]) -> dict[int, int]:
        """Return the best place of those of which each of ``places``, rising, may not stand beside another."""
        found: dict[int, int] = {}
        for best in places:
            queue = [] if best in found else [best]
            found.setdefault(best, best)
            while queue:
                for other in self._opposed(queue.pop()):
                    if other not in found:
                        found[other] = best
                        queue.append(other)
        return found

    def _opposed(self, place: int) -> tuple[int, ...]:
        """Return who may say the same as what is at ``place``, or the contrary."""
        known = self._rivals.get(place)
        if known is None:
            known = self._rivals[place] = tuple(dict.fromkeys(self._looked_up(place)))
        return known

    def _looked_up(self, place: int) -> Iterator[int]:
        row = self._rows[place]
        if self._table is not None:
            yield from np.flatnonzero(self._table.to(place) >= self._least).tolist()
        if self._index.columns["cardinality"][row] != _SET:
            yield from self._slots.get(int(self._index.columns["key"][row]), ())
        joined = self._index.facets["contradicts"].get(self._index.ids[row], ())
        yield from (self._places[other] for other in joined if other in self._places)
        yield from self._linked(row, "contradicts")

    def _needed(self, place: int) -> Iterator[int]:
        """Yield what is at ``place`` depends on, and what it is read with."""
        row = self._rows[place]
        yield from (self._places[other] for other in self._needs.get(row, ()) if other in self._places)
        yield from self._linked(row, "base")

    def _linked(self, row: int, facet: str) -> Iterator[int]:
        for name, ident in self._index.all_facets_of(row):
            other = self._index.rows.get(ident, _NONE) if name == facet else _NONE
            if other in self._places:
                yield self._places[other]
