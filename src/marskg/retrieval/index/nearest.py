"""The memories nearest to a query by the engine's own vector index, for stores too large to compare all.

Guarantees: the gate decides before anything is taken: what it holds back counts for nothing, and the engine, which
cannot filter, is asked for twice as many until enough passed or it has no more; what the engine does not hold yet is
compared one by one; a similarity is always worked out here, from the vector itself. So the engine decides only which
candidates are looked at, and misses some: at least 0.95 of the exact ones are found (docs/adr/0013-embeddings.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from marskg.store.upkeep.vector_index import PAGE

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from marskg.retrieval.index.memory_index import MemoryIndex
    from marskg.store.upkeep.vector_index import Points

#: Asked for at first, as a multiple of what is wanted: the engine's search is better the wider it is.
_WIDER: Final = 2


class Nearest(Protocol):
    """Finds the rows of an index that are similar to a vector."""

    def similarities(
        self, index: MemoryIndex, mask: npt.NDArray[np.bool_], vector: npt.NDArray[np.float32], limit: int
    ) -> npt.NDArray[np.float32]:
        """Return ``[rows]``: the similarities of at least ``limit`` rows of ``mask``, if there are; -inf elsewhere."""
        ...


class EngineNearest:
    """Asks the engine, and compares what it does not hold yet."""

    def __init__(self, points: Points) -> None:
        """Ask ``points``."""
        self._points = points

    def similarities(
        self, index: MemoryIndex, mask: npt.NDArray[np.bool_], vector: npt.NDArray[np.float32], limit: int
    ) -> npt.NDArray[np.float32]:
        """Return ``[rows]``: similarities of what the engine finds and of what it does not hold; -inf elsewhere."""
        seen = mask & index.columns["vectored"]
        fresh = np.flatnonzero(seen & ~index.columns["pointed"])
        rows = np.union1d(fresh, self._ask(index, seen, vector, limit)).astype(np.intp)
        found = np.full(index.columns.rows, -np.inf, dtype=np.float32)
        found[rows] = np.vecdot(index.vectors["vector"][rows], vector)
        return found

    def _ask(
        self, index: MemoryIndex, seen: npt.NDArray[np.bool_], vector: npt.NDArray[np.float32], limit: int
    ) -> list[int]:
        numbers = vector.tolist()
        count = _WIDER * limit
        while True:
            found = self._points.nearest(numbers, count)
            rows = [index.rows[ident] for ident in found if ident is not None and ident in index.rows]
            passing = [row for row in rows if seen[row]]
            if len(passing) >= limit or len(found) < count:
                return passing
            count *= 2


def put_points(index: MemoryIndex, points: Points, limit: int | None, progress: Callable[[int], None]) -> int:
    """Put up to ``limit`` vectors that the engine does not hold yet; returns how many."""
    rows = np.flatnonzero(index.columns["vectored"] & ~index.columns["pointed"])[:limit]
    for start in range(0, len(rows), PAGE):
        page = rows[start : start + PAGE]
        points.put([index.ids[row] for row in page.tolist()], index.vectors["vector"][page])
        index.columns["pointed"][page] = True
        progress(start + len(page))
    return len(rows)
