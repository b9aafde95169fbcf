"""``mars bench growth``: what a store of constant life comes to take, in its folder, in memory and at opening.

Guarantees: one process writes all the time, so that what it keeps is seen; the clock is the bench's own, a second a
write, so that sealing has something to seal; nothing that exists is touched. Stopped, the same command with
``--folder`` goes on from the last sample. What is measured is in ``docs/reference/bench.md``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from marskg import __version__
from marskg.errors import EnvironmentFailure
from marskg_bench.common import report
from marskg_bench.common.finished import Finished
from marskg_bench.common.options import answering
from marskg_bench.common.progress import saying
from marskg_bench.stores import living_report
from marskg_bench.stores.living import ARMS, Life, live_on, samples_of

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Exit status of a bench that was stopped, and of one that missed a figure with ``--strict``.
STOPPED: Final = 130
MISSED: Final = 1
_MOST: Final = 10_000_000


@dataclass(frozen=True, slots=True)
class Conditions:
    """What the figures are of."""

    n: int
    live: int
    samples: int
    seed: int


@click.command("mars bench growth", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--n", default=4_000, show_default=True, type=click.IntRange(100, _MOST), help="Single writes.")
@click.option(
    "--live", default=500, show_default=True, type=click.IntRange(20, _MOST), help="Memories that the budget holds."
)
@click.option("--samples", default=10, show_default=True, type=click.IntRange(2, 1_000), help="Times of measuring.")
@click.option("--arm", "arms", multiple=True, default=ARMS, show_default=True, type=click.Choice(ARMS))
@click.option("--seed", default=1, show_default=True, help="Of what is written.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the stores and the samples here, and go on from those that it has.",
)
@click.option(
    "--chart", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Draw the figures by writes."
)
@answering
@click.pass_context
def command(
    context: click.Context,
    *,
    n: int,
    live: int,
    samples: int,
    arms: tuple[str, ...],
    seed: int,
    folder: Path | None,
    chart: Path | None,
    save: Path | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Measure how a store of constant life grows: folder, memory of the process, time of opening.

    A budget that holds --live memories is written to --n times, one memory at a time, with a question at every tenth,
    and a mem.maintain after as many writes as there are memories; once with the audit whole, once sealed but for that
    many. After each share of the writes the store is closed, and another process times opening and the first answer.

    Ctrl-C stops it; with --folder the same command goes on later. Nothing that exists is touched.
    """
    report.check_chart(chart)
    conditions = Conditions(n, live, samples, seed)
    shared = {**asdict(conditions), "marskg": __version__}
    with ExitStack() as stack:
        home = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="marskg-bench-")))
        home.mkdir(parents=True, exist_ok=True)
        finished = Finished(home / "samples.jsonl", shared)
        say = stack.enter_context(saying())
        lives = [Life(arm, home / arm, n, live, samples, seed) for arm in dict.fromkeys(arms)]
        with suppress(KeyboardInterrupt):
            if len(lives) == 1:
                live_on(lives[0], finished, say)
            else:
                # A process for each: what one has taken would be there for the other.
                _apart(lives)
                finished = Finished(home / "samples.jsonl", shared)
        found = {life.arm: samples_of(life, finished) for life in lives}
    result = {"bench": "growth", **shared, "environment": report.environment(), **living_report.summary(found, n)}
    report.deliver(result, living_report.show, save, as_json=as_json)
    if chart is not None:
        living_report.draw(result, chart)
    if result["stopped"]:
        context.exit(STOPPED)
    if strict and any(row["reached"] is False for row in result["wanted"]):
        context.exit(MISSED)


def _apart(lives: Sequence[Life]) -> None:
    """Live each life in a process of its own, which says what it does itself.

    Raises:
        EnvironmentFailure: one of them ended before its end.
    """
    program = "import sys; from marskg_bench.lifetime import main; sys.exit(main(sys.argv[1:]))"
    for life in lives:
        given = {"n": life.n, "live": life.live, "samples": life.samples, "seed": life.seed}
        options = [part for name, value in given.items() for part in (f"--{name}", str(value))]
        command = [sys.executable, "-c", program, *options, "--arm", life.arm, "--folder", str(life.folder.parent)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)  # noqa: S603 - our own program
        if done.returncode == STOPPED:
            return
        if done.returncode:
            msg = f"the process that writes to {life.folder} ended with status {done.returncode}; see what it said"
            raise EnvironmentFailure(msg)


def main(arguments: Sequence[str]) -> int:
    """Run the bench with command-line ``arguments``; returns the exit status."""
    status = command.main(list(arguments), prog_name="mars bench growth", standalone_mode=False)
    return int(status or 0)
