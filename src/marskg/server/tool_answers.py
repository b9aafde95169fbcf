"""What tools answer: frozen records whose fields are the schema that clients are told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from marskg.errors import NotKept

if TYPE_CHECKING:
    from marskg.learning.feedback import Feedback
    from marskg.records import Memory, Plan
    from marskg.retrieval.assembly.hits import Hits
    from marskg.retrieval.complete.subject_profile import SubjectProfile


@dataclass(frozen=True)
class Stored:
    """A memory that was written: its id, its weight in tokens, and what the store had to tell."""

    id: str
    kind: str
    tokens: int
    notices: list[str]

    @classmethod
    def of(cls, memory: Memory) -> Stored:
        """Return what is told of ``memory``."""
        return cls(memory.id, memory.kind.value, memory.weight, list(memory.notices))


@dataclass(frozen=True)
class Shown:
    """One memory; times are epoch milliseconds, ``source`` is who says it."""

    id: str
    kind: str
    content: str
    source: str
    subjects: list[str]
    key: str | None
    session: str | None
    valid_from: int
    valid_to: int | None
    expires_at: int | None
    status: str | None
    metadata: dict[str, Any] | None

    @classmethod
    def of(cls, memory: Memory) -> Shown:
        """Return what is told of ``memory``."""
        return cls(
            id=memory.id,
            kind=memory.kind.value,
            content=memory.content or "",
            source=memory.source_type.value,
            subjects=list(memory.subjects),
            key=memory.key,
            session=memory.session,
            valid_from=memory.valid_from,
            valid_to=memory.valid_to,
            expires_at=memory.expires_at,
            status=None if memory.status is None else memory.status.value,
            metadata=None if memory.metadata is None else dict(memory.metadata),
        )


@dataclass(frozen=True)
class Versions:
    """The versions of a memory, the oldest first; the current one alone where no history was asked for."""

    versions: list[Shown]


@dataclass(frozen=True)
class Recalled:
    """What answers a question: text for a prompt, its ids best first, its tokens, how sure it is that it bears on it.

    The first ``certain`` of the ids are sure to; the others perhaps do not, and the text says so. ``text`` is empty
    where nothing is shown. ``retrieval_id`` is what ``feedback`` takes; ``left_out`` counts what was
    found and did not fit or was not needed.
    """

    text: str
    retrieval_id: str | None
    ids: list[str]
    certain: int
    tokens: int
    confidence: float | None
    left_out: int
    notices: list[str]

    @classmethod
    def of(cls, hits: Hits) -> Recalled:
        """Return what is told of ``hits``."""
        ids = [hit.memory.id for hit in hits]
        certain, left_out = sum(hit.certain for hit in hits), len(hits.left_out)
        return cls(hits.as_text(), hits.id, ids, certain, hits.tokens, hits.confidence, left_out, list(hits.notices))


@dataclass(frozen=True)
class Known:
    """One thing that holds of somebody; ``since`` is epoch milliseconds, ``sources`` are ids of what says it."""

    id: str
    text: str
    key: str | None
    since: int
    sources: list[str]


@dataclass(frozen=True)
class Part:
    """A part of somebody's life and what is known of it."""

    name: str
    title: str
    entries: list[Known]


@dataclass(frozen=True)
class Profiled:
    """Who somebody is: text for a prompt, its tokens, and the same by sections; ``cut`` counts what had no room.

    ``text`` is empty where nothing is shown. ``retrieval_id`` is what ``feedback`` takes.
    """

    text: str
    subject: str | None
    retrieval_id: str | None
    tokens: int
    sections: list[Part]
    cut: int
    notices: list[str]

    @classmethod
    def of(cls, found: SubjectProfile) -> Profiled:
        """Return what is told of a profile."""
        parts = [
            Part(
                one.name,
                one.title,
                [Known(entry.id, entry.text, entry.key, entry.since, list(entry.sources)) for entry in one.entries],
            )
            for one in found
        ]
        return cls(found.as_text(), found.subject, found.id, found.tokens, parts, len(found.cut), list(found.notices))


@dataclass(frozen=True)
class Told:
    """An explanation in sentences, one a line."""

    text: str


@dataclass(frozen=True)
class Taken:
    """What became of the memories that feedback was about: ids by outcome."""

    used: list[str]
    unused: list[str]
    contradicted: list[str]
    put_aside: list[str]


@dataclass(frozen=True)
class Planned:
    """What forgetting would do: nothing is changed yet. ``forget`` takes ``plan_id`` and the words of ``confirm``."""

    plan_id: str
    confirm: str
    actions: list[dict[str, str]]
    weight_before: int
    weight_after: int
    budget: int


@dataclass(frozen=True)
class Forgotten:
    """What a plan did."""

    actions: int
    weight: int


def taken(said: Feedback) -> Taken:
    """Return what is told of feedback."""
    found: dict[str, list[str]] = {"used": [], "unused": [], "contradicted": []}
    for one in said.assessed:
        found.setdefault(one.outcome.value, []).append(one.id)
    return Taken(found["used"], found["unused"], found["contradicted"], list(said.aside))


def confirmation(plan: Plan) -> str:
    """Return the words that confirm a plan; they say what it does."""
    return f"forget {len(plan.actions)} memories, {plan.weight_before - plan.weight_after} tokens"


def kept(memory: Memory) -> Memory:
    """Return a memory that was stored.

    Raises:
        NotKept: the user asked that it is not, so that there is none.
    """
    if memory.content is None:
        raise NotKept(memory.notices[0])
    return memory
