"""All of a write that can be worked out before its transaction, once, outside of the tenant's lock.

Guarantees: a draft is checked once; its sensitivity, topics, weight and vector, what its text names, and the digests by
which it would be refused, are there before any lock is taken, so that a long text holds up nobody but its own writer;
what is prepared changes nothing in the store.
Source: architecture page, "One write".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from marskg.clock import MAX_MS
from marskg.config import duration_ms
from marskg.drafts import Draft, EntityRef, enumeration
from marskg.errors import InvalidMemory
from marskg.language.en.topics import renewed_topics, topics_of
from marskg.ontology.vocabulary import EdgeType, SourceType
from marskg.store.graph.admit import Prepared
from marskg.store.graph.amend import words_of
from marskg.store.graph.recognition import naming
from marskg.store.graph.suppression import Compared, Digests
from marskg.store.graph.validation import check_allowed, check_draft, check_fits, check_integer, check_text, ids_of
from marskg.store.ingest.not_kept import NotKeeping, refusal
from marskg.store.upkeep.reweigh import require_weighed
from marskg.weight import RULE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from marskg.records import Memory
    from marskg.store.commit.writer import Writer
    from marskg.store.graph.recognition import Foreseen, Recognition
    from marskg.store.graph.suppression import TextDigests
    from marskg.store.unit.sensitivity import Sensed
    from marskg.store.unit.vectors import MadeBy, Vectoriser
    from marskg.weight import TokenCounter

#: Drafts that are prepared together, and go into one transaction.
BATCH: Final = 170
#: Characters from which a text is not read for entities while others wait: some ten milliseconds. Shorter ones of a
#: batch are read when their turn comes, as what one draft names the next one may know.
_LONG: Final = 2_000
#: Tokens of the texts that go into one transaction, unless one text alone has more: what is read of them while others
#: wait takes some fifty milliseconds.
_HEAVIEST: Final = 6_000

#: Fields that take one text in the place of several.
_SEVERAL: Final = (
    "subjects",
    "purpose",
    "intent_tags",
    "derives_from",
    "depends_on",
    "requires",
    "attaches_to_goal",
    "contradicts",
)


def draft_of(given: Mapping[str, Any], now: int) -> Draft:
    """Return the draft of a memory by its fields, which was said ``now`` (epoch milliseconds) if no time is given.

    What is given in short (one id in the place of several, milliseconds, the name of an entity) is written out.

    Raises:
        InvalidMemory: a kind or an edge has no such name, or a set of texts is none.
    """
    fields, ttl = dict(given), given["ttl"]
    for name in _SEVERAL:
        fields[name] = ids_of(fields[name])
    if fields["at"] is None:
        fields["at"] = now
    if ttl is not None and not isinstance(ttl, str):
        fields["ttl"] = f"{check_integer('ttl', ttl, 1)}ms"
    fields["payload"] = dict(given["payload"] or {})
    fields["edges"] = tuple((enumeration(EdgeType, "edge type", type_), target) for type_, target in given["edges"])
    fields["mentions"] = tuple(one if isinstance(one, EntityRef) else EntityRef(one) for one in given["mentions"])
    return Draft(ref="", **fields)


@dataclass(frozen=True, slots=True)
class Assessment:
    """How sensitive what comes in is, and what users' wishes make of it: given from above the store."""

    #: Reads what many drafts are about at once, for ``assess`` of each of them soon.
    foresee: Callable[[Sequence[Draft]], None]
    #: Returns a checked draft with its sensitivity and with what wishes give it.
    assess: Callable[[Draft], Draft]
    #: Returns how sensitive a memory would be with another text.
    measure: Callable[[Memory, str], Sensed | None]


@dataclass(frozen=True, slots=True)
class PreparedText:
    """A new text for a memory with what was worked out before the transaction."""

    content: str
    weight: int
    embedding: str | None
    made_by: MadeBy | None
    sensed: Sensed | None = None
    #: The intent tags of the memory with this text; None for a part of a text.
    tags: tuple[str, ...] | None = None
    #: What is read for names; None where nothing is looked for, or for a part of a text that was read before.
    draft: Draft | None = None
    foreseen: Foreseen | None = None
    #: The digests by which it would be refused, where anything was ever erased.
    digests: TextDigests | None = None
    #: The words of the text that it takes the place of, and its own.
    words: tuple[str, str] | None = None


