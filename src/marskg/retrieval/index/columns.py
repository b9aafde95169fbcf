"""Columns of numbers, one row for each memory, that grow by appending.

Guarantees: a row keeps its place until the columns are compacted; what was never set has the column's default; a
view of a column is as long as there are rows.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Mapping

_FIRST = 1024


class Columns:
    """A table of fixed-width columns; ``shape`` beyond the first axis is allowed (a matrix of vectors)."""

    def __init__(self, specs: Mapping[str, tuple[Any, Any]], widths: Mapping[str, int] | None = None) -> None:
        """Have the columns ``specs``: name → ``(dtype, default)``; ``widths`` makes some of them matrices."""
        self._specs = dict(specs)
        self._widths = dict(widths or {})
        self._data = {name: self._fresh(name, _FIRST) for name in self._specs}
        self.rows = 0

    def _fresh(self, name: str, capacity: int) -> npt.NDArray[Any]:
        dtype, default = self._specs[name]
        shape = (capacity, self._widths[name]) if name in self._widths else (capacity,)
        return np.full(shape, default, dtype=dtype)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return tuple(self._specs)

    def append(self, count: int = 1) -> int:
        """Add ``count`` rows of defaults; returns the first one's number."""
        first, self.rows = self.rows, self.rows + count
        for name, held in self._data.items():
            if len(held) < self.rows:
                grown = self._fresh(name, max(self.rows, 2 * len(held)))
                grown[:first] = held[:first]
                self._data[name] = grown
        return first

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """Return a view of a column, ``[rows]`` or ``[rows, width]``."""
        return self._data[name][: self.rows]

    def fill(self, row: int, values: Mapping[str, Any]) -> None:
        """Put ``values`` into the columns that they name, for a row that exists."""
        for name, value in values.items():
            self._data[name][row] = value

    def keep(self, rows: npt.NDArray[np.intp]) -> None:
        """Keep only ``rows``, in that order; what is dropped is overwritten."""
        for name in self._data:
            kept = self._data[name][rows]
            fresh = self._fresh(name, max(_FIRST, len(kept)))
            fresh[: len(kept)] = kept
            self._data[name] = fresh
        self.rows = len(rows)

    def with_column(self, name: str, values: npt.NDArray[Any]) -> Columns:
        """Return these columns with ``values`` in the place of one, to be read only; the others are the same."""
        found = copy(self)
        found._data = {**self._data, name: values}  # noqa: SLF001 - a copy of itself
        return found

    def replace(self, values: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take all rows of all columns from ``values``.

        Raises:
            ValueError: a column is missing, has another type or another number of rows.
        """
        lengths = {len(values[name]) for name in self._specs}
        if len(lengths) != 1:
            message = "columns of different length"
            raise ValueError(message)
        for name, (dtype, _) in self._specs.items():
            expected = (self._widths[name],) if name in self._widths else ()
            if values[name].dtype != np.dtype(dtype) or values[name].shape[1:] != expected:
                message = f"column {name} has another type or width"
                raise ValueError(message)
            self._data[name] = np.require(values[name], requirements=("C", "W"))
        self.rows = lengths.pop()
