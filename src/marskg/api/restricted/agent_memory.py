"""The facade of an agent: a program that serves people, writes what they say and reads it back through the gate.

Guarantees: an agent changes only what it may read, and every answer and every error of a write is the same whether
something hidden is there or not, but for these: what a shared budget takes, that a write is refused, and what was
resolved with the help of hidden memories (ADR 27). A refusal that rests on what is hidden is one fixed text. Source:
semantics section 9; ADR 61, ADR 73.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

from marskg.api.arguments import checked_calls
from marskg.api.doors import guarded
from marskg.api.namespaces.learning_namespace import Learning
from marskg.api.namespaces.tasks_namespace import Tasks
from marskg.api.restricted.claims import Claims
from marskg.api.restricted.restricted_memory import RestrictedMemory
from marskg.api.restricted.showing_names import ShowingNames
from marskg.errors import (
    BudgetInfeasible,
    ClosureViolation,
    CycleError,
    DuplicateId,
    InvalidInput,
    MarsError,
    NotPermitted,
    TaskSafetyViolation,
    UnknownMemory,
)
from marskg.ontology.vocabulary import Cardinality, EdgeType, SourceType
from marskg.privacy.principals import Role
from marskg.retrieval.assembly.duplicates import normalised
from marskg.retrieval.details import slot_details
from marskg.retrieval.explain import never_was
from marskg.store.graph.validation import cardinality_of, check_time, ids_of
from marskg.store.rows import codec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from marskg.api.components import Components
    from marskg.drafts import Draft
    from marskg.given_time import GivenTime
    from marskg.learning.feedback import Feedback
    from marskg.learning.wishes import StoredWish
    from marskg.privacy.principals import Principal
    from marskg.records import Memory, Stored
    from marskg.store.tenant.opening import Opened
    from marskg.store.unit.unit_of_work import Unit

_ID: Final = re.compile(r"urn:uuid:[0-9a-f-]{36}")
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


def _ended_by(content: str | None) -> Callable[[Memory], bool]:
    """Return what says which values of a key are ended by naming it, and ``content`` where it has several."""
    ended = normalised(content or "")
    return lambda one: one.cardinality is Cardinality.SINGLE or not ended or normalised(one.content or "") == ended


def _slot(unit: Unit, key: str, subjects: Iterable[str]) -> str:
    """Return the slot that a key of somebody has; a name that is given twice makes no other."""
    return codec.slot_key(unit.state.name, {*subjects}, key)


def _none(memory: Memory) -> bool:
    del memory
    return False


class Sight:
    """What an agent may see of what it is about to change, asked of the unit of work that changes it."""

    def __init__(self, components: Components, claims: Claims) -> None:
        """Look with the limits of the principal of ``components``, whose ``claims`` are asked too."""
        self._components = components
        self._claims = claims
        self._seen = components.reading.seen
        self.told = components.reading.as_told

    def now(self) -> Unit:
        """Return the tenant as it is now; while the writer is alone, as it stays."""
        writer = self._components.writer
        return writer.new_unit(writer.read, writer.fresh_state())

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

    def check_edge(self, unit: Unit, source: str, type_: str, target: str) -> None:
        """Refuse to change by an edge what is not the agent's to say: its source, and where it acts both ways both.

        Raises:
            UnknownMemory: an end may not be seen.
            NotPermitted: one may not be overruled.
        """
        self.check(unit, source, target)
        self.check_overruled(unit, source, *([target] if type_ == EdgeType.CONTRADICTS else ()))

    def check_write(self, unit: Unit, draft: Draft, refs: Mapping[str, str]) -> None:
        """Refuse a draft that names what may not be seen, or says what the agent may not; ``refs`` are its own names.

        Raises:
            UnknownMemory: it names a memory that may not be seen.
            NotPermitted: its source was not granted, or a current value of its key may not be seen or overruled.
        """
        remembers = draft.action == "remember"
        self.check(unit, *(name for _, name in draft.links() if name not in refs))
        against = (refs.get(name, name) for type_, name in draft.links() if type_ is EdgeType.CONTRADICTS)
        self.check_overruled(unit, *filter(None, against))
        if remembers:
            self._claims.check(draft.source_type, draft.reliability)
        if remembers and cardinality_of(draft) is Cardinality.SINGLE:
            self._claims.check_begin(later=check_time("at", draft.at) > unit.now)
        if remembers and draft.key is not None and draft.cardinality is Cardinality.APPEND:
            head = unit.slot_head(_slot(unit, draft.key, draft.subjects))
            if all(node.memory.cardinality is Cardinality.APPEND for node in head):
                # What is added to a ledger changes none of it, however long it is.
                return
        changes = _changed_by(draft.content) if remembers else _ended_by(draft.content)
        # How a task stands is for whoever serves the user to say, as with ``tasks.amend``.
        self.check_key(unit, draft.key, draft.subjects, _none if draft.action == "close_task" else changes)

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
        with self._components.writer.alone(), self.refusing(*given):
            yield self.now()


class AgentTasks(Tasks):
    """The tasks of a tenant as an agent has them."""

    def __init__(self, components: Components, sight: Sight) -> None:
        """Change tasks that ``sight`` shows."""
        super().__init__(components)
        self._sight = sight

    def amend(
        self,
        id: str,  # noqa: A002 - the name that users see
        *,
        status: str | None = None,
        priority: int | None = None,
        deadline: GivenTime | None = None,
    ) -> Memory:
        """Change a task that may be seen; see ``Tasks.amend``. How it stands is anybody's to tell, the rest is not.

        Raises:
            NotPermitted: the priority or deadline comes from a source that was not granted.
        """
        with self._sight.changing(id) as unit:
            self._sight.check(unit, id)
            if priority is not None or deadline is not None:
                self._sight.check_overruled(unit, id)
            return self._sight.told(super().amend(id, status=status, priority=priority, deadline=deadline))


class AgentLearning(Learning):
    """What an agent passes on of what its users say about what is stored."""

    def __init__(self, components: Components, sight: Sight) -> None:
        """Change what ``sight`` shows."""
        super().__init__(components)
        self._sight = sight

    def wish(self, text: str, *, subject: str | None = None, dry_run: bool = False) -> tuple[StoredWish, ...]:
        """Keep what a user wishes about remembering; of the memories that it is about, those that may be seen.

        Raises:
            NotPermitted: it would replace a wish of the user's own, for whom the agent may not speak.
        """
        sight = self._sight
        with sight.refusing():
            found = super().wish(text, subject=subject, dry_run=dry_run)
        seen = self._components.reading.seen(ident for one in found for ident in one.about)
        return tuple(
            replace(one, memory=sight.told(one.memory), about=tuple(ident for ident in one.about if ident in seen))
            for one in found
        )

    def affirm(self, id: str) -> Memory:  # noqa: A002 - the name that users see
        """Confirm a memory that may be seen although what it depends on was superseded."""
        with self._sight.changing(id) as unit:
            self._sight.check(unit, id)
            return self._sight.told(super().affirm(id))


@guarded
@checked_calls()
class AgentsMemory(RestrictedMemory):
    """A tenant's memory as an agent has it; made by :func:`marskg.open`."""

    def __init__(self, opened: Opened, principal: Principal) -> None:
        """Serve ``principal`` the tenant that was opened."""
        handle = partial(opened.services.handle, opened.tenant)
        self._showings = ShowingNames(handle, lambda: self._writer.fresh_state().access_log)
        super().__init__(opened, principal, names=self._showings)
        self._sight = Sight(self._components, Claims(principal))
        # Whoever knows what a user said could else store something else in its place before it is imported.
        owner = "" if SourceType.CHAT_USER in (principal.sources or ()) else principal.actor
        self._components.ingestor.limit(self._sight.check_write, owner)
        self._actor = principal.actor

    def remember(self, content: str, **given: Any) -> Memory:  # noqa: ANN401 - as AgentMemory.remember has them
        """Store one memory about what may be seen; see :meth:`AgentMemory.remember`.

        Without a ``source_type`` it comes from the user where the agent was granted that, else from the assistant.

        Raises:
            UnknownMemory: it names a memory that may not be seen.
            NotPermitted: its source was not granted, or its key has a current value that may not be seen or overruled.
        """
        given.setdefault("source_type", self._principal.speaks_as)
        with self._sight.refusing():
            return self._sight.told(super().remember(content, **given))

    def remember_many(
        self,
        drafts: Iterable[Draft],
        *,
        progress: Callable[[int], None] | None = None,
        atomic: bool = False,
    ) -> Stored:
        """Store what a reader yields, as :meth:`remember` stores one."""
        with self._sight.refusing():
            return super().remember_many(drafts, progress=progress, atomic=atomic)

    def update(
        self,
        id: str,  # noqa: A002 - the name that users see
        content: str,
        *,
        metadata: Mapping[Any, Any] | None = None,
    ) -> Memory:
        """Give a memory that may be seen a new text; see :meth:`AgentMemory.update`."""
        # The text is read outside of the lock. What a user says meanwhile supersedes what this is a version of.
        with self._sight.changing(id) as unit:
            self._sight.check_changed(unit, id, content)
        with self._sight.refusing(id):
            return self._sight.told(super().update(id, content, metadata=metadata))

    def retract(self, key: str, *, subjects: Iterable[str] | str = (), content: str | None = None) -> list[Memory]:
        """End the current value of a key, which may be seen; returns what was closed."""
        about = ids_of(subjects)
        with self._sight.changing() as unit:
            self._sight.check_key(unit, key, about, _ended_by(content))
            return [self._sight.told(one) for one in super().retract(key, subjects=about, content=content)]

    def link(self, source: str, type: str, target: str, *, weight: float | None = None) -> Memory:  # noqa: A002
        """Draw an edge between two memories that may be seen."""
        with self._sight.changing(source, target) as unit:
            self._sight.check_edge(unit, source, type, target)
            return self._sight.told(super().link(source, type, target, weight=weight))

    def unlink(self, source: str, type: str, target: str) -> Memory:  # noqa: A002
        """Remove an edge between two memories that may be seen."""
        with self._sight.changing(source, target) as unit:
            self._sight.check_edge(unit, source, type, target)
            return self._sight.told(super().unlink(source, type, target))

    def feedback(self, retrieval_id: str, **said: Any) -> Feedback:  # noqa: ANN401 - as AgentMemory.feedback has them
        """Say what became of what this agent was shown; see :meth:`AgentMemory.feedback`.

        Raises:
            InvalidInput: the id names no retrieval of this agent, or as it says there.
        """
        record = self._showings.record(retrieval_id)
        if record is None or not self._is_own(record):
            msg = f"{retrieval_id[:120]!r} names no retrieval of {self._principal}; give the id of what it returned"
            raise InvalidInput(msg)
        try:
            with self._sight.refusing():
                found = super().feedback(record, **said)
        except InvalidInput as error:
            msg = str(error).replace(record, retrieval_id).replace(record.partition("-")[0], retrieval_id)
            raise InvalidInput(msg) from None
        return replace(found, id=None, retrieval=retrieval_id)

    def _is_own(self, record: str) -> bool:
        """Return whether an access record says that this principal read."""
        with self._writer.alone():
            name = self._writer.shared.pending.renamed(record)
        number = int(name.rpartition("#")[2].partition("-")[0])
        found = next(iter(self._reader.records("a", number)), None)
        said = {} if found is None or found.sequence != number else slot_details(found).get("", {})
        return said.get("actor") == [self._actor]

    @cached_property
    def tasks(self) -> Tasks:
        """Return the state of tasks that may be seen."""
        return AgentTasks(self._components, self._sight)

    @cached_property
    def learning(self) -> Learning:
        """Return what users wish about remembering."""
        return AgentLearning(self._components, self._sight)


def restricted_memory(opened: Opened, principal: Principal) -> RestrictedMemory:
    """Return the tenant that was opened as somebody else than its operator has it."""
    return (AgentsMemory if principal.role is Role.AGENT else RestrictedMemory)(opened, principal)
