"""Answers from the environment of sentence-transformers: vectors of the texts that come as JSON on standard input.

Run by ``minilm_reference.py`` in an environment of its own, with every way to the network closed.
"""

from __future__ import annotations

import hashlib
import json
import socket
import sys
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn

from marskg.embedding.transformers import SentenceTransformersEmbedding
from marskg.errors import EmbeddingUnavailable

MADE_BY = ("sentence-transformers", "transformers", "tokenizers", "torch")


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
        "versions": {name: version(name) for name in MADE_BY},
        "weights_sha256": hashlib.sha256((Path(request["folder"]) / "model.safetensors").read_bytes()).hexdigest(),
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
