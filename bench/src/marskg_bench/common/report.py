"""The bench's figures as a table and a chart, with the environment that they come from.

Guarantees: every ratio is shown with what it must reach; a figure that misses it is marked, never left out.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rich import box
from rich.table import Table

from marskg.errors import InvalidInput, StoreUnwritable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from matplotlib.figure import Figure

_LIBRARIES = ("marskg", "arcadedb", "neo4j", "pyoxigraph", "cryptography", "pyshacl", "pyrudof", "tokenizers")
_CHART = "marskg[chart]"


class Target(NamedTuple):
    """What one figure must reach on each engine: at least, or at most."""

    path: str
    words: str
    embedded: float
    server: float
    least: bool = True


TARGETS = (
    Target("remember.single.ratio", "one remember ÷ bare", 0.5, 0.8),
    Target("remember.many.ratio", "a batch ÷ bare batch", 0.35, 0.35),
    Target("remember.besides.vectors.ratio", "with vectors ÷ without", 0.8, 0.8),
    Target("remember.besides.entities.ratio", "with entities ÷ without", 0.8, 0.8),
    Target("remember.besides.sensitivity.ratio", "with sensitivity ÷ without", 0.5, 0.5),
    Target("writes.full_budget.ratio", "at a full budget ÷ bare", 0.4, 0.65),
    Target("writes.four_threads.ratio", "four threads ÷ bare", 0.6, 0.5),
    Target("access.ratio", "access of 10 ÷ bare update", 0.5, 0.6),
    *(
        target
        for name, most in (("fifo", 2.0), ("lru", 2.0), ("random_drop", 2.0), ("priority_decay", 2.5))
        for target in (
            Target(f"triggers.{name}.ratio", f"trigger of {name}, large ÷ small", most, most, least=False),
            Target(
                f"triggers.{name}.after_evictions.ratio", f"… {name} after evictions ÷ small", most, most, least=False
            ),
        )
    ),
    Target("verify.records_per_cpu_second", "records verified a second of one core", 3000, 3000),
    Target("export.ratio", "JSON-LD ÷ pyoxigraph's dump", 0.5, 0.5),
    Target("validation.one_write_ms", "validation of one write, ms", 2, 2, least=False),
)

#: What was timed while others wrote, and alone, by its name in the document.
_WAITING: Final[Mapping[str, str]] = MappingProxyType(
    {
        "alone": "a short write, alone",
        "beside": "… beside three writers of long texts and a reader",
        "other_tenant": "… in another tenant, beside them",
        "reader": "the reader's own retrieval",
    }
)


def environment() -> dict[str, Any]:
    """Return what the figures depend on."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "packages": {name: found for name in _LIBRARIES if (found := _version(name))},
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def rows(result: Mapping[str, Any]) -> Iterator[tuple[str, Target, float, bool]]:
    """Yield engine, target, figure and whether it is reached, for what was measured."""
    for engine, figures in result["engines"].items():
        for target in TARGETS:
            value = _at(figures, target.path)
            if value is not None:
                wanted = target.embedded if engine == "arcadedb" else target.server
                yield engine, target, value, value >= wanted if target.least else value <= wanted


def _at(figures: Mapping[str, Any], path: str) -> float | None:
    found: Any = figures
    for name in path.split("."):
        if name not in found:
            return None
        found = found[name]
    return float(found)


def tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """Yield the table of the environment, that of the medians and that of the ratios."""
    made = environment_table(result["environment"], f"mars bench store, n = {result['n']:,}")
    for engine, figures in result["engines"].items():
        made.add_row(engine, f"{figures['version']}, measured in {figures['seconds']:.0f} s")
    yield made
    made = table("engine", "measure", "governed ms", "bare ms", "bare, our driver", title="Medians of one write")
    for engine, figures in result["engines"].items():
        for path in ("remember.single", "remember.many", "writes.full_budget", "writes.four_threads", "access"):
            group = figures
            for name in path.split("."):
                group = group.get(name, {})
            if group:
                same = group.get("same_driver", {}).get("bare_ms")
                shown = (group["governed_ms"], group["bare_ms"], same)
                made.add_row(engine, path, *("" if value is None else f"{value:.3f}" for value in shown))
    yield made
    made = table("engine", "what", "p50 ms", "p95 ms", "most ms", title="What a short write waits for")
    for engine, figures in result["engines"].items():
        waits = figures.get("writes", {}).get("waiting")
        for name, words in _WAITING.items() if waits else ():
            made.add_row(engine, words, *(f"{waits[name][part]:.1f}" for part in ("p50_ms", "p95_ms", "most_ms")))
    yield made
    made = table("engine", "measure", "figure", "wanted", "", title="Within this run")
    for engine, target, value, reached in rows(result):
        wanted = target.embedded if engine == "arcadedb" else target.server
        sign = "≥" if target.least else "≤"
        made.add_row(engine, target.words, f"{value:,.6g}", f"{sign} {wanted:,g}", "" if reached else "missed")
    yield made


