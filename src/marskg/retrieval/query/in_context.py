"""How much nearer a turn is to a question together with the turns that were said right before and after it.

Guarantees: by row of the index, of visible memories and from them alone; a row that no turn stands beside, that has
several passages or no vector gets 0, and a neighbour without a vector adds nothing. Each number depends on a turn and
its two neighbours alone. Source: ``docs/explanation/ranking.md`` (what it brings, measured).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from marskg.retrieval.index.memory_index import MemoryIndex
    from marskg.retrieval.index.turns import Beside


def nearer_in_context(
    index: MemoryIndex,
    beside: Beside,
    rows: npt.NDArray[np.intp],
    asked: npt.NDArray[np.float32],
    alone: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Return ``[rows]``: the cosine of ``asked`` with a turn and its neighbours together, above what it is ``alone``.

    Together they have the direction of the sum of their vectors. ``alone`` is ``[rows]``, their own similarity.
    """
    held, vectors = index.columns["vectored"], index.vectors["vector"]
    # A long text says itself what it is about, and its best passage is more than what is said around it.
    short = np.fromiter((row not in index.passages.spans for row in rows.tolist()), dtype=np.bool_, count=len(rows))
    together = vectors[rows].astype(np.float64)
    joined = np.zeros(len(rows), dtype=np.bool_)
    for neighbours in (beside.before[rows], beside.after[rows]):
        there = (neighbours >= 0) & held[neighbours]
        together[there] += vectors[neighbours[there]]
        joined |= there
    joined &= held[rows] & short
    lengths = np.sqrt(np.vecdot(together, together))
    joined &= lengths > 0
    found = np.zeros(len(rows))
    near = np.vecdot(together[joined], asked.astype(np.float64)) / lengths[joined]
    found[joined] = np.maximum(0.0, near - alone[joined])
    return found
