"""The preferences that one unit of work puts and removes.

Guarantees: each of them has its record (I7).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from marskg.audit.record import new_salt
from marskg.ontology.vocabulary import Operation, Tier
from marskg.store.rows import codec
from marskg.store.unit.preference_rules import commitment_to

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.clock import Source
    from marskg.records import Preference
    from marskg.store.rows.name_rules import NameSearch
    from marskg.store.unit.audit_records import AuditRecords
    from marskg.store.unit.preference_rules import PreferenceSet


class PreferenceChanges:
    """What a unit of work changes of the preferences: those it puts, with their salts, and ids of those it takes."""

    def __init__(self, audit: AuditRecords, source: Source, committed: Callable[[str], str | None]) -> None:
        """Change nothing yet; each change is recorded in ``audit``, with what was ``committed`` to before."""
        self._audit = audit
        self._committed = committed
        self._source = source
        self.put_items: dict[str, tuple[Preference, str]] = {}
        self.removed: set[str] = set()
        #: The sequence of the record of the last change; None before one.
        self.sequence: int | None = None
        self._search: tuple[PreferenceSet, NameSearch] | None = None

    def search_of(self, preference_set: PreferenceSet, make: Callable[[], NameSearch]) -> NameSearch:
        """Return what finds the names of ``preference_set``: what ``make`` gave last, if it was for the same."""
        if self._search is None or self._search[0] is not preference_set:
            self._search = (preference_set, make())
        return self._search[1]

    def put(self, preference: Preference, salt: str | None = None) -> Preference:
        """Create or change a preference and record it; returns it with its sequence.

        ``salt`` is the one that it had; a new one is made where it is left out.
        """
        if salt is None:
            preference = replace(preference, sequence=self._audit.next_sequence)
            salt = new_salt(self._source)
        commitment = commitment_to(preference, salt)
        slot = {"memory": preference.id, "tier_after": Tier.LIVE, "node_commitment": commitment}
        self._record(Operation.SET_PREFERENCE, slot)
        self.put_items[preference.id] = (preference, salt)
        self.removed.discard(preference.id)
        return preference

    def remove(self, preference_id: str, reason: str) -> None:
        """Remove a preference and record it."""
        slot = {"memory": preference_id, "tier_before": Tier.LIVE, "tier_after": Tier.GONE, "reason": reason}
        self._record(Operation.REMOVE_PREFERENCE, slot)
        self.put_items.pop(preference_id, None)
        self.removed.add(preference_id)

    def _record(self, operation: Operation, slot: dict[str, Any]) -> None:
        """Record a change; and what was found, so that no change past the log is signed for."""
        changed = self.put_items.get(slot["memory"])
        stands = None if slot["memory"] in self.removed else self._committed(slot["memory"])
        before = stands if changed is None else commitment_to(*changed)
        known = {} if before is None else {"commitment_before": before}
        self.sequence = self._audit.append(operation, {}, [slot | known]).sequence

    def rows(self) -> list[dict[str, Any]]:
        """Return what is to be written of the preferences that are put."""
        return [{**codec.encode_preference(item), "salt": salt} for item, salt in self.put_items.values()]
