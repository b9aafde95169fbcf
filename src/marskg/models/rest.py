"""When a model that fails is left alone, and for how long.

Guarantees: after ``limit`` failures in a row it rests, at first for ``first_ms`` and twice as long after each further
failure, ``longest_ms`` at most; then one request shows whether it is back. An answer forgets all failures. A clock that
went back lets it be asked. Times are the caller's, in milliseconds; who calls it from several threads holds a lock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

#: How long a model rests after its first failure, and at most, in milliseconds.
REST_MS: Final = 30_000
LONGEST_REST_MS: Final = 600_000


@dataclass(slots=True)
class Rest:
    """The failures of one model in a row, and since when it rests.

    >>> rest = Rest()
    >>> rest.failed(1_000)
    >>> rest.rests(30_999), rest.rests(31_000)
    (True, False)
    """

    first_ms: int = REST_MS
    longest_ms: int = LONGEST_REST_MS
    limit: int = 1
    failures: int = 0
    since: int | None = None

    @property
    def lasts_ms(self) -> int:
        """Return how long it rests after so many failures.

        >>> [Rest(failures=count).lasts_ms // 1_000 for count in (1, 2, 3, 5, 6, 1_000)]
        [30, 60, 120, 480, 600, 600]
        """
        doublings = min(max(self.failures - self.limit, 0), self.longest_ms.bit_length())
        return min(self.first_ms << doublings, self.longest_ms)

    def set_limits(self, limit: int, first_ms: int, longest_ms: int) -> None:
        """Change how many failures it takes, and how long a rest is at first and at most; what was counted stays."""
        self.limit, self.first_ms, self.longest_ms = limit, first_ms, longest_ms

    def rests(self, now: int) -> bool:
        """Return whether the model is not to be asked at ``now``."""
        return self.since is not None and 0 <= now - self.since < self.lasts_ms

    def failed(self, now: int, failures: int = 1) -> None:
        """Count ``failures`` in a row."""
        self.failures += failures
        if self.failures >= self.limit:
            self.since = now

    def answered(self) -> None:
        """Forget all failures."""
        self.failures, self.since = 0, None