ReadT = TypeVar("ReadT", Prepared, PreparedText)


class Preparation:
    """Prepares what one tenant takes in."""

    def __init__(
        self,
        writer: Writer,
        counter: TokenCounter,
        vectoriser: Vectoriser,
        recognition: Recognition,
        assessment: Assessment,
    ) -> None:
        """Weigh with ``counter``, make vectors with ``vectoriser``, find entities, measure by ``assessment``."""
        self._writer = writer
        self._counter = counter
        self._vectoriser = vectoriser
        self._recognition = recognition
        self._assessment = assessment
        self._permit: Callable[[Draft], None] | None = None
        self.keeping = NotKeeping(writer)

    def limit(self, permit: Callable[[Draft], None]) -> None:
        """Ask ``permit`` about each draft as it is given, before anything is worked out for it."""
        self._permit = permit

    def one(self, draft: Draft, node_id: str | None = None) -> Prepared:
        """Return a checked draft with all that its transaction needs; ``node_id`` is an id of the caller's own.

        Raises:
            InvalidMemory: its time to live is no duration.
            MemoryTooLarge: it is heavier than a budget that it counts against.
        """
        (found,) = self._prepared([self._assessment.assess(draft)], alone=True)
        return replace(found, id=node_id)

    def again(self, prepared: ReadT) -> ReadT:
        """Return what is prepared with its text read anew, as the store's answers have changed since."""
        return replace(prepared, foreseen=self._foreseen(prepared.draft))

    @staticmethod
    def settled(prepared: ReadT) -> ReadT:
        """Return what is prepared with what its text was found to name for good, although others come meanwhile."""
        foreseen = prepared.foreseen
        return prepared if foreseen is None else replace(prepared, foreseen=replace(foreseen, settled=True))

    def batches(self, drafts: Iterable[Draft], *, atomic: bool) -> Iterator[list[Prepared]]:
        """Yield prepared drafts in batches that are small beside the budget and soon written, or all at once.

        A long text begins a batch: none before it changes what it names.

        Raises:
            InvalidMemory, MemoryTooLarge: as :meth:`one`; the batches before it were given.
        """
        limit = max(1, min(self._writer.state.budget // 4, _HEAVIEST))
        batch: list[Prepared] = []
        weight = 0
        for place, prepared in enumerate(self._all(drafts), 1):
            full = weight + prepared.weight > limit or len(batch) >= BATCH or is_long(prepared.draft)
            if not atomic and batch and full:
                yield batch
                batch, weight = [], 0
            batch.append(replace(prepared, place=place))
            weight += prepared.weight
        if batch:
            yield batch

    def version(self, node_id: str, content: str, changes: Mapping[str, Any]) -> PreparedText:
        """Return a new text for the memory ``node_id``, which has ``changes`` besides.

        Raises:
            InvalidMemory, MemoryTooLarge: it cannot be stored.
            NotKept: it is a user's, who asks in the new text that it is not kept.
            UnknownMemory: there is no such memory.
        """
        check_text("content", content, limit=self._writer.state.settings.max_content_bytes)
        if self._writer.state.weighed_by < RULE:
            require_weighed(self._writer)
        memory = self._writer.new_unit(self._writer.read, self._writer.state).node(node_id).memory
        asked = self.keeping.asked_in(content) if memory.source_type is SourceType.CHAT_USER else None
        if asked is not None:
            raise refusal(asked)
        text = self.text(content)
        check_fits(text.weight, self._writer.state.budget)
        changed = replace(memory, **changes)
        tags = renewed_topics(changed.intent_tags, memory.content or "", content)
        suppressing = self._writer.state.suppressing
        digests = self._digests(replace(changed, content=content), text.weight) if suppressing else None
        text = replace(text, sensed=self._assessment.measure(changed, content), tags=tags, digests=digests)
        if not self._recognition.reads(self._writer.state.settings.entities):
            return text
        draft = naming(memory, content)
        words = (words_of(memory.content or ""), words_of(content))
        return replace(text, draft=draft, foreseen=self._foreseen(draft), words=words)

    def text(self, content: str) -> PreparedText:
        """Return a text with its weight and its vector."""
        made_by, (embedding,) = self._vectoriser.packed_for_write([content])
        return PreparedText(content, max(1, self._counter.count(content)), embedding, made_by)

    def _all(self, drafts: Iterable[Draft]) -> Iterator[Prepared]:
        """Yield prepared drafts, worked out in chunks of a batch."""
        try:
            for chunk in in_chunks(drafts, BATCH):
                for draft in chunk:
                    self.check(draft)
                self._assessment.foresee(chunk)
                yield from self._prepared([self._assessment.assess(draft) for draft in chunk], alone=False)
        finally:
            self._assessment.foresee(())

    def check(self, draft: Draft, node_id: str | None = None) -> None:
        """Check a draft before its text is read: a detector or a tokenizer says less of what is wrong with it.

        Raises:
            InvalidMemory: a field, or ``node_id``, an id of the caller's own, is missing, unknown or out of range.
        """
        if node_id is not None:
            check_text("id", node_id)
        check_draft(draft, self._writer.state.settings.max_content_bytes)
        if self._permit is not None:
            self._permit(draft)

    def _prepared(self, drafts: Sequence[Draft], *, alone: bool) -> list[Prepared]:
        """Return assessed drafts with weights and vectors, and with what they name if they are long or come alone."""
        weights = self._counter.count_many([draft.content for draft in drafts])
        found = [self._weighed(draft, tokens) for draft, tokens in zip(drafts, weights, strict=True)]
        wanted = [place for place, draft in enumerate(drafts) if draft.action == "remember"]
        made_by, packed = self._vectoriser.packed_for_write([drafts[place].content for place in wanted])
        for place, vector in zip(wanted, packed, strict=True):
            draft = drafts[place]
            foreseen = self._foreseen(draft) if alone or is_long(draft) else None
            found[place] = replace(found[place], embedding=vector, made_by=made_by, foreseen=foreseen)
        return found

    def _weighed(self, draft: Draft, tokens: int) -> Prepared:
        weight = max(1, tokens)
        state = self._writer.state
        if state.weighed_by < RULE:
            require_weighed(self._writer)
        settings = state.settings
        check_fits(weight, settings.budget)
        if draft.action == "remember":
            check_allowed(weight, settings.partitions.quotas, draft.subjects, draft.session)
        ttl = None
        if draft.ttl is not None:
            ttl = duration_ms(draft.ttl)
            if ttl is None or ttl > MAX_MS:
                msg = f"ttl {draft.ttl[:20]!r} is no duration; write for example 30d, 24h, 90m or 10s"
                raise InvalidMemory(msg)
        topics = topics_of(draft.content) if draft.action == "remember" and not draft.intent_tags else ()
        asked = draft.action == "remember" and self._writer.state.suppressing
        digests = self._digests(draft, weight) if asked else None
        return Prepared(draft, weight, ttl, topics, digests=digests)

    def _digests(self, incoming: Draft | Memory, weight: int) -> TextDigests:
        texts = Compared.of(incoming, weight, self._counter)
        return Digests(self._writer.services.handle, self._writer.tenant).of_texts(texts)

    def _foreseen(self, draft: Draft | None) -> Foreseen | None:
        if draft is None:
            return None
        writer = self._writer
        state = writer.state
        return self._recognition.foresee(
            draft, state.settings.entities, writer.shared.caches.names, state.name, writer.read
        )


def is_long(draft: Draft | None) -> bool:
    """Return whether reading a draft's text for what it names takes so long that nobody should wait for it."""
    return draft is not None and len(draft.content) >= _LONG


def in_chunks(items: Iterable[Draft], size: int) -> Iterator[list[Draft]]:
    """Yield ``items`` in lists of ``size``, the last of which may be shorter."""
    chunk: list[Draft] = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
