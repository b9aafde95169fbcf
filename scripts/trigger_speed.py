"""What one trigger that frees a tenth of a large store costs.

    python scripts/trigger_speed.py FOLDER MEMORIES POLICY [--share 0.1] [--apply]

The first run fills FOLDER with MEMORIES of the bench's workload, with static vectors; later ones use what is there, so
that several policies can be measured on one store as long as nothing is applied. It prints the seconds of opening, of
the index, of the plan and of carrying it out: by the wall clock, of all threads, and of the planning thread alone. On
a busy machine only the last two say something.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import marskg
from marskg_bench.common.workload import Workload

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

BUDGET = 100_000_000
QUIET = {"entities.recognise": "off", "sensitivity.assess": "off", "head_interval": 100_000}


def timed(what: str, work: Callable[[], T]) -> T:
    """Run ``work`` and print what it took."""
    wall, process, thread = time.perf_counter(), time.process_time(), time.thread_time()
    found = work()
    print(
        f"{what}: {time.perf_counter() - wall:.2f} s, {time.process_time() - process:.2f} s of all threads, "
        f"{time.thread_time() - thread:.2f} s of this one",
        flush=True,
    )
    return found


def main() -> None:
    """Measure one policy."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("memories", type=int)
    parser.add_argument("policy")
    parser.add_argument("--share", type=float, default=0.1)
    parser.add_argument("--apply", action="store_true")
    given = parser.parse_args()
    fresh = not given.folder.exists()
    memory = timed("open", lambda: marskg.open(given.folder, tenant="a"))
    if fresh:
        memory.settings.set(None, {"budget": BUDGET, **QUIET})
        timed("fill", lambda: memory.remember_many(Workload(7).mixed(given.memories)))
    timed("index", memory.maintenance.prepare)
    timed("first table of features", lambda: memory.plan(policy="density", budget=memory.weight - 1))
    target = int(memory.weight * (1 - given.share))
    plan = timed("plan", lambda: memory.plan(policy=given.policy, budget=target))
    print(
        f"{given.policy} on {os.cpu_count()} cores: {memory.weight} tokens, {plan.freed_tokens} freed by "
        f"{len(plan.actions)} actions and {len(plan.summaries)} summaries; stages {plan.stages}"
    )
    if given.apply:
        timed("forget", lambda: memory.forget(plan))
    memory.close()


if __name__ == "__main__":
    main()
