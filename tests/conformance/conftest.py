"""One suite for every engine: each test runs on the embedded engine and on a real Neo4j.

On the server a test runs with the first of its parameters; where parameters choose statements, as policies do, with all
of them (:data:`EVERY`); of a file about what lies above the engines (:data:`ABOVE`) the first test alone. In the proof
all of them run.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support import stores as support

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.stores import Stores


#: Files whose parameters choose statements.
EVERY = frozenset({"test_cypher_policies", "test_policies"})
#: Files about what lies above the engines: no statement is theirs alone.
ABOVE = frozenset(
    f"test_{name}"
    for name in (
        "advice",
        "comparison",
        "complete",
        "controllers",
        "floors",
        "forgetting_bad_input",
        "guardrail",
        "hybrid",
        "injection",
        "langgraph_store",
        "lean",
        "learn",
        "learn_by_model",
        "learn_model",
        "lessons",
        "metadata",
        "outlived",
        "prepare",
        "probing",
        "ranking",
        "reflection",
        "reranking",
        "seen",
        "sensitivity",
        "subject_report",
        "topics",
    )
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave to the proof what a test does on a server with further parameters."""
    seen: set[str] = set()
    for item in items:
        test, _, parameters = item.nodeid.partition("[")
        if item.path.parent == Path(__file__).parent and parameters.startswith("neo4j"):
            what = item.path.stem if item.path.stem in ABOVE else test
            if what in seen and item.path.stem not in EVERY:
                item.add_marker("proof")
            seen.add(what)


@pytest.fixture(scope="module")
def embedded_stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Give the embedded engine, a store for each file: one with the tenants of all files is three times as slow."""
    opened = support.embedded(tmp_path_factory.mktemp("embedded") / "store")
    yield opened
    opened.engine.close()


@pytest.fixture(scope="session")
def server_stores(neo4j_server: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Give a real Neo4j, connected for the whole run."""
    opened = support.server(neo4j_server, tmp_path_factory.mktemp("home"))  # type: ignore[arg-type]  # a named tuple
    yield opened
    opened.engine.close()


@pytest.fixture(
    params=["embedded_stores", pytest.param("server_stores", marks=pytest.mark.neo4j)], ids=["arcadedb", "neo4j"]
)
def stores(request: pytest.FixtureRequest) -> Stores:
    """Give each engine in turn."""
    found: Stores = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def files(stores: Stores, request: pytest.FixtureRequest) -> Path:
    """Return the folder of all files of the engine."""
    if stores.engine.name == "arcadedb":
        return Path(stores.location)
    home: Path = request.getfixturevalue("run_folder") / "neo4j-home"
    if not home.is_dir():
        pytest.skip("the server's files are elsewhere, as NEO4J_URI names one")
    return home
