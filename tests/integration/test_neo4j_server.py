"""The throw-away server that demo and tests run on: it keeps what it acknowledged, and says why it cannot start."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import neo4j
import pytest

import marskg
from marskg.store.engine.bolt import Bolt
from marskg.store.statements import schema
from scripts.neo4j_server import USERNAME, Neo4jError, Neo4jServer, fetch, running
from tests.support.neo4j import end_early_start, shared_server, start_early

if TYPE_CHECKING:
    from tests.support.neo4j import Neo4jAddress

SCRIPT = Path(__file__).parents[2] / "scripts" / "neo4j_server.py"


def run_script(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in {"NEO4J_URI", "JAVA_HOME"}}
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        env={**kept, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_shared_server_answers(neo4j_server: Neo4jAddress) -> None:
    with neo4j.GraphDatabase.driver(neo4j_server.uri, auth=neo4j_server[1:]) as driver:
        assert driver.execute_query("RETURN 1 AS one").records[0]["one"] == 1


def test_a_server_that_did_not_start_beside_the_first_tests_fails_those_that_need_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NEO4J_URI", raising=False)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    start_early(tmp_path)
    end_early_start()
    with pytest.raises(Neo4jError, match="java is missing"), shared_server(tmp_path):
        pass


@pytest.mark.proof
def test_a_server_killed_and_started_again_keeps_what_it_committed(tmp_path: Path) -> None:
    server = Neo4jServer(tmp_path, fetch())
    try:
        server.start()
        address = server.uri
        with neo4j.GraphDatabase.driver(server.uri, auth=(USERNAME, server.password)) as driver:
            driver.execute_query("CREATE (:Kept {n: 1})")
        server.kill()
        server.start()
        assert server.uri == address
        with neo4j.GraphDatabase.driver(server.uri, auth=(USERNAME, server.password)) as driver:
            assert driver.execute_query("MATCH (k:Kept) RETURN k.n AS n").records[0]["n"] == 1
    finally:
        server.stop()


@pytest.mark.proof
def test_what_another_application_asks_of_our_labels_is_named_when_the_store_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Neo4jServer(tmp_path / "server", fetch())
    clashes = [
        ("CREATE CONSTRAINT theirs FOR (n:Entity) REQUIRE n.name IS UNIQUE", "DROP CONSTRAINT theirs"),
        ("CREATE INDEX theirs FOR (n:Entity) ON (n.ref)", "DROP INDEX theirs"),
        ("CREATE (:Entity {ref: 'x'}), (:Entity {ref: 'x'})", "MATCH (n:Entity) DELETE n"),
    ]
    monkeypatch.setenv("MARS_HOME", str(tmp_path / "home"))
    try:
        server.start()
        monkeypatch.setenv("NEO4J_PASSWORD", server.password)
        with neo4j.GraphDatabase.driver(server.uri, auth=(USERNAME, server.password)) as driver:
            for clash, way_out in clashes:
                driver.execute_query(clash)
                with pytest.raises(marskg.EngineUnavailable, match=r"another application.*NEO4J_DATABASE") as told:
                    marskg.open(server.uri)
                assert way_out in str(told.value) or "ConstraintCreationFailed" in str(told.value)
                driver.execute_query(way_out)
            # What asks the same as we do, and what others keep under labels of their own, is in nobody's way.
            driver.execute_query("CREATE CONSTRAINT theirs FOR (n:Person) REQUIRE n.name IS UNIQUE")
        with marskg.open(server.uri, embedding="none") as memory:
            memory.remember("Bea has a boat", mentions=["Bea"])
            assert memory.verify().findings == ()
    finally:
        server.stop()


@pytest.mark.proof
def test_who_open_an_empty_server_at_once_neither_accuse_nor_wait_for_each_other(tmp_path: Path) -> None:
    """A constraint in the making has an index that belongs to none yet, and that no transaction may wait for."""
    with running(tmp_path / "server") as server:
        for _ in range(5):
            begin = threading.Barrier(6)

            def opened(begin: threading.Barrier = begin) -> int:
                engine = Bolt(server.uri, username=USERNAME, password=server.password)
                begin.wait()
                try:
                    return schema.migrate(engine)[1]
                finally:
                    engine.close()

            with ThreadPoolExecutor(6) as pool:
                versions = [one.result() for one in [pool.submit(opened) for _ in range(6)]]
            assert len(set(versions)) == 1
            empty(server)


def empty(server: Neo4jServer) -> None:
    """Remove all nodes and the schema."""
    with neo4j.GraphDatabase.driver(server.uri, auth=(USERNAME, server.password)) as driver:
        for what in ("CONSTRAINT", "INDEX"):
            for name in schema.definitions("neo4j"):
                driver.execute_query(f"DROP {what} {name} IF EXISTS")
        driver.execute_query("MATCH (n) DETACH DELETE n")


@pytest.mark.parametrize(("arguments", "tool"), [(("fetch",), "mvn"), (("run", "--", "true"), "java")])
def test_a_missing_tool_is_named_with_the_way_out(arguments: tuple[str, ...], tool: str, tmp_path: Path) -> None:
    fetched = tmp_path / "neo4j"
    if tool == "java":
        fetched.mkdir()
        (fetched / fetch().name).symlink_to(fetch())
    done = run_script(*arguments, PATH=str(tmp_path), MARSKG_CACHE=str(tmp_path))
    assert done.returncode == 2
    assert f"{tool} is " in done.stderr
    assert "NEO4J_URI" in done.stderr


def test_run_hands_over_the_given_server_and_the_exit_status(tmp_path: Path) -> None:
    check = "import os, sys; sys.exit(7 if os.environ['MARS_STORE'] == 'bolt://example.org:7687' else 1)"
    done = run_script("run", "--", sys.executable, "-c", check, NEO4J_URI="bolt://example.org:7687", HOME=str(tmp_path))
    assert done.returncode == 7
