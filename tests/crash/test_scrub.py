"""Erasing down to the bytes: in no file while the program runs, after it ended, and after it was killed half-way."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import marskg
from marskg.store.engine import arcadedb
from tests.support import eraser
from tests.support import picture as pictures
from tests.support.residue import residue

if TYPE_CHECKING:
    from marskg.memory import AgentMemory

ROOT = Path(__file__).parents[2]


def assert_whole(memory: AgentMemory, contents: tuple[str, ...]) -> None:
    """Check that exactly these memories are there, that they are found by every index, and that the log verifies."""
    assert sorted(one.content or "" for one in memory.memories()) == sorted(contents)
    assert pictures.faults(pictures.take(memory.store.engine, memory.tenant)) == []
    assert memory.verify().findings == ()
    found = memory.remember(f"Written after it, number {memory.stats()['audit_seq']}", session="c")
    assert memory.get(found.id) is not None
    memory.erase(id=found.id)


def test_no_byte_is_left_while_the_program_runs_and_after_it_ended(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    memory = eraser.connect(folder).open(eraser.TENANT)
    eraser.fill(memory)
    assert residue(folder, eraser.SENTINELS), "what is to be found is there before"
    assert len(memory.sparql("SELECT ?c WHERE { ?m mars:content ?c }").rows) == 48
    vectors = [
        row["vector"].encode()
        for row in memory.store.engine.read(
            "MATCH (m:Memory) WHERE m.content CONTAINS 'zyx' AND m.embedding IS NOT NULL RETURN m.embedding AS vector"
        )
    ]
    assert vectors
    receipt = memory.erase(subject="bea", scrub=True)
    assert receipt.claim == "bytes"
    assert residue(folder, eraser.SENTINELS, vectors) == []
    assert_whole(memory, eraser.KEPT)
    memory.close()
    assert residue(folder, eraser.SENTINELS, vectors) == []
    with marskg.open(folder, tenant=eraser.TENANT) as again:
        assert_whole(again, eraser.KEPT)


@pytest.mark.proof
def test_a_program_killed_half_way_is_made_up_for_by_the_next_one(kills: int, tmp_path: Path) -> None:
    chance = random.Random(20261122)
    before = tuple(sorted(eraser.KEPT))
    erased = 0
    for run in range(kills):
        folder = tmp_path / f"store-{run}"
        command = [sys.executable, "-m", "tests.support.eraser", str(folder)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stderr is not None
            said = child.stdout.readline()
            assert said == "filled\n", child.stderr.read()
            time.sleep(chance.uniform(0.0, 3.0))
            child.kill()
            child.communicate()
            assert child.returncode in {-signal.SIGKILL, 0}
        promised = (folder / "scrub.promised").exists()
        memory = eraser.connect(folder).open(eraser.TENANT)
        contents = tuple(sorted(one.content or "" for one in memory.memories()))
        if contents == before:
            erased += 1
            assert residue(folder, eraser.SENTINELS) == [], f"promised: {promised}"
            assert_whole(memory, eraser.KEPT)
        else:
            assert len(contents) == 48, "killed before the transaction was over: nothing is half-erased"
            assert memory.verify().ok
        memory.store.close()
        assert not (folder / "scrub.promised").exists()
        shutil.rmtree(folder)
    assert erased, "the kills came too early to show anything"


def test_a_rewrite_of_all_bucket_indexes_would_lose_memories(tmp_path: Path) -> None:
    """Why the scrub names each index: the engine's own REBUILD INDEX * is not to be trusted (ADR 23)."""
    memory = eraser.connect(tmp_path / "store").open(eraser.TENANT)
    eraser.fill(memory)
    engine = memory.store.engine
    assert isinstance(engine, arcadedb.ArcadeDB)
    engine._files.opened.database.command("sql", "REBUILD INDEX *")
    assert not memory.verify().ok, "the engine was mended: the scrub may be simpler now"
    memory.store.close()


def test_the_check_itself_finds_what_a_rewrite_left_out(tmp_path: Path) -> None:
    memory = eraser.connect(tmp_path / "store").open(eraser.TENANT)
    eraser.fill(memory)
    memory.erase(subject="bea")
    assert residue(tmp_path / "store", eraser.SENTINELS), "a logical erasure leaves bytes"
    memory.store.close()


def test_no_byte_is_left_of_where_removed_snapshots_were(tmp_path: Path) -> None:
    memory = eraser.connect(tmp_path / "store").open(eraser.TENANT)
    eraser.fill(memory)
    memory.snapshots.save(tmp_path / f"{eraser.SENTINELS[0]}.mars")
    receipt = memory.erase(subject="bea", scrub=True, snapshots=True)
    assert (receipt.claim, receipt.snapshots_removed) == ("bytes", 1)
    assert [path.name for path in tmp_path.iterdir()] == ["store"]
    assert residue(tmp_path / "store", eraser.SENTINELS) == []
    memory.store.close()


def test_what_was_erased_without_it_is_scrubbed_later(tmp_path: Path) -> None:
    memory = eraser.connect(tmp_path / "store").open(eraser.TENANT)
    eraser.fill(memory)
    assert memory.erase(subject="bea").claim == "logical"
    assert residue(tmp_path / "store", eraser.SENTINELS)
    memory.maintenance.scrub()
    assert residue(tmp_path / "store", eraser.SENTINELS) == []
    assert_whole(memory, eraser.KEPT)
    memory.store.close()
