"""``make proof``: it goes on where it was cut off, runs again what failed, and knows the tests that it names."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.proof import CAMPAIGNS, PAGE, RECORDS, Campaign, file_name, page, prove, read, run

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parents[2]
TWO = (Campaign("one", ("tests/one",), "this", parts=2, each=10, unit="kills"), Campaign("two", ("tests/two",), "that"))


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
    campaign = Campaign("one", (str(test),), "this", {"PART": "{part}"}, 2)
    passed, said = run(campaign, 1)
    assert passed
    assert said.startswith("1 passed")
    passed, said = run(campaign, 0)
    assert not passed
    assert "1 failed" in said
    assert "assert '0' == '1'" in capsys.readouterr().err
    assert not run(replace(campaign, tests=(f"{test}::test_none",)), 1)[0], "no test at all has proven nothing"


def test_every_campaign_names_tests_that_are_there() -> None:
    for one in CAMPAIGNS:
        for test in one.tests:
            path, _, rest = test.partition("::")
            assert (ROOT / path).exists(), test
            assert not rest or f"\ndef {rest.partition('[')[0]}(" in (ROOT / path).read_text(encoding="utf-8"), test


def test_every_test_that_is_left_to_the_proof_is_in_a_campaign() -> None:
    named = {test.partition("::")[0] for one in CAMPAIGNS for test in one.tests}
    left = ("mark.proof", "tests.support.proof")
    for path in (ROOT / "tests").rglob("test_*.py"):
        place = path.relative_to(ROOT)
        if any(word in path.read_text(encoding="utf-8") for word in left) and path != Path(__file__):
            assert {place.as_posix(), place.parent.as_posix()} & named, place


def test_a_campaign_that_was_run_in_full_leaves_a_record_and_one_of_a_change_does_not(tmp_path: Path) -> None:
    records = tmp_path / "records"
    for commit in ("0123abcd", "0123abcd-of-a-change"):
        prove(TWO, tmp_path / f"{commit}.jsonl", Runner(*["1 passed"] * 2, "1 failed"), lambda _: None, records)
    assert sorted(path.name for path in records.iterdir()) == ["one.json", "two.json"]
    one, two = (json.loads((records / f"{name}.json").read_text(encoding="utf-8")) for name in ("one", "two"))
    assert (one["commit"], one["result"], one["counts"]["kills"], one["seeds"]) == (
        "0123abcd",
        "passed",
        20,
        ["0", "1"],
    )
    assert (two["result"], two["counts"]["said"]) == ("failed", ["1 failed"])
    assert {"date", "machine", "duration_s"} <= one.keys()


def test_a_campaign_that_was_cut_off_leaves_none(tmp_path: Path) -> None:
    records = tmp_path / "records"
    prove(TWO, tmp_path / "0123abcd.jsonl", Runner("1 passed", KeyboardInterrupt), lambda _: None, records)
    assert not records.exists()


def test_the_page_says_of_each_campaign_when_it_last_ran_or_that_it_has_not(tmp_path: Path) -> None:
    assert page(tmp_path).count("| not yet |") == len(CAMPAIGNS)
    first = CAMPAIGNS[0]
    log = tmp_path / "0123abcd.jsonl"
    prove([first], log, Runner(*["1 passed"] * first.parts), lambda _: None, tmp_path)
    line = next(line for line in page(tmp_path).splitlines() if line.startswith(f"| {first.name} |"))
    assert "| passed | 100 kills | 0123abcd |" in line


def test_the_page_is_made_from_the_records() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m scripts.proof --page"
    known = {f"{file_name(one)}.json" for one in CAMPAIGNS}
    assert {path.name for path in RECORDS.glob("*")} <= known, "a record of a campaign that is none"
