"""Least frequently used: what was shown least often goes first, and of these what was shown longest ago.

A policy in a package of its own. It reads the tenant by one Cypher statement, orders what it finds, and leaves the rest
to marskg: ``Leaves`` gives one memory after the other so that nothing is taken before what depends on it, and
``build_plan`` makes the plan with features, digest and bound.
"""

# ruff: noqa: INP001 - a module of its own

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from marskg.policies.core.candidates import Candidate, from_row, members
from marskg.policies.core.plans import (
    REASON_FREED,
    REASON_STRANDED,
    Choice,
    archives,
    build_plan,
    facts,
    parameters_of,
    words,
)
from marskg.policies.streams.leaves import Leaves
from marskg.store.rows.order_keys import key_range

if TYPE_CHECKING:
    from marskg.policies.core.policy import PolicyView
    from marskg.records import Plan
    from marskg.store.rows.index_gaps import Hollow

# Only memories that may go now have a key in this index. The range keeps the statement to its tenant.
CANDIDATES = "MATCH (m:Memory) WHERE m.fifoKey >= $low AND m.fifoKey < $high RETURN m.id AS id ORDER BY m.fifoKey"


class LeastUsed:
    """The policy; one object serves all tenants, so it keeps nothing between two calls."""

    name = "least-used"

    def plan(
        self, view: PolicyView, *, target: int, exclude: frozenset[str] = frozenset(), seed: int | None = None
    ) -> Plan:
        """Return the plan that brings the live weight down to ``target``."""
        uses = _ByUse(view)
        leaves = Leaves(view, uses, exclude=exclude, archive=archives(view))
        choices: list[Choice] = []
        weight = view.weight
        while weight > target and (taken := leaves.take()) is not None:
            weight -= taken[1].weight
            choices.append(_choice(view, taken[1]))
        choices += [
            Choice(candidate, self.name, candidate.times, REASON_STRANDED, stranded=True)
            for candidate in leaves.stranded(weight - target)
        ]
        return build_plan(view, self.name, parameters_of(view), target, choices, seed)


def _choice(view: PolicyView, candidate: Candidate) -> Choice:
    shown = words(facts(view, candidate))
    reason = f"used {shown['accesses']} times, the fewest of all that may go; last {shown['idle']} ago"
    if candidate.freed:
        reason = f"{reason}; {REASON_FREED}"
    return Choice(candidate, LeastUsed.name, candidate.times, reason)


class _ByUse:
    """The candidates by (superseded first, uses, last use, sequence)."""

    def __init__(self, view: PolicyView) -> None:
        low, high = key_range(view.tenant)
        found = view.run(CANDIDATES, {"low": low, "high": high})
        rows = members(view, [str(row["id"]) for row in found])
        self._queue = [(self.place(one), one) for one in map(from_row, rows)]
        heapq.heapify(self._queue)

    def peek(self) -> tuple[str, int, int, int] | None:
        """Return the place of the next candidate, None when there is none."""
        return self._queue[0][0] if self._queue else None

    def pop(self) -> Candidate:
        """Return the next candidate and move past it."""
        return heapq.heappop(self._queue)[1]

    def upcoming(self, limit: int) -> list[Candidate]:
        """Return up to ``limit`` of the next candidates."""
        return [one for _, one in heapq.nsmallest(limit, self._queue)]

    def place(self, candidate: Candidate) -> tuple[str, int, int, int]:
        """Return the place of a candidate in the order."""
        return candidate.rank, candidate.times, candidate.last, candidate.sequence

    def hollows(self, taken: set[str]) -> list[tuple[str, Hollow]]:  # noqa: ARG002 - a stream's interface
        """Return none: the order is not that of an index."""
        return []
