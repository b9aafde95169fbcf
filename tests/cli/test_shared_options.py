"""``--store``, ``--tenant`` and ``--json``, the environment, and what a store that does not exist means."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Outcome


def test_the_options_mean_the_same_before_and_after_the_command(mars: Callable[..., Outcome], store: Path) -> None:
    before = mars("--json", "--store", store, "--tenant", "default", "stats")
    after = mars("stats", "--store", store, "--json", "--tenant", "default")
    between = mars("audit", "--store", store, "list", "--json")
    assert before.status == after.status == between.status == 0
    assert before.json() == after.json()
    assert between.json()["records"]


def test_what_stands_nearer_to_the_command_wins_and_both_over_the_environment(
    mars: Callable[..., Outcome], store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARS_STORE", str(tmp_path / "nowhere"))
    monkeypatch.setenv("MARS_TENANT", "nobody")
    assert mars("stats").status == 2
    found = mars("--store", tmp_path / "elsewhere", "stats", "--store", store, "--tenant", "default", "--json")
    assert found.json()["tenant"] == "default"


def test_the_environment_names_store_and_tenant(
    mars: Callable[..., Outcome], store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARS_STORE", str(store))
    monkeypatch.setenv("MARS_TENANT", "default")
    assert mars("stats", "--json").json()["live"] == 10


@pytest.mark.parametrize(
    "command",
    [
        ["stats"],
        ["get", "urn:uuid:01890000-0000-7000-8000-000000000000"],
        ["forget"],
        ["validate"],
        ["verify"],
        ["audit", "list"],
        ["export", "out.nq"],
        ["budget", "100"],
    ],
)
def test_only_commands_that_store_create_a_store(
    mars: Callable[..., Outcome], tmp_path: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = mars("--store", tmp_path / "typo", *command)
    assert outcome.status == 2
    assert "there is no store in" in outcome.error
    assert "mars init" in outcome.error
    assert list(tmp_path.iterdir()) == []


def test_a_tenant_that_does_not_exist_is_not_created_by_reading(here: Callable[..., Outcome]) -> None:
    outcome = here("--tenant", "nobody", "stats")
    assert outcome.status == 2
    assert "no tenant 'nobody'" in outcome.error


def test_tenants_are_apart(here: Callable[..., Outcome], ids: dict[str, str]) -> None:
    assert here("--tenant", "bob", "remember", "Bob likes chess").status == 0
    assert here("--tenant", "bob", "stats", "--json").json()["live"] == 1
    assert here("--tenant", "bob", "get", ids["tea"]).status == 1


def test_an_error_is_one_object_on_standard_error_with_json(here: Callable[..., Outcome]) -> None:
    outcome = here("get", "urn:uuid:01890000-0000-7000-8000-000000000000", "--json")
    assert outcome.status == 1
    assert outcome.out == ""
    assert json.loads(outcome.err)["error"]["type"] == "UnknownMemory"
    misused = here("stats", "--json", "--frobnicate")
    assert misused.status == 2
    assert json.loads(misused.err)["error"]["type"] == "NoSuchOption"


def test_help_names_every_command_and_says_what_the_exit_status_means(mars: Callable[..., Outcome]) -> None:
    outcome = mars("--help")
    assert outcome.status == 0
    for name in ("init", "remember", "import", "forget", "erase", "verify", "export", "sparql", "cypher", "demo"):
        assert re.search(rf"\n  ([a-z]+, )*{name}[, ]", outcome.out), name
    assert "Exit status: 0 done" in outcome.out


def test_the_version_is_the_packages(mars: Callable[..., Outcome]) -> None:
    assert mars("--version").out == "mars, version 0.1.0\n"
