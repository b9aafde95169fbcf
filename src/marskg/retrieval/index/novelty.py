"""Novelty: how much of a memory no newer one repeats.

Guarantees: a function of the memories that take part, whatever the order of events: novelty is 1 less the largest
similarity to one of the memories stored next after it in a bucket that both are in. So of two that say the same the
newer one is novel, and not both are forgotten. An event costs a bounded number of comparisons, however many memories
there are. Identical texts share all buckets; others do the more surely the more similar they are: of pairs with a
similarity of 0.95 some four fifths share one.
Sources: MaRS section 3.2.6 (novelty against E, S and R together: tasks take no part); Charikar 2002.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, insort
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import numpy.typing as npt

    Vectors: TypeAlias = "npt.NDArray[np.float32]"
    #: Sequence number and id: the order within a bucket.
    Member: TypeAlias = "tuple[int, str]"

#: Tables of buckets, hyperplanes of each, and the memories after one in a bucket that it is compared with.
TABLES: Final = 4
PLANES: Final = 10
WINDOW: Final = 6
#: Vectors are rounded to this many steps before they are hashed, so that sums of them are exact in any order.
_STEPS: Final = 1 << 15
_MICRO: Final = 1_000_000
#: Memories whose vectors are looked at together.
_PAGE: Final = 512


class Novelty:
    """The buckets of the memories that take part, and who has to be compared anew."""

    def __init__(self) -> None:
        """Hold nothing."""
        self._tables: list[dict[int, list[Member]]] = [{} for _ in range(TABLES)]
        self._members: dict[str, tuple[int, tuple[int, ...]]] = {}

    def __contains__(self, ident: str) -> bool:
        """Return whether a memory takes part."""
        return ident in self._members

    def __len__(self) -> int:
        """Return how many memories take part."""
        return len(self._members)

    def sequence(self, ident: str) -> int:
        """Return the sequence number by which a memory takes part."""
        return self._members[ident][0]

    def leave(self, ident: str) -> set[str]:
        """Let a memory take part no more; returns who was compared with it."""
        sequence, codes = self._members.pop(ident)
        affected: set[str] = set()
        for table, code in zip(self._tables, codes, strict=True):
            bucket = table[code]
            place = bisect_left(bucket, (sequence, ident))
            del bucket[place]
            affected.update(other for _, other in bucket[max(0, place - WINDOW) : place])
            if not bucket:
                del table[code]
        return affected

    def enter(self, ident: str, sequence: int, codes: tuple[int, ...]) -> set[str]:
        """Let a memory take part; returns who is to be compared with it, and itself."""
        self._members[ident] = (sequence, codes)
        affected = {ident}
        for table, code in zip(self._tables, codes, strict=True):
            bucket = table.setdefault(code, [])
            insort(bucket, (sequence, ident))
            place = bisect_left(bucket, (sequence, ident))
            affected.update(other for _, other in bucket[max(0, place - WINDOW) : place])
        return affected

    def successors(self, ident: str) -> set[str]:
        """Return the memories that one is compared with."""
        sequence, codes = self._members[ident]
        found: set[str] = set()
        for table, code in zip(self._tables, codes, strict=True):
            bucket = table[code]
            place = bisect_left(bucket, (sequence, ident)) + 1
            found.update(other for _, other in bucket[place : place + WINDOW])
        return found

    def judge(
        self, idents: Iterable[str], rows: Mapping[str, int], vectors: Vectors, store: Callable[[str, int], None]
    ) -> None:
        """Compare each of ``idents`` with its successors, and ``store`` its novelty in 1e-6."""
        ordered = sorted(idents)
        for start in range(0, len(ordered), _PAGE):
            page = ordered[start : start + _PAGE]
            others = [sorted(self.successors(ident)) for ident in page]
            counts = [len(one) for one in others]
            left = np.repeat([rows[ident] for ident in page], counts).astype(np.intp)
            right = np.array([rows[other] for one in others for other in one], dtype=np.intp)
            similar = np.einsum("ij,ij->i", vectors[left], vectors[right])
            nearest = np.zeros(len(page))
            np.maximum.at(nearest, np.repeat(np.arange(len(page)), counts), similar)
            novelty = _MICRO - np.rint(np.clip(nearest, 0.0, 1.0) * _MICRO).astype(np.int64)
            for ident, value in zip(page, novelty.tolist(), strict=True):
                store(ident, value)


def bucket_codes(vectors: Vectors) -> list[tuple[int, ...]]:
    """Return for each vector ``[n, dimension]`` the buckets that it is in, one for each table."""
    found: list[tuple[int, ...]] = []
    for start in range(0, len(vectors), _PAGE):
        steps = np.rint(vectors[start : start + _PAGE].astype(np.float64) * _STEPS)
        # Sums of whole numbers below 2^53: exact, so that the side is the same however they are added up.
        sides = steps @ _planes(vectors.shape[1]) > 0
        bits = sides.reshape(len(steps), TABLES, PLANES) @ (1 << np.arange(PLANES))
        found += [tuple(row) for row in bits.tolist()]
    return found


@cache
def _planes(dimension: int) -> npt.NDArray[np.float64]:
    """Return ``[dimension, TABLES * PLANES]``: normals of hyperplanes with components of 1 and -1, always the same."""
    columns = []
    for number in range(TABLES * PLANES):
        digest = hashlib.shake_256(f"marskg novelty {number}".encode()).digest((dimension + 7) // 8)
        bits = np.unpackbits(np.frombuffer(digest, dtype=np.uint8))[:dimension]
        columns.append(np.where(bits, 1.0, -1.0))
    return np.stack(columns, axis=1)
