"""A model that is left alone for a while after it failed.

Guarantees: while it rests nobody waits for it: the failure is repeated at once, so that a server that hangs holds up
one write or read in :data:`REST_MS` and not each of them; afterwards it is asked again. Texts and vectors pass
unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from marskg.errors import EmbeddingUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from marskg.embedding.model import EmbeddingModel, Vectors

T = TypeVar("T")

#: How long a model rests after a failure, in milliseconds.
REST_MS: Final = 30_000


class RestingModel:
    """A model that fails fast for :data:`REST_MS` after it failed."""

    def __init__(self, model: EmbeddingModel, now_ms: Callable[[], int]) -> None:
        """Ask ``model``; ``now_ms`` tells the time, and is asked only around failures."""
        self._model = model
        self._now_ms = now_ms
        self._failure: tuple[int, EmbeddingUnavailable] | None = None

    @property
    def name(self) -> str:
        """Return the model's own name."""
        return self._model.name

    @property
    def dimension(self) -> int:
        """Return the number of components of a vector."""
        return self._asked(lambda: self._model.dimension)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text.

        Raises:
            EmbeddingUnavailable: the model cannot answer now, or could not a moment ago.
        """
        found = self._asked(lambda: self._model.embed(texts))
        self._failure = None
        return found

    def _asked(self, ask: Callable[[], T]) -> T:
        failure = self._failure
        if failure is not None and 0 <= self._now_ms() - failure[0] < REST_MS:
            raise EmbeddingUnavailable(str(failure[1])) from failure[1]
        try:
            return ask()
        except EmbeddingUnavailable as error:
            self._failure = (self._now_ms(), error)
            raise
