"""The long campaigns at their full numbers, each a set of tests with an environment: ``make proof``.

Guarantees: what has passed on a commit is remembered in a line of ``.work/proof/COMMIT.jsonl`` and not run again, so
that a run that was cut off, or interrupted, goes on with what is missing; what failed is run again. A campaign is
divided into parts, each of some minutes, with chances of its own. The table at the end counts what was done; the exit
status is 0 only if every part has passed.

``python -m scripts.proof --only kills`` runs the campaigns with that word in their names, ``--list`` shows them all.
Where the checkout differs from its commit, what is remembered is of that difference.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

ROOT: Final = Path(__file__).parents[1]
FOLDER: Final = ROOT / ".work" / "proof"
_INTERRUPTED: Final = 130
#: Seconds for one test of a part; ``make test`` grants less.
_PATIENCE_S: Final = 3 * 3600
_CRASH: Final = "tests/crash/test_crash.py::test_a_"
_KILLED: Final = "tests/crash/test_operations.py::test_a_process_killed_in_the_midst_of"
_LEARNING: Final = "tests/crash/test_killed_reader.py::test_learning_that_is_killed_ends_as_if_it_had_not_been"
_CALLS: Final = "tests/property/test_calls.py::test_what_many_calls_leave"


@dataclass(frozen=True)
class Campaign:
    """Some tests, run ``parts`` times; ``{part}`` in a test or a value is the number of the part, from 0."""

    name: str
    tests: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    parts: int = 1
    #: How many of what a part does; 0 where the tests count themselves.
    each: int = 0
    unit: str = "tests"


def _kills(name: str, parts: int, each: int = 10, test: str | None = None, *, of: int = 1) -> Campaign:
    """Return a campaign of kills; of tests that kill once in ``of`` times, ``each`` are the kills."""
    chosen = {"CRASH_KILLS": f"{each * of}", "CRASH_NEO4J_KILLS": f"{each}", "CRASH_SEED": "{part}"}
    return Campaign(f"kills: {name}", (test or f"{_KILLED}[{name}]",), chosen, parts, each, "kills")


def _calls(name: str, test: str) -> Campaign:
    chosen = {"GATE_CALLS": "2000", "GATE_SEEDS": "10"}
    return Campaign(f"calls: {name}", (f"{_CALLS}{test}[{{part}}]",), chosen, 10, 2_000, "calls")


#: A new campaign is a line here.
CAMPAIGNS: Final[tuple[Campaign, ...]] = (
    _kills("restore", 10),
    _kills("scrub", 5),
    _kills("rotation", 5),
    _kills("reembedding", 5),
    _kills("snapshot", 5),
    _kills("migration", 5),
    _kills("writer", 10, 20, f"{_CRASH}killed_writer_loses_nothing_that_it_acknowledged"),
    _kills("opening", 4, 10, f"{_CRASH}writer_killed_while_it_opens_the_store_leaves_it_usable", of=5),
    _kills("server", 4, 5, f"{_CRASH}killed_server_loses_nothing_that_it_acknowledged"),
    _kills("learning by rules", 5, test=f"{_LEARNING}[rules]"),
    _kills("learning slowly", 5, test=f"{_LEARNING}[slow]"),
    Campaign("kills: the rest", ("tests/crash/test_encryption.py", "tests/crash/test_scrub.py"), {"CRASH_KILLS": "50"}),
    Campaign("kills: copies", ("tests/crash/test_copies.py",), {"COPY_KILLS": "20"}, 1, 20, "kills"),
    Campaign("bytes: embedded", ("tests/crash/test_residue.py",), {"RESIDUE_STORES": "200"}, 1, 200, "stores"),
    Campaign("bytes: encrypted", ("tests/conformance/test_encryption_covers.py",)),
    _calls("embedded", "_is_sound"),
    _calls("server", "_on_a_server_is_sound"),
    Campaign("tampering: store", ("tests/redteam/test_store_tampering.py",)),
    Campaign("tampering: exports", ("tests/redteam/test_tampered_exports.py",)),
    Campaign(
        "bad input", ("tests/integration/test_bad_calls.py", "tests/cli/test_bad_arguments.py"), {"BAD_CALLS": "all"}
    ),
)


@dataclass(frozen=True)
class Done:
    """One part that was run: its last line, and whether it passed."""

    campaign: str
    part: int
    passed: bool
    said: str
    seconds: float


#: Runs a part of a campaign; returns whether it passed, and the last line that it printed.
Runner: TypeAlias = Callable[[Campaign, int], tuple[bool, str]]


def run(campaign: Campaign, part: int) -> tuple[bool, str]:
    """Run one part in a process of its own, with its output on standard error if it fails."""
    tests = [test.format(part=part) for test in campaign.tests]
    chosen = {name: value.format(part=part) for name, value in campaign.environment.items()}
    patient = ["--timeout", f"{_PATIENCE_S}", "-o", f"faulthandler_timeout={_PATIENCE_S}"]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *patient, *tests]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **chosen}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as child:
        try:
            out, _ = child.communicate()
        except BaseException:
            child.terminate()
            raise
    if child.returncode:
        sys.stderr.write(out)
    return child.returncode == 0, (out.strip().splitlines() or ["nothing"])[-1]


def prove(campaigns: Sequence[Campaign], log: Path, runner: Runner = run, say: Callable[[str], None] = print) -> int:
    """Run what ``log`` does not say has passed, add a line to it for each part, and say what came of all of them.

    Returns the exit status: 0 where everything has passed, 1 where something has not, 130 after Ctrl-C.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    status = 0
    parts = [(one, part) for one in campaigns for part in range(one.parts)]
    done = read(log)
    try:
        for number, (campaign, part) in enumerate(parts, 1):
            place = f"[{number}/{len(parts)}] {campaign.name}, part {part + 1} of {campaign.parts}"
            if (found := done.get((campaign.name, part))) is not None and found.passed:
                say(f"{place}: passed before")
                continue
            say(f"{place}: runs")
            began = time.monotonic()
            passed, said = runner(campaign, part)
            one = Done(campaign.name, part, passed, said, round(time.monotonic() - began, 1))
            with log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(one)) + "\n")
            say(f"{place}: {said}")
    except KeyboardInterrupt:
        say("interrupted; the same command goes on with what is missing")
        status = _INTERRUPTED
    for line in table(campaigns, read(log)):
        say(line)
    passed_all = all((found := read(log).get((one.name, part))) is not None and found.passed for one, part in parts)
    return status or (0 if passed_all else 1)


