"""Sessions: which memory was said before which, as a turn means little without the one that it answers; how long each.

Guarantees: the order is by session, then valid time, then sequence, whatever the order in which rows came; beside a row
stand only rows that the reader may see, so that what is hidden between two turns makes them neighbours (semantics
section 9). Kept up row by row. Source: ``docs/explanation/ranking.md`` (what neighbours bring, measured).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from marskg.ontology.vocabulary import KINDS, Kind

if TYPE_CHECKING:
    import numpy.typing as npt

    from marskg.retrieval.index.columns import Columns

#: Rows that are put into their places one by one; more are sorted with all the others.
_FEW: Final = 64
_KEYS: Final = ("session", "validFrom", "sequence")
_EPISODIC: Final = KINDS.index(Kind.EPISODIC)


def is_turn(kind: str, session: str | None) -> bool:
    """Return whether a memory of this kind, said in this session if any, is a turn of a conversation."""
    return kind == Kind.EPISODIC and session is not None


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """``[rows]`` each: the row that was said before, and the one said after it, in the same session; -1 for none."""

    before: npt.NDArray[np.intp]
    after: npt.NDArray[np.intp]


class SessionTexts(NamedTuple):
    """The visible rows of each session as one text.

    ``of_row`` is ``[rows]``, the number of its session, one past the last for what has none or is not seen; the others
    are ``[sessions]``: how many ``rows`` each has, and how many terms, in units of the mean of the ``seen``.
    """

    of_row: npt.NDArray[np.intp]
    rows: npt.NDArray[np.intp]
    lengths: npt.NDArray[np.float64]
    seen: int


class Turns:
    """The rows of an index in the order in which they were said, session by session."""

    def __init__(self, columns: Columns) -> None:
        """Order the rows of ``columns`` when somebody asks."""
        self._columns = columns
        self._order: npt.NDArray[np.intp] | None = None
        # Kept while nothing moves: readers mostly see the same.
        self._beside: tuple[npt.NDArray[np.bool_], Beside] | None = None
        self._texts: tuple[npt.NDArray[np.bool_], SessionTexts] | None = None
        self._fresh: set[int] = set()

    def are(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Return which of ``rows`` are turns, as :func:`is_turn` says it of a memory."""
        found: npt.NDArray[np.bool_] = self._columns["kind"][rows] == _EPISODIC
        return found & (self._columns["session"][rows] >= 0)

    def place_of(self, row: int) -> tuple[int, ...]:
        """Return what the place of a row goes by."""
        return tuple(int(self._columns[name][row]) for name in _KEYS)

    def moved(self, row: int) -> None:
        """Take in that a row is new, or has another place."""
        self._fresh.add(row)
        self._beside = self._texts = None

    def forget(self) -> None:
        """Order all rows anew when somebody asks: they have other numbers."""
        self._order = self._beside = self._texts = None
        self._fresh.clear()

    def beside(self, mask: npt.NDArray[np.bool_]) -> Beside:
        """Return what stands beside each row of ``mask`` among the rows of ``mask``."""
        order = self._ordered()
        if self._beside is not None and np.array_equal(self._beside[0], mask):
            return self._beside[1]
        # A fact that was read out of a turn was not said between that turn and the next one.
        seen = order[(mask & ~self._columns["learned"])[order]]
        sessions = self._columns["session"][seen]
        same = sessions[1:] == sessions[:-1]
        first, second = seen[:-1][same], seen[1:][same]
        found = Beside(np.full(len(mask), -1, dtype=np.intp), np.full(len(mask), -1, dtype=np.intp))
        found.before[second] = first
        found.after[first] = second
        self._beside = (mask.copy(), found)
        return found

    def texts(self, mask: npt.NDArray[np.bool_]) -> SessionTexts:
        """Return the sessions of the rows of ``mask``."""
        if self._texts is not None and np.array_equal(self._texts[0], mask):
            return self._texts[1]
        sessions = self._columns["session"]
        there = mask & (sessions >= 0)
        size = int(sessions.max(initial=-1)) + 1
        rows = np.bincount(sessions[there], minlength=size)
        lengths = np.bincount(sessions[there], self._columns["length"][there], size).astype(np.float64)
        seen = int(np.count_nonzero(rows))
        lengths /= max(1.0, float(lengths.sum()) / max(1, seen))
        found = SessionTexts(np.where(there, sessions, size), rows, lengths, seen)
        self._texts = (mask.copy(), found)
        return found

    def _ordered(self) -> npt.NDArray[np.intp]:
        """Return the rows that have a session, ordered."""
        if self._order is None or len(self._fresh) > _FEW:
            rows = np.flatnonzero(self._columns["session"] >= 0)
            self._order = rows[self._sorted(rows)]
        elif self._fresh:
            fresh = np.array(sorted(self._fresh), dtype=np.intp)
            kept = self._order[~np.isin(self._order, fresh)]
            fresh = fresh[self._columns["session"][fresh] >= 0]
            fresh = fresh[self._sorted(fresh)]
            self._order = np.insert(kept, [self._place(kept, row) for row in fresh.tolist()], fresh)
        self._fresh.clear()
        return self._order

    def _sorted(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        session, since, sequence = (self._columns[name][rows] for name in _KEYS)
        return np.lexsort((sequence, since, session))

    def _place(self, order: npt.NDArray[np.intp], row: int) -> int:
        """Return the place of ``row`` in ``order``."""
        session, since, sequence = self.place_of(row)
        sessions = self._columns["session"][order]
        start, end = np.searchsorted(sessions, [session, session + 1]).tolist()
        others: npt.NDArray[Any] = order[start:end]
        earlier, last = self._columns["validFrom"][others], self._columns["sequence"][others]
        return int(start + ((earlier < since) | ((earlier == since) & (last < sequence))).sum())
