"""From drafts to committed memories: one at a time, or many in transactions of some hundred.

Guarantees: what can be worked out before a transaction is (:mod:`marskg.store.ingest.prepare`); what expired is swept
before anything new is written; a batch is whole or absent, and after an interruption the batches before it are there.
"""

from __future__ import annotations

from collections import ChainMap
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar

from marskg.errors import BudgetInfeasible, ClosureViolation, InvalidMemory, NotPermitted
from marskg.ontology.vocabulary import Kind, TaskStatus
from marskg.records import Stored
from marskg.store.commit.background_writer import Pipeline
from marskg.store.graph import amend
from marskg.store.graph.admit import Prepared, admit, check_new_ids, retract, step_back
from marskg.store.graph.imported_items import came_before, item_id, marks_of
from marskg.store.graph.recognition import still_found
from marskg.store.ingest.dangling_refs import NOT_STORED, without_forgotten
from marskg.store.ingest.not_kept import LeftOut
from marskg.store.ingest.prepare import BATCH, ReadT, in_chunks, is_long
from marskg.store.rows import codec
from marskg.store.unit.retention_classes import ToldOfMany
from marskg.store.unit.unit_of_work import Unit
from marskg.store.unit.vectors import WITHOUT_VECTOR
from marskg.store.upkeep import maintenance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence

    from marskg.drafts import Draft
    from marskg.records import Memory
    from marskg.store.commit.writer import Writer
    from marskg.store.graph.recognition import Recognition
    from marskg.store.ingest.not_kept import NotKeeping
    from marskg.store.ingest.prepare import Preparation, PreparedText
    from marskg.store.unit.vectors import Vectoriser

#: How often a long text is read again outside of the lock, because others changed what it names meanwhile.
_READINGS: Final = 4
NO_CHANGES: Final[Mapping[str, Any]] = MappingProxyType({})

T = TypeVar("T")
#: Refuses, in the open unit, what may not be written; names of earlier drafts stand for the ids that they are given.
Guard: TypeAlias = "Callable[[Unit, Draft, Mapping[str, str]], None]"
#: Returns a unit, unless something would have to be read again while others wait.
_Read: TypeAlias = "Callable[[Unit], Unit]"


class Admit(Protocol):
    """Writes one of the drafts that were prepared together into the open unit."""

    def __call__(self, place: int, node_id: str | None = None, changes: Mapping[str, Any] = NO_CHANGES) -> Memory:
        """Admit the draft at ``place``, from 0, with ``changes`` of its fields; returns the memory."""


