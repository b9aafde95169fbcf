"""``mars sparql`` and ``mars cypher``."""

from __future__ import annotations

import csv
import io
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Outcome

SPARQL = "SELECT ?text WHERE { ?m a mars:Social ; mars:content ?text }"
CYPHER = "MATCH (m:Memory {tenant: $tenant}) WHERE m.kind = $kind RETURN m.content AS text"


def test_sparql_answers_and_says_how_fresh_it_is(here: Callable[..., Outcome]) -> None:
    answer = here("sparql", SPARQL, "--json").json()
    assert answer["columns"] == ["text"]
    assert answer["rows"] == [["Rui is a friend of Ana"]]
    assert answer["sequence"] == here("stats", "--json").json()["audit_seq"]
    assert "as of audit sequence" in here("sparql", SPARQL).err


def test_prefixes_may_be_declared_and_need_not(here: Callable[..., Outcome]) -> None:
    own = "prefix mars: <https://example.org/else#>\n" + SPARQL
    assert here("sparql", own, "--json").json()["rows"] == []
    other = "PREFIX m: <https://w3id.org/mars-kg/ns#> SELECT ?t WHERE { ?m a m:Social, mars:Memory ; m:content ?t }"
    assert here("sparql", other, "--json").json()["rows"] == [["Rui is a friend of Ana"]]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT * WHERE { ?m a }", "line 1, column 18"),
        ("SELECT * WHERE { ?m a nowhere:Thing }", "prefix not found"),
        ("SELECT ?m (COUNT(*) AS ?n) WHERE { ?m a mars:Memory }", "unbound"),
    ],
)
def test_a_fault_is_placed_in_the_text_as_it_was_given(here: Callable[..., Outcome], query: str, said: str) -> None:
    outcome = here("sparql", query)
    assert outcome.status != 0
    assert said in outcome.err


def test_sparql_follows_the_store(here: Callable[..., Outcome]) -> None:
    assert len(here("sparql", SPARQL, "--json").json()["rows"]) == 1
    assert here("remember", "Eva is a colleague", "--kind", "social").status == 0
    assert len(here("sparql", SPARQL, "--json").json()["rows"]) == 2


def test_cypher_answers_with_parameters(here: Callable[..., Outcome]) -> None:
    answer = here("cypher", CYPHER, "--parameters", '{"kind": "social"}', "--json").json()
    assert (answer["columns"], answer["rows"]) == (["text"], [["Rui is a friend of Ana"]])


@pytest.mark.parametrize(("command", "query"), [("sparql", SPARQL), ("cypher", CYPHER.replace("$kind", "'social'"))])
def test_an_answer_is_a_table_json_or_csv(here: Callable[..., Outcome], command: str, query: str) -> None:
    assert "Rui is a friend of Ana" in here(command, query).out
    assert list(csv.reader(io.StringIO(here(command, query, "--format", "csv").out))) == [
        ["text"],
        ["Rui is a friend of Ana"],
    ]
    assert here(command, query, "--format", "json").json()["rows"] == [["Rui is a friend of Ana"]]


def test_a_query_comes_from_standard_input(here: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(SPARQL))
    assert here("sparql", "-", "--json").json()["rows"]


@pytest.mark.parametrize(
    ("command", "query"),
    [
        ("sparql", "INSERT DATA { <urn:a> <urn:b> <urn:c> }"),
        ("sparql", "LOAD <http://example.org/x>"),
        ("sparql", "SELECT * WHERE { SERVICE <http://example.org/sparql> { ?s ?p ?o } }"),
        ("sparql", "SELECT * FROM <http://example.org/x> WHERE { ?s ?p ?o }"),
        ("sparql", "SELECT nonsense"),
        ("cypher", "CREATE (n:Memory) RETURN n"),
        ("cypher", "MATCH (n) SET n.content = 'x' RETURN n"),
        ("cypher", "MATCH (n) DETACH DELETE n"),
        ("cypher", "LOAD CSV FROM 'http://example.org/x' AS row RETURN row"),
    ],
)
def test_what_writes_or_reaches_out_is_refused(here: Callable[..., Outcome], command: str, query: str) -> None:
    before = here("stats", "--json").json()
    outcome = here(command, query)
    assert outcome.status == 1
    assert outcome.error
    assert here("stats", "--json").json() == before


@pytest.mark.parametrize(
    ("command", "query"),
    [
        ("sparql", "SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"),
        ("cypher", "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(a + b) AS n"),
    ],
)
def test_a_query_that_takes_too_long_is_stopped(here: Callable[..., Outcome], command: str, query: str) -> None:
    outcome = here(command, query, "--limit-seconds", 1)
    assert outcome.status == 1
    assert "longer than 1 s" in outcome.error
