"""Processes killed at any moment: nothing acknowledged is lost, nothing is half-done, and the audit still verifies.

``make test`` kills at named points, ``make proof`` hundreds of times at random moments (CRASH_KILLS, CRASH_NEO4J_KILLS,
CRASH_SEED).
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scripts.neo4j_server import Neo4jServer, fetch
from tests.support import picture as pictures
from tests.support import stores as support
from tests.support import writer
from tests.support.neo4j import Neo4jAddress

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

ROOT = Path(__file__).parents[2]
#: A store is used for so many kills; then its log makes each check long.
KILLS_PER_STORE = 20
#: Every shape over the whole store takes longer than all other checks together.
FULL_EVERY = 5


class Promises:
    """What the writers of one store acknowledged."""

    def __init__(self) -> None:
        self.ids: dict[str, dict[int, str]] = {writer.WIDE: {}, writer.TIGHT: {}}
        self.batches: set[int] = set()

    def note(self, line: str) -> None:
        """Note one line; the last one of a killed process may be cut."""
        match line.split():
            case [tenant, number, node_id] if line.endswith("\n"):
                self.ids[tenant][int(number)] = node_id
            case ["batch", number] if line.endswith("\n"):
                self.batches.add(int(number))

    @property
    def next(self) -> int:
        """Return a number that no call had, acknowledged or not."""
        return max(self.ids[writer.WIDE], default=0) + 2


def start(location: str, run: int, first: int, home: Path, extra: Mapping[str, str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.support.writer", location, f"{run}", f"{first}"]
    pipe = subprocess.PIPE
    environment = {**os.environ, **extra, "MARS_HOME": str(home)}
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment)


def run_to_the_point(child: subprocess.Popen[str], promises: Promises) -> None:
    """Let a writer come to its failpoint, and note what it had promised."""
    out, said = child.communicate()
    assert child.returncode == -signal.SIGKILL, said
    for line in out.splitlines(keepends=True):
        promises.note(line)


def run_until(child: subprocess.Popen[str], promises: Promises, kill: Callable[[], None], delay: float) -> str:
    """Let a writer work for ``delay`` seconds after it opened the store, kill, and note what it had promised."""
    with child:
        assert child.stdout is not None
        assert child.stderr is not None
        opened = child.stdout.readline()
        assert opened == "open\n", child.stderr.read()
        time.sleep(delay)
        kill()
        for line in child.stdout:
            promises.note(line)
        return child.stderr.read()


def check(stores: Stores, promises: Promises, *, full: bool) -> None:
    """Hold the store to its promises and to the invariants, with ``full`` to every shape as well."""
    wide = stores.open(writer.WIDE, seed="check")
    tight = stores.open(writer.TIGHT, seed="check")
    for memory in (wide, tight):
        check_tenant(stores, memory, promises)
        report = memory.validate(full=full)
        assert report.ok, report.findings
    said: dict[str, int] = {}
    for found in wide.memories():
        said[found.content or ""] = said.get(found.content or "", 0) + 1
    for number, node_id in promises.ids[writer.WIDE].items():
        kept = wide.get(node_id)
        assert kept is not None, f"call {number} was acknowledged and is lost"
        assert kept.content == writer.text(number)
    last = promises.next
    for number in range(last):
        parts = [said.get(writer.part(number, place), 0) for place in range(writer.BATCH)]
        assert parts in ([0] * writer.BATCH, [1] * writer.BATCH), f"batch {number} is half there"
        assert parts[0] or number not in promises.batches, f"batch {number} was acknowledged and is lost"
    assert all(count == 1 for count in said.values()), "something was stored twice"


def check_tenant(stores: Stores, memory: AgentMemory, promises: Promises) -> None:
    assert pictures.faults(pictures.take(stores.engine, memory.tenant)) == []
    report = memory.verify()
    assert report.ok, report.findings
    sequences: list[int] = []
    recorded: set[str] = set()
    for record in memory.audit.records():
        sequences.append(record.sequence)
        if record.operation == "remember":
            recorded.update(record.memories)
    assert sequences == list(range(1, len(sequences) + 1))
    missing = set(promises.ids[memory.tenant].values()) - recorded
    assert not missing, f"acknowledged, and the audit knows nothing of it: {missing}"


@pytest.mark.parametrize(
    "point",
    ["writing: before commit 3", "writing: after commit 9", "opening: before commit 2", "opening: after commit 3"],
)
def test_a_writer_killed_at_a_point_loses_nothing_that_it_acknowledged(point: str, tmp_path: Path) -> None:
    promises, store = Promises(), str(tmp_path / "store")
    run_to_the_point(start(store, 0, promises.next, tmp_path, {"FAILPOINT": point}), promises)
    assert bool(promises.ids[writer.WIDE]) == point.startswith("writing")
    stores = writer.connect(store, tmp_path)
    try:
        check(stores, promises, full=True)
    finally:
        stores.engine.close()


@pytest.mark.proof
def test_a_killed_writer_loses_nothing_that_it_acknowledged(kills: int, crash_seed: str, tmp_path: Path) -> None:
    chance = random.Random(f"writer {crash_seed}")
    promises, folder = Promises(), tmp_path / "store-0"
    for run in range(kills):
        if run % KILLS_PER_STORE == 0:
            promises, folder = Promises(), tmp_path / f"store-{run}"
        child = start(str(folder), run, promises.next, tmp_path, {})
        said = run_until(child, promises, child.kill, chance.choice((0.02, 0.2, 0.8)) * chance.random())
        assert child.returncode == -signal.SIGKILL, said
        stores = writer.connect(str(folder), tmp_path)
        try:
            check(stores, promises, full=run % FULL_EVERY == 0)
        finally:
            stores.engine.close()


@pytest.mark.proof
def test_a_writer_killed_while_it_opens_the_store_leaves_it_usable(kills: int, crash_seed: str, tmp_path: Path) -> None:
    chance = random.Random(f"opening {crash_seed}")
    promises = Promises()
    for run in range(max(2, kills // 5)):
        child = start(str(tmp_path / "store"), run, promises.next, tmp_path, {})
        time.sleep(chance.uniform(0.3, 2.5))
        child.kill()
        out, said = child.communicate()
        assert child.returncode == -signal.SIGKILL, said
        for line in out.splitlines(keepends=True):
            promises.note(line)
        stores = writer.connect(str(tmp_path / "store"), tmp_path)
        try:
            check(stores, promises, full=run % FULL_EVERY == 0)
        finally:
            stores.engine.close()


@pytest.mark.proof  # What a cut connection leaves is tried at every message in tests/integration/test_bad_input.py.
@pytest.mark.neo4j
def test_a_server_killed_before_a_commit_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    promises, server = Promises(), Neo4jServer(tmp_path / "neo4j", fetch())
    server.start()
    try:
        names = {"NEO4J_USERNAME": "neo4j", "NEO4J_PASSWORD": server.password}
        child = start(server.uri, 0, promises.next, tmp_path, {**names, "FAILPOINT": "writing: stop before commit 9"})
        with child:
            assert child.stdout is not None
            for line in iter(child.stdout.readline, "point\n"):
                assert line, child.communicate()
                promises.note(line)
            server.kill()
            out, said = child.communicate("go on\n")
        assert (out, child.returncode) == ("", writer.GONE), said
        assert server.uri in said, "the error names the server"
        server.start()
        stores = support.server(Neo4jAddress(server.uri, "neo4j", server.password), tmp_path)
        try:
            check(stores, promises, full=True)
        finally:
            stores.engine.close()
    finally:
        server.stop()


@pytest.mark.proof
@pytest.mark.neo4j
def test_a_killed_server_loses_nothing_that_it_acknowledged(neo4j_kills: int, crash_seed: str, tmp_path: Path) -> None:
    chance = random.Random(f"server {crash_seed}")
    promises = Promises()
    server = Neo4jServer(tmp_path / "neo4j", fetch())
    server.start()
    try:
        for run in range(neo4j_kills):
            names = {"NEO4J_USERNAME": "neo4j", "NEO4J_PASSWORD": server.password}
            child = start(server.uri, run, promises.next, tmp_path, names)
            said = run_until(child, promises, server.kill, chance.uniform(0.2, 3.0))
            assert child.returncode == writer.GONE, said
            assert server.uri in said, "the error names the server"
            server.start()
            address = Neo4jAddress(server.uri, "neo4j", server.password)
            stores = support.server(address, tmp_path)
            try:
                check(stores, promises, full=run % FULL_EVERY == 0)
            finally:
                stores.engine.close()
    finally:
        server.stop()
