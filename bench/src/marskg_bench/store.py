"""``mars bench store``: what governance costs, as ratios to the bare engine within one run.

Guarantees: both sides of a ratio are measured by turns in the same process, so that a busy machine changes the times
and hardly the ratios; nothing that exists is touched; every ratio is under a key with ``ratio`` in its path. What is
measured, and against what, is written in ``docs/reference/bench.md``.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from marskg_bench.common import report
from marskg_bench.common.options import answering
from marskg_bench.common.progress import saying
from marskg_bench.stores import proving, waiting, writes
from marskg_bench.stores import triggers as _forgetting
from marskg_bench.stores.rig import embedded, server

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg_bench.common.progress import Say
    from marskg_bench.stores.rig import Rig

DEFAULT_N = 10_000
ENGINES = {"arcadedb": ("arcadedb",), "neo4j": ("neo4j",), "both": ("arcadedb", "neo4j")}
_LEAST, _MOST = 100, 1_000_000
#: Exit status of ``--strict`` where a figure misses what it must reach.
MISSED = 1


def run(n: int, engines: Sequence[str], *, seed: int, say: Say) -> dict[str, Any]:
    """Measure ``engines`` with stores of ``n`` memories; ``say`` hears of each step.

    Raises:
        InvalidInput: no server is named although one is to be measured.
        EngineUnavailable: an engine cannot be opened.
    """
    result: dict[str, Any] = {"bench": "store", "n": n, "seed": seed, "environment": report.environment()}
    result["engines"] = {}
    for name in engines:
        start = time.perf_counter()
        opened = embedded(n, seed, say) if name == "arcadedb" else server(os.environ.get("NEO4J_URI"), n, seed, say)
        with opened as rig:
            figures = _measure(rig, n, say)
        result["engines"][name] = {"version": rig.version, "seconds": round(time.perf_counter() - start, 1), **figures}
    return result


def _measure(rig: Rig, n: int, say: Say) -> dict[str, Any]:
    """Return the figures of one engine; ``n`` also decides how often each is taken."""
    often = max(5, min(400, n // 25))

    def step(what: str) -> None:
        say(f"{rig.engine}: {what}")

    step("single writes")
    single = writes.single(rig, often)
    step("batches")
    many = writes.many(rig, max(2, often // 25))
    step("vectors, entities, sensitivity")
    besides = writes.besides(rig, max(2, often // 25))
    step("four threads")
    threads = writes.four_threads(rig, max(2, often // 80), min(100, often))
    step("waiting")
    waits = waiting.waiting(rig, often)
    step("access statistics")
    access = writes.access(rig, max(5, often // 2))
    triggers = _forgetting.triggers(rig, max(3, often // 20), say)
    step("a full budget")
    full = writes.full_budget(rig, max(2, often // 50))
    step("verification")
    verify = proving.verify(rig)
    step("validation")
    validation = proving.validation(rig, max(3, often // 20))
    step("export")
    export = proving.export(rig, max(2, often // 80))
    return {
        "remember": {"single": single, "many": many, "besides": besides},
        "writes": {"full_budget": full, "four_threads": threads, "waiting": waits},
        "access": access,
        "triggers": triggers,
        "verify": verify,
        "validation": validation,
        "export": export,
    }


@click.command("mars bench store", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--n", default=DEFAULT_N, show_default=True, type=click.IntRange(_LEAST, _MOST), help="Memories.")
@click.option(
    "--engine",
    default="arcadedb",
    show_default=True,
    type=click.Choice(list(ENGINES)),
    help="neo4j needs NEO4J_URI, NEO4J_USERNAME and NEO4J_PASSWORD.",
)
@click.option("--seed", default=1, show_default=True, help="Of the conversation that is remembered.")
@click.option("--chart", type=click.Path(dir_okay=False, path_type=Path), help="Draw the ratios to this file.")
@answering
@click.pass_context
def command(
    context: click.Context,
    *,
    n: int,
    engine: str,
    seed: int,
    chart: Path | None,
    save: Path | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Measure what governance costs, beside the bare engine in the same run.

    Bare is one explicit transaction that creates the same node under the same indexes on the engine's default
    settings, with one fsync. Both sides run by turns; figures are medians. Each is shown with what it must reach, and
    marked where it misses that; the exit status says only whether the bench ran (--strict: 1 if a figure misses).

    Measured are: one remember; remember_many, also with vectors, with entities, and with sensitivity; writes at a full
    budget; four threads on one tenant; what a short write waits for while others write texts of up to 280,000
    characters; the access statistics of ten memories; triggers of ten evictions in a large store against a small one,
    before and after thousands of evictions; verification; the validation of one write; JSON-LD. Nothing that exists is
    touched. At 10,000 memories it takes some minutes, at 100,000 half an hour. Ctrl-C stops it and removes what it
    made.
    """
    report.check_chart(chart)
    with saying() as say:
        result = run(n, ENGINES[engine], seed=seed, say=say)
    report.deliver(result, report.show, save, as_json=as_json)
    if chart is not None:
        report.draw(result, chart)
    if strict and not all(reached for *_, reached in report.rows(result)):
        context.exit(MISSED)


def main(arguments: Sequence[str]) -> int:
    """Run the bench with command-line ``arguments``; returns the exit status."""
    status = command.main(list(arguments), prog_name="mars bench store", standalone_mode=False)
    return int(status or 0)
