"""The code blocks of a Markdown page, with what its HTML comments say about them.

Directly before a block, ``<!-- not run: WHY -->`` keeps it from being run, and ``<!-- not found: WHY -->`` says that a
verifier finds nothing in a file that the page tampered with. Anywhere on a page,
``<!-- needs: neo4j -->`` says what its blocks need.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

#: What is run; every other language must be one of the next set, so that no block is passed over by a misspelling.
RUN = frozenset({"console", "pycon", "python", "sh"})
SHOWN = frozenset({"", "cypher", "json", "nquads", "sparql", "sql", "text", "toml", "turtle", "yaml"})
_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>[\w-]*)[^\n]*\n(?P<body>.*?)^(?P=indent)```[ ]*$", re.DOTALL | re.MULTILINE
)
_NOT_RUN = re.compile(r"<!-- not run: (?P<why>[^>]+?) -->\s*$")
_NOT_FOUND = re.compile(r"<!-- not found: (?P<why>[^>]+?) -->\s*$")
_NEEDS = re.compile(r"<!-- needs: (?P<what>\w+) -->")


@dataclass(frozen=True)
class Block:
    """One fenced block: where its text stands in the page, and why it is not run if so."""

    language: str
    body: str
    line: int
    start: int
    not_run: str | None
    not_found: str | None


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page in their order."""
    found = []
    for fence in _FENCE.finditer(text):
        before = text[: fence.start()]
        why, unfound = _NOT_RUN.search(before), _NOT_FOUND.search(before)
        indent = fence["indent"]
        body = "".join(line.removeprefix(indent) for line in fence["body"].splitlines(keepends=True))
        line = text.count("\n", 0, fence.start()) + 1
        reasons = (match["why"] if match else None for match in (why, unfound))
        found.append(Block(fence["language"], body, line, fence.start("body"), *reasons))
    return found


def needs(text: str) -> set[str]:
    """Return what a page says that its blocks need."""
    return {found["what"] for found in _NEEDS.finditer(text)}


def pages(root: Path) -> list[Path]:
    """Return every page that a reader of the project may follow."""
    top = [root / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
    return [*top, root / "examples" / "README.md", *sorted((root / "docs").rglob("*.md"))]
