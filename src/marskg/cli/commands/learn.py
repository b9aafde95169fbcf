"""Learning facts from text: ``mars learn``.

Guarantees: what is printed was committed, or, with ``--dry-run``, changes nothing; a file is checked as a whole before
anything of it is stored.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import click

from marskg.cli.door import Door, pass_door, shared_options
from marskg.cli.output import answer, counted, kept_progress, line, line_by_line, note, number
from marskg.cli.values import FilePath, text_or_stdin
from marskg.errors import InvalidDocument

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from marskg.learning.from_text.plan import Learned, LearnPlan, LearnStep
    from marskg.learning.from_text.undo import Undone
    from marskg.memory import AgentMemory


class PlannedLearning(TypedDict):
    """What ``mars learn --dry-run`` answers."""

    call: str
    digest: str
    new_turns: int
    not_kept: int
    steps: Sequence[LearnStep]
    applied: bool


class LearnedDocument(TypedDict):
    """What ``mars learn`` answers; ``counts`` has how many steps came to each outcome."""

    call: str
    turns: Sequence[str]
    steps: Sequence[LearnStep]
    known: int
    unread: int
    not_kept: int
    notices: Sequence[str]
    counts: Mapping[str, int]
    applied: bool


@click.command()
@click.argument("file", required=False, type=FilePath(exists=True, dir_okay=False, allow_dash=True, path_type=str))
@click.option("--subject", "subjects", multiple=True, metavar="NAME", help="Whom turns without subjects are about.")
@click.option(
    "--role", type=click.Choice(["user", "assistant", "tool", "doc"]),
    help="Of a text that is no .jsonl.  [default: user from standard input, doc from a file]",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Show what would be done and change nothing.")
@click.option("--backlog", is_flag=True, help="Read the turns that are stored and were not read yet.")
@click.option("--undo", "call", metavar="CALL", help="Take back all that a call, a rule or a model made.")
@shared_options
@pass_door
def learn(
    door: Door, file: str | None, subjects: tuple[str, ...], role: str | None, call: str | None, *, dry_run: bool,
    backlog: bool,
) -> LearnedDocument | PlannedLearning | Undone:  # fmt: skip
    """Store the turns of FILE, a conversation of JSON Lines or a text (- for standard input), and the facts they say.

    Each fact derives from its turn and can be taken back: --undo with the call that is printed. What is not sure, or is
    against something pinned, waits in: mars learning review.
    """
    if (file is not None) + backlog + (call is not None) != 1:
        msg = "give a FILE (- for standard input), --backlog, or --undo CALL: one of them"
        raise click.UsageError(msg)
    if call is not None:
        with door.memory() as memory:
            undone = memory.learning.undo(call)
        return answer(
            door, undone, lambda: line(
                f"{number(len(undone.ended))} ended, {number(len(undone.restored))} hold again, "
                f"{number(len(undone.kept))} stay, as others read them too"
            ),
        )  # fmt: skip
    if backlog:
        with door.memory() as memory:
            total = memory.stats().get("unread", 0)
            with kept_progress("reading", total, partial(_kept, total=total)) as advance:
                found = memory.learning.read_backlog(progress=advance)
        return show_learned(door, found)
    turns = _turns(str(file), subjects, role)
    with door.memory(create=True) as memory:
        return show_learned(door, learned_from(memory, turns, dry_run=dry_run))


def learned_from(memory: AgentMemory, turns: Iterable[Any], *, dry_run: bool = False) -> Learned | LearnPlan:
    """Learn from ``turns`` with progress on standard error."""
    listed = list(turns)
    with kept_progress("learning", len(listed), partial(_kept, total=len(listed))) as advance:
        return memory.learn(listed, dry_run=dry_run, progress=advance)


def _kept(done: int, *, total: int) -> str:
    if done == 0:
        return f"nothing of the {counted(total, 'turn')} was read"
    return f"{number(done)} of {counted(total, 'turn')} are done, with what they say; go on with the same command"


def show_learned(door: Door, found: Learned | LearnPlan) -> LearnedDocument | PlannedLearning:
    """Answer with what was learned, or would be."""
    from marskg.learning.from_text.plan import LearnPlan

    if isinstance(found, LearnPlan):
        planned: PlannedLearning = {
            "call": found.call,
            "digest": found.digest,
            "new_turns": found.new_turns,
            "not_kept": found.not_kept,
            "steps": found.steps,
            "applied": False,
        }
        return answer(door, planned, lambda: line_by_line(str(found)))
    data: LearnedDocument = {
        "call": found.call,
        "turns": found.turns,
        "steps": found.steps,
        "known": found.known,
        "unread": found.unread,
        "not_kept": found.not_kept,
        "notices": found.notices,
        "counts": found.counts(),
        "applied": True,
    }

    def show() -> None:
        line_by_line(str(found))
        for notice in found.notices:
            note(f"note: {notice}")
        note(f"{counted(len(found.facts), 'fact')}; to take them back: mars learn --undo {found.call}")

    return answer(door, data, show)


def _turns(file: str, subjects: tuple[str, ...], role: str | None) -> Iterable[Any]:
    """Return the turns of a file: those of a conversation, or the passages of a text."""
    if file != "-" and Path(file).suffix.lower() in {".jsonl", ".ndjson"}:
        from marskg.sources.chat import read_chat

        return read_chat(file, subjects=subjects)
    try:
        text = text_or_stdin("-") if file == "-" else Path(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{file} cannot be read as UTF-8 text; name a .jsonl file of turns, or a text file"
        raise InvalidDocument(msg) from error
    passages = [text] if file == "-" else [part for part in text.split("\n\n") if part.strip()]
    common = {"role": role or ("user" if file == "-" else "doc"), "subjects": list(subjects)}
    return [{**common, "content": passage} for passage in passages]
