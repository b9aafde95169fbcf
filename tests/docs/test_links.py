"""Every link in the documents leads somewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.docs.markdown import pages
from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from pathlib import Path

_FENCED = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\((?P<target>[^()\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (?P<title>.+?)\s*$", re.MULTILINE)
ALL = {path.relative_to(ROOT).as_posix(): path for path in pages(ROOT)}


def anchors(text: str) -> set[str]:
    """Return the anchors that the headings of a page get."""
    found: set[str] = set()
    for heading in _HEADING.finditer(_FENCED.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading["title"]).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        number = 0
        while (name := f"{slug}-{number}" if number else slug) in found:
            number += 1
        found.add(name)
    return found


def broken(path: Path) -> list[str]:
    """Return the links of a page that lead nowhere; what is on the web is not asked."""
    text = _CODE.sub("", _FENCED.sub("", path.read_text(encoding="utf-8")))
    found = []
    for link in _LINK.finditer(text):
        target, _, anchor = link["target"].partition("#")
        if ":" in target:
            continue
        place = (path.parent / target) if target else path
        bad_anchor = anchor and place.suffix == ".md" and place.is_file()
        if not place.exists() or (bad_anchor and anchor not in anchors(place.read_text(encoding="utf-8"))):
            found.append(link["target"])
    return found


@pytest.mark.parametrize("name", sorted(ALL))
def test_every_link_leads_somewhere(name: str) -> None:
    assert not broken(ALL[name])


def test_every_page_can_be_reached() -> None:
    reached = {ROOT / "README.md"}
    pending = list(reached)
    while pending:
        page = pending.pop()
        text = _CODE.sub("", _FENCED.sub("", page.read_text(encoding="utf-8")))
        for link in _LINK.finditer(text):
            target = link["target"].partition("#")[0]
            place = (page.parent / target).resolve() if target and ":" not in target else page
            if place.is_dir():
                place /= "README.md"
            if place.suffix == ".md" and place.is_file() and place not in reached:
                reached.add(place)
                pending.append(place)
    assert set(ALL.values()) <= reached


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One [two](#one-two)\n[a](#one-two) [b](#three) [c](no.md) [d](page.md#four) `[e](f.md)`\n")
    assert broken(page) == ["#three", "no.md", "page.md#four"]
