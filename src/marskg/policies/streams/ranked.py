"""A stream of candidates in the order of numbers that were worked out for all of them at once.

Guarantees: candidates come in exactly the ascending order of (rank, number, sequence), as
sorting all of them would give; only as much is sorted as is asked for. What the store says may not go now is passed
over, whatever the numbers were made from.
"""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from marskg.ontology.vocabulary import Tier
from marskg.policies.core.candidates import Candidate, from_row, members

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from marskg.policies.core.features import FeatureTable, Integers
    from marskg.policies.core.policy import PolicyView
    from marskg.store.rows.index_gaps import Gap

    #: Rank, number, sequence.
    Place = tuple[int, int, int]

#: Rows sorted at first, and read at once: each time twice as many as before, up to the most.
_FIRST_PAGE: Final = 64
_READ: Final = 32
_MOST_READ: Final = 1_024


class RankedStream:
    """The rows of a table by ascending ``numbers``."""

    def __init__(
        self, view: PolicyView, table: FeatureTable, numbers: Integers, within: npt.NDArray[np.bool_] | None = None
    ) -> None:
        """Rank ``table`` by ``numbers``, one for each row; only rows of ``within`` take part, if it is given."""
        self._view = view
        self._table = table
        self._numbers = numbers
        self._within = within
        taking_part = table.columns["open"] if within is None else table.columns["open"] & within
        rows = np.flatnonzero(taking_part)
        ranks = table.columns["rank"][rows]
        #: What was not sorted yet, rank by rank: those that go first are looked at first, and often alone.
        self._rest = deque(rows[ranks == rank] for rank in np.unique(ranks))
        self._page = _FIRST_PAGE
        self._reading = _READ
        self._sorted: deque[int] = deque()
        self._rows: deque[tuple[Place, Mapping[str, Any]]] = deque()

    def peek(self) -> Place | None:
        """Return the place of the next candidate, or None when there is none."""
        while not self._rows and (self._sorted or self._rest):
            self._read()
        return self._rows[0][0] if self._rows else None

    def _read(self) -> None:
        """Read what the store says of the next rows; those that may not go are left out."""
        if not self._sorted:
            self._sort()
        rows = [self._sorted.popleft() for _ in range(min(self._reading, len(self._sorted)))]
        self._reading = min(2 * self._reading, _MOST_READ)
        found = {row["id"]: row for row in members(self._view, [self._table.ids[row] for row in rows])}
        for row in rows:
            known = found.get(self._table.ids[row])
            if known is not None and known["key"] is not None and known["tier"] == Tier.LIVE.value:
                self._rows.append((self._place(row), known))

    def _sort(self) -> None:
        """Sort the lowest of the rows of the lowest rank, and all that are as low as the last of them."""
        rows = self._rest.popleft()
        if len(rows) > self._page:
            low = self._numbers[rows]
            mine = low <= np.partition(low, self._page - 1)[self._page - 1]
            if not mine.all():
                self._rest.appendleft(rows[~mine])
            rows = rows[mine]
        self._page *= 2
        order = np.lexsort((self._table.columns["sequence"][rows], self._numbers[rows]))
        self._sorted.extend(rows[order].tolist())

    def _place(self, row: int) -> Place:
        columns = self._table.columns
        return int(columns["rank"][row]), int(self._numbers[row]), int(columns["sequence"][row])

    def pop(self) -> Candidate:
        """Return the next candidate and move past it."""
        return from_row(self._rows.popleft()[1])

    def upcoming(self, limit: int) -> list[Candidate]:
        """Return up to ``limit`` of the candidates that are read but not taken."""
        return [from_row(row) for _, row in islice(self._rows, limit)]

    def place(self, candidate: Candidate) -> Place | None:
        """Return the place of a memory, in the order or not; None where the table does not have it or passes it by."""
        row = self._table.row(candidate.id, candidate.sequence)
        if row is None or (self._within is not None and not self._within[row]):
            return None
        return int(candidate.rank), int(self._numbers[row]), candidate.sequence

    def index_gaps(self, taken: set[str]) -> list[tuple[str, Gap]]:
        """Return nothing: no index of the engine is read in order."""
        del taken
        return []
