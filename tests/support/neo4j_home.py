"""A Neo4j server of a test's own, whose home it may read, set up as a cleaning of its files needs."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from scripts.neo4j_server import USERNAME, Neo4jServer, fetch
from tests.support import stores as support
from tests.support.neo4j import Neo4jAddress

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.support.stores import Stores

#: What docs/how-to/erase-on-neo4j.md asks an operator for, smaller.
CLEANING: Mapping[str, str] = {
    "db.tx_log.rotation.size": "1m",
    "db.tx_log.rotation.retention_policy": "keep_none",
    "db.checkpoint.interval.time": "2s",
}


@contextlib.contextmanager
def server(home: Path, settings: Mapping[str, str] = CLEANING) -> Iterator[Neo4jServer]:
    """Run a server on ``home``."""
    home.mkdir(parents=True, exist_ok=True)
    one = Neo4jServer(home, fetch(), settings=settings)
    try:
        one.start()
        yield one
    finally:
        one.stop()


def connect(one: Neo4jServer, keys: Path) -> Stores:
    """Open stores on a server; keys go below ``keys``."""
    return support.server(Neo4jAddress(one.uri, USERNAME, one.password), keys)
