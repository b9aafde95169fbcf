"""Time, identifiers and secrets, injected so that equal inputs give equal stores (semantics, I9).

Guarantees: nothing else in the package reads the wall clock or the operating system's randomness. In production
time is the system's and secrets come from ``secrets``; in a test or a reproducible run :class:`SeededSource` gives
both from one seed.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from datetime import UTC, tzinfo
from typing import Protocol, runtime_checkable
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from marskg.errors import InvalidConfig, InvalidInput

#: One day in milliseconds.
DAY_MS = 86_400_000
#: How far a wall clock may run away from the elapsed one, or lie before the last recorded time, before that is a jump,
#: in milliseconds (semantics section 10).
JUMP_MS = 300_000
#: How long both clocks have to agree after a jump until the wall clock is believed again, in milliseconds.
AGREEMENT_MS = 3_600_000

#: First millisecond of the year 1, the earliest instant with a four-digit xsd:dateTime.
MIN_MS = -62_135_596_800_000
#: Last millisecond of the year 9999, the last instant that xsd:dateTime writes with four digits.
MAX_MS = 253_402_300_799_999


def later(now: int, span: int) -> int:
    """Return the time ``span`` milliseconds after ``now``, or the last one that can be written."""
    return min(now + span, MAX_MS)


def zone_named(name: str) -> tzinfo:
    """Return the time zone of a name of the IANA database, such as ``Europe/Berlin``.

    Raises:
        InvalidConfig: there is none of that name, or the machine has no database of time zones.
    """
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError) as error:
        msg = (
            f"there is no time zone {name[:60]!r}; give a name of the IANA database, such as Europe/Berlin or UTC, "
            "and where the system has none of that database: pip install tzdata"
        )
        raise InvalidConfig(msg) from error


class Clock(Protocol):
    """Anything that tells the time in epoch milliseconds."""

    def now_ms(self) -> int:
        """Return the current time, int64 epoch milliseconds."""
        ...


class Source(Protocol):
    """Anything that gives random bytes."""

    def token(self, size: int) -> bytes:
        """Return ``size`` random bytes."""
        ...


@runtime_checkable
class ElapsedClock(Clock, Protocol):
    """A clock that also tells how much time has passed, however its time is set: what a jump is recognised by.

    A clock without :meth:`elapsed_ms` never jumps (semantics section 10).
    """

    def elapsed_ms(self) -> int:
        """Return the milliseconds since some fixed moment, times of suspension included; it never goes back."""
        ...


def whole_milliseconds(method: str, told: object) -> int:
    """Return what a clock told by its ``method``.

    Raises:
        InvalidInput: it told no whole number.
    """
    if not isinstance(told, int) or isinstance(told, bool):
        msg = (
            f"clock.{method}() returned a value of type {type(told).__name__[:60]}; it must return whole milliseconds, "
            "such as time.time_ns() // 1_000_000"
        )
        raise InvalidInput(msg)
    return int(told)


class SystemClock:
    """The machine's clocks: the wall clock, and the one that counts what has passed since boot."""

    def now_ms(self) -> int:
        """Return the system time in epoch milliseconds."""
        return time.time_ns() // 1_000_000

    def elapsed_ms(self) -> int:
        """Return the time since boot with suspended time, where the system tells it, else the monotonic time."""
        # macOS counts suspended time by CLOCK_MONOTONIC, and not by what Python calls monotonic there.
        clock = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))
        return (time.monotonic_ns() if clock is None else time.clock_gettime_ns(clock)) // 1_000_000


#: What is read where nobody gives a clock: one for all handles of a process, which know its jumps together.
SYSTEM_CLOCK = SystemClock()


