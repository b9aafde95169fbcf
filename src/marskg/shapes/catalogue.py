"""The shapes as they are packaged: their text, and what a finding says about each.

Guarantees: the Turtle files beside this module are the only place where a rule's code and message are written; the
write gate and both SHACL engines speak through this table. Reading it needs no network and no ontology.
Source: W3C SHACL section 2.1 (shapes), 2.1.3 (targets).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING

from rdflib import Graph, URIRef
from rdflib.namespace import DCTERMS, RDF, SH

from marskg.records import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: Namespace of the shapes, apart from that of the ontology: a shape is no term of the vocabulary.
SHAPES_NS = "https://w3id.org/mars-kg/shapes#"

#: A rule that was broken: the focus node's IRI and the shape's local name.
Breach = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Rule:
    """What a finding of one shape says: ``name`` is the shape's local name, ``code`` groups shapes by invariant."""

    name: str
    code: str
    message: str


def shape_files() -> list[str]:
    """Return the names of the packaged files, in order."""
    folder = resources.files("marskg").joinpath("shapes")
    return sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".ttl"))


@cache
def shapes_turtle() -> str:
    """Return all shapes as one Turtle document."""
    folder = resources.files("marskg").joinpath("shapes")
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in shape_files())


def shapes_graph() -> Graph:
    """Return all shapes as a new graph."""
    return Graph().parse(data=shapes_turtle(), format="turtle")


@cache
def rules() -> Mapping[str, Rule]:
    """Return the rules by the local name of their shape; helper shapes without a code are left out."""
    graph = shapes_graph()
    found: dict[str, Rule] = {}
    for kind in (SH.NodeShape, SH.PropertyShape):
        for shape in graph.subjects(RDF.type, kind):
            code = graph.value(shape, DCTERMS.identifier)
            if code is not None:
                name = str(shape).removeprefix(SHAPES_NS)
                found[name] = Rule(name, str(code), str(graph.value(shape, SH.message)))
    return MappingProxyType(found)


def targeted_shapes(graph: Graph) -> list[tuple[URIRef, list[tuple[URIRef, URIRef]]]]:
    """Return each shape of ``graph`` that has targets, with its ``(kind of target, class or property)`` pairs."""
    kinds = (SH.targetClass, SH.targetSubjectsOf, SH.targetObjectsOf)
    targets: dict[URIRef, list[tuple[URIRef, URIRef]]] = {}
    for kind in kinds:
        for shape, value in graph.subject_objects(kind):
            targets.setdefault(URIRef(str(shape)), []).append((kind, URIRef(str(value))))
    return sorted(targets.items())


def findings(breaches: Iterable[Breach]) -> tuple[Finding, ...]:
    """Return one finding for each of ``breaches``, without repeats, in the order of node and shape.

    A finding names node, shape, rule and way out, and never a value: a value may be somebody's content.
    """
    table = rules()
    return tuple(
        Finding(table[name].code, focus, f"{name}: {table[name].message}") for focus, name in sorted(set(breaches))
    )
