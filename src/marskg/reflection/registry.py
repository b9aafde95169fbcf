"""The summarisers by the words that choose them in the settings.

Guarantees: choosing asks nobody; that happens at the first summary. A word that chooses nothing is an
:class:`~marskg.errors.InvalidConfig` that lists what there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.errors import InvalidConfig, SummariserUnavailable
from marskg.models.chat import ChatModel
from marskg.models.endpoint_spec import endpoint
from marskg.models.http_client import Limits
from marskg.reflection.extractive import ExtractiveSummariser
from marskg.reflection.language_model import LanguageModelSummariser

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.reflection.summariser import Counter, Summariser

EXTRACTIVE: Final = "extractive"
#: What :func:`load_summariser` understands, in the words of the documents.
SPECS: Final = (EXTRACTIVE, "openai:<model>@<base url>")
#: Where the key of a model comes from; it is never stored.
KEY_VARIABLE: Final = "MARS_SUMMARISER_KEY"
#: A summary is a page at most, and somebody waits for it.
_LIMITS: Final = Limits(seconds=30.0, tries=2, pause=0.5, answer_bytes=1 << 20)


def load_summariser(spec: str, counter: Counter, environment: Mapping[str, str] | None = None) -> Summariser:
    """Return the summariser that ``spec`` chooses.

    Args:
        spec: one of :data:`SPECS`.
        counter: weighs what is written.
        environment: where the key of a model is, as ``MARS_SUMMARISER_KEY``; the process's if left out.

    Raises:
        InvalidConfig: ``spec`` chooses nothing, or a model's address or key cannot be used.
    """
    extractive = ExtractiveSummariser(counter)
    if spec == EXTRACTIVE:
        return extractive
    if found := endpoint(
        spec,
        "openai",
        what="the summarising model",
        key_variable=KEY_VARIABLE,
        failure=SummariserUnavailable,
        environment=environment,
        limits=_LIMITS,
    ):
        chat = ChatModel(*found, counter, setting="reflection.summariser")
        return LanguageModelSummariser(chat, counter, extractive)
    # Not repeated as given: somebody may have put a key into it.
    msg = f"unknown summariser: use {' or '.join(SPECS)} for reflection.summariser"
    raise InvalidConfig(msg)
