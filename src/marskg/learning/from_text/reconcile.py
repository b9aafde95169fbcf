"""What a proposed fact does to what is stored: decided in the transaction, by keys, cardinality and reliability.

Guarantees: the same store and the same item give the same outcome, in a plan and in its execution; nothing that is
pinned, more reliable or ambiguous is changed without a person: the proposal waits, hidden, with what it means. What is
refused leaves no trace. Each change has its signed record, with a reason that holds no content.
Source: semantics sections 1 and 5; MemoryArchitect II.D step 5.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from marskg.errors import InvalidMemory, NotPermitted
from marskg.extraction.proposal import ProposalOperation
from marskg.language.en.facts.changes.denials_said import DENIES, denied
from marskg.language.en.time_words import recurs
from marskg.learning.conflicts import mark, overrule
from marskg.learning.from_text.ended_values import TASTES, Heard, bounds_of, read_as_it_was, thing_said, told_otherwise
from marskg.learning.from_text.makers import call_of
from marskg.learning.from_text.one_name import told_apart
from marskg.learning.from_text.plan import LearnStep, Outcome
from marskg.learning.from_text.told_turns import AHEAD
from marskg.learning.from_text.undo import taken_back
from marskg.learning.from_text.waiting import (
    MOST_WAITING,
    accepted,
    count_waiting,
    drop,
    held_as,
    hold,
    is_waiting,
    take_in,
)
from marskg.learning.rules.conflict_detection import UNIT, Conflict, ConflictKind, Statement
from marskg.learning.rules.resolution import ResolutionAction, ResolutionRules, resolve
from marskg.ontology.fields import saying
from marskg.ontology.vocabulary import Cardinality, EdgeType, Kind, TaskStatus
from marskg.records import held_at
from marskg.store.graph.admit import as_sensitive, end, merge
from marskg.store.graph.amend import amend_task
from marskg.store.rows import codec
from marskg.store.unit.sensitivity import record as record_sensitivity
from marskg.text import normalised, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from marskg.drafts import Draft
    from marskg.learning.from_text.fact_drafts import Item
    from marskg.records import Memory
    from marskg.store.ingest.ingestor import Admit
    from marskg.store.unit.unit_of_work import Node, Unit

#: Done once, what is to be done every day is to be done again.
_DEED: Final = "task.deed"
_ENDING: Final = frozenset({ProposalOperation.END, ProposalOperation.CLOSE})
_AMBIGUOUS: Final = "several memories may be meant"
#: The first part of the keys of appointments and deadlines, which are often named in fewer words when they are moved.
_CALENDAR: Final = "calendar"
#: Terms of a deed below which too little is said to know it again.
_FEWEST: Final = 2
_PINNED: Final = "what holds now is pinned"
_KEPT: Final = "it would take the place of a task, or of the value of a key"


class Reconciler:
    """Brings the items of one transaction together with what is stored; what it stores is bound like its turn."""

    def __init__(
        self,
        unit: Unit,
        admit: Admit,
        meant: Mapping[int, tuple[str, ...]],
        heard: Mapping[int, Heard],
        *,
        peopled: bool,
    ) -> None:
        """Write by ``admit`` into ``unit``; ``meant`` are the ids that an item's words may mean, by its place.

        ``heard`` is, likewise, what turns may say that an item ends.
        ``peopled``: whether the tenant has memories about people, on whom a wish of nobody would act.
        """
        self._unit = unit
        self._admit = admit
        #: What the items of this transaction made, and its ids by each term that it says.
        self._made: set[str] = set()
        self._saying_term: dict[str, dict[str, None]] = {}
        #: How many proposals wait; None until it is asked for.
        self._waiting: int | None = None
        self._meant_by = meant
        self._heard = heard
        self._peopled = peopled
        settings = unit.state.settings
        self._review_below = settings.learning.review_below
        self._rules = ResolutionRules.of(settings.learning, settings.learning.conflicts)
        self._lasts = settings.policy.quarantine

    def settle(self, place: int, item: Item) -> LearnStep:
        """Do what the item at ``place`` of the prepared drafts proposes; returns what became of it."""
        if item.refused:
            return told_of(item, Outcome.REFUSED, why=item.refused)
        draft = item.draft
        if draft is None:
            return told_of(item, Outcome.NOTHING, why="it is said in jest, in a quotation or a question")
        meant = told_apart(draft)
        if meant is not draft:
            item, draft = replace(item, draft=meant), meant
        try:
            heard = self._heard.get(place)
            if heard is not None and not self._doubt(item, draft):
                for memory in read_as_it_was(self._unit, self._admit, heard, item, self._slot):
                    self._note_made(memory)
            if item.proposal.operation in _ENDING:
                return self._end(place, item, draft)
            return self._add(place, item, draft)
        except (NotPermitted, InvalidMemory) as error:
            return told_of(item, Outcome.REFUSED, why=str(error))

    def _doubt(self, item: Item, draft: Draft) -> str:
        """Return why a person has to decide, whatever is stored; empty if nobody has to."""
        if item.proposal.operation is ProposalOperation.REVIEW:
            return "its reader asks for a person"
        if item.proposal.operation is ProposalOperation.WISH and not item.about and self._peopled:
            return "it does not say whose wish it is, and would act on everybody"
        single = draft.key is not None and draft.cardinality in {None, Cardinality.SINGLE}
        if single and draft.kind is not Kind.TASK and draft.at > self._unit.now + AHEAD:
            return "it begins more than a day ahead, and would stand before all that is said until then"
        return "it is not sure enough" if item.proposal.confidence < self._review_below else ""

    # --- What is to hold ------------------------------------------------------------------------------------------

    def _add(self, place: int, item: Item, draft: Draft) -> LearnStep:
        current = self._slot(draft)
        held = (node.memory for node in current if node.memory.valid_from <= draft.at)
        said = next((_values(memory) for memory in held if _says_again(draft, memory)), {})
        why = self._doubt(item, draft) or self._against(item, replace(draft, **said), current)
        replaced = self._replaced(place, item, draft)
        if len(replaced) > 1:
            why = why or _AMBIGUOUS
        elif replaced and replaced[0].memory.pinned:
            why = why or _PINNED
        elif replaced and draft.key is None and _is_kept(replaced[0].memory):
            why = why or _KEPT
        told = self._told_before(place, item, draft)
        if told is not None:
            return told_of(item, Outcome.MERGED, memory=merge(self._unit, told, draft).id)
        if why:
            return self._wait(place, item, draft, why, [*current, *replaced])
        slot = {"key": draft.key, "cardinality": draft.cardinality}
        memory = self._admit(place, None, {**self._bounds(item, draft), **slot, **said})
        turned = self._told_otherwise(place, item)
        for old in (*replaced, *turned):
            if old.memory.id != memory.id and old.memory.current:
                overrule(self._unit, self._unit.node(memory.id), old, "the text says that it was replaced")
        changed = [node for node in (*current, *replaced, *turned) if not node.memory.current]
        self._mark_denied(place, item, draft, self._unit.node(memory.id))
        known = memory.id in self._made or not self._unit.node(memory.id).new
        self._note_made(memory)
        outcome = Outcome.MERGED if known else Outcome.CHANGED if changed else Outcome.STORED
        return told_of(item, outcome, memory=memory.id, changed=changed)

    def _mark_denied(self, place: int, item: Item, draft: Draft, denial: Node) -> None:
        """Mark what was read before and says the very deed that an item says was never done: both stay."""
        unit, wanted = self._unit, denied_of(item)
        if not wanted:
            return
        made = (one for words in wanted for one in self._made_saying(words))
        ids = dict.fromkeys((*self._meant_by.get(place, ()), *made))
        unit.fetch(ids)
        for node in (unit.nodes[one] for one in ids if one in unit.nodes):
            memory = node.memory
            stands = node.has_content and memory.current and memory.made_by and not is_waiting(memory)
            if not stands or node is denial or not self._is_about(node, item, draft):
                continue
            if not any(denied(memory.content or "")) and any(words <= _said(memory) for words in wanted):
                mark(unit, denial, node, "the text says that it was never so")

    def _told_before(self, place: int, item: Item, draft: Draft) -> Node | None:
        """Return what another call read out of a turn of the same moment, where no key says that it is the same.

        So a turn that comes again by another way, such as in a file, brings nothing twice, and nothing back that was
        corrected since.
        """
        if not is_unkeyed(item):
            return None
        unit, call = self._unit, call_of(item.maker)
        unit.fetch(self._meant_by.get(place, ()))
        for node in (unit.nodes[one] for one in self._meant_by.get(place, ()) if one in unit.nodes):
            memory = node.memory
            makers = {call_of(one) for one in memory.made_by}
            other = node.has_content and makers and call not in makers and not taken_back(memory)
            if other and _equals(memory, draft) and self._moments(node) == {item.told.turn.at}:
                return node
        return None

    def _moments(self, node: Node) -> set[int]:
        """Return when the turns were said that a fact was read from."""
        sources = node.targets(EdgeType.DERIVES_FROM)
        self._unit.fetch(sources)
        return {self._unit.nodes[one].memory.valid_from for one in sources if one in self._unit.nodes}

    def _bounds(self, item: Item, draft: Draft) -> dict[str, Any]:
        """Return what a fact has of its turn as that is stored now; its end follows from the edge between them."""
        turn = self._unit.node(item.told.id).memory
        bounds = bounds_of(turn)
        return bounds if turn.session == draft.session else {**bounds, "session_bound": draft.session_bound}

    def _note_made(self, memory: Memory) -> None:
        self._made.add(memory.id)
        for term in _said(memory):
            self._saying_term.setdefault(term, {})[memory.id] = None

    def _slot(self, draft: Draft) -> list[Node]:
        """Return the current values of a single key, whenever they became true, but for what had ended by then."""
        if draft.key is None or draft.cardinality not in {None, Cardinality.SINGLE}:
            return []
        slot = codec.slot_key(self._unit.state.name, draft.subjects, draft.key)
        current = [node for node in self._unit.slot(slot) if node.has_content and node.memory.current]
        return [node for node in current if node.memory.valid_from > draft.at or held_at(node.memory, draft.at)]

    def _against(self, item: Item, draft: Draft, current: Iterable[Node]) -> str:
        """Return why the value that holds may not give way by itself; empty if it may."""
        new = Statement(draft.content, draft.key, None, draft.at, reliability=draft.reliability or 0.0, sequence=1)
        for node in current:
            memory = node.memory
            same = normalised(memory.content or "") == normalised(draft.content)
            if memory.valid_from > draft.at or (same and dict(memory.payload) == dict(draft.payload)):
                continue
            if memory.pinned:
                return _PINNED
            # Of the same moment the later words win, as they do where a key is stored by hand.
            at = memory.valid_from - (memory.valid_from == draft.at)
            old = Statement(memory.content or "", memory.key, None, at, reliability=memory.reliability)
            found = Conflict(ConflictKind.VALUE, round(item.proposal.confidence * UNIT), (), ())
            resolved = resolve(new, old, found, self._rules)
            if resolved.action is not ResolutionAction.SUPERSEDE or resolved.winner is not new:
                return resolved.reason
        return ""

    def _replaced(self, place: int, item: Item, draft: Draft) -> list[Node]:
        """Return what an update replaces where no single key says it."""
        proposal = item.proposal
        single = draft.key is not None and draft.cardinality in {None, Cardinality.SINGLE}
        if proposal.operation is not ProposalOperation.UPDATE or not proposal.old:
            return []
        if single and (_family(draft.key) != _CALENDAR or self._slot(draft) or not _is_named(item, draft)):
            return []
        return self._meant(place, item, draft)

    # --- What holds no longer -------------------------------------------------------------------------------------

    def _end(self, place: int, item: Item, draft: Draft) -> LearnStep:
        found = self._meant(place, item, draft)
        told = self._told_otherwise(place, item)
        if not found and not told:
            return told_of(item, Outcome.NOTHING, why="nothing that is stored is meant")
        pinned = any(node.memory.pinned for node in found)
        why = self._doubt(item, draft) or (_AMBIGUOUS if len(found) > 1 else _PINNED if pinned else "")
        if why:
            return self._wait(place, item, draft, why, found)
        found += [node for node in told if node not in found]
        at = item.proposal.valid_to or item.told.turn.at
        carry_out(self._unit, item.proposal.operation, found, item.maker, at, told=self._unit.find_node(item.told.id))
        closed = item.proposal.operation is ProposalOperation.CLOSE
        return told_of(item, Outcome.CLOSED if closed else Outcome.ENDED, changed=found)

    def _meant(self, place: int, item: Item, draft: Draft) -> list[Node]:
        """Return the current memories that an item means: by its key, else by its words among the subject's facts."""
        unit, proposal = self._unit, item.proposal
        if draft.key is not None:
            slot = codec.slot_key(unit.state.name, draft.subjects, draft.key)
            held = [node for node in unit.slot(slot) if self._may_be_meant(node, item)]
            single = [node for node in held if node.memory.cardinality is Cardinality.SINGLE]
            if single and not proposal.old:
                return single
            if held:
                return self._saying(held, item)
        ids = dict.fromkeys((*self._meant_by.get(place, ()), *self._made_saying(words_of(item))))
        unit.fetch(ids)
        nodes = [unit.nodes[one] for one in ids if one in unit.nodes]
        about = [node for node in nodes if self._is_about(node, item, draft) and self._may_be_meant(node, item)]
        return self._saying(about, item) if proposal.old or proposal.content else []

    def _told_otherwise(self, place: int, item: Item) -> list[Node]:
        """Return what was read before and tells the opposite of the taste that an item says, in other words."""
        wanted = thing_said(item)
        if not wanted:
            return []
        return told_otherwise(
            self._unit, item, dict.fromkeys((*self._meant_by.get(place, ()), *self._made_saying(wanted)))
        )

    def _made_saying(self, wanted: Iterable[str]) -> list[str]:
        """Return the ids of what this transaction made that says all the terms ``wanted``."""
        found = [self._saying_term.get(term, {}) for term in wanted]
        rarest = min(found, key=len, default={})
        return [one for one in rarest if all(one in has for has in found)]

    @staticmethod
    def _is_about(node: Node, item: Item, draft: Draft) -> bool:
        """Return whether a memory is about the same people, and of the same family of keys where there is a key."""
        memory, subjects = node.memory, set(item.about)
        same = not subjects.isdisjoint(memory.subjects) if subjects else not memory.subjects
        return same and (draft.key is None or _family(memory.key) == _family(draft.key))

    @staticmethod
    def _may_be_meant(node: Node, item: Item) -> bool:
        memory = node.memory
        task = item.proposal.operation is ProposalOperation.CLOSE
        fits = memory.active if task else memory.kind is not Kind.EPISODIC
        if task and item.proposal.maker.rule == _DEED and recurs(" ".join(saying(memory))):
            return False
        # What was said later than this turn is not meant by it, however late the turn comes in.
        return (
            node.has_content
            and memory.current
            and fits
            and memory.valid_from <= item.told.turn.at
            and not is_waiting(memory)
        )

    @staticmethod
    def _saying(nodes: list[Node], item: Item) -> list[Node]:
        """Return the nodes that say all the words by which the item names what it means."""
        wanted = words_of(item)
        if not wanted:
            return []
        return [node for node in nodes if wanted <= _said(node.memory)]

    def _wait(self, place: int, item: Item, draft: Draft, why: str, about: list[Node]) -> LearnStep:
        """Keep a proposal, hidden, until a person decides, unless more wait than a person decides about."""
        if self._waiting is None:
            self._waiting = count_waiting(self._unit)
        if self._waiting >= MOST_WAITING:
            return told_of(item, Outcome.REFUSED, why=f"{MOST_WAITING} proposals wait already; decide about them first")
        self._waiting += 1
        changes = {**self._bounds(item, draft), **held_as(item.proposal, draft, [node.memory.id for node in about])}
        memory = self._admit(place, None, changes)
        hold(self._unit, memory, self._lasts, why)
        return told_of(item, Outcome.WAITS, memory=memory.id, changed=about, why=why)


