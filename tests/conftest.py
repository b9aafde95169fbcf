"""What all layers of the tests share: markers by folder, Hypothesis profiles, tenants, folders and the Neo4j server.

- A test carries the marker of the folder below ``tests/`` that it is in.
- HYPOTHESIS_PROFILE chooses ``dev`` (the default, 20 examples), ``ci`` (100) or ``thorough`` (2,000).
- A test that uses ``shared_folder`` is marked ``shared``, and deselected where ``../shared`` is missing.
- CRASH_KILLS and CRASH_NEO4J_KILLS say how often the crash tests kill, CRASH_SEED chooses the moments; RESIDUE_STORES
  in how many random stores the bytes of what was erased are looked for; ``make proof`` sets the full numbers
  (``scripts/proof.py``).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings

from marskg.store.engine import arcadedb
from tests.support.neo4j import Neo4jAddress, shared_server, stop_left_over

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parent
SHARED = TESTS.parents[1] / "shared"
#: The order in which layers run: what fails soonest comes first.
LAYERS = (
    "architecture",
    "unit",
    "property",
    "conformance",
    "redteam",
    "integration",
    "cli",
    "interop",
    "docs",
    "crash",
)
# What ``make test`` grants one test; a campaign says ``--timeout`` (scripts/proof.py).
CRASH_TIMEOUT_S = 900

# The JVM's second compiler takes half of the processors for minutes before it pays; most tests run once and are short.
arcadedb._JVM_ARGS = (*arcadedb._JVM_ARGS, "-XX:TieredStopAtLevel=1")

# Databases and subprocesses have no steady speed, so examples have no deadline.
_COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("dev", _COMMON, max_examples=20, stateful_step_count=20)
# The same commit gives the same result; new examples are looked for with the other profiles.
settings.register_profile("ci", _COMMON, max_examples=50, stateful_step_count=30, derandomize=True)
settings.register_profile("thorough", _COMMON, max_examples=2000, stateful_step_count=80)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by their folder, order them by layer, and deselect what needs a missing ``../shared``."""
    patience = CRASH_TIMEOUT_S if config.getoption("timeout") is None else None
    for item in items:
        _mark(item, patience)
    items.sort(key=_layer)
    if not SHARED.is_dir():
        without = [item for item in items if item.get_closest_marker("shared")]
        config.hook.pytest_deselected(items=without)
        items[:] = [item for item in items if item not in without]


def _mark(item: pytest.Item, crash_timeout_s: int | None) -> None:
    layer = _layer_name(item)
    if layer in LAYERS:
        item.add_marker(layer)
    if layer == "crash" and crash_timeout_s and item.get_closest_marker("timeout") is None:
        item.add_marker(pytest.mark.timeout(crash_timeout_s))
    used = getattr(item, "fixturenames", ())
    if "neo4j_server" in used:
        item.add_marker("neo4j")
    if "shared_folder" in used:
        item.add_marker("shared")


def _layer_name(item: pytest.Item) -> str:
    return item.path.relative_to(TESTS).parts[0]


def _layer(item: pytest.Item) -> int:
    name = _layer_name(item)
    return LAYERS.index(name) if name in LAYERS else len(LAYERS)


def pytest_report_header() -> list[str]:
    """Say what this run has and what it leaves out."""
    shared = "found" if SHARED.is_dir() else "missing, so the tests marked shared are deselected"
    server = os.environ.get("NEO4J_URI", "fetched and started by the first test that needs it")
    return [f"../shared: {shared}", f"neo4j: {server}"]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Leave no server behind when a worker died before it could."""
    if not hasattr(session.config, "workerinput"):
        run = getattr(session.config, "_tmp_path_factory", None)
        if run is not None:
            stop_left_over(run.getbasetemp())


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the temporary folder that all workers of this run share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def neo4j_server(run_folder: Path) -> Iterator[Neo4jAddress]:
    """Give ``(uri, username, password)`` of a Neo4j server; keep to tenants of your own on it."""
    with shared_server(run_folder) as address:
        yield address


@pytest.fixture
def tenant() -> str:
    """Return a tenant that no other test has."""
    return f"t-{uuid4().hex[:12]}"


@pytest.fixture(scope="session")
def shared_folder() -> Path:
    """Return ``../shared``; its use marks the test ``shared``."""
    return SHARED


@pytest.fixture(scope="session")
def kills() -> int:
    """Return how often a crash test kills a process on the embedded engine."""
    return int(os.environ.get("CRASH_KILLS", "10"))


@pytest.fixture(scope="session")
def operation_kills() -> int:
    """Return how often a crash test kills a process in the midst of each long operation."""
    return int(os.environ.get("CRASH_KILLS", "3"))


@pytest.fixture(scope="session")
def crash_seed() -> str:
    """Return what the moments of the kills are drawn from."""
    return os.environ.get("CRASH_SEED", "0")


@pytest.fixture(scope="session")
def neo4j_kills() -> int:
    """Return how often a crash test kills the Neo4j server."""
    return int(os.environ.get("CRASH_NEO4J_KILLS", "2"))


@pytest.fixture(scope="session")
def residue_stores() -> int:
    """Return in how many random stores the bytes of what was erased are looked for."""
    return int(os.environ.get("RESIDUE_STORES", "8"))
