"""``check_files``: what a user's extension may and may not do, and what becomes of a bad file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from marskg.errors import EngineUnavailable, InvalidDocument
from marskg.ontology import check, documents
from marskg.ontology.check import OntologyReport, check_files
from marskg.ontology.hermit import Question, find_java
from marskg.ontology.reasoning import ask
from marskg.ontology.vocabulary import CONTEXT_IRI
from tests.support.waiting import HANGS_S

PACKAGE = Path(documents.__file__).parent
HEAD = """@prefix ex: <https://example.org/farm#> .
@prefix mars: <https://w3id.org/mars-kg/ns#> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
GOOD = """
<https://example.org/farm> a owl:Ontology ; owl:imports <https://w3id.org/mars-kg/ns> .
ex:Harvest a owl:Class ; rdfs:subClassOf mars:Episodic ;
    rdfs:label "harvest"@en ; skos:definition "What was brought in on one day."@en .
ex:crop a owl:ObjectProperty ; rdfs:domain ex:Harvest ; rdfs:range mars:Entity ; rdfs:subPropertyOf mars:mentions ;
    rdfs:label "crop"@en ; skos:definition "What was harvested."@en .
mars:Memory rdfs:label "Erinnerung"@de .
mars:Person rdfs:subClassOf ex:Client .
ex:Client a owl:Class .
ex:h1 a ex:Harvest ; mars:content "Three kilos of tomatoes." ; ex:crop ex:tomatoes .
"""


def write(folder: Path, text: str, name: str = "farm.ttl") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def codes(report: OntologyReport) -> list[str]:
    return [finding.code for finding in report.findings]


# --- with the reasoner ---


@pytest.mark.slow
def test_a_good_extension_passes(tmp_path: Path) -> None:
    report = check_files([write(tmp_path, HEAD + GOOD)], seconds=HANGS_S)
    assert report.ok, report.findings
    assert report.warnings == ()
    assert report.checked == 18


@pytest.mark.slow
def test_the_packaged_files_and_the_example_pass() -> None:
    """The ontology is consistent, and no class and no property of it is empty."""
    report = check_files(
        [PACKAGE / "mars.ttl", str(PACKAGE / "alignments.ttl"), PACKAGE / "competency" / "example.ttl"],
        seconds=HANGS_S,
    )
    assert report.ok, report.findings
    assert report.warnings == ()


@pytest.mark.slow
def test_an_empty_class_and_an_empty_property_are_named(tmp_path: Path) -> None:
    bad = "ex:Both a owl:Class ; rdfs:subClassOf mars:Task , ex:Harvest ; rdfs:label 'both' ; rdfs:comment 'x' .\n"
    bad += "ex:odd a owl:ObjectProperty ; rdfs:domain mars:Memory , mars:Entity ; rdfs:label 'odd' ; rdfs:comment 'x' ."
    report = check_files([write(tmp_path, HEAD + GOOD), write(tmp_path, HEAD + bad, "bad.ttl")], seconds=HANGS_S)
    assert codes(report) == ["unsatisfiable", "unsatisfiable"]
    assert [finding.where.rpartition("#")[2] for finding in report.findings] == ["Both>", "odd>"]
    assert all("bad.ttl" in finding.where for finding in report.findings)


@pytest.mark.slow
def test_a_contradiction_is_told_by_the_statements_that_make_it_and_without_text(tmp_path: Path) -> None:
    bad = 'ex:h1 mars:event "my secret" ; mars:status mars:open .'
    report = check_files([write(tmp_path, HEAD + GOOD), write(tmp_path, HEAD + bad, "bad.ttl")], seconds=HANGS_S)
    assert codes(report) == ["inconsistent"]
    message = report.findings[0].message
    assert "mars:status mars:open" in message
    assert "rdfs:subClassOf mars:Episodic" in message
    assert "tomatoes" not in message
    assert "secret" not in message


def test_what_is_not_owl_2_dl_is_told_in_the_reasoners_words(tmp_path: Path) -> None:
    bad = 'ex:day a owl:DatatypeProperty . ex:h1 ex:day "2026-08-01"^^xsd:date .'
    report = check_files([write(tmp_path, HEAD + bad)], seconds=HANGS_S)
    assert codes(report) == ["not-owl-dl"]
    assert "XMLSchema#date" in report.findings[0].message


def test_a_literal_that_the_reasoner_refuses_is_not_repeated(tmp_path: Path) -> None:
    bad = 'ex:h1 mars:content "my \\u0000 secret" .'
    report = check_files([write(tmp_path, HEAD + bad)], seconds=HANGS_S)
    assert codes(report) == ["not-owl-dl"]
    assert "malformed" in report.findings[0].message
    assert "secret" not in report.findings[0].message


