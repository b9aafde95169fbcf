"""Who somebody is: ``mars profile``.

Guarantees: the text weighs no more than the token budget; what was shown is in the access log before it is printed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, cast

import click

from marskg.cli.commands.retrieve import BUDGET, filters, prepare
from marskg.cli.door import Door, pass_door, shared_options
from marskg.cli.output import answer, counted, day, line, note, number, one_line, show_table, table
from marskg.cli.values import FREE_TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.retrieval.complete.subject_profile import SubjectProfile


class EntryDocument(TypedDict):
    """One thing that holds of somebody; ``since`` is epoch milliseconds, ``sources`` are ids of what says it."""

    id: str
    text: str
    key: str | None
    since: int
    sources: Sequence[str]
    tokens: int
    shortened: bool


class SectionDocument(TypedDict):
    """A part of somebody's life."""

    name: str
    title: str
    entries: Sequence[EntryDocument]


class ProfileDocument(TypedDict):
    """What ``mars profile`` answers; ``id`` is what ``mars feedback`` takes."""

    id: str | None
    subject: str | None
    text: str
    tokens: int
    budget: int
    sections: Sequence[SectionDocument]
    cut: Sequence[str]
    notices: Sequence[str]


@click.command()
@click.argument("subject", type=FREE_TEXT, required=False)
@BUDGET
@click.option("--prompt", is_flag=True, help="Print the text for a model's prompt instead of a table.")
@filters
@shared_options
@pass_door
def profile(door: Door, /, subject: str | None, *, prompt: bool, **asked: Any) -> ProfileDocument:  # noqa: ANN401 - as profile takes them
    """Show who SUBJECT is, or who speaks: what holds of them now, by sections.

    A SUBJECT that begins with a dash comes last, after --.
    """
    with door.memory() as memory:
        prepare(memory)
        found = memory.profile(subject, **asked)
    data: ProfileDocument = cast("ProfileDocument", found.as_dict())
    return answer(door, data, lambda: line(found.as_text()) if prompt else _show(found))


def _show(found: SubjectProfile) -> None:
    made = table("section", "since", "key", "content", "id", whole=("since", "id"))
    for section in found:
        for place, entry in enumerate(section.entries):
            title = "" if place else section.title
            made.add_row(title, day(entry.since), entry.key or "", one_line(entry.text), entry.id)
    show_table(made)
    cut = f"; {number(len(found.cut))} had no room" if found.cut else ""
    note(f"{counted(found.tokens, 'token')} of {number(found.budget)}{cut}")
    for notice in found.notices:
        note(f"note: {notice}")
