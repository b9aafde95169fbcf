"""Receipts of erasures: what was matched, why, when, what went with it and what is claimed, signed and without content.

Guarantees: a receipt is a JSON-LD document in the terms of the Data Privacy Vocabulary (W3C DPV 2) and of the ontology,
with a W3C Data Integrity proof by the key that signs the tenant's log, so that an outsider verifies it with tools of
their own; it names the records of the log that list what was deleted. It holds no content, no name and no id of what
was erased: of a subject, an entity, a session or a source only by which of these was asked. Its claim is one of

- ``logical``: what was erased is in no node, edge, index, view or audit detail of the store;
- ``bytes``: and a rewrite left it in no file of the store either, which an engine in the process can do and a client of
  a server cannot;
- ``keys``: and what it was encrypted under was destroyed, so that no copy of the store's files, however old, and no log
  of the engine says what it was (ADR 29).

Of the snapshots that the store wrote (:mod:`marskg.store.commit.snapshot_register`) it says how many were removed, and
how many are
left and why, without their paths. Whatever the claim, of a removed one it is that its file is in its folder no more:
no block of the disk was overwritten. Copies elsewhere, such as exports and snapshots that somebody copied, are named as
what the claim does not cover, and so are preferences that have the name of what was erased and stay, memories that may
have it, and what the log says, by their ids, of memories that had gone whole before: nothing tells any more whom these
were about, and an erasure by id takes it. Where nothing was matched the receipt says that in words, so that nobody
takes it for a proof of more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from marskg.answer import Answer
from marskg.audit.linkeddata import DATA_INTEGRITY_V2, add_proof
from marskg.clock import uuid7
from marskg.erasure.request import UNFILED, listed
from marskg.ontology.mapping import time_lexical
from marskg.ontology.vocabulary import NS, XSD
from marskg.store.commit.snapshot_register import CHANGED, THERE, UNREACHABLE

if TYPE_CHECKING:
    from marskg.audit.dataintegrity import Signer
    from marskg.clock import Source
    from marskg.erasure.request import Listed, Matched
    from marskg.store.commit.snapshot_register import Settled, SnapshotFile
    from marskg.store.graph.erase import Erased

LOGICAL: Final = "logical"
BYTES: Final = "bytes"
KEYS: Final = "keys"
#: Copies that a claim does not cover: whoever has an old copy of the keys can read an old copy of the store.
UNCOVERED: Final = MappingProxyType(
    {
        LOGICAL: ("exports", "copied or unlisted snapshots", "backups"),
        BYTES: ("exports", "copied or unlisted snapshots", "backups"),
        KEYS: ("exports", "backups of the keys"),
    }
)
#: What else is not covered where there are such.
RULES: Final = "preferences with the name"
NEAR: Final = "memories that may have the name"
BEFORE: Final = "audit details of what had gone before"
#: Told where what others said of a subject stays.
NAMED_BY_OTHERS: Final = "memories that others told of them, which stay: {}; see near; an erasure by entity takes them"
#: What came of it.
ERASED: Final = "erased"
UNMATCHED: Final = "nothing matched"
REHEARSED: Final = "dry run"
_DPV: Final = "https://w3id.org/dpv#"
_RIGHTS: Final = "https://w3id.org/dpv/legal/eu/gdpr#"
#: Seconds in a time of a proof.
_SECONDS: Final = 19

#: What is counted, by its name in the ontology.
_COUNTS: Final = (
    "matchedMemories",
    "descendantMemories",
    "erasedEntities",
    "shortenedSummaries",
    "blockedTasks",
    "deletedSlotCount",
    "removedSnapshots",
    "keptSnapshots",
    "changedSnapshots",
    "unreachableSnapshots",
    "nearMemories",
)
_CONTEXT: Final = [
    {
        "@version": 1.1,
        "dpv": _DPV,
        "mars": NS,
        "id": "@id",
        "type": "@type",
        "ErasureReceipt": {"@id": "mars:ErasureReceipt"},
        "hasProcessing": {"@id": "dpv:hasProcessing", "@type": "@id"},
        "hasRight": {"@id": "dpv:hasRight", "@type": "@id"},
        "log": {"@id": "mars:log", "@type": "@id"},
        "recordedAt": {"@id": "mars:recordedAt", "@type": f"{XSD}dateTime"},
        "requestedBy": {"@id": "mars:requestedBy"},
        "erasureClaim": {"@id": "mars:erasureClaim"},
        "erasureOutcome": {"@id": "mars:erasureOutcome"},
        "uncovered": {"@id": "mars:uncovered"},
        "erasureRecord": {"@id": "mars:erasureRecord", "@type": "@id"},
        **{name: {"@id": f"mars:{name}", "@type": f"{XSD}integer"} for name in _COUNTS},
    },
    DATA_INTEGRITY_V2,
]


@dataclass(frozen=True, slots=True)
class Receipt(Answer):
    """What an erasure did, in numbers; ``document`` is the signed JSON-LD.

    ``by`` says what was asked for: ``subject``, ``entity``, ``session``, ``source`` or ``id``; ``forms`` are the
    spellings of an entity that were found, ``rules`` the ids of preferences that have its name and stay, ``near`` and
    ``namesakes`` the memories that may have the name, or one like it, and stay: all told to whoever asked, and of these
    only how many are near is part of the document. ``outcome`` is ``erased``, ``nothing matched``, or ``dry run``: then
    nothing was done and nothing is signed, the numbers are what they would be, and ``memories`` lists what would go.
    ``forgotten``: texts that came by it had been forgotten before, and the log still says by their ids that they went.
    ``snapshots_left`` are on the list of those that the store wrote, and may hold what was erased: ``there`` as nobody
    asked for their removal, ``changed`` since, or ``unreachable``. ``notices`` say how many memories of others name the
    subject that was erased, and stay.
    """

    id: str
    by: str
    recorded_at: int
    matched: int
    descendants: int
    entities: int
    shortened: int
    blocked: tuple[str, ...]
    slots: int
    claim: str
    outcome: str
    forms: tuple[str, ...]
    rules: tuple[str, ...]
    near: tuple[Listed, ...]
    namesakes: tuple[Listed, ...]
    shared: int
    snapshots_removed: int
    snapshots_left: tuple[SnapshotFile, ...]
    document: dict[str, Any]
    memories: tuple[Listed, ...] = ()
    forgotten: bool = False
    notices: tuple[str, ...] = ()


def rehearsed(erased: Erased, matched: Matched, *, by: str, now: int) -> Receipt:
    """Return what a dry run tells: as a receipt does, unsigned and without a claim."""
    return replace(_told(erased, matched, by=by, now=now), outcome=REHEARSED, memories=listed(matched, by))


def _told(erased: Erased, matched: Matched, *, by: str, now: int) -> Receipt:
    """Return what a receipt says of an erasure itself, before anything is signed."""
    named = sum(one.reason == UNFILED for one in matched.near)
    return Receipt(
        id="",
        by=by,
        recorded_at=now,
        matched=len(erased.asked),
        descendants=len(erased.descendants),
        entities=len(erased.entities),
        shortened=len(erased.shortened),
        blocked=erased.blocked,
        slots=erased.slots,
        claim="",
        outcome=ERASED if erased.asked or erased.entities or erased.slots else UNMATCHED,
        forms=matched.forms,
        rules=matched.rules,
        near=matched.near,
        namesakes=matched.namesakes,
        shared=len(matched.shared),
        snapshots_removed=0,
        snapshots_left=(),
        document={},
        forgotten=matched.forgotten,
        notices=(NAMED_BY_OTHERS.format(named),) if named else (),
    )


def write_receipt(
    erased: Erased,
    matched: Matched,
    *,
    by: str,
    claim: str,
    now: int,
    log: str,
    sequences: tuple[int, ...],
    signer: Signer,
    source: Source,
    snapshots: Settled,
) -> Receipt:
    """Return the signed receipt of ``erased``; ``sequences`` are the records that list what was deleted.

    ``snapshots`` says what became of those that the store wrote.
    """
    ident = uuid7(now, source)
    recorded_at = time_lexical(now)
    told = _told(erased, matched, by=by, now=now)
    counts = (
        told.matched,
        told.descendants,
        told.entities,
        told.shortened,
        len(told.blocked),
        told.slots,
        snapshots.removed,
        *(snapshots.count(state) for state in (THERE, CHANGED, UNREACHABLE)),
        len(told.near),
    )
    document = {
        "@context": _CONTEXT,
        "id": ident,
        "type": "ErasureReceipt",
        "hasProcessing": f"{_DPV}Erase",
        "hasRight": f"{_RIGHTS}A17",
        "log": log,
        "recordedAt": recorded_at,
        "requestedBy": by,
        "erasureClaim": claim,
        "erasureOutcome": told.outcome,
        "uncovered": [
            *UNCOVERED[claim],
            *([RULES] if told.rules else ()),
            *([NEAR] if told.near else ()),
            *([BEFORE] if told.forgotten else ()),
            *(["snapshots"] if snapshots.left else ()),
        ],
        "erasureRecord": [f"{log}#{sequence}" for sequence in sequences],
        **dict(zip(_COUNTS, counts, strict=True)),
    }
    return replace(
        told,
        id=ident,
        claim=claim,
        snapshots_removed=snapshots.removed,
        snapshots_left=snapshots.left,
        document=add_proof(document, signer, f"{recorded_at[:_SECONDS]}Z"),
    )
