"""The times that a question names, by the clock, the zone and the weeks of who asks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from marskg.language.en.time_words import mentions
from marskg.language.times import MONDAY, times_asked

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import tzinfo

    from marskg.language.times import Times


@dataclass(frozen=True)
class NamedTimes:
    """A question, asked ``now`` (epoch milliseconds) in ``zone``; weeks begin on ``week_start``, 0 for Monday."""

    question: str
    now: int
    zone: tzinfo
    week_start: int = MONDAY

    @cached_property
    def times(self) -> Times:
        """Return what the question names."""
        return self.in_years(())

    def in_years(self, years: Iterable[int]) -> Times:
        """Return what the question names; a date without a year is that of each of ``years`` besides."""
        return times_asked(self.question, self.now, self.zone, mentions, week_start=self.week_start, years=years)
