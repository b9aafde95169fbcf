"""The facade: what the product does, as one list of methods over one tenant of one store.

Guarantees: every method either does all of what it says or raises a :class:`~marskg.errors.MarsError` and leaves the
store as it was; the live tier never weighs more than the budget in any committed state (I1); each change has its
signed record in the same transaction (I7). Calls from several threads are safe.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from marskg import checks, transfer
from marskg.config import EXACT, Settings, duration_ms
from marskg.control.background import Background
from marskg.control.housekeeping import Housekeeper
from marskg.drafts import Draft, EntityRef, checked, enumeration
from marskg.embedding.registry import load_model
from marskg.errors import EmbeddingUnavailable, EnvironmentFailure, InvalidInput, NotPermitted
from marskg.learning.feedback import Said
from marskg.learning.learner import Learner
from marskg.learning.theta import learn
from marskg.learning.wishes import Wishes, touched
from marskg.ontology.vocabulary import (
    Cardinality,
    EdgeType,
    Kind,
    MemoryClass,
    Operation,
    SourceType,
    TaskStatus,
)
from marskg.policies.advisor import advise, left_out, remembered, showings
from marskg.policies.allowances import ceiling_of, make_room_within
from marskg.policies.comparison import compare_plans
from marskg.policies.executor import View, apply, make_room, shortfall
from marskg.policies.guardrail import noted
from marskg.policies.private import NAME as PRIVATE
from marskg.policies.private import balance, refuse_to_show, without_uniform
from marskg.policies.quarantine import reviewed
from marskg.policies.registry import SUFFIX, check_settings, explain_policy, goes_by_features, load_policy
from marskg.policies.slices import shares_of
from marskg.privacy.checking import check_receipt
from marskg.privacy.erasure import Eraser
from marskg.privacy.grants import give
from marskg.privacy.preferences import Preferences
from marskg.privacy.principals import OPERATOR, Principal
from marskg.privacy.processing import write_processing_receipt
from marskg.privacy.redaction import Redaction, forms
from marskg.privacy.report import gather
from marskg.privacy.report_forms import SubjectReport
from marskg.privacy.request import Request
from marskg.privacy.seen import who_saw
from marskg.privacy.sensitivity import Assessor
from marskg.private_mode import PrivateMode
from marskg.queries import Queries, undisturbed
from marskg.reading import Reading
from marskg.retention import check_retention
from marskg.retrieval.feature_sources import CommittedFeatures, OpenFeatures
from marskg.retrieval.search import check_query
from marskg.store import (
    access,
    amend,
    bounds,
    entities,
    lifecycle,
    maintenance,
    points,
    remember,
    rotation,
    sealing,
    subscriptions,
)
from marskg.store.admission import check_draft, check_integer, check_number, check_text, ids_of
from marskg.store.allowances import shown
from marskg.store.encrypted import fixed_encryption, is_encrypted
from marskg.store.intake import BATCH, Intake, in_chunks
from marskg.store.keyless import erase_again
from marskg.store.moments import of_one_moment, without_erased
from marskg.store.recognition import Recognition, load_recogniser
from marskg.store.reembedding import make_all, refuse_change, switch
from marskg.store.rescoring import rescore
from marskg.store.server_files import ServerFiles
from marskg.store.snapshots import Snapshots
from marskg.store.vectors import Vectoriser
from marskg.store.writer import Writer
from marskg.text import sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path
    from types import TracebackType

    from marskg.control.housekeeping import Upkeep
    from marskg.exporters.query import QueryResult
    from marskg.exporters.writer import Counts
    from marskg.learning.conflicts import FoundConflict
    from marskg.learning.feedback import Feedback
    from marskg.learning.learner import Decision, ReviewList
    from marskg.learning.theta import PolicyFit
    from marskg.learning.wishes import Heard
    from marskg.policies.advisor import Advice
    from marskg.policies.comparison import Comparison
    from marskg.policies.policy import Policy
    from marskg.privacy.grants import Grant
    from marskg.privacy.processing import ProcessingReceipt
    from marskg.privacy.receipts import Receipt
    from marskg.privacy.request import Matched
    from marskg.privacy.seen import Sightings
    from marskg.reading import Limit
    from marskg.records import AuditRecord, Edge, Entity, Memory, Plan, Report, TreeHead
    from marskg.retention import Retention
    from marskg.retrieval.everything import Everything
    from marskg.retrieval.explain import Explanation
    from marskg.retrieval.gate import Gate
    from marskg.retrieval.hits import Hits
    from marskg.store.opening import Opened
    from marskg.store.sealing import Sealed
    from marskg.store.sensed import Sensed
    from marskg.store.server_files import Cleaned
    from marskg.store.snapshots import SnapshotFile
    from marskg.store.state import TenantState
    from marskg.store.unit import Unit
    from marskg.store.writer import Ground


T = TypeVar("T")
#: Bytes of an answer, a question, a complaint or a wish.
_MOST_SAID: Final = 1 << 20


class AgentMemory:
    """One tenant's governed memory; made by :func:`marskg.open`, and a context manager."""

    def __init__(self, opened: Opened, principal: Principal = OPERATOR, limit: Limit | None = None) -> None:
        """Serve ``principal`` the tenant that was opened; ``limit`` narrows what they ask for, if they have limits."""
        self._principal = principal
        self._opened = opened
        self._reader = opened.reader
        self._ledger = opened.ledger
        self._queries = Queries(opened)
        self._policies: dict[str, Policy] = {}
        #: The last plan with the sequence of the access log that it was made at: what it found empty holds till then.
        self._planned: tuple[Plan, int] | None = None
        self._writer = Writer(opened.engine, opened.tenant, opened.services, self._govern, self._committed)
        self._vectoriser = Vectoriser(lambda: self._writer.state.settings.embedding.model, opened.services.clock.now_ms)
        self._assessor = Assessor()
        self._intake = Intake(self._writer, opened.counter, self._vectoriser, Recognition(), self._measure)
        self._wishes = Wishes(self._writer, self._reader)
        self._reading = Reading(
            opened, self._writer, self._vectoriser, self._wishes.emphasis, shows=self._as_shown, limit=limit
        )
        self._writer.before_room = self._before_room
        self._learner = Learner(self._writer, self._reader, self._reading.view, self._vectoriser, self._wishes)
        self._keeper = Housekeeper(self._writer, self._reader, self._intake, opened.counter, self._ledger)
        self._writer.on_foreign = self._heard
        self._writer.forget_views = self._forget_views
        self._snapshots = Snapshots(self._writer)
        self._eraser = Eraser(self._writer, self._snapshots)
        self._preferences = Preferences(self._writer)
        self._background: Background | None = None
        if self._writer.state.settings.retrieval.vectors != EXACT:
            points.define(self._writer.engine)
        erase_again(self._writer)
        self._snapshots.keep_promise()
        maintenance.settle(self._writer)

    # --- Writing --------------------------------------------------------------------------------------------------

    def remember(
        self,
        content: str,
        *,
        kind: str = "episodic",
        payload: Mapping[str, Any] | None = None,
        key: str | None = None,
        cardinality: str = "single",
        session: str | None = None,
        subjects: Iterable[str] = (),
        derives_from: Iterable[str] | str = (),
        depends_on: Iterable[str] | str = (),
        requires: Iterable[str] | str = (),
        contradicts: Iterable[str] | str = (),
        attaches_to_goal: Iterable[str] | str = (),
        edges: Iterable[tuple[str, str]] = (),
        mentions: Iterable[str | EntityRef] = (),
        at: int | None = None,
        valid_to: int | None = None,
        ttl: str | int | None = None,
        expires_at: int | None = None,
        sensitivity: float | None = None,
        memory_class: str | None = None,
        intent_tags: Iterable[str] = (),
        source_type: str = "chat_user",
        source_ref: str | None = None,
        reliability: float | None = None,
        purpose: Iterable[str] | str = (),
        jurisdiction: str | None = None,
        use_bound: bool = False,
        session_bound: bool = False,
        status: str | None = None,
        priority: int | None = None,
        deadline: int | None = None,
        pin: bool = False,
        id: str | None = None,  # noqa: A002 - the name that users see
    ) -> Memory:
        """Store one memory and return it, making room by the tenant's policy where the budget asks for it.

        Args:
            content: the text that an agent would be shown.
            kind: ``episodic``, ``semantic``, ``social`` or ``task``.
            payload: the kind's typed fields (MaRS sections 3.2.1-3.2.4).
            key: a slot such as ``budget/travel``, one for each (tenant, subjects, key).
            cardinality: of the slot: ``single``, ``set`` or ``append``.
            session: the conversation that an episode belongs to.
            subjects: the people it is about, the unit of erasure.
            derives_from: ids of the memories that it was derived from.
            depends_on: ids of the memories without which it makes no sense.
            requires: ids of a task's prerequisites.
            contradicts: ids of memories that it contradicts.
            attaches_to_goal: ids of the tasks that it serves.
            edges: further ``(type, id)`` pairs, such as ``("partOf", id)``.
            mentions: names of people, places and things, or :class:`~marskg.drafts.EntityRef`.
            at: when it was said or became true, epoch milliseconds; now if left out.
            valid_to: when it stops being true, if that is known, epoch milliseconds: it is history from then on.
            ttl: time to live, such as ``"30d"``, or milliseconds.
            expires_at: the end of its life, epoch milliseconds.
            sensitivity: from 0 to 1.
            memory_class: ``canonical``, ``factual``, ``intent_bound``, ``ephemeral`` or ``private``.
            intent_tags: what it may be used for in retrieval.
            source_type: ``doc``, ``chat_user``, ``chat_assistant``, ``api_result`` or ``reflection``.
            source_ref: where in the source it stands.
            reliability: of the source, from 0 to 1.
            purpose: what it may be used for, and nothing else; any purpose if left out.
            jurisdiction: whose law it is under.
            use_bound: it goes once it was used.
            session_bound: it goes when its session ends.
            status: of a task.
            priority: of a task.
            deadline: of a task, epoch milliseconds.
            pin: keep it, and what it depends on, whatever the policy says.
            id: an absolute ``urn:uuid:`` of one's own.

        Raises:
            InvalidMemory: a field is unknown or out of range.
            ClosureViolation, TaskSafetyViolation, CycleError, DuplicateId: the write gate refuses it.
            MemoryTooLarge, BudgetInfeasible: the budget cannot hold it.
        """
        draft = Draft(
            ref="",
            kind=enumeration(Kind, "kind", kind),
            content=content,
            at=self.now() if at is None else at,
            payload=dict(payload or {}),
            key=key,
            cardinality=enumeration(Cardinality, "cardinality", cardinality) if key is not None else None,
            session=session,
            subjects=ids_of(subjects),
            source_type=enumeration(SourceType, "source_type", source_type),
            source_ref=source_ref,
            reliability=reliability,
            purpose=ids_of(purpose),
            jurisdiction=jurisdiction,
            use_bound=use_bound,
            session_bound=session_bound,
            memory_class=None if memory_class is None else enumeration(MemoryClass, "memory_class", memory_class),
            intent_tags=ids_of(intent_tags),
            sensitivity=sensitivity,
            ttl=str(ttl) if isinstance(ttl, str) else None if ttl is None else f"{check_integer('ttl', ttl, 1)}ms",
            expires_at=expires_at,
            valid_to=valid_to,
            pin=pin,
            status=None if status is None else enumeration(TaskStatus, "status", status),
            priority=priority,
            deadline=deadline,
            derives_from=ids_of(derives_from),
            depends_on=ids_of(depends_on),
            requires=ids_of(requires),
            attaches_to_goal=ids_of(attaches_to_goal),
            contradicts=ids_of(contradicts),
            edges=tuple((enumeration(EdgeType, "edge type", type_), target) for type_, target in edges),
            mentions=tuple(item if isinstance(item, EntityRef) else EntityRef(item) for item in mentions),
        )
        return self._store(draft, id)

    def remember_many(
        self,
        drafts: Iterable[Draft],
        *,
        progress: Callable[[int], None] | None = None,
        atomic: bool = False,
    ) -> int:
        """Store what a reader yields, some hundred in a transaction, with one policy run each; returns how many.

        Args:
            drafts: memories, retractions and closings, what is named before what names it.
            progress: called with the number of drafts done after each transaction.
            atomic: all in one transaction, or nothing.

        Raises:
            InvalidMemory: one of them is no draft.
            MarsError: what the gate refuses; the transactions before it are kept unless ``atomic``.
        """
        since = self._writer.state.sequence
        done = self._intake.many(self._begin_all(checked(drafts)), progress=progress, atomic=atomic)
        if self._learner.watches:
            self._learner.watch(since)
        return done

    def update(self, id: str, content: str) -> Memory:  # noqa: A002 - the name that users see
        """Give a memory a new text: a new node supersedes the old one, which keeps its history."""
        return self._intake.new_version(id, content)

    def retract(self, key: str, *, subjects: Iterable[str] = (), content: str | None = None) -> list[Memory]:
        """End the current value of a key, of a ``set`` the one that equals ``content``; returns what was closed."""
        return self._run(lambda unit: remember.retract(unit, key, ids_of(subjects), content))

    def pin(self, id: str) -> Memory:  # noqa: A002 - the name that users see
        """Protect a memory, and what it depends on, from every policy."""
        return self._run(lambda unit: amend.pin(unit, id, pinned=True))

    def unpin(self, id: str) -> Memory:  # noqa: A002 - the name that users see
        """Stop protecting a memory."""
        return self._run(lambda unit: amend.pin(unit, id, pinned=False))

    def amend_task(
        self,
        id: str,  # noqa: A002 - the name that users see
        *,
        status: str | None = None,
        priority: int | None = None,
        deadline: int | None = None,
    ) -> Memory:
        """Change a task's status, priority or deadline."""
        wanted = None if status is None else enumeration(TaskStatus, "status", status)
        return self._run(lambda unit: amend.amend_task(unit, id, status=wanted, priority=priority, deadline=deadline))

    def affirm(self, id: str) -> Memory:  # noqa: A002 - the name that users see
        """Confirm a memory whose base was superseded."""
        return self._run(lambda unit: amend.affirm(unit, id))

    def link(self, source: str, type: str, target: str, *, weight: float | None = None) -> Memory:  # noqa: A002
        """Draw an edge between two memories."""
        kind = enumeration(EdgeType, "edge type", type)
        return self._run(lambda unit: amend.add_edge(unit, source, kind, target, weight))

    def unlink(self, source: str, type: str, target: str) -> Memory:  # noqa: A002
        """Remove an edge between two memories."""
        kind = enumeration(EdgeType, "edge type", type)
        return self._run(lambda unit: amend.remove_edge(unit, source, kind, target))

    # --- Learning from use ----------------------------------------------------------------------------------------

    def feedback(
        self,
        retrieval_id: str,
        *,
        used: Iterable[str] | str = (),
        unused: Iterable[str] | str = (),
        contradicted: Iterable[str] | str = (),
        answer: str | None = None,
        question: str | None = None,
        complaint: str | None = None,
    ) -> Feedback:
        """Say what became of the memories that a retrieval showed; their scores, and proven lives, follow.

        Counts once for each retrieval. What is neither named nor judged by an answer keeps its score.

        Args:
            retrieval_id: ``id`` of what :meth:`retrieve`, :meth:`recall` or :meth:`read_all` returned.
            used: ids of memories that helped.
            unused: ids of memories that were shown in vain.
            contradicted: ids of memories that proved wrong.
            answer: what the agent said; it decides about the memories that are not named.
            question: what it was asked; its words are no evidence of a use.
            complaint: what the user said about it, such as "that's wrong" or "stop mentioning the trip".

        Raises:
            InvalidInput: the id names no retrieval of this tenant, a memory was not shown there or is named twice,
                there is feedback on it already, or nothing is said.
        """
        said = Said(
            used=ids_of(used),
            unused=ids_of(unused),
            contradicted=ids_of(contradicted),
            answer=None if answer is None else check_text("answer", answer, limit=_MOST_SAID),
            question="" if question is None else check_text("question", question, limit=_MOST_SAID),
            complaint=None if complaint is None else check_text("complaint", complaint, limit=_MOST_SAID),
        )
        maintenance.settle(self._writer)
        return self._learner.feedback(retrieval_id, said, self._store)

    def wish(self, text: str, *, subject: str | None = None) -> tuple[Heard, ...]:
        """Keep what a user wishes about remembering; it acts on ranks, starting scores and lives from now on.

        Args:
            text: such as "remember more about tomatoes" or "forget about the trip".
            subject: whose wish it is: it acts on memories about them alone; on all if left out.

        Returns:
            Each wish with the memory that keeps it and the ids of the memories that it is about. After a wish to
            forget these are hidden, not erased.

        Raises:
            InvalidInput: no wish is found, or it does not say what it is about.
        """
        subjects = () if subject is None else ids_of((subject,))
        return self._learner.wish(check_text("text", text, limit=_MOST_SAID), subjects, self._store)

    def find_conflicts(self, *, since: int = 0, resolve: str | None = None) -> tuple[FoundConflict, ...]:
        """Return the conflicts between current memories, and act on them if asked to.

        Args:
            since: only conflicts of memories stored after this audit sequence number, with those before them.
            resolve: ``flag`` (both stay, joined by a ``contradicts`` edge), ``newest``, ``most_reliable`` or
                ``review`` (the same edge, and :meth:`review` lists them); nothing is changed if left out.

        Raises:
            InvalidInput: there is no such way to resolve.
        """
        maintenance.settle(self._writer)
        return self._learner.find_conflicts(check_integer("since", since, 0), resolve)

    def plan_pruning(self) -> Plan:
        """Return the plan that takes what has faded; :meth:`forget` applies it. Nothing is changed."""
        maintenance.settle(self._writer)
        return self._learner.plan_pruning()

    def review(self) -> ReviewList:
        """Return what waits for a person: conflicts, what nearly faded, what is in quarantine; and what has faded."""
        maintenance.settle(self._writer)
        return self._learner.review()

    def accept(self, id: str) -> Decision:  # noqa: A002 - the name that users see
        """Do what :meth:`review` proposes: the newer one of a conflict holds, what has faded or is in quarantine goes.

        Raises:
            InvalidInput: the memory is not on the list, is protected, or something depends on it.
        """
        maintenance.settle(self._writer)
        return self._learner.accept(id, self.forget)

    def reject(self, id: str) -> Decision:  # noqa: A002 - the name that users see
        """Refuse what :meth:`review` proposes for a memory: it is no conflict, or is kept with a higher score.

        What is in quarantine is live again, and room is made for it.

        Raises:
            InvalidInput: the memory is not on the list.
            BudgetInfeasible: there is no room that may be made for what is in quarantine.
        """
        maintenance.settle(self._writer)
        return self._learner.reject(id)

    # --- Entities -------------------------------------------------------------------------------------------------

    def rename_entity(self, id: str, name: str) -> Entity:  # noqa: A002 - the name that users see
        """Give an entity another name; the old one stays as an alias.

        Raises:
            InvalidMemory: another entity has the name: merge them.
            UnknownMemory: there is no such entity.
        """
        return self._run(lambda unit: entities.rename(unit, check_text("id", id), name))

    def add_alias(self, id: str, alias: str) -> Entity:  # noqa: A002 - the name that users see
        """Let an entity be found by another name."""
        return self._run(lambda unit: entities.add_alias(unit, check_text("id", id), alias))

    def remove_alias(self, id: str, alias: str) -> Entity:  # noqa: A002 - the name that users see
        """Let an entity no longer be found by an alias."""
        return self._run(lambda unit: entities.remove_alias(unit, check_text("id", id), check_text("alias", alias)))

    def retype_entity(self, id: str, type: str | None) -> Entity:  # noqa: A002 - the names that users see
        """Say what an entity is: ``person``, ``place``, ``organisation``, ``work``, ``event``, ``time``, ``thing``."""
        return self._run(lambda unit: entities.retype(unit, check_text("id", id), type))

    def merge_entities(self, keep: str, other: str) -> Entity:
        """Let the entity ``keep`` take over names, mentions and relations of ``other``, which goes."""
        return self._run(lambda unit: entities.merge(unit, check_text("keep", keep), check_text("other", other)))

    def mention(self, memory_id: str, name: str) -> Entity:
        """Say that a memory mentions the entity of this name or alias, which is made where there is none."""
        return self._run(lambda unit: entities.add_mention(unit, check_text("memory_id", memory_id), name))

    def unmention(self, memory_id: str, entity_id: str) -> Memory:
        """Say that a memory does not mention an entity; with its last mention the entity goes."""
        return self._run(
            lambda unit: entities.remove_mention(
                unit, check_text("memory_id", memory_id), check_text("entity_id", entity_id)
            )
        )

    def relate(self, source: str, type: str, target: str) -> Entity:  # noqa: A002 - the name that users see
        """Draw an edge such as ``worksAt`` from one entity to another."""
        kind = enumeration(EdgeType, "edge type", type)
        return self._run(
            lambda unit: entities.relate(unit, check_text("source", source), kind, check_text("target", target))
        )

    def unrelate(self, source: str, type: str, target: str) -> Entity:  # noqa: A002 - the name that users see
        """Remove an edge between two entities."""
        kind = enumeration(EdgeType, "edge type", type)
        return self._run(
            lambda unit: entities.unrelate(unit, check_text("source", source), kind, check_text("target", target))
        )

    # --- Forgetting -----------------------------------------------------------------------------------------------

    def plan(
        self,
        *,
        policy: str | None = None,
        budget: int | None = None,
        seed: int | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Plan:
        """Return what a policy would do to bring the tenant down to ``budget``; nothing is changed.

        Args:
            policy: name or ``.cypher`` file; the tenant's if left out.
            budget: tokens; the tenant's if left out.
            seed: of a policy that draws at random: an integer from 0 to 2^53.
            progress: called with the number of memories read, where the policy needs an index that has to be built.

        Raises:
            InvalidInput: ``seed`` is no integer from 0 to 2^53.
            BudgetInfeasible: what is protected weighs more than ``budget``.
            InvariantError: the policy stops above ``budget`` although more may go.
            NotPermitted: the policy is ``private``; see :meth:`forget_privately`.
        """
        chance = None if seed is None else check_integer("seed", seed, 0, error=InvalidInput)
        maintenance.settle(self._writer)
        with self._writer.alone():
            plan = self._plan(policy, budget, chance, progress)
            self._planned = plan, self._writer.state.access_sequence
            return plan

    def fit_policy(self) -> PolicyFit:
        """Return theta as logged outcomes of retrievals teach it, with how well it does; nothing is changed.

        ``apply_settings`` or a configuration file with what ``as_yaml`` gives lets the policies go by it.

        Raises:
            InvalidInput: there are too few outcomes; :meth:`feedback` logs them.
        """
        state, now = self._writer.fresh_state(), self.now()
        table = self._reading.view.table(state, now)
        return learn(self._reader.records("a"), table, state.settings, now)

    def set_goal(self, text: str | None) -> None:
        """Let policies that go by features keep what is similar to ``text``, in the place of the active tasks.

        It holds until the memory is closed or the goal is set again; None stands for the active tasks.

        Raises:
            InvalidInput: the text is empty, or longer than a query may be.
            EmbeddingUnavailable: there is no model that makes vectors, or it does not answer.
        """
        vector = None
        if text is not None:
            model = self._vectoriser.model
            if model is None:
                msg = "the tenant is kept without vectors, so that nothing is similar to a goal; see: mars reembed"
                raise EmbeddingUnavailable(msg)
            goal = check_query(text, "goal", "say what is to be done; the active tasks count where no goal is set")
            vector = model.embed([goal])[0]
        self._reading.view.set_goal(self._writer.fresh_state(), vector)

    def explain_policy(self) -> dict[str, Any]:
        """Return what decides about forgetting now: policy, shares of kinds, budgets of users, tier, bandit's arms."""
        found = explain_policy(View(self._opened.engine.read, self._writer.fresh_state(), self.now()))
        return found | self._allowances()

    def forget(self, plan: Plan) -> Plan:
        """Apply exactly that plan.

        Raises:
            StalePlan: the store has moved on since it was made.
        """
        if not plan.actions:
            return plan

        def work(unit: Unit) -> None:
            apply(unit, plan)
            planned, accessed = self._planned or (None, 0)
            # An access moves order keys without a transition: what the plan found empty may not be any more.
            if planned is plan and accessed == unit.before.access_sequence:
                View(self._opened.engine.read, unit.state, unit.now, self._writer.hollows).carry_out(plan, unit)

        self._run(work, settle=False)
        return plan

    def forget_privately(self, *, budget: int | None = None, strict: bool = False) -> Plan:
        """Bring the tenant down to ``budget`` by the policy ``private``, at once; returns what was done.

        There is no dry run of it: each plan is a draw, and whoever sees one has spent for it. The account is charged in
        the transaction that forgets.

        Args:
            budget: tokens; the tenant's if left out.
            strict: refuse where the privacy budget does not last, in the place of drawing uniformly.

        Raises:
            PrivacyBudgetExhausted: with ``strict`` or ``privacy.when_spent: refuse``; nothing was changed.
            InvalidConfig: the noise cannot be drawn, or other settings do not go with the policy.
            BudgetInfeasible: what is protected weighs more than ``budget``.
        """
        policy, target = self._policy(PRIVATE), None if budget is None else check_integer("budget", budget, 0)

        def work(unit: Unit) -> Plan:
            state = without_uniform(unit.before) if strict else unit.before
            features = CommittedFeatures(self._reading.view, unit.before, unit.now)
            view = View(self._opened.engine.read, state, unit.now, None, features, handle=unit.services.handle)
            aim = state.budget if target is None else target
            plan = reviewed(policy.plan(view, target=aim), view)
            if plan.weight_after > aim:
                raise shortfall(self._writer.read, view, replace(state, budget=aim), plan)
            if plan.actions:
                apply(unit, plan)
            return plan

        maintenance.settle(self._writer)
        with self._writer.alone():
            self._reading.view.prepare_table(self._writer.state)
            return self._writer.run(work)

    def privacy_budget(self) -> dict[str, Any]:
        """Return what differential privacy has cost so far and what is left: the tenant's, and of each conversation.

        Conversations are known by keyed digests. See :func:`marskg.policies.private.balance`.
        """
        state = self._writer.fresh_state()
        return balance(View(self._opened.engine.read, state, self.now(), handle=self._opened.services.handle))

    def compare(
        self, policies: Iterable[str], *, budget: int | None = None, questions: Iterable[str] = ()
    ) -> Comparison:
        """Return what each of ``policies`` would forget, side by side; nothing is changed, nor recorded as shown.

        What has expired and was not swept yet counts as it stands. A question's answer is its best hit of today,
        however good that is. It is lost when that memory would go, unless a summary that takes its place says all of
        it word for word.

        Args:
            policies: names or paths of ``.cypher`` files, each once.
            budget: tokens to come down to; the tenant's if left out.
            questions: texts as :meth:`retrieve` takes them.

        Raises:
            InvalidConfig: there is no such policy.
            InvalidInput: no policy is named, or a question cannot be looked up.
            NotPermitted: ``private`` is among them; see :meth:`forget_privately`.
            BudgetInfeasible: what is protected weighs more than ``budget``.
            InvariantError: a policy stops above ``budget`` although more may go.
        """
        chosen = list(dict.fromkeys(ids_of(policies)))
        if PRIVATE in chosen:
            raise refuse_to_show()
        for name in chosen:
            self._policy(name)
        answers = [self._reading.best_hit(question) for question in questions]
        with self._writer.alone():
            plans = [self._plan(name, budget, None) for name in chosen]
            found = self._reader.nodes(dict.fromkeys(answer for answer in answers if answer is not None))
            return compare_plans(plans, answers, {memory.id: memory for memory, _, _ in found})

    def advise_budget(self, *, rate: float = 0.9, policy: str | None = None, recent: str = "30d") -> Advice:
        """Return the smallest budget that would have kept a share of what was shown recently; nothing is changed.

        What is stored today and the access log are replayed under the policy's order, for about twenty budgets. A
        showing is one memory that was shown once, whether or not it was of use: the share is of these, not of the
        questions that were answered. Feedback and reports on a person are no showings.

        Args:
            rate: the share of the showings to keep, above 0 and at most 1.
            policy: ``fifo``, ``lru`` or ``priority-decay``; the tenant's if left out.
            recent: how far back showings count, such as ``"30d"``.

        Raises:
            InvalidInput: the policy cannot be replayed, the rate is out of range, or ``recent`` is no duration.
        """
        span = duration_ms(str(recent))
        if not span:
            msg = f'recent is {str(recent)[:40]!r}; it must be a duration such as "30d" or "12h"'
            raise InvalidInput(msg)
        settings = self.settings
        found = advise(
            remembered(self._reader.memories()),
            showings(self.records(log="accesses")),
            policy=policy or settings.policy.name,
            rate=check_number("rate", rate, None, None, error=InvalidInput),
            since=self.now() - span,
            scoring=settings.scoring,
            low_water=settings.low_water,
        )
        return replace(found, notes=left_out(settings.partitions))

    def restore(self, id: str) -> Memory:  # noqa: A002 - the name that users see
        """Make a latent memory live again, making room for it where needed.

        Raises:
            NotPermitted: it is not latent.
            BudgetInfeasible: there is no room that may be made.
        """
        return self._run(lambda unit: lifecycle.restore(unit, unit.node(id)))

    def erase(
        self,
        *,
        subject: str | None = None,
        id: str | None = None,  # noqa: A002 - the name that users see
        entity: str | None = None,
        session: str | None = None,
        source: str | None = None,
        scrub: bool = False,
        server_home: Path | str | None = None,
        snapshots: bool = False,
    ) -> Receipt:
        """Erase all that is about a subject, mentions an entity, or comes from a session, a source or an id.

        Memories go in every tier, with all that depends on them or derives from them, the lines of summaries that rest
        on them, entities that nothing else mentions, and their details in the audit, which still verifies. What was
        erased is not stored again: of a subject nothing without their consent, of the others the same texts.

        Give one of the first five; the rest is left out.

        Args:
            subject: a person, whom the memories are about; by the name exactly as it is written.
            id: one memory.
            entity: the name or the id of an entity: what mentions it, is about it, or has one of its names in text,
                key, payload, source, session, tags or purposes.
            session: a conversation.
            source: a source reference.
            scrub: also rewrite the store's files, so that no byte of it is left in them.
            server_home: with ``scrub`` on a Neo4j server, its home, as a folder that this process may read: the
                server is made to overwrite what it freed, and the receipt claims ``bytes`` if a search of the folder
                finds nothing.
            snapshots: also remove all snapshots that this store wrote (:meth:`snapshots`), each of which may hold what
                is erased; a file that is not what was written is left. Without it none is removed, and the receipt
                counts them.

        Raises:
            InvalidInput: none or several of them were given, or one that names nothing; several entities go by the
                name; nobody is called exactly as ``subject`` is, and somebody almost so; or a home without a server
                or without ``scrub``.
            NotPermitted: ``scrub`` on a server without its home, on one that keeps its logs, with another folder, or
                in an encrypted tenant.
        """
        request = Request.of(subject=subject, entity=entity, session=session, source=source, id=id)
        files = self._server_files(server_home, scrub=scrub)
        maintenance.settle(self._writer)
        return self._eraser.erase(request, scrub=scrub, snapshots=snapshots, files=files)

    def scrub(self, *, server_home: Path | str | None = None) -> Cleaned:
        """Rewrite the store's files now, so that nothing is in them that is not in the store.

        For what was erased without it, and to end a cleaning of a server's files that was cut off (the embedded store
        ends its own when it is next opened). Of a server nothing is sought but what an erasure left to be sought.

        Args:
            server_home: of a Neo4j server, as for :meth:`erase`.

        Returns:
            the files in which something is left; of the embedded store always none.

        Raises:
            InvalidInput: a home without a server.
            NotPermitted: as for :meth:`erase`.
        """
        files = self._server_files(server_home, scrub=True)
        return self._eraser.scrub(files)

    def _server_files(self, home: Path | str | None, *, scrub: bool) -> ServerFiles | None:
        if home is None:
            return None
        if not scrub or self._opened.engine.name != "neo4j":
            msg = "server_home is for scrub on a Neo4j server; leave it out"
            raise InvalidInput(msg)
        if is_encrypted(self._opened.engine):
            msg = (
                "the contents of this tenant are encrypted, and a server's files are not searched for them; "
                "leave scrub and server_home out: erasing a subject destroys their key, and the claim is keys"
            )
            raise NotPermitted(msg)
        return ServerFiles.of(self._opened, home)

    def match_erasure(
        self,
        *,
        subject: str | None = None,
        id: str | None = None,  # noqa: A002 - the name that users see
        entity: str | None = None,
        session: str | None = None,
        source: str | None = None,
    ) -> Matched:
        """Return what :meth:`erase` would be about: ids, and of an entity the spellings that were found."""
        return self._eraser.look(Request.of(subject=subject, entity=entity, session=session, source=source, id=id))

    def grant(
        self,
        to: str | Principal,
        *,
        ceiling: float,
        lasts: str = "10m",
        calls: int | None = 1,
        subjects: Iterable[str] | str = (),
    ) -> Grant:
        """Let a principal read above their ceiling, for a while and for some calls; each reading is recorded.

        Neither purpose nor jurisdiction is widened, nor whose memories are seen. They show :attr:`Grant.id`:
        ``retrieve(…, grant=ID)``, or ``reader:NAME?grant=ID`` as principal.

        Args:
            to: the principal, such as ``reader:assistant``.
            ceiling: the sensitivity up to which they may read, 0 to 1.
            lasts: for how long, at most ``"24h"``.
            calls: how many readings it is for; None for as many as they like.
            subjects: whom the memories have to be about; anybody if left out.

        Raises:
            InvalidInput: there is no such principal, the ceiling is out of range, or it would last too long.
        """
        span = _lasting(lasts, "10m")
        return give(
            self._writer,
            to=Principal.of(to).actor,
            ceiling=check_number("ceiling", ceiling, 0, 1),
            lasts_ms=span,
            calls=None if calls is None else check_integer("calls", calls, 1),
            subjects=ids_of(subjects),
        )

    def set_budget(self, budget: int) -> None:
        """Change the tenant's budget; a lower one forgets by the tenant's policy in the same transaction.

        Raises:
            BudgetInfeasible: what is protected weighs more.
        """
        self.apply_settings(None, {"budget": check_integer("budget", budget, 1)})

    def apply_settings(self, settings: Settings | None, values: Mapping[str, Any]) -> None:
        """Change an existing tenant's settings: all of ``settings`` if given, then single ``values`` by dotted name.

        A changed budget is enforced in the same transaction; changed weights of importance order the memories anew;
        where what makes a memory sensitive changed, :meth:`rescore` follows.

        Raises:
            EmbeddingMismatch: the tenant's vectors are of another model than the one asked for; see :meth:`reembed`.
            InvalidConfig: ``encryption`` is another one than the tenant was created with.
        """
        old = self.settings
        wanted = (settings or old).with_values(values, "the settings given")
        if wanted != old:
            if wanted.embedding != old.embedding:
                refuse_change(self._writer.state, wanted, load_model)
            if wanted.encryption != old.encryption:
                raise fixed_encryption(self.tenant, old)
            load_recogniser(wanted.entities)
            Assessor().detector(wanted.sensitivity)
            check_settings(wanted)
            if wanted.policy != old.policy:
                self._try_out(wanted.policy.name)
            if wanted.retrieval.vectors != EXACT:
                points.define(self._writer.engine)

            def work(unit: Unit) -> None:
                was = unit.state.settings
                stale = (
                    unit.state.reordering or wanted.scoring != was.scoring or wanted.partitions.on != was.partitions.on
                )
                unit.state = replace(unit.state, settings=wanted, budget=wanted.budget, reordering=stale)
                unit.note(Operation.SET_BUDGET, budget=wanted.budget, parameters=wanted.to_parameters())

            self._run(work)
            maintenance.settle(self._writer)
            if wanted.retrieval != old.retrieval:
                self._reading.put_points(lambda _: None)
            if wanted.retrieval.vectors == EXACT and old.retrieval.vectors != EXACT:
                self._clear_points()
            if wanted.sensitivity != old.sensitivity and wanted.sensitivity.assess != "off":
                rescore(self._writer, self._reader, self._measure)

    def rescore(self, *, progress: Callable[[int], None] | None = None) -> int:
        """Measure anew how sensitive what is stored is; returns how many memories changed, each of them recorded.

        What was loaded, or stored before the settings or a user's preferences changed, is measured as if it was stored
        now. No memory ends below what its caller gave, or below what it derives from.

        Args:
            progress: hears how many memories were looked at.

        Raises:
            InvalidInput: the setting ``sensitivity.assess`` is off.
            EnvironmentFailure: the settings ask for presidio or a model, which is not installed.
        """
        if self.settings.sensitivity.assess == "off":
            msg = "sensitivity.assess is off, so nothing is measured; set it: mars settings sensitivity.assess=on"
            raise InvalidInput(msg)
        maintenance.settle(self._writer)
        return rescore(self._writer, self._reader, self._measure, progress)

    def reembed(self, model: str | None = None, *, progress: Callable[[int], None] | None = None) -> int:
        """Make the vectors of all memories with another model, or those that are missing; returns how many were made.

        Writes and reads go on meanwhile; what has no vector yet is found by its words. After an interruption the next
        call goes on where this one stopped.

        Args:
            model: as the setting ``embedding.model`` has it; the tenant's own if left out.
            progress: hears how many vectors were made.

        Raises:
            EmbeddingUnavailable: the model does not answer; if that is so from the beginning, nothing was changed.
            EmbeddingMismatch: somebody chose another model meanwhile.
            InvalidConfig, InvalidInput: ``model`` chooses no model.
        """
        maintenance.settle(self._writer)
        spec = model or self.settings.embedding.model
        if switch(self._writer, spec, load_model(spec)) and self.settings.retrieval.vectors != EXACT:
            self._clear_points()
        self._vectoriser.wake()
        made = self._make_vectors(progress)
        self._reading.put_points(progress or (lambda _: None))
        return made

    def expire(self) -> int:
        """Remove now what has expired; returns how many memories lost their content."""
        return maintenance.settle(self._writer, force=True)

    def maintain(self, *, dry_run: bool = False) -> Upkeep:
        """Keep the tenant lean, by its settings ``lean.*``: one pass of housekeeping.

        Expires what is due; puts social memories aside that were unused over a preference's horizon; brings every
        subject within ``cap_per_subject``, lowest score first; archives what has a low score and was not accessed for
        long; replaces long memories of low score by excerpts; signs a head; keeps the retrieval index. Nothing
        protected and nothing canonical is touched.

        Args:
            dry_run: change nothing, and return what would be done.
        """
        if dry_run:
            return self._keeper.look()
        done = self._keeper.run()
        self._reading.save()
        return done

    def maintain_every(self, interval: str) -> None:
        """Do :meth:`maintain` in the background every ``interval`` such as ``"1h"``, until the memory is closed.

        A pass is left out under load; an error of one is logged by its class, and the next one tries again.

        Raises:
            InvalidInput: ``interval`` is no duration, or none at all.
        """
        milliseconds = duration_ms(str(interval))
        if not milliseconds:
            msg = f'maintain_every is {str(interval)[:40]!r}; it must be a duration such as "1h" or "30m"'
            raise InvalidInput(msg)
        self.stop_maintaining()
        self._background = Background(self.maintain, milliseconds / 1_000, lambda: self._reading.loaded)

    def stop_maintaining(self) -> None:
        """Do nothing in the background any more; waits for a pass that is under way."""
        if self._background is not None:
            self._background.stop()
            self._background = None

    def end_session(self, session: str) -> int:
        """Say that a conversation is over: what was bound to it, or ephemeral in it, goes, with all that depends on it.

        Returns how many memories lost their content.

        Raises:
            InvalidMemory: ``session`` is no name that a session could have.
        """
        name = check_text("session", session)
        maintenance.settle(self._writer)
        return bounds.end_session(self._writer, name)

    def private_mode(self, lasts: str = "30m", *, keep: bool = False) -> PrivateMode:
        """Return this memory in private mode: it answers as ever and stores nothing, for a while.

        Use it as a context manager. No ceiling is raised, and reading is recorded as ever.

        Args:
            lasts: for how long, at most ``"24h"``; then it refuses everything.
            keep: store what is said until the mode ends, bound to a session of its own.

        Raises:
            InvalidInput: ``lasts`` is no duration, or too long a one.
        """
        span = _lasting(lasts, "30m")
        session = f"private-{self._opened.services.source.token(8).hex()}" if keep else None
        return PrivateMode(self, lasts_ms=span, session=session)

    def subscribe(self, tenant: str) -> tuple[str, ...]:
        """Read a shared tenant of common knowledge as well, in every retrieval, recall and full reading.

        Nothing of it can be written from here, and nothing of this tenant is seen from there. Returns all
        subscriptions.

        Raises:
            NotPermitted: there is no such tenant, or its settings do not say ``lean.shared``.
            InvalidInput: it is this tenant itself, or no tenant could have that name.
        """
        return subscriptions.subscribe(self._writer, tenant)

    def unsubscribe(self, tenant: str) -> tuple[str, ...]:
        """Read a shared tenant no more; returns the subscriptions that are left.

        Raises:
            InvalidInput: there is no such subscription.
        """
        return subscriptions.unsubscribe(self._writer, tenant)

    def confirm_clock(self) -> None:
        """Say that the clock is right after it jumped ahead by more than a day: expiry goes on (section 10)."""
        maintenance.confirm_clock(self._writer)
        maintenance.settle(self._writer, force=True)

    # --- Reading --------------------------------------------------------------------------------------------------

    def get(self, id: str) -> Memory | None:  # noqa: A002 - the name that users see
        """Return a memory by id, or None if it does not exist, has expired or lost its content."""
        return self._reader.get(id, self.now())

    def edges(self, id: str) -> list[Edge]:  # noqa: A002 - the name that users see
        """Return the edges that leave a memory; none if it does not exist."""
        found = self._reader.nodes((check_text("id", id),))
        return list(found[0][1]) if found else []

    def history(self, id: str) -> list[Memory]:  # noqa: A002 - the name that users see
        """Return the versions of a memory, oldest first."""
        return self._reader.history(id)

    def retrieve(
        self,
        query: str,
        *,
        token_budget: int | None = None,
        k: int | None = None,
        as_of: int | None = None,
        max_sensitivity: float | None = None,
        purpose: str | None = None,
        profile: str | None = None,
        conversation: str | None = None,
        explain: bool = False,
        **filters: Any,  # noqa: ANN401 - each is checked by its own rule
    ) -> Hits:
        """Return the memories that answer ``query``, within ``token_budget``, and record that they were shown.

        Args:
            query: what is asked, in words.
            token_budget: wordpiece tokens that the result may weigh; the tenant's setting if left out.
            k: most memories to return; the tenant's setting if left out.
            as_of: answer with what was valid then, epoch milliseconds; what is current if left out.
            max_sensitivity: what is more sensitive stays out of sight.
            purpose: what it is for; what is limited to other purposes stays out of sight.
            profile: how candidates are ranked: ``fused``, ``memoryarchitect`` or a ``.yaml`` file.
            conversation: session that goes on: its last turns and its summary are part of the result.
            explain: give each stage's numbers in ``stages``.
            filters: ``kinds``, ``classes``, ``sources``, ``subjects``, ``sessions``, ``tags``, ``key_prefix``,
                ``since``, ``until``, ``jurisdiction``, ``latent``, ``unaffirmed``, ``superseded``, ``closed`` (tasks
                that are done, cancelled or long past).

        Raises:
            InvalidInput: the query, a limit or a filter is not allowed.
            EmbeddingMismatch: the tenant's vectors are of another model; see :meth:`reembed`.
        """
        maintenance.settle(self._writer)
        gate = {"as_of": as_of, "max_sensitivity": max_sensitivity, "purpose": purpose, **filters}
        return self._reading.retrieve(
            query, budget=token_budget, k=k, profile=profile, explain=explain, conversation=conversation, gate=gate
        )

    def prepare(self, *, progress: Callable[[int], None] | None = None) -> int:
        """Read what retrieval answers from, which the first question would wait for; returns how much there is.

        Args:
            progress: called with the number of memories read, when the index has to be built from the store.
        """
        return self._reading.prepare(progress)

    def recall(
        self,
        entity: str | None = None,
        *,
        goal: str | None = None,
        token_budget: int | None = None,
        k: int | None = None,
        social: str = "task",
        **filters: Any,  # noqa: ANN401 - each is checked by its own rule
    ) -> Hits:
        """Return what surrounds an entity or a goal in the graph, nearest first, and record that it was shown.

        Args:
            entity: name or alias of a person, place or thing.
            goal: id of a task.
            token_budget: wordpiece tokens that the result may weigh; the tenant's setting if left out.
            k: most memories to return; the tenant's setting if left out.
            social: which memories about people may come: those that an active task involves or that are about the
                anchor (``task``, MaRS section 4.3), ``all`` or ``none``.
            filters: as :meth:`retrieve` takes them.

        Raises:
            UnknownMemory: nothing that may be read mentions the entity, or the goal is no task.
            InvalidInput: neither or both were given, or a limit or filter is not allowed.
        """
        maintenance.settle(self._writer)
        return self._reading.recall(entity=entity, goal=goal, budget=token_budget, k=k, social=social, gate=filters)

    def read_all(
        self,
        *,
        key_prefix: str | None = None,
        since: int | None = None,
        until: int | None = None,
        entity: str | Iterable[str] = (),
        goal: str | Iterable[str] = (),
        token_budget: int | None = None,
        sums: bool = False,
        **filters: Any,  # noqa: ANN401 - each is checked by its own rule
    ) -> Everything:
        """Return all current memories of a key, a period, an entity or a goal, complete and counted.

        Args:
            key_prefix: a key and all below it, such as ``expenses``.
            since: valid from then on, epoch milliseconds.
            until: valid before then, epoch milliseconds.
            entity: names of people, places or things; one that is mentioned is enough.
            goal: ids of tasks that the memories serve.
            token_budget: tokens that may be shown; the count and the sums are of everything all the same.
            sums: add up the amounts of the ledgers, by key and unit.
            filters: as :meth:`retrieve` takes them.

        Raises:
            UnknownMemory: nothing that may be read mentions an entity.
            InvalidInput: a filter is unknown or out of range.
        """
        maintenance.settle(self._writer)
        gate = {"key_prefix": key_prefix, "since": since, "until": until, **filters}
        return self._reading.read_all(entities=entity, goals=goal, budget=token_budget, sums=sums, gate=gate)

    def explain(
        self,
        id: str,  # noqa: A002 - the name that users see
        *,
        max_sensitivity: float | None = None,
        purpose: str | None = None,
        jurisdiction: str | None = None,
    ) -> Explanation:
        """Return why a memory was stored, ranked, shown, changed or forgotten, also after it is gone.

        With ``max_sensitivity`` (0 to 1), ``purpose`` or ``jurisdiction`` it says what a reader who may see no more is
        to know: nothing of what is gone, and no other memory that is hidden from them.

        Raises:
            UnknownMemory: neither the store nor its logs have heard of it, or the reader is not to.
        """
        gate = {"max_sensitivity": max_sensitivity, "purpose": purpose, "jurisdiction": jurisdiction}
        # What the policy private goes by is told to nobody.
        told = self.settings.policy.name != PRIVATE and self._goes_by_features()
        return self._reading.explain(id, gate, by_features=told)

    def redact(
        self,
        text: str,
        *,
        max_sensitivity: float | None = None,
        purpose: str | None = None,
        jurisdiction: str | None = None,
        hold: bool = False,
    ) -> Redaction:
        """Return a text, such as an agent's answer, as a reader may get it; nothing is stored.

        First what has a form of its own becomes a placeholder such as ``[EMAIL]``: all of it, or with
        ``max_sensitivity`` what weighs more. Then each sentence is compared with what the reader may not read, and one
        that repeats it becomes ``[WITHHELD]``. That a sentence was withheld tells that there is something: call this
        for a reader, and do not let the reader call it.

        Args:
            text: what is to be shown.
            max_sensitivity: the reader's ceiling, from 0 to 1.
            purpose: what the reader reads for; memories kept for other purposes are hidden from them.
            jurisdiction: as :meth:`retrieve` takes it.
            hold: show nothing of a text that repeats what is hidden, so that a person decides; ``held`` says so.

        Raises:
            InvalidInput: the text or a limit cannot be read.
            EnvironmentFailure: the settings ask for presidio or a model, which is not installed.
        """
        given = {"max_sensitivity": max_sensitivity, "purpose": purpose, "jurisdiction": jurisdiction}
        gate = self._reading.gate({name: value for name, value in given.items() if value is not None})
        check_text("text", text, limit=_MOST_SAID)
        redactor = self._assessor.redactor(self._writer.state.settings.sensitivity)
        first = redactor.surface(text, max_sensitivity)
        if not gate.restricted:
            return first
        maintenance.settle(self._writer)
        said = [sentence for form in forms(first.text) for sentence in sentences(form)]
        second = redactor.against(first.text, self._reading.like_hidden(said, gate), hold=hold)
        return Redaction(second.text, (*first.replaced, *second.replaced), second.held)

    def record_access(self, ids: Iterable[str], *, purpose: str | None = None) -> int:
        """Record that memories were shown: one signed record, and their access statistics; what is use-bound goes."""
        accessed = access.record_access(self._writer, ids_of(ids), purpose=purpose)
        bounds.expire_used(self._writer, [one.id for one in accessed if one.use_bound])
        return len(accessed)

    def memories(self) -> Iterator[Memory]:
        """Yield every memory of the tenant, tombstones included."""
        return (memory for memory, _, _ in self._reader.memories())

    def entities(self) -> Iterator[Entity]:
        """Yield every entity of the tenant."""
        return (entity for entity, _, _ in self._reader.entities())

    def stats(self) -> dict[str, Any]:
        """Return counts and weights by tier and kind, the budget and its shares, and the audit's sequence."""
        found = maintenance.stats(self._writer, self._reader)
        shares = shares_of(View(self._opened.engine.read, self._writer.fresh_state(), self.now()))
        return {**found, **({"partitions": shares} if shares else {}), **self._allowances()}

    def now(self) -> int:
        """Return the store's time: the clock, never before the last recorded time (section 10)."""
        return self._writer.now()

    # --- Proving --------------------------------------------------------------------------------------------------

    def records(self, *, log: str = "transitions", first: int = 1) -> Iterator[AuditRecord]:
        """Yield the signed records of the ``transitions`` or the ``accesses`` log."""
        letter = {"transitions": "t", "accesses": "a"}.get(log)
        if letter is None:
            msg = f"there is no log {str(log)[:80]!r}; use 'transitions', or 'accesses' for what was read"
            raise InvalidInput(msg)
        return self._reader.records(letter, check_integer("first", first, 1))

    def who_saw(self, id: str) -> Sightings:  # noqa: A002 - the name that users see
        """Return who saw a memory, when, for which purpose and by which call, as the log of accesses tells.

        Raises:
            UnknownMemory: neither the store nor its logs have heard of it, and nothing was ever erased.
        """
        return who_saw(self._reader, self.tenant, check_text("id", id))

    def receipt(self, what: str | int) -> ProcessingReceipt:
        """Return a signed receipt of what was done with a memory, by its id, or by one record, by its number.

        It says when, why, by which policy and what rests on it, without content and names; an outsider verifies it with
        any W3C Data Integrity tool. It is kept nowhere.

        Raises:
            UnknownMemory: neither the store nor its log knows the id: it never was, or was erased.
            InvalidInput: the log has no such record.
        """
        number = what if isinstance(what, int) else None
        services, log = self._writer.services, self._writer.fresh_state().log
        return write_processing_receipt(
            self._reader,
            check_text("id", what) if number is None else check_integer("sequence", number, 1),
            log=log,
            now=self.now(),
            signer=services.signer(),
            source=services.source,
        )

    def subject_report(self, subject: str, *, shared: bool = False, purpose: str | None = None) -> SubjectReport:
        """Return all that is held about a subject, to be given to them (GDPR Art. 15), and record that it was.

        In every tier, with where it comes from, who saw it and for what, what was done with it and why. What is about
        others as well comes without its text, but for the lines of a summary that are about the subject alone.

        Args:
            subject: a person, as the memories' ``subjects`` have it.
            shared: give also what is about others as well, whole: the controller's decision.
            purpose: what the report is for, as the log of accesses is to have it.

        Raises:
            InvalidInput: ``subject`` is no name that a subject could have, or nobody is called exactly so and somebody
                almost so.
        """
        name = check_text("subject", subject)
        stated = () if purpose is None else (f"purpose={check_text('purpose', purpose)}",)
        maintenance.settle(self._writer)
        services = self._writer.services
        found = gather(
            self._reader,
            self._writer.fresh_state(),
            name,
            handle=services.handle,
            now=self.now(),
            source=services.source,
            shared=shared,
        )
        ids = [one.memory.id for one in found.held]
        for start in range(0, len(ids), access.DISCLOSED):
            access.record_disclosure(
                self._writer, ids[start : start + access.DISCLOSED], (f"call={access.REPORT}", *stated)
            )
        return SubjectReport(found)

    def check_receipt(self, document: Mapping[str, Any]) -> Report:
        """Check a receipt of an erasure or of processing: its signature, its key, and that the log says the same.

        Raises:
            InvalidDocument: it is no receipt of this product.
        """
        return check_receipt(document, self._reader, self._writer.fresh_state().log)

    def sign_head(self) -> TreeHead:
        """Sign the Merkle tree over the transition log as it stands; publish it to be held to it."""
        with self._writer.alone():
            return self._ledger.sign_head(self.now())

    def heads(self) -> list[TreeHead]:
        """Return the signed tree heads, smallest first."""
        return self._reader.heads(self._writer.fresh_state().log)

    def validate(self, *, full: bool = False) -> Report:
        """Validate recent changes, or with ``full`` the whole tenant, against the SHACL shapes."""
        return checks.validate(self._opened, self._writer.fresh_state(), full=full)

    def check_retention(self, memory_class: str, older_than: str) -> Retention:
        """Return what is left of a class that is older than a duration such as ``30d``, in any tier.

        Raises:
            InvalidInput: there is no such class, or the duration is none.
        """
        wanted = enumeration(MemoryClass, "memory_class", memory_class)
        age = duration_ms(check_text("older_than", older_than))
        if age is None:
            msg = f'older_than {older_than[:40]!r} is no duration; write it as "30d", "24h" or "90m"'
            raise InvalidInput(msg)
        maintenance.settle(self._writer)
        return check_retention(self._reader, wanted, self.now() - age)

    def verify(self, *, witness: Iterable[TreeHead] = ()) -> Report:
        """Verify the signed logs and that the graph is what they say; ``witness`` are heads kept elsewhere."""
        return checks.verify(self._opened, self._writer.fresh_state(), witness)

    def prove(self, sequence: int) -> dict[str, Any]:
        """Return the inclusion proof of a record in the tree of the newest signed head (RFC 9162 section 2.1.3).

        Raises:
            InvalidInput: there is no such record, or no signed head covers it yet.
        """
        return checks.prove(self._opened, self._writer.fresh_state(), sequence)

    def seal_audit(self, *, sequence: int | None = None, before: int | None = None, dry_run: bool = False) -> Sealed:
        """Let the details of old audit records go; their signed cores and proofs stay, and still check.

        Give one of the first two. In both logs what is from before it goes, but what later checks rest on: how the log
        opened, its keys, its erasures, and the last record of each memory that is in the store.

        Args:
            sequence: of a record of the transitions log: what is from before it.
            before: a time, epoch milliseconds.
            dry_run: change nothing, and return what would be done.

        Raises:
            InvalidInput: none or both are given, there is no such record, or the time is to come.
        """
        maintenance.settle(self._writer)
        moment = self._moment(sequence, before)
        done = sealing.seal(self._writer, self._reader, moment, dry_run=dry_run)
        if done.applied:
            self.sign_head()
        return done

    def rotate_key(self) -> str:
        """Sign with a new key from now on, announced by the old one in both logs; returns the new public key."""
        return rotation.rotate(self._writer, self._opened.keyring, self._opened.signer_box)

    def replace_key(self) -> str:
        """Sign with a new key that announces itself because the old one is lost; ``verify`` reports it for ever."""
        return rotation.replace_lost(self._writer, self._opened.keyring, self._opened.signer_box)

    # --- Giving away and taking back ------------------------------------------------------------------------------

    def export(
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002 - the name that users see
        audit: bool = False,
        profile: str = "full",
        progress: Callable[[int], None] | None = None,
    ) -> Counts:
        """Write the tenant as JSON-LD, N-Quads, TriG or Turtle, by suffix or ``format``; returns what was written."""

        def make(state: TenantState, check: Callable[[], None]) -> Counts:
            return transfer.export(
                self._opened,
                state,
                path,
                format_name=format,
                audit=audit,
                profile=profile,
                progress=progress,
                check=check,
            )

        return without_erased(self._writer, make)

    def load(
        self,
        path: str | Path,
        *,
        context: str | Path | None = None,
        format: str | None = None,  # noqa: A002 - the name that users see
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Load an export, or foreign JSON-LD with its pinned ``context``; returns how many memories came back."""
        maintenance.settle(self._writer)
        count = transfer.load(self._opened, self._writer, path, context=context, format_name=format, progress=progress)
        self._vectors_after_loading()
        return count

    def snapshot_save(self, path: str | Path) -> dict[str, int]:
        """Write a binary checkpoint of the tenant; returns the number of rows of each section.

        The store notes its path and digest, so that an erasure can count it, or remove it.
        """
        return of_one_moment(
            self._writer,
            lambda state, check: transfer.snapshot_save(self._opened, state, path, check, self._snapshots),
        )

    def snapshots(self) -> tuple[SnapshotFile, ...]:
        """Return the snapshots that :meth:`snapshot_save` wrote and that are not known to be gone, by their paths."""
        return self._snapshots.listed()

    def snapshot_load(self, path: str | Path) -> int:
        """Put the tenant back exactly as a checkpoint holds it; returns the number of memories.

        Raises:
            NotPermitted: the tenant has a history of its own.
        """
        with self._writer.alone():
            count = transfer.snapshot_load(self._opened, path)
            self._writer.forget_cache()
            self._writer.tell_erased()
        if self.settings.retrieval.vectors != EXACT:
            self._clear_points()
        self._vectors_after_loading()
        return count

    # --- Queries --------------------------------------------------------------------------------------------------

    def sparql(self, query: str, *, limit_seconds: float = 30.0) -> QueryResult:
        """Answer a SPARQL query: SELECT, ASK, CONSTRUCT or DESCRIBE; ``sequence`` of the result is how fresh it is.

        Well-known prefixes such as ``mars:`` and ``prov:`` need no declaration.

        Raises:
            QueryRefused: it writes, reaches out, is wrong, or takes too long.
        """
        return undisturbed(self._writer, lambda state: self._queries.sparql(state, query, limit_seconds))

    def cypher(
        self, query: str, parameters: Mapping[str, Any] | None = None, *, limit_seconds: float = 30.0
    ) -> QueryResult:
        """Answer a read-only Cypher query on the whole store.

        Raises:
            QueryRefused: it writes, is wrong, or takes too long.
        """
        return undisturbed(self._writer, lambda state: self._queries.cypher(state, query, parameters, limit_seconds))

    # --- The store ------------------------------------------------------------------------------------------------

    @property
    def tenant(self) -> str:
        """Return the tenant's name."""
        return self._opened.tenant

    @property
    def principal(self) -> Principal:
        """Return who acts."""
        return self._principal

    @property
    def settings(self) -> Settings:
        """Return the tenant's settings."""
        return self._writer.state.settings

    @property
    def preferences(self) -> Preferences:
        """Return the tenant's preferences, consents and applied jurisdictions, to read and to change."""
        return self._preferences

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """Return the shared tenants that are read as well."""
        return self._writer.fresh_state().subscriptions

    @property
    def weight(self) -> int:
        """Return what the live memories weigh together, in tokens."""
        return self._writer.fresh_state().weight

    @property
    def store(self) -> Opened:
        """Return what was opened: the engine, the reader, the keyring."""
        return self._opened

    def close(self) -> None:
        """Release the store; a second call does nothing."""
        self.stop_maintaining()
        self._queries.close()
        self._reading.close()
        self._writer.leave()
        self._opened.close()

    def __enter__(self) -> Self:
        """Return the memory itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()

    # --- Inside ---------------------------------------------------------------------------------------------------

    def _store(self, draft: Draft, id: str | None = None) -> Memory:  # noqa: A002 - as remember has it
        """Store one draft, and look for conflicts where the tenant wants that."""
        since = self._writer.state.sequence
        memory = self._intake.one(self._begin(draft), id)
        found = self._learner.watch(since) if self._learner.watches else ()
        if not found:
            return memory
        now = self._reader.get(memory.id, self.now()) or memory
        notices = tuple(f"conflicts with another memory ({item.action}): {item.reason}" for item in found)
        return replace(now, notices=(*memory.notices, *notices))

    def _moment(self, sequence: int | None, before: int | None) -> int:
        """Return the time of a record, or the one that is given; it is not to come."""
        if (sequence is None) == (before is None):
            msg = "a sealing ends at a record or at a time; give one of sequence and before"
            raise InvalidInput(msg)
        if sequence is None:
            moment = check_integer("before", before, 0)
        else:
            number = check_integer("sequence", sequence, 1)
            record = next(self._reader.records("t", number), None)
            if record is None:
                msg = f"the transitions log has no record {number}; see: mars audit list"
                raise InvalidInput(msg)
            moment = record.recorded_at
        if moment > self.now():
            msg = (
                f"before is {moment}, which is to come, and what is not recorded yet cannot be sealed; give a past time"
            )
            raise InvalidInput(msg)
        return moment

    def _begin(self, draft: Draft) -> Draft:
        """Return ``draft`` with how sensitive it is, and with what users' wishes give it."""
        settings = self._writer.state.settings
        check_draft(draft, settings.max_content_bytes)
        return self._begun(draft, settings)

    def _begun(self, draft: Draft, settings: Settings) -> Draft:
        return self._wishes.begin(self._assessor.assessed(draft, settings))

    def _begin_all(self, drafts: Iterable[Draft]) -> Iterator[Draft]:
        """Yield drafts as :meth:`_begin` returns them, read in chunks of a batch, as the intake takes them."""
        try:
            for chunk in in_chunks(drafts, BATCH):
                settings = self._writer.state.settings
                for draft in chunk:
                    check_draft(draft, settings.max_content_bytes)
                self._assessor.foresee(chunk, settings)
                for draft in chunk:
                    yield self._begun(draft, self._writer.state.settings)
        finally:
            self._assessor.foresee((), self._writer.state.settings)

    def _measure(self, memory: Memory, content: str | None = None) -> Sensed | None:
        return self._assessor.of_memory(memory, self._writer.state.settings, content)

    def _as_shown(self, memory: Memory, gate: Gate) -> Memory:
        """Return a memory as the reader of ``gate`` gets it: what weighs more than their ceiling is taken out."""
        ceiling = gate.ceiling_for(memory)
        if ceiling is None:
            return memory
        redactor = self._assessor.redactor(self._writer.state.settings.sensitivity)
        return redactor.as_shown(memory, ceiling, self._opened.counter)

    def _clear_points(self) -> None:
        """Take the vectors out of the engine's index, and the knowledge that they are there."""
        points.clear(self._writer)
        self._reading.forget()

    def _forget_views(self) -> None:
        """Drop all that was derived from the store, as something of it was erased, or it was put back."""
        self._ledger.restart(self._writer.state.log)
        self._reading.forget()
        self._queries.forget()
        self._wishes.forget()
        self._planned = None

    def _make_vectors(self, progress: Callable[[int], None] | None = None) -> int:
        """Make the vectors that are missing; returns how many were made."""
        model = self._vectoriser.model
        done = 0
        if model is not None:
            for done in make_all(self._writer, self._reader, model, self._reading.vectors_made):
                if progress is not None:
                    progress(done)
        return done

    def _vectors_after_loading(self) -> None:
        """Make the vectors of what was loaded; where the model does not answer, they are made up for later."""
        with suppress(EmbeddingUnavailable):
            self._make_vectors()

    def _run(self, work: Callable[[Unit], T], *, settle: bool = True) -> T:
        if settle:
            maintenance.settle(self._writer)
        return self._writer.run(work)

    def _policy(self, name: str | None = None) -> Policy:
        wanted = name or self._writer.state.settings.policy.name
        if wanted not in self._policies:
            self._policies[wanted] = load_policy(wanted)
        return self._policies[wanted]

    def _try_out(self, name: str) -> None:
        """Let a policy that is one statement of a user's run it once, before a write depends on it."""
        if name.endswith(SUFFIX):
            with self._writer.alone():
                self._plan(name, self._writer.state.weight, None)

    def _plan(
        self,
        name: str | None,
        budget: int | None,
        seed: int | None,
        progress: Callable[[int], None] | None = None,
    ) -> Plan:
        """Return what the policy called ``name`` would do; the caller keeps other threads out."""
        state = self._writer.fresh_state()
        if (name or state.settings.policy.name) == PRIVATE:
            raise refuse_to_show()
        # With the state goes whether the clock has jumped.
        now, state = state.at(self._opened.services.clock.now_ms())
        if self._goes_by_features(name):
            self._reading.view.prepare_table(state, progress)
        target = state.budget if budget is None else check_integer("budget", budget, 0)
        features = CommittedFeatures(self._reading.view, state, now)
        view = View(
            self._opened.engine.read,
            state,
            now,
            self._writer.hollows,
            features,
            vectoriser=self._vectoriser,
            sensing=self._assessor.texts(state.settings),
        )
        plan = self._policy(name).plan(view, target=target, seed=seed)
        if plan.weight_after > target:
            raise shortfall(self._writer.read, view, replace(state, budget=target), plan)
        return noted(reviewed(plan, view), state.settings.policy.guardrail)

    def _govern(self, ground: Ground) -> Unit:
        """Make room in an open transaction (:class:`~marskg.store.writer.Ground`)."""
        state, allowance = ground.state, ground.allowance
        within, ceiling = None, state.budget
        if allowance is not None:
            within, ceiling = ground.members, ceiling_of(state, allowance)
        view = View(
            ground.run,
            state,
            state.last_time,
            ground.hollows,
            OpenFeatures(self._reading.view, ground),
            ceiling=ceiling,
            within=within,
            vectoriser=self._vectoriser,
            sensing=self._assessor.texts(state.settings),
            hurried=True,
            handle=ground.services.handle,
        )
        tools = ground.read, view, state, ground.services, self._policy()
        if allowance is None:
            return make_room(*tools, exclude=ground.exclude)[0]
        return make_room_within(*tools, allowance=allowance, exclude=ground.exclude, others=ground.others)[0]

    def _allowances(self) -> dict[str, Any]:
        """Return the budgets of single users and conversations with what they have used, where there are any."""
        with self._writer.alone():
            state = self._writer.fresh_state()
            budgets = state.settings.partitions.allowances
            if not budgets:
                return {}
            weights = self._writer.allowances.load(self._writer.read, state.name)
            return {"allowances": shown(weights, budgets)}

    def _before_room(self, state: TenantState) -> None:
        """Bring the features up to date that the policy will go by, as long as nothing is being written."""
        if self._goes_by_features():
            self._reading.view.prepare_table(state)

    def _goes_by_features(self, name: str | None = None) -> bool:
        settings = self._writer.state.settings
        return goes_by_features(name or settings.policy.name, settings)

    def _heard(self, unit: Unit) -> None:
        """Hear of a unit that another handle of the tenant committed: wishes that came or went are read anew."""
        if touched(unit.nodes.values()):
            self._wishes.forget()

    def _committed(self, unit: Unit) -> None:
        """Keep the Merkle tree up, and sign a head when it is due; wishes that came or went are read anew."""
        if touched(unit.nodes.values()):
            self._wishes.forget()
        try:
            if self._ledger.extend(unit.records) >= unit.state.settings.head_interval:
                self._ledger.sign_head(unit.now)
        except EnvironmentFailure:
            # The write is committed and must not be said to have failed; a later one signs the head that is due.
            self._ledger.restart(unit.state.log)


def _lasting(lasts: str, example: str) -> int:
    """Return a duration in milliseconds."""
    span = duration_ms(str(lasts))
    if span is None:
        msg = f'lasts is {str(lasts)[:40]!r}; it must be a duration such as "{example}" or "1h"'
        raise InvalidInput(msg)
    return span
