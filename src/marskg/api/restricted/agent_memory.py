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
from marskg.drafts import Draft
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
from marskg.ontology.vocabulary import Cardinality, EdgeType
from marskg.privacy.principals import Role
from marskg.retrieval.assembly.duplicates import normalised
from marskg.retrieval.details import slot_details
from marskg.retrieval.explain import never_was
from marskg.store.graph.validation import ids_of
from marskg.store.rows import codec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from marskg.api.components import Components
    from marskg.given_time import GivenTime
    from marskg.learning.feedback import Feedback
    from marskg.learning.wishes import StoredWish
    from marskg.ontology.vocabulary import SourceType
    from marskg.privacy.principals import Principal
    from marskg.records import Memory, Stored
    from marskg.store.tenant.opening import Opened

_ID: Final = re.compile(r"urn:uuid:[0-9a-f-]{36}")
_LINKS: Final = ("derives_from", "depends_on", "requires", "contradicts", "attaches_to_goal")
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


class Sight:
    """What an agent may see of what it is about to change."""

    def __init__(self, components: Components, claims: Claims) -> None:
        """Look with the limits of the principal of ``components``, whose ``claims`` are asked too."""
        self._components = components
        self._claims = claims
        self._seen = components.reading.seen
        self.told = components.reading.as_told

    def check(self, *ids: str) -> None:
        """Refuse what is hidden, and what never was, in the same words.

        Raises:
            UnknownMemory: one of ``ids`` is no memory that may be seen.
        """
        seen = self._seen(ids)
        for one in ids:
            if one not in seen:
                raise UnknownMemory(never_was(self._components.writer.state.name, one))

    def check_overruled(self, *ids: str) -> None:
        """Refuse to replace or contradict what may be seen and comes from a source that the agent was not granted.

        Raises:
            NotPermitted: one of ``ids`` does.
        """
        if ids:
            self._claims.check_word(memory for memory, _, _ in self._components.reader.nodes(ids))

    def check_key(
        self,
        key: str | None,
        subjects: tuple[str, ...],
        *,
        appends: bool = False,
        adds: str | None = None,
        closes: bool = False,
    ) -> None:
        """Refuse to change the value of a key that is hidden, or comes from a source that the agent was not granted.

        What is added to a ledger changes none. What ``adds`` a text to a set changes the one that says the same alone,
        as the two are merged; what ``closes`` a task is its state, as with ``tasks.amend``.

        Raises:
            NotPermitted: a current value of the key may not be seen, or not be overruled.
        """
        if key is None:
            return
        reader = self._components.reader
        slot = codec.slot_key(self._components.writer.state.name, subjects, key)
        values = [one for one, _, _ in reader.nodes([str(row["id"]) for row in reader.run("slot", {"slot": slot})])]
        current = [one for one in values if one.content is not None and one.current]
        if appends and all(one.cardinality is Cardinality.APPEND for one in current):
            return
        if not {one.id for one in current} <= self._seen(one.id for one in current):
            raise NotPermitted(_HIDDEN_KEY)
        if closes:
            return
        added = None if adds is None else normalised(adds)
        self._claims.check_word(
            one
            for one in current
            if added is None or one.cardinality is not Cardinality.SET or normalised(one.content or "") == added
        )

    def check_key_of(self, ident: str) -> None:
        """Refuse to change what may be seen where what took its place may not.

        Raises:
            NotPermitted: a current value of its key may not be seen.
        """
        for memory, _, _ in self._components.reader.nodes((ident,)):
            appends = memory.cardinality is Cardinality.APPEND
            self.check_key(memory.key, memory.subjects, appends=appends)

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
        """Change a task that may be seen; see ``Tasks.amend``."""
        sight = self._sight
        sight.check(id)
        with sight.refusing(id):
            return sight.told(super().amend(id, status=status, priority=priority, deadline=deadline))


class AgentLearning(Learning):
    """What an agent passes on of what its users say about what is stored."""

    def __init__(self, components: Components, sight: Sight, source: SourceType) -> None:
        """Change what ``sight`` shows; wishes are stored as coming from ``source``."""
        super().__init__(components)
        self._sight = sight
        self._source = source

    def wish(self, text: str, *, subject: str | None = None, dry_run: bool = False) -> tuple[StoredWish, ...]:
        """Keep what a user wishes about remembering; of the memories that it is about, those that may be seen."""
        sight = self._sight
        with sight.refusing():
            found = super().wish(text, subject=subject, dry_run=dry_run)
        seen = self._components.reading.seen(ident for one in found for ident in one.about)
        return tuple(
            replace(one, memory=sight.told(one.memory), about=tuple(ident for ident in one.about if ident in seen))
            for one in found
        )

    def _said(self, draft: Draft) -> Draft:
        return replace(draft, source_type=self._source)

    def affirm(self, id: str) -> Memory:  # noqa: A002 - the name that users see
        """Confirm a memory that may be seen although what it depends on was superseded."""
        sight = self._sight
        sight.check(id)
        with sight.refusing(id):
            return sight.told(super().affirm(id))


