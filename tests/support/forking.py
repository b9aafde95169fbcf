"""What a forked child does with what its parent has open, and how it ended; run in a process of its own.

    python -m tests.support.forking WHAT LOCATION

A process of its own, because what forks must not have the threads of a test run. Prints ``sound`` if all went well.
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import signal
import sys
import threading
import traceback
from contextlib import contextmanager, suppress
from functools import cached_property
from inspect import getattr_static
from typing import TYPE_CHECKING, Any

import marskg
from marskg.api.namespaces.flat_names import FlatNames
from marskg.errors import ForkedProcess, NotPermitted
from marskg.ontology.vocabulary import Operation
from marskg.store.unit.reader import GraphReader
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from marskg.memory import AgentMemory

REFUSED = 5


def in_child(work: Callable[[], object]) -> int:
    """Return how a forked child ends that does ``work``: REFUSED if it is refused as it should be."""
    child = os.fork()
    if child == 0:
        signal.alarm(HANGS_S)
        status = 1
        try:
            work()
        except ForkedProcess:
            status = REFUSED
        except Exception:  # noqa: BLE001 - whatever it was is shown, and told by the status
            traceback.print_exc()
        os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@contextmanager
def writing(memory: AgentMemory) -> Iterator[None]:
    """Let another thread write meanwhile, so that a fork meets locks that are held and a JVM that is at work."""
    stopping = threading.Event()

    def work() -> None:
        while not stopping.is_set():
            memory.remember("busy")

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


def doors(memory: AgentMemory) -> None:
    """Call every public door of the memory and of its namespaces; each has to refuse."""
    names = [name for name in dir(type(memory)) if isinstance(getattr_static(type(memory), name), cached_property)]
    assert {"audit", "privacy"} <= set(names), names
    for owner in (memory, *(getattr(memory, name) for name in names)):
        for name in sorted(name for name in dir(type(owner)) if not name.startswith("_")):
            door: Any = getattr_static(type(owner), name)
            if name in vars(FlatNames) or isinstance(door, (cached_property, str)):
                continue
            try:
                getattr(door, "fget", door)(owner)
            except (ForkedProcess, NotPermitted):
                continue
            message = f"{type(owner).__name__}.{name} was not refused"
            raise AssertionError(message)
    raise ForkedProcess


def everything(memory: AgentMemory) -> None:
    """Fork into every door, what was taken from one before, and every way to leave."""
    preferences, private = memory.preferences, memory.privacy.private_mode(keep=True)

    def used() -> None:
        with memory:
            pass

    for work in (
        lambda: doors(memory),
        preferences.list,
        lambda: preferences.apply("gdpr"),
        lambda: private.remember("kept for now"),
        private.close,
        memory.store.close,
        lambda: memory.store.engine.read("MATCH (n) RETURN count(n) AS n"),
        used,
    ):
        assert in_child(work) == REFUSED, work


def leaving(location: str) -> None:
    """Let children go through the interpreter's own end: atexit, what is collected, what modules still hold."""
    memory = marskg.open(location, budget=10_000)
    # The library behind it has threads of its own, which no child has.
    memory.sparql("ASK { ?s ?p ?o }")
    stopping = writing(memory)
    stopping.__enter__()
    for _ in range(5):
        leave()
    stopping.__exit__(None, None, None)
    check(memory)
    memory.close()


def leave() -> None:
    """Let one child go through the interpreter's own end."""
    child = os.fork()
    if child == 0:
        signal.alarm(HANGS_S)
        gc.collect()
        sys.exit(REFUSED)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == REFUSED


def waiting(location: str) -> None:
    """Fork while the record of what was shown waits to be written: it is the parent's, and is written once."""
    memory = marskg.open(location, budget=10_000)
    memory.remember("Ann drinks green tea")
    # Asked for before: every door but a reading has what waits written.
    engine = memory.store.engine
    memory._writer.shared.pending.later = lambda *_: None
    shown = memory.retrieve("green tea", min_confidence=0)
    assert shown.id is not None

    def accesses() -> list[str]:
        records = GraphReader(engine, memory.tenant).records("a")
        return [record.iri for record in records if record.operation is Operation.ACCESS]

    assert accesses() == []
    for work in (lambda: memory.retrieve("green tea"), lambda: memory.feedback(str(shown.id)), memory.close):
        assert in_child(work) == REFUSED, work
    leave()
    assert accesses() == []
    check(memory)
    (written,) = accesses()
    assert shown.id.startswith(written)
    memory.close()


