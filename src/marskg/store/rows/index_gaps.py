"""Ranges of the order indexes that are known to hold no key, so that a policy need not read through them.

A log-structured index keeps what was removed from it: reading over 7,000 removed entries costs as much as reading
hundreds that are there, at every trigger, as policies take from the head of an order. So what a plan has emptied is
remembered, for as long as the process lives, and a key that enters such a range cuts it.

Guarantees: a range that is handed out holds no key, provided that every key that enters an index is announced by
:meth:`IndexGaps.fill` before the next reading. Only an engine whose files belong to one process may use this.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from typing import NamedTuple

#: Ranges with fewer removed entries than this are read through: skipping them would cost more.
WORTH_SKIPPING = 32
_MAX_RANGES = 1024


class Gap(NamedTuple):
    """A half-open range of one order's keys without a key in it, and how many were removed from it."""

    low: str
    high: str
    removed: int


class IndexGaps:
    """The empty ranges of one tenant's order indexes."""

    def __init__(self) -> None:
        """Start with none."""
        self._ranges: dict[str, list[Gap]] = {}

    def clear(self) -> None:
        """Forget all; someone else may have written."""
        self._ranges.clear()

    def worth_skipping(self, name: str) -> list[Gap]:
        """Return the empty ranges of ``name`` that hold many removed entries, in order."""
        return [gap for gap in self._ranges.get(name, ()) if gap.removed >= WORTH_SKIPPING]

    def fill(self, name: str, key: str) -> None:
        """Note that ``key`` is now in the index ``name``."""
        ranges = self._ranges.get(name)
        if not ranges:
            return
        position = bisect_right(ranges, key, key=lambda gap: gap.low) - 1
        if position >= 0 and key < ranges[position].high:
            low, high, removed = ranges.pop(position)
            # Where the removed ones were is not known any more: each part may hold them all.
            parts = (Gap(low, key, removed), Gap(f"{key}0", high, removed))
            ranges[position:position] = [part for part in parts if part.low < part.high]

    def add(self, name: str, gap: Gap) -> None:
        """Note that a range of ``name`` has been emptied; joins the empty ranges that it touches."""
        ranges = self._ranges.setdefault(name, [])
        first = bisect_left(ranges, gap.low, key=lambda other: other.high)
        last = bisect_right(ranges, gap.high, key=lambda other: other.low)
        joined = ranges[first:last]
        low = min((gap.low, *(other.low for other in joined)))
        high = max((gap.high, *(other.high for other in joined)))
        del ranges[first:last]
        insort(ranges, Gap(low, high, gap.removed + sum(other.removed for other in joined)))
        if len(ranges) > _MAX_RANGES:
            ranges.remove(min(ranges, key=lambda other: other.removed))
