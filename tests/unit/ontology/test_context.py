"""The packaged context is the generated one, and four processors read it alike."""

from __future__ import annotations

import json
from typing import Any

import pytest
import rdflib
from pyld import jsonld
from pyoxigraph import RdfFormat, parse
from rdflib import OWL

from marskg.ontology.context import build, declared_names, ontology_graph, property_names, rendered
from marskg.ontology.documents import packaged
from marskg.ontology.vocabulary import NS, EdgeType

MEMORY = "urn:uuid:019cb000-0000-7000-8000-000000000001"
OTHER = "urn:uuid:019cb000-0000-7000-8000-000000000002"
LOG = "urn:uuid:019cb000-0000-7000-9000-000000000001"

NODES: list[dict[str, Any]] = [
    {
        "id": MEMORY,
        "type": ["Memory", "Semantic"],
        "content": 'Seedlings: 45 EUR.\n"Green Thumb"',
        "tier": "live",
        "sourceType": "chat_user",
        "sensitivity": "0.25",
        "weight": "5",
        "amount": "-12.5",
        "created": "2026-03-16T17:31:00Z",
        "pinned": "true",
        "subjects": ["alice", "bob"],
        "derivesFrom": [OTHER],
    },
    {
        "id": f"{MEMORY}#dependsOn-{OTHER.removeprefix('urn:uuid:')}",
        "type": "Edge",
        "edgeSource": MEMORY,
        "edgeType": "dependsOn",
        "edgeTarget": OTHER,
        "created": "2026-03-16T17:31:00Z",
        "edgeWeight": "0.5",
    },
    {"id": "urn:uuid:3", "type": "Entity", "name": "tomatoes", "sameAs": ["https://example.org/tomato"]},
    {
        "id": f"{LOG}#1",
        "type": "AuditRecord",
        "log": LOG,
        "sequence": "1",
        "operation": "openLog",
        "signingKey": "did:key:z6Mk#z6Mk",
        "slot": [f"{LOG}#1.0"],
        "leafHash": "00",
    },
    {"id": f"{LOG}#1.0", "commitment": "uAA", "salt": "uBB", "actor": "operator", "deletedSlots": ["1.0"]},
]


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return {"@context": json.loads(packaged())["@context"], "@graph": NODES}


def test_the_packaged_context_is_the_generated_one() -> None:
    assert packaged() == rendered(), "run: python -m marskg.ontology.context"


def test_a_change_of_the_ontology_is_noticed() -> None:
    graph = ontology_graph()
    graph.remove((rdflib.URIRef(f"{NS}weight"), rdflib.RDFS.range, None))
    graph.add((rdflib.URIRef(f"{NS}weight"), rdflib.RDFS.range, rdflib.XSD.decimal))
    assert build(graph) != json.loads(packaged())


def test_terms_are_the_local_names_and_each_is_in_the_ontology() -> None:
    terms = json.loads(packaged())["@context"]
    graph = ontology_graph()
    known = {
        name
        for kind in (OWL.ObjectProperty, OWL.DatatypeProperty, OWL.Class, OWL.NamedIndividual)
        for name in declared_names(graph, kind)
    }
    mapped = {
        name: (value if isinstance(value, str) else value["@id"])
        for name, value in terms.items()
        if name not in {"@version", "mars", "xsd", "id", "type", "sameAs"}
    }
    assert all(iri == f"mars:{name}" for name, iri in mapped.items())
    assert set(mapped) <= known
    assert set(property_names()) <= set(mapped)
    assert {edge.value for edge in EdgeType} <= set(mapped)
    assert "@vocab" not in terms


def test_processors_read_it_alike(document: dict[str, Any]) -> None:
    text = json.dumps(document)
    oxigraph = sorted(f"{q.subject} {q.predicate} {q.object} ." for q in parse(text, format=RdfFormat.JSON_LD))
    pyld = sorted(jsonld.to_rdf(document, {"format": "application/n-quads"}).strip().split("\n"))
    dataset = rdflib.Dataset()
    dataset.parse(data=text, format="json-ld")
    lines = dataset.serialize(format="nquads").strip().split("\n")
    # rdflib writes the default graph as a blank before the full stop, and UTC as +00:00.
    rdflib_lines = sorted(line.replace("  .", " .").replace("+00:00", "Z") for line in lines if line.strip())
    assert len(oxigraph) == 33
    assert oxigraph == pyld == rdflib_lines
    assert f'<{MEMORY}> <{NS}sensitivity> "0.25"^^<http://www.w3.org/2001/XMLSchema#decimal> .' in oxigraph
    assert f"<{MEMORY}> <{NS}tier> <{NS}live> ." in oxigraph


def test_compacting_gives_the_same_document_back(document: dict[str, Any]) -> None:
    quads = jsonld.to_rdf(document, {"format": "application/n-quads"})
    expanded = jsonld.from_rdf(quads, {"format": "application/n-quads"})
    compact = jsonld.compact(expanded, {"@context": document["@context"]})
    by_id = {node["id"]: node for node in compact["@graph"]}
    for node in NODES:
        back = by_id[node["id"]]
        assert {k: sorted(v) if isinstance(v, list) else v for k, v in back.items()} == {
            k: sorted(v) if isinstance(v, list) else v for k, v in node.items()
        }


def test_an_unknown_term_is_dropped_and_can_be_refused(document: dict[str, Any]) -> None:
    document = {**document, "@graph": [{**NODES[0], "contnet": "typo"}]}
    dropped: list[str] = []
    jsonld.expand(document, on_property_dropped=dropped.append)
    assert dropped == ["contnet"]


def test_it_stands_beside_the_data_integrity_context_of_a_signed_document(document: dict[str, Any]) -> None:
    # A proof defines created and proofValue anew, which a processor refuses for a protected term.
    proof = {
        "@protected": True,
        "DataIntegrityProof": {
            "@id": "https://w3id.org/security#DataIntegrityProof",
            "@context": {
                "@protected": True,
                "created": {"@id": "http://purl.org/dc/terms/created"},
                "proofValue": {"@id": "https://w3id.org/security#proofValue"},
            },
        },
    }
    signed = {
        "@context": [document["@context"], proof],
        "id": f"{LOG}#1",
        "https://w3id.org/security#proof": {"type": "DataIntegrityProof", "created": "2026", "proofValue": "z3"},
    }
    quads = jsonld.to_rdf(signed, {"format": "application/n-quads"})
    assert "<https://w3id.org/security#proofValue>" in quads
    assert "<http://purl.org/dc/terms/created>" in quads
