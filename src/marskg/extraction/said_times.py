"""Since when and until when what a turn says holds, by the words of its time and the time of the turn.

Guarantees: pure; words that name no time, or one that no calendar has, are the turn's own time. What is due looks ahead
("by Friday" is the next one), what is the case begins in the future only where a text says so ("from May").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.language.en.time_words import mentions
from marskg.language.times import times_asked

if TYPE_CHECKING:
    from datetime import tzinfo


def held(words: str | None, at: int, zone: tzinfo, *, due: bool, begins: bool = False) -> tuple[int, int | None]:
    """Return since when and until when something holds, epoch milliseconds; None where it does not end.

    ``words`` are those of its time, ``at`` is when they were said, in ``zone``; what is ``due`` ends then, and what
    ``begins`` may do so after it was said.

    >>> from datetime import UTC
    >>> held("by Friday", 1_764_590_400_000, UTC, due=True), held("in 2019", 1_764_590_400_000, UTC, due=False)
    ((1764590400000, 1764979199000), (1546300800000, None))
    """
    periods = times_asked(f"due {words}" if due or begins else words, at, zone, mentions).periods if words else ()
    if not periods:
        return at, None
    since, until = periods[0].since, periods[0].until
    if due:
        # A period ends before its last moment.
        return at, None if until is None or until <= at else until - 1_000
    return (at if since is None or (since > at and not begins) else since), None
