"""Any server with a ``/rerank`` as Cohere, Jina, vLLM, llama.cpp and Infinity have it.

Guarantees: an answer is used only if it has one finite number for each text; what the server may cost in time and size
is limited (:mod:`marskg.models.http_client`). Neither key, question nor text is in any message.
Source: Cohere API reference, "Rerank" (v2): ``model``, ``query``, ``documents``; ``results`` of ``index`` and
``relevance_score``. Voyage calls the list ``data``.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from marskg.errors import InvalidConfig, RerankerUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.models.http_client import Poster


class EndpointReranker:
    """``rerank:<model>@<base url>``: a cross-encoder behind an HTTP endpoint."""

    leaves = True

    def __init__(self, model: str, poster: Poster) -> None:
        """Address ``model``, below whose base URL ``/rerank`` is; send nothing yet.

        Raises:
            InvalidConfig: the model's name is empty or cannot be printed.
        """
        if not model.strip() or not model.isprintable():
            msg = "a reranking endpoint needs the name of its model: rerank:MODEL@URL"
            raise InvalidConfig(msg)
        self._model = model
        self._poster = poster

    @property
    def name(self) -> str:
        """Return the model and the server that runs it."""
        return f"rerank:{self._model}@{self._poster.host}"

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return a score for each text, in their order.

        Raises:
            RerankerUnavailable: the server cannot be reached, refuses, or answers what cannot be used.
        """
        asked = {"model": self._model, "query": question, "documents": list(texts), "top_n": len(texts)}
        answer = self._poster.post("/rerank", json.dumps(asked).encode())
        found = self._read(answer, len(texts))
        if found is None:
            msg = (
                f"{self._poster.described} answered something else than a score for each text: check that the base "
                "URL is that of a server with /rerank, and that the model is a reranker"
            )
            raise RerankerUnavailable(msg)
        return found

    def _read(self, answer: bytes, count: int) -> list[float] | None:
        """Return the scores of an answer by the place of their texts, None where it is none."""
        try:
            document = json.loads(answer)
            items = document["results"] if "results" in document else document["data"]
            pairs = {item["index"]: item["relevance_score"] for item in items}
        except (ValueError, KeyError, TypeError, RecursionError):
            return None
        if len(items) != count or any(type(score) not in {int, float} for score in pairs.values()):
            return None
        try:
            found = [float(pairs[place]) for place in range(count)]
        except (KeyError, OverflowError):
            return None
        return found if all(map(math.isfinite, found)) else None
