"""Processes killed between a reading and the writing of its record: the last may be lost, none before it is."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import marskg
from marskg.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
#: Reads until it is killed, or has read as often as it is told and kills itself; says after each reading its name, and
#: ``kept`` once a write came after it.
READER = """
import itertools, os, signal, sys
import marskg
with marskg.open(sys.argv[1], embedding="none") as memory:
    memory.remember("The boat is crimson", kind="semantic")
    os.write(1, b"open\\n")
    for number in itertools.count():
        os.write(1, f"shown {memory.retrieve(f'boat {number}').id}\\n".encode())
        if number % 5 == 4:
            memory.remember(f"The oar {number} is blue")
            os.write(1, b"kept\\n")
        if number == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(folder: Path, delay: float | None, last: int = -1) -> Iterator[str]:
    """Let a reader work for ``delay`` seconds, or up to reading ``last``, kill it, and yield what it said."""
    command = [sys.executable, "-c", READER, str(folder), f"{last}"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        opened = child.stdout.readline()
        assert opened == "open\n", child.stderr.read()
        if delay is not None:
            time.sleep(delay)
            child.kill()
        yield from (line.strip() for line in child.stdout if line.endswith("\n"))
    assert child.returncode == -signal.SIGKILL


def test_a_reader_killed_after_its_eighth_reading_loses_the_end_of_them_alone(tmp_path: Path) -> None:
    said = list(killed(tmp_path / "store", None, last=7))
    assert said.count("kept") == 1
    check(tmp_path / "store", said)


@pytest.mark.proof
def test_a_killed_reader_loses_the_end_of_its_readings_and_leaves_no_hole(
    kills: int, crash_seed: str, tmp_path: Path
) -> None:
    chance = random.Random(f"reader {crash_seed}")
    for run in range(max(2, kills)):
        folder = tmp_path / f"store-{run}"
        check(folder, list(killed(folder, chance.uniform(0, 0.3))))


def check(folder: Path, said: list[str]) -> None:
    """Hold a store to what a killed reader said."""
    names = [line.removeprefix("shown ") for line in said if line.startswith("shown ")]
    kept = names[: 5 * said.count("kept")]
    with marskg.open(folder, embedding="none") as memory:
        assert memory.verify().ok
        records = list(memory.audit.records(log="accesses"))
        assert [record.sequence for record in records] == list(range(1, len(records) + 1))
        there = {record.iri for record in records}
        assert all(name.rpartition("-")[0] in there for name in kept)
        memory.retrieve("boat")  # takes the number of the first that was lost
        lost = [name for name in names if name.rpartition("-")[0] not in there]
        for name in lost:
            with pytest.raises(InvalidInput):
                memory.feedback(name, answer="The boat is crimson")
        for name in kept:
            assert memory.feedback(name, answer="The boat is crimson").assessed