class Ingestor:
    """Takes drafts for one tenant."""

    def __init__(
        self, writer: Writer, preparation: Preparation, vectoriser: Vectoriser, recognition: Recognition
    ) -> None:
        """Write through ``writer`` what ``preparation`` worked out; complete texts by ``recognition``."""
        self._writer = writer
        self._preparation = preparation
        self._vectoriser = vectoriser
        self._recognition = recognition
        self._guard: Guard | None = None
        self._owner = ""

    @property
    def keeping(self) -> NotKeeping:
        """Return what looks for turns that ask not to be kept."""
        return self._preparation.keeping

    def limit(self, permit: Callable[[Draft], None], guard: Guard, owner: str) -> None:
        """Ask ``permit`` about each draft as it is given, and ``guard`` in the transaction that writes it.

        So nobody writes in between. The items of an import are those of ``owner``, none of which is taken for
        another's; everybody's if it is empty. Of what an owner's texts and payloads name, names alone are taken.
        """
        self._recognition.limit(names_alone=bool(owner))
        self._preparation.limit(permit)
        self._guard, self._owner = guard, owner

    def one(self, draft: Draft, node_id: str | None = None) -> Memory:
        """Store one draft; ``node_id`` is an id of the caller's own.

        What asks not to be kept is not stored: then the memory that is returned is nowhere, has no content and says so.
        """
        self._preparation.check(draft, node_id)
        nowhere = self.keeping.nowhere(draft, node_id)
        if nowhere is not None:
            return nowhere
        prepared = self._preparation.one(draft, node_id)
        maintenance.settle(self._writer)
        memory = self._reading(
            [prepared], lambda current, read: self._writer.run(lambda unit: self._write(read(unit), current[0]))
        )
        if self._vectoriser.wanted and prepared.made_by is None:
            return replace(memory, notices=(*memory.notices, WITHOUT_VECTOR))
        return memory

    def _reading(self, prepared: Sequence[ReadT], write: Callable[[list[ReadT], _Read], T]) -> T:
        """Return what ``write`` makes of what is prepared.

        It passes each unit through the function that it gets: where long texts would have to be read again while
        others wait, as those changed what they name, they are read again outside of the lock, and it is called anew.
        Others who never leave off are not waited for: then what was read last is taken.
        """
        current = list(prepared)

        def checked(unit: Unit) -> Unit:
            outdated = {
                place
                for place, one in enumerate(current)
                if is_long(one.draft) and one.foreseen is not None and still_found(one.foreseen, unit) is None
            }
            if outdated:
                raise _OutdatedError(outdated)
            return unit

        for _ in range(_READINGS):
            try:
                return write(current, checked)
            except _OutdatedError as error:
                current = [
                    self._preparation.again(one) if place in error.places else one for place, one in enumerate(current)
                ]
        settled = [self._preparation.settled(one) if is_long(one.draft) else one for one in current]
        return write(settled, lambda unit: unit)

    def _write(self, unit: Unit, prepared: Prepared) -> Memory:
        if prepared.id is not None:
            check_new_ids(unit, (prepared.id,), "use update to give a memory a new version, or another id")
        if self._guard is not None:
            self._guard(unit, prepared.draft, {})
        found = still_found(prepared.foreseen, unit)
        return admit(unit, _with(prepared, self._recognition.completed(unit, prepared.draft, found)), {})

    def many(self, drafts: Iterable[Draft], *, progress: Callable[[int], None] | None, atomic: bool) -> Stored:
        """Store what a reader yields; returns how many drafts were done, and what there is to tell of them.

        Those that make no sense without something that was forgotten meanwhile are not among them, nor are items of an
        import that came before, whatever became of them, nor turns that ask not to be kept.
        """
        maintenance.settle(self._writer)
        refs: MutableMapping[str, str] = {}
        total = read = known = reported = 0
        told = ToldOfMany()
        left_out = LeftOut(self.keeping)

        def done(result: _Done) -> None:
            nonlocal total, read, known, told
            total += result.stored
            known += result.known
            told = told.joined(result.told)
            read += result.read
            refs.update(result.refs)

        def report() -> None:
            # Not when a unit is in: another caller's thread may have waited for it, and is not to hear of this one.
            nonlocal reported, progress
            if progress is not None and reported < read + known:
                reported = read + known
                hears, progress = progress, None  # who raises is not called again
                hears(reported)
                progress = hears

        def new() -> Iterator[Draft]:
            nonlocal known
            for chunk in in_chunks(drafts, BATCH):
                before = self._came_before(chunk)
                known += len(before)
                refs.update((chunk[place].ref, ident) for place, ident in before.items())
                coming = [draft for place, draft in enumerate(chunk) if place not in before]
                yield from left_out.kept(coming, atomic=atomic)

        try:
            with Pipeline[_Done](self._writer) as pipeline:
                for batch in self._preparation.batches(new(), atomic=atomic):
                    named = [replace(one, id=self._item_id(one.draft, self._owner)) for one in batch]
                    self._push(pipeline, named, refs, done, splittable=not atomic)
                    report()
        finally:
            report()  # what is kept is told where an interruption ends it, too
        notices = (*told.notices(), *left_out.notices(), *maintenance.notices_of(self._writer))
        return Stored(total, notices, known, left_out.count)

    def _item_id(self, draft: Draft, owner: str) -> str | None:
        """Return the id of an item of an import by ``owner``; None for what is no such."""
        if draft.identity is None:
            return None
        identity = f"{owner}\x1e{draft.identity}" if owner else draft.identity
        return item_id(self._writer.services, self._writer.tenant, identity)

    def _came_before(self, drafts: Sequence[Draft]) -> dict[int, str]:
        """Return the places of the items that came before, with their ids: nothing is worked out for them."""
        items = [
            (place, ident)
            for owner in dict.fromkeys((self._owner, ""))
            for place, one in enumerate(drafts)
            if (ident := self._item_id(one, owner)) is not None
        ]
        wanted = {ident for _, ident in items}
        there = came_before(self._writer.read, self._writer.services, self._writer.tenant, wanted)
        return {place: ident for place, ident in items if ident in there}

    def together(
        self,
        drafts: Sequence[Draft],
        work: Callable[[Unit, Admit], T],
        *,
        beside: Mapping[int, Sequence[tuple[str, Draft]]] | None = None,
        refs: MutableMapping[str, str] | None = None,
        dry_run: bool = False,
    ) -> T:
        """Prepare ``drafts`` at once and do ``work`` in one transaction; returns what it returns.

        ``work`` gets a function that admits the draft of a place, with ``changes`` of its fields, under an id of its
        own where one is given; what is ``beside`` a place, under ids of its own, goes in right after it. ``refs`` has
        the ids that names of earlier drafts stand for, and gets those of these. With ``dry_run`` nothing is written,
        and what the unit was told is forgotten.
        """
        maintenance.settle(self._writer)
        listed = [(place, ident, draft) for place, facts in (beside or {}).items() for ident, draft in facts]
        given = [*drafts, *(draft for _, _, draft in listed)]
        whole = [one for batch in self._preparation.batches(given, atomic=True) for one in batch]
        following: dict[int, list[Prepared]] = {}
        for (place, ident, _), one in zip(listed, whole[len(drafts) :], strict=True):
            following.setdefault(place, []).append(replace(one, id=ident))
        earlier: MutableMapping[str, str] = {} if refs is None else refs

        def attempt(prepared: list[Prepared], unit: Unit) -> tuple[T, Mapping[str, str]]:
            named: ChainMap[str, str] = ChainMap({}, earlier)
            unit.chain.load(sorted({item.draft.session or "" for item in prepared if item.draft.kind is Kind.EPISODIC}))
            self._recognition.look_up(unit, (item.draft for item in prepared if item.foreseen is None))

            def admit_one(place: int, node_id: str | None = None, changes: Mapping[str, Any] = NO_CHANGES) -> Memory:
                one = prepared[place]
                if self._guard is not None:
                    self._guard(unit, one.draft, named)
                found = still_found(one.foreseen, unit)
                completed = self._recognition.completed(unit, replace(one.draft, **changes), found)
                memory = admit(unit, replace(one, draft=completed, id=node_id), named)
                if one.draft.ref:
                    named[one.draft.ref] = memory.id
                for fact in following.get(place, ()):
                    self._apply(unit, fact, named)
                return memory

            done = work(unit, admit_one)
            step_back(unit, named.maps[0].values())
            return done, named.maps[0]

        if dry_run:
            with self._writer.alone():
                unit = Unit(self._writer.read, self._writer.fresh_state(), self._writer.services)
                unit.admitting = self._writer.admitting
                return attempt(whole, unit)[0]
        found, made = self._reading(
            whole, lambda current, read: self._writer.run(lambda unit: attempt(current, read(unit)))
        )
        earlier.update(made)
        return found

    def new_version(self, node_id: str, content: str, changes: Mapping[str, Any]) -> Memory:
        """Store a new text for a memory, with ``changes`` of its other fields, as a node that supersedes it."""
        prepared = self._preparation.version(node_id, content, changes)
        maintenance.settle(self._writer)

        def work(text: PreparedText, unit: Unit) -> Memory:
            found = still_found(text.foreseen, unit)
            named = None if text.draft is None else self._recognition.completed(unit, text.draft, found)
            vector = text.embedding if unit.keeps(text.made_by) else None
            return amend.new_version(
                unit,
                node_id,
                content,
                text.weight,
                vector,
                named=named,
                sensed=text.sensed,
                tags=text.tags,
                changes=changes,
                digests=text.digests,
                words=text.words,
            )

        memory = self._reading(
            [prepared], lambda current, read: self._writer.run(lambda unit: work(current[0], read(unit)))
        )
        return replace(memory, notices=(*memory.notices, *maintenance.notices_of(self._writer)))

    def shorten(self, node_id: str, content: str, allowed: Callable[[Unit], bool]) -> bool:
        """Replace a memory by a shorter text if ``allowed`` says so in the transaction; returns whether it did."""
        text = self._preparation.text(content)

        def work(unit: Unit) -> bool:
            if not allowed(unit):
                return False
            amend.shorten(unit, node_id, content, text.weight, text.embedding if unit.keeps(text.made_by) else None)
            return True

        return self._writer.run(work)

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

        def work(batch: list[Prepared], unit: Unit) -> _Done:
            # What the batch before this one named may be on its way to the store still.
            ahead = pipeline.ahead
            local: ChainMap[str, str] = ChainMap({}, *([] if ahead is None else [ahead.refs]), refs)
            unit.chain.load(sorted({item.draft.session or "" for item in batch if item.draft.kind is Kind.EPISODIC}))
            self._recognition.look_up(unit, (item.draft for item in batch if item.foreseen is None))
            items = [one.id for one in batch if one.id is not None]
            # Somebody else may have imported the same since it was looked up.
            before = came_before(unit.read, unit.services, unit.state.name, items)
            before |= set() if ahead is None else {*ahead.refs.values()}
            made: list[ToldOfMany | None] = []
            for one in batch:
                if one.id is not None and (one.id in before or one.id in unit.nodes):
                    local[one.draft.ref] = one.id
                else:
                    made.append(self._apply(unit, one, local))
            step_back(unit, local.maps[0].values())
            without = [one for one in items if one not in before and one not in unit.nodes]
            unit.suppressed.update(marks_of(unit.services, unit.state.name, without))
            done_of = [one for one in made if one is not None]
            told = reduce(ToldOfMany.joined, done_of, ToldOfMany())
            return _Done(len(made), len(done_of), local.maps[0], told, len(batch) - len(made))

        try:
            self._reading(batch, lambda current, read: pipeline.push(lambda unit: work(current, read(unit)), done))
        except BudgetInfeasible:
            if not splittable or len(batch) == 1:
                raise
            middle = len(batch) // 2
            self._push(pipeline, batch[:middle], refs, done, splittable=True)
            self._push(pipeline, batch[middle:], refs, done, splittable=True)

    def _apply(self, unit: Unit, prepared: Prepared, refs: MutableMapping[str, str]) -> ToldOfMany | None:
        """Do what one draft asks for; returns what there is to tell, None if it makes no sense any more."""
        draft = prepared.draft
        if self._guard is not None:
            self._guard(unit, draft, refs)
        if draft.action == "remember":
            possible = without_forgotten(unit, draft, refs)
            memory = None
            if possible is not None:
                with _placed(prepared):
                    found = still_found(prepared.foreseen, unit)
                    whole = self._recognition.completed(unit, possible, found)
                    memory = admit(unit, _with(prepared, whole), refs)
                unit.drafts[memory.id] = _name(prepared)
            if draft.ref:
                refs[draft.ref] = NOT_STORED if memory is None else memory.id
            return None if memory is None else ToldOfMany.of(memory, draft)
        if draft.key is None:
            msg = f"draft {draft.ref[:60]!r} retracts or closes without a key; name the key"
            raise InvalidMemory(msg)
        if draft.action == "retract":
            retract(unit, draft.key, draft.subjects, draft.content or None)
            return ToldOfMany()
        closed = close_task(unit, draft.key, draft.subjects, draft.status or TaskStatus.DONE)
        if draft.ref and closed is not None:
            refs[draft.ref] = closed.id
        return ToldOfMany()


