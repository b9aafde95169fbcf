"""A store that is opened and closed again and again: nothing is lost, and the process holds no more than before."""

from __future__ import annotations

import gc
import threading
from typing import TYPE_CHECKING

import psutil

import marskg
from marskg.store.engine.arcadedb import ArcadeDB
from tests.support.proof import amount

if TYPE_CHECKING:
    from pathlib import Path

#: Openings after which all that is made once has been made.
WARM = 20
#: Bytes by which a process may differ from itself: what a collection of garbage leaves for the next.
SLACK = 64 << 20


def held() -> tuple[int, int, int]:
    """Return the open files, the threads and the bytes of this process."""
    gc.collect()
    process = psutil.Process()
    return process.num_fds(), threading.active_count(), process.memory_info().rss


def test_an_engine_that_is_opened_again_and_again_leaves_nothing_behind(tmp_path: Path) -> None:
    engine = ArcadeDB(tmp_path / "store")
    engine.define("CREATE VERTEX TYPE Row")
    engine.close()
    before = (0, 0, 0)
    count = amount(60, 10_000)
    for number in range(count):
        if number == WARM:
            before = held()
        engine = ArcadeDB(tmp_path / "store")
        engine.write("CREATE (:Row {n: $n})", {"n": number})
        engine.close()
    files, threads, size = held()
    assert (files, threads) == before[:2]
    assert size < before[2] + SLACK
    engine = ArcadeDB(tmp_path / "store")
    assert engine.read("MATCH (r:Row) RETURN count(r) AS n, max(r.n) AS last") == [{"n": count, "last": count - 1}]
    engine.close()


def test_a_memory_that_is_opened_again_and_again_keeps_all(tmp_path: Path) -> None:
    marskg.open(tmp_path / "store", budget=100_000).close()
    count = amount(5, 300)
    for number in range(count):
        with marskg.open(tmp_path / "store") as memory:
            memory.remember(f"said at opening {number}")
    with marskg.open(tmp_path / "store") as memory:
        assert {found.content for found in memory.memories()} == {
            f"said at opening {number}" for number in range(count)
        }
        assert memory.verify().ok
