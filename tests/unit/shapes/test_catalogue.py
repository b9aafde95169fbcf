"""The packaged shapes: Core only, self-describing, whole, and one with the vocabulary."""

from __future__ import annotations

from importlib import resources

import pyrudof
import pytest
from rdflib import BNode, Graph, URIRef
from rdflib.collection import Collection
from rdflib.namespace import RDF, RDFS, SH

from marskg.json_object import MOST
from marskg.ontology.fields import (
    ENTITY_FIELDS,
    MEMORY_FIELDS,
    NODE_DETAIL_FIELDS,
    PAYLOAD_FIELDS,
    PREFERENCE_FIELDS,
    RECORD_DETAIL_FIELDS,
    TOMBSTONE_FIELDS,
    Field,
)
from marskg.ontology.vocabulary import (
    NS,
    OWL_SAME_AS,
    TOMBSTONE_EDGES,
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
from marskg.shapes.catalogue import SHAPES_NS, rules, shape_files, shapes_graph, shapes_turtle, targeted_shapes

SHAPES = shapes_graph()
INVARIANTS = (
    "i2-link-closure.ttl",
    "i3-content-closure.ttl",
    "i4-task-safety.ttl",
    "acyclicity.ttl",
    "temporal-chain.ttl",
    "tier.ttl",
    "key.ttl",
    "memory.ttl",
    "edge.ttl",
    "entity.ttl",
    "preference.ttl",
    "audit.ttl",
)
_TASK = {"status", "priority", "deadline"}
FIELDS: list[tuple[str, Field]] = [
    *(("Task" if spec.name in _TASK else "Memory", spec) for spec in MEMORY_FIELDS if spec.name != "tier"),
    *((kind.label, spec) for kind, specs in PAYLOAD_FIELDS.items() for spec in specs),
    *(("Entity", spec) for spec in ENTITY_FIELDS),
    *(("Preference", spec) for spec in PREFERENCE_FIELDS),
    # Of a slot, weight is checked as the field of the same name of a memory.
    *(("AuditSlot", spec) for spec in (*RECORD_DETAIL_FIELDS, *NODE_DETAIL_FIELDS) if spec.name != "weight"),
]
TERMS = {
    "cardinality": Cardinality,
    "source_type": SourceType,
    "memory_class": MemoryClass,
    "status": TaskStatus,
    "preference_rule": PreferenceRule,
    "tier_before": Tier,
    "tier_after": Tier,
}


def test_there_is_a_file_for_each_invariant_and_each_payload() -> None:
    assert set(shape_files()) == {*INVARIANTS, *(f"{kind}.ttl" for kind in Kind)}


@pytest.mark.parametrize("name", [*INVARIANTS, *(f"{kind}.ttl" for kind in Kind)])
def test_each_file_stands_alone_in_both_engines(name: str) -> None:
    text = resources.files("marskg").joinpath("shapes", name).read_text(encoding="utf-8")
    graph = Graph().parse(data=text, format="turtle")
    for _, _, helper in graph.triples((None, SH.node, None)):
        assert (helper, None, None) in graph, f"{name} refers to {helper}, which is in another file"
    pyrudof.Rudof(pyrudof.RudofConfig()).read_shacl(text, reader_mode=pyrudof.ReaderMode.Strict)


def test_only_core_is_used() -> None:
    core = {str(term) for term in dir(SH)} | {f"{SH}{name}" for name in SH._extras}
    used = {str(p) for p in SHAPES.predicates() if str(p).startswith(str(SH))}
    beyond = {"sparql", "js", "rule", "function", "expression", "select", "ask", "prefixes", "target", "validator"}
    assert used <= core
    assert not {f"{SH}{name}" for name in beyond} & used
    assert (None, SH.closed, None) not in SHAPES, "extensions may add terms"


def test_every_shape_says_its_name_rule_way_out_and_origin() -> None:
    for shape, _ in targeted_shapes(SHAPES):
        name = str(shape).removeprefix(SHAPES_NS)
        assert isinstance(shape, URIRef)
        assert name in rules()
        for predicate in (SH.name, SH.message, RDFS.isDefinedBy):
            assert SHAPES.value(shape, predicate) is not None, f"{name} has no {predicate}"
    for rule in rules().values():
        assert rule.message.count(".") + rule.message.count(":") >= 2, f"{rule.name}: a rule and a way out"


def test_every_name_in_the_shapes_is_in_the_ontology() -> None:
    ontology = Graph().parse(
        data=resources.files("marskg").joinpath("ontology", "mars.ttl").read_text(encoding="utf-8")
    )
    known = {str(term) for term in ontology.subjects()}
    used = {str(term) for triple in SHAPES for term in triple if str(term).startswith(NS)}
    # The salt of a slot and of a node is the audit's, beside the vocabulary.
    assert used - known == set()


@pytest.mark.parametrize(("owner", "spec"), FIELDS, ids=lambda value: value if isinstance(value, str) else value.local)
def test_the_shape_of_a_field_says_what_the_vocabulary_says(owner: str, spec: Field) -> None:
    shape = URIRef(f"{SHAPES_NS}{owner}-{spec.local}")
    iri = OWL_SAME_AS if spec.name == "same_as" else spec.iri
    assert SHAPES.value(shape, SH.path) == URIRef(iri)
    assert (SHAPES.value(shape, SH.maxCount) is None) == spec.many
    for predicate, bound in ((SH.minInclusive, spec.low), (SH.maxInclusive, spec.high)):
        value = SHAPES.value(shape, predicate)
        assert (bound if abs(bound) == MOST and value is None else float(str(value))) == bound
    if spec.datatype is Datatype.TERM:
        assert _listed(shape) == {term.value for term in TERMS[spec.name]}
    elif spec.datatype is Datatype.IRI:
        assert SHAPES.value(shape, SH.nodeKind) == SH.IRI
    else:
        assert SHAPES.value(shape, SH.datatype) == URIRef(spec.datatype.iri)


def test_lists_of_terms_are_those_of_the_vocabulary() -> None:
    assert _listed(URIRef(SHAPES_NS + "Tier")) == set(Tier) - {Tier.GONE}
    assert _listed(URIRef(SHAPES_NS + "AuditRecord-operation")) == set(Operation)
    assert _listed(URIRef(SHAPES_NS + "Edge-edgeType")) == set(EdgeType)


def test_a_tombstone_keeps_what_the_vocabulary_says() -> None:
    fields = {spec.local for spec in MEMORY_FIELDS if spec not in TOMBSTONE_FIELDS}
    payload = {spec.local for specs in PAYLOAD_FIELDS.values() for spec in specs}
    assert _targets("TombstoneFields") == fields | payload
    assert _targets("TombstoneEdges") == set(EdgeType) - TOMBSTONE_EDGES


def test_no_shape_without_a_name_has_targets_or_a_code() -> None:
    assert not any(isinstance(shape, BNode) for shape in SHAPES.subjects(RDF.type, SH.NodeShape))
    assert "sh:targetNode" not in shapes_turtle()


def _listed(shape: URIRef) -> set[str]:
    head = SHAPES.value(shape, SH["in"])
    assert head is not None
    return {str(term).removeprefix(NS) for term in Collection(SHAPES, head)}


def _targets(name: str) -> set[str]:
    shape = URIRef(SHAPES_NS + name)
    return {str(value).removeprefix(NS) for value in SHAPES.objects(shape, SH.targetSubjectsOf)}