class _OutdatedError(Exception):
    """Long texts name something else by now, as others wrote: their ``places`` among what is prepared."""

    def __init__(self, places: set[int]) -> None:
        super().__init__()
        self.places = places


@dataclass(frozen=True, slots=True)
class _Done:
    """What became of a batch.

    How many drafts were new, how many of them were done, the ids of what has a name, what is told, and how many came
    before.
    """

    read: int
    stored: int
    refs: MutableMapping[str, str]
    told: ToldOfMany
    known: int = 0


@contextmanager
def _placed(prepared: Prepared) -> Iterator[None]:
    """Let a refusal say which of many drafts it is about."""
    try:
        yield
    except (NotPermitted, InvalidMemory, ClosureViolation) as error:
        msg = f"{_name(prepared)}: {error}"
        raise type(error)(msg) from error


def _name(prepared: Prepared) -> str:
    return f"draft {prepared.place}" + (f" ({prepared.draft.ref[:60]!r})" if prepared.draft.ref else "")


def _with(prepared: Prepared, draft: Draft) -> Prepared:
    return prepared if draft is prepared.draft else replace(prepared, draft=draft)


def close_task(unit: Unit, key: str, subjects: tuple[str, ...], status: TaskStatus) -> Memory | None:
    """Give the current task of a key a status; returns it, or None where there is none."""
    for node in unit.slot(codec.slot_key(unit.state.name, subjects, key)):
        if node.memory.kind is Kind.TASK and node.has_content and node.memory.current:
            return amend.amend_task(unit, node.memory.id, status=status)
    return None