class ManualClock:
    """A clock that moves only when told to, for tests and replays.

    >>> clock = ManualClock(1_000)
    >>> clock.advance(500)  # half a second passes
    >>> clock.now_ms(), clock.elapsed_ms()
    (1500, 500)
    >>> clock.jump(60_000)  # somebody sets the wall clock ahead; no time has passed
    >>> clock.now_ms(), clock.elapsed_ms()
    (61500, 500)
    """

    def __init__(self, start_ms: int = 1_750_000_000_000, step_ms: int = 0) -> None:
        """Start at ``start_ms``; every reading of the wall clock advances both by ``step_ms``."""
        self._now = start_ms
        self._elapsed = 0
        self._step = step_ms

    def now_ms(self) -> int:
        """Return the current time, then advance by the step."""
        now = self._now
        self.advance(self._step)
        return now

    def elapsed_ms(self) -> int:
        """Return the milliseconds that have passed since the start."""
        return self._elapsed

    def advance(self, delta_ms: int) -> None:
        """Let ``delta_ms`` pass; a negative value sets the wall clock back, as no time passes backwards."""
        self._now += delta_ms
        self._elapsed += max(0, delta_ms)

    def set(self, now_ms: int) -> None:
        """Let time pass until ``now_ms``, or set the wall clock back to it."""
        self.advance(now_ms - self._now)

    def jump(self, delta_ms: int) -> None:
        """Set the wall clock ahead or back by ``delta_ms`` while no time passes."""
        self._now += delta_ms


class CheckedSource:
    """A source of the caller's, whose bytes are counted: a secret of fewer bytes would be one that can be guessed."""

    def __init__(self, source: Source) -> None:
        """Take the bytes of ``source``."""
        self._source = source

    def token(self, size: int) -> bytes:
        """Return the next ``size`` bytes.

        Raises:
            InvalidInput: the source gave something else.
        """
        given: object = self._source.token(size)
        if not isinstance(given, bytes) or len(given) != size:
            what = f"{len(given)} bytes" if isinstance(given, bytes) else f"a value of type {type(given).__name__[:60]}"
            msg = f"source.token({size}) returned {what}; it must return {size} random bytes, as secrets.token_bytes"
            raise InvalidInput(msg)
        return given


class SystemSource:
    """The operating system's randomness."""

    def token(self, size: int) -> bytes:
        """Return ``size`` bytes from the operating system."""
        return secrets.token_bytes(size)


class SeededSource:
    """A reproducible stream: SHA-256 in counter mode over a seed. Never for production secrets."""

    def __init__(self, seed: int | str) -> None:
        """Start the stream of ``seed`` at its first block."""
        self._seed = str(seed).encode()
        self._counter = 0
        self._buffer = b""

    def token(self, size: int) -> bytes:
        """Return the next ``size`` bytes of the stream."""
        while len(self._buffer) < size:
            self._buffer += hashlib.sha256(self._seed + self._counter.to_bytes(8, "big")).digest()
            self._counter += 1
        out, self._buffer = self._buffer[:size], self._buffer[size:]
        return out


def uuid7(now_ms: int, source: Source) -> str:
    """Return a time-ordered ``urn:uuid:`` (RFC 9562 section 5.7) for ``now_ms`` with 74 bits from ``source``."""
    tail = int.from_bytes(source.token(10), "big")
    value = (now_ms & 0xFFFF_FFFF_FFFF) << 80
    value |= 0x7 << 76 | (tail >> 68 & 0xFFF) << 64
    value |= 0b10 << 62 | (tail & 0x3FFF_FFFF_FFFF_FFFF)
    return f"urn:uuid:{UUID(int=value)}"


def uuid8(digest: str) -> str:
    """Return a ``urn:uuid:`` that follows from a keyed digest (RFC 9562 section 5.8)."""
    value = int.from_bytes(hashlib.sha256(digest.encode()).digest()[:16], "big")
    value = value & ~(0xF << 76) & ~(0b11 << 62) | 0x8 << 76 | 0b10 << 62
    return f"urn:uuid:{UUID(int=value)}"


def is_uuid8(ident: str) -> bool:
    """Return whether an id is one that :func:`uuid8` may have made."""
    return ident[:9] == "urn:uuid:" and ident[23:24] == "8"
