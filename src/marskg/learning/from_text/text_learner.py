"""Learning from text: turns are stored, read, and what they say is brought together with what is known.

Guarantees: a turn is stored with what it says in one transaction, or, where its reader may take long, before it is read
and marked as unread, so that an interruption leaves a backlog and never half a turn. A turn that was read changes
nothing when it comes again. No proposal scans the store. What ``remember`` refuses is refused here, by the same gate.
Source: semantics sections 1, 4 and 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.answer import plain
from marskg.api.arguments import UnfitError, field_rules, type_of
from marskg.config.settings import SUBJECT_KEYS
from marskg.errors import BudgetInfeasible, EnvironmentFailure, InvalidInput, StalePlan
from marskg.extraction.proposal import Proposal, ProposalOperation, Span
from marskg.learning.from_text.ended_values import Before, Heard, before, thing_said
from marskg.learning.from_text.fact_drafts import Item, items_of
from marskg.learning.from_text.makers import made_by
from marskg.learning.from_text.plan import Learned, LearnPlan, LearnStep, Outcome
from marskg.learning.from_text.reconcile import (
    Reconciler,
    denied_of,
    is_unkeyed,
    terms_of,
    told_of,
    words_of,
)
from marskg.learning.from_text.told_turns import Told, blocks, of_memory, told
from marskg.learning.from_text.undo import Undone, taken_back, undo
from marskg.learning.from_text.unkept_turns import kept_of
from marskg.learning.from_text.waiting import proposed_key
from marskg.ontology.vocabulary import KINDS, EdgeType, Kind, Operation, SourceType
from marskg.records import Memory
from marskg.retrieval.index.memory_index import SOURCES
from marskg.store.graph.imported_items import marked
from marskg.store.graph.suppression import suppressed_readings
from marskg.store.graph.validation import check_draft
from marskg.store.ingest.not_kept import notices_of
from marskg.store.upkeep.maintenance import notices_of as store_notices

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping
    from contextlib import AbstractContextManager

    from marskg.drafts import Draft
    from marskg.extraction.model_reading import Call
    from marskg.extraction.proposal import Extractor
    from marskg.learning.from_text.readers import Readers
    from marskg.retrieval.index.view import IndexView
    from marskg.store.commit.writer import Writer
    from marskg.store.engine.protocol import Row
    from marskg.store.ingest.ingestor import Admit, Ingestor
    from marskg.store.unit.reader import GraphReader
    from marskg.store.unit.unit_of_work import Unit

#: Turns that are read, and stored with their facts, at once; and those before them that a reader gets as context.
BLOCK: Final = 128
#: And where reading takes long, so that an interruption loses few answers.
_SLOW_BLOCK: Final = 8
_CONTEXT: Final = 8
#: Memories that the words of one proposal may mean, at most; more are ambiguous anyway.
_CANDIDATES: Final = 20
_PAGE: Final = 500
#: What a proposal is filed by, whatever becomes of it.
_MADE: Final = ("span", "maker")
_EPISODIC: Final = KINDS.index(Kind.EPISODIC)
_OWN: Final = SOURCES.index(SourceType.CHAT_USER)
_BY_WORDS: Final = frozenset({ProposalOperation.END, ProposalOperation.CLOSE, ProposalOperation.UPDATE})


@dataclass(frozen=True, slots=True)
class _Done:
    """What one transaction did: the turns that were read, how many were known before or still wait, and its steps."""

    read: tuple[str, ...] = ()
    known: int = 0
    unread: int = 0
    steps: tuple[LearnStep, ...] = ()


@dataclass(frozen=True, slots=True)
class _Said:
    """What a block of turns says: proposals with spans in it, notices, and the places of those to read again."""

    proposals: tuple[Proposal, ...] = ()
    notices: tuple[str, ...] = ()
    unanswered: tuple[int, ...] = ()
    calls: tuple[Call, ...] = ()
    #: Whether the turns were stored before they were read.
    stored: bool = False
    #: What the names of the turns, and of facts that came with them, stand for.
    names: dict[str, str] = field(default_factory=dict)

    def part(self, first: int, last: int) -> _Said:
        """Return what the turns from ``first`` to before ``last`` say, counted from ``first``."""
        found = (_moved(one, -first) for one in self.proposals if first <= one.span.turn < last)
        later = tuple(one - first for one in self.unanswered if first <= one < last)
        return _Said(tuple(found), (), later, stored=self.stored, names=self.names)


class TextLearner:
    """Learns from text for one tenant."""

    def __init__(
        self, writer: Writer, reader: GraphReader, view: IndexView, ingestor: Ingestor, readers: Readers
    ) -> None:
        """Store by ``ingestor``; find what words mean by ``view``; ``readers`` read where no other reader is given."""
        self._writer = writer
        self._reader = reader
        self._view = view
        self._ingestor = ingestor
        self._readers = readers
        #: Turns that a pass in the background did not get answers about: others come first.
        self._missed: set[str] = set()
        #: The last number of the log at which nothing waited.
        self._caught_up: int | None = None

    def turns(self, given: object) -> list[Told]:
        """Return what is given as turns, in the order in which it was said.

        See :func:`~marskg.learning.from_text.told_turns.told`. What ends something comes after what it ends.
        """
        services, tenant = self._writer.services, self._writer.tenant
        # No tenant's name has a bar, so no handle of a subject is ever one of these.
        secret = partial(services.handle, f"|turn|{tenant}")
        now = self._writer.now()
        most = self._writer.state.settings.max_content_bytes
        found = told(given, now, lambda ident: self._reader.get(ident, now), secret, lambda one: check_draft(one, most))
        # Facts that came with turns name those of turns before them.
        return found if any(one.facts for one in found) else sorted(found, key=lambda one: one.turn.at)

    # --- Learning -------------------------------------------------------------------------------------------------

    def learn(
        self,
        turns: list[Told],
        extractor: Extractor | None = None,
        progress: Callable[[int], None] | None = None,
        aside: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> Learned:
        """Store and read ``turns``, a block in a transaction; ``progress`` gets the number that is done.

        A model is asked ``aside``.
        """
        call = self._call(turns)
        found: list[_Done] = []
        turns, unkept = kept_of(turns, self._ingestor.keeping)
        notices = dict.fromkeys(notices_of(unkept.count, unkept.before, self._ingestor.keeping))
        done = unkept.count
        before: list[Told] = []
        names = _names(turns)
        for block in blocks(turns, _SLOW_BLOCK if self._takes_long(extractor) else BLOCK):
            new = self._unread(block)
            try:
                said = self._read(new, before, extractor, names, aside)
            except EnvironmentFailure as error:
                notices[f"what could not be read waits: {error}"] = None
                found.append(_Done(unread=self._left(block)))
                break
            notices |= dict.fromkeys(said.notices)
            self._readers.keep(said.calls, [one.id for one in new])
            found += self._settle(new, said, call)
            left = self._left(block) if self._takes_long(extractor) else 0
            found.append(_Done(known=len(block) - len(new), unread=left))
            before = [*before, *block][-_CONTEXT:]
            done += len(block)
            if progress is not None:
                progress(done)
        return Learned(
            call,
            tuple(one for part in found for one in part.read),
            tuple(step for part in found for step in part.steps),
            sum(part.known for part in found),
            sum(part.unread for part in found),
            (*notices, *store_notices(self._writer)),
            unkept.count,
        )

    def plan(self, turns: list[Told], extractor: Extractor | None = None) -> LearnPlan:
        """Return what :meth:`learn` would do by the rules, or by ``extractor``; nothing is changed.

        A model is not asked: what may be sent of a turn is known once it is stored.
        """
        turns, unkept = kept_of(turns, self._ingestor.keeping, dry_run=True)
        new = self._unread(turns)
        proposals = _read(new, [], self._readers.rules() if extractor is None else extractor).proposals
        plain = tuple(replace(one, payload=dict(one.payload)) for one in proposals)
        return replace(self._planned(tuple(turns), plain, self._call(turns)), not_kept=unkept.count)

    def carry_out(self, plan: LearnPlan) -> Learned:
        """Do what ``plan`` says in one transaction.

        Raises:
            StalePlan: the store has moved on in what the plan concerns.
        """
        new = self._unread(plan.turns)

        def exactly(done: _Done) -> None:
            if self._digest(plan.call, plan.turns, plan.proposals, len(new), done.steps) != plan.digest:
                msg = f"plan {plan.digest[:12]} is stale: what it concerns has changed since; make it again"
                raise StalePlan(msg)

        done = self._write(new, _Said(plan.proposals, names=_names(plan.turns)), plan.call, check=exactly)
        known = len(plan.turns) - len(new)
        return Learned(plan.call, done.read, done.steps, known, notices=store_notices(self._writer))

    def _planned(self, turns: tuple[Told, ...], proposals: tuple[Proposal, ...], call: str) -> LearnPlan:
        new = self._unread(turns)
        done = self._write(new, _Said(proposals, names=_names(turns)), call, dry_run=True)
        digest = self._digest(call, turns, proposals, len(new), done.steps)
        return LearnPlan(call, digest, done.steps, len(new), turns, proposals)

    def _digest(
        self,
        call: str,
        turns: Sequence[Told],
        proposals: Sequence[Proposal],
        new: int,
        steps: Sequence[LearnStep],
    ) -> str:
        """Return the digest of a plan: of all that is to be stored, and of each step but for new ids.

        It is keyed with the store's secret, so that nobody but the store makes a plan; and what it says of a stored
        turn is what is stored.
        """
        now = self._writer.now()
        kept = [self._reader.get(one.id, now) for one in turns if one.draft is None]
        stored = [None if one is None else (one.content, one.subjects, one.current) for one in kept]
        said = [str(plain(one)) for one in (*turns, *stored, *proposals)]
        said += [str(new), *(str(plain(replace(step, memory=None))) for step in steps)]
        text = sha256("\n".join([call, *said]).encode()).hexdigest()
        return self._writer.services.handle(f"|plan|{self._writer.tenant}", text)

    def _call(self, turns: Sequence[Told]) -> str:
        said = "\n".join([str(self._writer.now()), *(one.id for one in turns)])
        return sha256(said.encode()).hexdigest()[:16]

    def _unread(self, turns: Sequence[Told]) -> list[Told]:
        """Return the turns that are to be read: new ones, those of the backlog, and those that are given by id.

        What was corrected, or says nothing but what holds no longer, is not read again, however it is given.
        """
        drafts = [one.id for one in turns if one.draft is not None]
        rows = self._reader.rows([one.id for one in turns])
        # What is forgotten down to its tombstone was read, too.
        gone = marked(self._reader.run, self._writer.services, self._writer.tenant, drafts)
        new = {one for one in drafts if one not in gone and (one not in rows or rows[one].get("unread"))}
        over = {ident for ident, row in rows.items() if row.get("supersededAt") is not None}
        return [one for one in turns if (one.draft is None or one.id in new) and one.id not in over]

    def _takes_long(self, extractor: Extractor | None) -> bool:
        return self._readers.asks if extractor is None else bool(getattr(extractor, "stores_first", False))

    def _left(self, turns: Sequence[Told]) -> int:
        """Return how many of ``turns`` are stored and wait to be read."""
        rows = self._reader.rows([one.id for one in turns]).values()
        return sum(bool(row.get("unread")) and row.get("supersededAt") is None for row in rows)

    def _read(
        self,
        new: list[Told],
        before: list[Told],
        extractor: Extractor | None,
        names: dict[str, str],
        aside: Callable[[], AbstractContextManager[None]],
    ) -> _Said:
        """Return what ``new`` turns say; they are stored before where reading them may take long."""
        if not new:
            return _Said()
        takes_long = self._takes_long(extractor)
        if takes_long:
            self._store_first(new, names)
        ids = {one.id for one in new}
        context = [one for one in before if one.id not in ids]
        if extractor is None:
            extractor = self._readers.reader([*[None] * len(context), *(one.id for one in new)], aside)
        return replace(_read(new, context, extractor), stored=takes_long, names=names)

    def _settle(self, new: list[Told], said: _Said, call: str) -> list[_Done]:
        """Write a block; one that the budget cannot hold at once goes in halves."""
        if not new:
            return []
        try:
            return [self._write(new, said, call)]
        except BudgetInfeasible:
            if len(new) == 1:
                raise
        middle = len(new) // 2
        return [
            *self._settle(new[:middle], said.part(0, middle), call),
            *self._settle(new[middle:], said.part(middle, len(new)), call),
        ]

    def _write(
        self,
        new: list[Told],
        said: _Said,
        call: str,
        *,
        check: Callable[[_Done], None] | None = None,
        dry_run: bool = False,
    ) -> _Done:
        """Store turns with what they say in one transaction, or say what that would do."""
        items = self._items(new, said.proposals, call)
        later = {new[place].id for place in said.unanswered}
        rows = self._reader.rows([one.id for one in new])
        stored = {ident for ident, row in rows.items() if row.get("content") is not None}
        # What was erased while it was read stays so.
        gone = {one.id for one in new if one.id not in stored and (said.stored or one.draft is None or one.id in rows)}
        new = [one for one in new if one.id not in gone]
        items = [item for item in items if item.told.id not in gone]
        to_store = [one for one in new if one.draft is not None and one.id not in stored]
        drafts: list[Draft] = [one.draft for one in to_store if one.draft is not None]
        turns = {one.id: place for place, one in enumerate(to_store)}
        places = {}
        for number, item in enumerate(items):
            if item.draft is not None:
                places[number] = len(drafts)
                drafts.append(item.draft)
        meant = {place: self._meant(items[number]) for number, place in places.items()}
        heard = self._heard({place: items[number] for number, place in places.items()}, drafts)
        peopled = any(_is_wish_of_nobody(item) for item in items) and self._is_peopled()

        def work(unit: Unit, admit: Admit) -> _Done:
            # Somebody else may have stored, read, corrected or erased the same turns since they were looked up.
            unit.fetch(one.id for one in new)
            there = {one.id for one in new if one.id in unit.nodes}
            over = {one.id for one in new if _is_over(unit, one, stored=one.id in stored)}
            known = _known_spans(unit, [one.id for one in new if one.id in there])
            refused = suppressed_readings(unit, (_reading(item) for item in items if item.told.id in stored))
            reconciler = Reconciler(unit, admit, meant, heard, peopled=peopled)
            steps: list[LearnStep] = []
            following = iter([*enumerate(items), (len(items), None)])
            number, item = next(following)
            for one in new:
                if one.id in turns and one.id not in there:
                    admit(turns[one.id], one.id)
                elif one.id not in later | over:
                    _mark_read(unit, one.id)
                while item is not None and item.told is one:
                    if one.id not in over:
                        done = _decided(item, known, refused)
                        steps.append(done or reconciler.settle(places.get(number, -1), item))
                    number, item = next(following)
            found = _Done(tuple(one.id for one in new if one.id not in later | over), steps=tuple(steps))
            if check is not None:
                check(found)
            return found

        beside = {place: one.facts for place, one in enumerate(to_store)}
        return self._ingestor.together(drafts, work, beside=beside, refs=said.names, dry_run=dry_run)

    def _items(self, new: list[Told], proposals: Sequence[Proposal], call: str) -> list[Item]:
        settings = self._writer.state.settings
        # A copy of the store that outlives an erasure is unreadable only under the keys of all who said it.
        shared = settings.encryption == SUBJECT_KEYS
        by_turn: dict[int, list[Proposal]] = {}
        for one in proposals:
            by_turn.setdefault(one.span.turn, []).append(one)
        return [
            item
            for place, one in enumerate(new)
            for item in items_of(one, by_turn.get(place, []), call, settings.max_content_bytes, shared=shared)
        ]

    def _meant(self, item: Item) -> tuple[str, ...]:
        """Return the ids of what is stored and may be meant by an item, by the words that it says, the newest first.

        What is unkeyed may be told again, at the same time; a taste may be told in other words than those of its key; a
        deed may be denied.
        """
        found = self._saying(words_of(item)) if item.proposal.operation in _BY_WORDS else ()
        if item.draft is not None and is_unkeyed(item):
            found += self._saying(terms_of(item.draft), item.draft.at)
        found += self._saying(thing_said(item))
        return found + tuple(ident for deed in denied_of(item) for ident in self._saying(deed))

    def _saying(self, words: Iterable[str], at: int | None = None) -> tuple[str, ...]:
        wanted = sorted(words)
        if not wanted:
            return ()
        state = self._writer.fresh_state()
        with self._view.lock:
            index = self._view.refresh(state)
            found = index.lexical.rows(wanted[0])
            for term in wanted[1:]:
                found = found[index.lexical.have(term, found)] if len(found) else found
            found = found[index.columns["alive"][found]]
            if at is not None:
                found = found[index.columns["validFrom"][found] == at]
            newest = found[np.argsort(-index.columns["sequence"][found], kind="stable")][:_CANDIDATES]
            return tuple(index.ids[row] for row in newest.tolist())

    def _heard(self, items: Mapping[int, Item], drafts: list[Draft]) -> dict[int, Heard]:
        """Return what turns may say that ``items``, by place, end; the drafts of that go behind ``drafts``."""
        found = {}
        for place, item in items.items():
            value = before(item)
            if value is not None and (saying := self._turns_saying(value)):
                found[place] = Heard(len(drafts), value, saying)
                drafts.append(value.draft)
        return found

    def _turns_saying(self, value: Before) -> tuple[str, ...]:
        """Return the ids of the users' turns that have enough of the words of ``value``, the newest first."""
        state = self._writer.fresh_state()
        with self._view.lock:
            index = self._view.refresh(state)
            rows, counts = np.unique(
                np.concatenate([index.lexical.rows(term) for term in sorted(value.words)]), return_counts=True
            )
            rows = rows[counts >= value.share * len(value.words)]
            held = index.columns
            turns = (held["kind"][rows] == _EPISODIC) & (held["sourceType"][rows] == _OWN) & held["alive"][rows]
            rows = rows[turns]
            newest = rows[np.argsort(-held["sequence"][rows], kind="stable")][:_CANDIDATES]
            return tuple(index.ids[row] for row in newest.tolist())

    def _is_peopled(self) -> bool:
        """Return whether any memory is about somebody."""
        state = self._writer.fresh_state()
        with self._view.lock:
            return bool(self._view.refresh(state).facets["subject"])

    def _store_first(self, turns: Sequence[Told], names: dict[str, str]) -> None:
        """Store turns as unread, because reading them may take long."""
        rows = self._reader.rows([one.id for one in turns])
        new = [one for one in turns if one.draft is not None and one.id not in rows]
        drafts = [replace(one.draft, unread=True) for one in new if one.draft is not None]
        if drafts:

            def work(unit: Unit, admit: Admit) -> None:
                unit.fetch(one.id for one in new)
                there = {*unit.nodes}
                for place, one in enumerate(new):
                    if one.id not in there:
                        admit(place, one.id)

            beside = {place: one.facts for place, one in enumerate(new)}
            self._ingestor.together(drafts, work, beside=beside, refs=names)

    # --- The backlog, and taking back -----------------------------------------------------------------------------

    def _backlog(self) -> list[Row]:
        """Return the turns that wait to be read, those that were said first first."""
        tenant = self._writer.tenant
        return self._reader.run("unread", {"low": f"{tenant}|", "high": f"{tenant}}}"})

    def _stored(self, rows: Iterable[Row]) -> list[Told]:
        now = self._writer.now()
        found = (self._reader.get(str(row["id"]), now) for row in rows)
        return [of_memory(memory) for memory in found if memory is not None and memory.content is not None]

    def read_backlog(self, progress: Callable[[int], None] | None = None) -> Learned:
        """Read the turns that wait, those that were said first first."""
        return self.learn(self._stored(self._backlog()), None, progress)

    def catch_up(self, since: int, aside: Callable[[], AbstractContextManager[None]]) -> int:
        """Read some of the turns that wait since before ``since`` (epoch ms), if a model reads; returns how many.

        Without a model a turn is stored with what it says: what waits then waits for another reader, which only its
        owner has. What is stored since may be on its way to its reader still. Turns without an answer do not keep
        others from being read.
        """
        now = self._writer.fresh_state().sequence
        if not self._readers.asks or now == self._caught_up:
            return 0
        rows = self._backlog()
        self._caught_up = None if rows else now
        due = [row for row in rows if row["created"] < since]
        first = [row for row in due if row["id"] not in self._missed]
        if not first:
            self._missed.clear()
        taken = (first or due)[:BLOCK]
        read = self.learn(self._stored(taken), None, None, aside).turns if taken else ()
        self._missed.update({str(row["id"]) for row in taken}.difference(read))
        return len(read)

    def undo(self, call: str) -> Undone:
        """Take back what a call, a rule or a model did."""
        ids = []
        for memory, _, _ in self._reader.memories():
            by = (*memory.made_by, *([] if memory.ended_by is None else [memory.ended_by]))
            if any(made_by(one, call) for one in by):
                ids.append(memory.id)
        return self._writer.run(lambda unit: undo(unit, call, ids))


