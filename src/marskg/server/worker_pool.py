"""Open memories and the queues before them.

Guarantees: at most so many readers work at once, and one writer a tenant; where too many wait already, a request is
refused at once, before anything is done; a memory is closed only when nobody works with it; while one is opened, only
who asked for it waits.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import anyio
from anyio.to_thread import run_sync

from marskg.server.problems import Busy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from marskg.memory import AgentMemory
    from marskg.server.callers import Caller

Answer = TypeVar("Answer")
_READERS: Final = 4
_STREAMS: Final = 2
_WAITING: Final = 32
_OPEN: Final = 32


class Lane:
    """A queue with so many at work and so many waiting."""

    def __init__(self, at_work: int, waiting: int) -> None:
        """Let ``at_work`` work at once while ``waiting`` more wait."""
        self._limiter = anyio.CapacityLimiter(at_work)
        self._room = at_work + waiting
        self._inside = 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn; it may be ended by another task than the one that took it.

        Raises:
            Busy: too many wait already.
        """
        if self._inside >= self._room:
            raise Busy
        self._inside += 1
        holder = object()
        try:
            await self._limiter.acquire_on_behalf_of(holder)
            try:
                yield
            finally:
                self._limiter.release_on_behalf_of(holder)
        finally:
            self._inside -= 1


class _Handle:
    """A memory that is opened when it is first lent."""

    def __init__(self, opened: Callable[[], AgentMemory]) -> None:
        self._opened, self._lock = opened, threading.Lock()
        self._memory: AgentMemory | None = None
        self.users: list[None] = []

    def memory(self) -> AgentMemory:
        with self._lock:
            if self._memory is None:
                self._memory = self._opened()
            return self._memory

    def close(self) -> None:
        if self._memory is not None:
            self._memory.close()


class Handles:
    """Opened memories by caller; those least recently used are closed where there are too many."""

    def __init__(self, opened: Callable[[Caller], AgentMemory], most: int = _OPEN) -> None:
        """Open with ``opened`` and keep ``most``."""
        self._opened, self._most = opened, most
        self._lock = threading.Lock()
        self._kept: OrderedDict[Caller, _Handle] = OrderedDict()

    @contextmanager
    def of(self, caller: Caller) -> Iterator[AgentMemory]:
        """Lend the memory of ``caller``; to be entered in a worker thread, as it may have to be opened."""
        with self._lock:
            handle = self._kept.setdefault(caller, _Handle(partial(self._opened, caller)))
            self._kept.move_to_end(caller)
            handle.users.append(None)
            idle = [one for one, other in self._kept.items() if not other.users]
            spare = [self._kept.pop(one) for one in idle[: max(0, len(self._kept) - self._most)]]
        try:
            for one in spare:
                one.close()
            # Not under the lock of all: only who asks for this one waits until it is open.
            yield handle.memory()
        finally:
            with self._lock:
                handle.users.pop()

    def close(self) -> None:
        """Close all of them."""
        with self._lock:
            while self._kept:
                self._kept.popitem()[1].close()


class WorkerPool:
    """Runs operations for callers in worker threads, each after its turn."""

    def __init__(self, handles: Handles, waiting: int = _WAITING) -> None:
        """Lend memories of ``handles``; ``waiting`` may wait in each queue."""
        self.handles, self._waiting = handles, waiting
        self._readers = Lane(_READERS, waiting)
        self._streams = Lane(_STREAMS, waiting)
        self._writers: dict[str, Lane] = {}

    def reading(self) -> Lane:
        """Return the queue of readers."""
        return self._readers

    def streaming(self) -> Lane:
        """Return the queue of long answers, which a slow client may hold."""
        return self._streams

    def writing(self, tenant: str) -> Lane:
        """Return the queue of a tenant's writers."""
        return self._writers.setdefault(tenant, Lane(1, self._waiting))

    async def run(self, lane: Lane, caller: Caller, operation: Callable[[AgentMemory], Answer]) -> Answer:
        """Return what ``operation`` answers on the memory of ``caller``, after its turn in ``lane``.

        Raises:
            Busy: too many wait already.
        """

        def work() -> Answer:
            with self.handles.of(caller) as memory:
                return operation(memory)

        async with lane.turn():
            return await run_sync(work)
