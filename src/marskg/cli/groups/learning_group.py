"""Learning from use: ``mars learning``.

Guarantees: nothing is resolved, forgotten or kept unless the command says so; what was changed is printed with the
reason that its record has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict

import click

from marskg.cli.commands.forget import PlanDocument, plan_document
from marskg.cli.commands.remember import show_stored
from marskg.cli.door import Door, pass_door, shared_options
from marskg.cli.operation_commands import NamespaceGroup, stated
from marskg.cli.output import answer, counted, day, line, note, number, show_table, table
from marskg.cli.values import MEMORY_ID, text_argument, text_or_stdin
from marskg.learning.learner import POLICIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.learning.conflicts import FoundConflict
    from marskg.learning.learner import Decision, ReviewList
    from marskg.learning.wishes import StoredWish
    from marskg.records import Memory


class Conflicts(TypedDict):
    """What ``mars learning conflicts`` answers."""

    conflicts: Sequence[FoundConflict]


class WishDocument(TypedDict):
    """A wish, and the ids of the memories that it is about."""

    id: str
    kind: str
    topic: str
    about: Sequence[str]


class Wishes(TypedDict):
    """What ``mars learning wish`` answers."""

    wishes: Sequence[WishDocument]


_MICRO = 1_000_000
_SHOWN_ABOUT = 10


@click.group(cls=NamespaceGroup, no_args_is_help=False)
@shared_options
def learning() -> None:
    """Conflicts, wishes and what a person reviews."""


@learning.command()
@click.option(
    "--since",
    type=click.IntRange(0),
    **stated("learning.conflicts", "since"),
    metavar="SEQ",
    help="Of what was stored after this record.",
)
@click.option("--resolve", type=click.Choice(POLICIES), help="What to do about them.  [default: nothing]")
@shared_options
@pass_door
def conflicts(door: Door, since: int, resolve: str | None) -> Conflicts:
    """List memories that conflict, and resolve them if asked to: both are kept, and each step is recorded."""
    with door.memory() as memory:
        found = memory.learning.conflicts(since=since, resolve=resolve)
    return answer(door, Conflicts(conflicts=found), lambda: _show_conflicts(found))


def _show_conflicts(found: tuple[FoundConflict, ...]) -> None:
    made = table("preferred", "other", "kind", "sure", "done", "why", right=("sure",), whole=("preferred", "other"))
    for item in found:
        sure = f"{item.confidence / _MICRO:.2f}"
        made.add_row(item.winner, item.loser, item.kind, sure, item.action, item.reason)
    show_table(made)
    note(counted(len(found), "conflict"))


@learning.group(invoke_without_command=True)
@shared_options
@pass_door
@click.pass_context
def review(context: click.Context, door: Door) -> ReviewList | None:
    """List what waits for a person: conflicts, what was read, what nearly faded, what is in quarantine; what faded."""
    if context.invoked_subcommand is not None:
        return None
    with door.memory() as memory:
        found = memory.learning.review()
    return answer(door, found, lambda: _show_review(found))


#: What a model says of two memories, in words.
_SAYS: Final = {"contradict": "they contradict", "same": "they say the same", "beside": "both can hold"}


def _show_review(found: ReviewList) -> None:
    made = table("memory", "proposal", "why", whole=("memory",))
    said = {frozenset((one.one, one.other)): f"; a model says: {_SAYS[one.verdict]}" for one in found.opinions}
    for pair in found.conflicts:
        opinion = said.get(frozenset((pair.preferred, pair.other)), "")
        made.add_row(pair.other, "supersede", f"conflicts with the newer {pair.preferred}{opinion}")
    for proposal, listed in (("forget, if you agree", found.fading), ("forget", found.faded)):
        for one in listed:
            made.add_row(one.id, proposal, one.reason)
    for held in found.quarantined:
        made.add_row(held.id, f"remove; goes on {day(held.until)}", held.reason)
    for read in found.proposed:
        opinion = "".join(said.get(frozenset((read.id, other)), "") for other in read.about)
        made.add_row(read.id, f"{read.operation}; goes on {day(read.until)}", f"{read.reason}{opinion}")
    show_table(made)
    for notice in found.notices:
        note(notice)
    waiting = len(found.conflicts) + len(found.fading) + len(found.quarantined) + len(found.proposed)
    note(
        f"{number(waiting)} wait for a decision: mars learning review accept|reject ID; "
        f"{number(len(found.faded))} have faded"
    )


@review.command()
@click.argument("id", type=MEMORY_ID)
@shared_options
@pass_door
def accept(door: Door, id: str) -> Decision:  # noqa: A002 - the name that users see
    """Do what is proposed: the newer one of a conflict holds, what has faded or is in quarantine goes."""
    with door.memory() as memory:
        found = memory.learning.accept(id)
    return _show_decision(door, found)


@review.command()
@click.argument("id", type=MEMORY_ID)
@shared_options
@pass_door
def reject(door: Door, id: str) -> Decision:  # noqa: A002 - the name that users see
    """Refuse what is proposed: it is no conflict, or the memory is kept, with a higher score, and live again."""
    with door.memory() as memory:
        found = memory.learning.reject(id)
    return _show_decision(door, found)


def _show_decision(door: Door, found: Decision) -> Decision:
    return answer(door, found, lambda: line(f"{found.id}: {found.done}"))


@review.command()
@click.option("--dry-run", is_flag=True, help="Show the plan and change nothing.")
@shared_options
@pass_door
def prune(door: Door, *, dry_run: bool) -> PlanDocument:
    """Forget what has faded: a low score for its age, and nothing that protects it."""
    with door.memory() as memory:
        plan = memory.learning.plan_pruning()
        if not dry_run:
            memory.forget(plan)

    def show() -> None:
        for action in plan.actions:
            line(f"{action.id}: {action.reason}")
        would = "would go" if dry_run else "went"
        note(f"{counted(len(plan.actions), 'memory')} {would}, {counted(plan.freed_tokens, 'token')}")

    return answer(door, plan_document(plan, applied=not dry_run), show)


@learning.command()
@text_argument("text")
@click.option("--subject", metavar="NAME", help="Whose wish it is; it acts on memories about them alone.")
@click.option("--dry-run", is_flag=True, help="Show what it would be about and store nothing.")
@shared_options
@pass_door
def wish(door: Door, text: str, subject: str | None, *, dry_run: bool) -> Wishes:
    """Keep a wish about remembering, such as "remember more about tomatoes" or "forget about Dr. Berg".

    It acts on ranks and on how new memories start. To forget hides: nothing is deleted.

    A TEXT that begins with a dash comes last, after --.
    """
    said = text_or_stdin(text)
    with door.memory() as memory:
        stored = memory.learning.wish(said, subject=subject, dry_run=dry_run)
    data = Wishes(wishes=[_plain_wish(one) for one in stored])
    return answer(door, data, lambda: _show_wishes(stored, dry_run=dry_run))


def _plain_wish(one: StoredWish) -> WishDocument:
    return {"id": one.memory.id, "kind": one.kind.value, "topic": one.topic, "about": list(one.about)}


def _show_wishes(stored: tuple[StoredWish, ...], *, dry_run: bool) -> None:
    for one in stored:
        line("dry run: nothing was stored" if dry_run else one.memory.id)
        note(f"{one.kind}: acts on {counted(len(one.about), 'memory')}")
        for ident in one.about[:_SHOWN_ABOUT]:
            note(f"  {ident}")
        if one.kind == "forget" and one.about:
            note("what it names is hidden, nothing is erased; to erase a memory is a command of its own")


@learning.command()
@click.argument("id", type=MEMORY_ID)
@shared_options
@pass_door
def affirm(door: Door, id: str) -> Memory:  # noqa: A002 - the name that users see
    """Confirm a memory although what it depends on was superseded."""
    with door.memory() as memory:
        return show_stored(door, memory, memory.learning.affirm(id))
