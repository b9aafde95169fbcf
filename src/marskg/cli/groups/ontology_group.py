"""Extensions of the ontology: ``mars ontology check``.

Guarantees: needs no store; all findings are reported, not only the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, cast

import click

from marskg.cli.commands.validate_verify import CheckDocument, checked_document, conclude
from marskg.cli.door import Door, existing_file, json_option, pass_door
from marskg.cli.output import progress

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from marskg.records import Finding


class CheckedOntology(CheckDocument):
    """What ``mars ontology check`` answers: ``warnings`` are there where there is something to advise."""

    warnings: NotRequired[Sequence[Finding]]


@click.group(no_args_is_help=False)
@json_option
def ontology() -> None:
    """Extensions of the ontology."""


@ontology.command("check")
@click.argument("files", nargs=-1, required=True, type=existing_file(), metavar="FILE...")
@click.option("--limit-seconds", type=click.FloatRange(min=1), default=120, show_default=True)
@json_option
@pass_door
def ontology_check(door: Door, files: tuple[Path, ...], limit_seconds: float) -> CheckedOntology:
    """Check FILEs, taken together, as an extension of the ontology.

    Finds what redefines or misspells a term, what can have no instance, and what contradicts, with the statements
    that do.
    """
    from marskg.ontology.check import check_files

    with progress("reasoning"):
        report = check_files(files, seconds=limit_seconds)
    data = cast("CheckedOntology", checked_document(report))
    if report.warnings:
        data["warnings"] = report.warnings
    return conclude(door, report, data, checked="statement", advice=report.warnings)
