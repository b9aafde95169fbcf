"""``mars bench starts``: what a command takes from its start to its end, by each build of the embedded engine.

Guarantees: processor time and memory of whole processes; all that is compared runs by turns in one run, in folders of
its own; nothing that exists is touched.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from marskg.errors import EngineUnavailable
from marskg_bench.common import report
from marskg_bench.common.options import reporting
from marskg_bench.common.processes import own_environment
from marskg_bench.common.progress import saying

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.table import Table

    from marskg_bench.common.progress import Say

_MARS: Final = (sys.executable, "-c", "from marskg.cli.main import main; main()")
_COMMANDS: Final = {
    "--help": ("--help",),
    "stats": ("stats",),
    "remember": ("remember", "Ann drinks green tea in the morning"),
    "retrieve": ("retrieve", "what does Ann drink"),
}
_AT: Final = "2026-01-05T09:00:00Z"
_NATIVE, _JVM, _OTHER = "native", "jvm", "the other version"


class Used(NamedTuple):
    """What a process took."""

    #: Seconds of processor time.
    seconds: float
    #: Megabytes of memory at its largest.
    megabytes: float


def measure(runs: int, other: Path | None, memories: int, say: Say) -> dict[str, Any]:
    """Return what each command took in each way on a store of so many ``memories``, best and median of ``runs``.

    Raises:
        EngineUnavailable: a command fails.
    """
    with tempfile.TemporaryDirectory(prefix="marskg-bench-") as name:
        folder = Path(name)
        ways = {way: own_environment(folder / way) | {"MARS_ENGINE": way} for way in (_NATIVE, _JVM)}
        if other is not None:
            ways[_OTHER] = own_environment(folder / "other") | {"PYTHONPATH": str(other)}
        written = folder / "memories.jsonl"
        _write(written, memories)
        for way, variables in ways.items():
            say(f"a store of {memories:,} memories: {way}")
            _used(("init", "--encryption", "subjects", "--budget", str(1 << 40)), variables)
            if memories:
                _used(("import", "chat", str(written)), variables)
            _used(("stats",), variables)  # Python compiles its modules, the disk is warm
        taken: dict[str, dict[str, list[Used]]] = {command: {way: [] for way in ways} for command in _COMMANDS}
        for turn in range(runs):
            say(f"run {turn + 1} of {runs}")
            for command, arguments in _COMMANDS.items():
                for way, variables in ways.items():
                    taken[command][way].append(_used(arguments, variables))
    return {command: {way: _figures(found) for way, found in by_way.items()} for command, by_way in taken.items()}


def _figures(found: Sequence[Used]) -> dict[str, float]:
    seconds = [one.seconds for one in found]
    return {
        "best": round(min(seconds), 3),
        "median": round(statistics.median(seconds), 3),
        "megabytes": round(statistics.median(one.megabytes for one in found), 1),
    }


def _write(path: Path, memories: int) -> None:
    """Write a conversation of so many turns."""
    turns = (f"Turn {number}: box {number * 7919 % 997} stands on shelf {number % 89}" for number in range(memories))
    lines = (json.dumps({"role": "user", "content": turn, "timestamp": _AT}) for turn in turns)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _used(arguments: Sequence[str], variables: Mapping[str, str]) -> Used:
    """Run a command and return what it and its children took.

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
    # Kilobytes, but bytes on macOS.
    return Used(used.ru_utime + used.ru_stime, used.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10))


@click.command("mars bench starts", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--runs", type=click.IntRange(min=1), default=5, show_default=True, help="Of each command in each way.")
@click.option("--memories", type=click.IntRange(min=0), default=0, show_default=True, help="In the store.")
@click.option(
    "--beside",
    "other",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    metavar="FOLDER",
    help="The src folder of another version, to run by turns with this one.",
)
@reporting
def command(*, runs: int, memories: int, other: Path | None, save: Path | None, as_json: bool) -> None:
    """Measure what short commands take in processor time and memory, by each build of the embedded engine.

    It is that of the whole process, on an encrypted store in a folder; all ways run by turns.
    """
    with saying() as say:
        found = measure(runs, other, memories, say)
    shared = {"bench": "starts", "environment": report.environment(), "runs": runs, "memories": memories}
    result = {**shared, "commands": found}
    report.deliver(result, lambda made: report.print_tables(_tables(made)), save, as_json=as_json)


def _tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """Yield the table of the environment and that of the commands."""
    yield report.environment_table(result["environment"], "mars bench starts")
    title = f"Seconds of processor time, {result['runs']} runs, {result['memories']:,} memories"
    made = report.table("command", "", "best", "median", "÷ native", "MB", title=title)
    for name, by_way in result["commands"].items():
        for way, found in by_way.items():
            ratio = f"{found['best'] / by_way[_NATIVE]['best']:.2f}"
            figures = (f"{found['best']:.2f}", f"{found['median']:.2f}", ratio, f"{found['megabytes']:.0f}")
            made.add_row(f"mars {name}", way, *figures)
        made.add_section()
    yield made


def main(arguments: Sequence[str]) -> int:
    """Run the bench with command-line ``arguments``; returns the exit status."""
    return int(command.main(list(arguments), prog_name="mars bench starts", standalone_mode=False) or 0)