def _names(turns: Sequence[Told]) -> dict[str, str]:
    """Return the ids that the names of turns, and of the facts that came with them, stand for."""
    found = {one.draft.ref: one.id for one in turns if one.draft is not None and one.draft.ref}
    return found | {fact.ref: ident for one in turns for ident, fact in one.facts if fact.ref}


def _read(new: Sequence[Told], context: Sequence[Told], extractor: Extractor) -> _Said:
    """Return what ``new`` turns say; ``context`` is what was said before them."""
    if not new:
        return _Said()
    first = len(context)
    read = extractor.extract([one.turn for one in (*context, *new)])
    found = (_moved(one, -first) for one in _proposals(read))
    return _Said(
        tuple(one for one in found if 0 <= one.span.turn < len(new)),
        tuple(getattr(read, "notices", ())),
        tuple(place - first for place in getattr(read, "unanswered", ()) if place >= first),
        tuple(replace(call, turn=call.turn - first) for call in getattr(read, "calls", ())),
    )


def _proposals(read: object) -> tuple[Proposal, ...]:
    """Return what a reader read, which may be the caller's: what is of the right types may still be refused by itself.

    Raises:
        InvalidInput: names the proposal by its place, and what is wrong with it.
    """
    found: list[Proposal] = []
    try:
        if not isinstance(read, Iterable):
            msg = f"it is of type {type_of(read)}"
            raise UnfitError(msg)  # noqa: TRY301 - told as what its items are
        for number, one in enumerate(read, 1):
            found.append(_typed(one, f"item {number}"))
    except UnfitError as error:
        msg = f"extractor.extract() returned what is not as proposals are (marskg.extraction.proposal): {error}"
        raise InvalidInput(msg) from None
    return tuple(found)


