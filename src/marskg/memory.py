"""The facade: what the product does, as one list of methods over one tenant of one store.

Guarantees: every method either does all of what it says or raises a :class:`~marskg.errors.MarsError` and leaves the
store as it was; the live tier never weighs more than the budget in any committed state (I1); each change has its
signed record in the same transaction (I7). Calls from several threads are safe.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

from marskg.api import checks, transfer
from marskg.api.arguments import checked_calls
from marskg.api.doors import guarded
from marskg.api.namespaces.handle import Handle
from marskg.api.namespaces.privacy_namespace import Privacy
from marskg.api.queries import undisturbed
from marskg.api.reading import AllFilters, ReaderFilters, ScopeFilters
from marskg.drafts import Draft, EntityRef, enumeration, json_object
from marskg.erasure.request import Request
from marskg.errors import InvalidInput, InvalidMemory
from marskg.exporters.queries.runner import TIME_LIMIT_S, QueryResult
from marskg.learning.feedback import Said
from marskg.ontology.vocabulary import EdgeType
from marskg.policies.builtin.private import NAME as PRIVATE
from marskg.policies.executor import View
from marskg.policies.streams.slices import shares_of
from marskg.sources.kept_heads import heads_of
from marskg.store.commit.consistent_read import consistent_read
from marskg.store.commit.snapshot_read import snapshot_read
from marskg.store.graph import admit, amend, tiers
from marskg.store.graph.validation import MOST_SAID, check_integer, check_text, ids_of
from marskg.store.ingest.prepare import draft_of
from marskg.store.upkeep import maintenance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from marskg.api.arguments import Count, Json, Milliseconds, Rank, ReadPath, Seconds, Seed, Share, Tokens
    from marskg.erasure.receipts import Receipt
    from marskg.exporters.rdf.writer import Counts
    from marskg.given_time import GivenTime
    from marskg.learning.feedback import Feedback
    from marskg.learning.housekeeping.cycle import Upkeep
    from marskg.records import Edge, Memory, Plan, Report, Stored, TreeHead
    from marskg.retrieval.assembly.hits import Hits
    from marskg.retrieval.complete.exhaustive_read import Everything
    from marskg.retrieval.complete.subject_profile import SubjectProfile
    from marskg.retrieval.explain import Explanation
    from marskg.store.rows.state import TenantState
    from marskg.store.upkeep.maintenance import Stats


@guarded
@checked_calls(
    AllFilters,
    ReaderFilters,
    ScopeFilters,
    errors=dict.fromkeys(("remember", "remember_many", "update"), InvalidMemory),
)
class AgentMemory(Handle):
    """One tenant's governed memory; made by :func:`marskg.open`, and a context manager."""

    # --- Writing ----------------------------------------------------------------------------------------------------

    def remember(
        self,
        content: str,
        *,
        kind: str = "episodic",
        payload: Mapping[str, Any] | None = None,
        key: str | None = None,
        cardinality: str | None = None,
        session: str | None = None,
        subjects: Iterable[str] | str = (),
        derives_from: Iterable[str] | str = (),
        depends_on: Iterable[str] | str = (),
        requires: Iterable[str] | str = (),
        contradicts: Iterable[str] | str = (),
        attaches_to_goal: Iterable[str] | str = (),
        edges: Iterable[tuple[str, str]] = (),
        mentions: Iterable[str | EntityRef] = (),
        at: GivenTime | None = None,
        valid_to: GivenTime | None = None,
        ttl: str | Milliseconds | None = None,
        expires_at: GivenTime | None = None,
        sensitivity: Share | None = None,
        memory_class: str | None = None,
        intent_tags: Iterable[str] | str = (),
        metadata: Mapping[Any, Any] | None = None,
        source_type: str = "chat_user",
        source_ref: str | None = None,
        reliability: Share | None = None,
        purpose: Iterable[str] | str = (),
        jurisdiction: str | None = None,
        use_bound: bool = False,
        session_bound: bool = False,
        status: str | None = None,
        priority: Rank | None = None,
        deadline: GivenTime | None = None,
        pin: bool = False,
        keep: bool = False,
        id: str | None = None,  # noqa: A002 - the name that users see
    ) -> Memory:
        """Store one memory and return it, making room by the tenant's policy where the budget asks for it.

        Args:
            content: the text that an agent would be shown.
            kind: ``episodic``, ``semantic``, ``social`` or ``task``.
            payload: the kind's typed fields (MaRS sections 3.2.1-3.2.4).
            key: a slot such as ``budget/travel``, one for each (tenant, subjects, key).
            cardinality: of the slot: ``single``, which it is if left out, ``set`` or ``append``.
            session: the conversation that an episode belongs to.
            subjects: the people it is about, the unit of erasure.
            derives_from: ids of the memories that it was derived from.
            depends_on: ids of the memories without which it makes no sense.
            requires: ids of a task's prerequisites.
            contradicts: ids of memories that it contradicts.
            attaches_to_goal: ids of the tasks that it serves.
            edges: further ``(type, id)`` pairs, such as ``("partOf", id)``.
            mentions: names of people, places and things, or :class:`~marskg.drafts.EntityRef`.
            at: when it was said or became true; now if left out.
            valid_to: when it stops being true, if that is known: it is history from then on.
            ttl: time to live, such as ``"30d"``, or milliseconds.
            expires_at: the end of its life; of its class's life (``lives``) if left out.
            sensitivity: from 0 to 1.
            memory_class: ``canonical``, ``factual``, ``intent_bound``, ``ephemeral`` or ``private``; by the
                rules of :mod:`marskg.store.unit.retention_classes` if left out. Only ``private`` ends by itself by
                default.
            intent_tags: what it is about and may be used for in retrieval; topics by its keywords if left out.
            metadata: free JSON of your own, such as ``{"page": 7}``, at most 16 KiB; reads can be filtered by it.
            source_type: ``chat_user``, ``chat_assistant``, ``doc``, ``api_result`` or ``reflection``.
            source_ref: where in the source it stands.
            reliability: from 0 to 1; by source if left out (:data:`~marskg.ontology.vocabulary.RELIABILITY`).
            purpose: what it may be used for, and nothing else; any purpose if left out.
            jurisdiction: whose law it is under.
            use_bound: it goes once it was used.
            session_bound: it goes when its session ends.
            status: of a task.
            priority: of a task.
            deadline: of a task.
            pin: keep it, and what it depends on, whatever the policy says.
            keep: store it although the user's words ask that it is not kept, as in "don't save this: …". Without it
                nothing is stored then: what is returned has no content, and its ``notices`` say why.
            id: an absolute ``urn:uuid:`` of one's own.

        Raises:
            InvalidMemory: a field is unknown or out of range.
            ClosureViolation, TaskSafetyViolation, CycleError, DuplicateId: the write gate refuses it.
            MemoryTooLarge, BudgetInfeasible: the budget cannot hold it.
        """
        given = locals()
        # What is left is the fields of a draft, each by its name.
        del given["self"], given["id"]
        return self._components.store(draft_of(given, self._writer.now()), id)

    def remember_many(
        self,
        drafts: Iterable[Draft],
        *,
        progress: Callable[[int], None] | None = None,
        atomic: bool = False,
    ) -> Stored:
        """Store what a reader yields, some hundred in a transaction, with one policy run each; returns how many.

        The number has ``notices``: how many are private, and when the first ends; ``known``: items that came before;
        ``not_kept``: turns that ask not to be kept, and what comes with them, which were left out.

        Args:
            drafts: memories, retractions and closings, what is named before what names it.
            progress: called with the number of drafts done after each transaction.
            atomic: all in one transaction, or nothing.

        Raises:
            InvalidMemory: one of them is no draft.
            NotKept: ``atomic``, and a turn asks that it is not kept.
            MarsError: what the gate refuses; the transactions before it are kept unless ``atomic``.
        """
        since = self._writer.state.sequence
        done = self._components.ingestor.many(drafts, progress=progress, atomic=atomic)
        if self._components.learner.watches:
            self._components.learner.watch(since)
        return done

    def update(
        self,
        id: str,  # noqa: A002 - the name that users see
        content: str,
        *,
        metadata: Mapping[Any, Any] | None = None,
    ) -> Memory:
        """Give a memory a new text: a new node supersedes the old one, which keeps its history.

        ``metadata`` takes the place of what it had; that stays if left out, and goes with ``{}``.

        Raises:
            InvalidMemory: either cannot be stored.
            NotKept: it is the user's, and its new text asks that it is not kept.
            NotPermitted: the memory was superseded.
        """
        changes = {} if metadata is None else {"metadata": json_object("metadata", metadata)}
        return self._components.ingestor.new_version(id, content, changes)

    def retract(self, key: str, *, subjects: Iterable[str] | str = (), content: str | None = None) -> list[Memory]:
        """End the current value of a key, of a ``set`` the one that equals ``content``; returns what was closed."""
        return self._components.run(lambda unit: admit.retract(unit, key, ids_of(subjects), content))

    def link(self, source: str, type: str, target: str, *, weight: Share | None = None) -> Memory:  # noqa: A002
        """Draw an edge between two memories."""
        kind = enumeration(EdgeType, "edge type", type)
        return self._components.run(lambda unit: amend.add_edge(unit, source, kind, target, weight))

    def unlink(self, source: str, type: str, target: str) -> Memory:  # noqa: A002
        """Remove an edge between two memories."""
        kind = enumeration(EdgeType, "edge type", type)
        return self._components.run(lambda unit: amend.remove_edge(unit, source, kind, target))

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

        Counts once for each retrieval. What is neither named nor judged by an answer keeps its score. What was not used
        loses only beside something that was; what the complaint disproves moves to the latent tier
        (:meth:`restore` takes that back).

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
            answer=None if answer is None else check_text("answer", answer, limit=MOST_SAID),
            question="" if question is None else check_text("question", question, limit=MOST_SAID),
            complaint=None if complaint is None else check_text("complaint", complaint, limit=MOST_SAID),
        )
        maintenance.settle(self._writer)
        keep, rehearse = self._components.store, self._components.rehearse
        return self._components.learner.feedback(retrieval_id, said, keep, rehearse)

    # --- Reading ----------------------------------------------------------------------------------------------------

    def retrieve(
        self,
        query: str,
        *,
        token_budget: Tokens | None = None,
        k: Count | None = None,
        as_of: GivenTime | None = None,
        max_sensitivity: Share | None = None,
        purpose: str | None = None,
        profile: str | None = None,
        conversation: str | None = None,
        time_zone: str | None = None,
        explain: bool = False,
        min_confidence: Share | None = None,
        **filters: Unpack[ScopeFilters],
    ) -> Hits:
        """Return the memories that answer ``query``, within ``token_budget``, and record that they were shown.

        Args:
            query: what is asked, in words.
            token_budget: wordpiece tokens that the result may weigh; the tenant's setting if left out.
            k: most memories to return; the tenant's setting if left out.
            as_of: answer with what was valid then; what is current if left out.
            max_sensitivity: what is more sensitive stays out of sight.
            purpose: what it is for; what is limited to other purposes stays out of sight.
            profile: how candidates are ranked: ``fused``, ``memoryarchitect`` or a ``.yaml`` file.
            conversation: session that goes on: its last turns and its summary are part of the result.
            time_zone: zone of the IANA database, such as ``Europe/Berlin``, in which "today" or "in March" is meant;
                the tenant's setting if left out.
            explain: give each stage's numbers in ``stages``.
            min_confidence: for precision: show nothing that is less likely to bear on the question, from 0 to 1, and
                nothing that is not certain; of the best, ``confidence`` is how likely. Left out, what is not certain
                by the tenant's setting is shown last and marked, in the text and by ``hit.certain``. 0 takes
                everything for certain.
            filters: ``kinds``, ``classes``, ``sources``, ``subjects``, ``sessions``, ``tags``, ``key_prefix``,
                ``since``, ``until``, ``jurisdiction``, ``latent``, ``unaffirmed``, ``superseded``, ``closed`` (tasks
                that are done, cancelled or long past), ``metadata`` (such as ``{"trip.year": {"$gte": 2025}, "tags":
                {"$contains": "x"}}``; no ranges if encrypted). An empty list names nobody: none is shown.

        Raises:
            InvalidInput: the query, a limit or a filter is not allowed.
            EmbeddingMismatch: the tenant's vectors are of another model; see ``mem.maintenance.reembed``.
        """
        maintenance.settle(self._writer)
        gate = {"as_of": as_of, "max_sensitivity": max_sensitivity, "purpose": purpose, **filters}
        return self._reading.retrieve(
            query,
            budget=token_budget,
            k=k,
            profile=profile,
            explain=explain,
            conversation=conversation,
            time_zone=time_zone,
            gate=gate,
            min_confidence=min_confidence,
        )

    def recall(
        self,
        entity: str | None = None,
        *,
        goal: str | None = None,
        token_budget: Tokens | None = None,
        k: Count | None = None,
        social: str = "task",
        **filters: Unpack[AllFilters],
    ) -> Hits:
        """Return what surrounds an entity or a goal in the graph, nearest first, and record that it was shown.

        Args:
            entity: name, alias, id or IRI of a person, place or thing; where two go by it, the notices ask which.
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
        since: GivenTime | None = None,
        until: GivenTime | None = None,
        entity: str | Iterable[str] | None = None,
        goal: str | Iterable[str] | None = None,
        token_budget: Tokens | None = None,
        sums: bool = False,
        **filters: Unpack[ReaderFilters],
    ) -> Everything:
        """Return all current memories of a key, a period, an entity or a goal, complete and counted.

        Args:
            key_prefix: a key and all below it, such as ``expenses``; ``expenses/*`` is what lies below it alone.
            since: valid from then on.
            until: valid before then.
            entity: names, ids or IRIs of people, places or things; one that is mentioned is enough.
            goal: ids of tasks that the memories serve.
            token_budget: tokens that may be shown; the count and the sums are of everything all the same.
            sums: add up the amounts of the ledgers, by unit: those of each key, and those below each prefix that
                has several keys (``expenses/*``, ``expenses/travel/*``).
            filters: as :meth:`retrieve` takes them.

        Raises:
            UnknownMemory: nothing that may be read mentions an entity.
            InvalidInput: a filter is unknown or out of range.
        """
        maintenance.settle(self._writer)
        gate = {"key_prefix": key_prefix, "since": since, "until": until, **filters}
        return self._reading.read_all(entities=entity, goals=goal, budget=token_budget, sums=sums, gate=gate)

    def profile(
        self, subject: str | None = None, *, token_budget: Tokens | None = None, **filters: Unpack[AllFilters]
    ) -> SubjectProfile:
        """Return who somebody is: what holds of them now, by sections, and record that it was shown.

        Facts with a key come first, then turns that state something; what is superseded, over, or only asked is not
        there. Sections are who they are, people, work, home, health and diet, preferences, plans, and the rest.

        Args:
            subject: name of a person; who speaks if left out: whom most of what users said is about.
            token_budget: wordpiece tokens that the text may weigh; the tenant's setting if left out.
            filters: as :meth:`retrieve` takes them.

        Raises:
            InvalidInput: the name, the budget or a filter is not allowed.
        """
        maintenance.settle(self._writer)
        return self._reading.person(subject, budget=token_budget, gate=filters)

    def get(self, id: str) -> Memory | None:  # noqa: A002 - the name that users see
        """Return a memory by id, its score as it is now; None for none, or one that expired or lost its content."""
        found = self._reader.get(id, self._writer.now())
        return None if found is None else self._reading.as_now(found)

    def edges(self, id: str) -> list[Edge]:  # noqa: A002 - the name that users see
        """Return the edges that leave a memory; none if it does not exist."""
        found = self._reader.nodes((check_text("id", id),))
        return list(found[0][1]) if found else []

    def history(self, id: str) -> list[Memory]:  # noqa: A002 - the name that users see
        """Return the versions of a memory, oldest first."""
        return [self._reading.as_now(memory) for memory in self._reader.history(id)]

    def explain(
        self,
        id: str,  # noqa: A002 - the name that users see
        *,
        max_sensitivity: Share | None = None,
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
        told = self._writer.state.settings.policy.name != PRIVATE and self._components.planning.goes_by_features()
        return self._reading.explain(id, gate, by_features=told)

    def memories(self, *, metadata: Mapping[Any, Any] | None = None) -> Iterator[Memory]:
        """Yield every memory of the tenant, tombstones included; only those with this ``metadata``, if it is given.

        Raises:
            InvalidInput: ``metadata`` is no filter, as :meth:`retrieve` has it.
        """
        found = (self._reading.as_now(memory) for memory, _, _ in self._reader.memories())
        return self._reading.having(found, metadata)

    def stats(self) -> Stats:
        """Return counts and weights by tier and kind, the budget and its shares, and the audit's sequence."""

        def figures(state: TenantState) -> Stats:
            found = maintenance.stats(self._writer, self._reader)
            shares = shares_of(View(self._opened.engine.read, state, self._writer.now()))
            return {**found, "partitions": shares} if shares else found

        return {**snapshot_read(self._writer, figures), **self._components.quotas()}

    # --- Forgetting and erasing -------------------------------------------------------------------------------------

    def plan(
        self,
        *,
        policy: str | None = None,
        budget: Tokens | None = None,
        seed: Seed | None = None,
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
            NotPermitted: the policy is ``private``; see ``mem.privacy.forget``.
        """
        chance = None if seed is None else check_integer("seed", seed, 0, error=InvalidInput)
        maintenance.settle(self._writer)
        with self._writer.alone():
            return self._components.planning.kept(policy, budget, chance, progress)

    def forget(self, plan: Plan) -> Plan:
        """Apply exactly that plan.

        Raises:
            StalePlan: the store has moved on since it was made.
        """
        return self._components.planning.apply(plan)

    def restore(self, id: str) -> Memory:  # noqa: A002 - the name that users see
        """Make a latent memory live again, making room for it where needed.

        Raises:
            NotPermitted: it is not latent.
            BudgetInfeasible: there is no room that may be made.
        """
        return self._components.run(lambda unit: tiers.restore(unit, unit.node(id)))

    def erase(
        self,
        *,
        subject: str | None = None,
        id: str | None = None,  # noqa: A002 - the name that users see
        entity: str | None = None,
        session: str | None = None,
        source: str | None = None,
        scrub: bool = False,
        snapshots: bool = False,
        dry_run: bool = False,
    ) -> Receipt:
        """Erase what is about a subject, mentions an entity, or comes from a session, a source or an id: one of these.

        Memories go in every tier, with all that depends on them or derives from them, the lines of summaries that rest
        on them, entities that nothing else mentions, and their details in the audit, which still verifies. What was
        erased is not stored again: of a subject nothing without their consent; and the same texts, if they have eight
        tokens or more, neither about the same people nor without saying about whom, in whatever field and also inside
        longer ones; about somebody else they are.
        What may have the name, and not surely, is left, and listed as ``near`` for a person to look at.

        Args:
            subject: a person, whom the memories are about; by the name as it is written.
            id: one memory.
            entity: a name, id or IRI: what mentions it, is about it, or has one of its names in text or other words.
            session: a conversation.
            source: a source reference.
            scrub: also rewrite the store's files, so that no byte of it is left in them; refused on a server, whose
                files are its operator's.
            snapshots: also remove all that this store wrote (``mem.snapshots.list()``), each of which may hold what is
                erased; a file that is not what was written is left. Without it they are kept, and counted.
            dry_run: change nothing and sign nothing; ``memories``, ``near`` and ``namesakes`` say what and why.

        Raises:
            InvalidInput: none or several of them were given, or one that names nothing; several entities go by the
                name; nobody is called exactly as ``subject`` is, and somebody almost so.
            NotPermitted: ``scrub`` on a server.
        """
        request = Request.of(subject=subject, entity=entity, session=session, source=source, id=id)
        maintenance.settle(self._writer)
        eraser = self._components.eraser
        return eraser.rehearse(request) if dry_run else eraser.erase(request, scrub=scrub, snapshots=snapshots)

    def maintain(self, *, dry_run: bool = False) -> Upkeep:
        """Keep the tenant lean, by its settings ``lean.*``: one pass of housekeeping.

        Expires what is due; puts social memories aside that were unused over a preference's horizon; brings every
        subject within ``cap_per_subject``, lowest score first; where ``lean.*`` asks for it, archives what has a low
        score and was not accessed for long, and replaces long memories of low score by excerpts; signs a head; keeps
        the retrieval index. Nothing protected and nothing canonical is touched.

        Args:
            dry_run: change nothing, and return what would be done.
        """
        return self._components.housekeep(dry_run=dry_run)

    # --- Checking ---------------------------------------------------------------------------------------------------

    def validate(self, *, full: bool = False) -> Report:
        """Validate recent changes, or with ``full`` the whole tenant, against the SHACL shapes."""
        if not full:
            return checks.validate_recent(self._opened, self._writer)
        with consistent_read(self._writer, self._reader, damaged=True) as copy:
            return checks.validate(copy)

    def verify(self, *, witness: Iterable[TreeHead] | ReadPath = ()) -> Report:
        """Verify the signed logs and that the graph is what they say; ``witness``: heads that were kept, or their file.

        Raises:
            InvalidDocument: the file holds no heads.
        """
        with consistent_read(self._writer, self._reader, damaged=True, strict=False) as copy:
            return checks.verify(copy, self._opened.keyring, self._opened.services, heads_of(witness))

    # --- Giving away, taking back, and queries ----------------------------------------------------------------------

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
        target = transfer.target_of_export(self._opened.folder, path, profile, format)
        return transfer.export(self._writer, self._opened, target, format_name=format, audit=audit, progress=progress)

    def load(
        self,
        path: ReadPath,
        *,
        context: ReadPath | None = None,
        format: str | None = None,  # noqa: A002 - the name that users see
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Load an export, or foreign JSON-LD with its pinned ``context``; returns how many memories came back."""
        maintenance.settle(self._writer)
        count = transfer.load(self._opened, self._writer, path, context=context, format_name=format, progress=progress)
        self._components.vectors_after_loading()
        return count

    def sparql(self, query: str, *, limit_seconds: Seconds = TIME_LIMIT_S) -> QueryResult:
        """Answer a SPARQL query: SELECT, ASK, CONSTRUCT or DESCRIBE; ``sequence`` of the result is how fresh it is.

        Well-known prefixes such as ``mars:`` and ``prov:`` need no declaration.

        Raises:
            QueryRefused: it writes, reaches out, is wrong, or takes too long.
        """
        return undisturbed(self._writer, lambda state: self._queries.sparql(state, query, limit_seconds))

    def cypher(
        self, query: str, parameters: Mapping[str, Json] | None = None, *, limit_seconds: Seconds = TIME_LIMIT_S
    ) -> QueryResult:
        """Answer a read-only Cypher query on the whole store.

        Raises:
            QueryRefused: it writes, is wrong, or takes too long.
        """
        return undisturbed(self._writer, lambda state: self._queries.cypher(state, query, parameters, limit_seconds))

    # --- Namespaces (the others are the handle's) ------------------------------------------------------------------

    @cached_property
    def privacy(self) -> Privacy:
        """Return what is held about people, and who may see it."""
        return Privacy(self._components, self)