@pytest.mark.slow
def test_malformed_numbers_do_not_hide_what_else_is_wrong(tmp_path: Path) -> None:
    bad = "ex:h1 mars:weight 'heavy'^^xsd:integer ; a mars:Task , mars:Social ."
    report = check_files([write(tmp_path, HEAD + bad)], seconds=HANGS_S)
    assert codes(report) == ["malformed-literal", "inconsistent"]


def test_when_time_is_up_the_reasoner_is_stopped_and_nothing_is_claimed(tmp_path: Path) -> None:
    report = check_files([write(tmp_path, HEAD + GOOD)], seconds=0.05)
    assert codes(report) == ["undecided"]


def test_a_java_that_is_none_is_an_error_with_the_way_out(tmp_path: Path) -> None:
    fake = tmp_path / "java"
    fake.write_text("#!/bin/sh\necho 'no such virtual machine' >&2\nexit 1\n")
    fake.chmod(0o755)
    with pytest.raises(EngineUnavailable, match=r"no such virtual machine.*JAVA_HOME"):
        ask(Question(str(fake), ""), HANGS_S)


def test_java_is_found_in_the_wheel_then_at_home_then_on_the_path(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin" / "java"
    fake.write_text("")
    fake.chmod(0o755)
    home = {"JAVA_HOME": str(tmp_path), "PATH": ""}
    assert find_java(home) != str(fake)
    assert find_java(home, package="no_such_package") == str(fake)
    assert find_java({"PATH": str(fake.parent)}, package="no_such_package") == str(fake)
    with pytest.raises(EngineUnavailable, match="JAVA_HOME"):
        find_java({"PATH": str(tmp_path)}, package="no_such_package")


# --- without the reasoner ---


@pytest.fixture
def unreasoned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the reasoner out: what these tests ask for is found by reading."""
    monkeypatch.setattr(check, "reasoned", lambda *_: [])


@pytest.mark.usefixtures("unreasoned")
@pytest.mark.parametrize(
    ("statement", "code", "named"),
    [
        ("mars:derivesFrom a owl:TransitiveProperty .", "redefined", "mars:derivesFrom"),
        ("mars:weight rdfs:range xsd:decimal .", "redefined", "mars:weight"),
        ("mars:Task owl:equivalentClass ex:Todo . ex:Todo a owl:Class .", "redefined", "mars:Task"),
        ("mars:Task rdfs:subClassOf [ a owl:Class ; owl:complementOf ex:Todo ] .", "redefined", "mars:Task"),
        ("mars:Person rdfs:subClassOf mars:PersonalMemory .", "redefined", "mars:Person"),
        ("<https://w3id.org/mars-kg/ns> owl:versionInfo '9' .", "redefined", "mars-kg/ns"),
        ("ex:a mars:contnet 'x' .", "unknown-term", "mars:content"),
        ("ex:a a mars:Procedural .", "unknown-term", "mars:Procedural"),
        ("ex:a ex:b 'x'^^mars:tokens .", "unknown-term", "mars:tokens"),
        ("ex:a mars:weight 'heavy'^^xsd:integer .", "malformed-literal", "mars:weight is no xsd:integer"),
        ("[] mars:created 'yesterday'^^xsd:dateTime .", "malformed-literal", "farm.ttl: […]"),
        ("ex:a mars:sensitivity 'NaN'^^xsd:decimal .", "malformed-literal", "mars:sensitivity"),
        ("ex:p a owl:ObjectProperty , owl:DatatypeProperty .", "not-owl-dl", "owl:DatatypeProperty and owl:ObjectP"),
        ("foaf:name a owl:AnnotationProperty .", "not-owl-dl", "name"),
        ("ex: a owl:Ontology ; owl:imports <https://example.org/other> .", "import-ignored", "example.org/other"),
    ],
)
def test_reading_alone_finds(tmp_path: Path, statement: str, code: str, named: str) -> None:
    report = check_files([write(tmp_path, HEAD + statement)], seconds=HANGS_S)
    assert codes(report) == [code]
    finding = report.findings[0]
    assert named in f"{finding.where} {finding.message}"
    assert "farm.ttl" in finding.where


@pytest.mark.usefixtures("unreasoned")
def test_an_import_of_a_file_under_check_is_no_finding(tmp_path: Path) -> None:
    one = write(tmp_path, HEAD + "ex: a owl:Ontology ; owl:imports <https://example.org/other> .")
    other = write(tmp_path, HEAD + "<https://example.org/other> a owl:Ontology .", "other.ttl")
    assert check_files([one, other], seconds=HANGS_S).ok


@pytest.mark.usefixtures("unreasoned")
def test_missing_words_and_declarations_are_advice_not_findings(tmp_path: Path) -> None:
    text = "ex:C a owl:Class ; rdfs:subClassOf mars:Task . ex:a a ex:D ; ex:p ex:b ; foaf:name 'a' ; skos:note 'n' ."
    report = check_files([write(tmp_path, HEAD + text)], seconds=HANGS_S)
    assert report.ok
    told = {(warning.code, warning.where.rpartition("#")[2]) for warning in report.warnings}
    assert told == {("no-label", "C>"), ("no-definition", "C>"), ("undeclared", "D>"), ("undeclared", "p>")}


RDF_XML = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:mars="https://w3id.org/mars-kg/ns#">
  <mars:Task rdf:about="https://example.org/a"><mars:priority
    rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">1</mars:priority></mars:Task>
</rdf:RDF>
"""
N_TRIPLES = (
    "<https://example.org/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://w3id.org/mars-kg/ns#Task> .\n"
    "<https://example.org/a> <https://w3id.org/mars-kg/ns#priority> "
    '"1"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
)
JSON_LD = json.dumps({"@context": CONTEXT_IRI, "id": "https://example.org/a", "type": "Task", "priority": "1"})
TURTLE = HEAD + "<https://example.org/a> a mars:Task ; mars:priority 1 ."


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.ttl", TURTLE),
        ("a.owl", TURTLE),
        ("a.owl", RDF_XML),
        ("a.rdf", RDF_XML),
        ("a.nt", N_TRIPLES),
        ("a.jsonld", JSON_LD),
        ("A.JSON", JSON_LD),
    ],
)
def test_each_syntax_gives_the_same_triples(tmp_path: Path, name: str, text: str) -> None:
    source = documents.read_source(write(tmp_path, text, name))
    assert "".join(sorted(f"{s} {p} {o} .\n" for s, p, o in source.statements)) == N_TRIPLES


