"""The figures of ``mars bench growth`` as tables and a chart.

Guarantees: what a figure must reach stands beside it; one that is missed is marked, never left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from marskg_bench.common import report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from rich.table import Table

_COLUMNS: Final = ("rss_mb", "folder_mb", "scrubbed_mb", "records", "import_s", "open_s", "first_answer_s")
_PANELS: Final = (
    ("memory, MB", ("rss_mb",)),
    ("folder, MB", ("folder_mb", "scrubbed_mb")),
    ("opening, s", ("open_s", "first_answer_s")),
)
#: Share of the writes after which a process is warm.
_WARM: Final = 0.2
#: What is wanted at most: growth of memory, bytes of a sealed record, seconds of opening and of the first answer.
_MOST: Final = {"rss_growth": 1.1, "bytes_a_record": 1_000, "open_s": 2.0, "first_answer_s": 1.0}
_WORDS: Final = {
    "rss_growth": "memory of the process, largest ÷ after a fifth of the writes",
    "bytes_a_record": "bytes of the scrubbed folder a further record",
    "open_s": "seconds to open, the start of the JVM included, last",
    "first_answer_s": "seconds to the first answer, last",
}


def summary(found: Mapping[str, Sequence[Mapping[str, Any]]], n: int) -> dict[str, Any]:
    """Return the samples of each arm with what they come to, and whether that is what is wanted."""
    wanted = [row for arm, samples in found.items() for row in _wanted(arm, [*samples], n)]
    stopped = not found or any(not samples or samples[-1]["writes"] < n for samples in found.values())
    return {"arms": {arm: list(samples) for arm, samples in found.items()}, "wanted": wanted, "stopped": stopped}


def _wanted(arm: str, samples: Sequence[Mapping[str, Any]], n: int) -> Iterator[dict[str, Any]]:
    warm = [sample for sample in samples if sample["writes"] >= _WARM * n]
    if len(warm) < 2:  # noqa: PLR2004 - two have a difference
        return
    first, last = warm[0], warm[-1]
    records = max(1, last["records"] - first["records"])
    figures = {
        "rss_growth": max(sample["rss_mb"] for sample in warm) / first["rss_mb"] if first["rss_mb"] else 1.0,
        "bytes_a_record": (last["scrubbed_mb"] - first["scrubbed_mb"]) * 2**20 / records,
        "open_s": last["open_s"],
        "first_answer_s": last["first_answer_s"],
    }
    for name, value in figures.items():
        # An audit that is kept whole is meant to grow by what its records say.
        most = None if name == "bytes_a_record" and arm != "sealed" else _MOST[name]
        reached = None if most is None else value <= most
        yield {"arm": arm, "figure": name, "value": round(value, 3), "most": most, "reached": reached}


def show(result: Mapping[str, Any]) -> None:
    """Print the tables to standard output."""
    report.print_tables(_tables(result))


def _tables(result: Mapping[str, Any]) -> Iterator[Table]:
    title = f"mars bench growth: {result['n']:,} writes, {result['live']:,} memories live"
    yield report.environment_table(result["environment"], title)
    made = report.table("audit", "writes", *(name.replace("_", " ") for name in _COLUMNS), title="What is taken")
    for arm, samples in result["arms"].items():
        for sample in samples:
            made.add_row(arm, f"{sample['writes']:,}", *(f"{sample[name]:,}" for name in _COLUMNS))
    yield made
    made = report.table("audit", "measure", "figure", "wanted", "", title="What it must reach")
    for row in result["wanted"]:
        most = "" if row["most"] is None else f"≤ {row['most']:,}"
        missed = "missed" if row["reached"] is False else ""
        made.add_row(row["arm"], _WORDS[row["figure"]], f"{row['value']:,}", most, missed)
    yield made


def draw(result: Mapping[str, Any], path: Path) -> None:
    """Draw memory, folder and opening by writes, one line for each arm and figure.

    Raises:
        InvalidInput: the suffix is no format that can be drawn.
        StoreUnwritable: the file cannot be written.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    figure = Figure(figsize=(15, 4.5), layout="constrained")
    for axes, (title, names) in zip(figure.subplots(1, len(_PANELS)), _PANELS, strict=True):
        for arm, style in zip(result["arms"], ("-", "--"), strict=False):
            samples = result["arms"][arm]
            for place, name in enumerate(names):
                axes.plot(
                    [sample["writes"] for sample in samples],
                    [sample[name] for sample in samples],
                    style,
                    marker="o",
                    markersize=3,
                    color=("#2a7f62", "#b3452c")[place],
                    label=f"{name.rpartition('_')[0].replace('_', ' ')}, audit {arm}",
                )
        axes.set_ylim(bottom=0)
        axes.set_xlabel("writes")
        axes.set_title(title)
        axes.grid(visible=True, alpha=0.3)
        axes.legend(fontsize=8, frameon=False)
    report.save_figure(figure, path)
