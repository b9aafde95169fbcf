"""The vectors that no write waits for, made in the background as long as the store is open.

Guarantees: a memory's vector is stored only while the memory has content, with the model's name on the tenant's row
before the first; no record of the audit tells of one, as none does of those made at a write; what was not made when the
store was closed is made by whoever reads next; a vector that cannot be made keeps back no other. One thread for each
open store, started when there is something to do, and anew in a process that was forked. Source: semantics section 13.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final

from marskg.errors import MarsError
from marskg.store.upkeep.reembed import make_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from marskg.store.commit.writer import Writer
    from marskg.store.unit.reader import GraphReader
    from marskg.store.unit.vectors import Vectoriser

_LOG: Final = logging.getLogger(__name__)
#: Texts that are turned into vectors, and vectors that are stored, at once: a third of a second's work on one core.
PAGE: Final = 16
#: Seconds without a write after which a page is begun, as it would slow down one that comes right then, and how often
#: that is waited for.
_QUIET: Final = 0.2
_WAITS: Final = 250
#: Seconds that closing waits for what is still to be made: what a command line has said is as good as what it said
#: before, and an import that was not waited for is made by whoever reads next.
_PATIENCE: Final = 10.0
#: Seconds after which who waits hears how far it has come.
_HEARD: Final = 0.5


class LateVectors:
    """Makes the vectors of one open store's tenant after the writes."""

    def __init__(
        self, writer: Writer, reader: GraphReader, vectoriser: Vectoriser, heard: Callable[[list[str]], None]
    ) -> None:
        """Store them through ``writer``; ``heard`` gets the ids of each page once its vectors are stored."""
        self._writer = writer
        self._reader = reader
        self._vectoriser = vectoriser
        self._heard = heard
        self._changed = threading.Condition()
        #: What is to be made, in the order in which it came.
        self._wanted: dict[str, None] = {}
        #: What is being made.
        self._page: frozenset[str] = frozenset()
        #: What could not be made, which is asked for again when the store is next opened.
        self._failed: set[str] = set()
        self._thread: threading.Thread | None = None
        self._closed = self._touched = self._hurried = False

    def add(self, ids: Iterable[str]) -> None:
        """Make the vectors of the memories ``ids`` soon."""
        with self._changed:
            new = [one for one in ids if one not in self._page and one not in self._failed]
            self._wanted.update(dict.fromkeys(new))
            if not self._wanted or self._closed:
                return
            self._touched = bool(new)
            self._changed.notify_all()
            # One that was started before a fork is not alive in the child.
            if self._thread is None or not self._thread.is_alive():
                self._page = frozenset()
                self._thread = threading.Thread(target=self._run, name="marskg-vectors", daemon=True)
                self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait until everything was made; returns whether it was within ``seconds``."""
        thread = self._thread
        if thread is None or not thread.is_alive() or thread is threading.current_thread():
            return True
        with self._changed:
            self._hurried = True
            self._changed.notify_all()
            return self._changed.wait_for(lambda: not self._wanted and not self._page, seconds)

    def leave(self) -> None:
        """Leave to somebody else what is still to be made, and wait for what is under way."""
        with self._changed:
            self._wanted.clear()
        self.wait(_PATIENCE)

    def finish(self, progress: Callable[[int], None]) -> None:
        """Wait until everything was made; ``progress`` hears now and then how many were made meanwhile."""
        with self._changed:
            total = len(self._wanted) + len(self._page)
        while not self.wait(_HEARD):
            with self._changed:
                left = len(self._wanted) + len(self._page)
            progress(max(0, total - left))

    def close(self, *, patient: bool = True) -> None:
        """Make no more of them; what is under way is waited for, and a while the rest unless one is not ``patient``."""
        try:
            self.wait(_PATIENCE if patient else 0.0)
        finally:
            with self._changed:
                self._closed = True
                self._wanted.clear()
        thread = self._thread
        if thread is not None and thread.is_alive() and thread is not threading.current_thread():
            thread.join()

    def _next(self) -> list[str]:
        """Return what is to be made now; nothing ends the thread."""
        with self._changed:
            self._await_quiet()
            page = [*self._wanted][:PAGE]
            for ident in page:
                del self._wanted[ident]
            self._page = frozenset(page)
            if not page:
                self._thread, self._hurried = None, False
                self._changed.notify_all()
            return page

    def _await_quiet(self) -> None:
        """Wait until nothing was added for a moment, unless somebody waits for what is made."""
        for _ in range(_WAITS):
            self._touched = False
            if self._hurried or not self._wanted:
                return
            if not self._changed.wait_for(lambda: self._touched or self._hurried, _QUIET):
                return

    def _run(self) -> None:
        while page := self._next():
            self._make(page)

    def _make(self, page: list[str]) -> None:
        """Make the vectors of a page; of one that fails each by itself, so that one keeps back no other."""
        try:
            model = self._vectoriser.model
            if model is None:
                return
            make_up(self._writer, self._reader, model, page, lambda _: None)
            self._heard(page)
        except MarsError as error:
            if len(page) > 1:
                for ident in page:
                    self._make([ident])
                return
            # By its class: what an error says may hold what a memory says.
            _LOG.warning("a vector could not be made in the background (%s)", type(error).__name__)
            with self._changed:
                self._failed.update(page)
