"""``mars validate``, ``verify``, ``audit …``, ``ontology check`` and ``policy check``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from marskg.audit.linkeddata import verify_document
from marskg.store.tenant.opening import connect

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Outcome

EXTENSION = """
@prefix mars: <https://w3id.org/mars-kg/ns#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<https://example.org/ext#Dream> a owl:Class ; rdfs:subClassOf mars:Episodic ; rdfs:label "dream"@en ;
    skos:definition "An episode that was dreamt."@en .
"""


@pytest.mark.parametrize("full", [[], ["--full"]])
def test_a_sound_store_validates(here: Callable[..., Outcome], full: list[str]) -> None:
    outcome = here("validate", *full, "--json")
    assert outcome.status == 0
    report = outcome.json()
    assert report["ok"] is True
    assert report["checked"] > 0
    assert report["findings"] == []
    assert "nothing found" in here("validate", *full).out


def test_a_sound_audit_verifies(here: Callable[..., Outcome]) -> None:
    outcome = here("verify", "--json")
    assert outcome.status == 0
    assert outcome.json()["ok"] is True
    assert outcome.json()["checked"] >= 10


def _behind_the_logs_back(store: Path, memory: str) -> None:
    engine = connect(str(store))
    try:
        engine.write("MATCH (m:Memory) WHERE m.id = $id SET m.content = 'tampered', m.weight = 1", {"id": memory})
    finally:
        engine.close()


def test_a_change_behind_the_logs_back_is_found_with_status_1(
    here: Callable[..., Outcome], store: Path, ids: dict[str, str]
) -> None:
    _behind_the_logs_back(store, ids["flat"])
    verified = here("verify", "--json")
    assert verified.status == 1
    found = verified.json()
    assert found["ok"] is False
    assert any(ids["flat"] in finding["where"] for finding in found["findings"])
    assert {"code", "where", "message", "severity"} == set(found["findings"][0])
    assert "node-mismatch" in here("verify").out
    assert here("validate", "--full").status == 1


def test_whoever_keeps_a_file_is_a_witness(
    here: Callable[..., Outcome], mars: Callable[..., Outcome], tmp_path: Path
) -> None:
    older, head = tmp_path / "older.snapshot", tmp_path / "head.json"
    assert here("snapshot", "save", older).status == 0
    assert here("remember", "What is to be made away with").status == 0
    assert here("audit", "head", "--export", head).status == 0
    kept = head.read_bytes()
    refused = here("audit", "head", "--export", head)
    assert (refused.status, head.read_bytes()) == (2, kept)
    assert "is not written over: name a new file" in refused.err
    assert here("verify", "--head", head).status == 0
    assert here("snapshot", "load", older).status == 0
    assert here("verify").status == 0, "an older state is a valid one"
    held = here("verify", "--head", head, "--json")
    assert held.status == 1
    assert {finding["code"] for finding in held.json()["findings"]} == {"fork"}
    other = tmp_path / "other"
    assert mars("--store", other, "remember", "another log").status == 0
    assert mars("--store", other, "verify", "--head", head).status == 1


def test_heads_as_they_are_printed_are_taken_too_and_nothing_else(here: Callable[..., Outcome], tmp_path: Path) -> None:
    heads = tmp_path / "heads.json"
    assert here("audit", "head", "--sign").status == 0
    for printed in (here("audit", "head", "--all", "--json"), here("audit", "head", "--w3c")):
        heads.write_text(printed.out, encoding="utf-8")
        assert here("verify", "--witness", heads, "--head", heads).status == 0
    for wrong in (
        "{}",
        "[]",
        "[5]",
        "null",
        '{"heads": [{}]}',
        '{"heads": 5}',
        "no JSON",
        printed.out.replace("proof", "x"),
    ):
        heads.write_text(wrong, encoding="utf-8")
        refused = here("verify", "--head", heads)
        assert (refused.status, "write one with: mars audit head --export" in refused.err) == (2, True), wrong
    head = json.loads(here("audit", "head", "--json").out)["heads"][0]
    for name in head:
        heads.write_text(json.dumps({"heads": [{**head, name: None}]}), encoding="utf-8")
        assert here("verify", "--head", heads).status == 2, name


@pytest.mark.parametrize("suffix", ["nq", "jsonld"])
def test_an_exported_audit_verifies_alone_and_against_the_store(
    here: Callable[..., Outcome], mars: Callable[..., Outcome], ids: dict[str, str], tmp_path: Path, suffix: str
) -> None:
    file = tmp_path / f"out.{suffix}"
    assert here("audit", "head", "--sign").status == 0
    assert here("export", file, "--audit").status == 0
    alone = mars("verify", "--export", file, "--json")
    assert alone.status == 0, alone.err + alone.out
    assert alone.json()["checked"] >= 10
    assert here("verify", "--export", file).status == 0
    assert here("policy", "pin", ids["rent"]).status == 0
    assert here("verify", "--export", file).status == 0, "a store that has moved on still agrees with its export"
    other = tmp_path / "other"
    assert mars("--store", other, "remember", "another log").status == 0
    against = mars("--store", other, "verify", "--export", file, "--json")
    assert against.status == 1
    assert {finding["code"] for finding in against.json()["findings"]} == {"wrong-log"}


def test_an_edited_export_is_found(here: Callable[..., Outcome], mars: Callable[..., Outcome], tmp_path: Path) -> None:
    file = tmp_path / "out.nq"
    assert here("export", file, "--audit").status == 0
    text = file.read_text(encoding="utf-8")
    assert '#actor> "operator"' in text
    file.write_text(text.replace('#actor> "operator"', '#actor> "nobody"', 1), encoding="utf-8")
    outcome = mars("verify", "--export", file, "--json")
    assert outcome.status == 1
    assert outcome.json()["findings"][0]["code"] == "slot-mismatch"


def test_an_export_without_audit_or_cut_off_is_unreadable(
    here: Callable[..., Outcome], mars: Callable[..., Outcome], tmp_path: Path
) -> None:
    plain, audited = tmp_path / "plain.jsonld", tmp_path / "audited.jsonld"
    assert here("export", plain).status == here("export", audited, "--audit").status == 0
    assert mars("verify", "--export", plain).status == 2
    audited.write_bytes(audited.read_bytes()[:-200])
    assert mars("verify", "--export", audited).status == 2


# --- The log -----------------------------------------------------------------------------------------------------


def test_the_log_is_listed_and_shown(here: Callable[..., Outcome], ids: dict[str, str]) -> None:
    listed = here("audit", "list", "--first", 1, "--limit", 3, "--json").json()
    assert [record["sequence"] for record in listed["records"]] == [1, 2, 3]
    # What is mentioned is made before what mentions it.
    assert [record["operation"] for record in listed["records"]] == ["openLog", "createEntity", "remember"]
    assert here("audit", "list").out.count("\n") > 10
    shown = here("audit", "show", 3, "--json").json()
    assert shown["memories"] == [ids["turn"]]
    assert shown["details"][0]["actor"] == "operator"
    assert shown["details"][1]["tier_after"] == "live"
    assert isinstance(shown["details"][1]["weight"], int)
    text = here("audit", "show", 3).out
    assert ids["turn"] in text
    assert "Porto" not in text, "no content in the audit"


def test_a_head_is_signed_and_proves_inclusion(here: Callable[..., Outcome]) -> None:
    signed = here("audit", "head", "--sign", "--json").json()["heads"]
    last = here("stats", "--json").json()["audit_seq"]
    assert signed[-1]["size"] == last
    proof = here("audit", "prove", 2, "--json")
    assert proof.status == 0
    assert json.loads(proof.out)
    assert here("audit", "prove", 2).status == 0


def test_records_and_heads_are_given_as_signed_documents(here: Callable[..., Outcome]) -> None:
    for shown in (here("audit", "show", 2, "--w3c"), here("audit", "head", "--sign", "--w3c", "--json")):
        verified = verify_document(shown.json())
        assert verified.nquads.startswith("<urn:uuid:")
    heads = here("audit", "head", "--all", "--w3c").json()
    assert [verify_document(head).verification_method for head in heads]


def test_keys_rotate_and_a_lost_one_is_reported_for_ever(here: Callable[..., Outcome]) -> None:
    first = here("audit", "keys", "--json").json()["keys"]
    new = here("audit", "rotate-key").out.strip()
    after = here("audit", "keys", "--json").json()["keys"]
    assert len(after) == len(first) + 1
    assert next(key["public_key"] for key in after if key["signs"]) == new
    assert here("remember", "signed by the new key").status == 0
    assert here("verify").status == 0
    assert here("audit", "replace-key", "--yes").status == 0
    lost = here("verify", "--json")
    assert lost.status == 0
    assert "lost-key" in {finding["code"] for finding in lost.json()["findings"]}
    assert lost.json()["ok"] is True
    assert "warning" in here("verify").out


# --- Extensions of the user's ------------------------------------------------------------------------------------


def test_an_extension_of_the_ontology_is_checked(mars: Callable[..., Outcome], tmp_path: Path) -> None:
    good, bad = tmp_path / "good.ttl", tmp_path / "bad.ttl"
    good.write_text(EXTENSION, encoding="utf-8")
    bad.write_text(EXTENSION.replace("mars:Episodic ;", "mars:Episodic, mars:Epissodic ;"), encoding="utf-8")
    passed = mars("ontology", "check", good, "--json")
    assert passed.status == 0, passed.out
    assert passed.json()["ok"] is True
    failed = mars("ontology", "check", good, bad, "--json")
    assert failed.status == 1
    assert any("Epissodic" in str(finding) for finding in failed.json()["findings"])
    bad.write_text("this is no Turtle", encoding="utf-8")
    assert mars("ontology", "check", bad).status == 2


def test_a_policy_of_ones_own_is_checked(mars: Callable[..., Outcome], tmp_path: Path) -> None:
    file = tmp_path / "mine.cypher"
    file.write_text(
        "MATCH (m:Memory) WHERE m.tenant = $tenant AND m.tier = 'live' RETURN m.id AS id, m.weight AS score",
        encoding="utf-8",
    )
    passed = mars("policy", "check", file, "--json")
    assert passed.status == 0, passed.out
    file.write_text("MATCH (m:Memory) WHERE m.tenant = $tenant DETACH DELETE m", encoding="utf-8")
    failed = mars("policy", "check", file, "--json")
    assert failed.status == 1
    assert failed.json()["ok"] is False


def test_a_log_without_a_head_is_an_answer_and_says_how_to_sign_one(here: Callable[..., Outcome]) -> None:
    assert here("audit", "head", "--json").json() == {"heads": []}
    outcome = here("audit", "head")
    assert (outcome.status, outcome.out) == (0, "")
    assert "mars audit head --sign" in outcome.err


@pytest.mark.parametrize("suffix", [".jsonld", ".nq"])
def test_an_export_without_its_audit_cannot_pass_as_verified(
    here: Callable[..., Outcome], mars: Callable[..., Outcome], tmp_path: Path, suffix: str
) -> None:
    plain, audited = tmp_path / f"plain{suffix}", tmp_path / f"audited{suffix}"
    assert here("export", plain).status == here("export", audited, "--audit").status == 0
    outcome = mars("verify", "--export", plain)
    assert outcome.status == 2
    assert "export it with --audit" in outcome.error
    assert mars("verify", "--export", audited, "--json").json()["checked"] > 0
