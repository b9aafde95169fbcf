"""The groups of ``mars --help``, and the names that commands had before there were groups."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest

from marskg.cli.tree import EVERYDAY, GROUPS, MOVED, cli, command_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Outcome

#: Every command that there was before the groups, but those whose names stayed.
OLD = """
entity list, entity rename, entity alias, entity type, entity merge, entity mention, entity unmention, entity relate,
affirm, pin, unpin, task, wish, conflicts, review, review accept, review reject, review prune, scrub, receipt,
subject report, prefs list, prefs show, prefs set, prefs load, prefs remove, prefs consent, prefs withdraw,
prefs effective, jurisdiction list, jurisdiction show, jurisdiction apply, jurisdiction unapply, grant, budget,
budget set, budget advise, expire, session end, clock confirm, tenant subscribe, tenant unsubscribe,
tenant subscriptions, reembed, rescore, redact, retention
"""
#: What the document of names that users see fixes.
FIXED = """
init, remember, import chat, import memora, retrieve, recall, explain, history, forget, erase, validate, verify, export,
load, restore, snapshot save, snapshot load, ontology check, policy check, sparql, cypher, stats, audit list,
audit head, bench, entity
"""


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _notices(outcome: Outcome) -> list[str]:
    return [line for line in outcome.err.splitlines() if line.startswith("deprecated: ")]


def _entries(text: str) -> list[str]:
    """Return the lines of the help that list commands."""
    return re.findall(r"^  (?! )(.+)$", text[text.index("\nCommands:") :], re.MULTILINE)


@pytest.mark.parametrize("columns", ["80", "200"])
def test_the_help_lists_commands_and_groups_in_twenty_lines(
    mars: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    listed = mars("--help").out
    assert len(listed[listed.index("\nCommands:") :].split("\n\nGroups")) == 2
    entries = _entries(listed)
    assert 15 <= len(entries) <= 20
    assert "..." not in "".join(entries)
    names = {name for entry in entries for name in re.split(r"  +", entry)[0].split(", ")}
    assert {name.split()[0] for name in _names(FIXED)} - {"entity"} <= names
    assert not names & {old.split()[0] for old in MOVED}


@pytest.mark.parametrize("name", _names(FIXED))
def test_a_name_that_is_fixed_works_as_it_did(mars: Callable[..., Outcome], name: str) -> None:
    shown = mars(*name.split(), "--help")
    assert (shown.status, shown.err) == (0, "")


@pytest.mark.parametrize("name", _names(OLD))
def test_an_old_name_is_the_new_command_and_says_so_once(mars: Callable[..., Outcome], name: str) -> None:
    shown = mars(*name.split(), "--help")
    assert shown.status == 0
    said = _notices(shown)
    if name.startswith("entity "):
        assert not said
        return
    if name == "budget":
        assert "set" in shown.out
        return
    first = name.split(maxsplit=1)[0]
    new = MOVED.get(name, MOVED.get(first))
    assert new is not None
    assert len(said) == 1
    assert f"is called mars {new} now" in said[0]
    assert "until 1.0" in said[0]
    rest = () if name in MOVED else name.split()[1:]
    # The usage above it names the command as it was called.
    assert shown.out.partition("\n\n")[2] == mars(*new.split(), *rest, "--help").out.partition("\n\n")[2]


@pytest.mark.parametrize(
    ("name", "meant"),
    [("find", "retrieve"), ("search", "retrieve"), ("add", "remember"), ("rm", "erase"), ("ls", "read")],
)
def test_a_word_of_another_product_says_which_command_is_meant(
    mars: Callable[..., Outcome], name: str, meant: str
) -> None:
    told = mars(name, "x")
    assert told.status == 2
    assert told.error == f"No such command {name!r}. (Did you mean {meant!r}?); see: mars --help"


def test_a_slip_of_a_command_says_which_is_meant(mars: Callable[..., Outcome]) -> None:
    assert "'retrieve'" in mars("retreive", "x").error


def test_every_old_name_leads_somewhere() -> None:
    assert {name for name in MOVED if command_at(MOVED[name]) is None} == set()
    known = set(_names(OLD))
    assert all(name in known or any(other.startswith(f"{name} ") for other in known) for name in MOVED)


def test_the_notice_stays_out_of_the_document(here: Callable[..., Outcome], ids: dict[str, str]) -> None:
    old, new = here("unpin", ids["pinned"], "--json"), here("policy", "unpin", ids["pinned"], "--json")
    assert old.json()["id"] == new.json()["id"] == ids["pinned"]
    assert _notices(old) == ["deprecated: mars unpin is called mars policy unpin now; the old name works until 1.0"]
    assert not _notices(new)


def test_options_may_stand_between_the_words_of_an_old_name(here: Callable[..., Outcome]) -> None:
    found = here("tenant", "--json", "subscriptions")
    assert found.json() == {"subscriptions": []}
    assert len(_notices(found)) == 1
    assert here("prefs", "--json", "list").json() == {"preferences": []}


def test_an_old_budget_needs_no_verb(here: Callable[..., Outcome]) -> None:
    changed = here("budget", "390", "--json")
    assert changed.json()["budget"] == 390
    assert len(_notices(changed)) == 1
    assert here("settings", "budget", "380", "--json").json()["budget_before"] == 390


def test_groups_that_list_need_no_verb(here: Callable[..., Outcome]) -> None:
    assert here("entities", "--json").json() == here("entities", "list", "--json").json()
    assert here("settings", "--json").json() == here("settings", "show", "--json").json()
    for changing in (["settings"], ["settings", "set"]):
        assert here(*changing, "low_water=0.8", "--json").json()["low_water"] == 0.8
    assert "no change; write NAME=VALUE" in here("settings", "low_water").error
    assert not here("settings").err


def test_the_list_says_of_each_group_what_its_own_help_begins_with() -> None:
    assert {name: (command_at(name).help or "").partition("\n")[0] for name in GROUPS} == GROUPS
    assert all(command_at(name).name == name for names, _ in EVERYDAY for name in names)


def test_the_help_imports_no_command_and_no_engine() -> None:
    told = "import sys; from marskg.cli.main import run; run(['--help']); run(['rememer']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert "remember" in done.stderr
    loaded = done.stdout.splitlines()[-1].split()
    slow = ("marskg.cli.commands", "marskg.cli.groups", "marskg.config", "marskg.memory", "numpy", "rdflib", "jpype")
    assert not [name for name in loaded if name.startswith(slow)]


def test_a_shell_completes_the_names_of_commands() -> None:
    found = cli.shell_complete(click.Context(cli), "re")
    assert [one.value for one in found] == ["remember", "retrieve", "recall", "read", "retract", "restore"]
    assert found[0].help == "Store a text; learn its facts; import"
