"""One suite for every engine: each test runs on the embedded engine and on a real Neo4j.

`make test` runs on a server the first test of each file, all of a file about what engines do differently
(:data:`DIFFERENT`) and what is marked ``server``: each statement of the product is sent by one of them. A test runs
there with the first of its parameters, or with all where parameters choose statements, as policies do (:data:`EVERY`).
In the proof all of them run.
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
#: Files about what engines do differently, all of whose tests run on a server with their first parameters.
DIFFERENT = frozenset(
    f"test_{name}"
    for name in (
        "beside_writers",
        "capabilities",
        "cypher_policies",
        "damage",
        "engine_vectors",
        "erasure",
        "extremes",
        "memory",
        "plugins",
        "restore",
        "sealing",
        "snapshots",
        "whole_nodes",
    )
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave to the proof what a server is not needed for to decide about a commit."""
    seen: set[str] = set()
    for item in items:
        test, _, parameters = item.nodeid.partition("[")
        if item.path.parent == Path(__file__).parent and parameters.startswith("neo4j"):
            first = item.path.stem not in seen
            chosen = first or item.path.stem in DIFFERENT or item.get_closest_marker("server") is not None
            if not chosen or (test in seen and item.path.stem not in EVERY):
                item.add_marker("proof")
            seen |= {item.path.stem, test}


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
