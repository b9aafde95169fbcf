"""Rate limit on learning what was erased: after so many refusals that reveal it, everything is refused for a while.

Guarantees: who asks again and again whether a text or a person was erased learns it a fixed number of times in a
stretch of the store's own time, which no clock turns back; then everything that would have to be compared with what was
erased is refused alike, without a look, so that neither the answer nor its time tells anything. The count is kept in
memory, one for all handles that this process has on a tenant, and by number and time alone: of what was asked nothing
stays. Another process counts anew (docs/adr/0030). Source: semantics section 5.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING

from marskg.clock import later
from marskg.errors import ProbingRefused
from marskg.ontology.mapping import time_lexical

if TYPE_CHECKING:
    from marskg.config import SuppressionSettings


class RateLimiter:
    """The times (epoch ms) at which an answer revealed lately that something was erased."""

    def __init__(self) -> None:
        """Begin without any."""
        self._revealed: deque[int] = deque()
        self._lock = threading.Lock()

    def check(self, now: int, settings: SuppressionSettings) -> None:
        """Let a comparison with what was erased be made at ``now`` (epoch ms), if that was not revealed too often.

        Raises:
            ProbingRefused: it was; the message says when it is over.
        """
        if settings.hits is None:
            return
        with self._lock:
            while self._revealed and self._revealed[0] + settings.within <= now:
                self._revealed.popleft()
            if len(self._revealed) < settings.hits:
                return
            over = later(self._revealed[len(self._revealed) - settings.hits], settings.within)
        msg = (
            f"rate limit: {settings.hits} answers revealed lately that something was erased; until "
            f"{time_lexical(over)} nothing is stored that would have to be compared with that: what is about somebody, "
            "and texts of 8 tokens or more; wait, or let the operator set suppression.hits"
        )
        raise ProbingRefused(msg)

    def count(self, now: int) -> None:
        """Count an answer at ``now`` (epoch ms) that revealed it."""
        with self._lock:
            self._revealed.append(now)


_OF_THIS_PROCESS: dict[tuple[str, str], RateLimiter] = {}


def rate_limiter_of(location: str, tenant: str) -> RateLimiter:
    """Return the one count that all handles of this process on a tenant share."""
    return _OF_THIS_PROCESS.setdefault((location, tenant), RateLimiter())
