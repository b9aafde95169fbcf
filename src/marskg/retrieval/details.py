"""What the records' slots say, for whoever explains: the log's own words, read by the verifier's grammar.

Guarantees: a slot that was deleted, or tampered with, says nothing here; whether the log is sound is ``verify``'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.audit.grammar import Malformed, parse_details

if TYPE_CHECKING:
    from marskg.audit.grammar import Details
    from marskg.records import AuditRecord


def slot_details(record: AuditRecord) -> dict[str, Details]:
    """Return the details of each slot by the memory it is about; the record's own stand under the empty string."""
    names = ("", *record.memories)
    return {
        name: details
        for slot, (name, text) in enumerate(zip(names, record.details, strict=False))
        if (details := _parsed(text, record.iri, slot)) is not None
    }


def _parsed(text: str, record: str, slot: int) -> Details | None:
    try:
        return parse_details(text, record, slot)
    except Malformed:
        return None
