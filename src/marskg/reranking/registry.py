"""The rerankers by the words that choose them in the settings.

Guarantees: choosing loads nothing and asks nobody; that happens at the first question. A word that chooses nothing is
an :class:`~marskg.errors.InvalidConfig` that lists what there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.errors import InvalidConfig, RerankerUnavailable
from marskg.models.endpoint_spec import endpoint
from marskg.models.http_client import Limits
from marskg.reranking.cross_encoder import CrossEncoderReranker
from marskg.reranking.endpoint import EndpointReranker

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.reranking.model import Reranker

#: What :func:`load_reranker` understands, in the words of the documents.
SPECS: Final = ("none", "sentence-transformers:<path or name>", "rerank:<model>@<base url>")
#: Where the key of an endpoint comes from; it is never stored.
KEY_VARIABLE: Final = "MARS_RERANKER_KEY"
#: Somebody waits for the answer, which is there without the reranker, too.
LIMITS: Final = Limits(seconds=5.0, tries=2, pause=0.2, answer_bytes=1 << 20, whole=8.0)


def load_reranker(spec: str, environment: Mapping[str, str] | None = None) -> Reranker | None:
    """Return the reranker that ``spec`` chooses, not yet loaded; None for ``none``.

    Args:
        spec: one of :data:`SPECS`.
        environment: where an endpoint's key is, as ``MARS_RERANKER_KEY``; the process's if left out.

    Raises:
        InvalidConfig: ``spec`` chooses nothing, or an endpoint's address or key cannot be used.
    """
    if spec == "none":
        return None
    kind, _, rest = spec.partition(":")
    if kind == "sentence-transformers" and rest.strip():
        return CrossEncoderReranker(rest)
    if found := endpoint(
        spec,
        "rerank",
        what="the reranking endpoint",
        key_variable=KEY_VARIABLE,
        failure=RerankerUnavailable,
        environment=environment,
        limits=LIMITS,
    ):
        return EndpointReranker(*found)
    # Not repeated as given: somebody may have put a key into it.
    msg = f"unknown reranker: use {' or '.join(SPECS)} for retrieval.reranker"
    raise InvalidConfig(msg)
