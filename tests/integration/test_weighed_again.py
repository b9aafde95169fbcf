"""A store that was weighed by the former rule is weighed again, once, and is within its real budget from then on.

``tests/fixtures/stores/2026-11-26.tar.xz`` was written by commit feb13f3, whose rule made one token of any run that
its vocabulary does not know: ``plain`` and ``subjects`` (with keys) hold notes of a garden, of which five in Thai and
four with 128 hex digits, under a budget of 400 tokens; what is pinned in ``pinned`` is heavier than its budget of 260;
``english`` holds nothing of the kind; ``saved.mars`` and ``saved.nq`` are a snapshot and an export of ``saved``.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import marskg
from marskg.cli.main import run
from marskg.clock import ManualClock
from marskg.ontology.vocabulary import Tier
from marskg.store.upkeep.maintenance import notices_of
from marskg.weight import TokenCounter

WRITTEN = Path(__file__).parents[1] / "fixtures" / "stores" / "2026-11-26.tar.xz"
#: An hour after the last write.
LATER = 1_795_703_600_000
COUNTER = TokenCounter()


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that the older version wrote; its keys lie where it put them."""
    monkeypatch.setenv("MARS_HOME", str(tmp_path / "home"))
    with tarfile.open(WRITTEN) as packed:
        packed.extractall(tmp_path, filter="tar")
    return tmp_path


def open_old(folder: Path, *, budget: int | None = None, reweigh: bool = True) -> marskg.AgentMemory:
    clock = ManualClock(LATER, step_ms=10)
    return marskg.open(folder, tenant="alice", clock=clock, create=False, budget=budget, reweigh=reweigh)


def check(memory: marskg.AgentMemory) -> None:
    """Check that all weights and sums are those of the rule of now, and that the audit says so."""
    live = [one for one in memory.memories() if one.tier is Tier.LIVE]
    assert all(one.weight == COUNTER.count(one.content or "") for one in live)
    stats = memory.stats()
    assert stats["weight"] == sum(one.weight for one in live) <= stats["budget"]
    assert sum(kind["weight"] for kind in stats["by_kind"].values()) == stats["weight"]
    assert stats["protected_weight"] == sum(one.weight for one in live if one.pinned or one.status)
    assert stats["notices"] == []
    assert memory.verify().ok
    assert memory.validate(full=True).ok


@pytest.mark.parametrize("name", ["plain", "subjects"])
def test_opening_weighs_again_and_evicts_what_the_budget_does_not_hold(old: Path, name: str) -> None:
    with open_old(old / name) as memory:
        check(memory)
        (said,) = memory.notices
        assert "9 of 15 memories weigh" in said
        assert "had to go, as the budget is 400 tokens" in said
        assert memory.stats()["live"] < 15
        pinned = next(one for one in memory.memories() if one.pinned)
        assert pinned.tier is Tier.LIVE
        assert pinned.weight > 20
        events = memory.explain(pinned.id).events
        assert any("former rule" in (event.why or "") for event in events)
        records = memory.stats()["audit_seq"]
    with open_old(old / name) as memory:
        assert memory.notices == ()
        assert memory.stats()["audit_seq"] == records
        check(memory)


