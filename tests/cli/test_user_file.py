"""The user's own defaults, ``~/.config/marskg/config.yaml``: options and the environment stand before them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Outcome


@pytest.fixture
def file(mars: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A user's file that says nothing yet."""
    del mars  # whose environment has none
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "config" / "marskg" / "config.yaml"
    path.parent.mkdir(parents=True)
    path.touch()
    return path


def _tenant(outcome: Outcome) -> object:
    assert outcome.status == 0, outcome.err
    return json.loads(outcome.out)["tenant"]


def test_a_users_file_gives_store_tenant_and_principal(
    mars: Callable[..., Outcome], file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    file.write_text("store: ~/mine\ntenant: ann\n")
    assert mars("init", "--budget", 100).status == 0
    assert (tmp_path / "mine").is_dir()
    assert mars("--tenant", "bob", "init", "--budget", 100).status == 0
    assert _tenant(mars("stats", "--json")) == "ann"
    monkeypatch.setenv("MARS_TENANT", "bob")
    assert _tenant(mars("stats", "--json")) == "bob"
    assert _tenant(mars("stats", "--json", "--tenant", "ann")) == "ann"
    file.write_text("store: ~/mine\nas: reader:bot\n")
    assert "reader" in mars("remember", "I like tea").error
    assert mars("--as", "operator", "remember", "I like tea").status == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("stores: /x\n", "'stores' is no default of yours"),
        ("tenant: 5\n", "'tenant' is no default of yours"),
        ("store: memory\n", "the whole path"),
        ("store: [\n", "is not valid YAML"),
    ],
)
def test_what_the_file_may_not_say_is_refused_with_its_name(
    mars: Callable[..., Outcome], file: Path, text: str, said: str
) -> None:
    file.write_text(text)
    outcome = mars("stats")
    assert outcome.status == 2
    assert said in outcome.error
    assert str(file) in outcome.error


def test_a_file_that_is_named_and_is_not_there_is_refused(
    mars: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MARS_CONFIG", str(tmp_path / "none.yaml"))
    assert "none.yaml cannot be read" in mars("stats").error
