"""Storing and correcting memories one at a time: ``mars remember``, ``update``, ``retract``, ``link`` and ``unlink``.

Guarantees: what is printed was committed; the id of what was stored is all that standard output has, unless ``--json``
asks for the whole memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import click

from marskg.cli.door import Door, pass_door, shared_options
from marskg.cli.operation_commands import VerbCommand, stated
from marskg.cli.output import answer, counted, line, note, number
from marskg.cli.values import JSON_OBJECT, MEMORY_ID, MOMENT, text_argument, text_or_stdin
from marskg.ontology.vocabulary import Cardinality, EdgeType, Kind, MemoryClass, SourceType, TaskStatus
from marskg.store.unit.edge_rules import DRAWN_EDGES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from enum import StrEnum

    from marskg.memory import AgentMemory
    from marskg.records import Memory


def words(values: Iterable[StrEnum]) -> click.Choice[str]:
    """Return the type of an option that takes one of ``values``."""
    return click.Choice([value.value for value in values])


def _ids(*names: str, help: str) -> Callable[[Any], Any]:  # noqa: A002 - click's name for it
    return click.option(*names, multiple=True, type=MEMORY_ID, metavar="ID", help=f"{help}; may be repeated.")


@click.command(cls=VerbCommand)
@text_argument("text")
@click.option("--kind", type=words(Kind), **stated("remember", "kind"))
@click.option("--payload", type=JSON_OBJECT, metavar="JSON", help="The kind's typed fields, as one JSON object.")
@click.option("--session", metavar="NAME", help="Conversation that an episode belongs to.")
@click.option("--subject", "subjects", multiple=True, metavar="NAME", help="Whom it is about; may be repeated.")
@click.option("--key", metavar="SLOT", help="Slot that it is a value of, such as budget/travel.")
@click.option("--cardinality", type=words(Cardinality), help="How values of the key live together.  [default: single]")
@_ids("--derives-from", help="What it was derived from")
@_ids("--depends-on", help="Without which it makes no sense")
@_ids("--requires", help="A task's prerequisite")
@_ids("--contradicts", help="What it contradicts")
@_ids("--goal", "attaches_to_goal", help="Task that it serves")
@click.option(
    "--edge", "edges", multiple=True, type=(words(DRAWN_EDGES), MEMORY_ID), metavar="TYPE ID",
    help="Any other edge, such as: --edge partOf ID; may be repeated.",
)  # fmt: skip
@click.option("--mention", "mentions", multiple=True, metavar="NAME", help="Person, place or thing; may be repeated.")
@click.option("--at", type=MOMENT, metavar="TIME", help="When it was said or became true, ISO 8601.  [default: now]")
@click.option("--valid-to", type=MOMENT, metavar="TIME", help="When it stops being true, ISO 8601, if that is known.")
@click.option("--ttl", metavar="DURATION", help="How long it lives, such as 30d, 24h or 90m.")
@click.option("--expires-at", type=MOMENT, metavar="TIME", help="When its life ends, ISO 8601.")
@click.option("--sensitivity", type=float, metavar="0..1", help="How sensitive it is.")
@click.option("--class", "memory_class", type=words(MemoryClass), help="How long it is good for.")
@click.option("--intent", "intent_tags", multiple=True, metavar="TAG", help="What it is for; may be repeated.")
@click.option("--metadata", type=JSON_OBJECT, metavar="JSON", help="Free JSON of your own, one object of up to 16 KiB.")
@click.option(
    "--source-type", type=words(SourceType),
    help="Who says it.  [default: chat_user, or what an agent may claim]",
)  # fmt: skip
@click.option("--source-ref", metavar="TEXT", help="Where in the source it stands.")
@click.option("--reliability", type=float, metavar="0..1", help="Of the source.  [default: of its type]")
@click.option("--purpose", multiple=True, metavar="TEXT", help="What alone it may be used for; may be repeated.")
@click.option("--jurisdiction", metavar="NAME", help="Whose law it is under.")
@click.option("--use-bound", is_flag=True, help="It goes once it was used.")
@click.option("--session-bound", is_flag=True, help="It goes when its session ends.")
@click.option("--status", type=words(TaskStatus), help="Of a task.")
@click.option("--priority", type=int, help="Of a task.")
@click.option("--deadline", type=MOMENT, metavar="TIME", help="Of a task, ISO 8601.")
@click.option("--pin", is_flag=True, help="Keep it, and what it depends on, whatever the policy says.")
@click.option("--keep", is_flag=True, help="Store it although its words ask that it is not kept.")
@click.option("--id", "id", type=MEMORY_ID, help="A urn:uuid: of your own.")
@shared_options
@pass_door
def remember(door: Door, /, text: str, **fields: Any) -> Memory:  # noqa: ANN401 - as remember takes them
    """Store TEXT as one memory (- reads it from standard input) and print its id.

    Makes room by the tenant's policy where the budget asks for it. A store that does not exist yet is created with the
    default settings.

    A TEXT that begins with a dash comes last, after --.
    """
    from marskg.server.tool_answers import kept

    content = text_or_stdin(text)
    with door.memory(create=True) as memory:
        return show_stored(door, memory, kept(memory.remember(content, **_given(fields))))


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def show_stored(door: Door, memory: AgentMemory, stored: Memory) -> Memory:
    """Answer with a memory that was stored, and say what the store has to say about it."""

    def show() -> None:
        line(stored.id)
        used, budget = memory.weight, memory.settings.current.budget
        note(f"{stored.kind}, {counted(stored.weight, 'token')}; {number(used)} of {number(budget)} tokens are in use")
        for notice in stored.notices:
            note(f"note: {notice}")

    return answer(door, stored, show)


@click.command(cls=VerbCommand)
@click.argument("id", type=MEMORY_ID)
@text_argument("text")
@click.option("--metadata", type=JSON_OBJECT, metavar="JSON", help="In place of what it had; {} for none.")
@shared_options
@pass_door
def update(door: Door, /, id: str, text: str, **changes: Any) -> Memory:  # noqa: A002, ANN401 - as update takes them
    """Give a memory the new TEXT (- reads it from standard input).

    A new memory supersedes the old one, which keeps its place in the history. Prints the id of the new one.

    A TEXT that begins with a dash comes last, after --.
    """
    content = text_or_stdin(text)
    with door.memory() as memory:
        return show_stored(door, memory, memory.update(id, content, **_given(changes)))


class Retracted(TypedDict):
    """What ``mars retract`` answers."""

    closed: Sequence[Memory]


@click.command()
@text_argument("key")
@click.option("--subject", "subjects", multiple=True, metavar="NAME", help="Whom it is about; may be repeated.")
@click.option("--content", metavar="TEXT", help="Which value of a key with a set of them.")
@shared_options
@pass_door
def retract(door: Door, key: str, subjects: tuple[str, ...], content: str | None) -> Retracted:
    """End the current value of KEY; it stays in the history.

    A KEY that begins with a dash comes last, after --.
    """
    with door.memory() as memory:
        closed = memory.retract(key, subjects=subjects, content=content)

        def show() -> None:
            for item in closed:
                line(item.id)
            note(f"{len(closed)} closed" if closed else "there was no current value to close")

        return answer(door, Retracted(closed=closed), show)


@click.command()
@click.argument("source", type=MEMORY_ID)
@click.argument("type", type=words(DRAWN_EDGES))
@click.argument("target", type=MEMORY_ID)
@click.option("--weight", type=float, help="Strength of the edge.")
@shared_options
@pass_door
def link(door: Door, source: str, type: str, target: str, weight: float | None) -> Memory:  # noqa: A002 - as users see it
    """Draw an edge of TYPE from the memory SOURCE to the memory TARGET."""
    with door.memory() as memory:
        return show_stored(door, memory, memory.link(source, type, target, weight=weight))


@click.command()
@click.argument("source", type=MEMORY_ID)
@click.argument("type", type=words((*DRAWN_EDGES, EdgeType.COMPATIBLE_WITH)))
@click.argument("target", type=MEMORY_ID)
@shared_options
@pass_door
def unlink(door: Door, source: str, type: str, target: str) -> Memory:  # noqa: A002 - the name that users see
    """Remove the edge of TYPE from SOURCE to TARGET.

    compatibleWith takes back that a person found no conflict between the two.
    """
    with door.memory() as memory:
        return show_stored(door, memory, memory.unlink(source, type, target))
