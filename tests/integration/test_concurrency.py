"""Several writers of one tenant: the sequence has no gap, nothing is lost, and one process has an embedded store."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import marskg
from marskg.drafts import Draft
from marskg.ontology.vocabulary import Kind
from marskg.store.engine.bolt import Bolt
from marskg.store.ingest.prepare import BATCH
from tests.support import picture as pictures
from tests.support import stores as support
from tests.support import writer
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from marskg.memory import AgentMemory
    from marskg.store.engine.protocol import Row
    from tests.support.neo4j import Neo4jAddress
    from tests.support.stores import Stores

ROOT = Path(__file__).parents[2]
THREADS = 4
ROUNDS = 12
#: Without a JVM, a refusal costs the imports alone.


@pytest.fixture(scope="module")
def embedded_stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    opened = support.embedded(tmp_path_factory.mktemp("concurrency") / "store")
    yield opened
    opened.engine.close()


@pytest.fixture(scope="module")
def server_stores(neo4j_server: Neo4jAddress, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    opened = support.server(neo4j_server, tmp_path_factory.mktemp("home"))
    yield opened
    opened.engine.close()


@pytest.fixture(params=["embedded_stores", "server_stores"], ids=["arcadedb", "neo4j"])
def stores(request: pytest.FixtureRequest) -> Stores:
    found: Stores = request.getfixturevalue(request.param)
    return found


def test_progress_is_told_in_the_thread_that_asked_for_it(stores: Stores) -> None:
    memory = stores.open(embedding__model="none")
    told: list[int] = []

    def drafts() -> Iterator[Draft]:
        for number in range(4 * BATCH):
            if number == 3 * BATCH + 1:  # what came before is being written, and another thread waits for that
                with ThreadPoolExecutor(1) as other:
                    assert other.submit(memory.remember, "beside").result(HANGS_S).weight
            yield Draft(ref=str(number), kind=Kind.SEMANTIC, content=f"note {number}", at=support.START)

    threads: list[int] = []

    def progress(done: int) -> None:
        told.append(done)
        threads.append(threading.get_ident())

    done = memory.remember_many(drafts(), progress=progress)
    assert (done, told) == (4 * BATCH, [BATCH, 2 * BATCH, 3 * BATCH, 4 * BATCH])
    assert threads == [threading.get_ident()] * 4
    assert_whole(stores, memory)


def assert_whole(stores: Stores, memory: AgentMemory) -> None:
    """Hold a tenant that many wrote to: no gap in either log, sums and protection right, audit and shapes in order."""
    assert pictures.faults(pictures.take(stores.engine, memory.tenant)) == []
    for log in ("transitions", "accesses"):
        sequences = [record.sequence for record in memory.audit.records(log=log)]
        assert sequences == list(range(1, len(sequences) + 1))
    for report in (memory.verify(), memory.validate(full=True)):
        assert report.ok, report.findings


def test_threads_of_one_tenant(stores: Stores, tenant: str) -> None:
    memory = stores.open(tenant, budget=400)

    def work(thread: int) -> list[str]:
        ids = []
        for number in range(ROUNDS):
            said = memory.remember(f"Thread {thread} says {number}", session=f"s{number % 2}", key=f"k{thread}")
            memory.control.record_access([said.id])
            ids.append(said.id)
        return ids

    with ThreadPoolExecutor(THREADS) as pool:
        ids = [node_id for done in pool.map(work, range(THREADS)) for node_id in done]
    recorded = [one for record in memory.audit.records() if record.operation == "remember" for one in record.memories]
    assert sorted(recorded) == sorted(ids)
    assert_whole(stores, memory)


def test_threads_with_a_door_of_their_own(stores: Stores, tenant: str) -> None:
    stores.open(tenant, budget=400)

    def work(thread: int) -> None:
        memory = stores.open(tenant, seed=f"thread {thread}")
        for number in range(ROUNDS):
            memory.remember(f"Thread {thread} says {number}", session="s", mentions=["Ann"])

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(THREADS)))
    memory = stores.open(tenant, seed="after")
    assert sum(record.operation == "remember" for record in memory.audit.records()) == THREADS * ROUNDS
    assert_whole(stores, memory)


def test_two_processes_over_bolt(neo4j_server: Neo4jAddress, tmp_path: Path, tenant: str) -> None:
    names = {"NEO4J_USERNAME": neo4j_server.username, "NEO4J_PASSWORD": neo4j_server.password}
    environment = {**os.environ, **names, "MARS_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "tests.support.writer", neo4j_server.uri]
    children = [
        subprocess.Popen(
            [*command, f"{tenant} {child}", f"{child * 1000}", f"{ROUNDS}", f"{tenant}-"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for child in range(2)
    ]
    promised: dict[str, list[str]] = {writer.WIDE: [], writer.TIGHT: []}
    for child in children:
        out, err = child.communicate(timeout=HANGS_S)
        assert child.returncode == 0, err
        for words in map(str.split, out.splitlines()):
            if words[0] in promised:
                promised[words[0]].append(words[2])
    stores = support.server(neo4j_server, tmp_path)
    try:
        for name, ids in promised.items():
            memory = stores.open(f"{tenant}-{name}", seed="after")
            recorded = {
                one for record in memory.audit.records() if record.operation == "remember" for one in record.memories
            }
            assert len(set(ids)) == 2 * ROUNDS
            assert set(ids) <= recorded
            assert_whole(stores, memory)
        wide = stores.open(f"{tenant}-{writer.WIDE}", seed="again")
        assert all(wide.get(node_id) for node_id in promised[writer.WIDE])
    finally:
        stores.engine.close()


class SlowToCommit(Bolt):
    """A connection to a server whose one-statement writes stay uncommitted until they are let go."""

    def __init__(self, address: Neo4jAddress) -> None:
        super().__init__(address.uri, username=address.username, password=address.password)
        self.written, self.released = threading.Event(), threading.Event()

    def write(self, statement: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        with self.transaction() as transaction:
            rows = transaction.run(statement, parameters)
            self.written.set()
            assert self.released.wait(HANGS_S)
        return rows

    def wait_for_a_blocked_one(self) -> None:
        until = time.monotonic() + HANGS_S
        blocked = "SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN status"
        while not self.read(blocked):
            assert time.monotonic() < until
            time.sleep(0.05)


@pytest.mark.parametrize("late", ["remember", "remember next", "pin", "access"])
def test_a_writer_that_waits_for_another_sees_what_it_wrote(
    neo4j_server: Neo4jAddress, server_stores: Stores, tenant: str, late: str
) -> None:
    """Neo4j locks a node when it is written, after it was found: what was compared before may be old by then."""
    memory = server_stores.open(tenant)
    said = memory.remember("Ann lives in Oslo", session="s")
    slow = SlowToCommit(neo4j_server)
    other = support.Stores(slow, server_stores.location, server_stores.clocks).open(tenant, seed="other")
    work = {
        "remember": lambda: memory.remember("Bob lives in Rome", session="t"),
        "remember next": lambda: memory.remember("Bob lives in Rome", session="s"),
        "pin": lambda: memory.policy.pin(said.id),
        "access": lambda: memory.control.record_access([said.id]),
    }[late]
    try:
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(other.control.record_access, [said.id])
            assert slow.written.wait(HANGS_S)
            second = pool.submit(work)
            slow.wait_for_a_blocked_one()
            slow.released.set()
            first.result()
            second.result()
    finally:
        slow.released.set()
        slow.close()
    assert memory.control.record_access([said.id]) == 1
    assert_whole(server_stores, memory)


def test_an_embedded_store_belongs_to_one_process(tmp_path: Path) -> None:
    code = "import marskg, sys; m = marskg.open(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", code, str(tmp_path / "store")]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "open\n"
            with pytest.raises(marskg.StoreLocked, match=rf"pid {holder.pid}\).*close it there") as refusal:
                marskg.open(tmp_path / "store")
            assert refusal.value.pid == holder.pid
        finally:
            holder.kill()
    # The lock goes with its holder, however that ended.
    with marskg.open(tmp_path / "store") as memory:
        assert memory.verify().ok
