"""``mars bench starts`` and ``load``: every command in every way, every build, in folders of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import marskg
from marskg_bench import load, starts


@pytest.mark.slow
def test_each_command_is_measured_in_each_way(capsys: pytest.CaptureFixture[str]) -> None:
    source = Path(marskg.__file__).parents[1]
    assert starts.main(["--runs", "1", "--memories", "3", "--beside", str(source), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["commands"].keys() == {"--help", "stats", "remember", "retrieve"}
    for by_way in found["commands"].values():
        assert by_way.keys() == {"native", "jvm", "the other version"}
        assert all(0 < figures["best"] <= figures["median"] for figures in by_way.values())
        assert all(figures["megabytes"] > 10 for figures in by_way.values())


@pytest.mark.slow
def test_a_load_is_measured_by_each_build(capsys: pytest.CaptureFixture[str]) -> None:
    assert load.main(["--n", "120", "--stretches", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["builds"].keys() == {"native", "jvm"}
    for lines in found["builds"].values():
        assert [line["memories"] for line in lines] == [60, 120]
        assert all(figure > 0 for line in lines for figure in line.values())
