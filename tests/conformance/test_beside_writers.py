"""Checks, copies and queries beside writers: a sound store is never accused, and nothing is refused as others write."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.records import Report
from marskg.store.unit.reader import GraphReader
from tests.support.names import name
from tests.support.queueing import Aside
from tests.support.writer import TIGHT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

QUICK: dict[str, Any] = {"sensitivity__assess": "off", "embedding__model": "none"}
ROUNDS = 3


def filled(stores: Stores) -> AgentMemory:
    """Return a tenant with a chain, a person, a task, something derived and a key."""
    memory = stores.open(**QUICK)
    for number in range(6):
        memory.remember(f"Step {number} of the walk by the lake", kind="episodic", session="walk", subjects=["ada"])
    base = memory.remember("Bea has a boat on the lake", subjects=["bea"], mentions=["Bea"])
    memory.remember("She can cross the lake", subjects=["bea"], derives_from=[base.id], depends_on=[base.id])
    memory.remember("The budget is 100", key="budget/travel")
    memory.remember("Row over", kind="task", requires=[base.id])
    return memory


CHANGES: dict[str, Callable[[AgentMemory], object]] = {
    "remember": lambda other: other.remember("Step 7 of the walk", kind="episodic", session="walk"),
    "erase": lambda other: other.erase(subject="bea"),
    "erase an episode": lambda other: other.erase(session="walk"),
    "supersede": lambda other: other.remember("The budget is 200", key="budget/travel"),
    "forget": lambda other: other.settings.set_budget(other.weight // 2),
    "show": lambda other: other.retrieve("lake"),
    "seal": lambda other: other.audit.seal(before=other.now() - 20),
    "prefer": lambda other: other.preferences.set("retention", "episodic", subject="ada", horizon="30d"),
    "sign": lambda other: other.audit.sign_head(),
    "pin": lambda other: other.policy.pin(next(one.id for one in other.memories() if one.key is not None)),
}

DOORS: dict[str, Callable[[AgentMemory, Path], object]] = {
    "verify": lambda memory, _: memory.verify(),
    "validate": lambda memory, _: memory.validate(full=True),
    "validate recent": lambda memory, _: memory.validate(),
    "export": lambda memory, folder: memory.export(folder / "all.nq", audit=True),
    "snapshot": lambda memory, folder: memory.snapshots.save(folder / "all.mars"),
    "stats": lambda memory, _: memory.stats(),
    "report": lambda memory, _: memory.privacy.report("ada"),
    "sparql": lambda memory, _: memory.sparql("SELECT ?c WHERE { ?m mars:content ?c }"),
    "cypher": lambda memory, _: memory.cypher("MATCH (m:Memory) RETURN count(m) AS n"),
}


#: A door, what is changed while it reads, and the statement after whose first page that is.
BETWEEN = [
    *((door, change, "load_memories") for door in ("verify", "validate") for change in sorted(CHANGES)),
    *(("export", change, "load_memories") for change in ("erase", "forget")),
    *(("verify", change, after) for change in ("erase", "seal") for after in ("records", "load_entities")),
]


def assert_sound(found: object) -> None:
    """Hold a report to it that it accuses nothing."""
    if isinstance(found, Report):
        assert found.findings == ()


@pytest.mark.parametrize(("door", "change", "after"), BETWEEN)
def test_what_another_handle_changes_between_two_pages_is_no_finding(
    stores: Stores, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, door: str, change: str, after: str
) -> None:
    memory = filled(stores)
    other = stores.open(memory.tenant, seed="other", **QUICK)
    real, left = GraphReader.run, [True]

    def run(reader: GraphReader, name: str, parameters: Any) -> Any:
        rows = real(reader, name, parameters)
        if name == after and left:
            left.pop()
            CHANGES[change](other)
        return rows

    monkeypatch.setattr(GraphReader, "run", run)
    assert_sound(DOORS[door](memory, tmp_path))
    assert left == []
    monkeypatch.undo()
    assert_sound(memory.verify())
    assert_sound(memory.validate(full=True))
    if door == "export":
        copy = stores.open(**QUICK)
        copy.load(tmp_path / "all.nq")
        assert_sound(copy.validate(full=True))


def test_writers_wait_for_the_last_step_of_a_reading_alone(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = filled(stores)
    other = stores.apart().open(memory.tenant, seed="other", **QUICK) if stores.address else memory
    real = GraphReader.run
    begun: list[Aside] = []
    reading = [True]

    def run(reader: GraphReader, name: str, parameters: Any) -> Any:
        if name == "load_memories" and reading:
            reading.pop()
            Aside(lambda: other.remember("Written while the rows are read")).join()
        if name == "physical_page" and not begun:
            begun.append(Aside(lambda: other.remember("Written after the last step")))
            assert not begun[0].done.wait(0.3), "the writers are held in the last step"
        return real(reader, name, parameters)

    monkeypatch.setattr(GraphReader, "run", run)
    assert_sound(memory.verify())
    begun[0].join()
    monkeypatch.undo()
    assert {"Written while the rows are read", "Written after the last step"} <= {m.content for m in memory.memories()}


@contextmanager
def writing(memory: AgentMemory) -> Iterator[list[int]]:
    """Let another thread write and erase all the time; gives how often it wrote."""
    stop, errors = threading.Event(), list[BaseException]()
    wrote = [0]

    def write() -> None:
        try:
            # A thread that takes a lock again at once may keep another one waiting for minutes.
            while not stop.wait(0.005):
                wrote[0] += 1
                memory.remember(f"{wrote[0]} tea, bread, river and moon", subjects=[f"w{wrote[0] // 8}"], session="s")
                if wrote[0] % 8 == 7:
                    memory.erase(subject=f"w{wrote[0] // 8}")
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits
            errors.append(error)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield wrote
    finally:
        stop.set()
        thread.join()
    assert errors == []


@pytest.mark.proof
@pytest.mark.parametrize("door", sorted(DOORS))
def test_beside_a_thread_that_writes_and_erases(stores: Stores, tmp_path: Path, door: str) -> None:
    memory = stores.open(budget=400, policy__name="lru", **QUICK)
    for number in range(30):
        memory.remember(f"{number} tea, bread and river", subjects=["ada"], session="s")
    with writing(memory) as wrote:
        # A quick door may be through with its rounds before the other thread has written once.
        for number in count():
            if number >= ROUNDS and wrote[0] > ROUNDS:
                break
            assert_sound(DOORS[door](memory, tmp_path))
    assert_sound(memory.verify())
    assert_sound(memory.validate(full=True))


@pytest.mark.proof
def test_beside_a_reader_s_export_and_query(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open(budget=400, policy__name="lru", **QUICK)
    memory.remember("Tea and bread by the river", subjects=["ada"])
    reader = stores.open_as(memory, "reader:bot?ceiling=1")
    with writing(memory):
        for _ in range(ROUNDS):
            reader.export(tmp_path / "seen.nq")
            reader.sparql("SELECT ?c WHERE { ?m mars:content ?c }")


@pytest.mark.proof
def test_beside_another_process(stores: Stores, tmp_path: Path) -> None:
    """On a server, where nothing is shared but the store."""
    if stores.address is None:
        pytest.skip("its files belong to one process")
    prefix = name("p-") + "-"
    uri, username, password = stores.address
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.writer", uri, "beside", "0", "100000", prefix],
        stdout=subprocess.PIPE,
        env=os.environ | {"NEO4J_USERNAME": username, "NEO4J_PASSWORD": password},
        text=True,
    )
    assert process.stdout is not None
    try:
        lines = iter(process.stdout)
        assert next(lines) == "open\n"
        drain = threading.Thread(target=lambda: list(lines))
        drain.start()
        memory = stores.open(prefix + TIGHT, seed="beside", budget=60)
        before = memory.stats()["audit_seq"]
        for number in range(ROUNDS):
            memory.remember(f"Said here {number}", session="here", subjects=["ada"])
            memory.erase(session="here")
            for door in DOORS.values():
                assert_sound(door(memory, tmp_path))
        assert memory.stats()["audit_seq"] > before + ROUNDS
        assert process.poll() is None, "the other process wrote all the time"
    finally:
        process.kill()
        process.wait()
        drain.join()
        process.stdout.close()
    assert_sound(memory.verify())
    assert_sound(memory.validate(full=True))


def test_a_door_that_is_refused_says_why(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open(**QUICK)
    with pytest.raises(marskg.MarsError, match="format"):
        memory.export(tmp_path / "all.nothing")
    assert list(tmp_path.iterdir()) == []
