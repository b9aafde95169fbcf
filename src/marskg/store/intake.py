"""From drafts to committed memories: one at a time, or many in transactions of some hundred.

Guarantees: a draft is checked and weighed before any transaction is opened; what expired is swept before anything new
is written; a batch is whole or absent, and after an interruption the batches before it are there.
"""

from __future__ import annotations

from collections import ChainMap
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from marskg.clock import MAX_MS
from marskg.config import duration_ms
from marskg.errors import BudgetInfeasible, InvalidMemory, NotPermitted
from marskg.ontology.vocabulary import Kind, TaskStatus
from marskg.store import amend, codec, maintenance
from marskg.store.admission import check_allowed, check_draft, check_fits, check_iri, check_text
from marskg.store.forgotten import NOT_STORED, without_forgotten
from marskg.store.pipeline import Pipeline
from marskg.store.remember import Prepared, admit, check_new_id, retract
from marskg.store.vectors import WITHOUT_VECTOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, MutableMapping

    from marskg.drafts import Draft
    from marskg.records import Memory
    from marskg.store.recognition import Recognition
    from marskg.store.sensed import Sensed
    from marskg.store.unit import Unit
    from marskg.store.vectors import Vectoriser
    from marskg.store.writer import Writer
    from marskg.weight import TokenCounter

#: Drafts in one transaction.
BATCH = 170