def _values(memory: Memory) -> dict[str, Any]:
    """Return what makes two values of a key equal."""
    return {name: getattr(memory, name) for name in ("content", "payload", "metadata")}


def _says_again(draft: Draft, memory: Memory) -> bool:
    """Return whether a draft says of the same thing that somebody likes it, or not, as ``memory`` does, in any words.

    To say it again makes nothing outdated: neither what was said before, nor the turn that says it.
    """
    if _family(draft.key) != TASTES or draft.payload.get("relations") != memory.payload.get("relations"):
        return False
    new, old = (set(terms(str(one.payload.get("concept", "")))) for one in (draft, memory))
    return not new.isdisjoint(old)


def _equals(memory: Memory, draft: Draft) -> bool:
    """Return whether a memory says the same as ``draft``, of the same people and time, and for the same key."""
    same = (memory.kind, memory.key, memory.valid_from) == (draft.kind, draft.key, draft.at)
    people = {*memory.subjects} == {*draft.subjects}
    payload = dict(memory.payload) == dict(draft.payload)
    return same and people and payload and normalised(memory.content or "") == normalised(draft.content)


def _said(memory: Memory) -> set[str]:
    """Return the terms of what a memory says."""
    return {*terms(" ".join(saying(memory)))}


def _family(key: str | None) -> str | None:
    return None if key is None else key.partition("/")[0]


