"""An export joined to a company's own FOAF and ORG graph, through external IRIs and our alignments, by SPARQL alone."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

import pyoxigraph as ox
import pytest

from marskg.clock import SeededSource, uuid7
from marskg.exporters.rdf.writer import Content, write_export
from marskg.ontology.vocabulary import EdgeType, Kind
from marskg.records import Edge, Entity, Memory
from tests.support.exports import FORMATS, START_MS

if TYPE_CHECKING:
    from pathlib import Path

COMPANY = """
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix org: <http://www.w3.org/ns/org#> .
@prefix c: <https://company.example/id/> .
c:ana a foaf:Person ; foaf:name "Ana Prates" ; org:memberOf c:gardens .
c:gardens a org:OrganizationalUnit ; org:unitOf c:city ; foaf:name "Parks and Gardens" .
c:city a org:FormalOrganization ; foaf:name "The City" .
"""

#: Every memory about somebody who belongs to a unit of the City, whichever graph says so; names from both.
QUESTION = """
PREFIX mars: <https://w3id.org/mars-kg/ns#>
PREFIX foaf: <http://xmlns.com/foaf/0.1/>
PREFIX org: <http://www.w3.org/ns/org#>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
SELECT ?content ?who ?unitName {
  ?memory mars:content ?content ; mars:mentions ?entity .
  ?naming rdfs:subPropertyOf foaf:name . ?entity ?naming ?who .
  {
    ?entity owl:sameAs/org:memberOf ?unit .
  } UNION {
    org:memberOf owl:propertyChainAxiom/rdf:rest/rdf:first ?membership .
    ?entity ?membership ?ours . ?ours owl:sameAs ?unit .
  }
  ?unit org:unitOf/foaf:name "The City" ; foaf:name ?unitName .
} ORDER BY ?who
"""


def content() -> Content:
    source = SeededSource(3)
    ana, rui, gardens, note = (uuid7(START_MS, source) for _ in range(4))
    entities = [
        (Entity(ana, "t", "Ana", START_MS, 1, entity_type="person", same_as=("https://company.example/id/ana",)), ()),
        (
            Entity(rui, "t", "Rui", START_MS, 2, entity_type="person"),
            (Edge(rui, EdgeType.WORKS_AT, gardens, START_MS),),
        ),
        (Entity(gardens, "t", "Gardens", START_MS, 3, same_as=("https://company.example/id/gardens",)), ()),
    ]
    memory = Memory(note, "t", Kind.SEMANTIC, "Ana and Rui keep the key of the shed", START_MS, 4, valid_from=START_MS)
    edges = tuple(Edge(note, EdgeType.MENTIONS, target, START_MS) for target in (ana, rui))
    return Content([(memory, edges)], entities)


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_company_asks_its_graph_and_ours_in_one_query(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"export{suffix}"
    write_export(path, content())
    store = ox.Store()
    store.load(path=str(path), format=FORMATS[suffix])
    store.load(COMPANY, format=ox.RdfFormat.TURTLE)
    alignments = resources.files("marskg.ontology").joinpath("alignments.ttl").read_bytes()
    store.load(alignments, format=ox.RdfFormat.TURTLE)
    answers = store.query(QUESTION)
    assert isinstance(answers, ox.QuerySolutions)
    assert [[term.value for term in row] for row in answers] == [
        ["Ana and Rui keep the key of the shed", "Ana", "Parks and Gardens"],
        ["Ana and Rui keep the key of the shed", "Rui", "Parks and Gardens"],
    ]
