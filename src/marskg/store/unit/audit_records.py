"""The signed records of one unit of work, and what it changes of those that are stored (I7).

Guarantees: records are numbered on from the tenant's row without a gap, in the order in which they are signed; what an
erasure takes out of stored records is kept apart from what is appended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marskg.audit.record import build_record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.ontology.vocabulary import Operation
    from marskg.records import AuditRecord
    from marskg.store.rows.state import Services, TenantState


class AuditRecords:
    """The records that a unit appends to the two logs of its tenant."""

    def __init__(self, before: TenantState, services: Services, now: int) -> None:
        """Number on from the row ``before`` the unit, and stamp with ``now``."""
        self._before = before
        self._services = services
        self._now = now
        #: Of transitions, in order.
        self.transitions: list[AuditRecord] = []
        #: Of the access log: only a change of the signing key, an erasure and a sealing have them.
        self.accesses: list[AuditRecord] = []
        #: Signing keys that are announced.
        self.announced: list[dict[str, Any]] = []
        #: What leaves stored records: references of transitions that are emptied, and what stays of accesses.
        self.erased_transitions: list[str] = []
        self.erased_accesses: list[dict[str, Any]] = []

    @property
    def next_sequence(self) -> int:
        """Return the sequence number that the next transition gets."""
        return self._before.sequence + len(self.transitions) + 1

    def confirm_clock(self, now: int) -> None:
        """Stamp what follows with ``now``, also where that is before the last recorded time."""
        self._now = now

    def append(
        self, operation: Operation, record_details: Mapping[str, Any], slots: list[dict[str, Any]]
    ) -> AuditRecord:
        """Sign one record of transitions, with a slot for each node that it is about."""
        record = self._signed(self._before.log, self.next_sequence, operation, record_details, slots)
        self.transitions.append(record)
        return record

    def note(self, operation: Operation, **record_details: Any) -> None:
        """Sign one record that is about no single memory."""
        self.append(operation, record_details, [])

    def note_access(self, operation: Operation, **record_details: Any) -> None:
        """Sign one record of the access log that is about no showing."""
        sequence = self._before.access_sequence + len(self.accesses) + 1
        self.accesses.append(self._signed(self._before.access_log, sequence, operation, record_details, []))

    def _signed(
        self,
        log: str,
        sequence: int,
        operation: Operation,
        record_details: Mapping[str, Any],
        slots: list[dict[str, Any]],
    ) -> AuditRecord:
        return build_record(
            tenant=self._before.name,
            log=log,
            sequence=sequence,
            operation=operation,
            now=self._now,
            record_details={"actor": self._services.actor, **record_details},
            node_details=slots,
            signer=self._services.signer(),
            source=self._services.source,
        )
