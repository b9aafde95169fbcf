"""Which terms each row has: the postings of :class:`~marskg.retrieval.index.lexical.Lexical` read the other way.

Guarantees: holds numbers alone, no word; a term has the same number on every machine.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from marskg.retrieval.index.lexical import Lexical

_NONE = np.zeros(0, dtype=np.uint32)


class RowTerms:
    """The terms of rows, by their numbers."""

    def __init__(self) -> None:
        """Hold nothing."""
        self._rows: dict[int, npt.NDArray[np.uint32]] = {}

    def put(self, row: int, terms: Iterable[str]) -> None:
        """Take in a row with its ``terms``, each once or more."""
        self._rows[row] = np.array(sorted({_number(term) for term in terms}), dtype=np.uint32)

    def of(self, row: int) -> npt.NDArray[np.uint32]:
        """Return the numbers of the terms of ``row``, ascending."""
        return self._rows.get(row, _NONE)

    def remove(self, row: int) -> None:
        """Forget a row."""
        self._rows.pop(row, None)

    def renumber(self, places: npt.NDArray[np.int64]) -> None:
        """Move every row ``r`` to ``places[r]``."""
        self._rows = {int(places[row]): held for row, held in self._rows.items()}

    def restore(self, lexical: Lexical) -> None:
        """Take in what all postings say."""
        by_term = [(_number(term), lexical.rows(term)) for term in lexical]
        if not by_term:
            return
        rows = np.concatenate([held for _, held in by_term])
        numbers = np.repeat(np.array([n for n, _ in by_term], dtype=np.uint32), [len(held) for _, held in by_term])
        order = np.lexsort((numbers, rows))
        rows, numbers = rows[order], numbers[order]
        starts = np.flatnonzero(np.diff(rows, prepend=-1))
        self._rows = dict(zip(rows[starts].tolist(), np.split(numbers, starts[1:]), strict=True))


def _number(term: str) -> int:
    return zlib.crc32(term.encode())
