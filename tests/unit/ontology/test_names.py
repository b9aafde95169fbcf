"""The names in the package's Cypher and SHACL are the ontology's, or physical with a reason."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from rdflib import OWL, RDF, RDFS, SH, Graph, URIRef

import marskg
from marskg.ontology.context import declared_names, ontology_graph
from marskg.ontology.physical import PHYSICAL_LABELS, PHYSICAL_PROPERTIES
from marskg.ontology.vocabulary import NS, XSD

SOURCE = Path(marskg.__file__).parent
CYPHER = sorted(SOURCE.rglob("*.cypher"))
SHAPES = sorted((SOURCE / "shapes").rglob("*.ttl"))

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
#: A label or type follows a colon inside parentheses or brackets; a map's colon is followed by a value.
_LABEL = re.compile(r"[(\[]\s*\w*\s*((?:[:|&]\s*`?[A-Za-z]\w*`?)+)")
_WORD = re.compile(r"[A-Za-z]\w*")
_ACCESS = re.compile(r"(?<![\w.$])([a-z]\w*)\.([A-Za-z]\w*)(?!\s*\()")
_NODE_MAP = re.compile(r"\(\s*\w*\s*(?:[:|&]\s*`?[A-Za-z$]\w*\$?`?)*\s*\{([^}]*)\}")
_OPTIONS = re.compile(r"\bOPTIONS\s*\{.*?\}\s*\}", re.DOTALL)
_KEY = re.compile(r"([A-Za-z]\w*)\s*:")
#: What is unwound from a parameter holds what the caller passed in, not nodes.
_UNWOUND = re.compile(r"\bUNWIND\b(.*?)\bAS\s+(\w+)", re.IGNORECASE | re.DOTALL)
#: Functions of an engine are called as namespace.name(…) and procedures as CALL namespace.name.
_PROCEDURE = re.compile(r"\bCALL\s+[\w.]+", re.IGNORECASE)


def labels_and_properties(text: str) -> tuple[set[str], set[str]]:
    """Return the labels and relationship types, and the property names, that a statement uses."""
    text = _PROCEDURE.sub("", _STRING.sub("''", _COMMENT.sub("", text)))
    # How many components a vector has is part of a property's name, and options of an index are no names of the graph.
    text = _OPTIONS.sub("", text).replace("$DIMENSION$", "")
    rows = {variable for source, variable in _UNWOUND.findall(text) if "$" in source}
    labels = {word for group in _LABEL.findall(text) for word in _WORD.findall(group)}
    properties = {name for variable, name in _ACCESS.findall(text) if variable not in rows}
    properties |= {key for body in _NODE_MAP.findall(text) for key in _KEY.findall(body)}
    return labels, properties


@cache
def known(*kinds: URIRef) -> frozenset[str]:
    """Return the local names that the ontology declares as one of ``kinds``."""
    graph = ontology_graph()
    return frozenset(name for kind in kinds for name in declared_names(graph, kind))


def unknown(text: str) -> set[str]:
    """Return the names in ``text`` that are neither in the ontology nor physical."""
    labels, properties = labels_and_properties(text)
    return (labels - known(OWL.Class, OWL.ObjectProperty) - set(PHYSICAL_LABELS)) | (
        properties - known(OWL.ObjectProperty, OWL.DatatypeProperty) - {"sameAs"} - set(PHYSICAL_PROPERTIES)
    )


@pytest.mark.parametrize("path", CYPHER, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_cypher_speaks_the_ontology(path: Path) -> None:
    assert unknown(path.read_text("utf-8")) == set()


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("MATCH (m:Memory {ref: $ref}) SET m.weigth = 1", {"weigth"}),
        ("MATCH (m:Memmory) RETURN m.content", {"Memmory"}),
        ("MATCH (a:Memory)-[r:derivedFrom|dependsOn]->(b) RETURN r", {"derivedFrom"}),
        ("UNWIND $rows AS row MATCH (m:Memory {reff: row.anything}) RETURN m", {"reff"}),
        ("MATCH (m:Memory) // m.nonsense\nWHERE m.tier = 'x.y' RETURN m.content", set()),
    ],
)
def test_a_foreign_name_in_cypher_is_found(statement: str, names: set[str]) -> None:
    assert unknown(statement) == names


def test_physical_names_are_used_reasoned_and_not_in_the_ontology() -> None:
    texts = [path.read_text("utf-8") for path in (*CYPHER, *SOURCE.rglob("*.sql"), *SOURCE.rglob("*.py"))]
    words = {word for text in texts if "PHYSICAL_LABELS: Mapping" not in text for word in _WORD.findall(text)}
    for name, reason in {**PHYSICAL_LABELS, **PHYSICAL_PROPERTIES}.items():
        assert name in words, f"{name} is used nowhere"
        assert name not in known(OWL.Class, OWL.ObjectProperty, OWL.DatatypeProperty), (
            f"{name} is in the ontology and needs no entry"
        )
        assert len(reason.split()) > 2


# --- SHACL ---


def unknown_in_shapes(graph: Graph) -> set[str]:
    """Return the names of our namespace in a shapes graph that the ontology has not, or has as something else."""
    ontology = ontology_graph()
    defined = {str(subject) for subject in ontology.subjects(RDFS.label)}
    used = {str(node) for triple in graph for node in triple if isinstance(node, URIRef) and node.startswith(NS)}
    own = {str(shape) for kind in (SH.NodeShape, SH.PropertyShape) for shape in graph.subjects(RDF.type, kind)}
    wrong = used - defined - own
    for shape, path in graph.subject_objects(SH.path):
        for datatype in graph.objects(shape, SH.datatype):
            declared = ontology.value(path, RDFS.range)
            base = ontology.value(declared, OWL.onDatatype) or declared
            if isinstance(path, URIRef) and path.startswith(NS) and base != datatype:
                wrong.add(f"{path} as {str(datatype).removeprefix(XSD)}")
    return {iri.removeprefix(NS) for iri in wrong}


@pytest.mark.parametrize("path", SHAPES, ids=lambda path: path.name)
def test_shapes_speak_the_ontology(path: Path) -> None:
    assert unknown_in_shapes(Graph().parse(path)) == set()


def test_a_foreign_name_in_a_shape_is_found() -> None:
    shape = f"""
        @prefix mars: <{NS}> . @prefix sh: <{SH}> . @prefix xsd: <{XSD}> .
        [] a sh:NodeShape ; sh:targetClass mars:Memmory ;
           sh:property [ sh:path mars:weight ; sh:datatype xsd:decimal ] .
    """
    assert unknown_in_shapes(Graph().parse(data=shape, format="turtle")) == {"Memmory", "weight as decimal"}
