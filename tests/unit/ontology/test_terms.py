"""Every name of the vocabulary is in the ontology as what the vocabulary says; every term is documented; OWL 2 DL."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

import pytest
from rdflib import DCTERMS, OWL, RDF, RDFS, SKOS, VANN, Graph, Literal, URIRef, namespace
from rdflib.collection import Collection

from marskg.json_object import MOST
from marskg.ontology.context import datatype_of, declared_names, ontology_graph
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
    Field,
)
from marskg.ontology.vocabulary import (
    NS,
    Cardinality,
    Datatype,
    EdgeType,
    Kind,
    MemoryClass,
    Operation,
    PreferenceRule,
    SourceType,
    TaskStatus,
    Tier,
)

if TYPE_CHECKING:
    from enum import StrEnum

    from rdflib.term import Node

ONTOLOGY = URIRef("https://w3id.org/mars-kg/ns")
DPV = "https://w3id.org/dpv#"
#: DPV is the one aligned vocabulary that rdflib does not carry: its terms as of DPV 2.
DPV_TERMS = {"Erase", "Modify", "PersonalData", "Retrieve", "Store", "hasDataSubject", "hasJurisdiction", "hasPurpose"}
PROPERTY_KINDS = (OWL.ObjectProperty, OWL.DatatypeProperty)
#: The facets in which a field's low and high are written.
BOUNDS = {"low": namespace.XSD.minInclusive, "high": namespace.XSD.maxInclusive}


@pytest.fixture(scope="module")
def mars() -> Graph:
    return ontology_graph()


@pytest.fixture(scope="module")
def alignments() -> Graph:
    text = resources.files("marskg.ontology").joinpath("alignments.ttl").read_text("utf-8")
    return Graph().parse(data=text, format="turtle")


def term(name: str) -> URIRef:
    return URIRef(NS + name)


def own_terms(graph: Graph) -> set[URIRef]:
    return {subject for subject in graph.subjects() if isinstance(subject, URIRef) and subject.startswith(NS)}


def one(graph: Graph, subject: Node, predicate: URIRef) -> Node:
    found = graph.value(subject, predicate)
    assert found is not None, f"{subject} has no {predicate}"
    return found


def union_members(graph: Graph, node: Node) -> set[str]:
    listed = graph.value(node, OWL.unionOf)
    members = Collection(graph, listed) if listed is not None else [node]
    return {str(member).removeprefix(NS) for member in members}


def facet(graph: Graph, node: Node, bound: URIRef) -> float | None:
    listed = graph.value(node, OWL.withRestrictions)
    values = [graph.value(each, bound) for each in Collection(graph, listed)] if listed is not None else []
    found = [float(str(value)) for value in values if value is not None]
    return found[0] if found else None


# --- documentation ---


def test_header_says_what_is_expected_of_an_ontology(mars: Graph, alignments: Graph) -> None:
    for graph, iri in ((mars, ONTOLOGY), (alignments, URIRef("https://w3id.org/mars-kg/alignments"))):
        for predicate in (
            OWL.versionIRI,
            OWL.versionInfo,
            DCTERMS.title,
            DCTERMS.description,
            DCTERMS.creator,
            DCTERMS.license,
            DCTERMS.created,
            DCTERMS.modified,
            VANN.preferredNamespacePrefix,
            VANN.preferredNamespaceUri,
        ):
            assert graph.value(iri, predicate) is not None, predicate


def undocumented(graph: Graph) -> list[str]:
    missing = []
    for each in own_terms(graph):
        labels = [label for label in graph.objects(each, RDFS.label) if getattr(label, "language", None) == "en"]
        definitions = list(graph.objects(each, SKOS.definition))
        defined_by = list(graph.objects(each, RDFS.isDefinedBy))
        if len(labels) != 1 or len(definitions) != 1 or defined_by != [ONTOLOGY]:
            missing.append(str(each))
    return missing


def test_every_term_has_one_label_one_definition_and_its_ontology(mars: Graph) -> None:
    assert len(own_terms(mars)) > 150
    assert undocumented(mars) == []


def test_a_term_without_definition_is_noticed(mars: Graph) -> None:
    broken = Graph() + mars
    broken.remove((term("pinned"), SKOS.definition, None))
    assert undocumented(broken) == [NS + "pinned"]


def test_definitions_are_sentences_that_say_more_than_the_label(mars: Graph) -> None:
    for each in own_terms(mars):
        definition = str(mars.value(each, SKOS.definition))
        assert definition[0].isupper(), each
        assert definition.endswith("."), each
        assert definition.lower().rstrip(".") != str(mars.value(each, RDFS.label)).lower()


# --- the vocabulary ---

FIELDS: list[tuple[Field, str]] = [
    *((field, "Memory") for field in (*GOVERNED_FIELDS, *ACCESS_FIELDS)),
    *((field, kind.label) for kind, fields in PAYLOAD_FIELDS.items() for field in fields),
    *((field, "Entity") for field in ENTITY_FIELDS),
    *((field, "Preference") for field in PREFERENCE_FIELDS),
    *((field, "Edge") for field in EDGE_FIELDS),
    *((field, "AuditRecord") for field in CORE_FIELDS),
    *((field, "RecordSlot") for field in RECORD_DETAIL_FIELDS),
    *((field, "NodeSlot") for field in NODE_DETAIL_FIELDS),
]
#: Metadata of every memory in the table that only a task can have.
TASK_METADATA = {"status", "priority", "deadline"}
ENUMERATIONS: dict[str, type[StrEnum]] = {
    "cardinality": Cardinality,
    "sourceType": SourceType,
    "memoryClass": MemoryClass,
    "tier": Tier,
    "status": TaskStatus,
    "preferenceRule": PreferenceRule,
    "operation": Operation,
    "tierBefore": Tier,
    "tierAfter": Tier,
}


@pytest.mark.parametrize(("field", "owner"), FIELDS, ids=lambda value: getattr(value, "name", value))
def test_a_field_is_a_property_of_its_kind_range_domain_and_number(mars: Graph, field: Field, owner: str) -> None:
    if field.name == "same_as":
        return  # written as owl:sameAs
    name, iri = field.local, term(field.local)
    expected_kind = OWL.ObjectProperty if field.datatype in {Datatype.TERM, Datatype.IRI} else OWL.DatatypeProperty
    assert (iri, RDF.type, expected_kind) in mars
    assert ((iri, RDF.type, OWL.FunctionalProperty) in mars) is not field.many
    domain = union_members(mars, one(mars, iri, RDFS.domain))
    assert ("Task" if name in TASK_METADATA else owner) in domain
    if expected_kind == OWL.DatatypeProperty:
        assert datatype_of(mars, name) == field.datatype.iri
    else:
        assert datatype_of(mars, name) is None
    range_node = one(mars, iri, RDFS.range)
    for attribute, bound in BOUNDS.items():
        if abs(limit := getattr(field, attribute)) < MOST:
            assert facet(mars, range_node, bound) == limit


@pytest.mark.parametrize(("name", "enumeration"), ENUMERATIONS.items(), ids=str)
def test_an_enumerated_field_has_exactly_the_values_of_its_enumeration(
    mars: Graph, name: str, enumeration: type[StrEnum]
) -> None:
    value_class = one(mars, term(name), RDFS.range)
    equivalent = one(mars, value_class, OWL.equivalentClass)
    listed = {str(each).removeprefix(NS) for each in Collection(mars, one(mars, equivalent, OWL.oneOf))}
    assert str(value_class).removeprefix(NS) == enumeration.__name__
    assert listed == {member.value for member in enumeration}
    assert {term(each) for each in listed} == set(mars.subjects(RDF.type, value_class))


@pytest.mark.parametrize("edge", list(EdgeType))
def test_an_edge_is_an_object_property_below_edge_and_an_edge_type(mars: Graph, edge: EdgeType) -> None:
    iri = term(edge.value)
    assert (iri, RDF.type, OWL.ObjectProperty) in mars
    assert term("edge") in set(mars.transitive_objects(iri, RDFS.subPropertyOf))
    listed = one(mars, one(mars, term("EdgeType"), OWL.equivalentClass), OWL.oneOf)
    assert iri in set(Collection(mars, listed))


def test_edge_type_lists_the_edges_and_nothing_else(mars: Graph) -> None:
    listed = Collection(mars, one(mars, one(mars, term("EdgeType"), OWL.equivalentClass), OWL.oneOf))
    assert {str(each).removeprefix(NS) for each in listed} == {edge.value for edge in EdgeType}


def test_the_kinds_are_the_disjoint_parts_of_memory(mars: Graph) -> None:
    parts = Collection(mars, one(mars, term("Memory"), OWL.disjointUnionOf))
    assert {str(each).removeprefix(NS) for each in parts} == {kind.label for kind in Kind}


def test_names_of_different_sorts_never_meet(mars: Graph) -> None:
    properties = {name for kind in PROPERTY_KINDS for name in declared_names(mars, kind)}
    individuals = set(declared_names(mars, OWL.NamedIndividual))
    classes = set(declared_names(mars, OWL.Class))
    assert not properties & individuals
    assert not classes & (properties | individuals)


# --- OWL 2 DL ---

#: The part of the OWL 2 datatype map in use; xsd:date, for one, is outside the map.
DATATYPES = {
    namespace.XSD.string,
    namespace.XSD.integer,
    namespace.XSD.nonNegativeInteger,
    namespace.XSD.decimal,
    namespace.XSD.boolean,
    namespace.XSD.dateTime,
    RDF.langString,
}


@pytest.fixture(scope="module")
def both(mars: Graph, alignments: Graph) -> Graph:
    return mars + alignments


def test_literals_have_datatypes_of_the_owl_2_map(both: Graph) -> None:
    used = {
        value.datatype or (RDF.langString if value.language else namespace.XSD.string)
        for value in both.objects()
        if isinstance(value, Literal)
    }
    assert used <= DATATYPES


def test_properties_are_of_one_kind_and_all_are_declared(both: Graph) -> None:
    kinds = [set(both.subjects(RDF.type, kind)) for kind in (*PROPERTY_KINDS, OWL.AnnotationProperty)]
    objects, data, annotations = kinds
    assert not objects & data
    assert not (objects | data) & annotations
    language = (str(RDF), str(RDFS), str(OWL))
    used = {each for each in both.predicates() if not str(each).startswith(language) and each not in BOUNDS.values()}
    assert used <= objects | data | annotations


def test_classes_in_axioms_are_declared(both: Graph) -> None:
    named = {
        value
        for predicate in (RDFS.subClassOf, RDFS.domain, OWL.disjointWith, OWL.someValuesFrom)
        for value in both.objects(None, predicate)
        if isinstance(value, URIRef) and not str(value).startswith((str(namespace.XSD), str(RDFS), str(OWL)))
    }
    assert named <= set(both.subjects(RDF.type, OWL.Class))


def test_nothing_is_transitive_so_that_asymmetry_stays_within_owl_2_dl(both: Graph) -> None:
    assert not list(both.subjects(RDF.type, OWL.TransitiveProperty))
    chained = set(both.subjects(OWL.propertyChainAxiom, None))
    needs_simple = {
        subject
        for kind in (OWL.AsymmetricProperty, OWL.IrreflexiveProperty, OWL.FunctionalProperty)
        for subject in both.subjects(RDF.type, kind)
    }
    assert not chained & needs_simple


def test_every_property_says_what_it_joins(mars: Graph) -> None:
    for kind in PROPERTY_KINDS:
        for name in declared_names(mars, kind):
            assert mars.value(term(name), RDFS.domain) is not None, name
            assert mars.value(term(name), RDFS.range) is not None, name


# --- alignments ---

VOCABULARIES = [getattr(namespace, name) for name in ("DCTERMS", "FOAF", "ODRL2", "ORG", "PROV", "SDO", "SKOS", "TIME")]


def test_outside_terms_exist_in_their_vocabularies(alignments: Graph) -> None:
    iris = {node for triple in alignments for node in triple if isinstance(node, URIRef)}
    for vocabulary in VOCABULARIES:
        in_it = {iri for iri in iris if iri.startswith(str(vocabulary))}
        assert in_it, f"no alignment with {vocabulary}"
        assert [iri for iri in in_it if iri not in vocabulary] == []
    assert {iri.removeprefix(DPV) for iri in iris if iri.startswith(DPV)} == DPV_TERMS


def test_every_alignment_has_its_reason(alignments: Graph) -> None:
    stated = {
        triple
        for triple in alignments
        if isinstance(triple[0], URIRef) and triple[0].startswith(NS) and not isinstance(triple[2], Literal)
    }
    reasoned = {
        tuple(
            alignments.value(axiom, part) for part in (OWL.annotatedSource, OWL.annotatedProperty, OWL.annotatedTarget)
        )
        for axiom in alignments.subjects(RDF.type, OWL.Axiom)
        if alignments.value(axiom, RDFS.comment)
    }
    assert len(stated) > 40
    assert stated == reasoned
    for chained in alignments.subjects(OWL.propertyChainAxiom, None):
        assert alignments.value(chained, RDFS.comment)


def test_alignments_speak_of_terms_that_exist(mars: Graph, alignments: Graph) -> None:
    used = {node for triple in alignments for node in triple if isinstance(node, URIRef) and node.startswith(NS)}
    assert used <= own_terms(mars)
