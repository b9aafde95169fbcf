"""Some memories of a tenant in a policy's own order: those that count against one user's or conversation's budget.

Guarantees: the places are those that the policy's order gives them, so the order among them is the policy's; what is
younger than its kind's minimum lifetime comes after all else; nothing but these memories comes at all. Costs a read of
each of them, and none of any other: a budget of its own keeps them few, however large the store is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from marskg.ontology.vocabulary import Tier
from marskg.policies.core.candidates import from_row, members

if TYPE_CHECKING:
    from marskg.policies.core.candidates import Candidate
    from marskg.policies.core.policy import PolicyView
    from marskg.policies.streams.leaves import Place, Stream
    from marskg.store.rows.index_gaps import Gap

_PAGE: Final = 500


class MemberStream:
    """The evictable ones of some memories."""

    def __init__(self, view: PolicyView, order: Stream, within: frozenset[str]) -> None:
        """Give what is ``within`` the places that ``order`` has for it."""
        self._view = view
        self._order = order
        self._within = within
        self._entries: list[tuple[Place, Candidate]] | None = None

    def _read(self) -> list[tuple[Place, Candidate]]:
        """Return what may still go, what goes first last."""
        if self._entries is None:
            ids = sorted(self._within)
            rows: list[dict[str, Any]] = []
            for start in range(0, len(ids), _PAGE):
                rows += members(self._view, ids[start : start + _PAGE])
            free = [from_row(row) for row in rows if row["key"] is not None and row["tier"] == Tier.LIVE.value]
            found = [(place, candidate) for candidate in free if (place := self.place(candidate)) is not None]
            self._entries = sorted(found, key=lambda entry: entry[0], reverse=True)
        return self._entries

    def peek(self) -> Place | None:
        """Return the place of the next candidate, or None when there is none."""
        entries = self._read()
        return entries[-1][0] if entries else None

    def pop(self) -> Candidate:
        """Return the next candidate and move past it."""
        return self._read().pop()[1]

    def upcoming(self, limit: int) -> list[Candidate]:
        """Return up to ``limit`` of the candidates that come next."""
        return [candidate for _, candidate in self._read()[: -limit - 1 : -1]]

    def place(self, candidate: Candidate) -> Place | None:
        """Return the place of a memory, None where it is none of these."""
        if candidate.id not in self._within:
            return None
        place = self._order.place(candidate)
        least = self._view.settings.partitions.lifetimes[candidate.kind]
        return None if place is None else (candidate.created > self._view.now - least, place)

    def index_gaps(self, taken: set[str]) -> list[tuple[str, Gap]]:
        """Return nothing: no index of the engine is read in order."""
        del taken
        return []