def _typed(given: object, where: str) -> Proposal:
    if not isinstance(given, Proposal):
        msg = f"{where} is of type {type_of(given)}"
        raise UnfitError(msg)
    for name, rule in field_rules(Proposal):
        value = getattr(given, name)
        if not rule.matches(value):
            msg = f"{where} has a field {name} that must be {rule.expected}, not {type_of(value)}"
            raise UnfitError(msg)
        if name in _MADE:
            try:
                rule.fit(value)
            except UnfitError as error:
                msg = f"{where} {error}"
                raise UnfitError(msg) from None
    return given


def _moved(proposal: Proposal, by: int) -> Proposal:
    span = proposal.span
    return replace(proposal, span=Span(span.turn + by, span.start, span.end)) if by else proposal


def _is_wish_of_nobody(item: Item) -> bool:
    return item.proposal.operation is ProposalOperation.WISH and not item.about


def _reading(item: Item) -> tuple[str, str | None]:
    """Return the words that say an item, and its key."""
    return ("", None) if item.draft is None else (item.draft.spans[0], item.draft.key)


def _decided(
    item: Item, known: Container[tuple[str, str | None]], refused: Container[tuple[str, str | None]]
) -> LearnStep | None:
    """Return what became of an item before, None where it is new."""
    if _reading(item) in known:
        return told_of(item, Outcome.KNOWN)
    if _reading(item) in refused:
        return told_of(item, Outcome.REFUSED, why="a person refused it, or had it erased")
    return None


