"""Giving the memory away and taking it back: ``mars export``, ``load`` and ``snapshot``.

Guarantees: a file is written whole or not at all; a document is checked as a whole before anything of it is stored.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypedDict, cast

import click

from marskg.cli.door import Door, existing_file, new_file, pass_door, shared_options
from marskg.cli.output import answer, counted, line, live, progress
from marskg.exporters.rdf.writer import Counts
from marskg.privacy.principals import Role

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported(Counts):
    """What ``mars export`` answers."""

    file: str
    profile: str


class Figures(TypedDict):
    """How full a tenant is: numbers of memories by tier, tokens of the live ones and of the budget."""

    live: int
    latent: int
    tombstones: int
    weight: int
    budget: int


class Loaded(Figures):
    """What ``mars load`` answers: how many nodes came in."""

    loaded: int


FORMATS = ("jsonld", "nquads", "ntriples", "trig", "turtle")


@click.command()
@click.argument("file", type=new_file())
@click.option("--format", "format_name", type=click.Choice(FORMATS), help="Syntax.  [default: by the suffix of FILE]")
@click.option("--audit", is_flag=True, help="With the signed records and tree heads.")
@click.option(
    "--profile",
    type=click.Choice(["full", "disclosure"]),
    help="All, which loads again, or what may be seen.  [default: full; of others than the operator: disclosure]",
)
@shared_options
@pass_door
def export(door: Door, file: Path, format_name: str | None, profile: str | None, *, audit: bool) -> Exported:
    """Write all memories, entities and edges to FILE, as RDF that `mars load` reads back unchanged."""
    with door.memory() as memory, progress("exporting") as advance:
        profile = profile or ("full" if memory.principal.role is Role.OPERATOR else "disclosure")
        counts = memory.export(file, format=format_name, audit=audit, profile=profile, progress=advance)
    data = cast("Exported", {"file": str(file), "profile": profile, **asdict(counts)})

    def show() -> None:
        nodes = f"{counted(counts.memories, 'memory')}, {counted(counts.entities, 'entity')}"
        line(f"{nodes}, {counted(counts.edges, 'edge')}")
        if audit:
            line(f"{counted(counts.records, 'signed record')}, {counted(counts.heads, 'tree head')}")
        line(f"{counted(counts.size, 'byte')} in {file}")

    return answer(door, data, show)


@click.command()
@click.argument("file", type=existing_file())
@click.option("--context", type=existing_file(), metavar="FILE", help="Context of a foreign JSON-LD document.")
@shared_options
@pass_door
def load(door: Door, file: Path, context: Path | None) -> Loaded:
    """Store what the export in FILE holds: JSON-LD, N-Quads, N-Triples, TriG or Turtle.

    A document with unknown terms, remote contexts or a cut-off end is refused as a whole.
    """
    with door.memory(create=True) as memory, progress("loading") as advance:
        loaded = memory.load(file, progress=advance, context=context)
        figures = memory.stats()
    data: Loaded = {"loaded": loaded, **figures_of(figures)}
    return answer(door, data, lambda: line(f"{counted(loaded, 'node')} loaded; {live(figures['live'])}"))


def figures_of(stats: Mapping[str, Any]) -> Figures:
    """Return of the figures of a tenant how full it is."""
    return {
        "live": stats["live"],
        "latent": stats["latent"],
        "tombstones": stats["tombstones"],
        "weight": stats["weight"],
        "budget": stats["budget"],
    }
