"""The throw-away server that demo and tests run on: it keeps what it acknowledged, and says why it cannot start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import neo4j
import pytest

import marskg
from scripts.neo4j_server import USERNAME, Neo4jServer, fetch

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
