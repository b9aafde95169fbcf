"""The long campaigns at their full numbers, each a set of tests with an environment: ``make proof``.

Guarantees: what has passed on a commit is remembered in a line of ``.work/proof/COMMIT.jsonl`` and not run again, so
that a run that was cut off, or interrupted, goes on with what is missing; what failed is run again. A campaign is
divided into parts, each of some minutes, with chances of its own. The table at the end counts what was done; the exit
status is 0 only if every part has passed.

A campaign whose parts have all been run on a clean commit leaves one JSON in ``docs/reference/proof/``, passed or not,
and ``docs/reference/proof.md`` is made from those.

``python -m scripts.proof --only kills`` runs the campaigns with that word in their names, ``--list`` shows them all,
``--page`` writes the page alone. Where the checkout differs from its commit, what is remembered is of that difference.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeAlias

ROOT: Final = Path(__file__).parents[1]
FOLDER: Final = ROOT / ".work" / "proof"
#: One JSON for each campaign that was run in full, and the page that is made from them.
RECORDS: Final = ROOT / "docs" / "reference" / "proof"
PAGE: Final = RECORDS.with_suffix(".md")
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
    #: What it does, in a line of the page.
    about: str
    environment: Mapping[str, str] = field(default_factory=dict)
    parts: int = 1
    #: How many of what a part does; 0 where the tests count themselves.
    each: int = 0
    unit: str = "tests"


def _kills(name: str, parts: int, each: int = 10, test: str | None = None, *, of: int = 1) -> Campaign:
    """Return a campaign of kills; of tests that kill once in ``of`` times, ``each`` are the kills."""
    chosen = {"CRASH_KILLS": f"{each * of}", "CRASH_NEO4J_KILLS": f"{each}", "CRASH_SEED": "{part}"}
    about = f"a process killed at random moments of: {name}"
    return Campaign(f"kills: {name}", (test or f"{_KILLED}[{name}]",), about, chosen, parts, each, "kills")


def _calls(name: str, test: str) -> Campaign:
    chosen = {"GATE_CALLS": "2000", "GATE_SEEDS": "10"}
    about = "random calls of the public API: what is accepted is sound, loads back and can be erased"
    return Campaign(f"calls: {name}", (f"{_CALLS}{test}[{{part}}]",), about, chosen, 10, 2_000, "calls")


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
    _kills("reading", 2, 25, "tests/crash/test_accesses.py"),
    _kills("cleaning", 2, 25, "tests/crash/test_scrub.py"),
    Campaign(
        "kills: points",
        ("tests/crash/test_operations.py::test_a_process_killed_at_a_point",),
        "a process killed at each named point of an operation",
    ),
    Campaign(
        "power",
        ("tests/crash/test_power_loss.py",),
        "a loss of power after which any page may be an old one: what was acknowledged is there, in either build",
        each=200,
        unit="losses",
    ),
    Campaign(
        "openings",
        ("tests/crash/test_openings.py",),
        "a store that is opened and closed again and again: nothing is lost, and nothing is left behind in the process",
        each=10_000,
        unit="openings",
    ),
    Campaign(
        "bytes: embedded",
        ("tests/crash/test_residue.py",),
        "what was erased is in no file of random stores, not three bytes of it",
        {"RESIDUE_STORES": "200"},
        1,
        200,
        "stores",
    ),
    Campaign(
        "bytes: encrypted",
        ("tests/conformance/test_encryption_covers.py", "tests/conformance/test_encryption.py"),
        "nothing of an encrypted tenant is in clear in any file, after random histories, on both engines",
    ),
    Campaign(
        "deletion: protocol",
        ("tests/conformance/test_deletion_protocol.py",),
        "forgotten by each policy and any other way, then erased by each sort of request: told nowhere",
    ),
    Campaign(
        "bytes: server",
        ("tests/crash/test_server_compaction.py",),
        "what was erased does not get into the home of a new server",
    ),
    _calls("embedded", "_is_sound"),
    _calls("server", "_on_a_server_is_sound"),
    Campaign(
        "calls: power",
        ("tests/property/test_calls_power.py",),
        "each hole planted in the gate is found by random calls",
    ),
    Campaign(
        "soak",
        ("tests/property/test_soak.py::test_operations_under_each_policy_break_nothing",),
        "checked operations under each policy break no rule",
        {"SOAK_EACH": "7000", "SOAK_SEED": "{part}"},
        12,
        84_000,
        "operations",
    ),
    Campaign(
        "shuffled texts",
        (
            "tests/property/test_shuffled_texts.py::test_every_reader_answers_every_text",
            "tests/property/test_shuffled_texts.py::test_every_door_answers_every_text",
        ),
        "shuffled, cut and joined sentences of all languages that are read: every reader of text answers or refuses",
        {"SHUFFLED_SEED": "{part}"},
        20,
        10_000,
        "texts",
    ),
    Campaign(
        "stories",
        ("tests/stories/test_stories.py",),
        "lives of people with namesakes: nothing of another goes, nothing erased is told, no word is altered",
        {"STORIES_FROM": "{part}000"},
        20,
        1_000,
        "stories",
    ),
    Campaign(
        "histories",
        ("tests/property/test_histories.py", "tests/property/test_soak.py"),
        "random histories on both engines keep every invariant and give the same plans and bytes",
    ),
    Campaign(
        "policies",
        (
            "tests/property/test_policies.py",
            "tests/property/test_slices.py",
            "tests/property/test_reflecting_policies.py",
            "tests/integration/test_applied_plans.py",
        ),
        "every policy on up to a thousand random stores: order, floor, bound, shares",
    ),
    Campaign("tampering: store", ("tests/redteam/test_store_tampering.py",), "what is changed in a store is found"),
    Campaign(
        "tampering: exports", ("tests/redteam/test_tampered_exports.py",), "what is changed in an export is found"
    ),
    Campaign(
        "attempts",
        ("tests/redteam/test_attempts.py", "tests/redteam/test_power.py"),
        "attempts to learn what is hidden, on both engines, and what holes they find where one is planted",
    ),
    Campaign(
        "conformance",
        ("tests/conformance",),
        "each test for every engine on a server with all its parameters",
    ),
    Campaign(
        "bad input",
        (
            "tests/integration/test_bad_calls.py",
            "tests/integration/test_bad_names.py",
            "tests/cli/test_bad_arguments.py",
        ),
        "calls and commands with wrong values: refused in the product's words",
        {"BAD_CALLS": "all"},
    ),
    Campaign(
        "limits",
        ("tests/integration/test_bad_input.py", "tests/integration/test_query_limits.py"),
        "what the engine's memory cannot hold is refused and changes nothing",
    ),
    Campaign(
        "signals",
        ("tests/integration/test_signals.py", "tests/cli/test_process.py"),
        "every signal ends every kind of process in order",
    ),
    Campaign(
        "privacy", ("tests/integration/test_private_audit.py",), "differential privacy audited by thousands of draws"
    ),
    Campaign(
        "servers",
        (
            "tests/integration/test_neo4j_server.py",
            "tests/crash/test_crash.py::test_a_server_killed_before_a_commit_loses_nothing_that_was_acknowledged",
        ),
        "a killed Neo4j starts again with all it committed",
    ),
    Campaign(
        "evidence",
        ("tests/integration/test_assembled_evidence.py", "tests/unit/control/test_usage_quality.py"),
        "an answer holds what its own ranking holds, and what it uses is found",
    ),
    Campaign(
        "benches",
        (
            "tests/integration/test_bench.py",
            "tests/integration/test_growth_bench.py",
            "tests/integration/test_policies_bench.py",
        ),
        "the benches run whole, on both engines",
    ),
    Campaign(
        "speed",
        ("tests/unit/embedding/test_packing.py", "tests/unit/exporters/test_speed.py"),
        "vectors and exports are read and written as fast as is said",
    ),
    Campaign(
        "ontology",
        ("tests/unit/ontology/test_reasoning.py",),
        "the reasoner finds each contradiction that the ontology is to rule out",
    ),
    Campaign(
        "minilm",
        ("tests/interop/test_minilm_reference.py",),
        "MiniLM's vectors are those of sentence-transformers and torch",
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
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PROOF": "1", "HYPOTHESIS_PROFILE": "ci", **chosen}
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


def prove(
    campaigns: Sequence[Campaign],
    log: Path,
    runner: Runner = run,
    say: Callable[[str], None] = print,
    records: Path | None = None,
) -> int:
    """Run what ``log`` does not say has passed, add a line to it for each part, and say what came of all of them.

    Where ``records`` is given, a campaign whose parts have all been run on a clean commit leaves its JSON there.

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
            if records is not None and part == campaign.parts - 1:
                record(campaign, log, records)
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


