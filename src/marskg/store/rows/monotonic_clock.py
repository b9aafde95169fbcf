"""A tenant's clock: monotonic for the handles of a process, and aware of jumps of the wall clock.

Guarantees: the handles of one tenant in a process never read an earlier time than one of them has read, but for what
they read during a jump that nobody recorded and that was taken back. A wall clock that runs away from the elapsed
clock by more than :data:`~marskg.clock.JUMP_MS` has jumped, until it is back in step, a person confirms it, or both
clocks agree for :data:`~marskg.clock.AGREEMENT_MS`. Time that passes while a store is closed or idle is no jump, and a
clock that tells no elapsed time never jumps. Another process goes by the records alone. Source: semantics section 10.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from weakref import WeakValueDictionary

from marskg.clock import AGREEMENT_MS, JUMP_MS, MAX_MS, ElapsedClock, whole_milliseconds
from marskg.errors import ClockJump

if TYPE_CHECKING:
    from marskg.clock import Clock

#: What callers are told with every answer while expiry is suspended.
SUSPENDED = (
    "the clock jumped, so expiry is suspended: set the clock right, or confirm it with mars maintenance confirm-clock; "
    "it goes on by itself once the clock has run evenly for an hour"
)


@dataclass(frozen=True, slots=True)
class ClockReading:
    """One reading of a tenant's clock.

    ``now`` is the time, epoch milliseconds; ``jumped_from`` the last time before a jump that is neither taken back nor
    believed, None where there is none; ``agreed`` how long wall clock and elapsed clock have agreed in this process, in
    milliseconds, None for a clock that never jumps; ``steady`` whether they have since the tenant was opened in it.
    """

    now: int
    jumped_from: int | None = None
    agreed: int | None = None
    steady: bool = False

    @property
    def believable(self) -> bool:
        """Return whether both clocks have agreed for so long that the wall clock is believed after a jump."""
        return self.agreed is not None and self.agreed >= AGREEMENT_MS


class Offsets:
    """How far a clock's wall time is from its elapsed time; another clock's says nothing about it."""

    def __init__(self, clock: Clock) -> None:
        """Know nothing yet of ``clock``, which this keeps alive."""
        self.clock = clock
        #: Wall clock minus elapsed clock: as it is believed, and since when it has been what it is.
        self.believed: int | None = None
        self.current = 0
        self.agreed_from = 0
        self.steady = True

    def believe(self, wall: int, elapsed: int) -> None:
        """Take ``wall`` for right."""
        self.believed = self.current = wall - elapsed
        self.agreed_from = elapsed

    def shift(self, offset: int, elapsed: int) -> None:
        """Know that the wall clock jumped to ``offset``, which nobody believes yet."""
        self.current, self.agreed_from, self.steady = offset, elapsed, False


class ClockWatch:
    """What the handles of one tenant in a process have read from their clocks; safe to be used by several threads."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._lock = threading.Lock()
        #: The latest time that was read while the clock had not jumped.
        self._latest = 0
        #: By the identity of clocks that are in use.
        self._offsets: WeakValueDictionary[int, Offsets] = WeakValueDictionary()

    def offsets(self, clock: Clock) -> Offsets:
        """Return what all handles that read ``clock`` know of it."""
        with self._lock:
            return self._offsets.setdefault(id(clock), Offsets(clock))

    def read(self, wall: int, elapsed: int | None, offsets: Offsets) -> ClockReading:
        """Return what a wall clock that shows ``wall`` says, with ``elapsed`` on its elapsed clock.

        During a jump time goes on with the elapsed clock, where that is ahead: what is private ends all the same.

        Raises:
            ClockJump: no record could carry that time.
        """
        if wall > MAX_MS:
            msg = f"the clock says {wall} ms since 1970, which is after the year 9999; set the clock and try again"
            raise ClockJump(msg)
        with self._lock:
            if elapsed is None:
                self._latest = max(self._latest, wall)
                return ClockReading(self._latest)
            offset = wall - elapsed
            if offsets.believed is None:
                offsets.believe(wall, elapsed)
            elif abs(offset - offsets.current) > JUMP_MS:
                offsets.shift(offset, elapsed)
            agreed = elapsed - offsets.agreed_from
            believed = offset if offsets.believed is None else offsets.believed
            if abs(offset - believed) > JUMP_MS:
                passed = believed + elapsed if believed + elapsed <= MAX_MS else 0
                return ClockReading(max(wall, self._latest, passed), min(wall, self._latest), agreed)
            self._latest = max(self._latest, wall)
            return ClockReading(self._latest, None, agreed, offsets.steady)

    def believe(self, wall: int, elapsed: int | None, offsets: Offsets) -> None:
        """Take ``wall`` for right from now on, wherever it is."""
        with self._lock:
            self._latest = wall
            if elapsed is not None:
                offsets.believe(wall, elapsed)

    def forget(self) -> None:
        """Know nothing, as the next process that opens the tenant."""
        with self._lock:
            self._latest = 0
            for one in self._offsets.values():
                one.believed, one.steady = None, True


class Shared(Protocol):
    """What all handles of a tenant in a process share."""

    watch: ClockWatch


class SteadyClock:
    """A tenant's clock as its handles in this process read it."""

    def __init__(self, clock: Clock, shared: Shared) -> None:
        """Read ``clock``; what was read is kept with what all handles share, which this keeps alive."""
        self._clock = clock
        # Looked up once: to ask a protocol whether a clock is one takes longer than to read it.
        self._elapsed = clock.elapsed_ms if isinstance(clock, ElapsedClock) else None
        self._shared = shared
        self._offsets = shared.watch.offsets(clock)

    def now_ms(self) -> int:
        """Return the time, epoch milliseconds; see :meth:`read`."""
        return self.read().now

    def wall_ms(self) -> int:
        """Return what the wall clock shows, epoch milliseconds; no store's time is before 1970."""
        return self._both()[0]

    def read(self) -> ClockReading:
        """Return the time with what is known of jumps.

        Raises:
            ClockJump: the clock shows no time that a record could carry.
        """
        return self._shared.watch.read(*self._both(), self._offsets)

    def believe(self) -> int:
        """Take the wall clock for right, and return its time."""
        wall, elapsed = self._both()
        self._shared.watch.believe(wall, elapsed, self._offsets)
        return wall

    def _both(self) -> tuple[int, int | None]:
        wall = max(0, whole_milliseconds("now_ms", self._clock.now_ms()))
        return wall, None if self._elapsed is None else whole_milliseconds("elapsed_ms", self._elapsed())
