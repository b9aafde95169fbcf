"""Writes docs/reference/operations.md from the table of operations: what each does, where it is found, who may use it.

Guarantees: every public operation is on the page, with what it does to the store, the command that does the same, the
rights of each role and its errors; a test compares the page. Run ``python scripts/operations_reference.py`` after a
change.
"""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

from marskg.api.operations import Operation, operations
from marskg.cli.operation_commands import command_of_operation
from marskg.privacy.principals import Role

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "operations.md"
_ROLES = tuple(Role)

INTRODUCTION = """# Operations

*Made by `scripts/operations_reference.py` from the table of all operations; change the source, not this page.*

An operation **reads**, **writes**, or **destroys**: contents or records go for good, now or when their time comes. Who
may use it is said by role: *through the gate* is as far as a principal's [limits](../how-to/principals.md) reach, *own
only* what is about themselves; an operator may use all of them. `marskg.aopen` gives each to be awaited. A command
takes the same parameters, and its `--schema` prints the form of what it answers with `--json`.
"""


def render() -> str:
    """Return the page."""
    parts = [INTRODUCTION]
    for place, found in groupby(operations(), key=lambda one: one.name.rpartition(".")[0]):
        rows = list(found)
        title = f"`mem.{place}`" if place else "The verbs of every day"
        parts.append(f"## {title}\n\n{_overview(rows)}\n")
    return "\n".join(parts)


def _overview(rows: list[Operation]) -> str:
    head = f"| operation | effect | command | {' | '.join(_ROLES[1:])} | raises |"
    return "\n".join((head, f"|---|---|---|{'---|' * len(_ROLES[1:])}---|", *map(_row, rows)))


def _row(one: Operation) -> str:
    title = "marskg.open" if one.name == "open" else f"mem.{one.name}"
    anchor = re.sub(r"[^\w-]", "", title.lower())
    name = one.name.rpartition(".")[2]
    # What is only in private mode is described with it.
    shown = f"`{name}`" if "(" in title else f"[`{name}`](python.md#{anchor})"
    command = command_of_operation(one)
    rights = ["no" if one.rights is None else one.rights.of(role).value for role in _ROLES[1:]]
    errors = ", ".join(f"`{error}`" for error in one.words.errors)
    return f"| {shown} | {one.effect} | {f'`mars {command}`' if command else ''} | {' | '.join(rights)} | {errors} |"


def main() -> None:
    """Write the page."""
    PAGE.write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main()
