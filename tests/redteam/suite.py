"""All attempts, and how one is judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.redteam import acting, asking, commands, disguised, reading, tools, writing
from tests.redteam.stage import attempt, leaks

if TYPE_CHECKING:
    from tests.redteam.attempt import Attempt
    from tests.redteam.stage import Side

ALL: Final[tuple[Attempt, ...]] = (
    *reading.attempts(),
    *asking.attempts(),
    *acting.attempts(),
    *writing.attempts(),
    *tools.attempts(),
    *disguised.attempts(),
    *commands.attempts(),
)


def judged(one: Attempt, full: Side, other: Side) -> list[str]:
    """Make an attempt on both sides; returns what it gives away, and whether it ended otherwise than it has to."""
    told, beside = attempt(full, one.act), attempt(other, one.act)
    found = leaks(told, beside if one.paired else None, one.words)
    if told.ended != one.ends:
        found.append(f"it ends with {told.ended}, and not with {one.ends}: {told.said[:300]}")
    return found
