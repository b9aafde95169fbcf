"""Work in the background: a thread that does a pass every so often, and harms nobody.

Guarantees: the first pass comes after the first interval; a pass is left out while ``busy`` says so; what goes wrong is
logged by the class of the error, never with its text, and the thread goes on. Once :meth:`Background.stop` returned,
nothing of a pass is under way in the store, and nothing will be: a pass that waits for a model is not waited for, and
ends when the model has answered. The interval is waited, not read from a clock.
"""

from __future__ import annotations

import atexit
import logging
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

_LOG: Final = logging.getLogger(__name__)


class Stopped(Exception):
    """A pass was stopped while it waited for somebody else."""


class Background:
    """Does ``work`` every ``seconds`` until it is stopped."""

    def __init__(self, work: Callable[[Background], object], seconds: float, busy: Callable[[], bool]) -> None:
        """Start the thread; it ends with the program, which waits for what is under way in the store."""
        self._work = work
        self._seconds = seconds
        self._busy = busy
        self._stopping = threading.Event()
        #: Held by a pass, but for the time in which it is :meth:`aside`.
        self._working = threading.Lock()
        self._is_aside = False
        self._thread = threading.Thread(target=self._run, name="marskg-maintenance", daemon=True)
        self._thread.start()
        atexit.register(self.stop)

    def _run(self) -> None:
        while not self._stopping.wait(self._seconds):
            with self._working, _Logged():
                if not self._stopping.is_set() and not self._busy():
                    self._work(self)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Let a pass wait for somebody else, such as a model, and nobody for the pass.

        Raises:
            Stopped: it was stopped meanwhile, and is to touch nothing any more.
        """
        self._is_aside = True
        self._working.release()
        try:
            yield
        finally:
            self._working.acquire()
            self._is_aside = False
            if self._stopping.is_set():
                raise Stopped

    def stop(self) -> None:
        """Start no further pass, and wait for what is under way in the store; a second call does nothing."""
        self._stopping.set()
        atexit.unregister(self.stop)
        # A forked child has no such thread, and nobody to give the lock back.
        if self._thread is threading.current_thread() or not self._thread.is_alive():
            return
        with self._working:
            leave = self._is_aside
        if not leave:
            self._thread.join()


class _Logged:
    """Logs what goes wrong by its class: nobody stands behind the thread to raise to."""

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Log an error, and go on after it."""
        if isinstance(error, Exception) and not isinstance(error, Stopped):
            _LOG.warning("a pass in the background failed (%s); the next one tries again", type(error).__name__)
        return isinstance(error, Exception)
