"""Processes that die while they erase an encrypted subject, and copies of a store that were made before."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from marskg.store.crypto.encrypted_engine import custody_of
from tests.support.encrypting import KEPT, SAID, WORD, connect
from tests.support.residue import residue

if TYPE_CHECKING:
    import marskg

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def keyrings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MARS_VAULTS", str(tmp_path / "vaults"))
    return tmp_path / "vaults"


@pytest.mark.parametrize("moment", ["scheduled", "committed", "destroyed"])
def test_who_opens_it_next_settles_what_a_dead_process_left(tmp_path: Path, moment: str) -> None:
    store = tmp_path / "store"
    command = [sys.executable, "-m", "tests.support.encrypting", str(store), moment]
    done = subprocess.run(command, cwd=ROOT, env=os.environ.copy(), check=False, capture_output=True, text=True)
    assert done.returncode == 9, done.stderr
    assert residue(tmp_path, [WORD]) == []
    memory = connect(store)
    custody = custody_of(memory.store.engine)
    assert custody is not None
    assert custody.keyring.scheduled() == ()
    if moment == "scheduled":
        assert [one.content for one in memory.memories()] == [SAID, KEPT]
        assert memory.erase(subject="bea").claim == "keys"
    assert [one.content for one in memory.memories()] == [KEPT]
    assert custody.subject_key("bea") is None
    assert memory.verify().findings == ()
    memory.close()


def test_a_backup_from_before_says_nothing_after(tmp_path: Path, keyrings: Path) -> None:
    memory = connect(tmp_path / "store")
    memory.remember(SAID, subjects=["bea"], mentions=[f"Mr {WORD}"])
    memory.remember(KEPT, subjects=["carl"])
    running = shutil.copytree(tmp_path / "store", tmp_path / "running")
    memory.close()
    closed = shutil.copytree(tmp_path / "store", tmp_path / "closed")
    assert residue(tmp_path, [WORD]) == []
    keys = shutil.copytree(keyrings, tmp_path / "keys")
    memory = connect(tmp_path / "store")
    assert memory.erase(subject="bea").claim == "keys"
    memory.close()
    backup = connect(shutil.copytree(closed, tmp_path / "restored"))
    assert [one.content for one in backup.memories()] == [KEPT], "who opens it forgets again"
    assert [text.startswith("mars:envelope:content:") for text in memories_in(backup)] == [True]
    backup.close()
    assert residue(running, [WORD]) == []
    # Whoever kept the keys as well has erased nothing: the receipt says so.
    shutil.rmtree(keyrings)
    shutil.copytree(keys, keyrings)
    backup = connect(closed)
    assert [one.content for one in backup.memories()] == [SAID, KEPT]
    backup.close()


def memories_in(memory: marskg.AgentMemory) -> list[str]:
    """Return the contents of all memories as they are in the files."""
    return [str(row[0]) for row in memory.cypher("MATCH (m:Memory) RETURN m.content AS content").rows]
