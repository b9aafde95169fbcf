"""A lock that tells when somebody queues on it: interleavings of threads are set by events, not by waiting."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from collections.abc import Callable


class Queue:
    """A re-entrant lock as the shared state has it, with the event that a second thread waits for it."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.waited = threading.Event()

    def acquire(self, *, blocking: bool = True) -> bool:
        if self._inner.acquire(blocking=False):
            return True
        if not blocking:
            return False
        self.waited.set()
        return bool(self._inner.acquire())

    def release(self) -> None:
        self._inner.release()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class Aside:
    """Something done in a thread of its own, whose error comes back to whoever waits for it."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._work = work
        self._error: BaseException | None = None
        self.done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._work()
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits
            self._error = error
        finally:
            self.done.set()

    def join(self) -> None:
        assert self.done.wait(HANGS_S), "the other thread is stuck"
        self._thread.join()
        if self._error is not None:
            raise self._error
