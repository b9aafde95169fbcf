"""``mars bench forgetting``: what is still found when each policy has kept a conversation within a budget.

Guarantees: no language model judges or answers; every policy is told the same and asked the same, in a store of its
own; nothing of the questions is known while it forgets. Stopped, it reports the personas that are complete; with a file
of runs it goes on from there. What is measured is in ``docs/reference/bench.md``.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from marskg import __version__
from marskg.policies.registry import POLICY_NAMES, load_policy
from marskg.weight import TokenCounter
from marskg_bench.budgets import forgetting_report
from marskg_bench.budgets.budgeted import Told, conditions_of
from marskg_bench.common import report
from marskg_bench.common.finished import Finished
from marskg_bench.common.memora import TRACKS, BenchPersona, personas
from marskg_bench.common.options import reporting
from marskg_bench.common.progress import saying
from marskg_bench.retrievals.retrievers import product

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg_bench.budgets.budgeted import Conditions, Open
    from marskg_bench.common.memora import Track
    from marskg_bench.common.progress import Say

PERIODS: Final = ("weekly", "monthly")
BUDGETS: Final = (2_000, 4_000, 8_000, 16_000, 32_000)
_DEPTH: Final = 20
_DEEPEST: Final = 10_000
_MOST_TOKENS: Final = 100_000_000
#: Stands for every policy where the budget holds everything, so that none is ever asked.
ROOMY: Final = "-"
#: Exit status of a bench that was stopped.
STOPPED: Final = 130


@dataclass(frozen=True, slots=True)
class Table:
    """What is run: the policies and budgets, on the personas of periods in ``places``."""

    places: dict[str, list[Path]]
    policies: tuple[str, ...]
    budgets: tuple[int, ...]


def run(
    table: Table, conditions: Conditions, finished: Finished, say: Say, opened: Open = product
) -> dict[str, dict[str, Any]]:
    """Return figures by period, persona, budget and policy; a persona comes last where it was stopped in its middle.

    A budget above what a persona weighs is run once, for all policies: none is ever asked to forget.

    Raises:
        MarsError: the data break the layout, or the product breaks an invariant.
    """
    found: dict[str, dict[str, Any]] = {}
    with suppress(KeyboardInterrupt):
        for period, places in table.places.items():
            of_period = found.setdefault(period, {})
            for place in places:
                told = Told(BenchPersona(place, TokenCounter()), conditions)
                of_persona = of_period.setdefault(told.persona.name, {})
                for budget in table.budgets:
                    of_budget = of_persona.setdefault(str(budget), {})
                    for policy in table.policies:
                        of_budget[policy] = _figures(told, (period, policy, budget), finished, say, opened)
    return found


def _figures(told: Told, what: tuple[str, str, int], finished: Finished, say: Say, opened: Open) -> dict[str, Any]:
    """Return the figures of one run, from the file if it is there."""
    period, policy, budget = what
    roomy = told.weight <= budget
    name = (period, told.persona.name, ROOMY if roomy else policy, 0 if roomy else budget)
    figures = finished.get(name)
    if figures is None:
        say(f"{period}, {told.persona.name}, {budget:,} tokens: {'any policy' if roomy else policy}")
        figures = told.run(policy, budget, opened)
        finished.add(name, figures)
    return figures


@click.command("mars bench forgetting", context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--data",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Memora, unpacked: the folder with weekly and monthly.",
)
@click.option("--period", "periods", multiple=True, default=PERIODS, show_default=True, type=click.Choice(PERIODS))
@click.option("--persona", "wanted", multiple=True, metavar="NAME", help="Only this one; may be repeated.")
@click.option("--track", default="AB", show_default=True, type=click.Choice(TRACKS))
@click.option(
    "--policy",
    "policies",
    multiple=True,
    default=POLICY_NAMES,
    metavar="NAME",
    help="Name or .cypher file; may be repeated.  [default: all]",
)
@click.option(
    "--budget",
    "budgets",
    multiple=True,
    default=BUDGETS,
    show_default=True,
    type=click.IntRange(1, _MOST_TOKENS),
    help="Tokens that the store may hold.",
)
@click.option(
    "--k",
    "depths",
    multiple=True,
    default=(_DEPTH,),
    show_default=True,
    type=click.IntRange(1, _DEEPEST),
    help="How many items are asked for.",
)
@click.option("--seed", default=1, show_default=True, help="Of the stores' ids and of the intervals.")
@click.option(
    "--runs",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep finished runs in this file, and take from it those that it has.",
)
@click.option(
    "--chart", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Draw FAMA by budget to this file."
)
@reporting
@click.pass_context
def command(
    context: click.Context,
    *,
    data: Path,
    periods: tuple[str, ...],
    wanted: tuple[str, ...],
    track: Track,
    policies: tuple[str, ...],
    budgets: tuple[int, ...],
    depths: tuple[int, ...],
    seed: int,
    runs: Path | None,
    chart: Path | None,
    save: Path | None,
    as_json: bool,
) -> None:
    """Measure what each policy keeps: FAMA on the benchmark Memora, by policy and budget.

    Each persona's sessions are told to a store of its own in the order of time, a day at a time, under one policy and
    one budget, so that the policy forgets as it goes; then the questions are asked, and what is retrieved is scored
    without a language model. Figures are means over personas with 95 % intervals, from 10,000 resamples of the
    personas, and the difference to random-drop, persona by persona.

    Ctrl-C stops it and reports the personas that are complete; with --runs the same command goes on later.
    Nothing that exists is touched.
    """
    report.check_chart(chart)
    for policy in policies:
        load_policy(policy)
    conditions = conditions_of(track, depths, seed)
    table = Table(
        {period: personas(data, period, wanted) for period in dict.fromkeys(periods)},
        tuple(dict.fromkeys(policies)),
        tuple(sorted(set(budgets))),
    )
    shared = {**json.loads(json.dumps(asdict(conditions))), "marskg": __version__}
    finished = Finished(runs, shared)
    result: dict[str, Any] = {"bench": "forgetting", **shared, "environment": report.environment()}
    with saying() as say:
        found = run(table, conditions, finished, say)
    counts = {period: len(places) for period, places in table.places.items()}
    result |= forgetting_report.summary(found, table.policies, table.budgets, wanted=counts, seed=seed)
    report.deliver(result, forgetting_report.show, save, as_json=as_json)
    if chart is not None:
        forgetting_report.draw(result, chart)
    if result["stopped"]:
        context.exit(STOPPED)


def main(arguments: Sequence[str]) -> int:
    """Run the bench with command-line ``arguments``; returns the exit status."""
    status = command.main(list(arguments), prog_name="mars bench forgetting", standalone_mode=False)
    return int(status or 0)
