"""Writes the reference of the command line, ``docs/reference/cli.md``, from the commands themselves.

Guarantees: what the page says of a command is what ``--help`` says; a test compares the page with this module.

    python -m marskg.cli.reference > docs/reference/cli.md
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from marskg.cli.tree import cli

if TYPE_CHECKING:
    from collections.abc import Iterator

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

Commands on a folder start faster once `mars init` has laid the engine's classes ready in `~/.cache/marskg/classes`
(`XDG_CACHE_HOME`), 45 MB that may be removed at any time; it does so for a store that exists as well.

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

With `--json` standard output holds exactly one document. Times in it are epoch milliseconds and names are those of the
Python API.

"""


_ACTION = '{"id", "action", "reason", "kind", "weight", "score", "rule", "features"}'
_FIGURES = '"live", "latent", "tombstones", "weight", "budget"'
#: What a command answers with, with ``--json``.
_DOCUMENTS = (
    (
        "`remember`, `get`, `update`, `restore`, `pin`, `task`, `link` …",
        "the memory, field by field; `get` adds `edges`",
    ),
    ("`history`", '`{"versions": […]}`, the oldest first'),
    ("`import`", f'`{{"imported", "known", "pointless", "skipped", "transitions", {_FIGURES}, "audit_seq"}}`'),
    (
        "`forget`",
        (
            f'`{{"actions": [{_ACTION}], "freed_tokens", "weight_before", "weight_after", "budget", "bound", '
            '"realised_loss", "summaries": [{"constituents", "weight", "lines", "distortion", '
            '"distortion_predicted"}], "notes", "policy", "parameters", "seed", "sequence", "stages": '
            '[{"stage", "memories", "tokens"}], "digest", "applied"}`'
        ),
    ),
    (
        "`stats`",
        (
            f'`{{"tenant", {_FIGURES}, "latent_weight", "protected_weight", "by_kind", "policy", "audit_seq", '
            '"access_seq", "expiry_suspended", "engine", "embedding", "without_vector"}`'
        ),
    ),
    (
        "`validate`, `verify`, `ontology check`, `policy check`",
        '`{"ok", "checked", "findings": [{"code", "where", "message", "severity"}]}`',
    ),
    (
        "`stats` of readers and subjects",
        '`{"tenant", "live", "latent", "weight", "latent_weight", "by_kind", "budget", "policy", "engine", …}`',
    ),
    ("`grant`", '`{"id", "to", "ceiling", "until", "calls", "subjects"}`'),
    ("`export`", '`{"file", "profile", "memories", "entities", "edges", "records", "heads", "size"}`'),
    ("`sparql`, `cypher`", '`{"columns", "rows", "sequence"}`'),
    ("`audit sign-head`, `preferences consents`", '`{"result": …}`, what Python returns'),
    ("`audit head`", '`{"heads": [{"log", "size", "root", "recorded_at", "signing_key", "core", "proof_value", …}]}`'),
    (
        "`audit list`",
        '`{"log", "last", "records": [{"iri", "sequence", "operation", "recorded_at", "memories", "details", …}]}`',
    ),
)


def reference() -> str:
    """Return the page."""
    rows = ["| command | its document |", "|---|---|", *(f"| {names} | {shape} |" for names, shape in _DOCUMENTS)]
    return "\n".join([_START + "\n".join(rows) + "\n", *_sections(cli, None, "mars")])


def _sections(command: click.Command, parent: click.Context | None, name: str) -> Iterator[str]:
    """Yield the section of a command, then those of its subcommands."""
    settings = {**command.context_settings, "terminal_width": _WIDTH, "max_content_width": _WIDTH}
    context = click.Context(command, info_name=name, parent=parent, **settings)
    path = context.command_path
    level = "##" if parent is None or parent.parent is None else "###"
    yield f"{level} {path}\n\n```\n$ {path} --help\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None:
                yield from _sections(found, context, child)


if __name__ == "__main__":
    sys.stdout.write(reference())
