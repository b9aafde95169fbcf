"""Accounting for what is kept about people: ``mars receipt`` and ``mars subject report``.

Guarantees: a receipt holds no content and no names; with ``--json`` standard output is the receipt, the signed document
under ``document``; files are written whole or not at all.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from marskg.cli.door import Door, new_file, pass_door, shared_options
from marskg.cli.output import answer, counted, document, line, note, plain
from marskg.cli.values import MEMORY_ID
from marskg.errors import InvalidInput
from marskg.exporters.atomic import AtomicFile
from marskg.privacy.report_forms import FORMS

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("what", metavar="ID|SEQ")
@click.option("--output", type=new_file(), metavar="FILE", help="Write the signed JSON-LD to this file.")
@shared_options
@pass_door
@click.pass_context
def receipt(context: click.Context, door: Door, what: str, output: Path | None) -> None:
    """Give a signed receipt of what was done with memory ID, or by record SEQ of the log.

    It says when, why, by which policy and what rests on it, without content and names. Anybody can verify it: mars
    verify --receipt FILE, or any W3C Data Integrity tool.
    """
    wanted = int(what) if what.isascii() and what.isdecimal() else MEMORY_ID.convert(what, None, context)
    with door.memory() as memory:
        found = memory.receipt(wanted)
    if output is not None:
        with AtomicFile(output) as stream:
            stream.write(json.dumps(found.document, indent=2).encode() + b"\n")
        note(f"signed receipt in {output}")
    answer(door, plain(found), lambda: line_by_line(found.as_text()))


def line_by_line(text: str) -> None:
    """Print a text of several lines, each made safe by itself."""
    for part in text.split("\n"):
        line(part)


@click.group(no_args_is_help=False)
@shared_options
def subject() -> None:
    """What a person may ask for about themselves."""


@subject.command()
@click.argument("name", metavar="SUBJECT")
@click.option("--output", type=new_file(), metavar="FILE", help="Write it as .jsonld, .html or .md, by the suffix.")
@click.option("--shared", is_flag=True, help="Give also what is about others as well, whole.")
@click.option("--purpose", metavar="TEXT", help="What it is for, as the log of accesses is to have it.")
@shared_options
@pass_door
def report(door: Door, name: str, output: Path | None, *, shared: bool, purpose: str | None) -> None:
    """Report all that is held about SUBJECT, for them: where from, who saw it, what was forgotten and why.

    That it was given is recorded in the log of accesses. Without --output it is printed as Markdown; --json prints
    the JSON-LD.
    """
    form = "jsonld" if door.as_json else "md" if output is None else output.suffix.lower().removeprefix(".")
    if form not in FORMS:
        msg = f"{output} has no suffix that a report is written in; name it .jsonld, .html or .md"
        raise InvalidInput(msg)
    with door.memory() as memory:
        found = memory.subject_report(name, shared=shared, purpose=purpose)
    if output is None:
        answer(door, found.document, lambda: line_by_line(found.as_markdown().rstrip("\n")))
        return
    with AtomicFile(output) as stream:
        stream.write(found.written(output.suffix.lower().removeprefix(".")).encode())
    if door.as_json:
        document({"file": str(output), "memories": len(found.held), "withheld": found.withheld})
    else:
        line(f"{counted(len(found.held), 'memory')} in {output}, {found.withheld} without the text that is others' too")
