"""Writes the table and the default file of docs/reference/defaults.md from the settings; the rest is written by hand.

Guarantees: a test compares the page with the code. Run ``python scripts/defaults_reference.py`` after a change.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from marskg.config import SETTINGS
from marskg.config.durations import UNITS

if TYPE_CHECKING:
    from marskg.config import Setting

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "defaults.md"
_SHOWN = ("d", "h", "m", "s", "ms")


def shown(setting: Setting) -> str:
    """Return a default as YAML writes it."""
    value = setting.default
    if setting.kind == "duration" and isinstance(value, int):
        unit = next(unit for unit in _SHOWN if value % UNITS[unit] == 0 and (unit, value) != ("d", UNITS["d"]))
        return f"{value // UNITS[unit]}{unit}"
    return value if isinstance(value, str) else json.dumps(value)


def table() -> str:
    """Return the table of all settings."""
    rows = [
        f"| `{name}` | `{shown(setting)}` | {setting.meaning} | {setting.allowed} |"
        for name, setting in SETTINGS.items()
    ]
    return "\n".join(("| setting | default | meaning | allowed |", "|---|---|---|---|", *rows))


def file() -> str:
    """Return the default settings as one YAML file."""
    lines: list[str] = []
    open_sections: list[str] = []
    for name, setting in SETTINGS.items():
        *sections, last = name.split(".")
        # Below what has a value of its own nothing can stand: there the name is written out.
        if ".".join(sections) in SETTINGS:
            sections, last = [], name
        for depth, section in enumerate(sections):
            if open_sections[: depth + 1] != sections[: depth + 1]:
                lines.append(f"{'  ' * depth}{section}:")
                open_sections = sections[: depth + 1]
        open_sections = open_sections[: len(sections)]
        lines.append(f"{'  ' * len(sections)}{last}: {shown(setting)}")
    return "\n".join(lines)


def main() -> None:
    """Put both into the page."""
    text = PAGE.read_text(encoding="utf-8")
    text = re.sub(r"\| setting \|.*?\n\n", lambda _: f"{table()}\n\n", text, count=1, flags=re.DOTALL)
    text = re.sub(r"```yaml\n.*?```", lambda _: f"```yaml\n{file()}\n```", text, count=1, flags=re.DOTALL)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
