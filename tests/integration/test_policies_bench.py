"""The bench of policies runs whole on small stores, keeps them where it is told to, and uses them again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click
import pytest

from marskg.errors import InvalidInput
from marskg.policies.registry import SIMPLE_NAMES
from marskg_bench import policies

if TYPE_CHECKING:
    from pathlib import Path


def test_one_policy_at_two_sizes_is_one_document_and_its_stores_serve_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, chart = tmp_path / "stores", tmp_path / "chart.svg"
    given = ["--n", "100", "--n", "150", "--policy", "fifo", "--rounds", "1", "--stores", str(kept), "--json"]
    assert policies.main([*given, "--chart", str(chart)]) == 0
    out, err = capsys.readouterr()
    result = json.loads(out)
    assert result["complete"] is True
    assert result["sizes"] == [100, 150]
    fifo = result["policies"]["fifo"]
    assert fifo["claim"] == {"trigger": "O(k)", "arrival": "O(1)", "where": "Table 1", "line": 302}
    for kind in ("trigger", "plan", "arrival"):
        assert set(fifo[kind]["ms"]) == {"100", "150"}
        assert all(cost > 0 for cost in fifo[kind]["ms"].values())
        assert fifo[kind]["exponent"] is not None
    assert "writing 150 memories" in err
    assert chart.is_file()
    assert policies.main(given) == 0
    assert "writing" not in capsys.readouterr().err
    (kept / "150").rename(kept / "120")
    with pytest.raises(InvalidInput, match=r"has 1[45][0-9]"):
        policies.main(["--n", "120", "--policy", "fifo", "--rounds", "1", "--stores", str(kept)])


def test_one_size_has_figures_and_no_exponent(capsys: pytest.CaptureFixture[str]) -> None:
    assert policies.main(["--n", "100", "--policy", "random-drop", "--rounds", "1"]) == 0
    shown = capsys.readouterr().out
    assert "O(k) (Table 1)" in shown
    assert "one size has no growth: name two or more with --n" in shown


@pytest.mark.proof
def test_every_policy_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert policies.main(["--n", "100", "--n", "200", "--n", "400", "--rounds", "1", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert set(result["policies"]) == set(SIMPLE_NAMES)
    assert set(policies.FULL) == {name for name, found in result["policies"].items() if "full" in found}


@pytest.mark.parametrize("given", [["--n", "0"], ["--n", "-3"], ["--policy", "adaptive"], ["--rounds", "0"]])
def test_what_cannot_be_measured_is_refused(given: list[str]) -> None:
    with pytest.raises(click.UsageError):
        policies.main(given)
