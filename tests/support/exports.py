"""What the tests of exporters share: a store of any size, real signed records, and other people's parsers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyoxigraph as ox
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from marskg.audit.dataintegrity import Signer
from marskg.audit.document import head_lines, record_lines
from marskg.audit.record import build_head, build_record
from marskg.clock import DAY_MS, SeededSource, uuid7
from marskg.exporters.rdf.reader import Export, Loaded
from marskg.exporters.rdf.writer import Content
from marskg.ontology.mapping import entity_lines, memory_lines
from marskg.ontology.vocabulary import EdgeType, Kind, Operation
from marskg.records import AuditRecord, Edge, Memory, TreeHead

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from marskg.exporters.rdf.reader import AnyLoaded
    from tests.strategies import StoreContent

START_MS = 1_750_000_000_000
FORMATS = {
    ".jsonld": ox.RdfFormat.JSON_LD,
    ".nq": ox.RdfFormat.N_QUADS,
    ".nt": ox.RdfFormat.N_TRIPLES,
    ".trig": ox.RdfFormat.TRIG,
    ".ttl": ox.RdfFormat.TURTLE,
}


def loaded_from(path: Path, *, tenant: str) -> Iterator[AnyLoaded]:
    """Yield the entities, the memories and the preferences of the document at ``path``, after checking all of it."""
    with Export(path, tenant=tenant) as export:
        yield from export.entities()
        yield from export.memories()
        yield from (Loaded(preference, ()) for preference in export.preferences())


def episodes(count: int) -> Iterator[tuple[Memory, tuple[Edge, ...]]]:
    """Yield ``count`` episodes, each derived from the one before, without keeping any."""
    source, now, before = SeededSource(1), START_MS, ""
    for number in range(count):
        now += 60_123
        ident = uuid7(now, source)
        edges = [Edge(ident, EdgeType.DERIVES_FROM, before, now)] if before else []
        if before and number % 3 == 0:
            edges.append(Edge(ident, EdgeType.DEPENDS_ON, before, now + 5, 0.5))
        memory = Memory(
            id=ident,
            tenant="alice",
            kind=Kind.EPISODIC,
            content=f'I water the tomatoes in bed {number} "twice" a week, said Alice — whatever the weather is like',
            created=now,
            sequence=number + 1,
            payload={"event": f"watering {number}", "participants": ("alice", "bob"), "timestamp": now},
            valid_from=now,
            sensitivity=number % 100 / 100,
            weight=20 + number % 10,
            session=f"s{number // 20}",
            subjects=("alice",),
            expires_at=now + 30 * DAY_MS,
            last_access=now,
            reliability=0.9,
        )
        yield memory, tuple(edges)
        before = ident


def signed_log(count: int) -> tuple[list[AuditRecord], list[TreeHead]]:
    """Return ``count`` really signed records about that many memories, the second with a deleted slot, and a head."""
    source = SeededSource(2)
    signer = Signer(Ed25519PrivateKey.from_private_bytes(source.token(32)))
    log = uuid7(START_MS, source)
    records = []
    for sequence in range(1, count + 1):
        record = build_record(
            tenant="alice",
            log=log,
            sequence=sequence,
            operation=Operation.REMEMBER,
            now=START_MS + sequence,
            record_details={"actor": "operator", "counts": ("episodic=1", "task=0")},
            node_details=[{"memory": uuid7(START_MS + sequence, source), "weight": 7, "reason": 'said "so"\n'}],
            signer=signer,
            source=source,
        )
        records.append(_without_slot(record, 1) if sequence == 2 else record)
    head = build_head(tenant="alice", log=log, size=count, root=b"\x07" * 32, now=START_MS + count, signer=signer)
    return records, [head]


def _without_slot(record: AuditRecord, slot: int) -> AuditRecord:
    """Return ``record`` as a recorded erasure of one slot leaves it."""
    details = tuple("" if index == slot else text for index, text in enumerate(record.details))
    salts = tuple("" if index == slot else text for index, text in enumerate(record.salts))
    values = {name: getattr(record, name) for name in record.__dataclass_fields__}
    return AuditRecord(**{**values, "details": details, "salts": salts, "memories": ("",)})


def content_of(store: StoreContent, log: tuple[list[AuditRecord], list[TreeHead]] | None = None) -> Content:
    """Return what to export of ``store``."""
    records, heads = log or (None, ())
    return Content(store.memories, store.entities, records, heads)


def lines_of(content: Content) -> set[str]:
    """Return the N-Quads lines that the mapping and the audit give for ``content``."""
    lines = [line for memory, edges in content.memories for line in memory_lines(memory, edges)]
    lines += [line for entity, edges in content.entities for line in entity_lines(entity, edges)]
    lines += [line for record in content.records or () for line in record_lines(record)]
    lines += [line for head in content.heads for line in head_lines(head)]
    return set(lines)


def parsed(path: Path) -> ox.Dataset:
    """Return the quads of the document at ``path``, which has no blank nodes and so needs no canonicalisation."""
    return ox.Dataset(ox.parse(path=str(path), format=FORMATS[path.suffix]))


def parsed_lines(lines: set[str]) -> ox.Dataset:
    """Return the quads that ``lines`` say."""
    return ox.Dataset(ox.parse("\n".join(lines), format=ox.RdfFormat.N_QUADS))
