"""Pairs of stores for the attempts: one engine of each sort for a run of the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.redteam.stage import Side
from tests.support import stores as support

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.stores import Stores


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Give the embedded engine, open for the whole run."""
    opened = support.embedded(tmp_path_factory.mktemp("redteam") / "store")
    yield opened
    opened.engine.close()


@pytest.fixture(scope="session")
def pair(engine: Stores, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Side, Side]]:
    """Give the two sides on the embedded engine."""
    folder = tmp_path_factory.mktemp("sides")
    sides = Side(engine, folder / "full", full=True), Side(engine, folder / "other", full=False)
    yield sides
    for side in sides:
        side.leave()


@pytest.fixture(scope="session")
def server_pair(neo4j_server: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Side, Side]]:
    """Give the two sides on a real Neo4j."""
    folder = tmp_path_factory.mktemp("server-sides")
    opened = support.server(neo4j_server, tmp_path_factory.mktemp("home"))  # type: ignore[arg-type]  # a named tuple
    sides = Side(opened, folder / "full", full=True), Side(opened, folder / "other", full=False)
    yield sides
    for side in sides:
        side.leave()
    opened.engine.close()
