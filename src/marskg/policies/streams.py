"""A stream of candidates that an index holds in the policy's own order: FIFO, LRU and Random-Drop.

Guarantees: reads pages of the index in order, each twice as long as the one before up to a bound, and never a row
before the one that was asked for; taking k of n memories reads O(k) rows, whatever n is (MaRS Table 1).
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from marskg.policies.candidates import Candidate, from_row, policy_statement
from marskg.store.order import key_range

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from marskg.policies.policy import PolicyView

FIRST_PAGE = 32
MAX_PAGE = 2048


class KeyStream:
    """Follows one order key through its index."""

    def __init__(self, view: PolicyView, statement: str, key_name: str, place: Callable[[Candidate, str], str]) -> None:
        """Follow ``key_name`` by the named ``statement``; ``place`` gives the key of a memory without one.

        It is called with the memory and the key that was taken last.
        """
        self._view = view
        self._statement = policy_statement(statement)
        self._low = view.low(key_name)
        self._high = key_range(view.tenant)[1]
        self._place = place
        self._rows: deque[Mapping[str, Any]] = deque()
        self._page = FIRST_PAGE
        self._more = True
        self._last = ""

    def peek(self) -> str | None:
        """Return the key of the next candidate, or None when there is none."""
        if not self._rows and self._more:
            self._read()
        return str(self._rows[0]["key"]) if self._rows else None

    def _read(self) -> None:
        bounds = {"low": self._low, "high": self._high, "limit": self._page}
        rows = self._view.run(self._statement, bounds)
        self._more = len(rows) == self._page
        self._page = min(2 * self._page, MAX_PAGE)
        if rows:
            # Keys have one width, so this comes right after the last one and before any other.
            self._low = f"{rows[-1]['key']}0"
        self._rows.extend(rows)

    def pop(self) -> Candidate:
        """Return the next candidate and move past it."""
        row = self._rows.popleft()
        self._last = row["key"]
        return from_row(row)

    def upcoming(self, limit: int) -> list[Candidate]:
        """Return up to ``limit`` of the candidates that are read but not taken."""
        return [from_row(self._rows[index]) for index in range(min(limit, len(self._rows)))]

    def place(self, candidate: Candidate) -> str:
        """Return the key that a memory without one would have."""
        return self._place(candidate, self._last)