def record(campaign: Campaign, log: Path, folder: Path) -> None:
    """Write what came of a campaign whose parts have all been run on a clean commit: none is written of a change."""
    done = read(log)
    parts = [done[campaign.name, part] for part in range(campaign.parts) if (campaign.name, part) in done]
    if len(parts) < campaign.parts or "-" in log.stem:
        return
    passed = sum(part.passed for part in parts)
    counts: dict[str, object] = {"parts": len(parts), "passed": passed, "said": [part.said for part in parts]}
    if campaign.each:
        counts[campaign.unit] = passed * campaign.each
    seeds = [str(part) for part in range(campaign.parts)] if campaign.parts > 1 else ["of the tests"]
    found = {
        "campaign": campaign.name,
        "commit": log.stem,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.platform(terse=True)}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "counts": counts,
        "seeds": seeds,
        "duration_s": round(sum(part.seconds for part in parts)),
        "result": "passed" if passed == len(parts) else "failed",
    }
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    (folder / f"{file_name(campaign)}.json").write_text(text, encoding="utf-8")


def file_name(campaign: Campaign) -> str:
    """Return the name of a campaign's JSON, without its ending."""
    return re.sub(r"[^a-z0-9]+", "-", campaign.name)


_HEAD: Final = """# What `make proof` has shown

<!-- made by: python -m scripts.proof --page -->

`make test` is decided in a quarter of an hour, by the commit alone. What takes longer, or is drawn anew each time, are
campaigns: `make proof` runs them at their full numbers, hours in all, and goes on where it was cut off. A row is of
the commit that it names, and of no other: where that is not the commit in front of you, `make proof ARGS="--only NAME"`
proves it again. `not yet` means that the campaign has not been run in full since this page is made from records, which
are in `docs/reference/proof/`.

| campaign | what it does | result | done | commit | date | minutes |
|---|---|---|---|---|---|---|
"""


