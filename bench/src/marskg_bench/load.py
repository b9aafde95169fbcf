"""``mars bench load``: how fast each build of the embedded engine writes and reads as a load goes on.

Guarantees: one process for each build, one after the other; all of it through the public door, each write a commit that
lasts; nothing that exists is touched.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

import marskg
from marskg import Draft
from marskg.errors import EngineUnavailable
from marskg.ontology.vocabulary import Kind
from marskg_bench.common import report
from marskg_bench.common.options import reporting
from marskg_bench.common.processes import own_environment, resident_mb
from marskg_bench.common.progress import saying
from marskg_bench.common.timing import timed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.table import Table

    from marskg import AgentMemory
    from marskg_bench.common.progress import Say

BUILDS: Final = ("native", "jvm")
_BUDGET: Final = 1 << 40
#: When the first turn was said, in milliseconds.
_BEGAN: Final = 1_760_000_000_000
#: Memories that one transaction of the second arm stores, and writes between two reads of the first.
_TOGETHER: Final = 200
_BETWEEN: Final = 20
#: Questions at the end of each stretch.
_QUESTIONS: Final = 20
_WORKER: Final = "import sys; from marskg_bench.load import work; work(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))"


def work(folder: str, n: int, stretches: int) -> None:
    """Write ``n`` memories to a new store in ``folder``, and print a line of JSON after each stretch."""
    with marskg.open(folder, budget=_BUDGET, embedding="static") as memory:
        for stretch in range(stretches):
            first, end = n * stretch // stretches, n * (stretch + 1) // stretches
            half = (first + end) // 2
            line = {
                "memories": end,
                **_one_by_one(memory, range(first, half)),
                "together": round((end - half) / timed(partial(_together, memory, half, end))),
                # The index takes in what is new.
                "caught_up_s": round(timed(partial(memory.retrieve, _question(end))), 2),
                "question_ms": round(timed(partial(_ask, memory, end)) / _QUESTIONS * 1000, 1),
                "megabytes": resident_mb(),
                "cpu_s": round(time.process_time(), 1),
            }
            sys.stdout.write(f"{json.dumps(line)}\n")
            sys.stdout.flush()


def _one_by_one(memory: AgentMemory, numbers: range) -> dict[str, int]:
    """Return how many writes a second, and how many reads a second by id, between them."""
    writing = reading = 0.0
    read: list[str] = []
    for number in numbers:
        start = time.perf_counter()
        read.append(memory.remember(_text(number)).id)
        writing += time.perf_counter() - start
        if len(read) % _BETWEEN == 0:
            reading += timed(partial(_read, memory, read[-_BETWEEN:]))
    return {"writes": round(len(read) / writing), "reads": round(len(read) // _BETWEEN * _BETWEEN / reading)}


def _read(memory: AgentMemory, ids: Sequence[str]) -> None:
    for ident in ids:
        memory.get(ident)


def _together(memory: AgentMemory, first: int, end: int) -> None:
    for start in range(first, end, _TOGETHER):
        memory.remember_many([_draft(number) for number in range(start, min(start + _TOGETHER, end))])


def _draft(number: int) -> Draft:
    return Draft(ref=str(number), kind=Kind.EPISODIC, content=_text(number), at=_BEGAN + number)


def _ask(memory: AgentMemory, seed: int) -> None:
    for number in range(_QUESTIONS):
        memory.retrieve(_question(seed * 7 + number * 13))


def _text(number: int) -> str:
    return (
        f"Turn {number}: the crate with mark {number * 7919 % 99_991} stands on shelf {number % 89} of hall "
        f"{number * 31 % 97}, behind the second door"
    )


def _question(number: int) -> str:
    return f"where is the crate with mark {number * 7919 % 99_991}"


def measure(n: int, stretches: int, builds: Sequence[str], say: Say) -> dict[str, list[dict[str, Any]]]:
    """Return the lines of :func:`work` for each of ``builds``.

    Raises:
        EngineUnavailable: a load does not end well.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for build in builds:
        found[build] = []
        with tempfile.TemporaryDirectory(prefix="marskg-bench-") as folder:
            variables = own_environment(Path(folder) / "own") | {"MARS_ENGINE": build}
            command = [sys.executable, "-c", _WORKER, variables["MARS_STORE"], str(n), str(stretches)]
            with subprocess.Popen(command, stdout=subprocess.PIPE, env=variables, text=True) as process:  # noqa: S603 - this program
                for line in process.stdout or ():
                    found[build].append(json.loads(line))
                    say(f"{build}: {found[build][-1]['memories']:,} of {n:,}")
            if process.returncode:
                msg = f"a load by {build} ended with status {process.returncode}; see what it said above"
                raise EngineUnavailable(msg)
    return found


@click.command("mars bench load", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--n", type=click.IntRange(min=100), default=10_000, show_default=True, help="Memories to write.")
@click.option("--stretches", type=click.IntRange(1, 100), default=5, show_default=True, help="Times of measuring.")
@click.option("--build", "builds", multiple=True, type=click.Choice(BUILDS), default=BUILDS, show_default=True)
@reporting
def command(*, n: int, stretches: int, builds: tuple[str, ...], save: Path | None, as_json: bool) -> None:
    """Measure how fast a load goes by each build of the embedded engine, and what the process comes to hold.

    Half of each stretch is written one by one, with reads by id between, and half in transactions of many; then
    questions are asked. The store grows all the time.
    """
    with saying() as say:
        found = measure(n, stretches, list(dict.fromkeys(builds)), say)
    result = {"bench": "load", "environment": report.environment(), "n": n, "builds": found}
    report.deliver(result, lambda made: report.print_tables(_tables(made)), save, as_json=as_json)


def _tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """Yield the table of the environment and that of the stretches."""
    yield report.environment_table(result["environment"], "mars bench load")
    columns = ("memories", "", "writes/s", "together/s", "reads/s", "question ms", "caught up s", "MB", "CPU s")
    made = report.table(*columns, title="Each stretch by itself; the process as it stands then")
    names = ("writes", "together", "reads", "question_ms", "caught_up_s", "megabytes", "cpu_s")
    for lines in zip(*result["builds"].values(), strict=True):
        for build, line in zip(result["builds"], lines, strict=True):
            made.add_row(f"{line['memories']:,}", build, *(f"{line[name]:,}" for name in names))
        made.add_section()
    yield made


def main(arguments: Sequence[str]) -> int:
    """Run the bench with command-line ``arguments``; returns the exit status."""
    return int(command.main(list(arguments), prog_name="mars bench load", standalone_mode=False) or 0)
