"""What models have cost a tenant today, and whether another request is within its limits.

Guarantees: a day is one of UTC by the caller's clock; a new one begins at nothing, and a clock that went back does not
begin the day before again. What is written down are numbers alone: nothing of what was asked.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from marskg.clock import DAY_MS

if TYPE_CHECKING:
    from marskg.config.models import ModelSettings

#: The limit that another day does not lift.
TURN_LIMIT: Final = "models.limit.turn"
_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Spent:
    """Requests, tokens and money of one day, a number of days since 1970.

    >>> Spent.read(Spent(20_000, 2, 900, 0.25).written()).at(20_000 * 86_400_000).tokens
    900
    """

    day: int = 0
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0

    @classmethod
    def read(cls, text: str | None) -> Spent:
        """Return what :meth:`written` wrote; nothing spent where it is not there or is something else."""
        try:
            day, calls, tokens, cost = json.loads(text or "")
            return cls(int(day), int(calls), int(tokens), float(cost))
        except (ValueError, TypeError, OverflowError):
            return cls()

    def written(self) -> str:
        """Return it as canonical JSON."""
        return json.dumps([self.day, self.calls, self.tokens, self.cost], separators=(",", ":"))

    def at(self, now: int) -> Spent:
        """Return what is spent of the day of ``now`` (epoch ms)."""
        day = now // DAY_MS
        return self if day <= self.day else Spent(day)

    def plus(self, tokens: int, cost: float, calls: int = 1) -> Spent:
        """Return it with one more request, or with as many."""
        return replace(self, calls=self.calls + calls, tokens=self.tokens + tokens, cost=self.cost + cost)

    def refusal(self, settings: ModelSettings, tokens_in: int) -> str | None:
        """Return the name of the limit that a request of ``tokens_in`` tokens might exceed, None where none."""
        limit, most = settings.limit, tokens_in + settings.limit.answer
        if most > limit.turn:
            return TURN_LIMIT
        if self.tokens + most > limit.day:
            return "models.limit.day"
        dearest = self.cost + price(settings, tokens_in, limit.answer)
        return "models.limit.day_cost" if limit.day_cost is not None and dearest > limit.day_cost else None


@dataclass(slots=True)
class Account:
    """What all models of one tenant have cost today: what is ``written`` down, and what is ``added`` since."""

    written: Spent = field(default_factory=Spent)
    added: Spent = field(default_factory=Spent)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def at(self, now: int) -> Spent:
        """Return what is spent of the day of ``now`` (epoch ms)."""
        added, written = self.added.at(now), self.written.at(now)
        if written.day < added.day:
            return added
        return written.plus(added.tokens, added.cost, added.calls) if written.day == added.day else written

    def know(self, written: Spent) -> None:
        """Take note of what is written down now."""
        self.written = written

    def settle(self, written: Spent, added: Spent) -> None:
        """Take note that of what was added so much is ``written`` down now; another thread may have added more."""
        with self._lock:
            self.written = written
            more = self.added.plus(-added.tokens, -added.cost, -added.calls)
            self.added = more if self.added.day == added.day else self.added

    def add(self, now: int, tokens: int, cost: float) -> None:
        """Count one more request of the day of ``now`` (epoch ms)."""
        with self._lock:
            self.added = self.added.at(now).plus(tokens, cost)


def price(settings: ModelSettings, tokens_in: int, tokens_out: int) -> float:
    """Return what so many tokens cost."""
    return (tokens_in * settings.price.input + tokens_out * settings.price.output) / _MILLION
