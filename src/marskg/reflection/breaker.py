"""When a model that fails is left alone.

Guarantees: after ``limit`` failures in a row it rests for ``pause`` milliseconds of the store's time; then one request
shows whether it is back, and a further failure lets it rest again. An answer forgets all failures. A clock that went
back lets it be asked.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Breaker:
    """The failures of one model in a row, and since when it rests."""

    limit: int = 2
    pause: int = 600_000
    failures: int = 0
    since: int | None = None

    def rests(self, now: int) -> bool:
        """Return whether the model is not to be asked at ``now``, epoch milliseconds."""
        return self.since is not None and self.since <= now < self.since + self.pause

    def told(self, now: int, *, failures: int, requests: int) -> None:
        """Count what became of some ``requests``."""
        if failures < requests:
            self.failures, self.since = 0, None
            return
        self.failures += failures
        if self.failures >= self.limit:
            self.since = now
