"""What a short write waits for: three others write texts of up to 280,000 characters, and somebody reads beside them.

Guarantees: what is timed is a whole ``remember`` of a short text, alone, and then again beside the others, in their
tenant and in another one of the same store; the others write all the time, and whoever fails ends the bench.
"""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import quantiles
from typing import TYPE_CHECKING, Any, Final

from marskg_bench.common.timing import timed

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.memory import AgentMemory
    from marskg_bench.stores.rig import Rig

#: Characters of the texts that the others write, one size each.
SIZES: Final = (2_000, 20_000, 280_000)
_NAMES: Final = "Maria Silva met Tom Okafor in Porto on Monday, and they talked about the garden of Acme Corp. "


def waiting(rig: Rig, rounds: int) -> dict[str, Any]:
    """Measure ``rounds`` short writes of each kind; times are in milliseconds."""
    memory, other = rig.variants["entities"], rig.variants["plain"]

    def note(to: AgentMemory) -> Callable[[], object]:
        return partial(to.remember, **rig.workload.turn())

    alone = [timed(note(memory)) for _ in range(rounds)]
    stop, done, reads = threading.Event(), Counter[int](), list[float]()

    def write(size: int) -> None:
        try:
            while not stop.is_set():
                memory.remember((f"{done[size]}. " + _NAMES * (size // len(_NAMES) + 1))[:size], kind="semantic")
                done[size] += 1
        finally:
            stop.set()

    def read() -> None:
        try:
            while not stop.is_set():
                reads.append(timed(partial(memory.retrieve, "Whom did Maria meet in Porto?", token_budget=500)))
        finally:
            stop.set()

    with ThreadPoolExecutor(len(SIZES) + 1) as pool:
        working = [pool.submit(read), *(pool.submit(write, size) for size in SIZES)]
        beside, elsewhere = list[float](), list[float]()
        # Until the longest text was written once too, however few rounds there are.
        while not stop.is_set() and (len(beside) < rounds or not done[SIZES[-1]]):
            beside.append(timed(note(memory)))
            elsewhere.append(timed(note(other)))
        stop.set()
        for one in working:
            one.result()
    return {
        "alone": _spread(alone),
        "beside": _spread(beside),
        "other_tenant": _spread(elsewhere),
        "reader": _spread(reads),
        "written": {f"{size:,} characters": done[size] for size in SIZES},
    }


def _spread(seconds: list[float]) -> dict[str, float]:
    """Return the median, the 95th percentile and the highest of ``seconds``, in milliseconds."""
    cuts = quantiles(seconds, n=20, method="inclusive") if len(seconds) > 1 else seconds * 19
    return {
        "p50_ms": round(cuts[9] * 1000, 3),
        "p95_ms": round(cuts[18] * 1000, 3),
        "most_ms": round(max(seconds) * 1000, 3),
        "samples": len(seconds),
    }