def embedded(location: str) -> None:
    """Fork with an embedded store open that another thread writes to."""
    with marskg.open(location, budget=10_000) as memory:
        memory.remember("before")
        reader = marskg.open(location, principal="reader:bot")
        with writing(memory):
            everything(memory)
            assert in_child(lambda: doors(reader)) == REFUSED
            # No second JVM in a process that inherited one, for whatever folder.
            assert in_child(lambda: marskg.open(f"{location}-of-the-child")) == REFUSED
        reader.close()
        check(memory)


def awaited(location: str) -> None:
    """Fork with an awaitable memory open: the child has neither its event loop nor its threads."""

    async def use() -> None:
        async with marskg.aopen(location, budget=10_000) as memory:
            one = await memory.remember("before")
            for call in (lambda: memory.get(one.id), lambda: memory.forget(None), memory.close):  # type: ignore[arg-type]  # never looked at
                assert in_child(lambda call=call: asyncio.run(call())) == REFUSED, call  # type: ignore[misc]  # bound now
            assert await memory.get(one.id) is not None

    asyncio.run(use())


def orphaned(location: str) -> None:
    """Let a child live longer than its parent had the store open: it does not keep it locked."""
    memory = marskg.open(location, budget=10_000)
    holding, held = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(held)
        os.read(holding, 1)  # until the parent lets go
        os._exit(0)
    memory.close()
    again = marskg.open(location)
    check(again)
    again.close()
    os.close(held)
    os.waitpid(child, 0)


def server(location: str) -> None:
    """Fork with a tenant of a server open; the child opens it for itself."""
    tenant = os.environ["FORKING_TENANT"]
    with marskg.open(location, tenant=tenant, budget=10_000) as memory:
        memory.remember("before")
        assert memory.validate(full=True).ok

        def of_its_own() -> None:
            with marskg.open(location, tenant=tenant) as mine:
                mine.remember("from the child")
                # Its parent has validated, by an engine whose threads the child does not have.
                assert mine.validate(full=True).ok
            raise ForkedProcess

        with writing(memory):
            everything(memory)
        # None but one writes at a time here: opening waits for no thread that only the parent has.
        assert in_child(of_its_own) == REFUSED
        check(memory)
        assert "from the child" in {found.content for found in memory.memories()}


def child_opens(location: str) -> None:
    """Open a store of one's own, as a worker does."""
    with marskg.open(location, budget=10_000) as memory:
        memory.remember("from a worker")


def methods(location: str) -> None:
    """Start processes in each way of :mod:`multiprocessing` with a store open."""
    with marskg.open(location, budget=10_000) as memory:
        spawned, served = multiprocessing.get_context("spawn"), multiprocessing.get_context("forkserver")
        workers = (
            spawned.Process(target=child_opens, args=(f"{location}-spawned",)),
            served.Process(target=child_opens, args=(f"{location}-served",)),
        )
        for worker in workers:
            worker.start()
            worker.join(HANGS_S)
            assert worker.exitcode == 0, worker
        process = multiprocessing.get_context("fork").Process(target=refused, args=(memory,))
        process.start()
        process.join(HANGS_S)
        assert process.exitcode == REFUSED
        check(memory)


def refused(memory: AgentMemory) -> None:
    """Leave with REFUSED if the memory of the parent refuses."""
    with suppress(ForkedProcess):
        memory.remember("from a forked worker")
        return
    sys.exit(REFUSED)


def check(memory: AgentMemory) -> None:
    """Hold the parent's store to what it was before."""
    memory.remember("after")
    assert memory.verify().ok
    report = memory.validate(full=True)
    assert report.ok, report.findings


if __name__ == "__main__":
    {
        "awaited": awaited,
        "embedded": embedded,
        "leaving": leaving,
        "orphaned": orphaned,
        "server": server,
        "methods": methods,
        "waiting": waiting,
    }[sys.argv[1]](sys.argv[2])
    sys.stdout.write("sound\n")
