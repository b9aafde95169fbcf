"""``--as`` and ``MARS_PRINCIPAL``: the gate stands before every command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.tree import leaves

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Outcome

NEVER = "urn:uuid:01890000-0000-7000-8000-000000000000"
AS = ("--as", "reader:bot?ceiling=0.3")
#: Commands with what they need, by how they end for a reader: done, or refused.
READING = (
    ["retrieve", "what does Ana drink?"],
    ["recall", "--entity", "Porto"],
    ["read", "--key", "drink"],
    ["profile", "Ana"],
    ["stats"],
    ["entities"],
    ["entities", "list"],
    ["settings", "subscriptions"],
    ["settings"],
    ["settings", "show"],
    ["sparql", "ASK { ?s ?p ?o }"],
    ["forget", "--dry-run", "--budget", "40"],
)
REFUSED = (
    ["remember", "let me in"],
    ["update", NEVER, "x"],
    ["retract", "drink"],
    ["policy", "pin", NEVER],
    ["policy", "unpin", NEVER],
    ["policy", "fit"],
    ["policy", "explain"],
    ["policy", "advise-budget"],
    ["link", NEVER, "partOf", NEVER],
    ["unlink", NEVER, "partOf", NEVER],
    ["tasks", "amend", NEVER, "--status", "done"],
    ["entities", "rename", NEVER, "x"],
    ["entities", "alias", NEVER, "x"],
    ["entities", "type", NEVER, "person"],
    ["entities", "merge", NEVER, NEVER],
    ["entities", "mention", NEVER, "x"],
    ["entities", "unmention", NEVER, NEVER],
    ["entities", "relate", NEVER, "FRIEND_OF", NEVER],
    ["feedback", "urn:x#1", "--used", NEVER],
    ["learning", "wish", "remember more about tea"],
    ["learning", "review"],
    ["learning", "review", "accept", NEVER],
    ["learning", "review", "reject", NEVER],
    ["learning", "review", "prune"],
    ["learning", "conflicts"],
    ["learning", "affirm", NEVER],
    ["learn", "--backlog"],
    ["learn", "--undo", "x"],
    ["learning", "read-backlog"],
    ["learning", "undo", "x"],
    ["erase", "--id", NEVER, "--yes"],
    ["maintenance", "scrub"],
    ["privacy", "grant", "reader:bot", "--ceiling", "1"],
    ["restore", NEVER],
    ["settings", "budget", "10"],
    ["maintenance", "expire"],
    ["maintain"],
    ["maintenance", "end-session", "s1"],
    ["maintenance", "confirm-clock"],
    ["settings", "low_water=0.5"],
    ["settings", "set", "low_water=0.5"],
    ["settings", "subscribe", "other"],
    ["settings", "unsubscribe", "other"],
    ["maintenance", "reembed"],
    ["maintenance", "reweigh"],
    ["validate"],
    ["verify"],
    ["audit", "list"],
    ["audit", "show", "1"],
    ["audit", "head"],
    ["audit", "prove", "1"],
    ["audit", "keys"],
    ["audit", "rotate-key"],
    ["export", "out.nq", "--profile", "full"],
    ["export", "out.nq", "--audit"],
    ["snapshot", "save", "out.bin"],
    ["snapshot", "list"],
    ["cypher", "MATCH (n) RETURN count(n)"],
    ["preferences", "list"],
    ["preferences", "show", NEVER],
    ["preferences", "set", "retention", "episodic", "--horizon", "1d", "--yes"],
    ["preferences", "load", __file__, "--yes"],
    ["preferences", "remove", NEVER],
    ["preferences", "withdraw", "ana", "--yes"],
    ["preferences", "effective"],
    ["preferences", "unapply", "gdpr"],
    ["preferences", "consent", "ana"],
    ["preferences", "apply", "gdpr", "--yes"],
    ["privacy", "budget"],
    ["maintenance", "rescore"],
    ["privacy", "redact", "Ana is ill"],
    ["audit", "receipt", NEVER],
    ["privacy", "report", "ana"],
    ["audit", "who-saw", NEVER],
    ["audit", "replace-key", "--yes"],
    ["privacy", "retention", "private", "--older-than", "30d"],
    ["audit", "seal", "--before", "2"],
    ["audit", "sign-head"],
    ["audit", "sign-heads"],
    ["preferences", "consents", "ana", "--purpose", "care"],
)


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_a_reader_reads(here: Callable[..., Outcome], command: list[str]) -> None:
    assert here(*command, *AS).status == 0


@pytest.mark.parametrize("command", REFUSED, ids=" ".join)
def test_a_reader_does_nothing_else(
    here: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = here(*command, *AS)
    assert found.status == 1
    assert found.error.startswith("the reader 'bot' may not use ")
    assert not list(tmp_path.glob("out.*"))


#: Commands that make a store, work without one, serve one, or take an id that a reader has to be able to see.
ELSEWHERE = frozenset(
    {
        *("init", "import chat", "import memora", "load", "snapshot load", "get", "history", "explain", "demo"),
        *("bench", "mcp", "serve", "ontology check", "policy check", "preferences templates", "preferences template"),
    }
)


def test_each_command_on_a_store_is_among_these() -> None:
    tried = [" ".join(command) + " " for command in (*READING, *REFUSED)]
    every = {" ".join(way) for way, _ in leaves()}
    left = {name for name in every if not any(given.startswith(f"{name} ") for given in tried)}
    assert left == ELSEWHERE


def test_a_hidden_id_and_one_that_never_was_are_told_alike(here: Callable[..., Outcome]) -> None:
    secret = here("remember", "Ana is ill", "--sensitivity", "0.9", "--json").json()["id"]
    for command in ("get", "history", "explain"):
        hidden, never = here(command, secret, *AS), here(command, NEVER, *AS)
        assert hidden.status == never.status == 1
        assert hidden.error.replace(secret, NEVER) == never.error
    assert "Ana is ill" not in here("retrieve", "is Ana ill?", *AS).out


def test_an_agent_imports_what_it_may_say_and_is_told_no_number_of_the_log(
    here: Callable[..., Outcome], tmp_path: Path
) -> None:
    talk = tmp_path / "talk.jsonl"
    talk.write_text(
        '{"role": "user", "content": "I like tea", "timestamp": "2026-01-05T10:00:00Z"}\n'
        '{"role": "assistant", "content": "Green or black?", "timestamp": "2026-01-05T10:00:05Z"}\n'
    )
    assert "was not granted the source chat_user" in here("import", "chat", talk, "--as", "agent:bot").error
    granted = ("--as", "agent:bot?source=chat_user&source=chat_assistant")
    assert "2 items read\n" in here("import", "chat", talk, *granted).out
    again = here("import", "chat", talk, *granted, "--json").json()
    assert (again["imported"], again["known"]) == (0, 2)
    assert not again.keys() & {"transitions", "audit_seq", "tombstones"}


def test_the_environment_says_who_acts_and_an_option_says_it_louder(
    here: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARS_PRINCIPAL", "reader:bot")
    assert here("remember", "let me in").error.startswith("the reader 'bot'")
    assert here("--as", "operator", "remember", "let me in").status == 0
    monkeypatch.setenv("MARS_PRINCIPAL", "admin")
    wrong = here("stats")
    assert wrong.status == 2
    assert "there is no role 'admin'" in wrong.error


def test_nobody_but_the_operator_makes_a_store_or_settings(
    mars: Callable[..., Outcome], tmp_path: Path, store: Path
) -> None:
    for command in (["init"], ["remember", "x"], ["stats"]):
        assert mars("--store", tmp_path / "new", *command, *AS).status == 2
    assert not (tmp_path / "new").exists()
    assert mars("--store", store, "init", "--budget", "9", *AS).status == 1


def test_what_may_be_seen_is_exported_and_does_not_load(here: Callable[..., Outcome], tmp_path: Path) -> None:
    here("remember", "Ana is ill", "--sensitivity", "0.9")
    file = tmp_path / "seen.nq"
    assert here("export", file, *AS, "--json").json()["profile"] == "disclosure"
    assert "ill" not in file.read_text("utf-8").split()
    assert "disclosure" in here("export", file, "--profile", "disclosure").error


def test_a_grant_on_the_command_line(here: Callable[..., Outcome]) -> None:
    here("remember", "Ana is ill", "--sensitivity", "0.9")
    given = here("privacy", "grant", "reader:bot", "--ceiling", "0.95", "--json").json()
    under = ("--as", f"reader:bot?ceiling=0.3&grant={given['id']}")
    assert "Ana is ill" in here("retrieve", "is Ana ill?", *under).out
    assert "allows nothing" in here("retrieve", "is Ana ill?", *under).error
