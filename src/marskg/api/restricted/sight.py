"""What an agent may see and say of what it is about to change, asked of the unit of work that changes it.

Guarantees: what is hidden is refused like what never was; a refusal that rests on it is one fixed text. What
an agent may not overrule (:mod:`marskg.api.restricted.claims`) is looked for in the transaction that writes, so that
nobody says anything in between. Source: semantics section 9; ADR 61, ADR 73.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from marskg.errors import (
    BudgetInfeasible,
    ClosureViolation,
    CycleError,
    DuplicateId,
    MarsError,
    NotPermitted,
    TaskSafetyViolation,
    UnknownMemory,
)
from marskg.late_regex import late_regex
from marskg.learning.wishes import SESSION
from marskg.ontology.key_forms import is_items
from marskg.ontology.vocabulary import Cardinality, EdgeType, Kind
from marskg.privacy.field_rights import given_fields
from marskg.retrieval.assembly.duplicates import normalised
from marskg.retrieval.explain import never_was
from marskg.store.graph.validation import cardinality_of, check_time
from marskg.store.rows import codec
from marskg.text import as_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from marskg.api.components import Components
    from marskg.api.restricted.claims import Claims
    from marskg.drafts import Draft
    from marskg.records import Memory
    from marskg.store.unit.unit_of_work import Node, Unit

_ID: Final = late_regex(r"urn:uuid:[0-9a-f-]{36}")
#: What a refusal says that rests on more than the agent may see; each names the rule and the way out.
_REFUSED: Final[Mapping[type[MarsError], str]] = {
    BudgetInfeasible: (
        "the budget has no room that may be made for this: shorten it, or ask the operator to raise the budget"
    ),
    DuplicateId: "this id cannot be given to a new memory: leave it out, or use update for a new version",
    TaskSafetyViolation: "a task that is open needs this, or this needs what is gone (I4): close the task first",
    ClosureViolation: "this would rest on what is gone, or leave something without what it rests on (I3)",
    CycleError: "this would let something rest on itself (semantics section 2): leave the edge out",
}
_HIDDEN_KEY: Final = (
    "this key has a current value that is not for this agent: use another key, or ask somebody who may see it"
)


def _changed_by(content: str) -> Callable[[Memory], bool]:
    """Return what says which values of a key one with ``content`` changes: the single one, in a set an equal one."""
    added = normalised(content)
    return lambda one: (
        one.cardinality is Cardinality.SINGLE
        or (one.cardinality is Cardinality.SET and normalised(one.content or "") == added)
    )


def ended_by(content: str | None) -> Callable[[Memory], bool]:
    """Return what says which values of a key are ended by naming it, and ``content`` where it has several."""
    ended = normalised(content or "")
    return lambda one: one.cardinality is Cardinality.SINGLE or not ended or normalised(one.content or "") == ended


def _keeps(node: Node) -> bool:
    """Return whether a memory keeps what it depends on from being forgotten, or does once it is an active task."""
    return node.guards > 0 or node.memory.kind is Kind.TASK


def _slot(unit: Unit, key: str, subjects: Iterable[str]) -> str:
    """Return the slot that a key of somebody has; a name that is given twice makes no other."""
    return codec.slot_key(unit.state.name, {*subjects}, key)


class Sight:
    """What an agent may see of what it is about to change, asked of the unit of work that changes it."""

    def __init__(self, components: Components, claims: Claims) -> None:
        """Look with the limits of the principal of ``components``, whose ``claims`` are asked too."""
        self._components = components
        self._claims = claims
        self._seen = components.reading.seen
        self.told = components.reading.as_told

    def check(self, unit: Unit, *ids: str) -> None:
        """Refuse what is hidden, and what never was, in the same words.

        Raises:
            UnknownMemory: one of ``ids`` is no memory that may be seen.
        """
        self._check_shown(unit, ids, lambda one: UnknownMemory(never_was(unit.state.name, one)))

    def check_overruled(self, unit: Unit, *ids: str) -> None:
        """Refuse to replace or contradict what may be seen and comes from a source that the agent was not granted.

        Raises:
            NotPermitted: one of ``ids`` does.
        """
        unit.fetch(ids)
        self._claims.check_word(unit.nodes[one].memory for one in ids if one in unit.nodes)

    def check_change(self, unit: Unit, ident: str, given: Mapping[str, object]) -> None:
        """Refuse to give a memory fields (None for one that is not given) that are not the agent's to write.

        Raises:
            UnknownMemory: it may not be seen.
            NotPermitted: a field may not be written, or the memory not be overruled.
        """
        self.check_fields_of(name for name, value in given.items() if value is not None)
        self.check(unit, ident)
        self.check_overruled(unit, ident)

    def check_key(
        self, unit: Unit, key: str | None, subjects: Iterable[str], changes: Callable[[Memory], bool]
    ) -> None:
        """Refuse to change a value of a key that is hidden, or comes from a source that the agent was not granted.

        ``changes`` says which of the current values would be. Of a ledger these alone have to be seen, else all.

        Raises:
            NotPermitted: a current value of the key may not be seen, or not be overruled.
        """
        if key is None:
            return
        nodes = unit.slot(_slot(unit, key, subjects))
        current = [node.memory for node in nodes if node.has_content and node.memory.current]
        shared = [one.id for one in current if one.cardinality is not Cardinality.APPEND or changes(one)]
        self._check_shown(unit, shared, lambda _: NotPermitted(_HIDDEN_KEY))
        self._claims.check_word(filter(changes, current))

    def check_changed(self, unit: Unit, ident: str, content: str) -> None:
        """Refuse a new text for what may not be changed, or where what took its place may not be seen.

        Raises:
            UnknownMemory: it may not be seen.
            NotPermitted: it, or a current value of its key, may not be overruled, or that not be seen.
        """
        self.check(unit, ident)
        self.check_overruled(unit, ident)
        memory = unit.nodes[ident].memory
        self.check_key(unit, memory.key, memory.subjects, _changed_by(content))

    def check_fields(self, draft: Draft) -> None:
        """Refuse a draft that gives a field which is not the agent's to write, or an item that is not its to put.

        Raises:
            NotPermitted: it does.
        """
        self.check_fields_of(given_fields(draft))
        self._check_item(draft)

    def _check_item(self, draft: Draft) -> None:
        """Refuse to put or end an item where one of its name, about whomever, is hidden or may not be overruled.

        An item is found by its name alone, so that it is one whoever it is about. This is asked before the transaction;
        of what a user puts meanwhile, and who reads finds both, theirs is the item.
        """
        key = as_key(draft.key or "")
        if not is_items(key):
            return
        there = self._components.reading.at_key(key)
        with self.changing() as unit:
            unit.fetch(there)
            nodes = [unit.nodes[one] for one in there if one in unit.nodes]
            own = {*draft.subjects}
            others = [
                node.memory
                for node in nodes
                if node.has_content and node.memory.current and {*node.memory.subjects} != own
            ]
            self._check_shown(unit, [one.id for one in others], lambda _: NotPermitted(_HIDDEN_KEY))
            self._claims.check_word(others)

    def check_fields_of(self, names: Iterable[str]) -> None:
        """Refuse the first of ``names`` that is no field which the agent may write.

        Raises:
            NotPermitted: there is one.
        """
        self._claims.check_fields(names)

    def check_wished(self, session: object, content: object, subjects: Iterable[str]) -> None:
        """Refuse what is a wish by its ``session``, whatever door it came by, as ``learning.wish`` would refuse it.

        Raises:
            NotPermitted: it would hide, end or lower what may be seen and not be overruled.
        """
        if session != SESSION or not isinstance(content, str):
            return
        self._components.settle()
        meant = self._components.learner.lowered_by(content, subjects)
        seen = self._seen(meant)
        with self.changing() as unit:
            self.check_fields_of(("wish",))
            self.check_overruled(unit, *(ident for ident in meant if ident in seen))

    def check_edge(self, unit: Unit, source: str, type_: str, target: str) -> None:
        """Refuse to change by an edge what is not the agent's to say: its source, and where it acts both ways both.

        Raises:
            UnknownMemory: an end may not be seen.
            NotPermitted: one may not be overruled.
        """
        self.check_fields_of(("edges", "weight"))
        self.check(unit, source, target)
        self.check_overruled(unit, source, *([target] if type_ == EdgeType.CONTRADICTS else ()))
        self._check_keeping(unit, type_, target, keeps=_keeps(unit.nodes[source]))

    def check_write(self, unit: Unit, draft: Draft, refs: Mapping[str, str]) -> None:
        """Refuse a draft that names what may not be seen, or says what the agent may not; ``refs`` are its own names.

        Raises:
            UnknownMemory: it names a memory that may not be seen.
            NotPermitted: its source was not granted, or a current value of its key may not be seen or overruled.
        """
        self.check(unit, *(name for _, name in draft.links() if name not in refs))
        against = (refs.get(name, name) for type_, name in draft.links() if type_ is EdgeType.CONTRADICTS)
        self.check_overruled(unit, *filter(None, against))
        if draft.action == "retract":
            self.check_key(unit, draft.key, draft.subjects, ended_by(draft.content))
        elif draft.action == "close_task":
            self.check_key(unit, draft.key, draft.subjects, lambda one: one.kind is Kind.TASK)
        else:
            self._claims.check(draft.source_type, draft.reliability)
            self._check_value(unit, draft)
            for type_, name in draft.links():
                if target := refs.get(name, name):
                    self._check_keeping(unit, type_, target, keeps=draft.pin or draft.kind is Kind.TASK)

    def _check_keeping(self, unit: Unit, type_: str, target: str, *, keeps: bool) -> None:
        """Refuse an edge by which something of the agent's keeps from being forgotten what is not its own to say.

        That is a pin by another name: what an active task requires, and what that rests on, no policy takes.

        Raises:
            NotPermitted: it ``keeps`` what it leads to, or would once it is active, and that may not be overruled.
        """
        if type_ != EdgeType.REQUIRES and not (keeps and type_ == EdgeType.DEPENDS_ON):
            return
        kept, pending = {target}, [target]
        while pending:
            unit.fetch(pending)
            bases = {
                base for one in pending if one in unit.nodes for base in unit.nodes[one].targets(EdgeType.DEPENDS_ON)
            }
            pending = sorted(bases - kept)
            kept |= bases
        self.check_overruled(unit, *sorted(kept))

    def _check_value(self, unit: Unit, draft: Draft) -> None:
        """Refuse a new value of a key, if it is one, that changes what is not the agent's to say."""
        if cardinality_of(draft) is Cardinality.SINGLE:
            self._claims.check_begin(later=check_time("at", draft.at) > unit.now)
        if draft.key is not None and draft.cardinality is Cardinality.APPEND:
            head = unit.slot_head(_slot(unit, draft.key, draft.subjects))
            if all(node.memory.cardinality is Cardinality.APPEND for node in head):
                # What is added to a ledger changes none of it, however long it is.
                return
        self.check_key(unit, draft.key, draft.subjects, _changed_by(draft.content))

    def _check_shown(self, unit: Unit, ids: Iterable[str], refusal: Callable[[str], MarsError]) -> None:
        """Refuse the first of ``ids`` that is none of a memory which may be seen, or which the unit itself makes."""
        wanted = list(ids)
        if not wanted:
            return
        unit.fetch(wanted)
        gate = self._components.reading.gate({}).known()
        for one in wanted:
            node = unit.nodes.get(one)
            if node is None or node.deleted or not (node.new or gate.admits(node.memory)):
                raise refusal(one)

    @contextmanager
    def refusing(self, *given: str) -> Iterator[None]:
        """Let refusals tell of nothing that is hidden; ``given`` are ids that the agent named itself.

        Raises:
            MarsError: as it was, or of the same class with a fixed text.
        """
        try:
            yield
        except MarsError as error:
            fixed = next((text for kind, text in _REFUSED.items() if isinstance(error, kind)), None)
            named = {*_ID.findall(str(error))} - {*given}
            hidden = isinstance(error, BudgetInfeasible | DuplicateId) or not named <= self._seen(named)
            if fixed is None or not hidden:
                raise
            raise type(error)(fixed) from None

    @contextmanager
    def changing(self, *given: str) -> Iterator[Unit]:
        """Give the tenant as it is, and keep other threads from changing it; see :meth:`refusing` for ``given``.

        Raises:
            MarsError: as :meth:`refusing`.
        """
        writer = self._components.writer
        with writer.alone(), self.refusing(*given):
            yield writer.new_unit(writer.read, writer.fresh_state())
