"""``mars bench starts``: what a command takes from its start to its end, with and without the archive of classes.

Guarantees: processor time of whole processes, children included; all that is compared runs by turns in one run, in
folders of its own; nothing that exists is touched.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from marskg.errors import EngineUnavailable
from marskg_bench.common import report
from marskg_bench.common.options import reporting
from marskg_bench.common.progress import saying

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.table import Table

    from marskg_bench.common.progress import Say

_MARS: Final = (sys.executable, "-c", "from marskg.cli.main import main; main()")
_COMMANDS: Final = {"--help": ("--help",), "stats": ("stats",)}
_PLAIN, _QUICK, _OTHER = "without an archive", "with the archive", "the other version"


def measure(runs: int, other: Path | None, say: Say) -> dict[str, Any]:
    """Return the seconds of each command in each way, best and median of ``runs``.

    Raises:
        EngineUnavailable: a command fails.
    """
    with tempfile.TemporaryDirectory(prefix="marskg-bench-") as name:
        folder = Path(name)
        ways = {_PLAIN: _variables(folder / "plain"), _QUICK: _variables(folder / "quick")}
        if other is not None:
            ways[_OTHER] = _variables(folder / "other") | {"PYTHONPATH": str(other)}
        for way, variables in ways.items():
            # Nobody can make a folder below a device.
            cache = variables["XDG_CACHE_HOME"] if way == _QUICK else os.devnull
            _seconds(("init", "--encryption", "subjects"), variables | {"XDG_CACHE_HOME": cache})
            _seconds(("stats",), variables)  # Python compiles its modules, the disk is warm
        taken: dict[str, dict[str, list[float]]] = {command: {way: [] for way in ways} for command in _COMMANDS}
        for turn in range(runs):
            say(f"run {turn + 1} of {runs}")
            for command, arguments in _COMMANDS.items():
                for way, variables in ways.items():
                    taken[command][way].append(_seconds(arguments, variables))
    return {command: {way: _figures(found) for way, found in by_way.items()} for command, by_way in taken.items()}


def _figures(seconds: Sequence[float]) -> dict[str, float]:
    return {"best": round(min(seconds), 3), "median": round(statistics.median(seconds), 3)}


def _variables(folder: Path) -> dict[str, str]:
    """Return the environment of somebody to whom nothing belongs but ``folder``."""
    folder.mkdir()
    own = {"MARS_HOME": "home", "XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config", "MARS_STORE": "store"}
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("MARS_", "ARCADEDB_"))}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return kept | {name: str(folder / below) for name, below in own.items()}


def _seconds(arguments: Sequence[str], variables: Mapping[str, str]) -> float:
    """Run a command and return the processor time that it and its children took.

    Raises:
        EngineUnavailable: it fails.
    """
    null = subprocess.DEVNULL
    process = subprocess.Popen([*_MARS, *arguments], env=dict(variables), stdin=null, stdout=null, stderr=null)  # noqa: S603 - this program
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        msg = f"mars {arguments[0]} ended with status {process.returncode}; run it by itself to see why"
        raise EngineUnavailable(msg)
    return used.ru_utime + used.ru_stime


@click.command("mars bench starts", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--runs", type=click.IntRange(min=1), default=5, show_default=True, help="Of each command in each way.")
@click.option(
    "--beside",
    "other",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    metavar="FOLDER",
    help="The src folder of another version, to run by turns with this one.",
)
@reporting
def command(*, runs: int, other: Path | None, save: Path | None, as_json: bool) -> None:
    """Measure the processor time of `mars --help` and `mars stats`, with and without the archive of classes.

    It is that of the whole process, on an empty encrypted store in a folder; all ways run by turns.
    """
    with saying() as say:
        found = measure(runs, other, say)
    result = {"bench": "starts", "environment": report.environment(), "runs": runs, "commands": found}
    report.deliver(result, lambda made: report.print_tables(_tables(made)), save, as_json=as_json)


def _tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """Yield the table of the environment and that of the commands."""
    yield report.environment_table(result["environment"], "mars bench starts")
    title = f"Seconds of processor time, {result['runs']} runs"
    made = report.table("command", "", "best", "median", "÷ without an archive", title=title)
    for name, by_way in result["commands"].items():
        for way, found in by_way.items():
            ratio = found["best"] / by_way[_PLAIN]["best"]
            made.add_row(f"mars {name}", way, f"{found['best']:.2f}", f"{found['median']:.2f}", f"{ratio:.2f}")
        made.add_section()
    yield made


def main(arguments: Sequence[str]) -> int:
    """Run the bench with command-line ``arguments``; returns the exit status."""
    return int(command.main(list(arguments), prog_name="mars bench starts", standalone_mode=False) or 0)
