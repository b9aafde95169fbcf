"""The narrative chain in one unit of work: which episode of a session follows which (I6).

Guarantees: ``temporalNext`` links consecutive episodes with content of a session, in the order of ``(validFrom,
sequence)``; a session is read only where its last episode is not known, or an episode goes in before it.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from marskg.ontology.vocabulary import CONTENT_TIERS, EdgeType, Kind
from marskg.store.rows import codec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.records import Memory
    from marskg.store.engine.protocol import Reader, Row

#: Episodes as (validFrom, sequence, id), in order.
Order: TypeAlias = "list[tuple[int, int, str]]"
#: Episodes from which on the order of a session is kept: whoever brings in what was said long ago, and names no
#: session, would read all that there is each time.
_LONG: Final = 500


@dataclass(slots=True, eq=False)
class Sessions:
    """What a writer keeps of sessions between units, each up to date with those that were built so far."""

    #: The last episode of each as (id, validFrom, sequence); None for a session without one.
    tails: dict[str, tuple[str, int, int] | None] = field(default_factory=dict)
    #: The order of long ones that were read.
    orders: dict[str, Order] = field(default_factory=dict)

    def clear(self) -> None:
        """Forget all."""
        self.tails.clear()
        self.orders.clear()


class SessionChain:
    """The links between the episodes of a tenant's sessions, as of now and as they are to be stored."""

    def __init__(self, read: Reader, tenant: str, now: int, kept: Sessions) -> None:
        """Link the episodes of ``tenant``; what is ``kept`` is shared with the writer between units."""
        self._read = read
        self._tenant = tenant
        self._now = now
        self._kept = kept
        self._tails = kept.tails
        #: Links to draw, with when they were made, and links to remove.
        self.added: dict[tuple[str, str], int] = {}
        self.removed: set[tuple[str, str]] = set()
        #: The validFrom of episodes whose place in a session is all that was read of them.
        self.times: dict[str, int] = {}
        self._next: dict[str, str | None] = {}
        self._previous: dict[str, str | None] = {}
        self._orders: dict[str, Order] = {}
        self._entered: dict[str, list[tuple[tuple[int, int], str]]] = {}
        self._left: set[str] = set()

    def begin(self, node_id: str) -> None:
        """Know a new memory, which is in no chain."""
        self._next[node_id] = None
        self._previous[node_id] = None

    def learn(self, node_id: str, following: str | None) -> None:
        """Keep what a stored memory's link says: the first answer is none until its edge is read."""
        if following is not None:
            self._next[node_id] = following
        else:
            self._next.setdefault(node_id, None)

    def neighbours(self, node_id: str) -> tuple[str | None, str | None]:
        """Return the episodes before and after ``node_id`` as far as they are known without reading."""
        return self._previous.get(node_id), self._next.get(node_id)

    def knows_previous(self, node_id: str) -> bool:
        """Return whether it is known what comes before ``node_id``."""
        return node_id in self._previous

    def load(self, sessions: Iterable[str | None]) -> None:
        """Learn in one read the order of the sessions whose last episode is not known."""
        keys = {
            codec.session_key(self._tenant, name): name or ""
            for name in sessions
            if (name or "") not in self._tails and self._known_order(name or "") is None
        }
        if len(keys) < 2:  # noqa: PLR2004 - one session is read when it is needed
            return
        found: dict[str, list[Row]] = {name: [] for name in keys.values()}
        for row in self._read("sessions_episodes", {"sessions": sorted(keys)}):
            found[keys[row["session"]]].append(row)
        for session, rows in found.items():
            self._keep_order(session, rows)

    def enter(self, memory: Memory, sequence: int) -> None:
        """Put a new episode into its session, nearly always at the end; ``sequence`` is that of its record."""
        session = memory.session or ""
        place = (memory.valid_from, sequence)
        if session not in self._tails:
            last = self._order(memory)[-1:]
            self._tails[session] = (last[0][2], *last[0][:2]) if last else None
        tail = self._tails[session]
        self._entered.setdefault(session, []).append((place, memory.id))
        known = self._known_order(session)
        if known is not None:
            insort(known, (*place, memory.id))
        if tail is None or tail[1:] <= place:
            if tail is not None:
                self.times[tail[0]] = tail[1]
                self._join(tail[0], memory.id)
            self._tails[session] = (memory.id, *place)
            return
        order = self._order(memory)
        position = bisect_left(order, (*place, memory.id))
        before = order[position - 1][2] if position else None
        after = order[position + 1][2] if position + 1 < len(order) else None
        self.times.update((other, at) for at, _, other in order[max(0, position - 1) : position + 2])
        self._cut(before, after)
        self._join(before, memory.id)
        self._join(memory.id, after)

    def leave(self, memory: Memory, incoming: Iterable[tuple[str, str, EdgeType]]) -> None:
        """Take an episode that loses its content out of its session, and join its neighbours.

        ``incoming`` are the stored edges that lead to it, where it was not known what comes before it.
        """
        node_id, session = memory.id, memory.session or ""
        for source, _, type_ in incoming:
            if type_ is EdgeType.TEMPORAL_NEXT:
                self._previous[node_id] = source
        before, after = self.neighbours(node_id)
        self._cut(before, node_id)
        self._cut(node_id, after)
        self.begin(node_id)
        if before is not None or after is not None:
            self._join(before, after)
        self._left.add(node_id)
        self._tails.pop(session, None)
        self._orders.pop(session, None)
        self._kept.orders.pop(session, None)
        self._entered[session] = [item for item in self._entered.get(session, ()) if item[1] != node_id]

    def _join(self, first: str | None, second: str | None) -> None:
        """Make ``second`` the episode right after ``first``."""
        if first is not None:
            self._next[first] = second
        if second is not None:
            self._previous[second] = first
        if first is not None and second is not None:
            if (first, second) in self.removed:
                self.removed.discard((first, second))
            else:
                self.added[first, second] = self._now

    def _cut(self, first: str | None, second: str | None) -> None:
        """Cut the link from ``first`` to ``second``."""
        if first is None or second is None:
            return
        if self.added.pop((first, second), None) is None:
            self.removed.add((first, second))

    def _known_order(self, session: str) -> Order | None:
        return self._orders.get(session, self._kept.orders.get(session))

    def _order(self, memory: Memory) -> Order:
        """Return the episodes with content of the memory's session, in order."""
        session = memory.session or ""
        known = self._known_order(session)
        if known is None:
            rows = self._read("session_episodes", {"session": codec.session_key(self._tenant, memory.session)})
            known = self._keep_order(session, rows)
        return known

    def _keep_order(self, session: str, rows: list[Row]) -> Order:
        """Keep the order of a session's stored episodes, and of those that entered it in this unit."""
        order = self._orders[session] = sorted(
            (row["validFrom"], row["sequence"], row["id"])
            for row in rows
            if row["kind"] == Kind.EPISODIC and row["tier"] in CONTENT_TIERS and row["id"] not in self._left
        )
        for place, other in self._entered.get(session, ()):
            insort(order, (*place, other))
        if len(order) >= _LONG:
            self._kept.orders[session] = order
        return order