def is_unkeyed(item: Item) -> bool:
    """Return whether an item adds what no key tells from others: it has none, or one of a ledger."""
    adds = item.proposal.operation is ProposalOperation.ADD and item.draft is not None
    return adds and (item.proposal.key is None or item.proposal.cardinality is Cardinality.APPEND)


def denied_of(item: Item) -> list[set[str]]:
    """Return the terms of each deed that an item says was never done, without the names of people."""
    if item.proposal.maker.rule != DENIES:
        return []
    names = {term for name in (*item.proposal.subjects, *item.told.subjects) for term in terms(name)}
    deeds = [set(terms(deed)) - names for deed in denied(item.proposal.content)]
    return [deed for deed in deeds if len(deed) >= _FEWEST]


def _is_named(item: Item, draft: Draft) -> bool:
    """Return whether the words of what an item replaces name all that its key does."""
    return set(terms((draft.key or "").partition("/")[2])) <= words_of(item)


def _is_kept(memory: Memory) -> bool:
    """Return whether a memory is more than a sentence: a task, or the value of a key, with what rests on it."""
    return memory.kind is Kind.TASK or memory.key is not None


def terms_of(draft: Draft) -> set[str]:
    """Return the terms of what a draft says."""
    return set(terms(draft.content))


def words_of(item: Item) -> set[str]:
    """Return the terms by which an item names what it means: those of the old value, without the names of people."""
    names = {term for name in (*item.proposal.subjects, *item.told.subjects) for term in terms(name)}
    return set(terms(item.proposal.old or item.proposal.content)) - names


