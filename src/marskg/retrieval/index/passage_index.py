"""The passages of memories that are too long to be found as a whole: each has its own words and its own vector.

Guarantees: a memory of one passage has none here: it is its own; the passages of a row stand one after another, in the
order of the text; a row whose passages have no vectors yet is as near as its whole text. Source: ``docs/explanation/
ranking.md`` (a page that answers a question in one sentence is found by that sentence).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from marskg.retrieval.index.columns import Columns
from marskg.retrieval.index.lexical import Lexical

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from marskg.retrieval.index.turns import Beside


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What words are sought in: the rows of an index, and after them the passages of the long ones.

    ``owner`` is ``[units]``, the row of each, -1 for none; ``before`` the unit that was said right before it, the last
    one, past the end, for none.
    """

    owner: npt.NDArray[np.intp]
    before: npt.NDArray[np.intp]


class Passages:
    """The passages of the long memories of an index, numbered in the order in which they came."""

    def __init__(self, dimension: int) -> None:
        """Hold nothing; vectors have ``dimension`` components."""
        self.columns = Columns({"row": (np.int32, -1), "vectored": (np.bool_, False)})
        self.vectors = Columns({"vector": (np.float32, 0)}, {"vector": dimension})
        self.lexical = Lexical()
        #: row → the number of its first passage and the one after its last.
        self.spans: dict[int, tuple[int, int]] = {}
        self._units: tuple[Beside, Units] | None = None

    def __len__(self) -> int:
        """Return the number of passages."""
        return self.columns.rows

    def add(self, row: int, terms: Sequence[Sequence[str]]) -> None:
        """Take in the passages of a new ``row``, as the index terms of each."""
        first = self.columns.append(len(terms))
        self.vectors.append(len(terms))
        end = first + len(terms)
        self.columns["row"][first:end] = row
        for place, found in enumerate(terms, first):
            self.lexical.add(place, found)
        self.spans[row] = (first, end)

    def set_vectors(self, row: int, vectors: npt.NDArray[np.float32]) -> None:
        """Take in the vectors of the passages of ``row``; as many as it has, or none that count."""
        first, end = self.spans[row]
        if len(vectors) == end - first:
            self.vectors["vector"][first:end] = vectors
            self.columns["vectored"][first:end] = True

    def units(self, rows: int, beside: Beside) -> Units:
        """Return the units of an index of ``rows``, where ``beside`` says what was said before what."""
        if self._units is None or self._units[0] is not beside:
            owner = np.concatenate([np.arange(rows), self.columns["row"]])
            last = np.arange(rows)
            last[[*self.spans]] = [rows + end - 1 for _, end in self.spans.values()]
            before = np.where(owner >= 0, beside.before[owner], -1)
            units = Units(owner, np.where(before >= 0, last[before], len(owner)))
            # Kept while nothing moves, as what stands beside what is.
            self._units = (beside, units)
        return self._units[1]

    def best(
        self, values: npt.NDArray[np.floating[Any]], whole: npt.NDArray[np.floating[Any]]
    ) -> npt.NDArray[np.floating[Any]]:
        """Return ``whole``, ``[rows]``, with the highest of the ``values`` of its passages for each long row."""
        if not self.spans:
            return whole
        found = whole.copy()
        starts = np.array([first for first, _ in self.spans.values()])
        # What stands between two spans belongs to a row that was removed.
        ends = np.array([end for _, end in self.spans.values()])
        bounds = np.stack([starts, ends], axis=1).ravel()
        highest = np.maximum.reduceat(np.append(values, -np.inf), bounds)[::2]
        found[[*self.spans]] = highest
        return found

    def without_vectors(self) -> npt.NDArray[np.int32]:
        """Return the rows whose passages have no vectors."""
        found: npt.NDArray[np.int32] = np.unique(self.columns["row"][~self.columns["vectored"]])
        return found[found >= 0]

    def remove(self, row: int) -> None:
        """Forget the passages of ``row``; their postings go with the next :meth:`renumber`."""
        first, end = self.spans.pop(row, (0, 0))
        self.columns["row"][first:end] = -1
        self.columns["vectored"][first:end] = False
        self.vectors["vector"][first:end] = 0

    def renumber(self, rows: npt.NDArray[np.int64]) -> None:
        """Move the passages of every row ``r`` to row ``rows[r]``, and drop those of rows that were removed."""
        kept = np.flatnonzero(self.columns["row"] >= 0)
        places = np.full(len(self), -1, dtype=np.int64)
        places[kept] = np.arange(len(kept))
        self.columns.keep(kept)
        self.vectors.keep(kept)
        self.lexical.renumber(places)
        self.columns["row"][:] = rows[self.columns["row"]]
        self.restored()

    def restored(self) -> None:
        """Take note that columns and postings came from a file, or have other numbers.

        Raises:
            ValueError: the passages of one row do not stand one after another.
        """
        row = self.columns["row"]
        starts = np.flatnonzero(np.diff(row, prepend=np.iinfo(np.int32).min)).tolist()
        ends = [*starts[1:], len(row)][: len(starts)]
        owners = row[starts].tolist()
        self.spans = {owner: (start, end) for owner, start, end in zip(owners, starts, ends, strict=True) if owner >= 0}
        if len(self.spans) < sum(owner >= 0 for owner in owners):
            message = "passages that stand apart"
            raise ValueError(message)
