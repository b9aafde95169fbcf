"""The leaves that a policy may evict, in its order, while new leaves appear as it goes (semantics I3).

Guarantees: a memory comes only after everything that keeps it: what depends on it with content has been taken before,
or, where the policy archives, what depends on it live. Nothing protected and nothing excluded comes at all. Each
taken memory costs a bounded number of reads, however large the store is.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from marskg.ontology.vocabulary import Tier
from marskg.policies.candidates import Candidate, from_row, policy_statement
from marskg.store.order import key_range

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from marskg.policies.policy import PolicyView

#: A place in a policy's order: comparable with every other place of the same stream, and never equal to one.
Place: TypeAlias = "Any"

#: How many of the next candidates have their bases read together.
_AHEAD = 32


class Stream(Protocol):
    """The evictable memories of the store in a policy's order, read as far as asked for."""

    def peek(self) -> Place | None:
        """Return the place of the next candidate, or None when there is none."""
        ...

    def pop(self) -> Candidate:
        """Return the next candidate and move past it."""
        ...

    def upcoming(self, limit: int) -> list[Candidate]:
        """Return up to ``limit`` of the candidates that come next, as far as they are read already, in order."""
        ...

    def place(self, candidate: Candidate) -> Place | None:
        """Return the place of a memory that the store's index does not hold yet, None if the policy spares it."""
        ...


class Leaves:
    """Merges a stream with the bases that become leaves while a plan is made."""

    def __init__(self, view: PolicyView, stream: Stream, *, exclude: frozenset[str], archive: bool) -> None:
        """Start at the stream's head; ``archive`` says that what is taken keeps its content."""
        self._view = view
        self._stream = stream
        self._exclude = exclude
        self._archive = archive
        self._freed: list[tuple[Place, Candidate]] = []
        self._bases: dict[str, list[str]] = {}
        self._rows: dict[str, Mapping[str, Any]] = {}
        self._waiting: dict[str, int] = {}
        self._taken: set[str] = set()

    def take(self) -> tuple[Place, Candidate] | None:
        """Return the next leaf with its place, and count it as gone; None when there is no leaf left."""
        while True:
            found = self._next()
            if found is None:
                return None
            if found[1].id not in self._exclude and found[1].id not in self._taken:
                self._remove(found[1])
                return found

    def _next(self) -> tuple[Place, Candidate] | None:
        place = self._stream.peek()
        if self._freed and (place is None or self._freed[0][0] < place):
            return heapq.heappop(self._freed)
        return None if place is None else (place, self._stream.pop())

    def _remove(self, candidate: Candidate) -> None:
        self._taken.add(candidate.id)
        if candidate.id not in self._bases:
            ahead = [*self._stream.upcoming(_AHEAD), *(other for _, other in self._freed)]
            self._learn([candidate.id, *(other.id for other in ahead if other.id not in self._bases)])
        for base in self._bases[candidate.id]:
            self._waiting[base] -= 1
            if self._waiting[base] == 0 and _is_free(self._rows[base]):
                freed = from_row(self._rows[base], freed=True)
                place = self._stream.place(freed)
                if place is not None:
                    heapq.heappush(self._freed, (place, freed))

    def _learn(self, ids: list[str]) -> None:
        """Read what these memories depend on."""
        self._bases.update({node_id: [] for node_id in ids})
        fresh = []
        for row in self._view.run(policy_statement("bases"), {"refs": self._refs(ids)}):
            self._bases[row["dependent"]].append(row["id"])
            if row["id"] not in self._rows:
                self._rows[row["id"]] = row
                self._waiting[row["id"]] = row["blockers"] or 0
                fresh.append(row["id"])
        if self._archive and fresh:
            self._waiting.update(self._live_dependents(fresh))

    def _live_dependents(self, ids: Iterable[str]) -> dict[str, int]:
        """Return how many live memories that are not taken yet depend on each of ``ids``."""
        counts = dict.fromkeys(ids, 0)
        rows = self._view.run(policy_statement("live-dependents"), {"refs": self._refs(counts)})
        counts.update({row["id"]: row["live"] for row in rows})
        for taken in self._taken:
            for base in self._bases.get(taken, ()):
                if base in counts:
                    counts[base] -= 1
        return counts

    def _refs(self, ids: Iterable[str]) -> list[str]:
        return [f"{self._view.tenant}|{node_id}" for node_id in ids]

    def stranded(self) -> list[Candidate]:
        """Return what is kept only by memories out of the live tier, the oldest first.

        Nothing but a latent dependent keeps these memories from being leaves. Archiving them frees their tokens and
        keeps closure, so the protected set stays the only floor below which a policy cannot get (semantics I3).
        """
        low, high = key_range(self._view.tenant)
        rows = self._view.run(policy_statement("stranded"), {"low": low, "high": high})
        blocked = {row["id"]: row for row in rows if row["id"] not in self._taken and row["id"] not in self._exclude}
        if not blocked:
            return []
        live = self._live_dependents(blocked)
        self._bases.update({node_id: [] for node_id in blocked})
        for row in self._view.run(policy_statement("bases"), {"refs": self._refs(blocked)}):
            self._bases[row["dependent"]].append(row["id"])
        ready = [(row["created"], row["sequence"], node_id) for node_id, row in blocked.items() if live[node_id] <= 0]
        heapq.heapify(ready)
        found = []
        while ready:
            node_id = heapq.heappop(ready)[2]
            found.append(from_row(blocked[node_id], freed=True))
            for base in self._bases[node_id]:
                if base in live:
                    live[base] -= 1
                    if live[base] == 0:
                        heapq.heappush(ready, (blocked[base]["created"], blocked[base]["sequence"], base))
        return found


def _is_free(row: Mapping[str, Any]) -> bool:
    return (row["guards"] or 0) < 1 and row["tier"] == Tier.LIVE.value