def environment_table(known: Mapping[str, Any], title: str) -> Table:
    """Return a table of what the figures depend on, as :func:`environment` gives it."""
    made = table("", "", title=title)
    for name in ("system", "processor", "cores", "load", "python"):
        made.add_row(name, str(known[name]))
    made.add_row("packages", ", ".join(f"{name} {number}" for name, number in known["packages"].items()))
    return made


def table(*columns: str, title: str) -> Table:
    """Return an empty table; all but its first two columns are of numbers."""
    made = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(columns):
        made.add_column(name, justify="left" if place < 2 else "right", overflow="fold")  # noqa: PLR2004 - two of words
    made.show_header = any(columns)
    return made


def check_chart(path: Path | None) -> None:
    """Refuse a chart that cannot be drawn before anything is measured.

    Raises:
        InvalidInput: the drawing library is missing.
    """
    if path is not None and find_spec("matplotlib") is None:
        msg = f"--chart needs matplotlib, which is not installed; install it with: pip install '{_CHART}'"
        raise InvalidInput(msg)


def save(result: Mapping[str, Any], path: Path) -> None:
    """Write the JSON document to ``path``.

    Raises:
        StoreUnwritable: the file cannot be written.
    """
    try:
        path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        msg = f"the figures {path} cannot be written ({error.strerror}); choose another place"
        raise StoreUnwritable(msg) from error


def draw(result: Mapping[str, Any], path: Path) -> None:
    """Draw every ratio as a multiple of what it must reach; the format follows the suffix of ``path``.

    Raises:
        InvalidInput: the suffix is no format that can be drawn.
        StoreUnwritable: the file cannot be written.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    found = [(engine, target, value, reached) for engine, target, value, reached in rows(result)]
    figure = Figure(figsize=(9, 1 + 0.32 * len(found)), layout="constrained")
    axes = figure.subplots()
    labels = [f"{engine}: {target.words}" for engine, target, _, _ in found]
    lengths = [_margin(engine, target, value) for engine, target, value, _ in found]
    colours = ["#2a7f62" if reached else "#b3452c" for *_, reached in found]
    bars = axes.barh(labels, lengths, color=colours)
    axes.bar_label(bars, [f"{value:,.4g}" for _, _, value, _ in found], padding=3, fontsize=8)
    axes.axvline(1.0, color="black", linewidth=1)
    axes.invert_yaxis()
    axes.set_xlabel("margin to what it must reach (1 = just reached, further right is better)")
    axes.set_title(f"mars bench store, n = {result['n']:,}, {result['environment']['cores']} cores")
    axes.set_xlim(0, max(lengths, default=1.0) * 1.15)
    save_figure(figure, path)


def save_figure(figure: Figure, path: Path) -> None:
    """Write a chart; the format follows the suffix of ``path``.

    Raises:
        InvalidInput: the suffix is no format that can be drawn.
        StoreUnwritable: the file cannot be written.
    """
    try:
        figure.savefig(path)
    except ValueError as error:
        msg = f"{path} has no suffix that a chart can have ({str(error)[:80]}); write for example chart.svg"
        raise InvalidInput(msg) from error
    except OSError as error:
        msg = f"the chart {path} cannot be written ({error.strerror}); choose another place"
        raise StoreUnwritable(msg) from error


def _margin(engine: str, target: Target, value: float) -> float:
    wanted = target.embedded if engine == "arcadedb" else target.server
    if target.least:
        return value / wanted
    return wanted / value if value else 1.0


def show(result: Mapping[str, Any]) -> None:
    """Print the tables to standard output."""
    print_tables(tables(result))


def deliver(
    result: Mapping[str, Any], show: Callable[[Mapping[str, Any]], object], to: Path | None, *, as_json: bool
) -> None:
    """Answer a command: the JSON document, or what ``show`` prints of it; written to a file as well where one is given.

    Raises:
        StoreUnwritable: the file cannot be written.
    """
    if as_json:
        sys.stdout.write(json.dumps(result, indent=2) + "\n")
    else:
        show(result)
    if to is not None:
        save(result, to)


def print_tables(made: Iterable[Table]) -> None:
    """Print tables to standard output, as wide as the terminal."""
    from rich.console import Console  # noqa: PLC0415 - for people only

    width = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else 120
    console = Console(file=sys.stdout, width=width, highlight=False, markup=False, emoji=False)
    for one in made:
        console.print(one)
