"""Kills in the midst of what takes longest: restore, erasure with cleaning, rotation, vectors, snapshot, migration.

After each, the tenant opens as it was before or as the operation leaves it, verifies, and the operation can be done
again. ``make test`` kills at named points; ``make proof`` at random moments, as often as ``scripts/proof.py`` says
(CRASH_KILLS, with CRASH_SEED for other moments).
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
from typing import TYPE_CHECKING

import pytest

from tests.support import operations
from tests.support import picture as pictures
from tests.support.operations import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.memory import AgentMemory
    from tests.support.operations import Operation

ROOT = Path(__file__).parents[2]


def start(name: str, folder: Path, point: str = "") -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.support.operations", name, str(folder)]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "FAILPOINT": point}, stdout=pipe, stderr=pipe, text=True
    )


def killed(name: str, folder: Path, delay: float | None) -> tuple[bool, float]:
    """Run an operation, and kill it after ``delay`` seconds; returns whether it ended, and after how long."""
    with start(name, folder) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        ready = child.stdout.readline()
        assert ready == "ready\n", child.stderr.read()
        began = time.monotonic()
        if delay is None:
            done = child.stdout.readline() == "done\n"
            took = time.monotonic() - began
        else:
            time.sleep(delay)
            child.kill()
            done, took = "done" in child.stdout.read(), delay
        said = child.stderr.read()
    assert child.returncode in {0, -signal.SIGKILL}, said
    return done, took


def contents(memory: AgentMemory) -> list[str]:
    return sorted(one.content or "" for one in memory.memories())


def check(name: str, operation: Operation, folder: Path, *, done: bool) -> None:
    """Hold a store to its promises after a kill, do the operation again, and go on."""
    with operations.open_store(folder) as memory:
        found = contents(memory)
        over = found == sorted(operation.after)
        assert over or (found == sorted(operation.before) and not done), f"{name}: {len(found)} memories"
        sound(memory)
        operation.check(memory, folder, over)
        if not over or operation.before == operation.after:
            operation.run(memory, folder)
        memory.remember("And on it goes", session="c")
        sound(memory)


def sound(memory: AgentMemory) -> None:
    assert memory.verify().findings == ()
    assert memory.validate(full=True).findings == ()
    assert pictures.faults(pictures.take(memory.store.engine, memory.tenant)) == []


#: Before anything is kept, between two things that are kept, and when all is kept but not yet told; the last of each
#: is in `make test`, all are in the proof.
POINTS = {
    "restore": ("before commit 1", "after commit 1"),
    "scrub": ("after commit 1", "before rewriting 1", "before opening 1"),
    "rotation": ("before commit 2",),
    "reembedding": ("after commit 1",),
    "snapshot": ("after commit 2",),
    "migration": ("before commit 12", "after commit 3"),
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the folder that an operation begins with, made once."""
    made: dict[str, Path] = {}

    def of(name: str) -> Path:
        if name not in made:
            made[name] = tmp_path_factory.mktemp("operations") / name
            operations.fill(OPERATIONS[name], made[name])
        return made[name]

    return of


@pytest.mark.parametrize(
    ("name", "point"),
    [
        pytest.param(name, point, marks=[] if point == points[-1] else pytest.mark.proof)
        for name, points in POINTS.items()
        for point in points
    ],
)
def test_a_process_killed_at_a_point(name: str, point: str, filled: Callable[[str], Path], tmp_path: Path) -> None:
    folder = shutil.copytree(filled(name), tmp_path / "work")
    with start(name, folder, point) as child:
        said, complaint = child.communicate()
    assert (said, child.returncode) == ("ready\n", -signal.SIGKILL), complaint
    check(name, OPERATIONS[name], folder, done=False)


@pytest.mark.proof
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_process_killed_in_the_midst_of(name: str, operation_kills: int, crash_seed: str, tmp_path: Path) -> None:
    operation = OPERATIONS[name]
    base, folder = tmp_path / "base", tmp_path / "work"
    operations.fill(operation, base)
    shutil.copytree(base, folder)
    done, took = killed(name, folder, None)
    assert done
    check(name, operation, folder, done=True)
    chance = Random(f"{name} {crash_seed}")
    cut = 0
    for _ in range(operation_kills):
        shutil.rmtree(folder)
        shutil.copytree(base, folder)
        done, _took = killed(name, folder, chance.uniform(0, took))
        check(name, operation, folder, done=done)
        cut += not done
    assert cut, "the kills came too late to show anything"
