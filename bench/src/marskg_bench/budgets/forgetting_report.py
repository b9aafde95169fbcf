"""The forgetting bench's figures by period, policy and budget: intervals over personas, tables and a chart.

Guarantees: pure but for what is printed and drawn; a mean is over the personas for which every run is there, the same
for all policies and budgets of a period, and the tables say how many.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from marskg_bench.common import report
from marskg_bench.common.bootstrap import RESAMPLES, estimate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from rich.table import Table

    from marskg_bench.common.bootstrap import Estimate

#: What the others are compared with.
BASELINE: Final = "random-drop"
_OUTCOMES: Final = ("presence", "stale", "tokens", "stale_tokens")
_STORE: Final = ("weight", "memories", "summaries", "refused")
_MARKERS: Final = "os^vD*Pp<>h"


def summary(
    found: Mapping[str, Mapping[str, Any]],
    policies: Sequence[str],
    budgets: Sequence[int],
    *,
    wanted: Mapping[str, int],
    seed: int,
) -> dict[str, Any]:
    """Return ``periods`` (personas and figures by depth, policy and budget), ``runs``, and whether it was ``stopped``.

    ``wanted`` is how many personas each period has. Figures are means over the complete personas; ``fama`` and
    ``over_random_drop``, the difference to that policy persona by persona, have their intervals.
    """
    periods = {}
    stopped = False
    for period, count in wanted.items():
        complete = {
            name: runs
            for name, runs in found.get(period, {}).items()
            if all(policy in runs.get(str(budget), {}) for budget in budgets for policy in policies)
        }
        stopped |= len(complete) < count
        periods[period] = {
            "wanted": count,
            "personas": list(complete),
            "depths": _by_depth(complete, policies, budgets, seed),
        }
    return {"resamples": RESAMPLES, "stopped": stopped, "periods": periods, "runs": found}


def _by_depth(
    personas: Mapping[str, Any], policies: Sequence[str], budgets: Sequence[int], seed: int
) -> dict[str, Any]:
    if not personas:
        return {}
    depths = next(iter(personas.values()))[str(budgets[0])][policies[0]]["depths"]
    return {
        depth: {
            policy: {str(budget): _cell(personas, policy, str(budget), depth, seed) for budget in budgets}
            for policy in policies
        }
        for depth in depths
    }


def _cell(personas: Mapping[str, Any], policy: str, budget: str, depth: str, seed: int) -> dict[str, Any]:
    runs = [persona[budget] for persona in personas.values()]
    fama = [run[policy]["depths"][depth]["fama"] for run in runs]
    cell: dict[str, Any] = {"fama": _estimated(estimate(fama, seed))}
    if all(BASELINE in run for run in runs):
        against = [run[BASELINE]["depths"][depth]["fama"] for run in runs]
        differences = [one - other for one, other in zip(fama, against, strict=True)]
        cell["over_random_drop"] = _estimated(estimate(differences, seed))
    for name in _OUTCOMES:
        known = [value for run in runs if (value := run[policy]["depths"][depth][name]) is not None]
        cell[name] = round(sum(known) / len(known), 4) if known else None
    for name in _STORE:
        cell[name] = round(sum(run[policy][name] for run in runs) / len(runs), 1)
    return cell


def _estimated(found: Estimate) -> dict[str, float | None]:
    return {name: None if value is None else round(value, 4) for name, value in found._asdict().items()}


def show(result: Mapping[str, Any]) -> None:
    """Print the tables to standard output, and where the bench was stopped how far it came."""
    report.print_tables(tables(result))
    if result["stopped"]:
        done = ", ".join(
            f"{period} {len(found['personas'])} of {found['wanted']} personas"
            for period, found in result["periods"].items()
        )
        sys.stdout.write(f"stopped; complete: {done}; the same command with --runs FILE goes on\n")


def tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """Yield the environment; for each period and depth FAMA by policy and budget, and the parts that it is made of."""
    yield report.environment_table(result["environment"], f"mars bench forgetting, track {result['track']}")
    for period, found in result["periods"].items():
        count = len(found["personas"])
        stopped = ", stopped" if result["stopped"] else ""
        for depth, policies in found["depths"].items():
            title = f"{period}, {count} personas{stopped}, k = {depth}"
            budgets = list(next(iter(policies.values())))
            named = [f"{int(budget):,}" for budget in budgets]
            made = report.table("FAMA, 95 %", *named, title=title)
            _report_rows(made, policies, budgets, "fama")
            yield made
            if BASELINE in policies:
                made = report.table(f"less {BASELINE}", *named, title=f"{title}: difference in points")
                _report_rows(made, policies, budgets, "over_random_drop")
                yield made
            yield _parts(policies, title)


def _report_rows(made: Table, policies: Mapping[str, Any], budgets: Sequence[str], name: str) -> None:
    made.columns[1].justify = "right"
    for policy, cells in policies.items():
        made.add_row(policy, *(_said(cells[budget][name]) for budget in budgets))


def _said(found: Mapping[str, float | None]) -> str:
    """Return an estimate in per cent."""
    ends = [found["low"], found["high"]]
    shown = "" if None in ends else f" [{', '.join(f'{100 * (end or 0.0):.1f}' for end in ends)}]"
    return f"{100 * (found['mean'] or 0.0):.1f}{shown}"


def _parts(policies: Mapping[str, Any], title: str) -> Table:
    columns = ("policy", "budget", "presence", "stale", "tokens shown", "held", "memories", "summaries", "refused")
    made = report.table(*columns, title=f"{title}: parts")
    made.columns[1].justify = "right"
    for policy, cells in policies.items():
        for budget, cell in cells.items():
            shares = ("–" if cell[name] is None else f"{100 * cell[name]:.1f}" for name in ("presence", "stale"))
            counts = (f"{cell[name]:,.0f}" for name in ("tokens", "weight", "memories", "summaries", "refused"))
            made.add_row(policy, f"{int(budget):,}", *shares, *counts)
        made.add_section()
    return made


def draw(result: Mapping[str, Any], path: Path) -> None:
    """Draw FAMA by budget for each policy, with its intervals, one panel for each period and depth.

    Raises:
        InvalidInput: the suffix is no format that can be drawn, or there is nothing to draw.
        StoreUnwritable: the file cannot be written.
    """
    from matplotlib import colormaps  # noqa: PLC0415 - an extra
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    panels = [
        (f"{period}, {len(found['personas'])} personas, k = {depth}", policies)
        for period, found in result["periods"].items()
        for depth, policies in found["depths"].items()
    ]
    figure = Figure(figsize=(1 + 6 * max(1, len(panels)), 6), layout="constrained")
    colours = colormaps["tab20"].colors  # type: ignore[attr-defined]  # of every listed map
    for axes, (title, policies) in zip(figure.subplots(1, max(1, len(panels)), squeeze=False)[0], panels, strict=False):
        for place, (policy, cells) in enumerate(policies.items()):
            # Beside each other, or the bars would hide one another; the scale is logarithmic.
            xs = [int(budget) * 1.035 ** (place - len(policies) / 2) for budget in cells]
            means = [100 * cell["fama"]["mean"] for cell in cells.values()]
            axes.errorbar(
                xs,
                means,
                yerr=_bars(cells.values()),
                marker=_MARKERS[place % len(_MARKERS)],
                markersize=5,
                linewidth=1,
                elinewidth=0.7,
                color=colours[place % len(colours)],
                label=policy,
            )
        axes.set_xscale("log", base=2)
        budgets = [int(budget) for budget in next(iter(policies.values()))]
        axes.set_xticks(budgets, [f"{budget:,}" for budget in budgets])
        axes.set_xlabel("budget, tokens")
        axes.set_ylabel("FAMA of what is retrieved, per cent; bars: 95 % over personas")
        axes.set_title(title)
        axes.grid(visible=True, alpha=0.3)
        axes.legend(fontsize=8, frameon=False)
    report.save_figure(figure, path)


def _bars(cells: Iterator[Any]) -> list[list[float]]:
    """Return how far the intervals reach below and above the means, in points."""
    below, above = [], []
    for cell in cells:
        mean, low, high = (cell["fama"][name] for name in ("mean", "low", "high"))
        below.append(0.0 if low is None else max(0.0, 100 * (mean - low)))
        above.append(0.0 if high is None else max(0.0, 100 * (high - mean)))
    return [below, above]
