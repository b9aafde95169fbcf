"""Looking at what is stored: ``mars get``, ``history`` and ``stats``.

Guarantees: nothing is changed, not even the access statistics: this is the operator's view.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, cast

import click

from marskg.answer import plain
from marskg.cli.door import Door, pass_door, shared_options
from marskg.cli.output import (
    answer,
    counted,
    day,
    line,
    memory_fields,
    number,
    one_line,
    show_fields,
    show_table,
    table,
)
from marskg.cli.values import MEMORY_ID
from marskg.errors import UnknownMemory
from marskg.records import Memory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from marskg.retrieval.explain import EdgeOut
    from marskg.store.upkeep.maintenance import Stats


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownMemory(Memory):
    """What ``mars get`` answers: a memory with its edges."""

    edges: tuple[EdgeOut, ...]


class History(TypedDict):
    """What ``mars history`` answers, the oldest version first."""

    versions: Sequence[Memory]


_RIGHT = ("live", "tokens", "latent", "tombstones")


@click.command()
@click.argument("id", type=MEMORY_ID)
@shared_options
@pass_door
def get(door: Door, id: str) -> ShownMemory:  # noqa: A002 - the name that users see
    """Show a memory with its edges."""
    with door.memory() as memory:
        found = memory.get(id)
        if found is None:
            msg = f"tenant {door.tenant!r} has no memory {id[:60]} with content; see: mars history ID, mars audit list"
            raise UnknownMemory(msg)
        edges = memory.edges(id)

        def show() -> None:
            drawn = "\n".join(f"{edge.type} {edge.target}" for edge in edges)
            show_fields({**memory_fields(found), "edges": drawn})

        data = {**plain(found), "edges": [{"type": edge.type, "target": edge.target} for edge in edges]}
        return answer(door, cast("ShownMemory", data), show)


@click.command()
@click.argument("id", type=MEMORY_ID)
@shared_options
@pass_door
def history(door: Door, id: str) -> History:  # noqa: A002 - the name that users see
    """Show all versions of a memory, the oldest first."""
    with door.memory() as memory:
        versions = memory.history(id)
        if not versions:
            msg = f"tenant {door.tenant!r} has no memory {id[:60]}; see: mars audit list"
            raise UnknownMemory(msg)

        def show() -> None:
            made = table("said", "until", "tier", "content", "id", whole=("said", "until", "id"))
            for item in versions:
                until = day(item.valid_to) if item.valid_to is not None else "now" if item.current else "—"
                made.add_row(day(item.valid_from), until, item.tier.value, one_line(item.content), item.id)
            show_table(made)

        return answer(door, History(versions=versions), show)


@click.command()
@shared_options
@pass_door
def stats(door: Door) -> Stats:
    """Show counts and weights by kind and tier, the budget, and where the audit stands."""
    with door.memory() as memory:
        figures = memory.stats()
    return answer(door, figures, lambda: show_stats(figures))


def show_stats(figures: Mapping[str, Any]) -> None:
    """Print the figures of a tenant."""
    line(f"tenant {figures['tenant']!r}, {figures['engine']}, policy {figures['policy']}")
    if "audit_seq" in figures:
        _show_whole(figures)
    else:
        line(
            f"{number(figures['weight'])} tokens in what you may see; the budget of all is {number(figures['budget'])}"
        )
    columns = [name for name in ("live", "weight", "latent", "tombstones") if name in figures]
    made = table("kind", *("tokens" if name == "weight" else name for name in columns), right=_RIGHT)
    for kind, row in figures["by_kind"].items():
        made.add_row(kind, *(number(row[name]) for name in columns))
    made.add_section()
    made.add_row("all", *(number(figures[name]) for name in columns))
    show_table(made)


def _show_whole(figures: Mapping[str, Any]) -> None:
    """Print what only who sees all is told."""
    share = figures["weight"] / figures["budget"]
    line(
        f"{number(figures['weight'])} of {number(figures['budget'])} tokens in use ({share:.0%}), "
        f"{number(figures['protected_weight'])} of them protected; audit sequence {number(figures['audit_seq'])}"
    )
    lacking = figures["without_vector"]
    line(f"vectors by {figures['embedding']}" + (f"; {counted(lacking, 'memory')} without one" if lacking else ""))
    for kind, row in figures.get("partitions", {}).items():
        line(
            f"{kind}: {number(row['weight'])} of a share of {number(row['share'])} tokens, at least "
            f"{number(row['reserve'])}; the next to go is worth {row['price'] / 1e6:.4f} a token"
        )
