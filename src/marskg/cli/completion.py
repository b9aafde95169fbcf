"""What a shell completes, from a table in the package: commands and options are told without importing what they do.

Guarantees: the table says what the commands say (a test compares them); values and files, which it does not have, are
completed as click does. To be written anew when a command changes::

    python -m marskg.cli.completion > src/marskg/cli/completions.txt
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)

from marskg.cli.tree import cli

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TABLE = Path(__file__).with_name("completions.txt")


def completed(table: Mapping[str, list[str]], args: list[str], incomplete: str) -> list[str] | None:
    """Return what ``incomplete`` may become after the words ``args``; None where the table does not know.

    A name that takes a value ends with ``=`` in the table, which has the names below each command by its words.
    """
    way, value = "", False
    for word in args:
        longer = f"{way} {word}".strip()
        if not value and not word.startswith("-") and _has_below(table[way]):
            if longer not in table:  # an old name, which stands in no list
                return None
            way = longer
        value = not value and f"{word}=" in table[way]
    names = [name.removesuffix("=") for name in table[way]]
    options = incomplete.startswith("-")
    found = [name for name in names if name.startswith(incomplete) and name.startswith("-") == options]
    return found if (options or _has_below(names)) and not value and "--" not in args else None


def _has_below(names: list[str]) -> bool:
    return any(not name.startswith("-") for name in names)


class _FromTable(ShellComplete):
    """Completes from the table what that has."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """Return what may stand in the place of the last word."""
        if args:  # the names of the root have their meanings beside them
            rows = (line.split() for line in _TABLE.read_text(encoding="utf-8").splitlines())
            table = {words.strip(".").replace("/", " "): names for words, *names in rows}
            found = completed(table, args, incomplete)
            if found is not None:
                return [CompletionItem(name) for name in found]
        return super().get_completions(args, incomplete)


def use_table() -> None:
    """Have click complete from the table, in the shells that it knows."""
    for kind in (BashComplete, FishComplete, ZshComplete):
        add_completion_class(type(kind.__name__, (_FromTable, kind), {}))


def rendered() -> str:
    """Return the table made from the commands: a line for each, its words joined by ``/``, the root's are ``.``."""
    return "".join(f"{' '.join(('/'.join(way) or '.', *names))}\n" for way, names in _rows(cli, (), None))


def _rows(
    command: click.Command, way: tuple[str, ...], parent: click.Context | None
) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    # Below its group, as a command keeps the names of the option for help that it was first asked for with.
    context = click.Context(command, parent=parent, **command.context_settings)
    below = command.list_commands(context) if isinstance(command, click.Group) else []
    options = [one for one in command.get_params(context) if isinstance(one, click.Option) and not one.hidden]
    names = [
        f"{name}{'' if one.is_flag or one.count else '='}"
        for one in options
        for name in (*one.opts, *one.secondary_opts)
        if name.startswith("--")
    ]
    yield way, [*below, *names]
    for name in below:
        found = command.get_command(context, name) if isinstance(command, click.Group) else None
        if found is not None:
            yield from _rows(found, (*way, name), context)


if __name__ == "__main__":
    sys.stdout.write(rendered())
