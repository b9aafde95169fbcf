"""Accounting for what is kept about people: ``mars receipt``.

Guarantees: a receipt holds no content and no names; with ``--json`` standard output is the receipt, the signed document
under ``document``; files are written whole or not at all.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from marskg.cli.door import Door, new_file, pass_door, shared_options
from marskg.cli.output import answer, line, note, plain
from marskg.cli.values import MEMORY_ID
from marskg.exporters.atomic import AtomicFile

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
