"""The facade of an agent: a program that serves people, writes what they say and reads it back through the gate.

Guarantees: an agent changes only what it may read, and every answer and every error of a write is the same whether
something hidden is there or not, but for these: what a shared budget takes, that a write is refused, and what was
resolved with the help of hidden memories (ADR 27). Source: semantics section 9; ADR 61, ADR 73.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from marskg.api.arguments import checked_calls
from marskg.api.doors import guarded
from marskg.api.namespaces.learning_namespace import Learning
from marskg.api.namespaces.tasks_namespace import Tasks
from marskg.api.restricted.claims import Claims
from marskg.api.restricted.restricted_memory import RestrictedMemory
from marskg.api.restricted.showing_names import ShowingNames
from marskg.api.restricted.sight import Sight, ended_by
from marskg.errors import InvalidInput
from marskg.language.wish_kinds import WishKind
from marskg.learning.wishes import SESSION
from marskg.ontology.vocabulary import SourceType
from marskg.privacy.principals import Role
from marskg.retrieval.details import slot_details
from marskg.store.graph.validation import ids_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from marskg.api.arguments import Rank, Share
    from marskg.api.components import Components
    from marskg.drafts import Draft
    from marskg.given_time import GivenTime
    from marskg.learning.feedback import Feedback
    from marskg.learning.wishes import StoredWish
    from marskg.privacy.principals import Principal
    from marskg.records import Memory, Stored
    from marskg.store.tenant.opening import Opened


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
        priority: Rank | None = None,
        deadline: GivenTime | None = None,
    ) -> Memory:
        """Change a task that may be seen; see ``Tasks.amend``.

        Raises:
            NotPermitted: the task comes from a source that was not granted.
        """
        with self._sight.changing(id) as unit:
            self._sight.check_change(unit, id, {"status": status, "priority": priority, "deadline": deadline})
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
            NotPermitted: it would replace a wish of the user's own, for whom the agent may not speak, or hide, end or
                lower what a source said that was not granted.
        """
        sight = self._sight
        with sight.refusing():
            found = super().wish(text, subject=subject, dry_run=True)
            seen = self._components.reading.seen(ident for one in found for ident in one.about)
            against = [ident for one in found if one.kind is not WishKind.MORE for ident in one.about if ident in seen]
            with sight.changing() as unit:
                sight.check_fields_of(("wish", *(() if subject is None else ("subject",))))
                sight.check_overruled(unit, *against)
            if not dry_run:
                found = super().wish(text, subject=subject)
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
        self._claims = Claims(principal)
        self._sight = Sight(self._components, self._claims)
        # What a write tells of names is told of those alone that the agent may see.
        self._writer.limit_questions(lambda: self._components.reading.gate({}).known().admits)
        # Whoever knows what a user said could else store something else in its place before it is imported.
        owner = "" if SourceType.CHAT_USER in (principal.sources or ()) else principal.actor
        self._components.ingestor.limit(self._sight.check_fields, self._sight.check_write, owner)
        self._actor = principal.actor

    def remember(self, content: str, **given: Any) -> Memory:  # noqa: ANN401 - as AgentMemory.remember has them
        """Store one memory about what may be seen; see :meth:`AgentMemory.remember`.

        Without a ``source_type`` it comes from the user where the agent was granted that, else from the assistant.

        Raises:
            UnknownMemory: it names a memory that may not be seen.
            NotPermitted: its source was not granted, or its key has a current value that may not be seen or overruled.
        """
        given.setdefault("source_type", self._principal.speaks_as)
        if given.get("reliability") is None:
            given["reliability"] = self._claims.default_reliability(given["source_type"])
        if given.get("session") == SESSION:
            given["subjects"] = ids_of(given.get("subjects", ()))
            self._sight.check_wished(SESSION, content, given["subjects"])
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
            return super().remember_many(self._as_claimed(drafts), progress=progress, atomic=atomic)

    def _as_claimed(self, drafts: Iterable[Draft]) -> Iterator[Draft]:
        """Yield ``drafts``, those that say nothing of their reliability with what the agent may claim."""
        for draft in drafts:
            self._sight.check_wished(draft.session, draft.content, draft.subjects)
            least = None if draft.reliability is not None else self._claims.default_reliability(draft.source_type)
            yield draft if least is None else replace(draft, reliability=least)

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
            self._sight.check_change(unit, id, {"content": content, "metadata": metadata})
            self._sight.check_changed(unit, id, content)
            memory = unit.nodes[id].memory
        self._sight.check_wished(memory.session, content, memory.subjects)
        with self._sight.refusing(id):
            return self._sight.told(super().update(id, content, metadata=metadata))

    def retract(self, key: str, *, subjects: Iterable[str] | str = (), content: str | None = None) -> list[Memory]:
        """End the current value of a key, which may be seen; returns what was closed."""
        about = ids_of(subjects)
        with self._sight.changing() as unit:
            self._sight.check_key(unit, key, about, ended_by(content))
            return [self._sight.told(one) for one in super().retract(key, subjects=about, content=content)]

    def link(self, source: str, type: str, target: str, *, weight: Share | None = None) -> Memory:  # noqa: A002
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
