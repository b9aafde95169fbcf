"""The list of what verification cannot show is one list, wherever it is quoted."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import marskg
from marskg.audit.limits import LIMITS
from marskg.cli.tree import cli
from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("page", ["README.md", "SECURITY.md"])
def test_a_page_quotes_the_whole_list_and_nothing_else_in_it(page: str) -> None:
    words = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    assert " ".join(f"- {limit}" for limit in LIMITS) in words


def test_the_outsiders_script_says_the_same_list() -> None:
    script = ROOT / "examples" / "verify" / "verify_audit.py"
    told = subprocess.run([sys.executable, str(script), "--limits"], capture_output=True, text=True, check=True)
    assert told.stdout.splitlines() == [f"- {limit}" for limit in LIMITS]


def test_a_verified_store_comes_with_the_list(tmp_path: Path) -> None:
    marskg.open(tmp_path / "store").close()
    told = CliRunner().invoke(cli, ["verify", "--store", str(tmp_path / "store")])
    assert told.stdout.splitlines()[:1] == ["What no check of a log shows is a list of its own: --limits prints it."]
    told = CliRunner().invoke(cli, ["verify", "--json", "--store", str(tmp_path / "store")])
    assert json.loads(told.stdout)["limits"] == list(LIMITS)


def test_the_verifier_says_the_list_itself() -> None:
    told = CliRunner().invoke(cli, ["verify", "--limits"])
    assert told.exit_code == 0
    assert told.stdout.splitlines() == [f"- {limit}" for limit in LIMITS]
    told = CliRunner().invoke(cli, ["verify", "--limits", "--json"])
    assert json.loads(told.stdout) == {"limits": list(LIMITS)}
