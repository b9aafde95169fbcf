"""A stream of candidates that an index holds in the policy's own order: FIFO, LRU and Random-Drop.

Guarantees: reads pages of the index in order, each twice as long as the one before up to a bound, and never a row
before the one that was asked for; taking k of n memories reads O(k) rows, whatever n is (MaRS Table 1).
"""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from marskg.policies.core.candidates import Candidate, from_row, policy_statement
from marskg.store.rows.index_gaps import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from marskg.policies.core.policy import PolicyView
    from marskg.policies.streams.leaves import Stream

#: No trigger marks more memories than this as next in line (MaRS section 5.3): a mark is a write.
MAX_MARKS = 8
_FIRST_PAGE = 16
_MAX_PAGE = 2048


@runtime_checkable
class Hysteresis(Protocol):
    """A stream whose next candidates are marked, so that a small gain does not take them off the list."""

    def next_in_line(self, limit: int) -> list[Candidate]:
        """Return up to ``limit`` of the candidates that surely come next."""
        ...


def marks_of(streams: Iterable[Stream], limit: int, exclude: frozenset[str]) -> tuple[str, ...]:
    """Return what surely comes next, where the order has hysteresis, unless it is marked already."""
    near = [one for stream in streams if isinstance(stream, Hysteresis) for one in stream.next_in_line(limit)]
    return tuple(one.id for one in near if not one.marked and one.id not in exclude)


class KeyStream:
    """Follows one order key through its index."""

    def __init__(
        self,
        view: PolicyView,
        statement: str,
        key_name: str,
        place: Callable[[Candidate, str], str],
        bounds: tuple[str, str],
    ) -> None:
        """Follow ``key_name`` within ``bounds`` by the named ``statement``; ``place`` gives the key of others.

        It is called with a memory without a key and the key that was taken last.
        """
        self._view = view
        self._statement = policy_statement(statement)
        self._name = key_name
        self._start, self._high = self._low, _ = bounds
        self._skip = deque(one for one in view.index_gaps(key_name) if one.high > self._low and one.low < self._high)
        self._place = place
        self._rows: deque[Mapping[str, Any]] = deque()
        self._passed: list[tuple[str, str]] = []
        self._page = _FIRST_PAGE

    def peek(self) -> str | None:
        """Return the key of the next candidate, or None when there is none."""
        while not self._rows and self._low < self._high:
            self._read()
        return str(self._rows[0]["key"]) if self._rows else None

    def _read(self) -> None:
        """Read one page, up to where the index is known to be empty."""
        while self._skip and self._skip[0].low <= self._low:
            self._low = max(self._low, self._skip.popleft().high)
        high = min(self._skip[0].low, self._high) if self._skip else self._high
        if self._low >= high:
            return
        rows = self._view.run(self._statement, {"low": self._low, "high": high, "limit": self._page})
        # Keys have one width, so this comes right after the last one and before any other.
        self._low = f"{rows[-1]['key']}0" if len(rows) == self._page else high
        self._page = min(2 * self._page, _MAX_PAGE)
        self._rows.extend(rows)

    def pop(self) -> Candidate:
        """Return the next candidate and move past it."""
        row = self._rows.popleft()
        self._passed.append((row["key"], row["id"]))
        return from_row(row)

    def upcoming(self, limit: int) -> list[Candidate]:
        """Return up to ``limit`` of the candidates that are read but not taken."""
        return [from_row(row) for row in islice(self._rows, limit)]

    def place(self, candidate: Candidate) -> str:
        """Return the key that a memory without one would have."""
        return self._place(candidate, self._passed[-1][0] if self._passed else "")

    def index_gaps(self, taken: set[str]) -> list[tuple[str, Gap]]:
        """Return the range that is empty once ``taken`` are gone: from the index's start to what stays."""
        removed = 0
        for _, node_id in self._passed:
            if node_id not in taken:
                break
            removed += 1
        if not removed:
            return []
        return [(self._name, Gap(self._start, f"{self._passed[removed - 1][0]}0", removed))]
