"""The vectors that no write waits for, made in the background as long as the store is open.

Guarantees: a memory's vector is stored only while the memory has the content that it was made of, with the model's name
on the tenant's row before the first; no record of the audit tells of one, as none does of those made at a write; what
was not made when the store was closed, or failed, is made by whoever reads next and stays a while; a text that the
model refuses keeps back no other. Nobody waits for what others left. Whoever stops the making waits for sixteen texts
at the most. One thread for each open store, started
when there is something to do, and anew in a process that was forked. Source: semantics section 13.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.errors import InvalidInput, MarsError
from marskg.store.unit.vectors import LATE_PAGE
from marskg.store.upkeep.reembed import make_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from marskg.embedding.model import EmbeddingModel, Vectors
    from marskg.store.commit.writer import Writer
    from marskg.store.unit.reader import GraphReader
    from marskg.store.unit.vectors import Vectoriser

_LOG: Final = logging.getLogger(__name__)
#: Seconds without a write after which a page is begun, as it would slow down one that comes right then, and how often
#: that is waited for.
_QUIET: Final = 0.2
_WAITS: Final = 250
#: Seconds after which what others left is begun: who asks one question and leaves is not to be slowed down by it.
_STAYS: Final = 1.0
#: Seconds that closing waits for what was stored here and is still to be made: an import that was not waited for is
#: made by whoever reads next.
_PATIENCE: Final = 10.0
#: Seconds that a question waits at most, and of how many texts: more are not made in that time, and of an import
#: nobody asks what was told last.
_MOMENT: Final = 0.5
_FEW: Final = 64
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
        #: What was stored here and is to be made, in the order in which it came.
        self._wanted: dict[str, None] = {}
        #: What others left, of which a reader told; it is made after that.
        self._found: dict[str, None] = {}
        #: What is being made, and whether it was stored here.
        self._page: frozenset[str] = frozenset()
        self._page_is_own = False
        #: What the model refuses, which is asked for again when the store is next opened.
        self._refused: set[str] = set()
        self._thread: threading.Thread | None = None
        self._closed = self._touched = self._stopped = self._failed = False
        #: How many of those are left for which somebody waits.
        self._hurried: Callable[[], int] = int
        self._rest = _QUIET

    def add(self, ids: Iterable[str], *, found: bool = False) -> None:
        """Make the vectors of the memories ``ids`` soon, unless the model is one that each write waits for.

        They were stored here, or were ``found`` without one.
        """
        if not self._vectoriser.late:
            return
        with self._changed:
            # What is waited for already is no new write: who asks often would keep it waiting.
            known = self._wanted.keys() | self._page | self._refused | (self._found.keys() if found else set())
            new = [one for one in ids if one not in known]
            if found and new and not self.left:
                self._rest = _STAYS
            for one in new:
                # Another thread's question may have come upon it before this was told that it was stored.
                self._found.pop(one, None)
            (self._found if found else self._wanted).update(dict.fromkeys(new))
            if not (self._wanted or self._found) or self._closed:
                return
            self._touched |= bool(new)
            self._changed.notify_all()
            # One that was started before a fork is not alive in the child.
            if not self._alive():
                self._page = frozenset()
                self._thread = threading.Thread(target=self._run, name="marskg-vectors", daemon=True)
                self._thread.start()

    @property
    def left(self) -> int:
        """Return how many are still to be made, as far as it is known."""
        with self._changed:
            return len(self._wanted) + len(self._found) + len(self._page) if self._alive() else 0

    @property
    def owed(self) -> int:
        """Return how many of what was stored here are still to be made."""
        with self._changed:
            return len(self._wanted) + len(self._page) * self._page_is_own if self._alive() else 0

    def finish(
        self, seconds: float, progress: Callable[[int], None] = lambda _: None, *, owed_alone: bool = False
    ) -> bool:
        """Wait up to ``seconds`` until none is left, ``owed_alone`` none that is owed; returns whether that is so.

        ``progress`` hears every half second how many were made meanwhile. Who is interrupted waits no more, nor does
        closing then.
        """

        def counted() -> int:
            return self.owed if owed_alone else self.left

        total = counted()
        try:
            while not self._wait(counted, min(_HEARD, seconds)):
                seconds -= _HEARD
                if seconds <= 0:
                    return False
                progress(max(0, total - counted()))
        except KeyboardInterrupt:
            self.stop()
            raise
        return True

    def soon(self) -> None:
        """Wait a moment for what is still to be made: a question is answered by what was told right before it."""
        if 0 < self.left <= _FEW:
            self.finish(_MOMENT)

    def stop(self) -> None:
        """Leave what is still to be made to whoever reads next, or to the caller."""
        with self._changed:
            self._clear()
            self._stopped = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._page or not self._alive(), _PATIENCE)

    def close(self) -> None:
        """Make no more of them, after a while in which those of what was stored here are waited for."""
        try:
            self.finish(_PATIENCE, owed_alone=True)
        finally:
            with self._changed:
                self._closed = self._stopped = True
                self._clear()
                self._changed.notify_all()
                thread = self._thread
            if thread is not None and thread.is_alive():
                thread.join()

    def _alive(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _clear(self) -> None:
        self._wanted.clear()
        self._found.clear()

    def _wait(self, counted: Callable[[], int], seconds: float) -> bool:
        """Wait until none is ``counted``, without minding who writes; returns whether it was within ``seconds``."""
        with self._changed:
            self._hurried = counted
            self._changed.notify_all()
            try:
                return self._changed.wait_for(lambda: not counted(), seconds)
            finally:
                self._hurried = int

    def _next(self) -> list[str]:
        """Return what is to be made now; nothing ends the thread."""
        with self._changed:
            self._page = frozenset()
            self._changed.notify_all()
            self._await_quiet()
            queue = self._wanted or self._found
            if queue is self._found:
                self._rest = _QUIET
            page = [*queue][:LATE_PAGE]
            for ident in page:
                del queue[ident]
            self._page, self._page_is_own, self._stopped = frozenset(page), queue is self._wanted, self._closed
            if not page:
                self._thread = None
                self._changed.notify_all()
            return page

    def _await_quiet(self) -> None:
        """Wait until nothing was added for a moment, unless somebody waits for what is made."""
        for _ in range(_WAITS):
            self._touched = False
            if self._at_once():
                return
            rest = _QUIET if self._wanted else self._rest
            if not self._changed.wait_for(lambda: self._touched or self._at_once(), rest):
                return

    def _at_once(self) -> bool:
        """Return whether somebody waits for what is made, or nothing is to be made any more."""
        return self._hurried() > 0 or not (self._wanted or self._found)

    def _run(self) -> None:
        while page := self._next():
            self._make(page)

    def _make(self, page: list[str]) -> None:
        """Make the vectors of a page; where the model refuses a text of it, each by itself."""
        try:
            model = self._vectoriser.model
            if model is None:
                return
            make_up(self._writer, self._reader, _Stoppable(model, lambda: self._stopped), page)
            self._heard(page)
            self._failed = False
        except _Stopped:
            return
        except InvalidInput as error:
            if len(page) > 1:
                for ident in page:
                    self._make([ident])
                return
            with self._changed:
                self._refused.update(page)
            _warn(error)
        except MarsError as error:
            # What failed now fails for the rest, too: whoever reads next asks for all of it again.
            if not self._failed:
                _warn(error)
            self._failed = True
            with self._changed:
                self._clear()


class _Stopped(Exception):
    """The vectors of a page are not wanted any more."""


class _Stoppable:
    """A model that is asked for a few texts at a time, and for no more once that was ``stopped``."""

    def __init__(self, model: EmbeddingModel, stopped: Callable[[], bool]) -> None:
        self._model = model
        self._stopped = stopped
        self.name, self.dimension, self.late = model.name, model.dimension, model.late

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text.

        Raises:
            _Stopped: nobody wants them any more.
        """
        made = []
        for start in range(0, len(texts), LATE_PAGE):
            if self._stopped():
                raise _Stopped
            made.append(self._model.embed(texts[start : start + LATE_PAGE]))
        return np.concatenate(made)


def _warn(error: MarsError) -> None:
    # By its class: what an error says may hold what a memory says.
    _LOG.warning("a vector could not be made in the background (%s)", type(error).__name__)
