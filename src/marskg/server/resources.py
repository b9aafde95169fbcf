"""What travels over HTTP: bodies that are taken, as strict models, and answers that the tools do not have."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from marskg.api.operations import default_of
from marskg.late_regex import late_regex
from marskg.server.tool_answers import Shown

if TYPE_CHECKING:
    from starlette.datastructures import Headers

    from marskg.records import Memory
    from marskg.retrieval.assembly.hits import Hits

_MOST_TOKENS = 100_000
_TAG: Final = late_regex(r'(W/)?("[^"]*")')


class _Strict(BaseModel):
    """A body whose fields are all known and of their own type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NewMemory(_Strict):
    """A memory to keep; a key names a slot whose value it supersedes; ``at`` is ISO 8601 with a zone.

    ``source`` is who says it, as far as the caller may claim it. ``keep`` stores it although the user asks that it is
    not kept.
    """

    content: str
    kind: str = default_of("remember", "kind")
    subjects: list[str] = Field(default_factory=list)
    key: str | None = None
    session: str | None = None
    at: str | None = None
    tags: list[str] = Field(default_factory=list)
    metadata: dict[str, Any] | None = None
    source: str | None = None
    keep: bool = False


class NewContent(_Strict):
    """The text that supersedes a memory's; its ``metadata`` stays if left out, and goes with ``{}``."""

    content: str
    metadata: dict[str, Any] | None = None


class Question(_Strict):
    """What is asked, within how many tokens; ``as_of`` is ISO 8601 with a zone; an empty list names nobody.

    ``metadata`` is what has to be in that of a memory, by names or dotted paths.
    """

    query: str
    max_tokens: int = Field(1000, ge=1, le=_MOST_TOKENS)
    subjects: list[str] | None = None
    kinds: list[str] | None = None
    sources: list[str] | None = None
    metadata: dict[str, Any] | None = None
    as_of: str | None = None
    min_confidence: float | None = Field(None, ge=0, le=1)


class Person(_Strict):
    """Whom a profile is of, within how many tokens; who speaks where no ``subject`` is given.

    ``as_of`` is ISO 8601 with a zone.
    """

    subject: str | None = None
    max_tokens: int = Field(1000, ge=1, le=_MOST_TOKENS)
    as_of: str | None = None


class Judgement(_Strict):
    """What became of what a search showed: ids by outcome, and what the user complained of."""

    retrieval_id: str
    used: list[str] = Field(default_factory=list)
    unused: list[str] = Field(default_factory=list)
    contradicted: list[str] = Field(default_factory=list)
    complaint: str | None = None


@dataclass(frozen=True)
class Found:
    """One memory that answers: its score, the tokens that it takes in the text, and whether it is certain to bear.

    ``newer`` is the id of a memory that perhaps outdates it.
    """

    score: float
    tokens: int
    shortened: bool
    certain: bool
    newer: str | None
    memory: Shown


@dataclass(frozen=True)
class Answered:
    """The text for a prompt and what it is made of; ``left_out`` counts what was found and is not in it."""

    text: str
    retrieval_id: str | None
    hits: list[Found]
    tokens: int
    confidence: float | None
    left_out: int
    notices: list[str]

    @classmethod
    def of(cls, hits: Hits) -> Answered:
        """Return what is told of ``hits``."""
        found = [
            Found(one.score, one.tokens, one.shortened, one.certain, one.newer, Shown.of(one.memory)) for one in hits
        ]
        return cls(
            text=hits.as_text(),
            retrieval_id=hits.id,
            hits=found,
            tokens=hits.tokens,
            confidence=hits.confidence,
            left_out=len(hits.left_out),
            notices=list(hits.notices),
        )


@dataclass(frozen=True)
class Problem:
    """A problem as RFC 9457 has it."""

    type: str
    title: str
    status: int
    detail: str


def etag(memory: Memory) -> str:
    """Return the tag of what this caller is shown of ``memory``: it changes when that does, and tells no more."""
    told = json.dumps(asdict(Shown.of(memory)), sort_keys=True, default=str)
    return f'"{hashlib.sha256(told.encode()).hexdigest()[:32]}"'


def unmet(headers: Headers, tag: str, *, reads: bool) -> HTTPStatus | None:
    """Return what a request is answered whose conditions what has ``tag`` does not meet; None where it meets them."""
    wanted, unwanted = headers.getlist("if-match"), headers.getlist("if-none-match")
    if wanted and not _names(wanted, tag, weakly=False):
        return HTTPStatus.PRECONDITION_FAILED
    if unwanted and _names(unwanted, tag, weakly=True):
        return HTTPStatus.NOT_MODIFIED if reads else HTTPStatus.PRECONDITION_FAILED
    return None


def _names(given: list[str], tag: str, *, weakly: bool) -> bool:
    text = ",".join(given).strip()
    return text == "*" or any(one == tag and (weakly or not weak) for weak, one in _TAG.findall(text))
