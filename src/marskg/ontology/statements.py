"""Triples as values: what they declare, which belong together, how they are told.

Guarantees: pure functions; what is told to a reader never holds a literal that is text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pyoxigraph import BlankNode, Literal, NamedNode

from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import NS, PREFIX, RDF_TYPE, XSD

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: A subject, predicate or object; RDF 1.2's triple terms are refused when a file is read.
Node: TypeAlias = "NamedNode | BlankNode | Literal"
Statement: TypeAlias = "tuple[Node, NamedNode, Node]"

OWL = "http://www.w3.org/2002/07/owl#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
DCTERMS = "http://purl.org/dc/terms/"
TYPE = NamedNode(RDF_TYPE)
#: What a term can be declared as.
KINDS = frozenset(
    {
        f"{OWL}Class",
        f"{RDFS}Datatype",
        f"{OWL}ObjectProperty",
        f"{OWL}DatatypeProperty",
        f"{OWL}AnnotationProperty",
        f"{OWL}NamedIndividual",
    }
)

_INTEGER = late_regex(r"[+-]?\d+")
_DECIMAL = late_regex(r"[+-]?(\d+(\.\d*)?|\.\d+)")
_DOUBLE = late_regex(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?INF|NaN")
_BOOLEAN = late_regex(r"true|false|0|1")
_DATE_TIME = late_regex(r"-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?")
#: How a value of a datatype is written, for those that reasoners compute with (XSD 1.1 part 2, section 3).
_FORMS = {
    "integer": _INTEGER,
    "int": _INTEGER,
    "long": _INTEGER,
    "short": _INTEGER,
    "byte": _INTEGER,
    "nonNegativeInteger": _INTEGER,
    "positiveInteger": _INTEGER,
    "nonPositiveInteger": _INTEGER,
    "negativeInteger": _INTEGER,
    "unsignedInt": _INTEGER,
    "unsignedLong": _INTEGER,
    "unsignedShort": _INTEGER,
    "unsignedByte": _INTEGER,
    "decimal": _DECIMAL,
    "double": _DOUBLE,
    "float": _DOUBLE,
    "boolean": _BOOLEAN,
    "dateTime": _DATE_TIME,
    "dateTimeStamp": _DATE_TIME,
}
_ONTOLOGY = NamedNode(f"{OWL}Ontology")
_SHOWN = (f"{XSD}integer", f"{XSD}decimal", f"{XSD}double", f"{XSD}boolean", f"{XSD}dateTime")
_SHORT = {NS: PREFIX, OWL: "owl", RDF: "rdf", RDFS: "rdfs", XSD: "xsd", SKOS: "skos", DCTERMS: "dcterms"}


def ontologies(statements: Iterable[Statement]) -> set[str]:
    """Return the IRIs of the ontologies that ``statements`` declare."""
    return {s.value for s, p, o in statements if p == TYPE and o == _ONTOLOGY and isinstance(s, NamedNode)}


def declared(statements: Iterable[Statement]) -> set[str]:
    """Return the IRIs of the terms that ``statements`` declare."""
    return {str(each[0].value) for each in statements if is_declaration(each)}


def is_declaration(statement: Statement) -> bool:
    """Return whether ``statement`` says what sort of term its subject is."""
    subject, predicate, value = statement
    return predicate == TYPE and isinstance(subject, NamedNode) and getattr(value, "value", "") in KINDS


def malformed(node: Node) -> bool:
    """Return whether ``node`` is a literal that is not written as its datatype asks."""
    if not isinstance(node, Literal) or not node.datatype.value.startswith(XSD):
        return False
    form = _FORMS.get(node.datatype.value.removeprefix(XSD))
    return form is not None and form.fullmatch(node.value) is None


def without_headers(statements: Sequence[Statement]) -> list[Statement]:
    """Return ``statements`` without those about ontologies as such, imports among them."""
    headers = ontologies(statements)
    return [each for each in statements if not (isinstance(each[0], NamedNode) and each[0].value in headers)]


def properties(statements: Iterable[Statement], kind: str) -> tuple[str, ...]:
    """Return the IRIs of the declared properties of ``kind``."""
    wanted = NamedNode(f"{OWL}{kind}")
    return tuple(sorted({s.value for s, p, o in statements if p == TYPE and o == wanted and isinstance(s, NamedNode)}))


def ntriples(statements: Iterable[Statement]) -> str:
    """Return ``statements`` as N-Triples."""
    return "".join(f"{subject} {predicate} {value} .\n" for subject, predicate, value in statements)


def units(statements: Sequence[Statement]) -> list[list[Statement]]:
    """Return ``statements`` in groups that mean something alone: a triple with all that its blank nodes say."""
    about: dict[BlankNode, list[Statement]] = {}
    pointed: set[BlankNode] = set()
    for statement in statements:
        subject, _, value = statement
        if isinstance(subject, BlankNode):
            about.setdefault(subject, []).append(statement)
        if isinstance(value, BlankNode):
            pointed.add(value)
    headers = ontologies(statements)
    groups = [
        [each, *_described(each[2], about)]
        for each in statements
        if isinstance(each[0], NamedNode) and each[0].value not in headers
    ]
    groups += [_described(node, about) for node in about if node not in pointed]
    # What is left hangs together in a ring of blank nodes, or from an ontology's header.
    left = set(about) - {each[0] for group in groups for each in group}
    return [*groups, *([each] for node in about if node in left for each in about[node])]


def _described(value: Node, about: dict[BlankNode, list[Statement]]) -> list[Statement]:
    """Return what is said of ``value`` and of the blank nodes that this leads to."""
    found: list[Statement] = []
    seen: set[Node] = set()
    rest: list[Node] = [value]
    while rest:
        node = rest.pop()
        if not isinstance(node, BlankNode) or node in seen:
            continue
        seen.add(node)
        found += about.get(node, [])
        rest += [target for _, _, target in about.get(node, [])]
    return found


def shorten(iri: str) -> str:
    """Return ``iri`` with its usual prefix, or in angle brackets."""
    for namespace, prefix in _SHORT.items():
        if iri.startswith(namespace):
            return f"{prefix}:{iri.removeprefix(namespace)}"
    return f"<{iri}>"


def told(statement: Statement) -> str:
    """Return ``statement`` as a reader's line; text is left out, for it may be somebody's memory."""
    return " ".join(_told_node(node) for node in statement)


def _told_node(node: Node) -> str:
    """Return one term of a statement as a reader sees it."""
    if isinstance(node, NamedNode):
        return "a" if node == TYPE else shorten(node.value)
    if isinstance(node, BlankNode):
        return "[…]"
    return node.value if node.datatype.value in _SHOWN else '"…"'