class Intake:
    """Takes drafts for one tenant."""

    def __init__(
        self,
        writer: Writer,
        counter: TokenCounter,
        vectoriser: Vectoriser,
        recognition: Recognition,
        measure: Callable[[Memory, str], Sensed | None] | None = None,
    ) -> None:
        """Write through ``writer``; weigh with ``counter``; make vectors with ``vectoriser``; find entities.

        ``measure`` says how sensitive a new text of a memory is.
        """
        self._measure = measure
        self._recognition = recognition
        self._writer = writer
        self._counter = counter
        self._vectoriser = vectoriser

    def one(self, draft: Draft, node_id: str | None = None) -> Memory:
        """Store one draft; ``node_id`` is an id of the caller's own."""
        if node_id is not None:
            check_iri("id", node_id)
            if not node_id.startswith("urn:uuid:"):
                msg = f"id {node_id[:60]!r} must begin with urn:uuid:, in the form that RFC 9562 gives"
                raise InvalidMemory(msg)
        self._check(draft)
        prepared = self._prepare(draft, self._counter.count(draft.content), node_id)
        (prepared,) = self._with_vectors([prepared])
        maintenance.settle(self._writer)

        def work(unit: Unit) -> Memory:
            if node_id is not None:
                check_new_id(unit, node_id)
            self._recognition.look_up(unit, (draft,))
            return admit(unit, _with(prepared, self._recognition.completed(unit, draft)), {})

        memory = self._writer.run(work)
        if self._vectoriser.wanted and prepared.embedding is None:
            return replace(memory, notices=(*memory.notices, WITHOUT_VECTOR))
        return memory

    def many(self, drafts: Iterable[Draft], *, progress: Callable[[int], None] | None, atomic: bool) -> int:
        """Store what a reader yields; returns how many drafts were done.

        Those that make no sense without something that was forgotten meanwhile are not among them.
        """
        maintenance.settle(self._writer)
        refs: MutableMapping[str, str] = {}
        total = read = 0

        def done(result: _Done) -> None:
            nonlocal total, read
            total += result.stored
            read += result.read
            refs.update(result.refs)
            if progress is not None:
                progress(read)

        with Pipeline[_Done](self._writer) as pipeline:
            for batch in self._batches(drafts, atomic=atomic):
                self._push(pipeline, batch, refs, done, splittable=not atomic)
        return total

    def new_version(self, node_id: str, content: str) -> Memory:
        """Store a new text for a memory, as a node that supersedes it."""
        check_text("content", content, limit=self._writer.state.settings.max_content_bytes)
        weight = max(1, self._counter.count(content))
        check_fits(weight, self._writer.state.budget)
        maintenance.settle(self._writer)
        made_by, (embedding,) = self._vectoriser.packed([content])

        def work(unit: Unit) -> Memory:
            named = self._recognition.reread(unit, unit.node(node_id).memory, content)
            vector = embedding if unit.keeps(made_by) else None
            return amend.new_version(unit, node_id, content, weight, vector, named=named, measure=self._measure)

        return self._writer.run(work)

    def shorten(self, node_id: str, content: str, allowed: Callable[[Unit], bool]) -> bool:
        """Replace a memory by a shorter text if ``allowed`` says so in the transaction; returns whether it did."""
        weight = max(1, self._counter.count(content))
        made_by, (embedding,) = self._vectoriser.packed([content])

        def work(unit: Unit) -> bool:
            if not allowed(unit):
                return False
            amend.shorten(unit, node_id, content, weight, embedding if unit.keeps(made_by) else None)
            return True

        return self._writer.run(work)

    def _check(self, draft: Draft) -> None:
        """Check a draft before its text is weighed: a tokenizer says less of what is wrong with it."""
        check_draft(draft, self._writer.state.settings.max_content_bytes)

    def _prepare(self, draft: Draft, weight: int, node_id: str | None = None) -> Prepared:
        weight = max(1, weight)
        settings = self._writer.state.settings
        check_fits(weight, settings.budget)
        if draft.action == "remember":
            check_allowed(weight, settings.partitions.allowances, draft.subjects, draft.session)
        ttl = None
        if draft.ttl is not None:
            ttl = duration_ms(draft.ttl)
            if ttl is None or ttl > MAX_MS:
                msg = f"ttl {draft.ttl[:20]!r} is no duration; write for example 30d, 24h, 90m or 10s"
                raise InvalidMemory(msg)
        return Prepared(draft, weight, ttl, node_id)

    def _with_vectors(self, prepared: list[Prepared]) -> list[Prepared]:
        """Return drafts with the vectors of what they store, where the model answers."""
        wanted = [place for place, item in enumerate(prepared) if item.draft.action == "remember"]
        made_by, packed = self._vectoriser.packed([prepared[place].draft.content for place in wanted])
        if made_by is None:
            return prepared
        for place, vector in zip(wanted, packed, strict=True):
            prepared[place] = replace(prepared[place], embedding=vector, made_by=made_by)
        return prepared

    def _batches(self, drafts: Iterable[Draft], *, atomic: bool) -> Iterator[list[Prepared]]:
        """Yield checked drafts in batches that stay small beside the budget, or all at once."""
        limit = max(1, self._writer.state.budget // 4)
        batch: list[Prepared] = []
        weight = place = 0
        for chunk in in_chunks(drafts, BATCH):
            for draft in chunk:
                self._check(draft)
            weights = self._counter.count_many([draft.content for draft in chunk])
            weighed = [self._prepare(draft, tokens) for draft, tokens in zip(chunk, weights, strict=True)]
            for item in self._with_vectors(weighed):
                place += 1
                prepared = replace(item, place=place)
                if not atomic and batch and (weight + prepared.weight > limit or len(batch) >= BATCH):
                    yield batch
                    batch, weight = [], 0
                batch.append(prepared)
                weight += prepared.weight
        if batch:
            yield batch

    def _push(
        self,
        pipeline: Pipeline[_Done],
        batch: list[Prepared],
        refs: MutableMapping[str, str],
        done: Callable[[_Done], None],
        *,
        splittable: bool,
    ) -> None:
        """Write a batch in one transaction; one that the budget cannot hold at once goes in halves."""

        def work(unit: Unit) -> _Done:
            # What the batch before this one named may be on its way to the store still.
            before = pipeline.ahead
            local: ChainMap[str, str] = ChainMap({}, *([] if before is None else [before.refs]), refs)
            unit.load_sessions(sorted({item.draft.session or "" for item in batch if item.draft.kind is Kind.EPISODIC}))
            self._recognition.look_up(unit, (item.draft for item in batch))
            stored = sum(self._apply(unit, prepared, local) for prepared in batch)
            return _Done(len(batch), stored, local.maps[0])

        try:
            pipeline.push(work, done)
        except BudgetInfeasible:
            if not splittable or len(batch) == 1:
                raise
            middle = len(batch) // 2
            self._push(pipeline, batch[:middle], refs, done, splittable=True)
            self._push(pipeline, batch[middle:], refs, done, splittable=True)

    def _apply(self, unit: Unit, prepared: Prepared, refs: MutableMapping[str, str]) -> bool:
        """Do what one draft asks for; returns False if it makes no sense any more."""
        draft = prepared.draft
        if draft.action == "remember":
            possible = without_forgotten(unit, draft, refs)
            memory = None
            if possible is not None:
                with _placed(prepared):
                    memory = admit(unit, _with(prepared, self._recognition.completed(unit, possible)), refs)
            if draft.ref:
                refs[draft.ref] = NOT_STORED if memory is None else memory.id
            return memory is not None
        if draft.key is None:
            msg = f"draft {draft.ref[:60]!r} retracts or closes without a key; name the key"
            raise InvalidMemory(msg)
        if draft.action == "retract":
            retract(unit, draft.key, draft.subjects, draft.content or None)
            return True
        closed = close_task(unit, draft.key, draft.subjects, draft.status or TaskStatus.DONE)
        if draft.ref and closed is not None:
            refs[draft.ref] = closed.id
        return True


@dataclass(frozen=True, slots=True)
class _Done:
    """How many drafts a batch had, how many of them were done, and the ids of those that gave themselves a name."""

    read: int
    stored: int
    refs: MutableMapping[str, str]


@contextmanager
def _placed(prepared: Prepared) -> Iterator[None]:
    """Let a refusal say which of many drafts it is about."""
    try:
        yield
    except NotPermitted as error:
        named = f" ({prepared.draft.ref[:60]!r})" if prepared.draft.ref else ""
        msg = f"draft {prepared.place}{named}: {error}"
        raise type(error)(msg) from error


def _with(prepared: Prepared, draft: Draft) -> Prepared:
    return prepared if draft is prepared.draft else replace(prepared, draft=draft)


def close_task(unit: Unit, key: str, subjects: tuple[str, ...], status: TaskStatus) -> Memory | None:
    """Give the current task of a key a status; returns it, or None where there is none."""
    for node in unit.slot(codec.slot_key(unit.state.name, subjects, key)):
        if node.memory.kind is Kind.TASK and node.has_content and node.memory.current:
            return amend.amend_task(unit, node.memory.id, status=status)
    return None


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
