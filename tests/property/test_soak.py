"""The soak run: checked operations under each policy, its log that goes on, and that it finds what breaks.

``SOAK_EACH`` says how many operations each policy lives, and ``SOAK_SEED`` which; ``make proof`` gives both.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from marskg.policies.registry import POLICY_NAMES
from scripts.soak import LOG, SUMMARY, Run, share, soak
from tests.support import picture as pictures
from tests.support.history import History

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.picture import Picture


@pytest.mark.slow
def test_operations_under_each_policy_break_nothing(tmp_path: Path) -> None:
    each = int(os.environ.get("SOAK_EACH", "20"))
    seed = int(os.environ.get("SOAK_SEED", "7"))
    log = soak(tmp_path, Run(each * len(POLICY_NAMES), history=min(100, each // 2), seed=seed))
    found = log.summary()
    assert found["violations"] == []
    assert found["by_policy"] == dict.fromkeys(POLICY_NAMES, each)
    assert found["outcomes"]["done"] > found["operations"] / 2


@pytest.mark.slow
def test_a_run_that_was_cut_off_goes_on_and_comes_out_as_one_that_was_not(tmp_path: Path) -> None:
    run = Run(24, history=8, seed=3, policies=("fifo", "lru"))
    whole = soak(tmp_path / "whole", run)
    soak(tmp_path / "cut", replace(run, operations=16))
    with (tmp_path / "cut" / LOG).open("a", encoding="utf-8") as stream:
        stream.write('{"number": 2, "pol')  # the line that the end of a process cut off
    again = soak(tmp_path / "cut", run)
    assert [(one.seed, one.outcomes) for one in again.lived] == [(one.seed, one.outcomes) for one in whole.lived]
    assert json.loads((tmp_path / "cut" / SUMMARY).read_text())["operations"] == 24
    with pytest.raises(SystemExit, match="other parameters"):
        soak(tmp_path / "cut", replace(run, seed=4))


@pytest.mark.slow
def test_a_history_is_the_same_alone_as_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    lived: list[tuple[str, ...]] = []
    finish = History.finish

    def finished(history: History) -> None:
        lived.append(tuple(history.known))
        finish(history)

    monkeypatch.setattr(History, "finish", finished)
    run = Run(40, history=20, seed=3, policies=("fifo",))
    list(share(run, [0, 1]))
    list(share(run, [1]))
    assert lived[1] == lived[2]


@pytest.mark.proof
def test_two_processes_live_the_same_histories_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scripts.soak._SHARED", 1)
    run = Run(24, history=8, seed=3, policies=("fifo", "lru"), store=tmp_path)
    one, two = soak(tmp_path / "one", run), soak(tmp_path / "two", run, jobs=2)
    found = [{lived.number: (lived.seed, lived.outcomes) for lived in log.lived} for log in (one, two)]
    assert found[0] == found[1]
    assert not list(tmp_path.glob("mars-soak-*"))


def test_a_broken_invariant_is_found_logged_with_its_seed_and_does_not_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = pictures.faults

    def faults(picture: Picture, *, settled_at: int | None = None) -> list[pictures.Fault]:
        heavy = picture.row["weight"] > 20
        return [*sound(picture, settled_at=settled_at), *([("planted", "too heavy")] if heavy else [])]

    monkeypatch.setattr(pictures, "faults", faults)
    log = soak(tmp_path, Run(60, history=20, seed=1, policies=("fifo",)))
    broken = log.summary()["violations"]
    assert len(broken) >= 2, "a history ends at its violation, the run goes on"
    assert len(log.lived) == 3
    assert "planted" in broken[0]["violation"]
    assert broken[0]["seed"] == "1-0"
