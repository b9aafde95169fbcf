"""The leaves that a policy may evict, in its order, while new leaves appear as it goes (semantics I3).

Guarantees: a memory comes only after everything that keeps it: what depends on it with content has been taken before,
or, where the policy archives, what depends on it live. Nothing protected and nothing excluded comes at all. Each
taken memory costs a bounded number of reads, however large the store is.
"""

from __future__ import annotations

import heapq
from collections import Counter
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from marskg.ontology.vocabulary import Tier
from marskg.policies.core.candidates import Candidate, from_row, members, policy_statement
from marskg.store.rows.order_keys import key_range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from marskg.policies.core.policy import PolicyView
    from marskg.store.rows.index_gaps import Gap

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

    def index_gaps(self, taken: set[str]) -> list[tuple[str, Gap]]:
        """Return ranges of the stream's index that hold no key once ``taken`` are gone."""
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
        #: All that became a leaf and was not taken, whether or not the stream has a place for it.
        self._waiting: dict[str, Candidate] = {}
        self._rows: dict[str, Mapping[str, Any]] = {}
        #: How many memories keep each known base, and how many of them have been taken.
        self._keepers: dict[str, int] = {}
        self._lost: Counter[str] = Counter()
        self._taken: set[str] = set()

    def turn_to(self, stream: Stream) -> None:
        """Go on in the order of another stream, which starts at its head; what was taken stays taken."""
        self._stream = stream
        placed = ((stream.place(candidate), candidate) for candidate in self._waiting.values())
        self._freed = [(place, candidate) for place, candidate in placed if place is not None]
        heapq.heapify(self._freed)

    def take(self) -> tuple[Place, Candidate] | None:
        """Return the next leaf with its place, and count it as gone; None when there is no leaf left."""
        while True:
            found = self._next()
            if found is None:
                return None
            if found[1].id not in self._exclude and found[1].id not in self._taken:
                self._remove(found[1])
                return found

    def leave(self, candidate: Candidate) -> None:
        """Count a leaf as gone that was taken in another way than from the stream."""
        self._remove(candidate)

    def _next(self) -> tuple[Place, Candidate] | None:
        place = self._stream.peek()
        if self._freed and (place is None or self._freed[0][0] < place):
            return heapq.heappop(self._freed)
        return None if place is None else (place, self._stream.pop())

    def _remove(self, candidate: Candidate) -> None:
        self._taken.add(candidate.id)
        self._waiting.pop(candidate.id, None)
        if not candidate.bases:
            return
        if not self._rows.keys() >= set(candidate.bases):
            self._learn([*candidate.bases, *(base for other in self._upcoming() for base in other.bases)])
        self._lost.update(candidate.bases)
        for base in candidate.bases:
            if self._lost[base] == self._keepers[base] and _is_free(self._rows[base]):
                freed = self._waiting[base] = from_row(self._rows[base], freed=True)
                self._queue(freed)

    def _upcoming(self) -> list[Candidate]:
        """Return what is read already and comes soon: its bases are read together."""
        return self._stream.upcoming(_AHEAD)

    def _queue(self, freed: Candidate) -> None:
        """Put a memory that has become a leaf among those to take."""
        place = self._stream.place(freed)
        if place is not None:
            heapq.heappush(self._freed, (place, freed))

    def _learn(self, ids: Iterable[str]) -> None:
        """Read those of ``ids`` that are not known, and how many memories keep each of them."""
        fresh = [node_id for node_id in dict.fromkeys(ids) if node_id not in self._rows]
        for row in members(self._view, fresh):
            self._rows[row["id"]] = row
            self._keepers[row["id"]] = row["blockers"] or 0
        if self._archive and fresh:
            self._keepers.update(self._live_dependents(fresh))

    def _live_dependents(self, ids: Iterable[str]) -> dict[str, int]:
        """Return how many live memories depend on each of ``ids``."""
        counts = dict.fromkeys(ids, 0)
        refs = [f"{self._view.tenant}|{node_id}" for node_id in counts]
        rows = self._view.run(policy_statement("live-dependents"), {"refs": refs})
        return counts | {row["id"]: row["live"] for row in rows}

    def stranded(self, excess: int, fits: Callable[[str, int], bool] | None = None) -> Iterator[Candidate]:
        """Yield what is kept only by memories out of the live tier, the oldest first, until it frees ``excess`` tokens.

        What does not fit when its turn comes, by its id and weight, stays.

        Nothing but a latent dependent keeps these memories from being leaves. Archiving them frees their tokens and
        keeps closure, so the protected set stays the only floor below which a policy cannot get (semantics I3).
        """
        if excess <= 0:
            return
        low, high = key_range(self._view.tenant)
        rows = self._view.run(policy_statement("stranded"), {"low": low, "high": high})
        blocked = {row["id"]: from_row(row, freed=True) for row in rows}
        for spared in (self._taken | self._exclude) & set(blocked):
            del blocked[spared]
        if not blocked:
            return
        keepers = {node_id: live - self._lost[node_id] for node_id, live in self._live_dependents(blocked).items()}
        ready = [(node.created, node.sequence, node_id) for node_id, node in blocked.items() if not keepers[node_id]]
        heapq.heapify(ready)
        while ready and excess > 0:
            found = blocked[heapq.heappop(ready)[2]]
            if fits is not None and not fits(found.id, found.weight):
                continue
            excess -= found.weight
            yield found
            for base in set(found.bases) & set(blocked):
                keepers[base] -= 1
                if not keepers[base]:
                    heapq.heappush(ready, (blocked[base].created, blocked[base].sequence, base))


def _is_free(row: Mapping[str, Any]) -> bool:
    return (row["guards"] or 0) < 1 and row["tier"] == Tier.LIVE.value
