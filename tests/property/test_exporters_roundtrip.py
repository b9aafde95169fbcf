"""Random stores: every syntax says the same, and reading gives back what was written."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.audit.document import head_lines, record_lines
from marskg.exporters.rdf.frame import frame_memory
from marskg.exporters.rdf.jsonld import packaged_context
from marskg.exporters.rdf.reader import Export
from marskg.exporters.rdf.writer import Content, write_export
from marskg.exporters.snapshot.file import Snapshot, SnapshotContent, write_snapshot
from marskg.ontology.mapping import entity_lines, memory_lines
from marskg.records import Entity, Memory
from tests.strategies import TENANT, StoreContent, stores
from tests.support.exports import FORMATS, content_of, lines_of, loaded_from, parsed, parsed_lines, signed_log

if TYPE_CHECKING:
    from pathlib import Path

LOG = signed_log(3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exports")


def read_back(path: Path) -> StoreContent:
    """Return what ``path`` holds, with the sequence numbers that the strategy gives."""
    with Export(path, tenant=TENANT) as export:
        memories = [(replace(node, sequence=count), edges) for count, (node, edges) in enumerate(export.memories(), 1)]
        entities = [(replace(node, sequence=count), edges) for count, (node, edges) in enumerate(export.entities(), 1)]
    return StoreContent(tuple(memories), tuple(entities))


def nodes_of(store: StoreContent) -> dict[str, Memory | Entity]:
    nodes: dict[str, Memory | Entity] = {memory.id: memory for memory, _ in store.memories}
    return nodes | {entity.id: entity for entity, _ in store.entities}


@given(store=stores())
def test_all_syntaxes_hold_the_lines_of_the_mapping(folder: Path, store: StoreContent) -> None:
    expected = parsed_lines(lines_of(content_of(store, LOG)))
    for suffix in FORMATS:
        path = folder / f"all{suffix}"
        write_export(path, content_of(store, LOG))
        assert parsed(path) == expected, suffix


@given(store=stores(), audited=st.booleans())
def test_reading_gives_back_what_was_written(folder: Path, store: StoreContent, *, audited: bool) -> None:
    for suffix in FORMATS:
        path = folder / f"back{suffix}"
        write_export(path, content_of(store, LOG if audited else None))
        assert read_back(path) == store, suffix


@given(store=stores())
def test_a_second_export_is_byte_for_byte_the_first(folder: Path, store: StoreContent) -> None:
    for suffix in FORMATS:
        first, second = folder / f"first{suffix}", folder / f"second{suffix}"
        write_export(first, content_of(store))
        again = read_back(first)
        write_export(second, content_of(again))
        assert first.read_bytes() == second.read_bytes(), suffix


@given(store=stores(), seed=st.integers())
def test_the_order_of_lines_does_not_matter(folder: Path, store: StoreContent, seed: int) -> None:
    lines = sorted(lines_of(content_of(store, LOG)))
    random.Random(seed).shuffle(lines)
    path = folder / "shuffled.nq"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    found = {loaded.node.id: loaded for loaded in loaded_from(path, tenant=TENANT)}
    nodes = nodes_of(store)
    assert {ident: replace(found[ident].node, sequence=node.sequence) for ident, node in nodes.items()} == nodes
    assert all(found[node.id].edges == edges for node, edges in store.memories)
    assert all(found[node.id].edges == edges for node, edges in store.entities)


@given(store=stores())
def test_json_in_any_layout_is_read_alike(folder: Path, store: StoreContent) -> None:
    path = folder / "layout.jsonld"
    write_export(path, content_of(store, LOG))
    document = json.loads(path.read_bytes())
    for layout in ({"indent": 1}, {"ensure_ascii": False, "separators": (",", ":")}, {"sort_keys": True, "indent": 3}):
        path.write_text(json.dumps(document, **layout), encoding="utf-8")
        assert read_back(path) == store


def test_evidence_is_the_audit_line_by_line(folder: Path) -> None:
    records, heads = LOG
    expected = {line for record in records for line in record_lines(record)}
    expected |= {line for head in heads for line in head_lines(head)}
    for suffix in FORMATS:
        path = folder / f"evidence{suffix}"
        write_export(path, Content(records=records, heads=heads))
        with Export(path, tenant=TENANT) as export:
            evidence = list(export.evidence())
            assert {line for item in evidence for line in item.lines} == expected
            assert len({item.iri for item in evidence}) == len(evidence) == export.holdings.evidence


@given(store=stores())
def test_a_frame_says_what_the_mapping_says(store: StoreContent) -> None:
    nodes = nodes_of(store)
    for memory, edges in store.memories:
        linked = [nodes[target] for target in dict.fromkeys(edge.target for edge in edges)]
        document = frame_memory(memory, edges, linked)
        lines = memory_lines(memory, edges)
        for node in linked:
            lines += memory_lines(node, ()) if isinstance(node, Memory) else entity_lines(node)
        text = json.dumps({**document, "@context": packaged_context()})
        assert ox.Dataset(ox.parse(text, format=ox.RdfFormat.JSON_LD)) == parsed_lines(set(lines))


SALTS = st.none() | st.text("abcdefgh", min_size=1, max_size=4)


@given(store=stores(), salt=SALTS)
def test_a_snapshot_gives_back_everything_and_again_the_same_bytes(
    folder: Path, store: StoreContent, salt: str | None
) -> None:
    records, heads = LOG
    first, second = folder / "first.snapshot", folder / "second.snapshot"
    content = SnapshotContent(
        tenant={"ref": TENANT, "sequence": 3, "settings": "{}", "suspendedAt": None},
        keys=[{"ref": "k", "multikey": "z6Mk"}],
        memories=[(memory, edges, salt) for memory, edges in store.memories],
        entities=[(entity, edges, salt) for entity, edges in store.entities],
        records=records,
        heads=heads,
    )
    write_snapshot(first, content)
    with Snapshot(first) as snapshot:
        assert snapshot.tenant == content.tenant
        assert list(snapshot.keys()) == content.keys
        assert list(snapshot.memories()) == content.memories
        assert list(snapshot.entities()) == content.entities
        assert list(snapshot.records()) == records
        assert list(snapshot.heads()) == heads
        write_snapshot(
            second,
            SnapshotContent(
                snapshot.tenant,
                snapshot.keys(),
                snapshot.entities(),
                snapshot.memories(),
                snapshot.records(),
                snapshot.heads(),
            ),
        )
    assert first.read_bytes() == second.read_bytes()
