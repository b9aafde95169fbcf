"""``mars bench starts``: every command in every way, in folders of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import marskg
from marskg_bench import starts


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
