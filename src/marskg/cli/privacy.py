"""``mars privacy budget``: what differential privacy has cost a tenant, and what is left of its budget.

Guarantees: changes nothing; is the operator's, and refused to anybody else; conversations are shown by their keyed
digests alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from marskg.cli.door import Door, pass_door, shared_options
from marskg.cli.output import answer, counted, line, note, number, show_table, table
from marskg.policies.private import NAME

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHOWN: int = 20


@click.group(no_args_is_help=False)
@shared_options
def privacy() -> None:
    """Differential privacy of what is forgotten."""


@privacy.command()
@shared_options
@pass_door
def budget(door: Door) -> None:
    """Show the epsilon that the policy private has spent, of the tenant and of each conversation, and what is left."""
    with door.memory() as memory:
        found = memory.privacy_budget()
    answer(door, found, lambda: _show(found))


def _show(found: Mapping[str, Any]) -> None:
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
