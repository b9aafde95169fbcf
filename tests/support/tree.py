"""The commands of ``mars`` as a tree, with arguments with which each gets as far as what is tried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from marskg.cli.tree import cli

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


def leaves(command: click.Command = cli, way: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command that does something, with the words that call it; old names are left out."""
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            found = command.get_command(click.Context(command), name)
            assert found is not None, name
            yield from leaves(found, (*way, name))
    elif way:
        yield way, command


def parameters(command: click.Command) -> list[click.Parameter]:
    """Return the arguments of a command, and its options that take a value."""
    return [one for one in command.params if not getattr(one, "is_flag", False) and one.name != "help"]


def arguments(
    command: click.Command, files: Path, ids: Mapping[str, str], tried: Mapping[str, str] | None = None
) -> list[str]:
    """Return the words after a command: what it requires, and what is tried, by the name of the parameter."""
    options: list[str] = []
    places: list[str] = []
    given = tried or {}
    for one in parameters(command):
        name = str(one.name)
        if name not in given and not one.required:
            continue
        values = _harmless(one, files, ids)
        if name in given:
            values = [given[name], *values[1:]]
        if isinstance(one, click.Argument):
            places += values
        else:
            options += [one.opts[0], *values]
    return [*options, "--", *places]


def _harmless(parameter: click.Parameter, files: Path, ids: Mapping[str, str]) -> list[str]:
    kind = parameter.type
    kinds = list(kind.types) if isinstance(kind, click.Tuple) else [kind] * max(parameter.nargs, 1)
    return [_value(one, str(parameter.name), files, ids) for one in kinds]


def _value(kind: Any, name: str, files: Path, ids: Mapping[str, str]) -> str:
    if isinstance(kind, click.Choice):
        return str(next(iter(kind.choices)))
    if isinstance(kind, click.Path):
        return str(files / ("folder" if kind.exists and not kind.file_okay else "good" if kind.exists else "out.nq"))
    if kind.name == "id":
        return ids.get(name, ids["flat"])
    known = {"integer": "1", "integer range": "1", "float": "0.5", "time": "2026-03-01T09:30:00Z", "json": "{}"}
    return known.get(kind.name, "word")
