"""The lowest scores of Priority-Decay, found in its index without reading the rest.

Guarantees: candidates come in exactly the ascending order of (rank, score, staleness, sequence) that a scan of all of
them would give; a test compares the two. Only ranges whose lowest possible place is before the next candidate's are
read.

How: the index holds the candidates along a Morton curve (:mod:`marskg.store.rows.order_keys`), so any aligned range of
it is a rectangle of the two numbers that the score grows with, and its first point bounds the places in the whole range
from below. Ranges not read yet wait in a heap by their bound. The lowest is read for one page; what the page did not
cover falls into aligned ranges with bounds of their own. When the best candidate read is no worse than every bound, it
is next (best-first search; Hjaltason and Samet 1999).
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from functools import cache
from typing import TYPE_CHECKING, Any

from marskg.policies.core.candidates import Candidate, from_row, members, policy_statement
from marskg.store.rows.index_gaps import Gap
from marskg.store.rows.order_keys import (
    DECAY_KEY,
    FIRST_POINT,
    LAST_POINT,
    DecayScale,
    decay_bound,
    decay_key,
    decay_point,
    key_range,
)
from marskg.store.statements.handling import Statement, handled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.policies.core.policy import PolicyView
    from marskg.store.rows.order_keys import Place

_PAGE = 32
#: Of each of several ranges, most of which hold nothing that is wanted.
_WIDE_PAGE = 4
#: How many ranges one statement reads.
_RANGES = 8
_FIRST_DETAILS = 12
_MAX_DETAILS = 512


class DecaySearch:
    """A best-first search over the decay index of one tenant, or of one kind of its memories."""

    def __init__(self, view: PolicyView, prefix: str) -> None:
        """Start with nothing read of what lies below ``prefix``: the tenant, or a slice of it."""
        self._view = view
        self._prefix = prefix
        self._scale = DecayScale(view.settings.scoring, view.now)
        #: Candidates that were read and wait: their place, their id and their point.
        self._found: list[tuple[Place, str, int]] = []
        self._details: dict[str, Mapping[str, Any]] = {}
        self._batch = _FIRST_DETAILS
        #: Ranges that were not read yet, by the lowest place that can be in them.
        self._unread: list[tuple[Place, int, int]] = [(self._scale.place(FIRST_POINT), FIRST_POINT, LAST_POINT)]
        self._read_ranges: list[tuple[int, int]] = []
        self._popped: list[tuple[int, str]] = []
        low, high = key_range(prefix)
        self._skip = [
            (decay_bound(one.low, prefix), decay_bound(one.high, prefix))
            for one in view.index_gaps(DECAY_KEY)
            if low <= one.low and one.high <= high
        ]

    def peek(self) -> Place | None:
        """Return the place of the next candidate, or None when there is none."""
        while True:
            while self._is_before_the_found():
                self._read_on()
            if not self._found or self._is_known(self._found[0][1]):
                return self._found[0][0] if self._found else None
            heapq.heappop(self._found)  # went away between two reads outside a transaction

    def _is_before_the_found(self) -> bool:
        """Return whether a range that was not read may hold what comes before all that was found."""
        return bool(self._unread) and not (self._found and self._found[0][0] <= self._unread[0][0])

    def _read_on(self) -> None:
        """Read a page of each of the lowest ranges, up to where they are empty, and put back the rest of them."""
        ranges: list[tuple[int, int, int]] = []
        while self._is_before_the_found() and len(ranges) < _RANGES:
            low, high = heapq.heappop(self._unread)[1:]
            end = self._filled(low, high)
            if end > low:
                ranges.append((low, end, high))
            if not self._found:
                break  # Nothing bounds how many ranges there would be to read.
        page = _PAGE if len(ranges) <= 1 else _WIDE_PAGE
        for (low, end, high), rows in zip(ranges, self._pages(ranges, page), strict=True):
            self._keep(low, rows[-1][0] + 1 if len(rows) == page else end, high, rows)

    def _filled(self, low: int, high: int) -> int:
        """Return where the first gap in a range begins; puts back what is behind one at the range's own start."""
        position = bisect_right(self._skip, (low, LAST_POINT)) - 1
        if position >= 0 and self._skip[position][1] > low:
            self._put_back(self._skip[position][1], high)
            return low
        return min(high, self._skip[position + 1][0]) if position + 1 < len(self._skip) else high

    def _pages(self, ranges: list[tuple[int, int, int]], page: int) -> list[list[tuple[int, str]]]:
        """Return the first ``page`` points and ids of each range; all in one statement, as each costs a round trip."""
        prefix = self._prefix
        number = 1 if len(ranges) <= 1 else _RANGES
        bounds: dict[str, Any] = {"limit": page}
        for position in range(number):
            low, end, _ = ranges[position] if position < len(ranges) else (LAST_POINT, LAST_POINT, LAST_POINT)
            bounds |= {f"low{position}": decay_key(low, prefix), f"high{position}": decay_key(end, prefix)}
        rows = self._view.run(_statement(number), bounds) if ranges else []
        points = sorted((decay_point(row["key"], prefix), row["id"]) for row in rows)
        return [points[bisect_left(points, (low, "")) : bisect_left(points, (end, ""))] for low, end, _ in ranges]

    def _keep(self, low: int, end: int, high: int, rows: list[tuple[int, str]]) -> None:
        for point, node_id in rows:
            heapq.heappush(self._found, (self._scale.place(point), node_id, point))
        self._read_ranges.append((low, end))
        self._put_back(end, high)

    def _put_back(self, low: int, high: int) -> None:
        for place, first, end in self._scale.after(low - 1, high):
            heapq.heappush(self._unread, (place, first, end))

    def _is_known(self, node_id: str) -> bool:
        """Return whether the details of a candidate are here; reads them for those around it that are not."""
        if node_id not in self._details:
            near = [other for _, other, _ in heapq.nsmallest(self._batch, self._found) if other not in self._details]
            self._details.update({row["id"]: row for row in members(self._view, near) if row["key"] is not None})
            self._batch = min(2 * self._batch, _MAX_DETAILS)
        return node_id in self._details

    def pop(self) -> Candidate:
        """Return the next candidate and move past it."""
        _, node_id, point = heapq.heappop(self._found)
        self._popped.append((point, node_id))
        return from_row(self._details[node_id])

    def upcoming(self, limit: int) -> list[Candidate]:
        """Return up to ``limit`` of the lowest candidates whose details are read; others may come between them."""
        near = heapq.nsmallest(limit, self._found)
        return [from_row(self._details[node_id]) for _, node_id, _ in near if node_id in self._details]

    def next_in_line(self, limit: int) -> list[Candidate]:
        """Return up to ``limit`` of the candidates that surely come next, as far as is known without reading on."""
        near = [entry for entry in heapq.nsmallest(limit, self._found) if entry[1] in self._details]
        bound = self._unread[0][0] if self._unread else None
        return [from_row(self._details[node_id]) for place, node_id, _ in near if bound is None or place <= bound]

    def place(self, candidate: Candidate) -> Place:
        """Return the place of a memory that the index does not hold."""
        return self._scale.place_of(
            candidate.kind, candidate.weight, candidate.access, candidate.rank, candidate.sequence
        )

    def index_gaps(self, taken: set[str]) -> list[tuple[str, Gap]]:
        """Return the ranges that are empty once ``taken`` are gone: what was read around them, up to what stays."""
        gone = sorted(point for point, node_id in self._popped if node_id in taken)
        stays = [point for _, _, point in self._found]
        stays = sorted(stays + [point for point, node_id in self._popped if node_id not in taken])
        prefix = self._prefix
        found = []
        for low, high in self._read_ranges:
            points = gone[bisect_left(gone, low) : bisect_left(gone, high)]
            cuts = stays[bisect_left(stays, low) : bisect_left(stays, high)]
            edges = [low, *(edge for cut in cuts for edge in (cut, cut + 1)), high]
            for first, end in zip(edges[::2], edges[1::2], strict=True):
                removed = bisect_left(points, end) - bisect_left(points, first)
                if removed:
                    found.append((DECAY_KEY, Gap(decay_key(first, prefix), decay_key(end, prefix), removed)))
        return found


@cache
def _statement(ranges: int) -> Statement:
    """Return the statement that reads ``ranges`` ranges: that of one, over and over."""
    text = policy_statement("priority-decay")
    one = [text.replace("$low", f"$low{number}").replace("$high", f"$high{number}") for number in range(ranges)]
    bounds = (f"low{number} high{number}" for number in range(ranges))
    return Statement("\nUNION ALL\n".join(one), text.name, handled(" ".join((*bounds, "limit"))))
