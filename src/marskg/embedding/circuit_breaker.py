"""A model that is left alone for a while after it failed, and waited for by one call only while it hangs.

Guarantees: while it rests (:class:`marskg.models.rest.Rest`) nobody waits for it: the failure is repeated at
once. Of a model that may hang, a
call that finds another under way waits for an answer to that one for its patience and no longer; from then until the
other one ends, further calls fail at once. So a server that hangs holds up one write or read, not all of them. Texts
and vectors pass unchanged.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from marskg.embedding.model import question_vectors
from marskg.errors import EmbeddingUnavailable
from marskg.models.rest import Rest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from marskg.embedding.model import EmbeddingModel, Vectors

T = TypeVar("T")


class Patience(NamedTuple):
    """How long one call waits for an answer to another, in seconds, and how many texts such an answer is about."""

    seconds: float = 2.0
    texts: int = 128


class CircuitBreaker:
    """A model that fails fast for a while after it failed, and while it hangs."""

    def __init__(self, model: EmbeddingModel, now_ms: Callable[[], int], patience: Patience | None = None) -> None:
        """Ask ``model``; ``now_ms`` tells the time, and is asked only around failures.

        Without ``patience`` calls do not mind each other: the model runs in this process and cannot hang.
        """
        self._model = model
        self._now_ms = now_ms
        self._patience = patience
        self._failure: EmbeddingUnavailable | None = None
        self._rest = Rest()
        self._gate = threading.Condition()
        self._tickets = 0
        #: Calls under way, each with whether another one has waited for it in vain.
        self._under_way: dict[int, bool] = {}

    @property
    def name(self) -> str:
        """Return the model's own name."""
        return self._model.name

    @property
    def late(self) -> bool:
        """Return whether the model's vectors are made after the write."""
        return self._model.late

    @property
    def dimension(self) -> int:
        """Return the number of components of a vector."""
        return self._asked(lambda: self._model.dimension)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text.

        Raises:
            EmbeddingUnavailable: the model cannot answer now, could not a moment ago, or leaves another call waiting.
        """
        return self._in_pieces(texts, self._model.embed)

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each question; see :meth:`embed`."""
        return self._in_pieces(texts, lambda piece: question_vectors(self._model, piece))

    def _in_pieces(self, texts: Sequence[str], embed: Callable[[Sequence[str]], Vectors]) -> Vectors:
        # Piece by piece, so that a long list that is being answered is told from a server that hangs.
        size = len(texts) if self._patience is None else self._patience.texts
        pieces = [texts[start : start + size] for start in range(0, len(texts), size or 1)] or [texts]
        rows = [self._answer(piece, embed) for piece in pieces]
        return rows[0] if len(rows) == 1 else np.concatenate(rows)

    def _answer(self, texts: Sequence[str], embed: Callable[[Sequence[str]], Vectors]) -> Vectors:
        found = self._asked(lambda: embed(texts))
        with self._gate:
            self._rest.answered()
        return found

    def _asked(self, ask: Callable[[], T]) -> T:
        with self._turn():
            failures = self._rest.failures
            try:
                return ask()
            except EmbeddingUnavailable as error:
                with self._gate:
                    # Calls that fail side by side are one failure.
                    if self._rest.failures == failures:
                        self._rest.failed(self._now_ms())
                        self._failure = error
                raise

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Be under way, once the model rests no more and has answered somebody who asked before."""
        with self._gate:
            self._check_rest()
            self._wait()
            # What was waited for may have failed.
            self._check_rest()
            ticket = self._tickets
            self._tickets += 1
            self._under_way[ticket] = False
        try:
            yield
        finally:
            with self._gate:
                del self._under_way[ticket]
                self._gate.notify_all()

    def _check_rest(self) -> None:
        if self._rest.since is not None and self._rest.rests(self._now_ms()):
            raise EmbeddingUnavailable(str(self._failure)) from self._failure

    def _wait(self) -> None:
        """Wait until one of the calls under way has ended; the caller holds the lock."""
        if self._patience is None or not self._under_way:
            return
        ahead = set(self._under_way)
        in_vain = any(self._under_way.values()) or not self._gate.wait_for(
            lambda: not ahead <= self._under_way.keys(), self._patience.seconds
        )
        if in_vain:
            self._under_way.update((ticket, True) for ticket in ahead & self._under_way.keys())
            msg = (
                f"{self.name} has not answered another call for more than {self._patience.seconds:g} seconds: "
                "see that its server runs, or try again later"
            )
            raise EmbeddingUnavailable(msg)
