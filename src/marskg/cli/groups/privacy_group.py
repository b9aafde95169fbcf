"""What may be shown, and accounting to people: ``mars privacy``.

Guarantees: nothing stored is changed. Redacting says with ``--json`` what was replaced by kind and place, never by its
words, and leaves with status 1 where the text is held for a person to decide. What is printed of a grant is the only
copy of its secret. A report is written whole or not at all. The privacy budget shows conversations by their keyed
digests alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import click

from marskg.cli.commands.validate_verify import CheckDocument, checked_document, conclude
from marskg.cli.door import CheckFailed, Door, new_file, pass_door, shared_options
from marskg.cli.operation_commands import NamespaceGroup, stated
from marskg.cli.output import (
    answer,
    counted,
    day,
    line,
    line_by_line,
    note,
    number,
    safe,
    show_table,
    table,
)
from marskg.cli.values import text_argument, text_or_stdin
from marskg.errors import InvalidInput
from marskg.exporters.atomic import AtomicFile
from marskg.ontology.vocabulary import MemoryClass
from marskg.policies.builtin.private import NAME, Balance
from marskg.privacy.report.forms import FORMS
from marskg.records import Report

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from marskg.privacy.grants import Grant
    from marskg.privacy.redaction import Redaction


class WrittenReport(TypedDict):
    """What ``mars privacy report --output`` answers: how many memories are in the file, how many without their text."""

    file: str
    memories: int
    withheld: int


_SHOWN: int = 20


@click.group(cls=NamespaceGroup, no_args_is_help=False)
@shared_options
def privacy() -> None:
    """What may be shown, reports and proofs for people."""


@privacy.command()
@shared_options
@pass_door
def budget(door: Door) -> Balance:
    """Show the epsilon that the policy private has spent, of the tenant and of each conversation, and what is left."""
    with door.memory() as memory:
        found = memory.privacy.budget()
    return answer(door, found, lambda: _show(found))


def _show(found: Balance) -> None:
    line(
        f"epsilon {found['spent']:g} spent of {found['budget']:g}, {found['left']:g} left: "
        f"{counted(found['choices_left'], 'choice')} at {found['epsilon_per_choice']:g}, "
        f"for groups of {number(found['group_size'])}"
    )
    line(f"{counted(found['choices'], 'choice')} with noise, {number(found['uniform_choices'])} uniform")
    if found["policy"] != NAME:
        note(f"the tenant forgets by {found['policy']}, which is not private and spends nothing")
    if not found["conversations"]:
        return
    made = table("conversation", "spent", "left", right=("spent", "left"), whole=("conversation",))
    for one in found["conversations"][:_SHOWN]:
        left = "no limit" if one["left"] is None else f"{one['left']:g}"
        made.add_row(one["digest"], f"{one['spent']:g}", left)
    show_table(made)
    if len(found["conversations"]) > _SHOWN:
        line(f"… and {number(len(found['conversations']) - _SHOWN)} more; --json lists them all")


@privacy.command()
@text_argument("text")
@click.option("--max-sensitivity", type=float, metavar="0..1", help="The reader's ceiling.  [default: none]")
@click.option("--purpose", metavar="NAME", help="What the reader reads for.")
@click.option("--jurisdiction", metavar="NAME", help="Where the reader reads.")
@click.option("--hold", is_flag=True, help="Show nothing of a text that repeats what is hidden.")
@shared_options
@pass_door
def redact(
    door: Door, text: str, *, max_sensitivity: float | None, purpose: str | None, jurisdiction: str | None, hold: bool
) -> Redaction:
    """Print TEXT as a reader may get it (- reads standard input); nothing is stored.

    What has a form of its own, such as an e-mail address, becomes a placeholder: all of it, or with --max-sensitivity
    what weighs more. A sentence that repeats what the reader may not read becomes [WITHHELD].

    A TEXT that begins with a dash comes last, after --.
    """
    with door.memory() as memory:
        found = memory.privacy.redact(
            text_or_stdin(text), max_sensitivity=max_sensitivity, purpose=purpose, jurisdiction=jurisdiction, hold=hold
        )
    answer(door, found, lambda: _show_redacted(found))
    if found.held:
        raise CheckFailed
    return found


def _show_redacted(found: Redaction) -> None:
    line(safe(found.text))
    if found.held:
        note("it repeats what the reader may not read: decide, then redact it without --hold")


@privacy.command()
@click.argument("to", metavar="PRINCIPAL")
@click.option(
    "--ceiling", type=click.FloatRange(0, 1), required=True, help="The sensitivity up to which they may read."
)
@click.option("--lasts", **stated("privacy.grant", "lasts"), metavar="TIME", help="For how long: 24h at most.")
@click.option(
    "--calls", type=click.IntRange(min=1), **stated("privacy.grant", "calls"), help="How many readings it is for."
)
@click.option("--any-calls", is_flag=True, help="For as many readings as they like.")
@click.option("--subject", "subjects", multiple=True, metavar="NAME", help="For memories about this person only.")
@shared_options
@pass_door
def grant(  # noqa: PLR0917 - click passes options by name
    door: Door, to: str, ceiling: float, lasts: str, calls: int, subjects: tuple[str, ...], *, any_calls: bool
) -> Grant:
    """Let PRINCIPAL, such as reader:bot, read above their ceiling; each reading under it is recorded.

    They act as 'reader:bot?grant=ID' with what this prints. A subject can grant what is about them alone.
    """
    with door.memory() as memory:
        given = memory.privacy.grant(
            to, ceiling=ceiling, lasts=lasts, calls=None if any_calls else calls, subjects=subjects or None
        )

    def show() -> None:
        often = "any number of readings" if given.calls is None else counted(given.calls, "reading")
        line(f"{given.to} may read up to {given.ceiling:g} until {day(given.until)}, in {often}, by the grant")
        line(given.id)

    return answer(door, given, show)


@privacy.command()
@text_argument("name", metavar="SUBJECT")
@click.option("--output", type=new_file(), metavar="FILE", help="Write it as .jsonld, .html or .md, by the suffix.")
@click.option("--shared", is_flag=True, help="Give also what is about others as well, whole.")
@click.option("--purpose", metavar="TEXT", help="What it is for, as the log of accesses is to have it.")
@shared_options
@pass_door
def report(
    door: Door, name: str, output: Path | None, *, shared: bool, purpose: str | None
) -> Mapping[str, Any] | WrittenReport:
    """Report all that is held about SUBJECT, for them: where from, who saw it, what was forgotten and why.

    That it was given is recorded in the log of accesses. Without --output it is printed as Markdown; --json prints
    the JSON-LD.

    A SUBJECT that begins with a dash comes last, after --.
    """
    form = "jsonld" if door.as_json else "md" if output is None else output.suffix.lower().removeprefix(".")
    if form not in FORMS:
        msg = f"{output} has no suffix that a report is written in; name it .jsonld, .html or .md"
        raise InvalidInput(msg)
    with door.memory() as memory:
        found = memory.privacy.report(name, shared=shared, purpose=purpose)
    if output is None:
        return answer(door, found.document, lambda: line_by_line(found.as_markdown().rstrip("\n")))
    with AtomicFile(output) as stream:
        stream.write(found.written(output.suffix.lower().removeprefix(".")).encode())
    data: WrittenReport = {"file": str(output), "memories": len(found.held), "withheld": found.withheld}
    told = f"{counted(len(found.held), 'memory')} in {output}, {found.withheld} without the text that is others' too"
    return answer(door, data, lambda: line(told))


@privacy.command()
@click.argument("memory_class", type=click.Choice([item.value for item in MemoryClass]), metavar="CLASS")
@click.option("--older-than", required=True, metavar="DURATION", help="Such as 30d, 24h or 90m.")
@shared_options
@pass_door
def retention(door: Door, memory_class: str, older_than: str) -> CheckDocument:
    """Show that no memory of CLASS is left that is older than a duration, in any tier.

    Exit status 1 if there is one. What the log says of removals, of any class, is counted beside it.
    """
    with door.memory() as memory:
        found = memory.privacy.retention(memory_class, older_than)
    removed = ", ".join(
        f"{counted(number_of, 'time')} {name}" for name, number_of in found.removed_of_any_class.items()
    )
    note(f"left the store since it began, of any class: {removed or 'nothing'}")
    checked = Report(found.checked, found.findings)
    return conclude(door, checked, checked_document(checked), checked=f"{memory_class} memory")
