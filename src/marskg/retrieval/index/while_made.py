"""An index by what stands for the vectors of a model that takes long, while many of these are not made yet.

Guarantees: it ranks as a store of static vectors does; the index that it is of does not change, and it is to be read
only. Two kinds of vectors side by side rank worse than either alone; still they stand so where few are missing, and
where a row that was made before has nothing that stands for its vector. Source: semantics section 13 (what was
written is found at once); ADR 106.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.retrieval.index.columns import Columns
from marskg.retrieval.index.provisional import Laid, Provisional

if TYPE_CHECKING:
    import numpy.typing as npt

    from marskg.embedding.model import Vectors
    from marskg.retrieval.index.memory_index import MemoryIndex

#: The share of what is visible that may lack a vector where what is made is still gone by.
MOST_MISSING: Final = 0.1


def by_standing(index: MemoryIndex, mask: npt.NDArray[np.bool_]) -> MemoryIndex | None:
    """Return ``index`` by what stands for vectors, if of the rows of ``mask`` too many have none of their own."""
    made = index.columns["vectored"]
    if not len(index.provisional) or (mask & ~made).sum() <= MOST_MISSING * mask.sum():
        return None
    laid = index.provisional.laid
    if laid is None or len(laid.there) != len(mask) or len(laid.parts) != len(index.passages):
        laid = _laid(index)
        index.provisional.lay(laid)
    return None if (mask & made & ~laid.there).any() else _index(index, laid)


def _laid(index: MemoryIndex) -> Laid:
    held = index.provisional.held()
    rows, width = index.columns.rows, next(iter(held.values())).shape[1]
    whole, parts = np.zeros((rows, width), dtype=np.float32), np.zeros((len(index.passages), width), dtype=np.float32)
    there = np.zeros(rows, dtype=np.bool_)
    for row, vectors in held.items():
        whole[row], there[row] = vectors[0], True
        first, end = index.passages.spans.get(row, (0, 0))
        if len(vectors) == 1 + end - first:
            parts[first:end] = vectors[1:]
    return Laid(whole, parts, there)


def _index(index: MemoryIndex, laid: Laid) -> MemoryIndex:
    found, passages = copy(index), copy(index.passages)
    owner = passages.columns["row"]
    there = passages.columns.with_column("vectored", laid.there[owner] & (owner >= 0))
    vars(passages).update(columns=there, vectors=_matrix(laid.parts))
    vars(found).update(
        dimension=laid.whole.shape[1],
        columns=index.columns.with_column("vectored", laid.there),
        vectors=_matrix(laid.whole),
        passages=passages,
        provisional=Provisional(),
    )
    return found


def _matrix(vectors: Vectors) -> Columns:
    made = Columns({"vector": (np.float32, 0)}, {"vector": vectors.shape[1]})
    made.replace({"vector": vectors})
    return made
