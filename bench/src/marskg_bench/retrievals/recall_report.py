"""What finds a conversation's evidence, as tables and a chart.

Guarantees: every system, category, budget and depth that was run is shown, and every system that could not take part
with its reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from marskg_bench.common import report
from marskg_bench.retrievals.recall_figures import OVERALL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from rich.table import Table

_MARKERS: Final = "os^vD*Pp<>h"
_MEASURES: Final = {
    "evidence": "evidence",
    "any_evidence": "any evidence",
    "all_evidence": "all evidence",
    "ndcg": "nDCG",
}


def tables(found: Mapping[str, Any]) -> Iterator[Table]:
    """Yield a table for each measure, one by category, one by conversation, that of strangers, that of the parts."""
    budgets = [str(budget) for budget in found["budgets"]]
    depths = [str(depth) for depth in found["depths"]]
    heads = [f"{int(budget):,} tokens" for budget in budgets]
    whole = {system: groups[OVERALL] for system, groups in found["systems"].items() if OVERALL in groups}
    asked = sum(one["questions"] for one in found["complete"].values())
    about = f"{len(found['complete'])} conversations, {asked} questions, {found['embedding']}"
    for measure, words in _MEASURES.items():
        title = f"{words[0].upper()}{words[1:]} within tokens, per cent: {about}"
        rows = ((name, [cells["tokens"][budget][measure] for budget in budgets]) for name, cells in whole.items())
        yield _shares(("system", *heads), rows, title)
    rows = ((name, [cells["k"][depth]["ndcg"] for depth in depths]) for name, cells in whole.items())
    yield _shares(("system", *(f"k = {depth}" for depth in depths)), rows, "nDCG of the first k, per cent")
    yield _by_category(found, budgets, heads)
    yield _by_conversation(found, budgets, heads)
    yield _abstention(found)
    if found["parts"]:
        rows = ((part, [cells[budget] for budget in budgets]) for part, cells in found["parts"].items())
        yield _shares(("part", *heads), rows, "What each part of the ranking brings: evidence in points")
    if found["notes"]:
        made = report.table("system", "why it does not take part", title="Left out")
        for name, why in found["notes"].items():
            made.add_row(name, why)
        yield made


def _by_category(found: Mapping[str, Any], budgets: Sequence[str], heads: Sequence[str]) -> Table:
    made = report.table("category", "system", "questions", *heads, title="Evidence by category, per cent")
    names = dict.fromkeys(name for groups in found["systems"].values() for name in groups if name != OVERALL)
    for name in names:
        for system, groups in found["systems"].items():
            cells = groups[name]
            shares = (_share(cells["tokens"][budget]["evidence"]) for budget in budgets)
            made.add_row(name, system, str(cells["questions"]), *shares)
        made.add_section()
    return made


def _by_conversation(found: Mapping[str, Any], budgets: Sequence[str], heads: Sequence[str]) -> Table:
    made = report.table("conversation", "system", *heads, title="Evidence by conversation, per cent")
    for name in found["complete"]:
        for system, of_system in found["conversations"].items():
            made.add_row(name, system, *(_share(of_system[name].get(budget)) for budget in budgets))
        made.add_section()
    return made


def _abstention(found: Mapping[str, Any]) -> Table:
    columns = ("system", "AUROC", "own questions", "got nothing", "foreign questions", "got nothing")
    made = report.table(*columns, title="Questions about another conversation, per cent")
    for system, cells in found["abstention"].items():
        own, foreign = (
            (f"{cells[f'{kind}_questions']:,}", _share(cells[f"{kind}_empty"])) for kind in ("own", "foreign")
        )
        made.add_row(system, _share(cells["auroc"]), *own, *foreign)
    return made


def _shares(columns: Sequence[str], rows: Iterator[tuple[str, list[float]]], title: str) -> Table:
    made = report.table(*columns, title=title)
    made.columns[1].justify = "right"
    for name, values in rows:
        made.add_row(name, *map(_share, values))
    return made


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def draw(found: Mapping[str, Any], path: Path) -> None:
    """Draw the evidence by budget for each system; the format follows the suffix of ``path``.

    Raises:
        InvalidInput: the suffix is no format that can be drawn.
        StoreUnwritable: the file cannot be written.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    figure = Figure(figsize=(7, 5), layout="constrained")
    axes = figure.subplots()
    budgets = found["budgets"]
    for place, (system, groups) in enumerate(found["systems"].items()):
        shares = [100 * groups[OVERALL]["tokens"][str(budget)]["evidence"] for budget in budgets]
        width = 2.2 if place == 0 else 1.1
        axes.plot(budgets, shares, marker=_MARKERS[place % len(_MARKERS)], linewidth=width, label=system)
    axes.set_xscale("log", base=2)
    axes.set_xticks(budgets, [f"{budget:,}" for budget in budgets])
    axes.set_xlabel("tokens of the rendered answer")
    axes.set_ylabel("evidence found, per cent of a question's turns")
    axes.set_title(f"{len(found['complete'])} conversations, {found['embedding']}")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize=8, frameon=False)
    report.save_figure(figure, path)
