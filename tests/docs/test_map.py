"""The map of the house names what is there: files, folders, packages and rooms."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

import pytest

from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = ROOT / "src" / "marskg"
MAP = ROOT / "docs" / "explanation" / "architecture.md"
#: A path in backticks: with a folder, or a file of Python.
_PATH = re.compile(r"`([a-z_0-9][\w-]*(?:/[\w.-]*)+|\w+\.py)`")


def missing(text: str, *roots: Path) -> list[str]:
    """Return the paths in ``text`` that exist below none of ``roots``."""
    return [path for path in dict.fromkeys(_PATH.findall(text)) if not any((root / path).exists() for root in roots)]


@pytest.mark.parametrize("page", [MAP, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_every_file_that_is_named_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(_PATH.findall(text)) > 15
    assert not missing(text, SOURCE, ROOT)


def test_a_file_that_is_gone_is_found() -> None:
    text = "`memory.py` `store/desk.py` `store/` `no/where/` `mars init` `1/2`"
    assert missing(text, SOURCE, ROOT) == ["store/desk.py", "no/where/", "1/2"]


def test_every_package_is_on_the_map_and_in_the_picture() -> None:
    page, picture = MAP.read_text(encoding="utf-8"), MAP.with_suffix(".svg").read_text(encoding="utf-8")
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert not {name for name in packages if f"`{name}/`" not in page}
    assert not {name for name in packages - {"api", "bench", "config"} if name not in picture}


def test_the_rooms_of_the_store_are_in_the_order_of_their_contract() -> None:
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    rooms = next(contract["layers"] for contract in lint["contracts"] if contract["id"] == "store")
    assert re.findall(r"^\| `store/(\w+)` ", MAP.read_text(encoding="utf-8"), re.MULTILINE) == rooms
    picture = MAP.with_suffix(".svg").read_text(encoding="utf-8")
    assert [name for name in re.findall(r'class="r">(\w+)<', picture) if name in rooms] == rooms
