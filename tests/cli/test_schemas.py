"""Every command tells the JSON Schema of what it answers with --json.

That documents are as their schemas say is checked wherever a test asks for one (``conftest.py``); here are the calls
that no other test makes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import pytest

from marskg.cli.reference import contexts, reference
from marskg.cli.schemas import answer_of, schema_of_command
from marskg.cli.tree import cli, command_at
from tests.cli.conftest import EXAMPLES, check_document
from tests.support import json_schema

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Outcome

#: What prints no document: the help; what a bench of another distribution prints; two that serve until they are ended.
WITHOUT = {"mars", "mars bench", "mars mcp", "mars serve"}
FOUND = list(contexts(cli, None, "mars"))
TELLING = [one for one in FOUND if answer_of(one.command) is not None]


def test_every_command_tells_what_it_answers() -> None:
    # A group answers where it may be called by itself.
    called = [one for one in FOUND if getattr(one.command, "invoke_without_command", True)]
    assert {one.command_path for one in called} - {one.command_path for one in TELLING} == WITHOUT


@pytest.mark.parametrize("context", TELLING, ids=lambda one: one.command_path)
def test_its_schema_is_one_and_an_option_prints_it(context: click.Context) -> None:
    json_schema.check_schema(schema_of_command(context.command))
    assert "--schema" in {name for one in context.command.params for name in one.opts}


@pytest.mark.parametrize("words", [["retrieve"], ["audit", "sign-head"], ["settings"], ["task"], ["--json", "forget"]])
def test_a_schema_is_printed_without_arguments_or_store(
    mars: Callable[..., Outcome], tmp_path: Path, words: list[str]
) -> None:
    found = mars("--store", tmp_path / "none", *words, "--schema")
    assert (found.status, found.json()["$schema"]) == (0, "https://json-schema.org/draft/2020-12/schema")
    assert not list(tmp_path.iterdir())


def test_nothing_else_is_done(here: Callable[..., Outcome]) -> None:
    before = here("stats", "--json").out
    assert here("remember", "Ana likes figs", "--schema").json() == schema_of_command(command_at("remember"))
    assert here("stats", "--json").out == before


@pytest.mark.parametrize("words", [[], ["audit"], ["serve"], ["mcp"]])
def test_what_answers_nothing_has_no_schema(mars: Callable[..., Outcome], words: list[str]) -> None:
    refused = mars(*words, "--schema")
    assert (refused.status, refused.out) == (2, "")
    assert refused.error.startswith("No such option '--schema'")


def test_a_command_without_a_form_and_a_document_of_another_are_named() -> None:
    made = click.Command("new", callback=lambda: None)
    made.callback.__annotations__["return"] = "None"
    assert answer_of(made) is None
    with pytest.raises(TypeError, match="new returns nothing"):
        schema_of_command(made)
    stats = next(one for one in FOUND if one.command_path == "mars stats")
    with pytest.raises(AssertionError, match=r"mars stats is not as its --schema says.*'tenant' is a required"):
        check_document(stats, "{}")


def test_the_reference_tells_documents_in_short() -> None:
    page = reference()
    assert '| `sparql`, `cypher` | `{"columns", "rows", "sequence"}` |' in page
    assert '| `audit sign-head` | `{"result": TreeHead}` |' in page
    assert '| `history` | `{"versions": [Memory]}` |' in page
    assert "| `TreeHead` | `{" in page


# --- Calls that no other test makes with --json ------------------------------------------------------------------


def test_edges_and_entities(here: Callable[..., Outcome], ids: dict[str, str]) -> None:
    assert here("link", ids["friend"], "partOf", ids["flat"], "--json").json()["id"] == ids["friend"]
    known = {one["name"]: one["id"] for one in here("entities", "list", "--json").json()["entities"]}
    porto, rui = known["Porto"], known["Rui"]
    for words in (
        ["rename", porto, "Oporto"],
        ["alias", porto, "Invicta"],
        ["type", porto, "place"],
        ["mention", ids["task"], "Lisbon"],
        ["relate", rui, "PART_OF", porto],
    ):
        found = here("entities", *words, "--json")
        assert found.status == 0, found.err
        assert set(found.json()) == {"entity"}
    lisbon = next(one["id"] for one in here("entities", "--json").json()["entities"] if one["name"] == "Lisbon")
    assert here("entities", "unmention", ids["task"], lisbon, "--json").json()["id"] == ids["task"]
    assert here("entities", "merge", porto, rui, "--json").json()["entity"]["id"] == porto


def test_learning_from_use(mars: Callable[..., Outcome], tmp_path: Path) -> None:
    store = ("--store", tmp_path / "memory", "--json")
    old = mars("remember", "I like black coffee", *store).json()["id"]
    new = mars("remember", "I no longer like black coffee", *store).json()["id"]
    shown = mars("retrieve", "coffee", *store).json()["id"]
    assert mars("feedback", shown, "--used", new, *store).json()["assessed"]
    assert mars("learning", "conflicts", "--resolve", "review", *store).status == 0
    assert mars("learning", "review", *store).json()["conflicts"] == [{"preferred": new, "other": old}]
    assert mars("learning", "review", "reject", old, *store).json()["id"] == old
    third = mars("remember", "I like black coffee again", *store).json()["id"]
    assert mars("learning", "conflicts", "--resolve", "review", *store).status == 0
    for pair in mars("learning", "review", *store).json()["conflicts"]:
        assert mars("learning", "review", "accept", pair["other"], *store).status == 0
    assert mars("read", "--why", *store).json()["why"][-1]["id"] == third


def test_preferences_and_templates(here: Callable[..., Outcome]) -> None:
    made = here("preferences", "set", "retention", "episodic", "--horizon", "900d", "--json").json()["preferences"]
    ident = made[0]["id"]
    assert here("preferences", "show", ident, "--json").json()["id"] == ident
    assert here("preferences", "remove", ident, "--json").json()["removed"] == [ident]
    assert here("preferences", "template", "gdpr", "--json").json()["name"] == "gdpr"
    assert here("preferences", "apply", "gdpr", "--json").status == 0
    assert here("preferences", "effective", "--json").status == 0
    assert here("preferences", "unapply", "gdpr", "--json").json()["removed"]
    assert here("preferences", "consent", "ana", "--purpose", "ads", "--json").status == 0
    assert here("preferences", "withdraw", "ana", "--purpose", "ads", "--json").json()["preferences"]


def test_the_log_its_keys_and_checks(here: Callable[..., Outcome]) -> None:
    assert here("privacy", "retention", "private", "--older-than", "30d", "--json").json()["ok"]
    assert here("privacy", "redact", "Write to ana@example.org", "--json").json()["replaced"]
    assert here("audit", "seal", "--before", "3", "--json").json()["applied"]
    assert here("audit", "show", "1", "--w3c", "--json").json()["@type"] == "AuditRecord"
    assert len(here("audit", "head", "--sign", "--all", "--w3c", "--json").json()) >= 1
    assert here("audit", "replace-key", "--yes", "--json").json()["public_key"]
    here("init", "--tenant", "book", "--json")
    assert here("settings", "lean.shared=true", "--tenant", "book", "--json").json()["lean.shared"] is True
    here("settings", "subscribe", "book", "--json")
    assert here("settings", "unsubscribe", "book", "--json").json() == {"subscriptions": []}
    assert here("verify", "--limits", "--json").json()["limits"]


def test_what_learning_would_do_and_did(mars: Callable[..., Outcome], tmp_path: Path) -> None:
    store = ("--store", tmp_path / "memory", "--json")
    said = tmp_path / "said.txt"
    said.write_text("My name is Ana. I live in Porto.", encoding="utf-8")
    assert not mars("learn", said, "--role", "user", "--dry-run", *store).json()["applied"]
    call = mars("learn", said, "--role", "user", *store).json()["call"]
    assert mars("learn", "--undo", call, *store).json()["call"] == call
    assert mars("import", "chat", EXAMPLES / "conversation.jsonl", "--learn", *store).json()["applied"]


@pytest.mark.slow
def test_the_demo(mars: Callable[..., Outcome], tmp_path: Path) -> None:
    assert mars("demo", "--store", tmp_path / "memory", "--json").json()["ok"]
