"""A process that is forked after opening is refused, at every door and without waiting; its parent goes on unharmed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pytest

import marskg
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from tests.support.neo4j import Neo4jAddress

ROOT = Path(__file__).parents[2]
#: A server that stores what it is asked for, by WSGI and by ASGI; it opens its memory where MARS_OPEN says.
APPLICATION = """
import os, sys
import marskg

opened = []

def memory():
    if not opened:
        opened.append(marskg.open(os.environ["MARS_STORE"], budget=10_000))
    return opened[0]

if os.environ["MARS_OPEN"] == "import":
    memory()

def answer(text):
    try:
        return f"stored {memory().remember(text).content}"
    except marskg.ForkedProcess as error:
        return f"refused {error}"

def wsgi(environment, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [answer(environment["PATH_INFO"]).encode()]

async def asgi(scope, receive, send):
    if scope["type"] == "lifespan":
        await receive()
        memory()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        memory().close()
        await send({"type": "lifespan.shutdown.complete"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": answer(scope["path"]).encode()})
"""


def run(what: str, location: str, extra: dict[str, str] | None = None) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.forking", what, location],
        cwd=ROOT,
        env={**os.environ, **(extra or {})},
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("sound\n", 0), done.stderr
    assert done.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize("what", ["awaited", "embedded", "leaving", "orphaned", "methods", "waiting"])
def test_a_child_that_is_forked_after_opening_is_refused(what: str, tmp_path: Path) -> None:
    run(what, str(tmp_path / "store"))


def test_a_child_of_a_servers_client_opens_a_memory_of_its_own(
    neo4j_server: Neo4jAddress, tenant: str, tmp_path: Path
) -> None:
    extra = {
        "NEO4J_USERNAME": neo4j_server.username,
        "NEO4J_PASSWORD": neo4j_server.password,
        "MARS_HOME": str(tmp_path),
        "FORKING_TENANT": tenant,
    }
    run("server", neo4j_server.uri, extra)


class Server:
    """A web server of other people's that serves the application above."""

    def __init__(self, folder: Path, *command: str, opens: str) -> None:
        (folder / "application.py").write_text(APPLICATION, encoding="utf-8")
        environment = {**os.environ, "MARS_STORE": str(folder / "store"), "MARS_OPEN": opens}
        self.log = folder / "log"
        with self.log.open("w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", *command], cwd=folder, env=environment, stdout=log, stderr=log
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def ask(self, path: str) -> str:
        """Return the answer for ``path``, once the server says where it listens and a worker is up."""
        deadline = time.monotonic() + HANGS_S
        while (found := re.search(r"http://[0-9.]+:([0-9]+)", self.log.read_text(encoding="utf-8"))) is None:
            assert self.process.poll() is None, self.log.read_text(encoding="utf-8")
            assert time.monotonic() < deadline
            time.sleep(0.2)
        connection = HTTPConnection("127.0.0.1", int(found[1]), timeout=HANGS_S)
        connection.request("GET", path)
        answer = connection.getresponse().read().decode()
        connection.close()
        return answer

    def end(self) -> None:
        """Have it end as a process manager does."""
        self.process.send_signal(signal.SIGTERM)
        # What docker grants at most.
        assert self.process.wait(HANGS_S) in {0, -signal.SIGTERM}, self.log.read_text(encoding="utf-8")


def check(store: Path, *stored: str) -> None:
    with marskg.open(store) as memory:
        assert memory.verify().ok
        assert [found.content for found in memory.memories()] == [*stored]


GUNICORN = ("gunicorn", "--bind", "127.0.0.1:0", "--workers", "1")


@pytest.mark.slow
def test_a_worker_of_gunicorn_opens_after_the_fork_and_ends_in_order(tmp_path: Path) -> None:
    with Server(tmp_path, *GUNICORN, "application:wsgi", opens="first request") as server:
        assert server.ask("/one") == "stored /one"
        server.end()
    check(tmp_path / "store", "/one")


@pytest.mark.slow
def test_a_worker_of_gunicorn_is_refused_what_was_opened_before_the_fork(tmp_path: Path) -> None:
    with Server(tmp_path, *GUNICORN, "--preload", "application:wsgi", opens="import") as server:
        answer = server.ask("/one")
        assert answer.startswith("refused the memory was opened by process")
        assert "after the fork" in answer
        server.end()
    check(tmp_path / "store")


@pytest.mark.slow
def test_uvicorn_serves_a_memory_and_ends_in_order(tmp_path: Path) -> None:
    with Server(tmp_path, "uvicorn", "--port", "0", "application:asgi", opens="start") as server:
        assert server.ask("/one") == "stored /one"
        server.end()
    check(tmp_path / "store", "/one")
