"""Changing what surrounds a memory: pins, task state and edges; its content never changes.

Guarantees: each command is one signed change, or none.
"""

from __future__ import annotations

import click

from marskg.cli.door import Door, pass_door, shared_options
from marskg.cli.remembering import DRAWN_EDGES, show_stored, words
from marskg.cli.values import MEMORY_ID, MOMENT
from marskg.ontology.vocabulary import EdgeType, TaskStatus


@click.command()
@click.argument("id", type=MEMORY_ID)
@shared_options
@pass_door
def pin(door: Door, id: str) -> None:  # noqa: A002 - the name that users see
    """Keep a memory, and what it depends on, whatever the policy says."""
    with door.memory() as memory:
        show_stored(door, memory, memory.pin(id))


@click.command()
@click.argument("id", type=MEMORY_ID)
@shared_options
@pass_door
def unpin(door: Door, id: str) -> None:  # noqa: A002 - the name that users see
    """Let the policy decide about a memory again."""
    with door.memory() as memory:
        show_stored(door, memory, memory.unpin(id))


@click.command()
@click.argument("id", type=MEMORY_ID)
@click.option("--status", type=words(TaskStatus))
@click.option("--priority", type=int)
@click.option("--deadline", type=MOMENT, metavar="TIME", help="ISO 8601.")
@shared_options
@pass_door
def task(
    door: Door,
    id: str,  # noqa: A002 - the name that users see
    status: str | None,
    priority: int | None,
    deadline: int | None,
) -> None:
    """Change the status, priority or deadline of a task.

    While a task is open, in_progress or blocked, it and all that it requires are protected from every policy.
    """
    if status is None and priority is None and deadline is None:
        msg = "nothing to change; give --status, --priority or --deadline"
        raise click.UsageError(msg)
    with door.memory() as memory:
        show_stored(door, memory, memory.amend_task(id, status=status, priority=priority, deadline=deadline))


@click.command()
@click.argument("source", type=MEMORY_ID)
@click.argument("type", type=click.Choice(DRAWN_EDGES))
@click.argument("target", type=MEMORY_ID)
@click.option("--weight", type=float, help="Strength of the edge.")
@shared_options
@pass_door
def link(door: Door, source: str, type: str, target: str, weight: float | None) -> None:  # noqa: A002 - as users see it
    """Draw an edge of TYPE from the memory SOURCE to the memory TARGET."""
    with door.memory() as memory:
        show_stored(door, memory, memory.link(source, type, target, weight=weight))


@click.command()
@click.argument("source", type=MEMORY_ID)
@click.argument("type", type=click.Choice((*DRAWN_EDGES, EdgeType.COMPATIBLE_WITH.value)))
@click.argument("target", type=MEMORY_ID)
@shared_options
@pass_door
def unlink(door: Door, source: str, type: str, target: str) -> None:  # noqa: A002 - the name that users see
    """Remove the edge of TYPE from SOURCE to TARGET.

    compatibleWith takes back that a person found no conflict between the two.
    """
    with door.memory() as memory:
        show_stored(door, memory, memory.unlink(source, type, target))
