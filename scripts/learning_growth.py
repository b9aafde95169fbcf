"""Prints what learning a turn costs in a store of 100,000 memories, against one of 10,000.

Run ``python scripts/learning_growth.py LOCOMO [--sizes 10000,100000] [--rounds 5]`` with ``locomo-open.json.gz``. The
stores are on disk (embedded engine, static model, else the default settings) and hold LoCoMo's turns over and over,
each time with other names and days, so that words are as common as they are. Then the same 300 turns a round are
learned by both, in turn; told is the median of a turn, by CPU and by wall time, and their ratio.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
import time
from datetime import UTC, datetime
from itertools import count, islice
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import marskg
from marskg.drafts import Draft
from marskg.ontology.vocabulary import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TURNS = 300
PART = 5_000
DAY = 86_400
BEGIN = 1_600_000_000
AMPLE = 1 << 40


def said(file: Path, first: int) -> Iterator[dict[str, Any]]:
    """Yield turns without end, those of round ``first`` of the file first."""
    turns = [
        turn
        for one in json.loads(gzip.decompress(file.read_bytes()))
        for name, session in one["conversation"].items()
        if name.startswith("session_") and isinstance(session, list)
        for turn in session
    ]
    for again in count(first):
        for number, turn in enumerate(turns):
            who = f"{turn['speaker']}{again}"
            moment = datetime.fromtimestamp(BEGIN + again * DAY + number * 20, UTC).isoformat()
            yield {"content": turn["text"], "speaker": who, "timestamp": moment, "session": f"{again} {number // 30}"}


def stored(turn: dict[str, Any]) -> Draft:
    """Return a turn as it is remembered."""
    at = int(datetime.fromisoformat(turn["timestamp"]).timestamp() * 1_000)
    return Draft(
        ref="", kind=Kind.EPISODIC, content=turn["content"], at=at, session=turn["session"], subjects=(turn["speaker"],)
    )


def main(arguments: Sequence[str]) -> None:
    """Fill the stores, and learn."""
    given = dict(zip(arguments[1::2], arguments[2::2], strict=True))
    sizes = [int(size) for size in given.get("--sizes", "10000,100000").split(",")]
    rounds, file = int(given.get("--rounds", "5")), Path(arguments[0])
    with tempfile.TemporaryDirectory(prefix="marskg-growth-") as folder:
        stores = {size: marskg.open(Path(folder) / str(size), tenant="bench", budget=AMPLE) for size in sizes}
        for size, memory in stores.items():
            memory.settings.set(None, {"embedding.model": "static"})
            turns = map(stored, said(file, 0))
            for done in range(0, size, PART):
                memory.remember_many(list(islice(turns, min(PART, size - done))))
                sys.stderr.write(f"{size:,}: {done + PART:,} stored\n")
        costs: dict[int, list[tuple[float, float]]] = {size: [] for size in sizes}
        fresh = said(file, 1_000)
        for turn in range(rounds + 1):
            block = list(islice(fresh, TURNS))
            for size, memory in list(stores.items())[:: 1 if turn % 2 else -1]:
                cpu, wall = time.process_time(), time.perf_counter()
                learned = memory.learn(block)
                spent = (time.process_time() - cpu) * 1_000 / TURNS, (time.perf_counter() - wall) * 1_000 / TURNS
                sys.stderr.write(f"{size:,}, round {turn}: {len(learned.steps)} proposals, {spent[0]:.2f} ms of CPU\n")
                if turn:
                    costs[size].append(spent)
        for place, name in enumerate(("CPU", "wall")):
            medians = [median(one[place] for one in costs[size]) for size in sizes]
            told = ", ".join(f"{size:,}: {value:.2f} ms" for size, value in zip(sizes, medians, strict=True))
            sys.stdout.write(f"{name} of a turn at {told}; ratio {medians[-1] / medians[0]:.2f}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
