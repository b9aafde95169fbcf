"""Writes the reference of the command line, ``docs/reference/cli.md``, from the commands themselves.

Guarantees: what the page says of a command is what ``--help`` says; a test compares the page with this module.

    python -m marskg.cli.reference > docs/reference/cli.md
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from marskg.cli.schemas import answer_of, schema_of_command
from marskg.cli.tree import cli

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_WIDTH = 100

_START = """\
# The command line

Written by `python -m marskg.cli.reference` from the commands themselves: change their texts, not this page.

Every command takes `--store`, `--tenant`, `--as` and `--json`, before or after its name. Results go to standard output,
notes, progress and errors to standard error. There are colours and moving bars on a terminal only, and none with
`NO_COLOR`.
`TEXT` and `QUERY` may be `-` for standard input; one that begins with a dash comes last, after `--`:
`mars remember -- "-5 degrees tonight"`. An `ID` may be written without its `urn:uuid:`. A `TIME` is ISO 8601
with a zone, such as `2026-03-01T09:30:00Z`.

Defaults of your own for `--store`, `--tenant` and `--as` stand in `~/.config/marskg/config.yaml` (or where
`MARS_CONFIG` says), one a line, such as `store: ~/memory`; options and the environment stand before it. A shell
completes names of commands and options after `eval "$(_MARS_COMPLETE=bash_source mars)"` in `~/.bashrc`; `zsh_source`
and `fish_source` do the same for other shells.

| exit status | means |
|---|---|
| 0 | done |
| 1 | a check found something, or the operation was refused: by an invariant, a memory's state, the store or its key |
| 2 | wrong usage, or input that cannot be read or accepted as it stands |
| 70 | a defect in this program; `MARS_DEBUG=1` shows where |
| 130 | interrupted; the message says what is kept |
| 141 | whoever read the output stopped reading, such as `head` |

An error is one line, `error: …`. With `--json` it is an object on standard error,
`{"error": {"type": "BudgetInfeasible", "message": "…"}}`; the type is the name of the Python exception.

With `--json` standard output holds exactly one document. Times in it are epoch milliseconds, in explanations ISO 8601;
names are those of the Python API. `mars COMMAND --schema` prints the JSON Schema (2020-12) of that document and does
nothing else: it asks for no argument and opens no store. In short:

"""

_RECORDS = (
    "",
    "In a document a name alone stands for a number, a text, true, false or null, or for a list or an object of these;",
    "one with `?` is not always there. Other names stand for these records:",
    "",
    "| record | holds |",
    "|---|---|",
)


def reference() -> str:
    """Return the page."""
    found = [*contexts(cli, None, "mars")]
    return "\n".join([_START + _documents(found), *map(_section, found)])


def contexts(command: click.Command, parent: click.Context | None, name: str) -> Iterator[click.Context]:
    """Yield the context of a command, then those of its subcommands, in the order of the help."""
    settings = {**command.context_settings, "terminal_width": _WIDTH, "max_content_width": _WIDTH}
    context = click.Context(command, info_name=name, parent=parent, **settings)
    yield context
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None:
                yield from contexts(found, context, child)


def _section(context: click.Context) -> str:
    path = context.command_path
    level = "##" if context.parent is None or context.parent.parent is None else "###"
    return f"{level} {path}\n\n```\n$ {path} --help\n{context.command.get_help(context)}\n```\n"


# --- Documents ---------------------------------------------------------------------------------------------------


def _documents(found: Iterable[click.Context]) -> str:
    """Return the table of what commands answer, and that of the records in it, as their schemas have them."""
    schemas = {one.command_path: schema_of_command(one.command) for one in found if answer_of(one.command) is not None}
    records: dict[str, Any] = {}
    inner: set[str] = set()  # what is a part of something; what only is an answer stands where the answer is told
    for schema in schemas.values():
        own = schema.get("$defs", {})
        records |= own
        inner.update(*map(_named, own.values()), *(_named(way) for way in _ways(schema) if "$ref" not in way))
    answers: dict[str, list[str]] = {}
    for path, schema in schemas.items():
        told = [_shape(way if _named(way) & inner else _opened(way, schema)) for way in _ways(schema)]
        answers.setdefault(" or ".join(told), []).append(f"`{path.removeprefix('mars ')}`")
    rows = ["| command | its document |", "|---|---|"]
    rows += [f"| {', '.join(names)} | `{shape}` |" for shape, names in answers.items()]
    parts = [f"| `{name}` | `{_shape(records[name])}` |" for name in sorted(inner)]
    return "\n".join([*rows, *_RECORDS, *parts, ""])


def _ways(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the schemas one of which an answer is valid by."""
    ways: list[Mapping[str, Any]] = schema.get("anyOf", [schema])
    return ways


def _opened(way: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a reference to a record stands for; what is no reference as it is."""
    return schema["$defs"][_name(way)] if "$ref" in way else way


def _name(way: Mapping[str, Any]) -> str:
    return str(way["$ref"]).rpartition("/")[2]


def _named(schema: Any) -> set[str]:  # noqa: ANN401 - any part of a schema
    """Return the names of the records that a part of a schema refers to, definitions left out."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            return {_name(schema)}
        return set().union(*(_named(one) for name, one in schema.items() if name != "$defs"))
    return set().union(*map(_named, schema)) if isinstance(schema, list) else set()


def _shape(schema: Mapping[str, Any]) -> str:
    """Return in one line what is valid by a schema, down to the records in it."""
    if "$ref" in schema:
        return _name(schema)
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_shape(one) for one in schema["anyOf"] if one.get("type") != "null"))
    if "properties" in schema:
        return "{" + ", ".join(_field(schema, name, one) for name, one in schema["properties"].items()) + "}"
    if schema.get("type") == "object":
        held = schema.get("additionalProperties", {})
        return f"{{…: {_shape(held)}}}" if _named(held) else "{…}"
    if schema.get("type") == "array":
        return f"[{_shape(schema['items'])}]" if _named(schema.get("items")) else "[…]"
    return "…"


def _field(schema: Mapping[str, Any], name: str, held: Mapping[str, Any]) -> str:
    mark = "" if name in schema["required"] else "?"
    return f'"{name}"{mark}: {_shape(held)}' if _named(held) else f'"{name}"{mark}'


if __name__ == "__main__":
    sys.stdout.write(reference())
