"""Look-up by words: BM25 over the terms of :mod:`marskg.text`, on the memories that the reader may see.

Guarantees: every statistic of the formula (number of texts, document frequency, mean length) is taken over the rows
that the read gate lets through and over nothing else, so that a hidden memory changes no score (semantics section 9);
scores are sums in the order of the query's terms, the same whatever else the index holds.
Source: Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond", eq. 3.15, with the
non-negative idf of Lucene.
"""

from __future__ import annotations

from array import array
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TypeAlias

    from marskg.retrieval.index.turns import Beside

    #: ``[rows]`` by term.
    Named: TypeAlias = Mapping[str, npt.NDArray[np.bool_]]

K1: Final = 1.2
B: Final = 0.75


class Lexical:
    """Postings of terms: which rows have them, how often."""

    def __init__(self) -> None:
        """Hold nothing."""
        self._rows: dict[str, array[int]] = {}
        self._counts: dict[str, array[int]] = {}

    def add(self, row: int, terms: Iterable[str]) -> int:
        """Post the ``terms`` of a new row, which is higher than all before it; returns how many terms it has."""
        length = 0
        for term, count in Counter(terms).items():
            held = self._rows.get(term)
            if held is None:
                held = self._rows[term] = array("i")
                self._counts[term] = array("H")
            held.append(row)
            self._counts[term].append(min(count, 0xFFFF))
            length += count
        return length

    def scores(
        self,
        terms: Iterable[str],
        mask: npt.NDArray[np.bool_],
        lengths: npt.NDArray[np.int32],
        beside: Beside | None = None,
        also: Named = MappingProxyType({}),
    ) -> npt.NDArray[np.float64]:
        """Return the BM25 score of each row for the query ``terms``, 0 outside ``mask``.

        Args:
            terms: of the query; a repeated one counts once.
            mask: ``[rows]``, what the reader may see.
            lengths: ``[rows]``, number of terms of each row.
            beside: where it is given, a row's text is its own with that of the row before it.
            also: the rows that a term counts for once where their text does not have it.
        """
        found = np.zeros(len(mask))
        seen = int(mask.sum())
        if not seen:
            return found
        if beside is not None:
            lengths = lengths + np.where(beside.before >= 0, lengths[beside.before], 0)
        mean = max(1.0, int(lengths[mask].sum()) / seen)
        often = None if beside is None else np.zeros(len(mask), dtype=np.int32)
        for term in sorted(set(terms)):
            rows, counts = self._visible(term, mask, also)
            if not len(rows):
                continue
            if beside is not None and often is not None:
                rows, counts = _with_next(rows, counts, beside, often)
            idf = np.log1p((seen - len(rows) + 0.5) / (len(rows) + 0.5))
            found[rows] += idf * counts * (K1 + 1) / (counts + K1 * (1 - B + B * lengths[rows] / mean))
        return found

    def coverage(
        self, terms: Iterable[str], mask: npt.NDArray[np.bool_], also: Named = MappingProxyType({})
    ) -> npt.NDArray[np.float64]:
        """Return the share of the query ``terms`` that each row of ``mask`` has, weighed by how rare each is there.

        For ``also`` see :meth:`scores`.
        """
        found, whole, seen = np.zeros(len(mask)), 0.0, int(mask.sum())
        for term in sorted(set(terms)):
            rows, _ = self._visible(term, mask, also)
            idf = float(np.log1p((seen - len(rows) + 0.5) / (len(rows) + 0.5)))
            found[rows] += idf
            whole += idf
        return found / whole if whole else found

    def _visible(
        self, term: str, mask: npt.NDArray[np.bool_], also: Named
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Return the rows of ``mask`` that have ``term``, and how often."""
        rows = np.frombuffer(self._rows.get(term, b""), dtype=np.int32)
        counts = np.frombuffer(self._counts.get(term, b""), dtype=np.uint16).astype(np.float64)
        visible = mask[rows]
        rows, counts = rows[visible], counts[visible]
        if term in also:
            lacking = also[term] & mask
            lacking[rows] = False
            more = np.flatnonzero(lacking).astype(np.int32)
            rows, counts = np.concatenate([rows, more]), np.concatenate([counts, np.ones(len(more))])
        return rows, counts

    def rows(self, term: str) -> npt.NDArray[np.int32]:
        """Return the rows that have ``term``, rows that were removed included."""
        return np.array(self._rows.get(term, array("i")), dtype=np.int32)

    def have(self, term: str, rows: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Return which of ``rows`` have ``term``."""
        held = np.frombuffer(self._rows.get(term, array("i")), dtype=np.int32)
        places = np.searchsorted(held, rows)
        found = places < len(held)
        found[found] = held[places[found]] == rows[found]
        return found

    def renumber(self, places: npt.NDArray[np.int64]) -> None:
        """Move every row ``r`` to ``places[r]``, in the same order; rows with -1 are dropped with their postings."""
        for term in list(self._rows):
            moved = places[np.frombuffer(self._rows[term], dtype=np.int32)]
            kept = moved >= 0
            if not kept.any():
                del self._rows[term], self._counts[term]
                continue
            counts = np.frombuffer(self._counts[term], dtype=np.uint16)[kept]
            self._rows[term] = array("i", moved[kept].astype(np.int32).tobytes())
            self._counts[term] = array("H", counts.tobytes())

    def dump(self) -> tuple[list[str], npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.uint16]]:
        """Return terms, their numbers of postings, and all postings one after another."""
        terms = sorted(self._rows)
        sizes = np.array([len(self._rows[term]) for term in terms], dtype=np.int64)
        rows = b"".join(self._rows[term].tobytes() for term in terms)
        counts = b"".join(self._counts[term].tobytes() for term in terms)
        return terms, sizes, np.frombuffer(rows, dtype=np.int32), np.frombuffer(counts, dtype=np.uint16)

    @classmethod
    def from_dump(
        cls,
        terms: list[str],
        sizes: npt.NDArray[np.int64],
        rows: npt.NDArray[np.int32],
        counts: npt.NDArray[np.uint16],
    ) -> Lexical:
        """Return the postings that :meth:`dump` gave.

        Raises:
            ValueError: the sizes do not add up.
        """
        if len(terms) != len(sizes) or int(sizes.sum()) != len(rows) or len(rows) != len(counts):
            message = "postings that do not add up"
            raise ValueError(message)
        made = cls()
        end = 0
        for term, size in zip(terms, sizes.tolist(), strict=True):
            start, end = end, end + size
            made._rows[term] = array("i", rows[start:end].tobytes())
            made._counts[term] = array("H", counts[start:end].tobytes())
        return made


def _with_next(
    rows: npt.NDArray[np.int32],
    counts: npt.NDArray[np.float64],
    beside: Beside,
    often: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Return ``rows`` and those after them, with how often a term stands in each and the row before it.

    ``often`` has a 0 for each row of the index, before and after.
    """
    after = beside.after[rows]
    followed = after >= 0
    later = after[followed].astype(np.int32)
    often[rows] = counts
    both = np.concatenate([rows, later[often[later] == 0]])
    # No row follows two others.
    often[later] += counts[followed].astype(np.int32)
    total = often[both].astype(np.float64)
    often[both] = 0
    return both, total
