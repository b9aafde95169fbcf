"""Every way to ask whether a graph keeps the rules, each giving the set of (node, shape) that it finds broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyrudof

from marskg.shapes.catalogue import SHAPES_NS, shapes_graph, shapes_turtle
from marskg.shapes.engines import parse, run_pyshacl
from marskg.shapes.gate import check_entity, check_memory, check_preference
from marskg.shapes.validate import validate_graph, validate_neighbourhood
from tests.unit.shapes.fixtures import facts_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from marskg.records import Finding
    from marskg.shapes.validate import EngineName
    from tests.unit.shapes.fixtures import Records

Broken = frozenset[tuple[str, str]]


def as_they_are_pyshacl(lines: Sequence[str]) -> Broken:
    """The packaged shapes, unchanged, in pyshacl."""
    return frozenset((_blank(node), shape) for node, shape in run_pyshacl(parse(lines), shapes_graph()))


def as_they_are_rudof(lines: Sequence[str]) -> Broken:
    """The packaged shapes, unchanged, in rudof."""
    session = pyrudof.Rudof(pyrudof.RudofConfig())
    session.read_shacl(shapes_turtle())
    session.read_data("\n".join(lines), pyrudof.RDFFormat.NTriples, reader_mode=pyrudof.ReaderMode.Strict, merge=False)
    report = session.validate_shacl()
    found = {(_blank(entry.focus_node), str(entry.source_shape).removeprefix(SHAPES_NS)) for entry in report.violations}
    assert report.conforms == (not found)
    return frozenset(found)


def whole(lines: Sequence[str], engine: EngineName, batch_lines: int = 20_000) -> Broken:
    """The product's full validation."""
    return named(validate_graph(lines, engine=engine, batch_lines=batch_lines).findings)


def neighbourhoods(lines: Sequence[str], nodes: Iterable[str], engine: EngineName) -> Broken:
    """The product's neighbourhood validation."""
    return named(validate_neighbourhood(lines, nodes, engine=engine).findings)


def gate(found: Records) -> Broken:
    """The write gate, of one record after the other."""
    broken: set[tuple[str, str]] = set()
    for memory, edges in found.memories:
        broken |= named(check_memory(memory, edges, facts_for(memory.id, found)))
    for entity, edges in found.entities:
        broken |= named(check_entity(entity, edges, facts_for(entity.id, found)))
    for preference in found.preferences:
        broken |= named(check_preference(preference))
    return frozenset(broken)


def named(findings: Iterable[Finding]) -> Broken:
    """Findings by node and shape: a message starts with the name of its shape."""
    return frozenset((_blank(finding.where), finding.message.partition(":")[0]) for finding in findings)


def _blank(node: str) -> str:
    """All blank nodes as one: labels differ from engine to engine."""
    return node if ":" in node and not node.startswith("_:") else "_:"
