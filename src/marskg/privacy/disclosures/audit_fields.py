"""What signed records say, as plain values, for whoever has to account for them: sightings, receipts, reports.

Guarantees: a slot whose details were deleted, or that was tampered with, says nothing here; whether the log is sound
is ``verify``'s to say. Numbers are numbers, fields with several values are tuples. Source: semantics section 8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marskg.audit.grammar import Malformed, fields_of, parse_details
from marskg.ontology.vocabulary import Datatype

if TYPE_CHECKING:
    from marskg.records import AuditRecord


def values(record: AuditRecord, slot: int) -> dict[str, Any]:
    """Return the details of one slot by the names of Python's fields; empty where they are gone."""
    try:
        found = parse_details(record.details[slot], record.iri, slot)
    except Malformed:
        return {}
    fields = fields_of(slot)
    out: dict[str, Any] = {}
    for local, texts in found.items():
        field = fields[local]
        items = tuple(int(text) if field.datatype is Datatype.INTEGER else text for text in texts)
        out[field.name] = items if field.many else items[0]
    return out


def about(record: AuditRecord, ident: str) -> dict[str, Any]:
    """Return what a record says of one memory; empty where it says nothing."""
    places = (place for place, name in enumerate(record.memories, 1) if name == ident)
    slot = next(places, None)
    return {} if slot is None else values(record, slot)


def parameter(details: dict[str, Any], name: str) -> str | None:
    """Return one of a record's parameters, which stand as ``name=value``."""
    found = (text.partition("=")[2] for text in details.get("parameters", ()) if text.startswith(f"{name}="))
    return next(found, None)
