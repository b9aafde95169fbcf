"""A life at constant size: one memory after another under a budget, questions between them, maintain now and then.

Guarantees: one process and one clock; each sample is taken after a collection of garbage, so that what is counted is
held. What opening takes is timed in a process of its own, on the folder that the life left, by the same clock.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import marskg
from marskg.clock import ManualClock
from marskg.errors import EnvironmentFailure
from marskg_bench.common.processes import resident_mb
from marskg_bench.common.workload import START, TOKENS, Workload

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.memory import AgentMemory
    from marskg_bench.common.finished import Finished
    from marskg_bench.common.progress import Say

#: With the audit whole, and with maintain sealing all but as many writes as the budget holds.
ARMS: Final = ("whole", "sealed")
#: Milliseconds of the clock between two writes.
_STEP: Final = 1_000
#: Writes between two questions.
_ASKED: Final = 10
_QUESTION: Final = "what was the price of the train to Paris"
_OPENING: Final = """
import json, sys, time
started = time.perf_counter()
import marskg.api.opening
from marskg.clock import ManualClock
clock = ManualClock(int(sys.argv[2]))
begun = time.perf_counter()
memory = marskg.open(sys.argv[1], create=False, clock=clock)
opened = time.perf_counter()
memory.retrieve(sys.argv[3], k=5)
answered = time.perf_counter()
times = {"import_s": begun - started, "open_s": opened - begun, "first_answer_s": answered - opened}
print(json.dumps({name: round(seconds, 3) for name, seconds in times.items()}))
memory.close()
"""


@dataclass(frozen=True, slots=True)
class Life:
    """What is lived: ``n`` writes where ``live`` memories fit, measured ``samples`` times."""

    arm: str
    folder: Path
    n: int
    live: int
    samples: int
    seed: int


def marks(life: Life) -> list[int]:
    """Return after how many writes a sample is taken, in order."""
    return sorted({life.n * number // life.samples for number in range(1, life.samples + 1)})


def samples_of(life: Life, finished: Finished) -> list[dict[str, Any]]:
    """Return the samples of a life that are there, in order."""
    return [found for mark in marks(life) if (found := finished.get((life.arm, mark))) is not None]


def live_on(life: Life, finished: Finished, say: Say) -> None:
    """Live from the last sample that is there to the end.

    Raises:
        EnvironmentFailure: the store cannot be opened by another process.
        InvalidInput: the store of an earlier call is not where its samples are.
    """
    known = samples_of(life, finished)
    done = known[-1]["writes"] if known else 0
    workload, clock = Workload(life.seed, done), ManualClock(START + done * _STEP)
    for mark in (one for one in marks(life) if one > done):
        memory = _opened(life, clock, create=done == 0)
        try:
            for number in range(done, mark):
                _write(memory, workload, number, life.live)
                clock.advance(_STEP)
                if number % 100 == 0:
                    say(f"audit {life.arm}: {number:,} of {life.n:,} writes")
            sample = {"writes": mark, **_measured(memory, life.folder)}
        finally:
            memory.close()
        finished.add((life.arm, mark), sample | _opening(life.folder, clock.now_ms()))
        done = mark


def _opened(life: Life, clock: ManualClock, *, create: bool) -> AgentMemory:
    memory = marskg.open(life.folder, budget=life.live * TOKENS, clock=clock, create=create)
    if life.arm == "sealed":
        memory.settings.set(None, {"keep_details": f"{life.live}s"})
    return memory


def _write(memory: AgentMemory, workload: Workload, number: int, live: int) -> None:
    memory.remember(**workload.turn())
    if number % _ASKED == 0:
        memory.retrieve(_QUESTION, k=5)
    if number % live == live - 1:
        memory.maintain()


def _measured(memory: AgentMemory, folder: Path) -> dict[str, Any]:
    """Return what is held after a maintain, in megabytes, and how many records there are; the files also scrubbed."""
    memory.maintain()
    gc.collect()
    stats = memory.stats()
    found = {
        "rss_mb": resident_mb(),
        "folder_mb": _size(folder),
        "live": stats["live"],
        "records": stats["audit_seq"] + stats["access_seq"],
    }
    memory.maintenance.scrub()
    return {**found, "scrubbed_mb": _size(folder)}


def _size(folder: Path) -> float:
    """Return the bytes of all files below ``folder``, in megabytes."""
    return round(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20, 2)


def _opening(folder: Path, now: int) -> dict[str, Any]:
    command = [sys.executable, "-c", _OPENING, str(folder), str(now), _QUESTION]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own program
    if done.returncode:
        msg = f"a process of its own cannot open {folder}: {done.stderr.strip().splitlines()[-1:]}"
        raise EnvironmentFailure(msg)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures
