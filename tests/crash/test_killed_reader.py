"""Learning that is killed at any moment: turns are whole, read or in the backlog, and learning again ends all the same.

``make test`` kills at one point, ``make proof`` at random moments, as often as ``scripts/proof.py`` says (CRASH_KILLS,
CRASH_SEED).
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from marskg.ontology.vocabulary import Kind
from tests.support import picture as pictures
from tests.support import reading_turns

if TYPE_CHECKING:
    from marskg.memory import AgentMemory

ROOT = Path(__file__).parents[2]


def killed(folder: Path, mode: str, delay: float | None, point: str = "") -> float:
    """Let a process learn, and kill it after ``delay`` seconds or at ``point``; returns how long it learned."""
    command = [sys.executable, "-m", "tests.support.reading_turns", str(folder), mode]
    pipe = subprocess.PIPE
    environment = {**os.environ, "FAILPOINT": point}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=pipe, stderr=pipe, text=True) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        ready = child.stdout.readline()
        assert ready == "ready\n", child.stderr.read()
        began = time.monotonic()
        if delay is None:
            assert (child.stdout.readline() == "done\n") == (not point)
        else:
            time.sleep(delay)
            child.kill()
        took = time.monotonic() - began
        said = child.stderr.read()
    assert child.returncode in {0, -signal.SIGKILL}, said
    return took


def left(memory: AgentMemory) -> list[tuple[Any, ...]]:
    """Return what a store holds, but for when it was written and by which call."""
    return sorted(
        (
            one.kind,
            one.content or "",
            one.key or "",
            one.valid_from,
            one.current,
            one.status or "",
            one.unread,
            one.spans,
        )
        for one in memory.memories()
    )


def check(memory: AgentMemory, whole: list[tuple[Any, ...]]) -> int:
    """Hold a store to its promises after a kill; returns how many turns it has."""
    assert memory.verify().findings == ()
    assert memory.validate(full=True).findings == ()
    assert pictures.faults(pictures.take(memory.store.engine, memory.tenant)) == []
    turns = [one for one in memory.memories() if one.kind is Kind.EPISODIC]
    read = {one.id for one in turns if not one.unread}
    assert memory.stats()["unread"] == len(turns) - len(read)
    said = {one.spans for one in memory.memories() if one.spans}
    assert {span.partition("#")[0] for spans in said for span in spans} <= read, "an unread turn said something"
    missing = [one for one in whole if one[-1] and one[-1][0].partition("#")[0] in read and one[-1] not in said]
    assert missing == [], "a turn that was read has all that it says"
    return len(turns)


def learned(base: Path, other: Path, mode: str) -> tuple[float, list[tuple[Any, ...]]]:
    """Make an empty store in ``base``, and let a copy of it learn: returns how long it takes, and what it leaves."""
    base.mkdir()
    (base / "settings.yaml").write_text(reading_turns.QUICK, encoding="utf-8")
    reading_turns.opened(base).close()
    shutil.copytree(base, other)
    took = killed(other, mode, None)
    with reading_turns.opened(other) as memory:
        whole = left(memory)
        assert check(memory, whole) == len(reading_turns.TURNS)
    return took, whole


def test_learning_that_is_killed_between_two_commits_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    _, whole = learned(tmp_path / "base", tmp_path / "whole", "rules")
    killed(tmp_path / "base", "rules", None, "after commit 1")
    with reading_turns.opened(tmp_path / "base") as memory:
        assert 0 < check(memory, whole) < len(reading_turns.TURNS)
        reading_turns.learn(memory, "rules")
        assert left(memory) == whole
        assert memory.verify().findings == ()


@pytest.mark.proof
@pytest.mark.parametrize("mode", ["rules", "slow"])
def test_learning_that_is_killed_ends_as_if_it_had_not_been(
    mode: str, operation_kills: int, crash_seed: str, tmp_path: Path
) -> None:
    base, folder = tmp_path / "base", tmp_path / "work"
    took, whole = learned(base, tmp_path / "whole", mode)
    chance = Random(f"learn {mode} {crash_seed}")
    cut = 0
    for _ in range(operation_kills):
        shutil.copytree(base, folder)
        killed(folder, mode, chance.uniform(0, took))
        with reading_turns.opened(folder) as memory:
            cut += check(memory, whole) < len(reading_turns.TURNS) or memory.stats()["unread"] > 0
            reading_turns.learn(memory, mode)
            assert left(memory) == whole
            assert memory.verify().findings == ()
        shutil.rmtree(folder)
    assert cut, "the kills came too late to show anything"
