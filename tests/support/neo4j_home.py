"""A Neo4j server of a test's own, whose home it may read."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from scripts.neo4j_server import USERNAME, Neo4jServer, fetch
from tests.support import stores as support
from tests.support.neo4j import Neo4jAddress

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.stores import Stores


@contextlib.contextmanager
def server(home: Path) -> Iterator[Neo4jServer]:
    """Run a server on ``home``."""
    home.mkdir(parents=True, exist_ok=True)
    one = Neo4jServer(home, fetch())
    try:
        one.start()
        yield one
    finally:
        one.stop()


def connect(one: Neo4jServer, keys: Path) -> Stores:
    """Open stores on a server; keys go below ``keys``."""
    return support.server(Neo4jAddress(one.uri, USERNAME, one.password), keys)