@guarded
@checked_calls()
class AgentsMemory(RestrictedMemory):
    """A tenant's memory as an agent has it; made by :func:`marskg.open`."""

    def __init__(self, opened: Opened, principal: Principal) -> None:
        """Serve ``principal`` the tenant that was opened."""
        handle = partial(opened.services.handle, opened.tenant)
        self._showings = ShowingNames(handle, lambda: self._writer.fresh_state().access_log)
        super().__init__(opened, principal, names=self._showings)
        self._claims = Claims(principal)
        self._sight = Sight(self._components, self._claims)
        self._actor = principal.actor

    def remember(self, content: str, **given: Any) -> Memory:  # noqa: ANN401 - as AgentMemory.remember has them
        """Store one memory about what may be seen; see :meth:`AgentMemory.remember`.

        Without a ``source_type`` it comes from the user where the agent was granted that, else from the assistant.

        Raises:
            UnknownMemory: it names a memory that may not be seen.
            NotPermitted: its source was not granted, or its key has a current value that may not be seen or overruled.
        """
        given.setdefault("source_type", self._principal.speaks_as)
        self._claims.check(given["source_type"], given.get("reliability"))
        edges = [target for _, target in given.get("edges", ())]
        named = [*edges, *(ident for name in _LINKS for ident in ids_of(given.get(name, ())))]
        self._sight.check(*named)
        overruled = [target for type_, target in given.get("edges", ()) if type_ == EdgeType.CONTRADICTS]
        self._sight.check_overruled(*overruled, *ids_of(given.get("contradicts", ())))
        appends = given.get("cardinality") == Cardinality.APPEND
        self._sight.check_key(given.get("key"), ids_of(given.get("subjects", ())), appends=appends, adds=content)
        with self._sight.refusing(*named):
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
            return super().remember_many(self._checked(drafts), progress=progress, atomic=atomic)

    def _checked(self, drafts: Iterable[Draft]) -> Iterator[Draft]:
        """Yield drafts that name what may be seen, or one another."""
        names: set[str] = set()
        for one in drafts:
            if isinstance(one, Draft):  # What is none is refused by who stores it.
                stored = [(type_, target) for type_, target in one.links() if target not in names]
                self._sight.check(*(target for _, target in stored))
                self._sight.check_overruled(*(target for type_, target in stored if type_ is EdgeType.CONTRADICTS))
                if one.action == "remember":
                    self._claims.check(one.source_type, one.reliability)
                appends = one.cardinality is Cardinality.APPEND
                adds = one.content if one.action == "remember" else None
                closes = one.action == "close_task"
                self._sight.check_key(one.key, one.subjects, appends=appends, adds=adds, closes=closes)
                names.add(one.ref)
            yield one

    def update(
        self,
        id: str,  # noqa: A002 - the name that users see
        content: str,
        *,
        metadata: Mapping[Any, Any] | None = None,
    ) -> Memory:
        """Give a memory that may be seen a new text; see :meth:`AgentMemory.update`."""
        self._sight.check(id)
        self._sight.check_overruled(id)
        self._sight.check_key_of(id)
        with self._sight.refusing(id):
            return self._sight.told(super().update(id, content, metadata=metadata))

    def retract(self, key: str, *, subjects: Iterable[str] | str = (), content: str | None = None) -> list[Memory]:
        """End the current value of a key, which may be seen; returns what was closed."""
        about = ids_of(subjects)
        self._sight.check_key(key, about)
        with self._sight.refusing():
            return [self._sight.told(one) for one in super().retract(key, subjects=about, content=content)]

    def link(self, source: str, type: str, target: str, *, weight: float | None = None) -> Memory:  # noqa: A002
        """Draw an edge between two memories that may be seen."""
        self._check_edge(source, type, target)
        with self._sight.refusing(source, target):
            return self._sight.told(super().link(source, type, target, weight=weight))

    def unlink(self, source: str, type: str, target: str) -> Memory:  # noqa: A002
        """Remove an edge between two memories that may be seen."""
        self._check_edge(source, type, target)
        with self._sight.refusing(source, target):
            return self._sight.told(super().unlink(source, type, target))

    def _check_edge(self, source: str, type_: str, target: str) -> None:
        """Refuse to change by an edge what is not the agent's to say: its source, and where it acts both ways both."""
        self._sight.check(source, target)
        self._sight.check_overruled(source, *([target] if type_ == EdgeType.CONTRADICTS else ()))

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
        return AgentLearning(self._components, self._sight, self._principal.speaks_as)


def restricted_memory(opened: Opened, principal: Principal) -> RestrictedMemory:
    """Return the tenant that was opened as somebody else than its operator has it."""
    return (AgentsMemory if principal.role is Role.AGENT else RestrictedMemory)(opened, principal)
