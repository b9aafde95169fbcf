"""The retrieval bench's figures as tables, and what they must reach.

Guarantees: every system, task and depth that was run is shown; a figure that misses what it must reach is marked.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table

from marskg_bench.beliefs import beliefs_report
from marskg_bench.retrievals import learning, recall_report
from marskg_bench.retrievals.comparison import OVERALL, PRODUCT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MARSKG: Final = "marskg"


class Check(NamedTuple):
    """One figure with what it must reach, at least or at most."""

    words: str
    value: float
    wanted: float
    least: bool

    @property
    def reached(self) -> bool:
        """Return whether the figure is good enough."""
        return self.value >= self.wanted if self.least else self.value <= self.wanted


def checks(result: Mapping[str, Any]) -> Iterator[Check]:
    """Yield what was measured and has something to reach, at each depth."""
    for track, systems in result.get("tracks", {}).items():
        found = result["ratios"].get(track, {})
        if track == "A" and found:
            yield from _at_depths("track A, FAMA ÷ oracle", found["product_to_oracle_ratio"], 0.95, least=True)
            stale = {depth: figures["stale"] for depth, figures in systems[PRODUCT][OVERALL].items()}
            yield from _at_depths("track A, stale exposure", stale, 0.02, least=False)
        elif track == "B" and found:
            yield from _at_depths("track B, stale ÷ ungoverned", found["stale_to_ungoverned_ratio"], 0.5, least=False)
            yield from _at_depths(
                "track B, presence ÷ ungoverned", found["presence_to_ungoverned_ratio"], 1.0, least=True
            )
    if "beliefs" in result:
        yield from (Check(*found, least=True) for found in beliefs_report.reached(result["beliefs"]))
    yield from _learning_checks(result.get("learning", {}).get("kinds", {}))
    yield from _latency_checks(result.get("latency", {}))


#: What feedback may cost of the evidence at most, and what right feedback must bring of it at least.
_MOST_LOST, _LEAST_GAINED = -0.01, 0.001


def _learning_checks(kinds: Mapping[str, Any]) -> Iterator[Check]:
    """Yield the change of the evidence of all questions, by kind of feedback, and what right feedback brings."""
    for kind, groups in kinds.items():
        changes = {int(budget): cell["after"] - cell["before"] for budget, cell in groups[learning.OVERALL].items()}
        for budget, change in changes.items():
            words = f"{kind} feedback, change of the evidence within {budget:,} tokens"
            yield Check(words, round(change, 4), _MOST_LOST, least=True)
        if kind == learning.RIGHT:
            mean = round(fmean(changes.values()), 4)
            yield Check(f"{kind} feedback, the same as a mean over budgets", mean, _LEAST_GAINED, least=True)


def _at_depths(words: str, values: Mapping[str, float | None], wanted: float, *, least: bool) -> Iterator[Check]:
    for depth, value in values.items():
        if value is not None:
            yield Check(f"{words}, k = {depth}", value, wanted, least)


#: What ``retrieve`` may take at most, ms p50, by the number of memories.
_MOST_MS: Final = {"10000": 10.0, "100000": 25.0}
#: The same with the question's encoding by the usual model in the place of that by the static one.
_MOST_ENCODED: Final = {"10000": 30.0}
#: What the 95th percentile may be at most of the median, and what reading the index of 100,000 may take, in seconds.
_LONGEST: Final = 3.0
_INDEX_S: Final = {"100000": 2.0}


def _latency_checks(latency: Mapping[str, Any]) -> Iterator[Check]:
    for size, systems in latency.items():
        ours = systems.get(_MARSKG, {}).get("p50_ms")
        if ours is None:
            continue
        if size in _MOST_MS:
            yield Check(f"retrieve at {int(size):,}, ms p50", ours, _MOST_MS[size], least=False)
        encoded = systems.get("e5 encoding", {}).get("p50_ms")
        if encoded is not None and size in _MOST_ENCODED:
            words = f"retrieve at {int(size):,} and encoding by e5, ms p50"
            yield Check(words, round(ours + encoded, 3), _MOST_ENCODED[size], least=False)
        late = round(systems[_MARSKG]["p95_ms"] / ours, 3)
        yield Check(f"retrieve at {int(size):,}, p95 ÷ p50", late, _LONGEST, least=False)
        read = systems.get("index", {}).get("seconds")
        if read is not None and size in _INDEX_S:
            yield Check(f"the index of {int(size):,}, s", read, _INDEX_S[size], least=False)
        for peer, most in (("mem0", 1.0), ("chroma", 2.0)):
            theirs = systems.get(peer, {}).get("p50_ms")
            if theirs:
                yield Check(f"retrieve at {int(size):,} ÷ {peer}", round(ours / theirs, 3), most, least=False)


def show(result: Mapping[str, Any]) -> None:
    """Print the tables to standard output."""
    console = Console(highlight=False, markup=False, emoji=False)
    for table in tables(result):
        console.print(table)


def tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """Yield a table for each task of a track, that of the latencies, and that of what must be reached."""
    for track, systems in result.get("tracks", {}).items():
        yield from _tracks(f"Track {track}, {result['period']}, {len(result['personas'])} personas", systems)
    if result.get("evidence", {}).get("systems"):
        yield from recall_report.tables(result["evidence"])
    if "beliefs" in result:
        yield from beliefs_report.tables(result["beliefs"])
    if result.get("learning", {}).get("kinds"):
        yield _taught(result["learning"])
    if result.get("fit"):
        yield from _fit(result["fit"])
    if result.get("latency"):
        yield _latency(result["latency"])
    found = list(checks(result))
    if found:
        made = _table("measure", "figure", "wanted", "", title="What it must reach")
        for check in found:
            sign = "≥" if check.least else "≤"
            mark = "" if check.reached else "missed"
            made.add_row(check.words, f"{check.value:,.3f}", f"{sign} {check.wanted:g}", mark)
        yield made


def _tracks(title: str, systems: Mapping[str, Any]) -> Iterator[Table]:
    """Yield a table for each task of a track."""
    for task in dict.fromkeys(task for tasks in systems.values() for task in tasks):
        columns = ("system", "k", "FAMA", "presence", "stale", "raw", "tokens", "stale tokens")
        made = _table(*columns, title=f"{title}: {task}")
        for system, of_system in systems.items():
            for depth, figures in of_system.get(task, {}).items():
                shares = (_share(figures[name]) for name in ("fama", "presence", "stale", "raw"))
                tokens = (f"{figures[name]:,.0f}" for name in ("tokens", "stale_tokens"))
                made.add_row(system, depth, *shares, *tokens)
            made.add_section()
        yield made


def _fit(fit: Mapping[str, Any]) -> Iterator[Table]:
    made = _table("setting", "used", "learned", title="Weights")
    for name, weights in fit["weights"].items():
        made.add_row(name, f"{weights['used']:g}", f"{weights['learned']:g}")
    yield made
    heads = [f"{budget:,} tokens" for budget in fit["budgets"]]
    title = "Evidence by the weights used, and by those learned without the conversation, per cent"
    made = _table("file", "weights", *heads, title=title)
    for file, kinds in fit["evidence"].items():
        for kind, shares in kinds.items():
            made.add_row(file, kind, *map(_share, shares.values()))
        made.add_section()
    yield made


def _taught(found: Mapping[str, Any]) -> Table:
    heads = [f"{budget:,} tokens" for budget in found["budgets"]]
    asked = sum(found["complete"].values())
    title = (
        f"Evidence before → after {found['rounds']:,} rounds of use, per cent: "
        f"{len(found['complete'])} conversations, {asked} questions, {found['embedding']}"
    )
    made = _table("feedback", "given", "questions", *heads, title=title)
    for kind, groups in found["kinds"].items():
        for group, cells in groups.items():
            pairs = (f"{_share(cell['before'])} → {_share(cell['after'])}" for cell in cells.values())
            made.add_row(kind, f"{found['given'][kind]:,}", group.replace("_", " "), *pairs)
        made.add_section()
    return made


def _latency(latency: Mapping[str, Any]) -> Table:
    made = _table("memories", "system", "p50 ms", "p95 ms", "items", "note", title="One retrieval")
    for size, systems in latency.items():
        for name, figures in systems.items():
            times = (f"{figures[key]:.2f}" if key in figures else "" for key in ("p50_ms", "p95_ms"))
            made.add_row(f"{int(size):,}", name, *times, str(figures.get("items", "")), figures.get("note", ""))
    return made


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _table(*columns: str, title: str) -> Table:
    made = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        words = name in {"system", "measure", "note"}
        made.add_column(name, justify="left" if words else "right", overflow="fold", no_wrap=name == "system")
    return made
