"""The vectors of a tenant's memories: made at write, kept beside the content, made later where that failed.

A memory has the vector of its whole text and, where it is so long that it has several passages, one for each of them:
they are kept one after another, so that they go with the content when that goes.

Guarantees: a stored vector names its model by a tag, so that one of another model is never taken for one's own, also
after a change of models that was cut off; a tenant's vectors are of one model, whose name its row has before
the first of them is stored; no write waits for a model that takes long, or fails because one does not answer: the
vector is missing then, and made later; a vector is only ever put on a memory that has content. Until it is made, one of
the static model stands for it in the index of the program that has the store open, and nowhere else.
"""

from __future__ import annotations

import hashlib
import threading
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from marskg.embedding.circuit_breaker import CircuitBreaker, Patience
from marskg.embedding.endpoint import EndpointEmbedding
from marskg.embedding.packing import pack, packed_size, unpack
from marskg.embedding.registry import load_model
from marskg.embedding.static import StaticEmbedding
from marskg.errors import EmbeddingMismatch, EmbeddingUnavailable
from marskg.text import passages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from marskg.embedding.model import EmbeddingModel, Vectors

#: Texts that are turned into vectors, and vectors that are stored, at once.
PAGE = 500
#: The same of a model whose vectors are made after the write: a third of a second's work on one core.
LATE_PAGE = 16
_TAG = 6
#: The setting of a tenant that is kept without vectors.
NONE = "none"

#: Told to the caller of a write.
WITHOUT_VECTOR = "stored without a vector: the embedding model did not answer; it is made up for later"


class MadeBy(NamedTuple):
    """What made a vector: the setting that chose the model, and what the store calls the model."""

    spec: str
    name: str


class Vectoriser:
    """Makes packed vectors with the model that a tenant's settings name now; loads it when it is first needed."""

    def __init__(
        self,
        spec: Callable[[], str],
        now_ms: Callable[[], int],
        load: Callable[[str], EmbeddingModel | None] = load_model,
    ) -> None:
        """Use the model that ``spec`` names whenever a vector is made; ``load`` finds models by their name."""
        self._spec = spec
        self._now_ms = now_ms
        self._load = load
        self._loaded: tuple[str, EmbeddingModel | None] | None = None
        self._lock = threading.Lock()
        self._early = StaticEmbedding()

    @property
    def wanted(self) -> bool:
        """Return whether the tenant is to have vectors."""
        return self._spec() != NONE

    @property
    def model(self) -> EmbeddingModel | None:
        """Return the model, or None where the tenant is kept without vectors.

        Raises:
            EmbeddingUnavailable: it cannot be loaded.
        """
        return self._current()[1]

    @property
    def late(self) -> bool:
        """Return whether vectors are made after the write; they are not where the model cannot be loaded."""
        try:
            model = self.model
        except EmbeddingUnavailable:
            return False
        return model is not None and model.late

    @property
    def early(self) -> StaticEmbedding | None:
        """Return what makes the vectors that stand for those made after the write; None where none are."""
        return self._early if self.late else None

    def wake(self) -> None:
        """Ask the model again although it failed a moment ago: somebody says that it works now."""
        with self._lock:
            self._loaded = None

    def _current(self) -> tuple[str, EmbeddingModel | None]:
        """Return what the settings say, and the model of it."""
        spec = self._spec()
        with self._lock:
            if self._loaded is None or self._loaded[0] != spec:
                model = self._load(spec)
                # Only a server can leave a call without an answer; a model in the process is busy, not hanging.
                patience = Patience() if isinstance(model, EndpointEmbedding) else None
                self._loaded = (spec, None if model is None else CircuitBreaker(model, self._now_ms, patience))
            return self._loaded

    def packed(self, texts: Sequence[str]) -> tuple[MadeBy | None, list[str | None]]:
        """Return what made the vectors, and those of each text, packed; None for all without an answer."""
        try:
            spec, model = self._current()
            if model is None:
                return None, [None] * len(texts)
            return MadeBy(spec, model_name(model)), [*packed_by(model, texts)]
        except EmbeddingUnavailable:
            return None, [None] * len(texts)

    def packed_for_write(self, texts: Sequence[str]) -> tuple[MadeBy | None, list[str | None]]:
        """Return what :meth:`packed` does, without vectors where they take too long for a write to wait for them."""
        try:
            spec, model = self._current()
            if model is not None and model.late:
                return MadeBy(spec, model_name(model)), [None] * len(texts)
        except EmbeddingUnavailable:
            return None, [None] * len(texts)
        return self.packed(texts)


def packed_by(model: EmbeddingModel, texts: Sequence[str]) -> list[str]:
    """Return the packed vectors of each of ``texts``: its own, and those of its passages where it has several.

    Raises:
        EmbeddingUnavailable: the model does not answer.
    """
    prefix = tag(model_name(model))
    return [prefix + "".join(map(pack, rows)) for rows in rows_by(model, texts)]


def rows_by(model: EmbeddingModel, texts: Sequence[str]) -> list[Vectors]:
    """Return ``[1 + n, dimension]`` for each of ``texts``: its own vector, and those of its ``n`` passages.

    Raises:
        EmbeddingUnavailable: the model does not answer.
    """
    parts = [passages(text) for text in texts]
    asked = [one for text, own in zip(texts, parts, strict=True) for one in (text, *(own if len(own) > 1 else ()))]
    sizes = [1 + (len(own) if len(own) > 1 else 0) for own in parts]
    return np.split(model.embed(asked), np.cumsum(sizes)[:-1]) if texts else []


def model_name(model: EmbeddingModel) -> str:
    """Return what the store calls a model: its name and dimension."""
    return f"{model.name}/{model.dimension}"


def tag(name: str) -> str:
    """Return the prefix of the vectors that the model ``name`` made."""
    return f"{hashlib.sha256(name.encode()).hexdigest()[:_TAG]}:"


def own(packed: str | None, prefix: str) -> bool:
    """Return whether a stored vector is one of the model whose :func:`tag` is ``prefix``."""
    return packed is not None and packed.startswith(prefix)


def is_whole(packed: str | None, name: str, text: str) -> bool:
    """Return whether a stored vector is one of the model ``name``, with one for each passage of its ``text``."""
    prefix = tag(name)
    if packed is None or not own(packed, prefix):
        return False
    parts = len(passages(text))
    return len(packed) == len(prefix) + packed_size(int(name.rpartition("/")[2])) * (1 + (parts if parts > 1 else 0))


def unpacked(packed: Sequence[str], prefix: str, dimension: int) -> Vectors:
    """Return the vectors of whole texts, all of the model whose tag is ``prefix``, as rows."""
    end = len(prefix) + packed_size(dimension)
    return unpack([item[len(prefix) : end] for item in packed], dimension)


def unpacked_passages(packed: str, prefix: str, dimension: int) -> Vectors:
    """Return the vectors of a text's passages as rows; none where they were not made."""
    size = packed_size(dimension)
    starts = range(len(prefix) + size, len(packed), size)
    if not starts:  # as most have none, and an index is filled with all of them
        return np.zeros((0, dimension), dtype=np.float32)
    return unpack([packed[start : start + size] for start in starts], dimension)


def model_mismatch(tenant: str, stored: str, asked: str) -> EmbeddingMismatch:
    """Return the error that says which model the tenant's vectors are of."""
    return EmbeddingMismatch(
        f"the vectors of tenant {tenant!r} were made by {stored}, and {asked} is in use now; vectors of two models "
        "cannot be compared: make them anew with: mars maintenance reembed, or open the tenant with the model that "
        "made them"
    )
