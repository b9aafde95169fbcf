"""HermiT: contradictions with the ontology are found, and what it allows is not refused."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import RdfFormat, parse

from marskg.ontology.documents import packaged_statements
from marskg.ontology.hermit import contradictory, find_java, smallest_cause
from marskg.ontology.statements import ntriples, without_headers
from tests.support.proof import some

if TYPE_CHECKING:
    from collections.abc import Sequence

PREFIXES = """
@prefix ex: <https://example.org/x#> . @prefix mars: <https://w3id.org/mars-kg/ns#> .
@prefix org: <http://www.w3.org/ns/org#> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
CONTRADICTIONS = {
    "two-kinds": "ex:a a mars:Episodic , mars:Task .",
    "no-kind": (
        "ex:a a mars:Memory , [ a owl:Class ; owl:complementOf "
        "[ a owl:Class ; owl:unionOf ( mars:Episodic mars:Semantic mars:Social mars:Task ) ] ] ."
    ),
    "sensitivity-out-of-range": "ex:a mars:sensitivity 1.5 .",
    "negative-weight": "ex:a mars:weight -1 .",
    "score-out-of-range": "ex:a mars:score 101 .",
    "time-that-is-none": 'ex:a mars:created "yesterday" .',
    "two-contents": 'ex:a mars:content "one" , "another" .',
    "two-tiers": "ex:a mars:tier mars:live , mars:latent .",
    "stored-and-gone": "ex:a a mars:Memory ; mars:tier mars:gone .",
    "tombstone-with-content": 'ex:a mars:tier mars:tombstone ; mars:content "kept" .',
    "tombstone-with-weight": "ex:a mars:tier mars:tombstone ; mars:weight 5 .",
    "status-of-an-episode": "ex:a a mars:Episodic ; mars:status mars:open .",
    "value-of-another-enumeration": "ex:a mars:status mars:live .",
    "payload-of-another-kind": 'ex:a a mars:Task ; mars:concept "budget" .',
    "rests-on-itself": "ex:a mars:dependsOn ex:a .",
    "cycle-of-two": "ex:a mars:dependsOn ex:b . ex:b mars:supersedes ex:a .",
    "requires-of-a-fact": "ex:a a mars:Semantic ; mars:requires ex:b .",
    "mentions-a-memory": "ex:a mars:mentions ex:b . ex:b a mars:Episodic .",
    "entity-is-a-memory": "ex:a a mars:Entity ; mars:isA ex:b . ex:b a mars:Memory .",
    "person-and-place": 'ex:a a mars:Place ; mars:entityType "person" .',
    "edge-of-no-type": "ex:e a mars:Edge ; mars:edgeType mars:live .",
    "edge-of-two-types": "ex:e a mars:Edge ; mars:edgeType mars:worksAt , mars:isA .",
    "record-and-node-details-in-one-slot": 'ex:s mars:actor "operator" ; mars:rule "imp" .',
    "slot-of-two-records": "ex:r mars:slot ex:s . ex:q mars:slot ex:s . ex:r owl:differentFrom ex:q .",
    "fork": (
        "ex:r a mars:AuditRecord , owl:NamedIndividual ; mars:log ex:l ; mars:sequence 1 . "
        "ex:q a mars:AuditRecord , owl:NamedIndividual ; mars:log ex:l ; mars:sequence 1 . "
        "ex:r owl:differentFrom ex:q ."
    ),
    "record-without-log": "ex:r a mars:AuditRecord , [ a owl:Class ; owl:complementOf [ a owl:Restriction ; "
    "owl:onProperty mars:log ; owl:someValuesFrom owl:Thing ] ] .",
    "alignment-of-reportsTo": (
        "ex:a a mars:Entity ; mars:reportsTo ex:b . [] a owl:NegativePropertyAssertion ; "
        "owl:sourceIndividual ex:a ; owl:assertionProperty org:reportsTo ; owl:targetIndividual ex:b ."
    ),
    "alignment-of-person": (
        'ex:a a mars:Entity , [ a owl:Class ; owl:complementOf foaf:Person ] ; mars:entityType "person" .'
    ),
}
CONSISTENT = {
    "withheld-target": "ex:a mars:derivesFrom ex:b . ex:b a mars:Withheld .",
    "edge-types-are-individuals-too": "ex:e a mars:Edge ; mars:edgeType mars:worksAt .",
    "colleague-of-a-tombstone": "ex:a a mars:Social ; mars:colleagueOf ex:b . ex:b mars:tier mars:tombstone .",
    "memories-report-to-nobody-in-ORG": (
        "ex:a a mars:Social ; mars:reportsTo ex:b . ex:b a mars:Social . [] a owl:NegativePropertyAssertion ; "
        "owl:sourceIndividual ex:a ; owl:assertionProperty org:reportsTo ; owl:targetIndividual ex:b ."
    ),
    "outside-IRI-of-a-person": (
        'ex:a a mars:Entity ; mars:entityType "person" ; owl:sameAs ex:b . ex:b a foaf:Person .'
    ),
}


def lines(turtle: str, world: str = "x") -> str:
    quads = parse(PREFIXES.replace("/x#", f"/{world}#") + turtle, format=RdfFormat.TURTLE, rename_blank_nodes=True)
    return "".join(f"{quad.subject} {quad.predicate} {quad.object} .\n" for quad in quads)


@pytest.fixture(scope="module")
def base() -> str:
    return ntriples(without_headers(packaged_statements()))


@pytest.fixture(scope="module")
def java() -> str:
    return find_java(os.environ)


@pytest.mark.slow  # a second or two each
@pytest.mark.parametrize("name", some(CONTRADICTIONS, 4))
def test_a_contradiction_is_found(base: str, java: str, name: str) -> None:
    assert contradictory(java, base + lines(CONTRADICTIONS[name]))


@pytest.mark.slow
def test_what_is_allowed_is_not_refused(base: str, java: str) -> None:
    """All at once, each with individuals of its own: what follows from a part follows from the whole."""
    found = [lines(turtle, name) for name, turtle in CONSISTENT.items()]
    assert not contradictory(java, base + "".join(found))


@given(st.sets(st.integers(0, 40), min_size=1, max_size=6), st.integers(41, 60))
def test_the_smallest_cause_is_found_with_few_questions(culprits: set[int], count: int) -> None:
    asked = 0

    def contradicts(indices: Sequence[int]) -> bool:
        nonlocal asked
        asked += 1
        return culprits <= set(indices)

    assert smallest_cause(count, contradicts, lambda: True) == sorted(culprits)
    assert asked <= (len(culprits) + 1) * 7


def test_a_cause_that_is_not_found_in_time_still_contradicts() -> None:
    ticks = iter([True, True, False])
    cause = smallest_cause(16, lambda indices: 3 in indices, lambda: next(ticks))
    assert 3 in cause
    assert len(cause) < 16
