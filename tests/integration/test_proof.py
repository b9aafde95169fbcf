"""``make proof``: it goes on where it was cut off, runs again what failed, and knows the tests that it names."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.proof import CAMPAIGNS, Campaign, prove, read, run

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parents[2]
TWO = (Campaign("one", ("tests/one",), parts=2, each=10, unit="kills"), Campaign("two", ("tests/two",)))


class Runner:
    """Runs nothing: what each part comes to is told beforehand."""

    def __init__(self, *outcomes: str | type[BaseException]) -> None:
        self.outcomes = list(outcomes)
        self.asked: list[tuple[str, int]] = []

    def __call__(self, campaign: Campaign, part: int) -> tuple[bool, str]:
        self.asked.append((campaign.name, part))
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, str):
            return outcome == "1 passed", outcome
        raise outcome


def test_what_was_cut_off_goes_on_and_what_failed_runs_again(tmp_path: Path) -> None:
    log = tmp_path / "proof" / "commit.jsonl"
    said: list[str] = []
    first = Runner("1 passed", KeyboardInterrupt)
    assert prove(TWO, log, first, said.append) == 130
    assert first.asked == [("one", 0), ("one", 1)]
    assert said[-2].split() == ["one", "1", "0", "1", "10", "kills", "0"]
    log.write_text(log.read_text(encoding="utf-8") + '{"campaign": "two", "par', encoding="utf-8")
    assert list(read(log)) == [("one", 0)]
    log.write_text(log.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    second = Runner("1 passed", "1 failed")
    assert prove(TWO, log, second, said.append) == 1
    assert second.asked == [("one", 1), ("two", 0)]
    assert said[-1].split() == ["two", "0", "1", "0", "0"]
    third = Runner("1 passed")
    assert prove(TWO, log, third, said.append) == 0
    assert third.asked == [("two", 0)]
    assert prove(TWO, log, Runner(), said.append) == 0


def test_a_part_is_a_run_of_tests_with_its_environment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    test = tmp_path / "test_part.py"
    test.write_text("import os\n\n\ndef test_part() -> None:\n    assert os.environ['PART'] == '1'\n", encoding="utf-8")
    campaign = Campaign("one", (str(test),), {"PART": "{part}"}, 2)
    passed, said = run(campaign, 1)
    assert passed
    assert said.startswith("1 passed")
    passed, said = run(campaign, 0)
    assert not passed
    assert "1 failed" in said
    assert "assert '0' == '1'" in capsys.readouterr().err
    assert not run(replace(campaign, tests=(f"{test}::test_none",)), 1)[0], "no test at all has proven nothing"


def test_every_campaign_names_tests_that_are_there() -> None:
    names = [test.format(part=one.parts - 1) for one in CAMPAIGNS for test in one.tests]
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-n", "0", "-p", "no:cacheprovider", *names]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "GATE_SEEDS": "10"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
