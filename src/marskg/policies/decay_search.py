"""The lowest scores of Priority-Decay, found in its index without reading the rest.

Guarantees: candidates come in exactly the ascending order of (rank, score, sequence) that a scan of all of them would
give; a test compares the two. Only ranges whose lowest possible score is below the next candidate's are read.

How: the index holds the candidates along a Morton curve (:mod:`marskg.store.order`), so any aligned range of it is a
rectangle of the two numbers that the score grows with, and its first point bounds the score of the whole range from
below. Ranges not read yet wait in a heap by their bound. The lowest is read for one page; what the page did not cover
falls into aligned ranges with bounds of their own. When the best candidate read is no worse than every bound, it is
next (best-first search; Hjaltason and Samet 1999).
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

from marskg.policies.candidates import Candidate, from_row, policy_statement
from marskg.store.order import (
    DECAY_KEY,
    FIRST_POINT,
    LAST_POINT,
    aligned_ranges,
    decay_coordinates,
    decay_key,
    decay_point,
    decay_score,
    point_score,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.policies.policy import PolicyView

Place = tuple[int, int, int]

_FIRST_PAGE = 32
_MAX_PAGE = 1024


class DecaySearch:
    """A best-first search over the decay index of one tenant."""

    def __init__(self, view: PolicyView) -> None:
        """Start with nothing read."""
        self._view = view
        self._scoring = view.settings.scoring
        self._statement = policy_statement("priority-decay")
        self._found: list[tuple[Place, Mapping[str, Any]]] = []
        self._unread: list[tuple[Place, int, int]] = []
        self._page = _FIRST_PAGE
        low = view.low(DECAY_KEY)
        self._split(decay_point(low, view.tenant) if len(low) > len(view.tenant) + 1 else FIRST_POINT, LAST_POINT)

    def _split(self, low: int, high: int) -> None:
        for first, end in aligned_ranges(low, high):
            heapq.heappush(self._unread, (point_score(self._scoring, first, self._view.now), first, end))

    def peek(self) -> Place | None:
        """Return the place of the next candidate, or None when there is none."""
        while self._unread and not (self._found and self._found[0][0] <= self._unread[0][0]):
            self._read(*heapq.heappop(self._unread)[1:])
        return self._found[0][0] if self._found else None

    def _read(self, low: int, high: int) -> None:
        """Read one page of a range, and put back what of it the page did not cover."""
        tenant = self._view.tenant
        bounds = {"low": decay_key(low, tenant), "high": decay_key(high, tenant), "limit": self._page}
        rows = self._view.run(self._statement, bounds)
        last = low
        for row in rows:
            last = decay_point(row["key"], tenant)
            heapq.heappush(self._found, (point_score(self._scoring, last, self._view.now), row))
        if len(rows) == self._page:
            self._split(last + 1, high)
            self._page = min(self._page + self._page // 2, _MAX_PAGE)

    def pop(self) -> Candidate:
        """Return the next candidate and move past it."""
        return from_row(heapq.heappop(self._found)[1])

    def upcoming(self, limit: int) -> list[Candidate]:
        """Return up to ``limit`` of the lowest candidates that are read; others may come between them."""
        return [from_row(row) for _, row in heapq.nsmallest(limit, self._found)]

    def certain(self, limit: int) -> list[Candidate]:
        """Return up to ``limit`` of the candidates that surely come next, as far as is known without reading on."""
        bound = self._unread[0][0] if self._unread else None
        near = heapq.nsmallest(limit, self._found)
        return [from_row(row) for place, row in near if bound is None or place <= bound]

    def place(self, candidate: Candidate) -> Place:
        """Return the place of a memory that the index does not hold."""
        x, y = decay_coordinates(self._scoring, candidate.kind, candidate.weight, candidate.access)
        score = decay_score(self._scoring, x, y, self._view.now)
        return int(candidate.rank), score, candidate.sequence
