"""``mem.audit``: the signed logs, the heads over them, receipts, and the keys that sign.

Guarantees: reading changes nothing; what is sealed keeps its signed core and its proofs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.api import checks
from marskg.api.namespaces.namespace import Namespace
from marskg.erasure.processing_receipts import write_processing_receipt
from marskg.erasure.receipt_check import check_receipt
from marskg.errors import InvalidInput
from marskg.given_time import milliseconds
from marskg.privacy.disclosures.disclosure_log import who_saw
from marskg.store.graph.validation import check_integer, check_text
from marskg.store.tenant import rotate_key
from marskg.store.upkeep import seal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from marskg.api.arguments import AuditNumber, Count, Json
    from marskg.api.checks import ConsistencyProof, InclusionProof
    from marskg.erasure.processing_receipts import ProcessingReceipt
    from marskg.given_time import GivenTime
    from marskg.privacy.disclosures.disclosure_log import Sightings
    from marskg.records import AuditRecord, Report, TreeHead
    from marskg.store.upkeep.seal import Sealed

#: The log of what was changed, and the number of its first record.
TRANSITIONS: Final = "transitions"
FIRST: Final = 1


class Audit(Namespace, name="audit"):
    """The audit of one tenant."""

    # --- What is recorded -----------------------------------------------------------------------------------------

    def records(self, *, log: str = TRANSITIONS, first: AuditNumber = FIRST) -> Iterator[AuditRecord]:
        """Yield the signed records of a log.

        Args:
            log: ``transitions``, or ``accesses`` for what was read.
            first: the number of the first record to yield.

        Raises:
            InvalidInput: there is no such log.
        """
        letter = {TRANSITIONS: "t", "accesses": "a"}.get(log)
        if letter is None:
            msg = f"there is no log {str(log)[:80]!r}; use 'transitions', or 'accesses' for what was read"
            raise InvalidInput(msg)
        return self._components.reader.records(letter, check_integer("first", first, 1))

    def who_saw(self, id: str) -> Sightings:  # noqa: A002 - the name that users see
        """Return who saw a memory, when, for which purpose and by which call, as the log of accesses tells.

        Raises:
            UnknownMemory: neither the store nor its logs have heard of it, and nothing was ever erased.
        """
        return who_saw(self._components.reader, self._components.opened.tenant, check_text("id", id))

    def receipt(self, what: str | AuditNumber) -> ProcessingReceipt:
        """Return a signed receipt of what was done with a memory, by its id, or by one record, by its number.

        It says when, why, by which policy and what depends on it, without content and names; an outsider verifies it
        with any W3C Data Integrity tool. It is kept nowhere.

        Raises:
            UnknownMemory: neither the store nor its log knows the id: it never was, or was erased.
            InvalidInput: the log has no such record.
        """
        number = what if isinstance(what, int) else None
        writer = self._components.writer
        return write_processing_receipt(
            self._components.reader,
            check_text("id", what) if number is None else check_integer("sequence", number, 1),
            log=writer.fresh_state().log,
            now=writer.now(),
            signer=writer.services.signer(),
            source=writer.services.source,
        )

    def check_receipt(self, document: Mapping[str, Json]) -> Report:
        """Check a receipt of an erasure or of processing: its signature, its key, and that the log says the same.

        Raises:
            InvalidDocument: it is no receipt of this product.
        """
        return check_receipt(document, self._components.reader, self._components.writer.fresh_state().log)

    # --- Heads and proofs -----------------------------------------------------------------------------------------

    def sign_head(self) -> TreeHead:
        """Sign the Merkle tree over the transition log as it stands; publish it to be held to it."""
        writer = self._components.writer
        with writer.alone():
            return self._components.ledger.sign_head(writer)

    def sign_heads(self) -> list[TreeHead]:
        """Sign both logs as they stand, for a witness to keep; returns the head of each that has a record."""
        accesses = self._components.ledger.sign_accesses(self._components.writer)
        return [self.sign_head(), *(() if accesses is None else (accesses,))]

    def heads(self) -> list[TreeHead]:
        """Return the signed tree heads of the transition log, smallest first."""
        return self._components.reader.heads(self._components.writer.fresh_state().log)

    def prove(self, sequence: AuditNumber) -> InclusionProof:
        """Return the inclusion proof of a record in the tree of the newest signed head (RFC 9162 section 2.1.3).

        Raises:
            InvalidInput: there is no such record, or no signed head covers it yet.
        """
        return checks.prove(self._components.opened, self._components.writer.fresh_state(), sequence)

    def prove_consistency(self, size: Count) -> ConsistencyProof:
        """Return the proof that the log still begins with the first ``size`` records (RFC 9162 section 2.1.4).

        It is for a witness who holds a signed head of that size. With it comes the newest signed head, which then takes
        the old one's place.

        Raises:
            InvalidInput: there were never so many records, or no signed head covers them yet.
        """
        state = self._components.writer.fresh_state()
        return checks.prove_consistency(self._components.opened, state, check_integer("size", size, 1))

    def seal(
        self, *, sequence: AuditNumber | None = None, before: GivenTime | None = None, dry_run: bool = False
    ) -> Sealed:
        """Let the details of old audit records go; their signed cores and proofs stay, and still check.

        Give one of the first two. In both logs what is from before it goes, but what later checks rest on: how the log
        opened, its keys, its erasures, and the last record of each memory that is in the store.

        Args:
            sequence: of a record of the transitions log: what is from before it.
            before: a time.
            dry_run: change nothing, and return what would be done.

        Raises:
            InvalidInput: none or both are given, there is no such record, or the time is to come.
        """
        self._components.settle()
        moment = self._moment(sequence, None if before is None else milliseconds(before))
        done = seal.seal(self._components.writer, self._components.reader, moment, dry_run=dry_run)
        if done.applied:
            self.sign_head()
        return done

    def _moment(self, sequence: AuditNumber | None, before: int | None) -> int:
        """Return the time of a record, or the one that is given; it is not to come."""
        if (sequence is None) == (before is None):
            msg = "a sealing ends at a record or at a time; give one of sequence and before"
            raise InvalidInput(msg)
        if sequence is None:
            moment = check_integer("before", before, 0)
        else:
            number = check_integer("sequence", sequence, 1)
            record = next(self._components.reader.records("t", number), None)
            if record is None:
                msg = f"the transitions log has no record {number}; see: mars audit list"
                raise InvalidInput(msg)
            moment = record.recorded_at
        if moment > self._components.writer.now():
            msg = (
                f"before is {moment}, which is to come, and what is not recorded yet cannot be sealed; give a past time"
            )
            raise InvalidInput(msg)
        return moment

    # --- Keys -----------------------------------------------------------------------------------------------------

    def rotate_key(self) -> str:
        """Sign with a new key from now on, announced by the old one in both logs; returns the new public key."""
        opened = self._components.opened
        return rotate_key.rotate(self._components.writer, opened.keyring, opened.signer_box)

    def replace_key(self) -> str:
        """Sign with a new key that announces itself because the old one is lost; ``verify`` reports it for ever."""
        opened = self._components.opened
        return rotate_key.replace_lost(self._components.writer, opened.keyring, opened.signer_box)
