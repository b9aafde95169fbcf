"""Time, identifiers and secrets, injected so that equal inputs give equal stores (semantics, I9).

Guarantees: nothing else in the package reads the wall clock or the operating system's randomness. In production
time is the system's and secrets come from ``secrets``; in a test or a reproducible run :class:`SeededSource` gives
both from one seed.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from typing import Protocol
from uuid import UUID

#: One day in milliseconds; a clock that jumps further ahead suspends expiry (semantics section 10).
DAY_MS = 86_400_000

#: Last millisecond of the year 9999, the last instant that xsd:dateTime writes with four digits.
MAX_MS = 253_402_300_799_999


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


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        """Return the system time in epoch milliseconds."""
        return time.time_ns() // 1_000_000


class ManualClock:
    """A clock that moves only when told to, for tests and replays."""

    def __init__(self, start_ms: int = 1_750_000_000_000, step_ms: int = 0) -> None:
        """Start at ``start_ms``; every reading advances by ``step_ms``."""
        self._now = start_ms
        self._step = step_ms

    def now_ms(self) -> int:
        """Return the current time, then advance by the step."""
        now = self._now
        self._now += self._step
        return now

    def advance(self, delta_ms: int) -> None:
        """Move the clock by ``delta_ms``, which may be negative."""
        self._now += delta_ms

    def set(self, now_ms: int) -> None:
        """Set the clock to ``now_ms``."""
        self._now = now_ms


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
