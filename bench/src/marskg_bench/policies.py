"""``mars bench policies``: what each policy's triggers and arrivals cost as the store grows, beside MaRS Table 1.

Guarantees: all sizes of one policy are measured by turns in one process; what was measured before somebody stopped the
bench is still told, and that it was stopped. What is measured is written in ``docs/reference/bench.md``.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from marskg.errors import InvalidInput, MarsError
from marskg.policies.registry import SIMPLE_NAMES
from marskg_bench.common import report
from marskg_bench.common.claims import CLAIMS
from marskg_bench.common.options import answering
from marskg_bench.common.progress import saying
from marskg_bench.stores import policies_report, sized

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg_bench.common.progress import Say

DEFAULT_SIZES = (1_000, 10_000, 100_000, 300_000)
#: Policies whose plan is also measured where a tenth is to be freed: those that look at more where more is to go.
FULL = ("greedy", "hybrid", "reflection-summary")
SUMMARISING = frozenset({"hybrid", "reflection-summary"})
_LEAST, _MOST = 100, 1_000_000
#: Exit status of ``--strict`` where a figure misses what it must reach.
MISSED = 1


def begin(sizes: Sequence[int], *, seed: int, rounds: int) -> dict[str, Any]:
    """Return the document of a bench in which nothing is measured yet.

    Raises:
        InvalidInput: no size is named, one comes twice, or one is out of range.
    """
    if not sizes or len(set(sizes)) < len(sizes) or not all(_LEAST <= size <= _MOST for size in sizes):
        message = f"sizes of stores are {list(sizes)}: name different ones from {_LEAST} to {_MOST:,} memories"
        raise InvalidInput(message)
    return {
        "bench": "policies",
        "sizes": sorted(sizes),
        "seed": seed,
        "rounds": rounds,
        "evictions": sized.TAKEN,
        "share": sized.SHARE,
        "environment": report.environment(),
        "written": {},
        "policies": {},
        "complete": False,
    }


def run(result: dict[str, Any], policies: Sequence[str], *, say: Say, kept: Path | None = None) -> None:
    """Measure ``policies`` and put each figure into ``result``, the document of :func:`begin`, once it is known.

    ``kept`` is a folder for the stores, where those of an earlier run are used; without it they go away.

    Raises:
        InvalidInput: a store in ``kept`` is not of the size that its name says.
        EngineUnavailable: the engine cannot be opened.
    """
    rounds = result["rounds"]
    with sized.stores(result["sizes"], result["seed"], say, kept) as rig:
        result["written"] = {str(size): seconds for size, seconds in rig.written.items()}
        # Those that summarise come last: what they leave behind is no workload for the others.
        for policy in sorted(policies, key=lambda name: name in SUMMARISING):
            start = time.perf_counter()
            found: dict[str, Any] = {}
            result["policies"][policy] = found
            if policy in CLAIMS:
                found["claim"] = CLAIMS[policy].to_document()
            say(f"{policy}: triggers")
            found |= sized.trigger(rig, policy, rounds)
            if policy in FULL:
                say(f"{policy}: a tenth")
                found["full"] = sized.full(rig, policy)
            say(f"{policy}: arrivals")
            found["arrival"] = sized.arrival(rig, policy, rounds)
            found["seconds"] = round(time.perf_counter() - start, 1)
    result["complete"] = True


@click.command("mars bench policies", context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--n",
    "sizes",
    multiple=True,
    default=DEFAULT_SIZES,
    show_default=True,
    type=click.IntRange(_LEAST, _MOST),
    help="Memories of one store; may be repeated.",
)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    type=click.Choice(SIMPLE_NAMES),
    metavar="NAME",
    help="Only this one, such as fifo; may be repeated.  [default: all that choose no other]",
)
@click.option("--rounds", default=9, show_default=True, type=click.IntRange(1, 1000), help="That medians are of.")
@click.option("--seed", default=1, show_default=True, help="Of the conversation that is remembered.")
@click.option(
    "--stores",
    "kept",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the stores in this folder, and use those that are there.",
)
@click.option("--chart", type=click.Path(dir_okay=False, path_type=Path), help="Draw costs by size to this file.")
@answering
@click.pass_context
def command(
    context: click.Context,
    *,
    sizes: tuple[int, ...],
    policies: tuple[str, ...],
    rounds: int,
    seed: int,
    kept: Path | None,
    chart: Path | None,
    save: Path | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Measure what forgetting costs as the store grows, policy by policy, beside what MaRS Table 1 claims.

    For each policy: a trigger of ten evictions with its records, changes and commit; its plan alone; and one write at
    a full budget, where every tenth write brings a trigger, as a share of ten. For those that look at more where more
    is to go, also the plan that frees a tenth of all. Figures are medians, all sizes by turns.

    The exponent is the slope of log cost over log size, by least squares; last is that between the two largest sizes;
    the law is the nearest of 1, log n, n, n log n and n². A trigger may cost four times as much at 100,000 memories
    as at 1,000, unless Table 1 says that it grows; the exit status says only whether the bench ran (--strict: 1 if one
    costs more).

    Nothing that exists is touched. Writing 411,000 memories takes most of the time, a quarter of an hour or more.
    With --stores they are kept for the next run. Ctrl-C stops it and tells what was measured so far.
    """
    report.check_chart(chart)
    result = begin(sorted(set(sizes)), seed=seed, rounds=rounds)
    stopped: BaseException | None = None
    try:
        with saying() as say:
            run(result, tuple(dict.fromkeys(policies)) or SIMPLE_NAMES, say=say, kept=kept)
    except (KeyboardInterrupt, MarsError) as error:
        stopped = error
    _tell(result, chart, save, as_json=as_json)
    if isinstance(stopped, KeyboardInterrupt):
        message = f"{len(result['policies'])} policies were begun; what was measured of them is above"
        raise KeyboardInterrupt(message) from stopped
    if stopped is not None:
        raise stopped
    if strict and not all(one.reached for one in policies_report.checks(result)):
        context.exit(MISSED)


def _tell(result: dict[str, Any], chart: Path | None, save: Path | None, *, as_json: bool) -> None:
    """Answer with what is in ``result``, however far it came."""
    report.deliver(result, policies_report.show, save, as_json=as_json)
    if chart is not None:
        policies_report.draw(result, chart)


def main(arguments: Sequence[str]) -> int:
    """Run the bench with command-line ``arguments``; returns the exit status."""
    status = command.main(list(arguments), prog_name="mars bench policies", standalone_mode=False)
    return int(status or 0)
