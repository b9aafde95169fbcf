"""Claims stand where they say, what costs too much is marked, and a bench that was stopped still tells what it has."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click
import pytest

from marskg.errors import EngineUnavailable, InvalidInput
from marskg.policies.registry import POLICY_NAMES, SIMPLE_NAMES
from marskg_bench import policies
from marskg_bench.common.claims import CLAIMS, may_grow
from marskg_bench.stores import policies_report

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from marskg_bench.common.progress import Say


def figures(*milliseconds: float, sizes: Sequence[int] = (1_000, 100_000)) -> dict[str, Any]:
    medians = {str(size): cost for size, cost in zip(sizes, milliseconds, strict=True)}
    return {"ms": medians, "exponent": 0.5, "last_exponent": 0.4, "law": None}


def result_with(found: dict[str, Any]) -> dict[str, Any]:
    made = policies.begin([1_000, 100_000], seed=1, rounds=3)
    made["policies"] = found
    made["written"] = {"1000": 1.0, "100000": 100.0}
    return made


def test_each_claim_stands_in_the_line_that_it_names(shared_folder: Path) -> None:
    lines = (shared_folder / "seeds" / "mars-fifa.txt").read_text(encoding="utf-8").splitlines()
    for policy, claim in CLAIMS.items():
        line = lines[claim.line - 1].replace(r"\log", "log").replace(r"\alpha", "a")
        spaced = "".join(line.split())
        for said in (claim.trigger, claim.arrival):
            assert said is None or "".join(said.split()) in spaced, policy


def test_every_claim_is_of_a_policy_that_there_is() -> None:
    assert set(CLAIMS) <= set(SIMPLE_NAMES)
    assert set(POLICY_NAMES) - set(SIMPLE_NAMES) == {"adaptive", "tiered"}
    assert {name for name in SIMPLE_NAMES if may_grow(name)} == {"hybrid", "reflection-summary"}


def test_a_trigger_that_costs_more_than_four_times_as_much_is_marked_unless_the_table_lets_it_grow(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = {
        "fifo": {"trigger": figures(10, 39)},
        "lru": {"trigger": figures(10, 41)},
        "hybrid": {"trigger": figures(10, 410)},
    }
    result = result_with(found)
    assert {one.policy: one.reached for one in policies_report.checks(result)} == {
        "fifo": True,
        "lru": False,
        "hybrid": True,
    }
    policies_report.show(result)
    shown = capsys.readouterr().out
    assert shown.count("missed") == 1
    assert "O(k log n)" not in shown
    assert "O(k) (Table 1)" in shown


def test_without_both_sizes_nothing_is_to_be_reached() -> None:
    assert not list(policies_report.checks(result_with({"fifo": {"trigger": figures(10, 90, sizes=(100, 200))}})))


def test_the_chart_shows_what_there_is(tmp_path: Path) -> None:
    chart = tmp_path / "policies.svg"
    found = {"fifo": {"trigger": figures(10, 39), "arrival": figures(1, 2)}, "density": {"trigger": figures(1, 9)}}
    policies_report.draw(result_with(found), chart)
    text = chart.read_text(encoding="utf-8")
    assert text.startswith("<?xml")
    with pytest.raises(InvalidInput, match="suffix"):
        policies_report.draw(result_with(found), tmp_path / "policies.xyz")


@pytest.mark.parametrize("sizes", [[], [0], [-5], [99], [1_000_001], [1_000, 1_000]])
def test_sizes_that_make_no_store_are_refused(sizes: list[int]) -> None:
    with pytest.raises(InvalidInput, match="name different ones from 100 to 1,000,000"):
        policies.begin(sizes, seed=1, rounds=1)


@pytest.mark.parametrize(
    ("error", "seen"),
    [(KeyboardInterrupt(), click.Abort), (EngineUnavailable("the engine went away"), EngineUnavailable)],
)
def test_what_was_measured_before_a_stop_is_told(
    error: BaseException,
    seen: type[BaseException],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stopped(result: dict[str, Any], *_: object, say: Say, kept: Path | None) -> None:
        assert kept is None
        say("fifo: triggers")
        result["policies"]["fifo"] = {"trigger": figures(10, 20)}
        raise error

    monkeypatch.setattr(policies, "run", stopped)
    with pytest.raises(seen):
        policies.main(["--n", "1000", "--n", "100000", "--rounds", "1", "--json"])
    result = json.loads(capsys.readouterr().out)
    assert result["complete"] is False
    assert result["policies"]["fifo"]["trigger"]["ms"] == {"1000": 10, "100000": 20}
