"""What all layers of the tests share: markers by folder, Hypothesis profiles, tenants, folders and the Neo4j server.

- A test carries the marker of the folder below ``tests/`` that it is in.
- HYPOTHESIS_PROFILE chooses ``dev`` (the default, 10 examples), ``ci`` (30) or ``thorough`` (2,000).
- A test that uses ``shared_folder`` is marked ``shared``, and deselected where ``../shared`` is missing.
- A test marked ``proof`` runs in ``make proof`` alone (tests/support/proof.py).
- CRASH_KILLS and CRASH_NEO4J_KILLS say how often the crash tests kill, CRASH_SEED chooses the moments; RESIDUE_STORES
  in how many random stores the bytes of what was erased are looked for; ``make proof`` sets the full numbers
  (``scripts/proof.py``).
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.support.names import name
from tests.support.neo4j import Neo4jAddress, end_early_start, shared_server, start_early, stop_left_over
from tests.support.proof import PROOF

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parent
SHARED = TESTS.parents[1] / "shared"
#: Bytes of the temporary folder that a run may take.
ROOM = 2 << 30
#: The order in which layers run: what takes longest comes first, so that no worker is left alone with it at the end.
LAYERS = (
    "crash",
    "docs",
    "integration",
    "interop",
    "cli",
    "conformance",
    "property",
    "stories",
    "redteam",
    "unit",
    "architecture",
)

# A test waits for no vector of a sentence encoder, unless it is about one; pages run with what a user gets.
os.environ.setdefault("MARS_EMBEDDING", "static")

# What is collected stays until the end, and is looked through again and again for what may go: a third of the time.
gc.disable()

# Databases and subprocesses have no steady speed, so examples have no deadline.
_COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
# The same commit gives the same result; new examples are looked for with the last profile.
settings.register_profile("dev", _COMMON, max_examples=10, stateful_step_count=20, derandomize=True, database=None)
settings.register_profile("ci", _COMMON, max_examples=30, stateful_step_count=30, derandomize=True, database=None)
settings.register_profile("thorough", _COMMON, max_examples=2000, stateful_step_count=80)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


def pytest_configure() -> None:
    """Hear what ``nohup`` and a shell's background switch off: it would stay off in every child."""
    for number, handler in ((signal.SIGHUP, signal.SIG_DFL), (signal.SIGINT, signal.default_int_handler)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


def pytest_sessionstart() -> None:
    """Say at once where there is no room: hundreds of tests would fail, each in its own way."""
    try:
        folder = tempfile.gettempdir()
    except FileNotFoundError as error:
        pytest.exit(f"no temporary folder can be written ({error.strerror or error}): make room, or set TMPDIR", 4)
    free = shutil.disk_usage(folder).free
    if free < ROOM:
        pytest.exit(f"{folder} has {free >> 20} MB left and a run needs {ROOM >> 20}: make room, or set TMPDIR", 4)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by their folder, order them by layer, and deselect what needs a missing ``../shared``."""
    for item in items:
        _mark(item)
    items.sort(key=_layer)
    for marker, runs in (("shared", SHARED.is_dir()), ("proof", PROOF)):
        if not runs:
            without = [item for item in items if item.get_closest_marker(marker)]
            config.hook.pytest_deselected(items=without)
            items[:] = [item for item in items if not item.get_closest_marker(marker)]


def _mark(item: pytest.Item) -> None:
    layer = _layer_name(item)
    if layer in LAYERS:
        item.add_marker(layer)
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


def pytest_collection_finish(session: pytest.Session) -> None:
    """Let the server start while the first tests run that need none, and garbage be collected from here on."""
    gc.freeze()
    gc.enable()
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    collects = not session.config.getoption("collectonly")
    if worker == "gw0" and collects and any(item.get_closest_marker("neo4j") for item in session.items):
        start_early(_run_folder(session.config))


def _run_folder(config: pytest.Config) -> Path:
    """Return the temporary folder that all workers of this run share."""
    base: Path = config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # what tmp_path_factory gives
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def pytest_report_header() -> list[str]:
    """Say what this run has and what it leaves out."""
    shared = "found" if SHARED.is_dir() else "missing, so the tests marked shared are deselected"
    server = os.environ.get("NEO4J_URI", "fetched and started by the first test that needs it")
    return [f"../shared: {shared}", f"neo4j: {server}"]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Leave no server behind that nobody used, or whose users died."""
    end_early_start()
    if not hasattr(session.config, "workerinput") and hasattr(session.config, "_tmp_path_factory"):
        stop_left_over(_run_folder(session.config))


@pytest.fixture(scope="session")
def run_folder(pytestconfig: pytest.Config) -> Path:
    """Return the temporary folder that all workers of this run share."""
    return _run_folder(pytestconfig)


@pytest.fixture(scope="session")
def neo4j_server(run_folder: Path) -> Iterator[Neo4jAddress]:
    """Give ``(uri, username, password)`` of a Neo4j server; keep to tenants of your own on it."""
    with shared_server(run_folder) as address:
        yield address


@pytest.fixture
def tenant() -> str:
    """Return a tenant that no other test has."""
    return name()


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
