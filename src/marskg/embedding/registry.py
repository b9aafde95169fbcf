"""The embedding models by the words that choose them, in a call, a setting or a command.

Guarantees: choosing loads nothing and asks nobody; that happens at the first text. A word that chooses nothing is an
:class:`~marskg.errors.InvalidConfig` that lists what there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

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
SPECS: Final = ("static", "e5", "minilm", "sentence-transformers:<path or name>", "openai:<model>@<base url>", "none")
DEFAULT: Final = "static"
#: Where the key of an endpoint comes from; it is never stored.
KEY_VARIABLE: Final = "MARS_EMBEDDING_KEY"


def load_model(spec: str = DEFAULT, environment: Mapping[str, str] | None = None) -> EmbeddingModel | None:
    """Return the model that ``spec`` chooses, not yet loaded; None for ``none``.

    Args:
        spec: one of :data:`SPECS`.
        environment: where an endpoint's key is, as ``MARS_EMBEDDING_KEY``; the process's if left out.

    Raises:
        InvalidConfig: ``spec`` chooses nothing, or an endpoint's address or key cannot be used.
    """
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
    if spec == "static":
        return StaticEmbedding()
    if spec == "e5":
        return E5()
    if spec == "minilm":
        return MiniLM()
    if spec == "none":
        return None
    # Not repeated as given: somebody may have put a key into it.
    msg = f"unknown embedding{f' of the kind {kind!r}' if kind.isalpha() else ''}: use {', '.join(SPECS)}"
    raise InvalidConfig(msg)
