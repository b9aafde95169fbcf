"""Receipts of storing, summarising, moving and removing: what the signed log says of it, for somebody outside.

Guarantees: a receipt is a JSON-LD document in the terms of the Data Privacy Vocabulary (W3C DPV 2), of PROV-O and of
the ontology, with a W3C Data Integrity proof by the key that signs the tenant's log. What it says of a record is a part
of what the log says, triple by triple, so that whoever has an exported audit finds each of them there; the leaf hash
ties the record to the Merkle tree. It holds no content, no name and no actor: memories by id, reasons from the
product's templates. Of a record whose details are gone it says only what is left. It is kept nowhere.

Its claim is one of

- ``kept``: the content is in the store, in the tier that the last record names;
- ``logical``: the content is in no node, edge or index of the store, but may be in files, and in copies elsewhere.

The claims ``bytes`` and ``keys`` are for erasures, whose receipts are given when they are done
(:mod:`marskg.erasure.receipts`). Source: issue D, point 8; semantics section 8; GDPR Art. 5 (2).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from marskg.answer import Answer
from marskg.audit.linkeddata import DATA_INTEGRITY_V2, add_proof
from marskg.clock import uuid7
from marskg.erasure.receipts import LOGICAL
from marskg.errors import InvalidInput, UnknownMemory
from marskg.ontology.mapping import time_lexical
from marskg.ontology.vocabulary import NS, XSD, EdgeType, Operation, Tier
from marskg.privacy.disclosures.audit_fields import values
from marskg.store.graph.summaries import RULE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from marskg.audit.dataintegrity import Signer
    from marskg.clock import Source
    from marskg.records import AuditRecord
    from marskg.store.unit.reader import GraphReader

KEPT: Final = "kept"
DPV: Final = "https://w3id.org/dpv#"
PROV: Final = "http://www.w3.org/ns/prov#"
#: Seconds in a time of a proof.
_SECONDS: Final = 19
#: What each operation is as processing; what changes what is known of a memory without moving it is ``Modify``.
_PROCESSING: Final = {
    Operation.REMEMBER: "Store",
    Operation.LOAD: "Store",
    Operation.CREATE_ENTITY: "Store",
    Operation.CONSOLIDATE: "Combine",
    Operation.ARCHIVE: "Move",
    Operation.RESTORE: "Move",
    Operation.FORGET: "Remove",
    Operation.EVICT: "Remove",
    Operation.EXPIRE: "Remove",
    Operation.PURGE: "Remove",
    Operation.REMOVE_ENTITY: "Remove",
    Operation.ERASE: "Erase",
}
_GONE: Final = frozenset({Tier.TOMBSTONE.value, Tier.GONE.value})
_REMOVES: Final = frozenset({"Remove", "Erase"})
#: What a receipt repeats of the record's own slot, and of a node's. Who acted is left out, as it may be a name; so are
#: the parameters, which are a tenant's settings.
_HEAD: Final = {
    "policy": "policy",
    "plan_digest": "planDigest",
    "budget": "budget",
    "weight_before": "weightBefore",
    "weight_after": "weightAfter",
    "freed_tokens": "freedTokens",
    "counts": "counts",
}
_NODE: Final = {
    "memory": "memory",
    "tier_before": "tierBefore",
    "tier_after": "tierAfter",
    "weight": "weight",
    "rule": "rule",
    "reason": "reason",
}
_NUMBERS: Final = ("sequence", "budget", "weightBefore", "weightAfter", "freedTokens", "weight", "descendantMemories")
_TERMS: Final = ("operation", "tierBefore", "tierAfter")
_CONTEXT: Final = [
    {
        "@version": 1.1,
        "dpv": DPV,
        "mars": NS,
        "id": "@id",
        "type": "@type",
        "ProcessingReceipt": {"@id": "mars:ProcessingReceipt"},
        "AuditRecord": {"@id": "mars:AuditRecord"},
        "hasProcessing": {"@id": "dpv:hasProcessing", "@type": "@id"},
        "wasDerivedFrom": {"@id": f"{PROV}wasDerivedFrom", "@type": "@id"},
        "log": {"@id": "mars:log", "@type": "@id"},
        "recordedAt": {"@id": "mars:recordedAt", "@type": f"{XSD}dateTime"},
        "receiptOf": {"@id": "mars:receiptOf", "@type": "@id"},
        "receiptRecord": {"@id": "mars:receiptRecord", "@type": "@id"},
        "descendant": {"@id": "mars:descendant", "@type": "@id"},
        "erasureClaim": {"@id": "mars:erasureClaim"},
        "uncovered": {"@id": "mars:uncovered"},
        "slot": {"@id": "mars:slot", "@type": "@id"},
        "memory": {"@id": "mars:memory", "@type": "@id"},
        **{name: {"@id": f"mars:{name}"} for name in ("leafHash", "policy", "planDigest", "counts", "rule", "reason")},
        **{name: {"@id": f"mars:{name}", "@type": "@id"} for name in _TERMS},
        **{name: {"@id": f"mars:{name}", "@type": f"{XSD}integer"} for name in _NUMBERS},
    },
    DATA_INTEGRITY_V2,
]


@dataclass(frozen=True, slots=True)
class Step:
    """One record of the log that a receipt tells of.

    ``details`` are what it says of the memory and of the pass that it was part of, by the names of the ontology; empty
    where an erasure or a sealing deleted them. ``processing`` is a term of DPV, ``at`` epoch milliseconds.
    """

    record: str
    at: int
    operation: Operation
    processing: str
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProcessingReceipt(Answer):
    """What became of a memory, or what one record did; ``document`` is the signed JSON-LD.

    ``about`` is the memory's id, None for a record that is about none, or not any more. ``sources`` are the ids of what
    it was derived from, ``descendants`` those of what depends on it or was derived from it and is in the store.
    """

    id: str
    about: str | None
    recorded_at: int
    steps: tuple[Step, ...]
    sources: tuple[str, ...]
    descendants: tuple[str, ...]
    claim: str
    uncovered: tuple[str, ...]
    document: dict[str, Any]

    def as_text(self) -> str:
        """Return the receipt in sentences, one a line."""
        lines = [
            f"Receipt {self.id} of {time_lexical(self.recorded_at)}, about {self.about or 'what no id is left of'}."
        ]
        lines += [_sentence(step) for step in self.steps]
        if self.sources:
            lines.append(f"It was derived from {len(self.sources)}: {', '.join(self.sources)}.")
        if self.descendants:
            lines.append(
                f"What depends on it and is in the store, {len(self.descendants)}: {', '.join(self.descendants)}."
            )
        covered = f"; not covered: {', '.join(self.uncovered)}" if self.uncovered else ""
        lines.append(f"Claim: {self.claim}{covered}.")
        lines.append(f"Signed by {self.document['proof']['verificationMethod'].partition('#')[2]}.")
        return "\n".join(lines)


def write_processing_receipt(
    reader: GraphReader, what: str | int, *, log: str, now: int, signer: Signer, source: Source
) -> ProcessingReceipt:
    """Return the signed receipt of a memory's whole life by its id, or of one record by its sequence number.

    Raises:
        UnknownMemory: neither the store nor its log knows the id: it never was, or was erased.
        InvalidInput: the log has no such record.
    """
    records, about = _records(reader, what)
    whole = [*_passes(reader, records), *records]
    nodes = [record_node(record) for record in sorted(whole, key=lambda record: record.sequence)]
    steps = tuple(_step(record, node) for record, node in zip(sorted(whole, key=_place), nodes, strict=True))
    found = reader.nodes((about,)) if about else []
    sources = tuple(sorted(edge.target for edge in found[0][1] if edge.type is EdgeType.DERIVES_FROM)) if found else ()
    descendants = _descendants(reader, about) if about else ()
    claim = _claim(steps)
    uncovered = ("backups", "exports", "files", "snapshots") if claim == LOGICAL else ()
    ident = uuid7(now, source)
    recorded_at = time_lexical(now)
    document = {
        "@context": _CONTEXT,
        "id": ident,
        "type": "ProcessingReceipt",
        "log": log,
        "recordedAt": recorded_at,
        "hasProcessing": sorted({f"{DPV}{step.processing}" for step in steps}),
        **({"receiptOf": {"id": about, **({"wasDerivedFrom": list(sources)} if sources else {})}} if about else {}),
        "receiptRecord": nodes,
        "descendantMemories": len(descendants),
        **({"descendant": list(descendants)} if descendants else {}),
        "erasureClaim": claim,
        **({"uncovered": list(uncovered)} if uncovered else {}),
    }
    signed = add_proof(document, signer, f"{recorded_at[:_SECONDS]}Z")
    return ProcessingReceipt(ident, about, now, steps, sources, descendants, claim, uncovered, signed)


def record_node(record: AuditRecord) -> dict[str, Any]:
    """Return what a receipt says of one record: a part of what the log says, under the context of a receipt."""
    head, node = values(record, 0), values(record, 1) if len(record.details) > 1 else {}
    shown_head = {local: head[name] for name, local in _HEAD.items() if name in head}
    shown_node = {local: node[name] for name, local in _NODE.items() if name in node}
    for local in _TERMS:
        if local in shown_node:
            shown_node[local] = f"{NS}{shown_node[local]}"
    slots = [(0, {name: _listed(value) for name, value in shown_head.items()}), (1, shown_node)]
    told = [{"id": f"{record.iri}.{slot}", **said} for slot, said in slots if said]
    return {
        "id": record.iri,
        "type": "AuditRecord",
        "log": record.log,
        "sequence": record.sequence,
        "operation": f"{NS}{record.operation}",
        "recordedAt": time_lexical(record.recorded_at),
        "leafHash": record.leaf,
        **({"slot": told} if told else {}),
    }


def _listed(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _place(record: AuditRecord) -> int:
    return record.sequence


def _records(reader: GraphReader, what: str | int) -> tuple[list[AuditRecord], str | None]:
    """Return the records that are asked for, and the memory that they are about."""
    if isinstance(what, int):
        record = next(reader.records("t", what), None) if what > 0 else None
        if record is None or record.sequence != what:
            msg = f"the transitions log has no record {what}; see: mars audit list"
            raise InvalidInput(msg)
        return [record], next(iter(filter(None, record.memories)), None)
    records = reader.records_of(what)
    if not records:
        msg = (
            f"{what[:60]} is in neither the store nor its log: it never was, or it was erased, whose receipt was given "
            "then; give the number of a record instead: mars audit list"
        )
        raise UnknownMemory(msg)
    return records, what


def _passes(reader: GraphReader, records: Iterable[AuditRecord]) -> list[AuditRecord]:
    """Return the records of the passes of a policy in which memories left: with the policy, its plan and the budget.

    A pass has its record before those of what it takes, at the same time.
    """
    found: dict[int, AuditRecord] = {}
    for record in records:
        if record.operation not in {Operation.EVICT, Operation.ARCHIVE, Operation.CONSOLIDATE}:
            continue
        for back in _backwards(reader, record.sequence - 1):
            if back.recorded_at != record.recorded_at:
                break
            if back.operation is Operation.FORGET:
                found[back.sequence] = back
                break
    return [record for record in found.values() if record.sequence not in {one.sequence for one in records}]


def _backwards(reader: GraphReader, sequence: int) -> Iterable[AuditRecord]:
    """Yield the records before and at ``sequence``, the latest first, a page at a time."""
    size = 200
    while sequence > 0:
        first = max(1, sequence - size + 1)
        page = []
        for record in reader.records("t", first):
            if record.sequence > sequence:
                break
            page.append(record)
        yield from reversed(page)
        sequence = first - 1


def _descendants(reader: GraphReader, about: str) -> tuple[str, ...]:
    """Return what depends on a memory or derives from it through any number of steps, with content or without."""
    found: set[str] = set()
    pending = [about]
    while pending:
        edges = reader.edges_to(pending)
        resting = {edge.source for edge in edges if edge.type in {EdgeType.DEPENDS_ON, EdgeType.DERIVES_FROM}}
        pending = sorted(resting - found - {about})
        found.update(pending)
    return tuple(sorted(found))


def _step(record: AuditRecord, node: Mapping[str, Any]) -> Step:
    said = {name: value for slot in node.get("slot", ()) for name, value in slot.items() if name != "id"}
    for local in _TERMS:
        if local in said:
            said[local] = str(said[local]).removeprefix(NS)
    processing = _PROCESSING.get(record.operation, "Modify")
    # A summary is stored by the same operation as what somebody says; its rule tells them apart.
    if record.operation is Operation.REMEMBER and said.get("rule") == RULE:
        processing = "Derive"
    return Step(record.iri, record.recorded_at, record.operation, processing, said)


def _claim(steps: tuple[Step, ...]) -> str:
    """Return what holds after the last step that is about a memory; of a record about none, what it did."""
    tiers = [step.details["tierAfter"] for step in steps if "tierAfter" in step.details]
    if tiers:
        return LOGICAL if tiers[-1] in _GONE else KEPT
    return LOGICAL if any(step.processing in _REMOVES for step in steps) else KEPT


def _sentence(step: Step) -> str:
    said = step.details
    words = [f"{time_lexical(step.at)} {step.operation.value} (dpv:{step.processing}), record {step.record}"]
    if "tierAfter" in said:
        before = f"{said['tierBefore']} to " if "tierBefore" in said else ""
        words.append(f"{before}{said['tierAfter']}")
    if "policy" in said:
        words.append(f"policy {said['policy']}, budget {said.get('budget')}")
    words += [str(said[name]) for name in ("rule", "reason") if name in said]
    if "counts" in said:
        words.append(", ".join(said["counts"]))
    if not said:
        words.append("its details are gone from the log")
    return "; ".join(words) + "."