DEEP = '{"a":' * 10_000 + "1" + "}" * 10_000


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.ttl", HEAD + "ex:a a mars:Task\nex:b a mars:Task .", r"a\.ttl:9: not Turtle"),
        ("a.nt", "<urn:a> <urn:b> <urn:c> .\nnonsense", r"a\.nt:2: not N-Triples"),
        ("a.rdf", "<rdf:RDF>", r"a\.rdf.*: not RDF/XML"),
        ("a.jsonld", '{\n "@id": }', r"a\.jsonld:2: not JSON"),
        ("a.jsonld", '{"@context": "https://example.org/c", "id": "urn:a"}', "remote context https://example.org/c"),
        ("a.jsonld", '{"@context": [{"x": "urn:x"}, ["https://example.org/c"]]}', "remote context"),
        ("a.jsonld", '{"x": {"@context": "https://example.org/c"}}', "remote context"),
        ("a.jsonld", DEEP, "nested too deeply"),
        ("a.ttl", "<a> <b> <c> .", r"a\.ttl:1: not Turtle"),
        ("a.ttl", "<urn:a> <urn:b> <<( <urn:a> <urn:b> <urn:c> )>> .", "triples about triples"),
        ("a.txt", "", r"unknown suffix '\.txt'.*\.ttl"),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path: Path, name: str, text: str, told: str) -> None:
    with pytest.raises(InvalidDocument, match=told):
        check_files([write(tmp_path, text, name)], seconds=HANGS_S)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidDocument, match=r"missing\.ttl: cannot be read \(No such file"):
        check_files([tmp_path / "missing.ttl"], seconds=HANGS_S)
    with pytest.raises(InvalidDocument, match="cannot be read"):
        check_files([tmp_path], seconds=HANGS_S)
    (tmp_path / "bytes.jsonld").write_bytes(b'{"a": "\xff"}')
    with pytest.raises(InvalidDocument, match="UTF-8"):
        check_files([tmp_path / "bytes.jsonld"], seconds=HANGS_S)
    monkeypatch.setattr(documents, "MAX_BYTES", 3)
    with pytest.raises(InvalidDocument, match="larger than"):
        check_files([write(tmp_path, TURTLE)], seconds=HANGS_S)


def test_no_module_of_the_current_folder_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('hijacked')")
    monkeypatch.chdir(tmp_path)
    verdict = ask(Question(find_java(os.environ), "<urn:a> <urn:b> <urn:c> .\n"), 60)
    assert verdict is not None
    assert verdict.consistent
