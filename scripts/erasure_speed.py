"""What erasing one of ten people of a large store costs, before its files are rewritten.

    python scripts/erasure_speed.py FOLDER MEMORIES [--people person3,person4]

The first run fills FOLDER with MEMORIES in turn about ten people, without vectors; each erasure takes one of them. The
first erasure of a process pays for the engine's warming up, which a long-running one has behind it: name several to see
both. It prints seconds by the wall clock, of all threads, and of the erasing thread alone. On a busy machine only the
last two say something.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING

import marskg
from marskg.drafts import Draft
from marskg.ontology.vocabulary import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

BUDGET = 100_000_000
PEOPLE = 10
QUIET = {"entities.recognise": "off", "sensitivity.assess": "off", "embedding.model": "none"}
WORDS = ("tomatoes", "garden", "water", "week", "coffee", "train", "meeting", "budget", "doctor", "market", "music")


def drafts(count: int, now: int) -> Iterator[Draft]:
    """Yield memories of fourteen words, four episodes to one fact, in sessions of fifty of each person."""
    chance = random.Random(1)  # noqa: S311 - words, not secrets
    for number in range(count):
        person = f"person{number % PEOPLE}"
        yield Draft(
            ref=str(number),
            at=now,
            content=" ".join(chance.choice(WORDS) for _ in range(14)) + f" {number}",
            kind=Kind.EPISODIC if number % 5 else Kind.SEMANTIC,
            session=f"{person}-{number // 500}",
            subjects=(person,),
        )


def main() -> None:
    """Fill a store if there is none, and erase."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("memories", type=int)
    parser.add_argument("--people", default="person3,person4")
    given = parser.parse_args()
    fresh = not given.folder.exists()
    memory = marskg.open(given.folder, tenant="t", budget=BUDGET)
    if fresh:
        memory.settings.set(None, QUIET)
        memory.remember_many(drafts(given.memories, memory.now()))
        memory.close()
        memory = marskg.open(given.folder, tenant="t")
    for person in given.people.split(","):
        wall, process, thread = time.perf_counter(), time.process_time(), time.thread_time()
        receipt = memory.erase(subject=person)
        print(
            f"{person}: {time.perf_counter() - wall:.2f} s, {time.process_time() - process:.2f} s of all threads, "
            f"{time.thread_time() - thread:.2f} s of this one; {receipt.matched} memories",
            flush=True,
        )
    memory.close()


if __name__ == "__main__":
    main()
