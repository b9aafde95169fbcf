"""The figures of the bench of policies as tables and a chart, beside what MaRS says of each.

Guarantees: every policy and size that was measured is shown, also when the bench was stopped before its end; a trigger
that costs more than it may in the larger store is marked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from marskg_bench.common import report
from marskg_bench.common.claims import CLAIMS, may_grow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from rich.table import Table

#: What a trigger may cost in a store of the second size, in multiples of what it costs in one of the first.
SMALL, LARGE, MOST = 1_000, 100_000, 4.0
_KINDS: Final = {
    "trigger": "One trigger of {taken} evictions, plan and all writes, ms",
    "plan": "Its plan alone, ms",
    "arrival": "One write at a full budget, its share of the trigger included, ms",
    "full": "The plan alone that frees {share:.0%}, ms",
}
#: The part of a claim that a kind of figure stands beside.
_CLAIMED: Final = {"trigger": "trigger", "plan": "trigger", "arrival": "arrival", "full": "trigger"}
_NONE: Final = "–"


class Check(NamedTuple):
    """How many times as much a policy's trigger costs at :data:`LARGE` memories as at :data:`SMALL`."""

    policy: str
    ratio: float
    #: Whether Table 1 says that it grows, so that nothing is to be reached.
    exempt: bool

    @property
    def reached(self) -> bool:
        """Return whether it is at most what it may be."""
        return self.exempt or self.ratio <= MOST


def checks(result: Mapping[str, Any]) -> Iterator[Check]:
    """Yield what was measured at both sizes."""
    for policy, figures in result["policies"].items():
        medians = figures.get("trigger", {}).get("ms", {})
        small, large = medians.get(str(SMALL)), medians.get(str(LARGE))
        if small and large:
            yield Check(policy, round(large / small, 3), may_grow(policy))


def show(result: Mapping[str, Any]) -> None:
    """Print the tables to standard output."""
    report.print_tables(tables(result))


def tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """Yield the table of the environment, one for each kind of figure, and that of what is to be reached."""
    sizes = [f"{size:,}" for size in result["sizes"]]
    made = report.environment_table(result["environment"], f"mars bench policies, n = {'; '.join(sizes)}")
    for size, seconds in result["written"].items():
        made.add_row(f"{int(size):,}", f"memories, written in {seconds:,.0f} s")
    if len(sizes) == 1:
        made.add_row("growth", "one size has no growth: name two or more with --n")
    yield made
    for kind, title in _KINDS.items():
        found = {policy: figures[kind] for policy, figures in result["policies"].items() if kind in figures}
        if found:
            yield _figures(result, kind, title.format(taken=result["evictions"], share=result["share"]), found)
    compared = list(checks(result))
    if compared:
        made = report.table("policy", f"{LARGE:,} ÷ {SMALL:,}", "wanted", "", title="Triggers as the store grows")
        for one in compared:
            wanted = "grows by Table 1" if one.exempt else f"≤ {MOST:g}"
            made.add_row(one.policy, f"{one.ratio:.2f}", wanted, "" if one.reached else "missed")
        yield made


def _figures(result: Mapping[str, Any], kind: str, title: str, found: Mapping[str, Mapping[str, Any]]) -> Table:
    sizes: Sequence[int] = result["sizes"]
    made = report.table("policy", *(f"{size:,}" for size in sizes), "exponent", "last", "law", "claimed", title=title)
    for policy, figures in found.items():
        medians = (_number(figures["ms"].get(str(size))) for size in sizes)
        made.add_row(
            policy,
            *medians,
            _number(figures["exponent"]),
            _number(figures["last_exponent"]),
            figures["law"] or _NONE,
            claimed(policy, kind),
        )
    return made


def _number(value: float | None) -> str:
    return _NONE if value is None else f"{value:,.2f}" if value < 100 else f"{value:,.0f}"  # noqa: PLR2004 - digits


def claimed(policy: str, kind: str) -> str:
    """Return what MaRS says of a policy's cost, and where; a dash for nothing."""
    claim = CLAIMS.get(policy)
    said = None if claim is None else getattr(claim, _CLAIMED[kind])
    return _NONE if claim is None or said is None else f"{said} ({claim.where})"


def draw(result: Mapping[str, Any], path: Path) -> None:
    """Draw the costs of triggers and arrivals by size, both scales logarithmic, with exponents and claims beside.

    Raises:
        InvalidInput: the suffix is no format that can be drawn.
        StoreUnwritable: the file cannot be written.
    """
    from matplotlib import colormaps  # noqa: PLC0415 - an extra
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    figure = Figure(figsize=(13, 6), layout="constrained")
    colours = colormaps["tab10"].colors  # type: ignore[attr-defined]  # of every listed map
    for axes, kind in zip(figure.subplots(1, 2), ("trigger", "arrival"), strict=True):
        for place, (policy, figures) in enumerate(result["policies"].items()):
            if kind not in figures:
                continue
            found = figures[kind]
            points = sorted((int(size), cost) for size, cost in found["ms"].items())
            exponent = "" if found["exponent"] is None else f": n^{found['exponent']:.2f}"
            said = claimed(policy, kind)
            label = f"{policy}{exponent}, claimed {said.partition(' (')[0] if said != _NONE else 'nothing'}"
            axes.plot(*zip(*points, strict=True), marker="o", color=colours[place % len(colours)], label=label)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("memories")
        axes.set_ylabel("ms, median")
        axes.set_title("one trigger of ten evictions" if kind == "trigger" else "one write at a full budget")
        axes.grid(visible=True, which="major", alpha=0.3)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), fontsize=8, ncols=2, frameon=False)
    report.save_figure(figure, path)
