"""Keeping a store in order: ``mars maintenance``.

Guarantees: each step can be run again: what an interruption leaves is whole, and the next run goes on from there.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, TypedDict, cast

import click

from marskg.cli.commands.erase_scrub import scrub
from marskg.cli.door import Door, pass_door, shared_options
from marskg.cli.operation_commands import NamespaceGroup
from marskg.cli.output import answer, counted, line, note, number, progress
from marskg.cli.values import text_argument
from marskg.errors import MarsError

if TYPE_CHECKING:
    from collections.abc import Iterator


class Reembedded(TypedDict):
    """What ``mars maintenance reembed`` answers: the model, how many vectors it made, whether it is another one."""

    embedding: str
    vectors: int
    changed: bool


class Rescored(TypedDict):
    """What ``mars maintenance rescore`` answers: how many memories changed."""

    changed: int


class ReweighedDocument(TypedDict):
    """What ``mars maintenance reweigh`` answers; see :class:`marskg.store.upkeep.reweigh.Reweighed`."""

    dry_run: bool
    memories: int
    changed: int
    tokens: int
    weight_before: int
    weight_after: int
    budget: int
    evicted: int | None


class Expired(TypedDict):
    """What ``mars maintenance expire`` answers: how many went, and whether expiry had stopped as the clock jumped."""

    expired: int
    expiry_suspended: bool


class EndedSession(TypedDict):
    """What ``mars maintenance end-session`` answers: how many memories went with it."""

    session: str
    expired: int


class ConfirmedClock(TypedDict):
    """What ``mars maintenance confirm-clock`` answers: whether there was something to confirm."""

    confirmed: bool


MODELS = "static, e5, minilm, sentence-transformers:NAME or openai:MODEL@URL"


@click.group(cls=NamespaceGroup, no_args_is_help=False)
@shared_options
def maintenance() -> None:
    """What is removed, measured or rewritten anew."""


maintenance.add_command(scrub)


@maintenance.command()
@click.option("--model", metavar="SPEC", help=f"{MODELS}.  [default: the tenant's own]")
@shared_options
@pass_door
def reembed(door: Door, model: str | None) -> Reembedded:
    """Make the vectors of all memories with another model, or those that are missing.

    The tenant keeps working meanwhile: what has no vector yet is found by its words. After an interruption the same
    command goes on where it stopped.
    """
    with door.memory(operation="maintenance.reembed") as memory:
        before = memory.stats()
        same = model in {None, before["embedding"]}
        total = before["without_vector"] if same else before["live"] + before["latent"]
        with _keeping_count() as made, progress("making vectors", total) as show_progress:

            def advance(done: int) -> None:
                made[0] = done
                show_progress(done)

            done = memory.maintenance.reembed(model, progress=advance)
        chosen = memory.settings.current.embedding.model
    data = Reembedded(embedding=chosen, vectors=done, changed=chosen != before["embedding"])
    return answer(door, data, lambda: line(f"{counted(done, 'vector')} made by {chosen}"))


@contextmanager
def _keeping_count() -> Iterator[list[int]]:
    """Say on an interruption or a failure how much is done; the body counts in the list it gets."""
    made = [0]
    try:
        yield made
    except KeyboardInterrupt as error:
        raise KeyboardInterrupt(_kept(made[0])) from error
    except MarsError:
        if made[0]:
            note(_kept(made[0]))
        raise


def _kept(made: int) -> str:
    return f"{counted(made, 'vector')} made; go on with the same command"


@maintenance.command()
@shared_options
@pass_door
def rescore(door: Door) -> Rescored:
    """Measure anew how sensitive all memories are, each change with its record.

    After a change of what a user prefers, or after loading what was measured elsewhere or not at all. No memory ends
    below what its caller gave, or below what it derives from.
    """
    with door.memory(operation="maintenance.rescore") as memory:
        stats = memory.stats()
        with progress("measuring", stats["live"] + stats["latent"] + stats["tombstones"]) as advance:
            changed = memory.maintenance.rescore(progress=advance)
    return answer(door, Rescored(changed=changed), lambda: line(f"{counted(changed, 'memory')} changed"))


@maintenance.command()
@click.option("--dry-run", is_flag=True, help="Change nothing; say how many memories and tokens would change.")
@shared_options
@pass_door
def reweigh(door: Door, *, dry_run: bool) -> ReweighedDocument:
    """Weigh again what a version before weighed by another rule, each change with its record.

    Opening does it by itself. What is above the budget then goes by the tenant's policy; where what is protected would
    not fit, nothing is changed.
    """
    with door.memory(operation="maintenance.reweigh", reweigh=False) as memory:
        stats = memory.stats()
        with progress("weighing", stats["live"] + stats["latent"] + stats["tombstones"]) as advance:
            done = memory.maintenance.reweigh(dry_run=dry_run, progress=advance)
    data = cast("ReweighedDocument", {"dry_run": dry_run, **asdict(done)})
    return answer(door, data, lambda: line(str(done)))


@maintenance.command()
@shared_options
@pass_door
def expire(door: Door) -> Expired:
    """Remove now what has expired; it has been invisible since."""
    with door.memory(operation="maintenance.expire") as memory:
        suspended = memory.stats()["expiry_suspended"]
        done = memory.maintenance.expire()

    def show() -> None:
        line(f"{number(done)} expired")

    return answer(door, Expired(expired=done, expiry_suspended=suspended), show)


@maintenance.command("end-session")
@text_argument("name")
@shared_options
@pass_door
def end_session(door: Door, name: str) -> EndedSession:
    """Say that the session NAME is over: what was bound to it goes, and what is ephemeral in it where that has a life.

    What depends on it goes with it.

    A NAME that begins with a dash comes last, after --.
    """
    with door.memory() as memory:
        done = memory.maintenance.end_session(name)
    return answer(
        door, EndedSession(session=name, expired=done), lambda: line(f"{number(done)} ended with the session")
    )


@maintenance.command("confirm-clock")
@shared_options
@pass_door
def confirm_clock(door: Door) -> ConfirmedClock:
    """Say that the clock is right after a jump: expiry goes on, and the store's time is the clock's."""
    with door.memory(operation="maintenance.confirm_clock") as memory:
        was = memory.stats()["expiry_suspended"]
        memory.maintenance.confirm_clock()
    return answer(
        door,
        ConfirmedClock(confirmed=was),
        lambda: line("confirmed" if was else "nothing to confirm: expiry is running"),
    )
