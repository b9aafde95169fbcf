"""Tasks: ``mars tasks``.

Guarantees: each command is one signed change, or none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from marskg.cli.commands.remember import show_stored, words
from marskg.cli.door import Door, pass_door, shared_options
from marskg.cli.operation_commands import NamespaceGroup
from marskg.cli.values import MEMORY_ID, MOMENT
from marskg.ontology.vocabulary import TaskStatus

if TYPE_CHECKING:
    from marskg.records import Memory


@click.group(cls=NamespaceGroup, no_args_is_help=False)
@shared_options
def tasks() -> None:
    """The state of tasks."""


@tasks.command()
@click.argument("id", type=MEMORY_ID)
@click.option("--status", type=words(TaskStatus))
@click.option("--priority", type=int)
@click.option("--deadline", type=MOMENT, metavar="TIME", help="ISO 8601.")
@shared_options
@pass_door
def amend(
    door: Door,
    id: str,  # noqa: A002 - the name that users see
    status: str | None,
    priority: int | None,
    deadline: int | None,
) -> Memory:
    """Change the status, priority or deadline of a task.

    While a task is open, in_progress or blocked, it and all that it requires are protected from every policy.
    """
    if status is None and priority is None and deadline is None:
        msg = "nothing to change; give --status, --priority or --deadline"
        raise click.UsageError(msg)
    with door.memory() as memory:
        return show_stored(door, memory, memory.tasks.amend(id, status=status, priority=priority, deadline=deadline))
