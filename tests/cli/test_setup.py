"""``mars init`` and ``mars settings``."""

from __future__ import annotations

import stat
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Outcome


def test_init_makes_a_store_and_a_key_that_only_its_owner_reads(mars: Callable[..., Outcome], tmp_path: Path) -> None:
    outcome = mars("--store", tmp_path / "m", "init", "--budget", 8000, "--policy", "lru", "--json")
    assert outcome.status == 0
    made = outcome.json()
    assert (made["created"], made["budget"], made["policy"]) == (True, 8000, "lru")
    keys = list((tmp_path / "m" / "keys").iterdir())
    assert any(made["public_key"] in key.name for key in keys)
    assert {stat.S_IMODE(key.stat().st_mode) for key in keys} == {0o600}


def test_init_again_confirms_the_same_settings_and_refuses_others(here: Callable[..., Outcome]) -> None:
    assert here("init", "--json").json()["created"] is False
    assert "nothing was changed" in here("init", "--budget", 400, "--policy", "fifo").out
    refused = here("init", "--budget", 500)
    assert refused.status == 1
    assert "mars settings NAME=VALUE" in refused.error
    assert here("stats", "--json").json()["budget"] == 400


def test_init_takes_a_configuration_file(mars: Callable[..., Outcome], tmp_path: Path) -> None:
    config = tmp_path / "mars.yaml"
    config.write_text("budget: 700\nlow_water: 0.5\nlives:\n  factual: 10d\n", encoding="utf-8")
    assert mars("--store", tmp_path / "m", "init", "--config", config).status == 0
    assert mars("--store", tmp_path / "m", "init", "--config", config).status == 0
    settings = mars("--store", tmp_path / "m", "settings", "--json").json()
    assert (settings["budget"], settings["low_water"], settings["lives.factual"]) == (700, 0.5, 10 * 86_400_000)


def test_init_signs_with_a_key_that_is_given_and_its_passphrase(
    mars: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pem = tmp_path / "own.pem"
    subprocess.run(
        ["openssl", "genpkey", "-algorithm", "ed25519", "-aes256", "-pass", "pass:sesame", "-out", pem],
        check=True,
        capture_output=True,
    )
    pem.chmod(0o600)
    store = tmp_path / "m"
    monkeypatch.setenv("MARS_PASSPHRASE", "sesame")
    assert mars("--store", store, "init", "--key", pem).status == 0
    assert mars("--store", store, "remember", "signed by my own key").status == 0
    assert mars("--store", store, "init", "--key", pem).status == 0
    monkeypatch.setenv("MARS_PASSPHRASE", "abracadabra")
    wrong = mars("--store", store, "remember", "cannot be signed")
    assert wrong.status == 1
    assert "passphrase" in wrong.error
    assert "abracadabra" not in wrong.err
    monkeypatch.setenv("MARS_PASSPHRASE", "sesame")
    assert mars("--store", store, "stats", "--json").json()["live"] == 1


def test_init_with_another_key_than_the_tenants_is_refused(here: Callable[..., Outcome], tmp_path: Path) -> None:
    pem = tmp_path / "other.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", pem], check=True, capture_output=True)
    pem.chmod(0o600)
    outcome = here("init", "--key", pem)
    assert outcome.status == 1
    assert "another key" in outcome.error


def test_settings_change_one_by_one_and_are_listed_with_their_meaning(here: Callable[..., Outcome]) -> None:
    changed = here("settings", "low_water=0.8", "lives.private=none", "policy.name=random-drop", "--json").json()
    assert (changed["low_water"], changed["lives.private"], changed["policy.name"]) == (0.8, None, "random-drop")
    listed = here("settings").out
    assert "lives.factual" in listed
    assert "30d" in listed
    assert here("stats", "--json").json()["policy"] == "random-drop"
    for change in ("reflection.summariser=openai:m@http://localhost:9", "models.curate=none"):
        named = here("settings", change, "--json").json()["models.curate"]
        assert named == change.partition("=")[2], "none is a word here, and no missing value"


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ("low_water=2", 2, "low_water"),
        ("low_watr=0.5", 2, "unknown key"),
        ("low_water", 2, "NAME=VALUE"),
        ("policy.name=best", 2, "there is no policy 'best'"),
        ("budget=3", 1, "protected"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_and_nothing_changes(
    here: Callable[..., Outcome], change: str, status: int, said: str
) -> None:
    before = here("settings", "--json").json()
    outcome = here("settings", change)
    assert outcome.status == status
    assert said in outcome.error
    assert here("settings", "--json").json() == before


def test_a_place_that_cannot_hold_a_store_is_named(mars: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    outcome = mars("--store", tmp_path / "file" / "m", "init")
    assert outcome.status == 1
    assert str(tmp_path / "file") in outcome.error


def test_a_store_of_another_scheme_is_refused(mars: Callable[..., Outcome]) -> None:
    outcome = mars("--store", "postgres://localhost/x", "init")
    assert outcome.status == 2
    assert "postgres://" in outcome.error


def test_a_server_that_does_not_answer_is_named(mars: Callable[..., Outcome], tmp_path: Path) -> None:
    outcome = mars("--store", "bolt://127.0.0.1:9", "stats")
    assert outcome.status == 1
    assert "bolt://127.0.0.1:9" in outcome.error
    assert list(tmp_path.iterdir()) == []
