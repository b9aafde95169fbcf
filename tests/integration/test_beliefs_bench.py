"""PrecisionMemBench played on a small set of beliefs in its layout."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from marskg.errors import InvalidDocument
from marskg_bench.retrieval import main
from tests.support.known_beliefs import BELIEFS, CASES, write

if TYPE_CHECKING:
    from pathlib import Path


def test_beliefs_are_asked_for_by_the_rules_of_the_benchmark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--data", str(write(tmp_path)), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["beliefs"]
    assert found["beliefs"] == len(BELIEFS)
    # The relation brings its participant; what has an alias is found by it; what was replaced is not.
    assert found["failed"] == ["resolved", "wanted-in-vain"]
    assert {name: (one["cases"], one["passed"]) for name, one in found["passes"].items()} == {
        "active": (3, 2),
        "structural": (0, 0),
        "empty": (4, 3),
    }
    assert found["shares"]["recall"] == pytest.approx(2 / 3, abs=1e-4)
    assert found["sessions"] == {"turns": 3, "passed": 3, "drift": 0.0, "precision": 1.0, "recall": 1.0}


def test_the_tables_name_what_failed_and_what_must_be_reached(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--data", str(write(tmp_path)), "--strict"]) == 1
    told = capsys.readouterr().out
    assert "wanted-in-vain" in told
    assert "beliefs, active passes" in told


def test_a_file_that_breaks_the_layout_is_named_with_entry_and_field(tmp_path: Path) -> None:
    broken = [{**BELIEFS[0]}, {**BELIEFS[1], "pinned": "yes"}]
    with pytest.raises(InvalidDocument, match=r'beliefs\.seed\.json, entry 2: "pinned"'):
        main(["--data", str(write(tmp_path, broken, CASES))])
