"""Answers from the environment of sentence-transformers: vectors of the texts that come as JSON on standard input.

Run by ``test_sentence_transformers.py`` in an environment of its own, with every way to the network closed.
"""

from __future__ import annotations

import json
import socket
import sys
from typing import NoReturn

from marskg.embedding.transformers import SentenceTransformersEmbedding
from marskg.errors import EmbeddingUnavailable


def refuse(*_: object) -> NoReturn:
    """Stand where the network was."""
    message = "a call to the network that nobody allowed"
    raise AssertionError(message)


def main() -> None:
    """Answer one request."""
    socket.socket.connect = refuse  # type: ignore[method-assign]  # a wall around the libraries
    socket.getaddrinfo = refuse  # type: ignore[assignment]  # and around the names
    request = json.load(sys.stdin)
    model = SentenceTransformersEmbedding(request["folder"])
    answer = {
        "name": model.name,
        "dimension": model.dimension,
        "vectors": model.embed(request["texts"]).tolist(),
        "none": list(model.embed([]).shape),
        "unknown": unavailable("no-such-organisation/no-such-model"),
        "folder": unavailable(request["empty"]),
    }
    json.dump(answer, sys.stdout)


def unavailable(model: str) -> str:
    """Return what is said of a model that is not there."""
    try:
        SentenceTransformersEmbedding(model).embed(["a"])
    except EmbeddingUnavailable as error:
        return str(error)
    return "it was loaded"


if __name__ == "__main__":
    main()
