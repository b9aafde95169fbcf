"""Scores of searches made comparable, each memory seen with what was said before and beside it, and added up.

Guarantees: a pure function of the visible rows and their scores; statistics are taken over the pool, the best of each
search with what stands beside them, in the order of sequence, so that neither hidden rows nor the number of memories
that are asked for change them. A store where all are alike gives each the same. Source: measured, see
``docs/explanation/ranking.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from marskg.retrieval.index.turns import Beside

#: The similarity that is taken for that of a turn and the one before it, which the length of their mean goes by.
_ALIKE: Final = 0.5
#: How far scores are taken to spread while few are known, in those of each search, and how many that counts for: two
#: memories are not far apart because one of them is the better.
COSINES: Final = 0.15
WORDS: Final = 2.0
_TAKEN: Final = 10
#: Where the sum of weighed features stands for one in two, and how many units of it for a change by the factor e.
_EVEN: Final = 8.0
_UNIT: Final = 4.0


@dataclass(frozen=True, slots=True)
class Context:
    """How much a search counts on a memory's own text, on that with the one before it, and what neighbours add.

    ``neighbours`` is the share that each of the two beside a memory adds of its own value.
    """

    own: float
    previous: float
    neighbours: float


@dataclass(frozen=True, slots=True, eq=False)
class RankedRows:
    """The rows that are ranked, those whose values are needed for it, and those that the statistics are of."""

    rows: npt.NDArray[np.intp]
    wide: npt.NDArray[np.intp]
    pool: npt.NDArray[np.intp]
    beside: Beside

    @classmethod
    def of(
        cls,
        candidates: npt.NDArray[np.intp],
        pool: npt.NDArray[np.intp],
        beside: Beside,
        sequence: npt.NDArray[np.int64],
    ) -> RankedRows:
        """Return what is needed to rank ``candidates`` by the statistics of ``pool``."""
        rows = beside.widened(candidates)
        counted = rows if pool is candidates else beside.widened(pool)
        return cls(rows, beside.widened(rows), counted[np.argsort(sequence[counted], kind="stable")], beside)

    @property
    def needed(self) -> npt.NDArray[np.intp]:
        """Return the rows whose own scores are needed."""
        return self.beside.union(self.wide, self.beside.before[self.wide])

    def paired(self, own: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return, by row, the similarity of each wide row's vector added to that of the row before it."""
        found = np.zeros(len(own))
        before = self.beside.before[self.wide]
        both = (own[self.wide] + own[before]) / np.sqrt(2 + 2 * _ALIKE)
        found[self.wide] = np.where(before >= 0, both, own[self.wide])
        return found

    def in_context(
        self, own: npt.NDArray[np.float64], pair: npt.NDArray[np.float64], context: Context, taken: float
    ) -> npt.NDArray[np.float64]:
        """Return what a search counts for each of the rows that are ranked.

        Args:
            own: by row, the scores of each text.
            pair: by row, the scores of each text with the one before it.
            context: what each counts.
            taken: how far the scores of this search are taken to spread while few are known.
        """
        alone = normalised(own, self.rows, self.pool, taken)
        there = np.zeros(len(pair))
        there[self.wide] = normalised(pair, self.wide, self.pool, taken)
        beside = _at(there, self.beside.before[self.rows]) + _at(there, self.beside.after[self.rows])
        total: npt.NDArray[np.float64] = context.own * alone + context.previous * (
            there[self.rows] + context.neighbours * beside
        )
        return total


def _at(values: npt.NDArray[np.float64], rows: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    return np.where(rows >= 0, values[rows], 0.0)


def normalised(
    values: npt.NDArray[np.float64], rows: npt.NDArray[np.intp], pool: npt.NDArray[np.intp], taken: float
) -> npt.NDArray[np.float64]:
    """Return how many standard deviations each of ``rows`` is above the mean of the pool.

    The variance is that of the pool and, for some more that are not there, of the spread ``taken``.
    """
    there = values[pool]
    variance = (len(pool) * float(there.var()) + _TAKEN * taken * taken) / (len(pool) + _TAKEN)
    found: npt.NDArray[np.float64] = (values[rows] - there.mean()) / np.sqrt(variance)
    return found


def likelihood(total: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return a sum of weighed features as a number between 0 and 1 that grows with it."""
    found: npt.NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.clip((total - _EVEN) / _UNIT, -60.0, 60.0)))
    return found
