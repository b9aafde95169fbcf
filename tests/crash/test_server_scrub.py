"""Erasing on a real Neo4j server down to the bytes of its home: cleaned, searched, killed half-way and ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import marskg
from marskg.cli.main import cli
from marskg.store import opening, schema, server_files
from marskg.store.server_files import ServerFiles
from tests.support import eraser, neo4j_home, server_eraser
from tests.support import picture as pictures
from tests.support.marked import LENGTH, NAMES, STEM, Marked, marks, request, said
from tests.support.residue import residue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click.testing import Result

    from marskg.memory import AgentMemory
    from scripts.neo4j_server import Neo4jServer
    from tests.support.stores import Stores

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.neo4j, pytest.mark.slow]


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jServer]:
    """Run a server that may be cleaned, for all tests here."""
    with neo4j_home.server(tmp_path_factory.mktemp("server") / "home") as server:
        yield server


@pytest.fixture
def stores(one: Neo4jServer, tmp_path: Path) -> Iterator[Stores]:
    """Connect to it, with keys of one's own."""
    found = neo4j_home.connect(one, tmp_path / "keys")
    yield found
    found.engine.write("MATCH (n) DETACH DELETE n")
    found.engine.close()


def run(command: str, one: Neo4jServer, *options: str) -> Result:
    """Run a command of ``mars`` on the server."""
    shared = ["--store", one.uri, "--tenant", eraser.TENANT]
    return CliRunner(env={**os.environ, **one.environment}).invoke(cli, [command, *options, *shared])


def assert_whole(stores: Stores, memory: AgentMemory) -> None:
    """Check that what was not erased is there, is found by every index, and that the log verifies."""
    assert sorted(one.content or "" for one in memory.memories()) == sorted(eraser.KEPT)
    assert pictures.faults(pictures.take(stores.engine, memory.tenant)) == []
    assert memory.verify().findings == ()
    assert stores.engine.read("MATCH (f:Filler) RETURN count(f) AS n") == [{"n": 0}]
    wanted = set(schema.definitions("neo4j"))
    rows = stores.engine.read("SHOW INDEXES YIELD name, state WHERE state = 'ONLINE' RETURN name")
    assert wanted <= {row["name"] for row in rows}


def test_no_byte_is_left_in_the_home_while_the_server_runs_and_after_it_stopped(
    one: Neo4jServer, stores: Stores
) -> None:
    memory = stores.open(eraser.TENANT)
    eraser.fill(memory)
    said = stores.open("other")
    said.remember(f"{eraser.SENTINELS[0]} is what Dan says as well", subjects=["dan"])
    assert residue(one.home, eraser.SENTINELS), "what is to be found is there before"
    receipt = memory.erase(subject="bea", scrub=True, server_home=one.home)
    assert (receipt.claim, receipt.left) == ("bytes", ())
    assert receipt.document["uncovered"] == ["exports", "copied or unlisted snapshots", "backups"]
    assert residue(one.home, eraser.SENTINELS[1:]) == []
    assert_whole(stores, memory)
    assert [one.content for one in said.memories()] == [f"{eraser.SENTINELS[0]} is what Dan says as well"]
    assert said.verify().ok
    one.stop()
    assert residue(one.home, eraser.SENTINELS[1:]) == []
    one.start()


def test_what_is_left_in_a_file_is_named_and_the_claim_stays_logical(one: Neo4jServer, stores: Stores) -> None:
    """A copy that somebody made below the home is one that no cleaning reaches."""
    memory = stores.open(eraser.TENANT)
    eraser.fill(memory)
    copy = one.home / "import" / "copy.csv"
    copy.write_text(f"a copy with {eraser.SENTINELS[3]} in it", encoding="utf-8")
    receipt = memory.erase(subject="bea", scrub=True, server_home=one.home)
    assert (receipt.claim, receipt.left) == ("logical", ("import/copy.csv",))
    assert "server file import/copy.csv" in receipt.document["uncovered"]
    assert "zyx" not in json.dumps(receipt.document)
    folder = opening.work_folder(one.uri)
    assert server_files.promised(folder) == one.home
    assert b"zyx" not in (folder / "server-scrub.promised").read_bytes()
    said = run("stats", one)
    assert said.exit_code == 0
    assert "not clean of what was erased; go on with: mars scrub --server-home" in said.stderr
    assert run("scrub", one, "--server-home", str(one.home)).exit_code == 1
    copy.unlink()
    done = run("scrub", one, "--server-home", str(one.home))
    assert "sought in the server's files, none found" in done.stdout
    assert done.exit_code == 0
    assert server_files.promised(folder) is None