def carry_out(
    unit: Unit,
    operation: ProposalOperation,
    nodes: Iterable[Node],
    maker: str | None,
    at: int,
    *,
    told: Node | None,
) -> None:
    """End facts, or close tasks, at ``at`` because a text says so; ``maker`` is the reading, and ``told`` the text.

    What is ended is no less sensitive than the text, as who may not see this is not to see what it did (ADR 89).
    """
    for node in nodes:
        if told is not None:
            raised = as_sensitive(unit, node, told.memory.sensitivity, told.memory.sensitivity_reasons)
            record_sensitivity(unit, raised[1:], "what it derives from became more sensitive")
        if operation is ProposalOperation.CLOSE:
            amend_task(unit, node.memory.id, status=TaskStatus.DONE, ended_by=maker)
        else:
            end(unit, node, "a text that was read says that it holds no longer", at=at, by=maker)


def accept_proposal(unit: Unit, ident: str) -> tuple[str, ...]:
    """Do what a waiting proposal says, as a person decided; returns the ids of what changed."""
    node, operation, about = accepted(unit, ident)
    if operation not in _ENDING:
        return take_in(unit, node, about)
    maker = next(iter(node.memory.made_by), None)
    carry_out(unit, operation, about, maker, node.memory.valid_from, told=node)
    drop(unit, ident, "a person accepted what was read")
    return (ident, *(one.memory.id for one in about))


def told_of(
    item: Item, outcome: Outcome, *, memory: str | None = None, changed: Iterable[Node] = (), why: str = ""
) -> LearnStep:
    """Return what became of an item."""
    proposal = item.proposal
    # A plan names no memory that does not exist yet.
    stored = tuple(dict.fromkeys(node.memory.id for node in changed if not node.new))
    return LearnStep(
        operation=proposal.operation.value,
        outcome=outcome,
        turn=item.told.id,
        start=proposal.span.start,
        end=proposal.span.end,
        content=proposal.content,
        maker=item.maker,
        confidence=proposal.confidence,
        key=None if item.draft is None else item.draft.key,
        memory=memory,
        changed=stored,
        why=why,
    )
