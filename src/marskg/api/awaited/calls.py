"""The calls of one awaitable memory: a few at work in threads of its own, all others waiting in the event loop.

Guarantees: nothing blocks the loop; never more than :data:`AT_WORK` calls are at work at once, and the others get their
turn in the order in which they came; a call that is cancelled before its turn is never begun, and one that is at work
ends as a whole while its caller goes on at once; closing waits for what is at work, and refuses what waits.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import wait
from contextlib import suppress
from contextvars import copy_context
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from marskg.errors import EngineUnavailable, NotPermitted
from marskg.store.engine.protocol import CLOSED

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
    from concurrent.futures import Future, ThreadPoolExecutor

T = TypeVar("T")

#: Calls at work at once. One writes, as a tenant has one writer at a time; the rest read beside it, or wait for a model
#: that is asked over a network. More threads would wait for one another, and each holds what it has read so far.
AT_WORK: Final = 4
#: Threads of one memory: one more, so that what was left, and the end, wait for no caller's call.
THREADS: Final = AT_WORK + 1
#: Items that an iterator reads in one call: a way to a thread and back costs little beside reading so many.
BATCH: Final = 100


class StoppedError(BaseException):
    """The caller of an operation was cancelled: it ends between two steps. Nobody catches it on the way."""


def ended(work: Callable[[], T]) -> T:
    """Return what ``work`` returns.

    Raises:
        RuntimeError: it raised StopIteration, which no future takes (PEP 479 says the same of generators).
    """
    try:
        return work()
    except StopIteration as error:
        msg = "what was given to the call raised StopIteration; give next() a default there"
        raise RuntimeError(msg) from error


class Stop:
    """Ends an operation that tells its progress at its next step, once that is asked for."""

    def __init__(self) -> None:
        """Ask for nothing yet."""
        self.asked = False

    def heard(self, progress: Callable[[int], None] | None) -> Callable[[int], None]:
        """Return what hears of each step, and tells ``progress`` if there is one."""

        def step(done: int) -> None:
            if self.asked:
                raise StoppedError
            if progress is not None:
                progress(done)

        return step


class Batches(Generic[T]):
    """The items of an iterator, some at a time, read in whichever thread asks."""

    def __init__(self, begin: Callable[[], Iterable[T]]) -> None:
        """Read what ``begin`` returns, which is first called when something is asked for."""
        self._begin = begin
        self._items: Iterator[T] | None = None
        self._lock = threading.Lock()

    def take(self) -> list[T]:
        """Return the next items; fewer than :data:`BATCH` are the last."""
        with self._lock:
            if self._items is None:
                self._items = iter(self._begin())
            return list(islice(self._items, BATCH))

    def close(self) -> None:
        """Let go what the iterator holds, once nobody reads from it."""
        with self._lock:
            close = getattr(self._items, "close", None)
            if close is not None:
                close()


class Calls:
    """The threads of one open memory, and the line before them."""

    def __init__(self, threads: ThreadPoolExecutor, check_process: Callable[[], None]) -> None:
        """Work in ``threads``, of which there are :data:`THREADS`; ``check_process`` refuses a forked process."""
        self._threads = threads
        self._check_process = check_process
        self._loop = asyncio.get_running_loop()
        self._turns = asyncio.Semaphore(AT_WORK)
        self._running: set[Future[Any]] = set()
        self._closing: Future[None] | None = None

    def check_open(self) -> None:
        """Refuse to go on with a memory that is closed, or is being closed.

        Raises:
            EngineUnavailable: it is.
        """
        if self._closing is not None:
            raise EngineUnavailable(CLOSED)

    async def run(self, work: Callable[[], T], stop: Stop | None = None) -> T:
        """Return what ``work`` returns, done in a thread after the calls that came before.

        ``stop`` is asked to end it where the caller is cancelled while it is at work.

        Raises:
            EngineUnavailable: the memory is closed, or was while the call waited.
            ForkedProcess: this process was forked from the one that opened the memory.
            NotPermitted: the memory was opened in another event loop.
        """
        self._check_process()
        self.check_open()
        if asyncio.get_running_loop() is not self._loop:
            msg = (
                "the memory was opened in another event loop, where its calls wait for their turn; open one in this "
                "loop with marskg.aopen, or one for all threads with marskg.open"
            )
            raise NotPermitted(msg)
        await self._turns.acquire()
        if self._closing is not None:
            self._turns.release()
            self.check_open()
        job = self._submit(work)
        job.add_done_callback(self._end_turn)
        try:
            return await asyncio.wrap_future(job)
        except asyncio.CancelledError:
            if stop is not None:
                stop.asked = True
            raise

    async def iterate(self, begin: Callable[[], Iterable[T]]) -> AsyncGenerator[T, None]:
        """Yield what ``begin`` returns, read some at a time; each reading is a call.

        Raises:
            EngineUnavailable, ForkedProcess, NotPermitted: as :meth:`run` does.
        """
        batches = Batches(begin)
        whole = False
        try:
            while not whole:
                batch = await self.run(batches.take)
                whole = len(batch) < BATCH
                for one in batch:
                    yield one
        finally:
            # Not awaited, as who was cancelled goes on at once; without a turn, as it waits only for its own reading.
            if not whole and self._closing is None:
                self._submit(batches.close)

    async def close(self, closing: Callable[[], None]) -> None:
        """Do ``closing`` in a thread once nothing is at work any more; what waits for its turn is refused.

        It goes on where the caller is cancelled, and works from any event loop. A second call does nothing.

        Raises:
            EngineUnavailable: as ``closing`` does.
            ForkedProcess: this process was forked from the one that opened the memory.
        """
        self._check_process()
        if self._closing is None:
            running = tuple(self._running)

            def close() -> None:
                wait(running)
                closing()

            self._closing = self._threads.submit(close)
            self._threads.shutdown(wait=False)
        elif self._closing.done():
            return
        await asyncio.shield(asyncio.wrap_future(self._closing))

    def _submit(self, work: Callable[[], T]) -> Future[T]:
        job = self._threads.submit(copy_context().run, ended, work)
        self._running.add(job)
        job.add_done_callback(self._running.discard)
        return job

    def _end_turn(self, _: Future[Any]) -> None:
        # The loop is closed where nobody waits for a turn any more.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._turns.release)
