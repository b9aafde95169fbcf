"""The hand-made graphs in ``tests/fixtures/shapes``, what they say about themselves, and the records they describe.

A fixture starts with a sentence, then one ``# breaks: SHAPE at NODE`` for each result that every engine must report, no
more and no less. ``# no record: WHY`` marks what no record can hold, so that the gate cannot be asked about it;
``# beyond Core`` what the shapes alone cannot see.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rdflib import BNode, Graph, Literal, URIRef
from rdflib.namespace import OWL, RDF, XSD
from rdflib.term import IdentifiedNode

from marskg.json_object import JsonObject
from marskg.ontology.fields import ENTITY_FIELDS, MEMORY_FIELDS, PAYLOAD_FIELDS, PREFERENCE_FIELDS, Field
from marskg.ontology.mapping import time_value
from marskg.ontology.vocabulary import ACYCLIC, NS, RDF_JSON, EdgeType, Kind, Tier
from marskg.records import Edge, Entity, Memory, Preference
from marskg.shapes.gate import NodeFacts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rdflib.term import Node

FOLDER = Path(__file__).parents[2] / "fixtures" / "shapes"
TENANT = "alice"
_BREAKS = re.compile(r"^# breaks: (\S+) at (\S+)$", re.MULTILINE)
_IDS = "00000000-0000-7000"


@dataclass(frozen=True, eq=False)
class Fixture:
    """One Turtle file; ``breaks`` holds (node, shape), a blank node as ``_:``.

    Each fixture has ids of its own, other than in the file, so that all of them together make one large graph.
    """

    path: Path
    text: str
    breaks: frozenset[tuple[str, str]]

    @cached_property
    def graph(self) -> Graph:
        return Graph().parse(data=self.text, format="turtle")

    @cached_property
    def lines(self) -> list[str]:
        """The triples as N-Triples lines, one subject after the other."""
        return sorted(line for line in self.graph.serialize(format="nt").split("\n") if line)

    @property
    def nodes(self) -> set[str]:
        """What the fixture describes or says something about."""
        named = {str(node) for node in self.graph.subjects() if not isinstance(node, BNode)}
        return named | {node for node, _ in self.breaks}

    @property
    def has_blank_nodes(self) -> bool:
        return "_:" in self.nodes

    @property
    def has_records(self) -> bool:
        return "# no record:" not in self.text and "mars:AuditRecord" not in self.text

    @property
    def beyond_core(self) -> bool:
        return "# beyond Core" in self.text


def load(kind: str) -> list[Fixture]:
    """Return the fixtures of ``clean`` or ``violating``."""
    found = []
    for number, path in enumerate(sorted((FOLDER / kind).glob("*.ttl")), 1 if kind == "clean" else 0x1000):
        text = path.read_text(encoding="utf-8").replace(_IDS, f"{number:08x}-0000-7000")
        prefix = f"urn:uuid:{number:08x}-0000-7000-8000-00000000000"
        breaks = frozenset(
            (prefix + node[1:] if node.startswith(":") else node.strip("<>"), shape)
            for shape, node in _BREAKS.findall(text)
        )
        found.append(Fixture(path, text, breaks))
    return found


# --- Records ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Records:
    """The memories and entities of a graph, each with its outgoing edges, and its preferences."""

    memories: list[tuple[Memory, list[Edge]]]
    entities: list[tuple[Entity, list[Edge]]]
    preferences: list[Preference]


def records(graph: Graph) -> Records:
    """Return the records that ``graph`` describes, with whatever values it gives them, right or wrong."""
    memories = [(_memory(graph, node), _edges(graph, node)) for node in _subjects(graph, "Memory")]
    entities = [(_entity(graph, node), _edges(graph, node)) for node in _subjects(graph, "Entity")]
    preferences = [_preference(graph, node) for node in _subjects(graph, "Preference")]
    return Records(memories, entities, preferences)


def _subjects(graph: Graph, name: str) -> list[Node]:
    return _sorted(graph.subjects(RDF.type, URIRef(NS + name)))


def _sorted(terms: Iterable[Node]) -> list[Node]:
    return sorted(terms, key=lambda term: term.n3() if isinstance(term, IdentifiedNode | Literal) else str(term))


def _memory(graph: Graph, node: Any) -> Memory:
    kind = next(kind for kind in Kind if (node, RDF.type, URIRef(NS + kind.label)) in graph)
    fields = {spec.name: _value(graph, node, spec) for spec in MEMORY_FIELDS}
    payload = {spec.name: _value(graph, node, spec) for specs in PAYLOAD_FIELDS.values() for spec in specs}
    payload = {name: value for name, value in payload.items() if value not in (None, ())}
    fields["tier"] = Tier(fields["tier"])
    return Memory(id=str(node), tenant=TENANT, kind=kind, sequence=1, payload=payload, **fields)


def _entity(graph: Graph, node: Any) -> Entity:
    fields = {spec.name: _value(graph, node, spec) for spec in ENTITY_FIELDS}
    return Entity(id=str(node), tenant=TENANT, sequence=1, **fields)


def _preference(graph: Graph, node: Any) -> Preference:
    fields = {spec.name: _value(graph, node, spec) for spec in PREFERENCE_FIELDS}
    return Preference(id=str(node), tenant=TENANT, sequence=1, **fields)


def _value(graph: Graph, node: Any, spec: Field) -> Any:
    predicate = OWL.sameAs if spec.name == "same_as" else URIRef(spec.iri)
    values = [_python(value) for value in _sorted(graph.objects(node, predicate))]
    if spec.many:
        return tuple(values)
    return values[0] if values else None


def _python(value: Any) -> Any:
    if not isinstance(value, Literal):
        return str(value).removeprefix(NS)
    if value.datatype == XSD.dateTime:
        return time_value(str(value))
    if value.datatype == XSD.decimal:
        return float(value)
    if str(value.datatype) == RDF_JSON:
        return JsonObject.read(str(value))
    return value.toPython()


def _edges(graph: Graph, node: Any) -> list[Edge]:
    found = []
    for type_ in EdgeType:
        for target in _sorted(graph.objects(node, URIRef(NS + type_))):
            edge = Edge(str(node), type_, str(target), 0)
            reified = URIRef(edge.iri)
            created = graph.value(reified, URIRef(NS + "created"))
            weight = graph.value(reified, URIRef(NS + "edgeWeight"))
            found.append(
                Edge(
                    edge.source,
                    type_,
                    edge.target,
                    0 if created is None else _python(created),
                    None if weight is None else _python(weight),
                )
            )
    return found


def facts_for(node: str, found: Records) -> dict[str, NodeFacts]:
    """Return what the store would tell the gate about the nodes that the edges of ``node`` may lead to."""
    nodes = {memory.id: (memory, edges) for memory, edges in found.memories}
    edges = [edge for _, own in found.memories for edge in own]
    targets = {entity.id: NodeFacts(None, None, has_content=False) for entity, _ in found.entities}
    reaching = _leading_to(node, edges)
    for memory, _ in nodes.values():
        whole = memory.content is not None
        targets[memory.id] = NodeFacts(
            memory.kind,
            memory.tier,
            has_content=whole,
            tenant=TENANT,
            reaches=memory.id in reaching,
            session=memory.session if whole else None,
            valid_from=memory.valid_from,
            previous=tuple(e.source for e in edges if e.type is EdgeType.TEMPORAL_NEXT and e.target == memory.id),
            next=tuple(e.target for e in edges if e.type is EdgeType.TEMPORAL_NEXT and e.source == memory.id),
        )
    return targets


def _leading_to(node: str, edges: list[Edge]) -> set[str]:
    """Return the nodes from which the acyclic edges lead to ``node``, in one step or more."""
    found: set[str] = set()
    todo = [node]
    while todo:
        target = todo.pop()
        sources = {edge.source for edge in edges if edge.type in ACYCLIC and edge.target == target} - found
        found |= sources
        todo += sources
    return found
