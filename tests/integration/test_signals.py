"""Signals are the application's: its handlers run; without one a signal ends the process, whatever the engine is at."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import marskg
from tests.support.scripts import run
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from pathlib import Path

ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
DEFAULT = """
import signal, sys, time
import marskg
from marskg.errors import MarsError

memory = marskg.open(sys.argv[1], budget=10_000)
memory.remember("acknowledged")
"""
HANDLER = """
import signal, sys

def leave(number, frame):
    print("handler", number, flush=True)
    sys.exit(7)

signal.signal(int(sys.argv[2]), leave)
"""
READY = 'print("ready", flush=True)\n'
#: In short pieces: a signal that arrives after the interpreter last looked and before the call that sleeps does not
#: end that call, and its handler waits for the end of it.
IDLE = READY + "for _ in range(30_000): time.sleep(0.01)\n"
BUSY = READY + 'while True: memory.remember("busy")\n'
THREADED = """
import threading

def work():
    try:
        while True: memory.remember("busy")
    except MarsError:
        pass  # the store is closed: the process is ending

threading.Thread(target=work).start()
memory.remember("in the main thread")
try:
    print("ready", flush=True)  # who sends a signal meets one that closes the store
    for _ in range(30_000): time.sleep(0.01)  # as IDLE does
finally:
    memory.close()
"""
SCRIPTS = {
    "idle": DEFAULT + IDLE,
    "busy": DEFAULT + BUSY,
    "handler set before, idle": HANDLER + DEFAULT + IDLE,
    "handler set before, busy": HANDLER + DEFAULT + BUSY,
    "handler set before, busy in a thread": HANDLER + DEFAULT + THREADED,
    "handler set after, idle": DEFAULT + HANDLER + IDLE,
    "handler set after, busy": DEFAULT + HANDLER + BUSY,
}
INTERRUPTED_AND_GOING_ON = """
import os, signal, sys, time
import marskg

def heard():
    if os.environ["MARS_ENGINE"] == "jvm":
        import jpype

        return jpype.JClass("java.lang.Thread").interrupted()
    return False

with marskg.open(sys.argv[1]) as memory:
    memory.remember("first")
    for _ in range(3):
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)  # An engine would hear of a signal in a thread of its own.
        except KeyboardInterrupt:
            time.sleep(0.1)
            # An interrupted thread of the JVM would close the engine's files under it.
            assert not heard(), "the JVM was interrupted as well"
            memory.remember("goes on")
        else:
            raise AssertionError("nobody was interrupted")
    assert memory.stats()["live"] == 4
    assert memory.verify().ok
"""
ASYNCIO = """
import asyncio, signal, sys
import marskg

async def serve():
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    with marskg.open(sys.argv[1], budget=10_000) as memory:
        memory.remember("acknowledged")
        print("ready", flush=True)
        while not ended.is_set():
            await asyncio.to_thread(memory.remember, "busy")
    print("handler", flush=True)

asyncio.run(serve())
"""


def started(script: str, folder: Path, number: int) -> subprocess.Popen[str]:
    """Return a process that has an embedded store open and its temporary folder to itself."""
    temporary = folder / "temporary"
    temporary.mkdir(parents=True)
    pipe = subprocess.PIPE
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(folder / "store"), str(number)],
        stdout=pipe,
        stderr=pipe,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


def check(folder: Path) -> None:
    """Hold the store to what was acknowledged, and the process to having left nothing elsewhere."""
    assert list((folder / "temporary").iterdir()) == []
    with marskg.open(folder / "store") as memory:
        assert memory.verify().ok
        assert memory.validate(full=True).ok
        assert "acknowledged" in {found.content for found in memory.memories()}


#: Every script with one signal, and every signal with two of them; the proof has the others.
OFTEN = {(name, signal.SIGTERM) for name in SCRIPTS}
OFTEN |= {(name, number) for name in ("busy", "handler set before, idle") for number in ENDING}


@pytest.mark.parametrize(
    ("name", "number"),
    [
        pytest.param(name, one, id=f"{name}-{one.name}", marks=[] if (name, one) in OFTEN else pytest.mark.proof)
        for name in SCRIPTS
        for one in ENDING
    ],
)
def test_a_signal_ends_a_process_in_order_and_runs_the_handler_of_its_own(
    name: str, number: signal.Signals, tmp_path: Path
) -> None:
    with started(SCRIPTS[name], tmp_path, number) as child:
        child.send_signal(number)
        try:
            said, complaint = child.communicate(timeout=HANGS_S)
        except subprocess.TimeoutExpired:
            child.kill()
            raise
    if "handler" in name:
        assert (said, complaint, child.returncode) == (f"handler {number.value}\n", "", 7)
    else:
        assert (said, child.returncode) == ("", -number)
        assert complaint == "" or number == signal.SIGINT, complaint
    check(tmp_path)


def test_a_server_on_asyncio_hears_its_signal(tmp_path: Path) -> None:
    with started(ASYNCIO, tmp_path, signal.SIGTERM) as child:
        child.send_signal(signal.SIGTERM)
        said, complaint = child.communicate(timeout=HANGS_S)
    assert (said, complaint, child.returncode) == ("handler\n", "", 0)
    check(tmp_path)


@pytest.mark.parametrize("build", ["native", "jvm"])
def test_an_interrupt_of_python_is_none_of_the_engines_thread(build: str, tmp_path: Path) -> None:
    done = run(INTERRUPTED_AND_GOING_ON, tmp_path, MARS_ENGINE=build)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


IN_A_THREAD = """
import sys, threading
import marskg

def work():
    with marskg.open(sys.argv[1]) as memory:
        memory.remember("from a thread")

thread = threading.Thread(target=work)
thread.start()
thread.join()
marskg.open(sys.argv[1]).remember("from the main one")
print("at its end", flush=True)
"""


def test_a_program_that_first_opens_in_a_thread_ends(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_A_THREAD, str(tmp_path / "store")],
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("at its end\n", 0), done.stderr
    with marskg.open(tmp_path / "store") as memory:
        assert memory.stats()["live"] == 2
        assert memory.verify().ok