def page(records: Path = RECORDS) -> str:
    """Return the page: one line for each campaign."""
    return _HEAD + "".join(f"{_row(one, records)}\n" for one in CAMPAIGNS)


def _row(one: Campaign, records: Path) -> str:
    path = records / f"{file_name(one)}.json"
    if not path.exists():
        return f"| {one.name} | {one.about} | not yet | | | | |"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    counts = found["counts"]
    done = f"{counts[one.unit]:,} {one.unit}" if one.unit in counts else _passed(counts["said"])
    minutes = max(1, round(found["duration_s"] / 60))
    said = f"{found['commit'][:10]} | {found['date']} | {minutes}"
    return f"| {one.name} | {one.about} | {found['result']} | {done} | {said} |"


def _passed(said: Sequence[str]) -> str:
    """Return how many tests passed, from the last lines of pytest."""
    return f"{sum(int(found[1]) for line in said if (found := re.search(r'([0-9]+) passed', line))):,} tests"


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
    # The records themselves are no change of what is proved.
    kept = [f":(exclude){path.relative_to(ROOT)}" for path in (RECORDS, PAGE)]
    changes = subprocess.run([git, "diff", "HEAD", "--", ".", *kept], cwd=ROOT, capture_output=True, check=True).stdout
    return head.strip() + (f"-{hashlib.sha256(changes).hexdigest()[:12]}" if changes else "")


def main() -> int:
    """Run the campaigns that were asked for."""
    parser = argparse.ArgumentParser(description="Run the long campaigns at their full numbers.")
    parser.add_argument("--only", default="", help="campaigns with this in their names")
    parser.add_argument("--list", action="store_true", help="show the campaigns and run none")
    parser.add_argument("--page", action="store_true", help="write the page from the records and run none")
    given = parser.parse_args()
    chosen = [one for one in CAMPAIGNS if given.only in one.name]
    log = FOLDER / f"{_commit()}.jsonl"
    if given.list:
        sys.stdout.write("\n".join(table(chosen, read(log))) + "\n")
        return 0
    try:
        return 0 if given.page else prove(chosen, log, say=lambda line: print(line, flush=True), records=RECORDS)
    finally:
        PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
