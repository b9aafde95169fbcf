"""The decisions are listed, numbered without gaps, and say of each dependency why it is there."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = ROOT / "docs" / "adr"


def unexplained(project: dict[str, Any], page: str) -> set[str]:
    """Return the dependencies of ``project`` that no row of a table on ``page`` names."""
    optional = [item for group in project["optional-dependencies"].values() for item in group]
    listed: Iterable[str] = [*project["dependencies"], *optional]
    names = {re.split(r"[<>=~!;\[ ]", item)[0] for item in listed}
    rows = " ".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| "))
    explained = set(re.findall(r"[A-Za-z0-9-]+", rows))
    # The extra that brings other extras names the project itself.
    return names - explained - {project.get("name")}


def test_every_dependency_has_its_reasons() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert not unexplained(project, (FOLDER / "0006-dependencies.md").read_text(encoding="utf-8"))


def test_a_dependency_without_reasons_is_found() -> None:
    project = {"dependencies": ["left-pad>=1"], "optional-dependencies": {"dev": ["ruff"]}}
    assert unexplained(project, "| ruff | MIT |\n") == {"left-pad"}


def test_decisions_are_numbered_and_listed() -> None:
    pages = sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")
    assert [int(path.name[:4]) for path in pages] == list(range(1, len(pages) + 1))
    table = (FOLDER / "README.md").read_text(encoding="utf-8")
    for path in pages:
        text = path.read_text(encoding="utf-8")
        assert text.startswith(f"# {int(path.name[:4])}. "), path
        assert "\nStatus: " in text, path
        assert f"]({path.name})" in table, path
