"""A clock that does not go back on what was told by it: who heard that something is over does not find it there again.

The store's time is never before its last recorded time; but who only looks, records nothing. Guarantees: the handles of
one tenant in a process never read an earlier time than one of them has read, as long as the clock is put back by a day
at most; put back by more, it is taken for the end of a jump, and only what is recorded counts on. Another process, and
the next one, go by the records alone. Source: semantics section 10.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.clock import DAY_MS

if TYPE_CHECKING:
    from marskg.clock import Clock
    from marskg.store.desk import Desk


class SteadyClock:
    """A tenant's clock as its handles in this process read it."""

    def __init__(self, clock: Clock, desk: Desk) -> None:
        """Read ``clock``; how far it got is kept at ``desk``, for all handles."""
        self._clock = clock
        self._desk = desk

    def now_ms(self) -> int:
        """Return the time, epoch milliseconds: at least what it was, unless it was put back by more than a day."""
        now = self._clock.now_ms()
        if not now < self._desk.latest <= now + DAY_MS:
            self._desk.latest = now
        return self._desk.latest