def test_a_program_killed_half_way_leaves_a_promise_that_another_one_keeps(
    one: Neo4jServer, stores: Stores, neo4j_kills: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in one.environment.items():
        monkeypatch.setenv(name, value)
    cut_off = 0
    for run in range(neo4j_kills):
        stores.engine.write("MATCH (n) DETACH DELETE n")
        command = [sys.executable, "-m", "tests.support.server_eraser", one.uri, str(one.home)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stderr is not None
            said = child.stdout.readline()
            assert said == "filled\n", child.stderr.read()
            assert child.stdout.readline() == "committed\n", child.stderr.read()
            time.sleep(4 * run)
            child.kill()
            child.communicate()
            assert child.returncode in {-signal.SIGKILL, 0}
        promised = server_files.promised(opening.work_folder(one.uri)) is not None
        cut_off += promised
        with marskg.open(one.uri, tenant=eraser.TENANT) as memory:
            assert memory.scrub(server_home=one.home).places == ()
            assert residue(one.home, eraser.SENTINELS) == [], f"promised: {promised}"
            assert_whole(stores, memory)
    assert cut_off, "the kills came too late to show anything"


def killed_at(step: str, victims: str, one: Neo4jServer, delay: float) -> str:
    """Erase in a process, and kill it, the server or both ``delay`` seconds after a step began; returns its errors."""
    command = [sys.executable, "-m", "tests.support.server_eraser", one.uri, str(one.home), step]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        said = ""
        while said != step:
            said = child.stdout.readline().strip()
            assert said in {"filled", *server_eraser.STEPS}, child.communicate()[1]
        assert server_files.promised(opening.work_folder(one.uri)) == one.home
        child.stdin.write("go on\n")
        child.stdin.flush()
        time.sleep(delay)
        if victims != "server":
            child.kill()
        if victims != "client":
            one.kill()
        told = child.communicate(timeout=300)[1]
        assert child.returncode, "it had ended before anything was killed"
    return told


def test_whoever_is_killed_in_the_middle_of_a_cleaning_it_is_ended_by_the_next(
    one: Neo4jServer, stores: Stores, neo4j_kills: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in one.environment.items():
        monkeypatch.setenv(name, value)
    # Each run of this test begins with the points that matter most; a long one goes round all of them.
    points = [(step, who) for who in ("server", "client", "both") for step in reversed(server_eraser.STEPS)]
    points.sort(key=lambda point: point not in {("filler", "server"), ("overwrite", "both")})
    for turn in range(neo4j_kills):
        step, victims = points[turn % len(points)]
        if turn:
            stores.engine.write("MATCH (n) DETACH DELETE n")
        told = killed_at(step, victims, one, delay=(turn // len(points)) * 0.2)
        if victims != "client":
            assert victims == "both" or "EngineUnavailable" in told
            one.start()
        where = f"{victims} killed at {step}"
        folder = opening.work_folder(one.uri)
        assert server_files.promised(folder) == one.home, where
        done = run("scrub", one, "--server-home", str(one.home))
        assert (done.exit_code, server_files.promised(folder)) == (0, None), f"{where}: {done.stdout}{done.stderr}"
        assert residue(one.home, eraser.SENTINELS) == [], where
        with marskg.open(one.uri, tenant=eraser.TENANT) as memory:
            assert_whole(stores, memory)
            assert memory.erase(subject="bea").matched == 0


def test_nothing_of_what_was_erased_is_left_of_random_stores(
    one: Neo4jServer, stores: Stores, neo4j_residue_stores: int
) -> None:
    """As :mod:`tests.crash.test_residue` does it on the embedded engine; what is sought is what the erasure took."""
    erased: Counter[str] = Counter()
    sought = 0
    for number in range(neo4j_residue_stores):
        chance = Random(20261123 + number)
        history = Marked(stores, f"t-{number}", seed=f"server residue {number}")
        # No two stores on the server have a word in common.
        history.words = 1_000 * number
        for _ in range(LENGTH):
            history.step(chance.choice(NAMES), Random(chance.getrandbits(64)))
        before = history.picture()
        asked = request(before, chance)
        receipt = history.memory.erase(**asked, scrub=True, server_home=one.home)
        assert (receipt.claim, receipt.left) == ("bytes", ()), f"store {number}, {[*asked]}"
        after = history.picture()
        gone = [node for ident, node in before.nodes.items() if ident not in after.nodes]
        gone += [node for ident, node in before.entities.items() if ident not in after.entities]
        words = marks(json.dumps(gone, default=str)) - marks(said(after))
        held = {node.get("embedding") for node in after.nodes.values()}
        vectors = [node["embedding"].encode() for node in gone if node.get("embedding") not in {None, *held}]
        assert residue(one.home, words, vectors, stem=STEM) == [], f"store {number}, {[*asked]}"
        assert pictures.faults(after) == []
        history.finish()
        sought += len(words)
        erased.update({next(iter(asked)): len(gone)})
    assert sought > neo4j_residue_stores, f"too little was erased to show anything: {erased}"
    one.stop()
    assert residue(one.home, words, vectors, stem=STEM) == []
    one.start()


def test_a_cleaning_that_does_nothing_is_found_out(
    one: Neo4jServer, stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ServerFiles, "_overwrite", lambda *_: None)
    monkeypatch.setattr(ServerFiles, "_make_indexes_anew", lambda *_: None)
    monkeypatch.setattr(ServerFiles, "_renew", lambda *_: None)
    memory = stores.open(eraser.TENANT)
    eraser.fill(memory)
    receipt = memory.erase(subject="bea", scrub=True, server_home=one.home)
    assert receipt.claim == "logical"
    kinds = {Path(name).name.rstrip("0123456789") for name in receipt.left}
    assert kinds >= {"neostore.transaction.db.", "index-", "neostore.propertystore.db.strings"}


# --- What is refused before anything is erased ------------------------------------------------------------------------


def test_another_folder_than_the_servers_home_is_refused(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open(eraser.TENANT)
    memory.remember("Bea says something", subjects=["bea"])
    with pytest.raises(marskg.NotPermitted, match="not this server's home"):
        memory.erase(subject="bea", scrub=True, server_home=tmp_path)
    assert len(list(memory.memories())) == 1
    assert stores.engine.read("MATCH (f:Filler) RETURN count(f) AS n") == [{"n": 0}]


def test_a_server_without_its_home_and_a_home_without_scrub_are_refused(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open(eraser.TENANT)
    with pytest.raises(marskg.NotPermitted, match="--server-home"):
        memory.erase(subject="bea", scrub=True)
    with pytest.raises(marskg.NotPermitted, match="--server-home"):
        memory.scrub()
    with pytest.raises(marskg.InvalidInput, match="server_home"):
        memory.erase(subject="bea", server_home=tmp_path)


def test_one_cleaning_at_a_time(one: Neo4jServer, stores: Stores) -> None:
    memory = stores.open(eraser.TENANT)
    with (
        ServerFiles.of(memory._opened, one.home).reserved(),
        pytest.raises(marskg.StoreLocked, match="another process is cleaning"),
    ):
        memory.scrub(server_home=one.home)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("db.tx_log.rotation.size", "256.00MiB"),
        ("db.tx_log.rotation.retention_policy", "2 days"),
        ("db.checkpoint.interval.time", "15m"),
        ("db.checkpoint.interval.time", ""),
    ],
)
def test_a_server_that_keeps_its_logs_is_refused_with_the_lines_that_it_needs(
    name: str, value: str, one: Neo4jServer, stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = stores.open(eraser.TENANT)
    read = stores.engine.read

    def told(text: str, parameters: object = None, **limits: object) -> object:
        rows = read(text, parameters, **limits)  # type: ignore[arg-type]  # as it was called
        return [{**row, "value": value} if row.get("name") == name else row for row in rows]

    monkeypatch.setattr(stores.engine, "read", told)
    with pytest.raises(marskg.NotPermitted, match="retention_policy=keep_none"):
        memory.erase(subject="bea", scrub=True, server_home=one.home)


@pytest.mark.parametrize(
    ("change", "match"),
    [({"store": "block-block-1.1"}, "has the format block"), ({"address": "other:7687"}, "lies on 2 servers")],
)
def test_formats_and_clusters_on_which_nothing_was_measured_are_refused(
    change: dict[str, str], match: str, one: Neo4jServer, stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = stores.open(eraser.TENANT)
    read = stores.engine.read

    def told(text: str, parameters: object = None, **limits: object) -> object:
        rows = read(text, parameters, **limits)  # type: ignore[arg-type]  # as it was called
        if not text.startswith("SHOW DATABASES"):
            return rows
        return [{**row, **change} for row in rows] + (rows if "address" in change else [])

    monkeypatch.setattr(stores.engine, "read", told)
    with pytest.raises(marskg.NotPermitted, match=match):
        memory.erase(subject="bea", scrub=True, server_home=one.home)
