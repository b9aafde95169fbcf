"""One Neo4j server for all the processes of a test run.

It starts while the first tests run (:func:`start_early`), or for the first test that asks; every worker of pytest-xdist
that asks later shares it, and the last one to finish stops it. Neo4j Community has a single database, so a test keeps
to itself by tenants of its own (the fixture ``tenant``). A server that does not start fails the tests that need it:
none is skipped.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import neo4j
import psutil

from scripts.neo4j_server import USERNAME, Neo4jError, Neo4jServer, fetch, locked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Neo4jAddress(NamedTuple):
    """Where a server listens and who may come in."""

    uri: str
    username: str
    password: str


@contextlib.contextmanager
def shared_server(run: Path) -> Iterator[Neo4jAddress]:
    """Give the server of the test run whose workers share the folder ``run``.

    That is the one which NEO4J_URI names, if it is set; it must answer.
    """
    given = os.environ.get("NEO4J_URI")
    if given:
        address = Neo4jAddress(given, os.environ.get("NEO4J_USERNAME", USERNAME), os.environ.get("NEO4J_PASSWORD", ""))
        with neo4j.GraphDatabase.driver(address.uri, auth=address[1:]) as driver:
            driver.verify_connectivity()
        yield address
        return
    address, started = _join(run)
    try:
        yield address
    finally:
        _leave(run)
        if started is not None and started.process is not None:
            started.process.poll()


#: What starts the server beside the first tests.
_EARLY: list[threading.Thread] = []


def start_early(run: Path) -> None:
    """Start the server of ``run`` in the background; a fault is told to the first test that asks for the server."""
    if os.environ.get("NEO4J_URI"):
        return

    def start() -> None:
        with contextlib.suppress(Neo4jError), locked(run / "neo4j.lock"):
            if _read(run) is None:
                _start(run, users=0)

    _EARLY.append(threading.Thread(target=start, name="neo4j-early"))
    _EARLY[-1].start()


def end_early_start() -> None:
    """Wait until the server is there that :func:`start_early` starts."""
    while _EARLY:
        _EARLY.pop().join()


def stop_left_over(run: Path) -> None:
    """Stop the server of ``run`` if its users died without leaving."""
    if _state_file(run).is_file():
        with locked(run / "neo4j.lock"):
            _stop(run)


def _join(run: Path) -> tuple[Neo4jAddress, Neo4jServer | None]:
    """Return the address of the run's server, and the server itself to the process that started it."""
    server = None
    with locked(run / "neo4j.lock"):
        state = _read(run)
        if state is None:
            server, state = _start(run, users=1)
        else:
            state["users"] += 1
            _state_file(run).write_text(json.dumps(state), encoding="utf-8")
    return Neo4jAddress(state["uri"], USERNAME, state["password"]), server


def _start(run: Path, users: int) -> tuple[Neo4jServer, dict[str, Any]]:
    server = Neo4jServer(run / "neo4j-home", fetch())
    server.start()
    assert server.process is not None
    state = {"uri": server.uri, "password": server.password, "pid": server.process.pid, "users": users}
    _state_file(run).write_text(json.dumps(state), encoding="utf-8")
    return server, state


def _leave(run: Path) -> None:
    with locked(run / "neo4j.lock"):
        state = _read(run)
        if state is None:
            return
        state["users"] -= 1
        _state_file(run).write_text(json.dumps(state), encoding="utf-8")
        if state["users"] == 0:
            _stop(run)


def _stop(run: Path) -> None:
    """Stop the server by its process id: the worker that started it may have left before the last one."""
    state = _read(run)
    if state is not None:
        _state_file(run).unlink()
        with contextlib.suppress(psutil.NoSuchProcess):
            _end(psutil.Process(state["pid"]))
    shutil.rmtree(run / "neo4j-home", ignore_errors=True)


def _end(process: psutil.Process) -> None:
    """Kill it: what it would write down before it ends is thrown away, and can take minutes on a busy disk."""
    process.kill()
    # Once it has ended it stays as a zombie until the worker that started it ends too.
    while process.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.1)


def _state_file(run: Path) -> Path:
    return run / "neo4j.json"


def _read(run: Path) -> dict[str, Any] | None:
    path = _state_file(run)
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
