"""A store that an older version wrote opens, holds what it held, and is governed like one of today.

``tests/fixtures/stores/2026-11-23.tar.xz`` holds two folders written by commit 49f5ff0, one in clear and one with keys
for its subjects: thirty days of a greenhouse under a budget of 400 tokens, a key with two values, a pin, a use, a
task, and a person who was erased.
"""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

import marskg
from marskg.clock import ManualClock
from marskg.ontology.vocabulary import Tier
from marskg.store.engine.arcadedb import ArcadeDB

WRITTEN = Path(__file__).parents[1] / "fixtures" / "stores" / "2026-11-23.tar.xz"
#: A minute after the last write.
LATER = 1_795_481_100_000


@pytest.fixture(params=["plain", "subjects"])
def old(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that the older version wrote; its keys lie where it put them."""
    monkeypatch.setenv("MARS_HOME", str(tmp_path / "home"))
    with tarfile.open(WRITTEN) as packed:
        packed.extractall(tmp_path, filter="tar")
    found: Path = tmp_path / request.param
    return found


def open_old(folder: Path) -> marskg.AgentMemory:
    return marskg.open(folder, tenant="alice", clock=ManualClock(LATER, step_ms=10), create=False)


def test_it_holds_what_it_held(old: Path) -> None:
    with open_old(old) as memory:
        stats = memory.stats()
        assert (stats["live"], stats["tombstones"], stats["weight"], stats["budget"]) == (13, 23, 248, 400)
        assert memory.verify().ok
        assert memory.validate(full=True).ok
        (current,) = (one for one in memory.memories() if one.key == "preference/food" and one.current)
        assert current.content == "Alice likes beans best of all vegetables"
        assert current.pinned
        assert current.metadata is None
        assert [one.content for one in memory.history(current.id)] == [
            "Alice likes tomatoes best of all vegetables",
            "Alice likes beans best of all vegetables",
        ]
        hits = memory.retrieve("what does Alice like best?", token_budget=200)
        assert hits[0].memory.id == current.id
        gone = next(one for one in memory.memories() if one.tier is Tier.TOMBSTONE)
        assert any(one.why for one in memory.explain(gone.id).events)


def test_sealing_leaves_the_record_that_says_that_the_row_is_signed(old: Path) -> None:
    clock = ManualClock(LATER, step_ms=10)
    with marskg.open(old, tenant="alice", clock=clock, create=False) as memory:
        clock.advance(10)
        assert memory.audit.seal(before=marskg.Moment(memory.now() - 1)).transitions > 0
    engine = ArcadeDB(old)
    engine.write("MATCH (t:Tenant {ref: 'alice'}) SET t.signedState = null, t.stateProof = null, t.budget = 7")
    engine.close()
    with marskg.open(old, tenant="alice", clock=clock, create=False) as memory:
        assert "state-missing" in {found.code for found in memory.verify().findings}


def test_it_is_written_to_erased_and_exported_like_one_of_today(old: Path, tmp_path: Path) -> None:
    with open_old(old) as memory:
        new = memory.remember("Alice has a cold frame now", kind="semantic", subjects=["alice"], metadata={"by": "Bo"})
        assert [one.id for one in memory.memories(metadata={"by": "Bo"})] == [new.id]
        for day in range(20):
            memory.remember(f"In week {day} the cold frame had {day} degrees at noon", subjects=["alice"])
        assert memory.weight <= 400
        assert memory.erase(subject="bob", scrub=True).matched
        assert not any("Bob" in (one.content or "") for one in memory.memories())
        with pytest.raises(marskg.ConsentRequired):
            memory.remember("Eve was here once", subjects=["eve"])
        assert memory.verify().ok
        assert memory.validate(full=True).ok
        memory.export(tmp_path / "out.nq")
        held = {one.id: one.content for one in memory.memories()}
    assert not any(b"Bob is Alice" in path.read_bytes() for path in old.rglob("*") if path.is_file())
    with marskg.open(tmp_path / "new", tenant="alice", clock=ManualClock(LATER * 2)) as other:
        other.load(tmp_path / "out.nq")
        assert {one.id: one.content for one in other.memories()} == held
    with open_old(old) as memory:
        assert {one.id: one.content for one in memory.memories()} == held
