"""Who saw a memory: when, for which purpose, by which call, from the signed log of accesses.

Guarantees: every showing that the access log still tells of is told, the oldest first, also of a memory that is gone;
nothing is told that the log does not say, and reading it is recorded nowhere, as no memory is shown. What was erased
has no details in the log any more: then this says so, with the times of the erasures that the log records, and does
not say which of them it was, because the log does not know. Source: semantics section 8; GDPR Art. 15 (1) (c).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from marskg.answer import Answer
from marskg.errors import UnknownMemory
from marskg.ontology.vocabulary import Operation, Tier
from marskg.privacy.disclosures.audit_fields import about, parameter, values
from marskg.store.rows import codec
from marskg.store.rows.order_keys import key_range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.records import AuditRecord
    from marskg.store.unit.reader import GraphReader

_PAGE: Final = 200
#: What a record without a word for its call was made by.
_UNNAMED: Final = "record_access"


@dataclass(frozen=True, slots=True)
class Sighting(Answer, brief=("at", "by", "call", "how")):
    """One showing of one memory.

    ``record`` is the IRI of the signed record, ``at`` epoch milliseconds, ``by`` who asked, ``purpose`` what for (None
    where none was stated), ``call`` the door: ``retrieve``, ``recall``, ``read_all``, ``profile``,
    ``subject_report`` or ``record_access``; ``how`` the reason in words, if the record has one.
    """

    record: str
    at: int
    by: str
    purpose: str | None
    call: str
    how: str | None = None


@dataclass(frozen=True, slots=True)
class Sightings(Answer, rows="seen"):
    """All showings of one memory, the oldest first.

    ``state`` is its tier, ``gone`` when only the log knows it, or ``unknown`` when neither does: then it never was, or
    it was erased at one of ``erasures`` (epoch milliseconds), after which the log keeps nothing of it.
    ``sealed`` is when details of old showings were last pruned, None if never: there may have been others before.
    """

    id: str
    state: str
    seen: tuple[Sighting, ...]
    erasures: tuple[int, ...] = ()
    sealed: int | None = None


def who_saw(reader: GraphReader, tenant: str, ident: str) -> Sightings:
    """Return who saw the memory ``ident``.

    Raises:
        UnknownMemory: neither the graph nor the logs have heard of it, and nothing was ever erased.
    """
    seen = tuple(sighting(record, ident) for record in _showings(reader, tenant, ident))
    low, high = key_range(f"{tenant}|a")
    pruned = reader.run("sealings", {"low": low, "high": high})
    sealed = int(pruned[0]["recordedAt"]) if pruned else None
    found = reader.nodes((ident,))
    if found:
        return Sightings(ident, found[0][0].tier.value, seen, sealed=sealed)
    if seen or reader.records_of(ident):
        return Sightings(ident, Tier.GONE.value, seen, sealed=sealed)
    erasures = erasure_times(reader)
    if not erasures:
        msg = f"{ident[:60]} is no memory of tenant {tenant!r}, and nothing was ever erased; see: mars audit list"
        raise UnknownMemory(msg)
    return Sightings(ident, "unknown", (), erasures, sealed)


def sighting(record: AuditRecord, ident: str) -> Sighting:
    """Return what an access record says of the showing of one memory."""
    head, details = values(record, 0), about(record, ident)
    return Sighting(
        record=record.iri,
        at=record.recorded_at,
        by=head.get("actor", ""),
        purpose=parameter(head, "purpose"),
        call=parameter(head, "call") or _UNNAMED,
        how=details.get("reason"),
    )


def erasure_times(reader: GraphReader) -> tuple[int, ...]:
    """Return when something was erased in the tenant, each time once, the oldest first."""
    erased = (record for record in reader.records("t") if record.operation is Operation.ERASE and not record.memories)
    return tuple(sorted({record.recorded_at for record in erased}))


def _showings(reader: GraphReader, tenant: str, ident: str) -> Iterator[AuditRecord]:
    """Yield the access records that show a memory, in order."""
    low, high = key_range(f"{tenant}|a")
    while True:
        rows = reader.run("showings_of", {"low": low, "high": high, "id": ident, "limit": _PAGE})
        for row in rows:
            record = codec.decode_record(row["record"])
            if record.operation is Operation.ACCESS:
                yield record
        if len(rows) < _PAGE:
            return
        low = f"{rows[-1]['record']['ref']}\x01"
