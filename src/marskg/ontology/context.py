"""The JSON-LD 1.1 context, made from the vocabulary and the ontology; the packaged copy equals what this makes.

Guarantees: every name of the vocabulary is a term, and its local name is the term; a literal's term carries the
datatype of its range, except ``xsd:string``, which JSON strings have anyway; a property of several values is always a
list; there is no ``@vocab``, so that a name which is not in the vocabulary is dropped by every processor and can be
refused. Values are written as JSON strings: a JSON number with a fraction would become an ``xsd:double``.

Terms are not ``@protected``: the W3C Data Integrity context, which stands beside this one in a signed document,
defines ``created`` and ``proofValue`` for a proof, and processors refuse to redefine a protected term.
Source: W3C JSON-LD 1.1 sections 4 and 9.15. Run ``python -m marskg.ontology.context`` after a change of either source.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import TypeAlias

from rdflib import OWL, RDF, RDFS, Graph, URIRef

from marskg.ontology.fields import (
    ACCESS_FIELDS,
    CORE_FIELDS,
    EDGE_FIELDS,
    ENTITY_FIELDS,
    GOVERNED_FIELDS,
    NODE_DETAIL_FIELDS,
    PAYLOAD_FIELDS,
    PREFERENCE_FIELDS,
    RECORD_DETAIL_FIELDS,
)
from marskg.ontology.vocabulary import NS, OWL_SAME_AS, PREFIX, RDF_JSON, XSD, EdgeType

Term: TypeAlias = "str | dict[str, str]"

_PACKAGE = "marskg.ontology"
#: Names of exports that are no field of a table: edges as nodes, slots, proofs and tree heads (semantics section 8).
STRUCTURE = (
    "edgeSource",
    "edgeType",
    "edgeTarget",
    "slot",
    "commitment",
    "proofValue",
    "proofCreated",
    "leafHash",
    "treeSize",
    "rootHash",
    "salt",
)
_FIELDS = (
    *GOVERNED_FIELDS,
    *ACCESS_FIELDS,
    *(field for fields in PAYLOAD_FIELDS.values() for field in fields),
    *ENTITY_FIELDS,
    *PREFERENCE_FIELDS,
    *EDGE_FIELDS,
    *CORE_FIELDS,
    *RECORD_DETAIL_FIELDS,
    *NODE_DETAIL_FIELDS,
)


def property_names() -> tuple[str, ...]:
    """Return the local name of every property of the ontology that an export may hold, sorted."""
    fields = {field.local for field in _FIELDS if field.iri.startswith(NS)}
    return tuple(sorted(fields | {edge.value for edge in EdgeType} | set(STRUCTURE)))


def ontology_graph() -> Graph:
    """Return the packaged ontology, without its alignments, as an rdflib graph."""
    return Graph().parse(data=resources.files(_PACKAGE).joinpath("mars.ttl").read_text("utf-8"), format="turtle")


def declared_names(graph: Graph, kind: URIRef) -> list[str]:
    """Return the sorted local names that ``graph`` declares in the namespace as of ``kind``, such as ``owl:Class``."""
    return sorted(str(term).removeprefix(NS) for term in graph.subjects(RDF.type, kind) if str(term).startswith(NS))


def datatype_of(graph: Graph, name: str) -> str | None:
    """Return the IRI of the datatype in which property ``name`` is written; None for an object property."""
    declared = graph.value(URIRef(NS + name), RDFS.range)
    if declared is None or (URIRef(NS + name), RDF.type, OWL.ObjectProperty) in graph:
        return None
    return str(graph.value(declared, OWL.onDatatype) or declared)


def build(graph: Graph) -> dict[str, dict[str, Term | float]]:
    """Return the context document made from the ontology in ``graph`` and the vocabulary."""
    terms: dict[str, Term | float] = {"@version": 1.1, PREFIX: NS, "xsd": XSD, "id": "@id", "type": "@type"}
    for name in property_names():
        terms[name] = _property_term(graph, name)
    terms["sameAs"] = {"@id": OWL_SAME_AS, "@type": "@id", "@container": "@set"}
    for kind in (OWL.Class, OWL.NamedIndividual):
        terms.update({name: f"{PREFIX}:{name}" for name in declared_names(graph, kind)})
    return {"@context": terms}


def _property_term(graph: Graph, name: str) -> Term:
    """Return the term definition of property ``name``."""
    iri = URIRef(NS + name)
    term = {"@id": f"{PREFIX}:{name}"}
    datatype = datatype_of(graph, name)
    if datatype is None:
        term["@type"] = "@vocab" if _is_enumerated(graph, iri) else "@id"
    elif datatype == RDF_JSON:
        term["@type"] = "@json"
    elif datatype != f"{XSD}string":
        term["@type"] = "xsd:" + datatype.removeprefix(XSD)
    if (iri, RDF.type, OWL.FunctionalProperty) not in graph:
        term["@container"] = "@set"
    return term if len(term) > 1 else f"{PREFIX}:{name}"


def _is_enumerated(graph: Graph, iri: URIRef) -> bool:
    """Return whether the property's values are individuals of the ontology."""
    value_class = graph.value(iri, RDFS.range)
    equivalents = graph.objects(value_class, OWL.equivalentClass) if value_class else ()
    return any((equivalent, OWL.oneOf, None) in graph for equivalent in equivalents)


def rendered() -> str:
    """Return the context document as the text of ``context.jsonld``."""
    return json.dumps(build(ontology_graph()), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    from pathlib import Path

    Path(__file__).with_name("context.jsonld").write_text(rendered(), encoding="utf-8")
