"""``mars bench growth``: its figures, going on after a stop, and the process that times opening."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from marskg_bench.lifetime import command

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.proof
def test_two_samples_and_the_same_again(tmp_path: Path) -> None:
    arguments = ["--n", "100", "--live", "30", "--samples", "2", "--arm", "sealed", "--folder", str(tmp_path / "life")]
    done = CliRunner().invoke(command, [*arguments, "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    samples = result["arms"]["sealed"]
    assert [sample["writes"] for sample in samples] == [50, 100]
    assert all(sample["live"] <= 30 for sample in samples)
    assert all(sample["open_s"] > 0 < sample["folder_mb"] for sample in samples)
    assert not result["stopped"]
    assert {row["figure"] for row in result["wanted"]} == {"rss_growth", "bytes_a_record", "open_s", "first_answer_s"}
    kept = tmp_path / "life" / "samples.jsonl"
    kept.write_text("".join(kept.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
    again = CliRunner().invoke(command, [*arguments, "--json"], catch_exceptions=False)
    assert json.loads(again.stdout)["arms"]["sealed"][0] == samples[0]
    shown = CliRunner(env={"COLUMNS": "120"}).invoke(command, arguments, catch_exceptions=False)
    assert "bytes of the scrubbed folder a further record" in shown.stdout
