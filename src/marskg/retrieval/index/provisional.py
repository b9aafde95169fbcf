"""What stands for the vectors that are not made yet: those of the static model, which a write has time for.

Guarantees: they are in memory alone and in no file; one counts no more as soon as the memory's own vector comes, and
goes when that of every other has come, or its content goes; a similarity is that of two vectors alone. Source:
semantics section 13 (what was written is found at once).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from marskg.embedding.model import Vectors


class Laid(NamedTuple):
    """Static vectors as an index has its own: ``[rows, dimension]`` and of passages, and which rows have one."""

    whole: Vectors
    parts: Vectors
    there: npt.NDArray[np.bool_]


class Provisional:
    """The static vectors of rows that have none of their model yet."""

    def __init__(self) -> None:
        """Hold nothing."""
        #: row → ``[1 + n, dimension]``: the vector of the whole text, and those of its passages.
        self._rows: dict[int, Vectors] = {}
        #: Those whose own vector has come, for what is compared with one whose has not.
        self._made: dict[int, Vectors] = {}
        self._flat: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Vectors] | None = None
        #: The vectors of all that have one still, laid side by side by whoever ranks by them; None once any changes.
        self.laid: Laid | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._rows)

    def has(self, row: int | None) -> bool:
        """Return whether ``row`` has static vectors still."""
        return row in self._rows or row in self._made

    def put(self, row: int, vectors: Vectors) -> None:
        """Let ``vectors``, the whole text's first, stand for those of ``row``."""
        self._rows[row] = vectors
        self._flat = None
        self.laid = None

    def made(self, row: int) -> None:
        """Let nothing stand for the vectors of ``row`` any more: its own have come."""
        if (vectors := self._rows.pop(row, None)) is not None:
            self._made[row] = vectors
            self._flat = None
            self._forget_made()

    def put_made(self, row: int, vectors: Vectors) -> None:
        """Keep ``vectors`` of ``row``, whose own have come, for what is compared with one whose have not."""
        self._made[row] = vectors
        self.laid = None

    def remove(self, row: int) -> None:
        """Forget ``row``, whose content is gone."""
        self._made.pop(row, None)
        self.laid = None
        if self._rows.pop(row, None) is not None:
            self._flat = None
            self._forget_made()

    def _forget_made(self) -> None:
        if not self._rows:
            self._made.clear()
            self.laid = None

    def whole(self, rows: npt.NDArray[np.intp]) -> tuple[npt.NDArray[np.intp], Vectors]:
        """Return those of ``rows`` that have a static vector still, and the ``[n, dimension]`` of their whole texts."""
        held = self.held()
        kept = [row for row in rows.tolist() if row in held]
        return np.array(kept, dtype=np.intp), np.array([held[row][0] for row in kept])

    def held(self) -> dict[int, Vectors]:
        """Return ``[1 + n, dimension]`` of each row that has static vectors still, by row."""
        return {**self._made, **self._rows}

    def lay(self, laid: Laid) -> None:
        """Keep what is ``laid`` side by side until any of it changes."""
        self.laid = laid

    def renumber(self, places: npt.NDArray[np.int64]) -> None:
        """Move every row ``r`` to ``places[r]``."""
        self._rows = {int(places[row]): vectors for row, vectors in self._rows.items()}
        self._made = {int(places[row]): vectors for row, vectors in self._made.items()}
        self._flat = None
        self.laid = None

    def similarities(self, vector: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
        """Return the rows, in order, and the cosine of the best passage of each with ``vector``."""
        if self._flat is None:
            rows = np.array(sorted(self._rows), dtype=np.intp)
            sizes = [len(self._rows[row]) for row in rows.tolist()]
            starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
            self._flat = rows, starts, np.concatenate([self._rows[row] for row in rows.tolist()])
        rows, starts, flat = self._flat
        return rows, np.maximum.reduceat(np.vecdot(flat.astype(np.float64), vector.astype(np.float64)), starts)