def test_a_dry_run_tells_and_changes_nothing(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_old(old / "plain", reweigh=False) as memory:
        before = memory.stats()
        assert "weighed by a former rule" in before["notices"][0]
        heard: list[int] = []
        found = memory.maintenance.reweigh(dry_run=True, progress=heard.append)
        assert (found.memories, found.changed, found.evicted) == (15, 9, None)
        assert found.weight_before == before["weight"] == found.weight_after - found.tokens
        assert heard == [15]
        assert memory.stats() == before
        shown = memory.retrieve("day grandmother story market", token_budget=60, min_confidence=0)
        assert COUNTER.count(shown.as_text()) <= 60
    where = ["--store", str(old / "plain"), "--tenant", "alice"]
    assert run(["maintenance", "reweigh", "--dry-run", "--json", *where]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["dry_run"], said["changed"], said["evicted"]) == (True, 9, None)
    assert run(["maintenance", "reweigh", *where]) == 0
    assert "9 of 15 memories weigh" in capsys.readouterr().out
    with marskg.open(old / "plain", tenant="alice", create=False) as memory:
        check(memory)


def test_what_is_stored_first_is_stored_into_weights_of_now(old: Path) -> None:
    with open_old(old / "plain", reweigh=False) as memory:
        new = memory.remember("Alice has a cold frame now", kind="semantic", subjects=["alice"])
        assert new.notices == ()
        check(memory)


def test_a_budget_that_is_given_holds_before_anything_is_evicted(old: Path) -> None:
    with open_old(old / "plain", budget=4_000) as memory:
        check(memory)
        assert memory.stats()["live"] == 15


def test_what_is_protected_and_too_heavy_is_named_and_nothing_is_changed(old: Path) -> None:
    with open_old(old / "pinned") as memory:
        before = memory.stats()
        pinned = next(one for one in memory.memories() if one.pinned)
        (said,) = memory.notices
        assert "weighed by a former rule" in said
        with pytest.raises(marskg.BudgetInfeasible, match=rf"budget is 260: {pinned.id} \(pinned, ") as refused:
            memory.maintenance.reweigh()
        assert refused.value.protectors[0][0] == pinned.id
        with pytest.raises(marskg.BudgetInfeasible, match="nothing is stored until they fit"):
            memory.remember("Alice has a cold frame now", subjects=["alice"])
        assert memory.stats() == before
        assert memory.verify().ok
        assert notices_of(memory._writer) == memory.notices
        memory.settings.set_budget(500)
        memory.remember("Alice has a cold frame now", subjects=["alice"])
        check(memory)


def test_a_store_of_plain_prose_has_one_record_more(old: Path) -> None:
    with open_old(old / "english", reweigh=False) as memory:
        before = memory.stats()
    with open_old(old / "english") as memory:
        check(memory)
        assert memory.notices == ()
        after = memory.stats()
        assert after["weight"] == before["weight"]
        assert after["audit_seq"] == before["audit_seq"] + 1


def test_snapshots_and_exports_of_before_come_in_with_the_weights_of_now(old: Path) -> None:
    with marskg.open(old / "loaded", tenant="alice", clock=ManualClock(LATER), policy="fifo") as memory:
        assert memory.load(old / "saved.nq") == 5
        check(memory)
        assert memory.weight > 200
    with open_old(old / "saved") as memory:
        check(memory)
        weight = memory.weight
        assert weight > 200
        assert memory.snapshots.load(old / "saved.mars") == 5
        check(memory)
        assert memory.weight == weight
    # Without the key that signed it nothing can be recorded: it stays as it was, and says so.
    with marskg.open(old / "back", tenant="alice", clock=ManualClock(LATER), snapshot=old / "saved.mars") as memory:
        assert any("weighed by a former rule" in one for one in memory.notices)
        with pytest.raises(marskg.KeyUnusable):
            memory.remember("Alice has a cold frame now")


KILLED = """
import os, signal, sys
import marskg
from marskg.clock import ManualClock
from marskg.store.upkeep import reweigh

reweigh._PAGE = 2
told = []
def heard(done):
    told.append(done)
    if len(told) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
memory = marskg.open(sys.argv[1], tenant="alice", clock=ManualClock({later}), create=False, reweigh=False)
memory.maintenance.reweigh(progress=heard)
"""


def test_what_was_cut_off_goes_on(old: Path) -> None:
    script = KILLED.format(later=LATER)
    done = subprocess.run([sys.executable, "-c", script, str(old / "plain")], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    with open_old(old / "plain", reweigh=False) as memory:
        assert "weighed by a former rule" in memory.notices[0]
        assert memory.verify().ok
        assert memory.validate(full=True).ok
        assert 0 < memory.maintenance.reweigh(dry_run=True).changed < 9
    with open_old(old / "plain") as memory:
        check(memory)
