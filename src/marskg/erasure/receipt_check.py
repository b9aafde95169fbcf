"""Checking a receipt: that its signature holds, and that the log says what it says.

Guarantees: a receipt that was changed, or signed by a key that the log never announced, is found; so is one about a
record that the log has not, has otherwise, or says something else of. Details that were erased or pruned after the
receipt was given are no finding: they are not there to be compared. Without a store only the signature is checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from marskg.audit.linkeddata import verify_document
from marskg.erasure.processing_receipts import record_node
from marskg.errors import AuditVerificationFailed, InvalidDocument
from marskg.ontology.vocabulary import NS, Operation
from marskg.records import Finding, Report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from marskg.store.unit.reader import GraphReader

ERASURE: Final = "ErasureReceipt"
PROCESSING: Final = "ProcessingReceipt"
#: A receipt says more than this many statements; less would be one whose terms lead nowhere.
_LEAST: Final = 5


def check_receipt(document: Mapping[str, Any], reader: GraphReader | None = None, log: str = "") -> Report:
    """Check a receipt by its signature and, with ``reader``, against ``log``, the tenant's log of transitions.

    Raises:
        InvalidDocument: it is no receipt of this product.
    """
    if document.get("type") not in (ERASURE, PROCESSING):
        msg = (
            "the file is no receipt; receipts are written by: mars erase --receipt FILE, "
            "mars audit receipt --output FILE"
        )
        raise InvalidDocument(msg)
    where = str(document.get("id"))
    try:
        verified = verify_document(document, minimum=_LEAST)
    except AuditVerificationFailed:
        message = "the signature is not over this receipt: it was changed, or signed by another key"
        return Report(1, (Finding("bad-signature", where, message),))
    # A context of somebody's own may give the same words another meaning; the signature covers what they mean.
    if f"<{where}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{NS}{document['type']}>" not in verified.nquads:
        return Report(1, (Finding("bad-document", where, "the terms of the receipt do not mean what they say"),))
    if reader is None:
        return Report(1)
    announced = reader.keys()
    keys = {f"did:key:{key['publicKey']}#{key['publicKey']}" for key in announced}
    findings = list(_against(document, reader, log, where))
    if verified.verification_method not in keys:
        findings.append(Finding("unknown-key", where, "the receipt is signed by a key that the log has not announced"))
    return Report(1, tuple(findings))


def _against(document: Mapping[str, Any], reader: GraphReader, log: str, where: str) -> Iterator[Finding]:
    if document.get("log") != log:
        yield Finding("wrong-log", where, "the receipt is about a log that is not this tenant's")
        return
    if document["type"] == ERASURE:
        for iri in document.get("erasureRecord", ()):
            said = _stored(reader, log, str(iri))
            if said is None or said["operation"] != f"{NS}{Operation.ERASE}":
                yield Finding("missing-record", str(iri), "the log has no such record of an erasure")
        return
    for told in document.get("receiptRecord", ()):
        said = _stored(reader, log, str(told.get("id")))
        if said is None:
            yield Finding("missing-record", str(told.get("id")), "the log has no such record")
        elif any(told.get(name) != said[name] for name in said if name != "slot"):
            yield Finding("fork", str(told["id"]), "the log has another record of this sequence number")
        else:
            yield from _slots(told, said)


def _slots(told: Mapping[str, Any], said: Mapping[str, Any]) -> Iterator[Finding]:
    stored = {slot["id"]: slot for slot in said.get("slot", ())}
    for slot in told.get("slot", ()):
        if slot.get("id") in stored and slot != stored[slot["id"]]:
            yield Finding("slot-mismatch", str(slot["id"]), "the log says something else of it than the receipt")


def _stored(reader: GraphReader, log: str, iri: str) -> dict[str, Any] | None:
    """Return what a receipt given now would say of a record."""
    base, _, number = iri.partition("#")
    if base != log or not (number.isascii() and number.isdecimal()):
        return None
    record = next(reader.records("t", int(number)), None)
    return record_node(record) if record is not None and record.iri == iri else None
