"""The memories nearest to a query: all are compared or, in a store too large for that, the engine's own index is asked.

Guarantees: a similarity is that of two vectors alone, on however many cores it is worked out. Where the engine is
asked, the gate decides before anything is taken: what it holds back counts for nothing, and the engine, which cannot
filter, is asked for twice as many until enough passed or it has no more; what the engine does not hold yet is compared
one by one. So the engine decides only which candidates are looked at, and misses some: at least 0.95 of the exact ones
are found (docs/adr/0013-embeddings.md).
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
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
#: Where fewer than one row in this many is wanted, their vectors are copied out before they are compared.
_FEW: Final = 3
#: Rows that a core compares at least: below that it takes longer to wake another one than is won.
_MANY: Final = 4_096
_CORES: Final = min(4, os.cpu_count() or 1)


def cosines(
    held: npt.NDArray[np.float32], vector: npt.NDArray[np.float32], wanted: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float32]:
    """Return ``[rows]``: the cosines of the unit vectors ``held`` that are ``wanted`` with another, -inf of the others.

    ``held`` is ``[rows, components]``, ``wanted`` is ``[rows]``.
    """
    rows = np.flatnonzero(wanted)
    if len(rows) * _FEW <= len(held):
        found = np.full(len(held), -np.inf, dtype=np.float32)
        found[rows] = np.vecdot(held[rows], vector)
        return found
    found = np.empty(len(held), dtype=np.float32)
    # Not by @: the threads that a linear algebra library wakes for it spin for a while after it.
    parts = min(_CORES, max(1, len(held) // _MANY))
    bounds = [(len(held) * part // parts, len(held) * (part + 1) // parts) for part in range(parts)]
    others = [
        _helpers(os.getpid()).submit(np.vecdot, held[first:end], vector, out=found[first:end])
        for first, end in bounds[1:]
    ]
    np.vecdot(held[: bounds[0][1]], vector, out=found[: bounds[0][1]])
    for one in others:
        one.result()
    found[~wanted] = -np.inf
    return found


@cache
def _helpers(process: int) -> ThreadPoolExecutor:  # noqa: ARG001 - a forked child has none of its parent's threads
    return ThreadPoolExecutor(max(1, _CORES - 1), "marskg-cosines")


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
        wanted = np.zeros(index.columns.rows, dtype=np.bool_)
        wanted[fresh] = True
        wanted[self._ask(index, seen, vector, limit)] = True
        return cosines(index.vectors["vector"], vector, wanted)

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
