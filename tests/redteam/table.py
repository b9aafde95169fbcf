"""Writes the table of attempts into ``docs/explanation/red-team.md``: ``python -m tests.redteam.table``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

from tests.redteam.suite import ALL

PAGE: Final = Path(__file__).parents[2] / "docs" / "explanation" / "red-team.md"
_BEGIN, _END = "<!-- made by tests/redteam/table.py -->\n", "<!-- end -->\n"


def table() -> str:
    """Return how many attempts there are by technique, with the doors and principals of each."""
    counted = Counter(_technique(one.technique) for one in ALL)
    lines = [
        f"{len(ALL)} attempts on the embedded engine, {sum(one.server for one in ALL)} of them on Neo4j as well.",
        "",
        "| technique | attempts | doors | by |",
        "|---|---|---|---|",
    ]
    for technique, number in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
        own = [one for one in ALL if _technique(one.technique) == technique]
        doors = ", ".join(sorted({one.door for one in own}))
        lines.append(f"| {technique} | {number} | {doors} | {', '.join(sorted({one.who for one in own}))} |")
    return "\n".join(lines) + "\n"


def _technique(name: str) -> str:
    """Return a technique without the form that it takes."""
    return "identifiers in disguise" if " in disguise" in name else name.partition(":")[0]


def page() -> str:
    """Return the page with the table as it is now."""
    text = PAGE.read_text("utf-8")
    head, _, rest = text.partition(_BEGIN)
    return f"{head}{_BEGIN}\n{table()}\n{_END}{rest.partition(_END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
