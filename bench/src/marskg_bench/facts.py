"""``mars bench facts``: how much of what people say is read as facts, and how much of what is read was said.

Guarantees: no language model reads or judges; nothing that exists is touched; no text of a conversation is printed.
What is measured is in ``marskg_bench.talks.reading``.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import marskg
from marskg_bench.common import report
from marskg_bench.common.conversations import conversations
from marskg_bench.common.options import reporting
from marskg_bench.common.progress import saying
from marskg_bench.talks.reading import count, figures, proposals
from marskg_bench.talks.talk import WRITTEN, observed, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.table import Table

    from marskg_bench.common.progress import Say
    from marskg_bench.talks.talk import Talk


def measure(sets: dict[str, list[Talk]], say: Say) -> dict[str, Any]:
    """Return the figures of each set of conversations, read without a model.

    Raises:
        EngineUnavailable: the embedded engine cannot be opened.
        MarsError: the product refuses a turn.
    """
    made = {}
    with (
        tempfile.TemporaryDirectory(prefix="marskg-bench-") as folder,
        marskg.open(Path(folder) / "m", tenant="bench", embedding="none") as mem,
    ):
        for name, talks in sets.items():
            counted = []
            for talk in talks:
                say(f"{name}: {talk.name}")
                counted.append(count(talk, proposals(mem, talk)))
            made[name] = figures(counted)
    return made


@click.command("mars bench facts", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folders", nargs=-1, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--locomo",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A file of LoCoMo, such as locomo10.json: its observations are facts, too.",
)
@reporting
def command(*, folders: tuple[Path, ...], locomo: Path | None, save: Path | None, as_json: bool) -> None:
    """Measure what mem.learn reads of conversations without a model against the facts that they say.

    FOLDERS hold conversations as JSON documents; left out, those that come with the bench: dev, and held, which is
    measured and never tuned on. A proposal counts if it has a subject and a key, a relation or a payload; it says a
    fact of its turn by half of the fact's stems with at most 1.3 times as many, each matched once. Beside it stands
    the turn as it is. Intervals: 95 per cent, over conversations.
    """
    chosen = folders or (WRITTEN / "dev", WRITTEN / "held")
    sets = {str(folder) if folders else folder.name: written(folder) for folder in chosen}
    if locomo is not None:
        sets["LoCoMo"] = [observed(one) for one in conversations(locomo)]
    with saying() as say:
        result = {"bench": "facts", "environment": report.environment(), "sets": measure(sets, say)}
    report.deliver(result, lambda found: report.print_tables(_tables(found)), save, as_json=as_json)


def _tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """Yield a table for each set of conversations."""
    for name, found in result["sets"].items():
        made = report.table(
            "measure", "kind", "share", "95 %", "of", title=f"{name}, {found['conversations']} conversations"
        )
        for measured in ("recall", "precision"):
            for kind, cell in found[measured].items():
                made.add_row(measured, kind, *_cells(cell))
            made.add_section()
        for measured, cell in found["copied"].items():
            made.add_row("the copied turn", measured, *_cells(cell))
        made.add_row("turns without a fact", "read", *_cells(found["idle"]))
        yield made


def _cells(cell: dict[str, Any] | None) -> tuple[str, str, str]:
    if cell is None:
        return ("–", "", "0")
    between = "" if cell["low"] is None else f"{cell['low']:.3f} to {cell['high']:.3f}"
    return (f"{cell['mean']:.3f}", between, str(cell["of"]))


def main(arguments: Sequence[str]) -> int:
    """Run the bench with command-line ``arguments``; returns the exit status."""
    return int(command.main(list(arguments), prog_name="mars bench facts", standalone_mode=False) or 0)
