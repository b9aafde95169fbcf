"""Reading other people's data: ``mars import chat`` and ``mars import memora``.

Guarantees: the whole input is checked before anything is stored; whatever stops an import later, its message says how
much is kept; with ``--atomic`` that is everything or nothing.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, NotRequired, TypedDict, cast

import click

from marskg.cli.commands.learn import learned_from, show_learned
from marskg.cli.door import Door, existing_file, pass_door, shared_options
from marskg.cli.output import answer, counted, kept_progress, line, live, note, number

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from marskg.cli.commands.learn import LearnedDocument, PlannedLearning
    from marskg.memory import AgentMemory
    from marskg.sources.chat import BadLine, ChatFile
    from marskg.sources.memora import Persona


class Imported(TypedDict):
    """What ``mars import`` answers; whoever sees a part of the store is told of no number of the log.

    ``known`` were there already, ``not_kept`` ask not to be kept, ``pointless`` rest on what was forgotten meanwhile,
    ``skipped`` are bad lines.
    """

    imported: int
    known: int
    not_kept: int
    pointless: int
    skipped: Sequence[BadLine]
    notices: Sequence[str]
    live: NotRequired[int]
    latent: NotRequired[int]
    tombstones: NotRequired[int]
    weight: NotRequired[int]
    budget: NotRequired[int]
    audit_seq: NotRequired[int]
    transitions: NotRequired[int]


_SHOWN_LINES = 20
atomic_option = click.option("--atomic", is_flag=True, help="All in one transaction, or nothing.")


@click.group("import", no_args_is_help=False)
@shared_options
def import_() -> None:
    """Store conversations from files."""


@import_.command()
@click.argument("file", type=existing_file())
@click.option("--subject", "subjects", multiple=True, metavar="NAME", help="Whom lines without subjects are about.")
@click.option("--skip-bad", is_flag=True, help="Leave bad lines out instead of refusing the file.")
@click.option("--learn", is_flag=True, help="Store the facts that the turns say as well; see mars learn.")
@atomic_option
@shared_options
@pass_door
def chat(
    door: Door, file: Path, subjects: tuple[str, ...], *, skip_bad: bool, learn: bool, atomic: bool
) -> Imported | LearnedDocument | PlannedLearning:
    """Store a conversation of JSON Lines, {"role", "content", "timestamp"} a line.

    The whole file is checked first: a bad line is named by its number, and nothing is stored, unless --skip-bad is
    given. What the store itself refuses later keeps the batches before it, unless --atomic is given.
    """
    from marskg.sources.chat import read_chat

    if learn and atomic:
        msg = "--learn stores some turns at a time, and goes on where it was; leave --atomic out"
        raise click.UsageError(msg)
    found = read_chat(file, subjects=subjects, skip_bad=skip_bad)
    for bad in found.bad_lines[:_SHOWN_LINES]:
        note(f"skipped line {bad.line}: {bad.rule}")
    if len(found.bad_lines) > _SHOWN_LINES:
        note(f"skipped {len(found.bad_lines) - _SHOWN_LINES} more; --json lists them all")
    if learn:
        with door.memory(create=True) as memory:
            return show_learned(door, learned_from(memory, found))
    with door.memory(create=True, operation="remember_many") as memory:
        return _store(door, memory, found, atomic=atomic, bad_lines=found.bad_lines)


@import_.command()
@click.argument("directory", type=existing_file(folder=True), metavar="DIR")
@click.option(
    "--track", type=click.Choice(["facts", "shared", "all"]), default="facts", show_default=True,
    help="The facts with the turns that carry them, these turns alone, or every turn.",
)  # fmt: skip
@atomic_option
@shared_options
@pass_door
def memora(door: Door, directory: Path, track: Any, *, atomic: bool) -> Imported:  # noqa: ANN401 - the reader's literal
    """Store a persona of the Memora benchmark from its folder, such as weekly/academic_researcher."""
    from marskg.sources.memora import read_persona

    persona = read_persona(directory, track)
    with door.memory(create=True, operation="remember_many") as memory:
        return _store(door, memory, persona, atomic=atomic, bad_lines=())


#: What is told of the tenant after an import, as far as whoever imports may know it.
_FIGURES: Final = ("live", "latent", "tombstones", "weight", "budget", "audit_seq")


def _store(
    door: Door,
    memory: AgentMemory,
    source: ChatFile | Persona,
    *,
    atomic: bool,
    bad_lines: tuple[BadLine, ...],
) -> Imported:
    """Store what a reader yields, and answer with how much that was."""
    # Whoever sees a part of what is stored is told of no number of the log.
    before = memory.stats().get("audit_seq")
    said = partial(_kept, total=len(source), atomic=atomic)
    with kept_progress("importing", len(source), said) as advance:
        done = memory.remember_many(source, progress=advance, atomic=atomic)
    figures = memory.stats()
    pointless = len(source) - done - done.known - done.not_kept
    data: dict[str, Any] = {
        "imported": done,
        "known": done.known,
        "not_kept": done.not_kept,
        "pointless": pointless,
        "skipped": bad_lines,
        "notices": list(done.notices),
        **{name: figures[name] for name in _FIGURES if name in figures},
    }
    if before is not None:
        data["transitions"] = figures["audit_seq"] - before

    def show() -> None:
        changes = f", {counted(data['transitions'], 'signed change')}" if "transitions" in data else ""
        line(f"{counted(len(source), 'item')} read{changes}")
        if done.known:
            were = "item was" if done.known == 1 else "items were"
            line(f"{number(done.known)} {were} there already")
        if pointless:
            line(f"{number(pointless)} of them were not stored: what they depend on was forgotten meanwhile")
        line(f"{live(figures['live'])}: {number(figures['weight'])} of "
             f"{number(figures['budget'])} tokens")  # fmt: skip
        if figures.get("tombstones") or figures["latent"]:
            line(f"forgotten: {counted(figures.get('tombstones', 0), 'tombstone')}, {number(figures['latent'])} latent")

        for notice in done.notices:
            note(f"note: {notice}")

    return answer(door, cast("Imported", data), show)


def _kept(done: int, *, total: int, atomic: bool) -> str:
    if atomic or done == 0:
        return f"nothing of the {total} items was stored"
    return (
        f"the first {done} of {total} items are stored and signed, of the batch after them all or nothing: mars stats"
    )
