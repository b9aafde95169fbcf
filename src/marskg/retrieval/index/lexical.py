"""Look-up by words: BM25 over the terms of :mod:`marskg.text`, on the memories that the reader may see.

Guarantees: every statistic of the formula (number of texts, document frequency, mean length) is taken over the rows
that the read gate lets through and over nothing else, so that a hidden memory changes no score (semantics section 9);
scores are sums in the order of the query's terms, the same whatever else the index holds.
Source: Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond", eq. 3.15, with the
non-negative idf of Lucene.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from marskg.retrieval.index.turns import SessionTexts

    #: ``[rows]`` by term.
    Named: TypeAlias = Mapping[str, npt.NDArray[np.bool_]]
    #: By term of a question: the terms that it is spelled as, with how much each counts, the least first.
    Respelled: TypeAlias = Mapping[str, Sequence[tuple[float, str]]]

K1: Final = 1.2
B: Final = 0.75


class Lexical:
    """Postings of terms: which rows have them, how often."""

    def __init__(self) -> None:
        """Hold nothing."""
        self._rows: dict[str, array[int]] = {}
        self._counts: dict[str, array[int]] = {}

    def __len__(self) -> int:
        """Return the number of terms."""
        return len(self._rows)

    def __iter__(self) -> Iterator[str]:
        """Yield the terms in the order in which they came."""
        return iter(self._rows)

    def __contains__(self, term: str) -> bool:
        """Return whether some row has ``term``."""
        return term in self._rows

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
        also: Named = MappingProxyType({}),
    ) -> npt.NDArray[np.float64]:
        """Return the BM25 score of each row for the query ``terms``, 0 outside ``mask``.

        Args:
            terms: of the query; a repeated one counts once.
            mask: ``[rows]``, what the reader may see.
            lengths: ``[rows]``, number of terms of each row.
            also: see :meth:`coverage`.
        """
        found = np.zeros(len(mask))
        seen = int(mask.sum())
        if not seen:
            return found
        mean = max(1.0, int(lengths[mask].sum()) / seen)
        for term in sorted(set(terms)):
            rows, counts = self._visible(term, mask, also)
            found[rows] += _bm25(counts, lengths[rows] / mean, len(rows), seen)
        return found

    def sessions(
        self, terms: Iterable[str], texts: SessionTexts, spelled: Respelled = MappingProxyType({})
    ) -> npt.NDArray[np.float64]:
        """Return the BM25 score of each row's session, taken as one text, above the mean of all that have a session.

        A row without a session, and one that is not seen, has 0; for ``terms`` see :meth:`scores`. ``spelled`` are
        the terms that count as one of them, with how much.
        """
        size = len(texts.lengths)
        scores = np.zeros(size + 1)
        if texts.seen < 2:  # noqa: PLR2004 - one session tells nothing from another
            return scores[texts.of_row]
        for term in sorted(set(terms)):
            often = np.zeros(size)
            for worth, one in ((1.0, term), *spelled.get(term, ())):
                rows, counts = self._postings(one)
                often += worth * np.bincount(texts.of_row[rows], counts, size + 1)[:size]
            held = np.flatnonzero(often)
            scores[held] += _bm25(often[held], texts.lengths[held], len(held), texts.seen)
        # Without rounding, so that sessions nobody sees, which add nothing, do not change how it is summed up.
        held = np.flatnonzero(scores)
        scores[:size] -= math.fsum((scores[held] * texts.rows[held]).tolist()) / int(texts.rows.sum())
        found: npt.NDArray[np.float64] = scores[texts.of_row]
        return found

    def idf(self, term: str, mask: npt.NDArray[np.bool_], also: Named = MappingProxyType({})) -> float:
        """Return how rare ``term`` is among the rows of ``mask``; for ``also`` see :meth:`coverage`."""
        return _idf(len(self._visible(term, mask, also)[0]), int(np.count_nonzero(mask)))

    def coverage(
        self, terms: Iterable[str], mask: npt.NDArray[np.bool_], also: Named = MappingProxyType({})
    ) -> npt.NDArray[np.float64]:
        """Return the share of the query ``terms`` that each row of ``mask`` has, weighed by how rare each is there.

        ``also`` are the rows that a term counts for where their text does not have it.
        """
        found, whole, seen = np.zeros(len(mask)), 0.0, int(mask.sum())
        for term in sorted(set(terms)):
            rows, _ = self._visible(term, mask, also)
            idf = _idf(len(rows), seen)
            found[rows] += idf
            whole += idf
        return found / whole if whole else found

    def _visible(
        self, term: str, mask: npt.NDArray[np.bool_], also: Named = MappingProxyType({})
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Return the rows of ``mask`` that have ``term``, and how often."""
        rows, often = self._postings(term)
        visible = mask[rows]
        rows, counts = rows[visible], often[visible].astype(np.float64)
        if term in also:
            lacking = also[term] & mask
            lacking[rows] = False
            more = np.flatnonzero(lacking).astype(np.int32)
            rows, counts = np.concatenate([rows, more]), np.concatenate([counts, np.ones(len(more))])
        return rows, counts

    def _postings(self, term: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint16]]:
        """Return the rows that have ``term`` and how often, to be let go before a row is added."""
        rows = np.frombuffer(self._rows.get(term, b""), dtype=np.int32)
        return rows, np.frombuffer(self._counts.get(term, b""), dtype=np.uint16)

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

    def restore(
        self,
        terms: list[str],
        sizes: npt.NDArray[np.int64],
        rows: npt.NDArray[np.int32],
        counts: npt.NDArray[np.uint16],
    ) -> None:
        """Take in the postings that :meth:`dump` gave.

        Raises:
            ValueError: the sizes do not add up.
        """
        if len(terms) != len(sizes) or int(sizes.sum()) != len(rows) or len(rows) != len(counts):
            message = "postings that do not add up"
            raise ValueError(message)
        end = 0
        for term, size in zip(terms, sizes.tolist(), strict=True):
            start, end = end, end + size
            self._rows[term] = array("i", rows[start:end].tobytes())
            self._counts[term] = array("H", counts[start:end].tobytes())


def _idf(held: int, seen: int) -> float:
    """Return how rare it is that ``held`` of ``seen`` texts have a term."""
    return float(np.log1p((seen - held + 0.5) / (held + 0.5)))


def _bm25(
    counts: npt.NDArray[np.float64], lengths: npt.NDArray[np.float64], held: int, seen: int
) -> npt.NDArray[np.float64]:
    """Return what a term adds to texts that have it ``counts`` times, of ``lengths`` in units of the mean."""
    found: npt.NDArray[np.float64] = _idf(held, seen) * counts * (K1 + 1) / (counts + K1 * (1 - B + B * lengths))
    return found
