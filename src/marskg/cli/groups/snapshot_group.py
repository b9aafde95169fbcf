"""Binary copies of a whole tenant: ``mars snapshot``.

Guarantees: a copy is written whole or not at all; loading the same one twice changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import click

from marskg.cli.commands.export_load import Figures, figures_of
from marskg.cli.door import Door, existing_file, new_file, pass_door, shared_options
from marskg.cli.operation_commands import NamespaceGroup
from marskg.cli.output import answer, counted, day, line, live, progress, show_table, table

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.store.commit.snapshot_register import SnapshotFile


class Saved(TypedDict):
    """What ``mars snapshot save`` answers."""

    file: str
    bytes: int


class Restored(Figures):
    """What ``mars snapshot load`` answers: how full the tenant is, and the last record of its log."""

    audit_seq: int


@click.group(cls=NamespaceGroup, no_args_is_help=False)
@shared_options
def snapshot() -> None:
    """Binary copies of a whole tenant, for checkpoint and restore."""


@snapshot.command("save")
@click.argument("file", type=new_file())
@shared_options
@pass_door
def save(door: Door, file: Path) -> Saved:
    """Write the tenant, audit included, to FILE."""
    with door.memory() as memory, progress("saving"):
        memory.snapshots.save(file)
    size = file.stat().st_size
    return answer(door, Saved(file=str(file), bytes=size), lambda: line(f"{counted(size, 'byte')} in {file}"))


@snapshot.command("list")
@shared_options
@pass_door
def list_(door: Door) -> tuple[SnapshotFile, ...]:
    """Show the snapshots that this store wrote, and whether they are still there."""
    with door.memory() as memory:
        written = memory.snapshots.list()

    def show() -> None:
        made = table("file", "written", "is", whole=("file", "written"))
        for one in written:
            made.add_row(one.path, day(one.written), one.state)
        show_table(made)

    return answer(door, written, show)


@snapshot.command("load")
@click.argument("file", type=existing_file())
@shared_options
@pass_door
def restore(door: Door, file: Path) -> Restored:
    """Bring the tenant back from FILE; loading the same one twice changes nothing."""
    with progress("loading"), door.memory(create=True, snapshot=file) as memory:
        figures = memory.stats()
    data: Restored = {**figures_of(figures), "audit_seq": figures["audit_seq"]}
    return answer(door, data, lambda: line(f"{live(figures['live'])}, audit sequence {data['audit_seq']}"))