def read(log: Path) -> dict[tuple[str, int], Done]:
    """Return what was run, the last run of each part; a line that was cut off is none."""
    found: dict[tuple[str, int], Done] = {}
    for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else ():
        try:
            one = Done(**json.loads(line))
        except (TypeError, ValueError):
            continue
        found[one.campaign, one.part] = one
    return found


def table(campaigns: Sequence[Campaign], done: Mapping[tuple[str, int], Done]) -> list[str]:
    """Return one line for each campaign: parts that passed, failed and are missing, what was done, and how long."""
    lines = [f"{'campaign':<22}{'passed':>8}{'failed':>8}{'missing':>9}{'done':>16}{'seconds':>10}"]
    for one in campaigns:
        found = [done[one.name, part] for part in range(one.parts) if (one.name, part) in done]
        passed = sum(part.passed for part in found)
        count = f"{passed * one.each:,} {one.unit}" if one.each else ""
        seconds = sum(part.seconds for part in found)
        missing = one.parts - len(found)
        lines.append(f"{one.name:<22}{passed:>8}{len(found) - passed:>8}{missing:>9}{count:>16}{seconds:>10.0f}")
    return lines


def _commit() -> str:
    """Return the name of what is checked out: the commit, and a digest of what differs from it."""
    git = shutil.which("git") or "git"
    head = subprocess.run([git, "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    changes = subprocess.run([git, "diff", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
    return head.strip() + (f"-{hashlib.sha256(changes).hexdigest()[:12]}" if changes else "")


def main() -> int:
    """Run the campaigns that were asked for."""
    parser = argparse.ArgumentParser(description="Run the long campaigns at their full numbers.")
    parser.add_argument("--only", default="", help="campaigns with this in their names")
    parser.add_argument("--list", action="store_true", help="show the campaigns and run none")
    given = parser.parse_args()
    chosen = [one for one in CAMPAIGNS if given.only in one.name]
    log = FOLDER / f"{_commit()}.jsonl"
    if given.list:
        sys.stdout.write("\n".join(table(chosen, read(log))) + "\n")
        return 0
    return prove(chosen, log, say=lambda line: print(line, flush=True))


if __name__ == "__main__":
    sys.exit(main())