def _is_over(unit: Unit, one: Told, *, stored: bool) -> bool:
    """Return whether a turn is not to be read any more: it was erased, read by somebody else or corrected meanwhile."""
    node = unit.nodes.get(one.id)
    if node is None or not node.has_content:
        return stored
    waited = one.draft is not None or (isinstance(one.said, Memory) and one.said.unread)
    return not node.memory.current or (waited and not node.memory.unread)


def _known_spans(unit: Unit, turns: Sequence[str]) -> set[tuple[str, str | None]]:
    """Return the words, with the key, of which there are facts already.

    What was taken back is read again where that is asked for, and not because its turn waits for a further reader.
    """
    if not turns:
        return set()
    sources = sorted({source for source, _, type_ in unit.incoming(turns) if type_ is EdgeType.DERIVES_FROM})
    unit.fetch(sources)
    held = [unit.nodes[source].memory for source in sources if source in unit.nodes]
    waiting = {one for one in turns if unit.node(one).memory.unread}
    return {
        (span, proposed_key(memory))
        for memory in held
        for span in memory.spans
        if not taken_back(memory) or span.partition("#")[0] in waiting
    }


def _mark_read(unit: Unit, ident: str) -> None:
    node = unit.node(ident)
    if node.memory.unread:
        unit.change(node, unread=False)
        details = {"rule": "learning", "reason": "it was read for what it says"}
        unit.record(Operation.AMEND, node, tier_before=node.memory.tier, details=details)
