"""Any server that speaks OpenAI's ``/embeddings`` protocol.

Guarantees: an answer is used only if it has one row of finite numbers of one dimension for each text, in their order;
what the server may cost in time and size is limited (:mod:`marskg.models.http_client`). Neither key nor text is in
any message. Blank texts are zero rows and are not sent.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.embedding.answers import read_rows
from marskg.embedding.weights import check_texts
from marskg.errors import InvalidConfig

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from marskg.embedding.model import Vectors
    from marskg.models.http_client import Poster

#: What a request holds at most.
BATCH_TEXTS: Final = 128
BATCH_CHARACTERS: Final = 200_000


class EndpointEmbedding:
    """``openai:<model>@<host>``: a model behind an HTTP endpoint."""

    late: Final = False

    def __init__(self, model: str, poster: Poster, *, dimension: int | None = None) -> None:
        """Address ``model``; send nothing yet.

        Args:
            model: the name that the server knows the model by.
            poster: the way to the server, below whose base URL ``/embeddings`` is.
            dimension: components of a vector; without it, the first answer says.

        Raises:
            InvalidConfig: the model's name is empty or cannot be printed.
        """
        if not model.strip() or not model.isprintable():
            msg = "an endpoint needs the name of its model: openai:MODEL@URL"
            raise InvalidConfig(msg)
        self._model = model
        self._poster = poster
        self._dimension = dimension

    @property
    def name(self) -> str:
        """Return the model and the server that gives it."""
        return f"openai:{self._model}@{self._poster.host}"

    @property
    def dimension(self) -> int:
        """Return the number of components; asks the server for one vector where none has been seen.

        Raises:
            EmbeddingUnavailable: as :meth:`embed`.
        """
        return self._dimension or self._ask(["dimension"]).shape[1]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of unit length for each text, ``[n, dimension]``.

        Raises:
            EmbeddingUnavailable: the server cannot be reached, refuses, or answers what cannot be used.
            InvalidInput: a text holds a lone surrogate; the message names its position in ``texts``.
        """
        check_texts(texts)
        answers = [(batch, self._ask([texts[place] for place in batch])) for batch in _batches(texts)]
        found = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for batch, rows in answers:
            found[batch] = rows
        return found

    def _ask(self, texts: list[str]) -> Vectors:
        body = json.dumps({"model": self._model, "input": texts, "encoding_format": "float"}).encode()
        answer = self._poster.post("/embeddings", body)
        rows = read_rows(answer, len(texts), self._dimension, self._poster.described)
        self._dimension = rows.shape[1]
        return rows


def _batches(texts: Sequence[str]) -> Iterator[list[int]]:
    """Yield the places of the texts that are not blank, in order, as many at once as a request may hold."""
    batch: list[int] = []
    held = 0
    for place, text in enumerate(texts):
        if not text.strip():
            continue
        if batch and (len(batch) == BATCH_TEXTS or held + len(text) > BATCH_CHARACTERS):
            yield batch
            batch, held = [], 0
        batch.append(place)
        held += len(text)
    if batch:
        yield batch
