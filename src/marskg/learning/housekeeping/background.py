"""Housekeeping in the background: a thread that does a pass every so often, and harms nobody.

Guarantees: the first pass comes after the first interval; a pass is left out while ``busy`` says so; what goes wrong is
logged by the class of the error, never with its text, and the thread goes on; :meth:`Background.stop` returns when no
pass is under way and none will start. The interval is waited, not read from a clock.
"""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_LOG: Final = logging.getLogger(__name__)


class Background:
    """Does ``work`` every ``seconds`` until it is stopped."""

    def __init__(self, work: Callable[[], object], seconds: float, busy: Callable[[], bool]) -> None:
        """Start the thread; it ends with the program."""
        self._work = work
        self._seconds = seconds
        self._busy = busy
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="marskg-maintenance", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        with ThreadPoolExecutor(1, "marskg-maintenance-pass") as pool:
            while not self._stopping.wait(self._seconds):
                # A future keeps whatever went wrong: nobody stands behind this thread to raise to.
                try:
                    error = pool.submit(self._pass).exception()
                except RuntimeError:  # the program is ending
                    return
                if error is not None:
                    _LOG.warning("a pass of maintenance failed (%s); the next one tries again", type(error).__name__)

    def _pass(self) -> None:
        if not self._busy():
            self._work()

    def stop(self) -> None:
        """Start no further pass, and wait for the one that is under way; a second call does nothing."""
        self._stopping.set()
        if self._thread is not threading.current_thread():
            self._thread.join()
