"""The facade of everybody but the operator: each door asks first who comes, and shows what the gate lets through.

Guarantees: every public door of :class:`~marskg.memory.AgentMemory` is here, one that is added to it included, and
refuses whoever the table of rights does not let in (:mod:`marskg.privacy.principals`); two stores that differ only in
what a principal may not see give that principal, unless they are a controller, equal bytes through every door: values,
errors, counts, numbers and texts. What was read is in the access log, with who read it. The operator's memory knows
nothing of all this and pays nothing for it. Source: semantics section 9.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from marskg.api import transfer
from marskg.api.arguments import checked_calls
from marskg.api.doors import guarded
from marskg.api.queries import undisturbed
from marskg.api.restricted.principal_limits import Limits
from marskg.api.restricted.restricted_namespaces import (
    RestrictedAudit,
    RestrictedEntities,
    RestrictedMaintenance,
    RestrictedPolicy,
    RestrictedPrivacy,
    is_whole,
    own_request,
)
from marskg.api.restricted.visible_copy import check_policies, only_told, visible_copy
from marskg.errors import NotPermitted
from marskg.exporters.queries.runner import TIME_LIMIT_S, QueryResult
from marskg.memory import AgentMemory
from marskg.privacy.principals import Principal, refusal
from marskg.retrieval.query.profile import FILES, built_in
from marskg.store.commit.snapshot_read import erasure_safe_read
from marskg.store.upkeep import maintenance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from marskg.api.arguments import Seconds, Seed, Share, Tokens
    from marskg.api.namespaces.audit_namespace import Audit
    from marskg.api.namespaces.entities_namespace import Entities
    from marskg.api.namespaces.maintenance_namespace import Maintenance
    from marskg.api.namespaces.policy_namespace import Policy
    from marskg.api.namespaces.privacy_namespace import Privacy
    from marskg.erasure.receipts import Receipt
    from marskg.exporters.rdf.writer import Counts
    from marskg.records import Edge, Memory, Plan
    from marskg.retrieval.access.disclosure import Disclosure
    from marskg.retrieval.assembly.hits import Hits
    from marskg.retrieval.complete.exhaustive_read import Everything
    from marskg.retrieval.complete.subject_profile import SubjectProfile
    from marskg.retrieval.explain import Explanation
    from marskg.store.tenant.opening import Opened
    from marskg.store.upkeep.maintenance import Stats

_FULL: Final = "full"
_DISCLOSURE: Final = "disclosure"


@guarded
@checked_calls()
class RestrictedMemory(AgentMemory):
    """A tenant's memory as a controller, a subject or a reader has it; made by :func:`marskg.open`."""

    def __init__(self, opened: Opened, principal: Principal, names: Callable[[str], str] | None = None) -> None:
        """Serve ``principal`` the tenant that was opened; ``names`` gives what they call an access record, if any."""
        super().__init__(opened, principal, Limits(principal, opened, names))
        self._principal = principal

    # --- Reading --------------------------------------------------------------------------------------------------

    def get(self, id: str) -> Memory | None:  # noqa: A002 - the name that users see
        """Return a memory that may be seen, and record that it was read; None for a hidden one and for none."""
        found = self._reading.versions(id, all_of_them=False)
        return found[0] if found else None

    def history(self, id: str) -> list[Memory]:  # noqa: A002 - the name that users see
        """Return the versions of a memory that may be seen, oldest first, and record that they were read."""
        return self._reading.versions(id, all_of_them=True)

    def retrieve(self, query: str, **asked: Any) -> Hits:  # noqa: ANN401 - as AgentMemory.retrieve takes them
        """Return the memories that may be seen and answer ``query``; ``grant`` may name a grant for this call.

        Raises:
            NotPermitted: ``profile`` is a file: what a file says is not theirs to ask for.
        """
        profile = asked.get("profile")
        if profile != self._writer.state.settings.retrieval.profile and str(profile).endswith(FILES):
            raise self._no_profile()
        with self._one_at_a_time(asked):
            return super().retrieve(query, **asked)

    def recall(self, entity: str | None = None, **asked: Any) -> Hits:  # noqa: ANN401 - as AgentMemory.recall has them
        """Return what may be seen around an entity or a goal; ``grant`` may name a grant for this call."""
        with self._one_at_a_time(asked):
            return super().recall(entity, **asked)

    def read_all(self, **asked: Any) -> Everything:  # noqa: ANN401 - as AgentMemory.read_all takes them
        """Return all that may be seen of a key, a period, an entity or a goal; ``grant`` may name a grant."""
        with self._one_at_a_time(asked):
            return super().read_all(**asked)

    def profile(self, subject: str | None = None, **asked: Any) -> SubjectProfile:  # noqa: ANN401 - as AgentMemory.profile has them
        """Return what may be seen of who somebody is; ``grant`` may name a grant for this call."""
        with self._one_at_a_time(asked):
            return super().profile(subject, **asked)

    def edges(self, id: str) -> list[Edge]:  # noqa: A002 - the name that users see
        """Return the edges from a memory to others that may be seen, none of a memory that may not."""
        return self._reading.edges_seen(id)

    def memories(self, *, metadata: Mapping[Any, Any] | None = None) -> Iterator[Memory]:
        """Yield every memory that may be seen, in the order of ids; only those with this ``metadata``."""
        # What is no filter is refused before anything is recorded as shown.
        self._reading.conditions({} if metadata is None else metadata)
        found = (self._reading.as_now(memory) for memory, _ in self._reading.disclosed("memories").memories())
        return self._reading.having(found, metadata)

    def explain(
        self,
        id: str,  # noqa: A002 - the name that users see
        *,
        max_sensitivity: Share | None = None,
        purpose: str | None = None,
        jurisdiction: str | None = None,
    ) -> Explanation:
        """Return what may be known of a memory; to a controller all that befell it, and its text if they may see it.

        Raises:
            UnknownMemory: there is none, or it may not be seen.
        """
        gate = {"max_sensitivity": max_sensitivity, "purpose": purpose, "jurisdiction": jurisdiction}
        if is_whole(self._principal, "explain"):
            return self._reading.explain_events(id, gate)
        return self._reading.explain_seen(id, gate, self._opened.services.actor)

    def stats(self) -> Stats:
        """Return counts and weights by tier and kind: to a controller the tenant's, else of what may be seen."""
        if is_whole(self._principal, "stats"):
            return super().stats()
        state, seen = self._writer.fresh_state(), self._reading.figures()
        return {
            "tenant": state.name,
            "live": seen["live"],
            "latent": seen["latent"],
            "weight": seen["weight"],
            "latent_weight": seen["latent_weight"],
            "by_kind": seen["by_kind"],
            "budget": state.budget,
            "policy": state.settings.policy.name,
            "engine": self._opened.engine.name,
            "embedding": state.settings.embedding.model,
            "notices": list(self.notices),
        }

    @property
    def notices(self) -> tuple[str, ...]:
        """Return what every answer tells now: of the clock, and of no memory."""
        return maintenance.notices_of(self._writer)

    @property
    def weight(self) -> int:
        """Return what the live memories weigh together: to a controller all of them, else those that may be seen."""
        return super().weight if is_whole(self._principal, "weight") else self._reading.figures()["weight"]

    # --- What would go --------------------------------------------------------------------------------------------

    def plan(
        self,
        *,
        policy: str | None = None,
        budget: Tokens | None = None,
        seed: Seed | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Plan:
        """Return what a policy would do if there were only what may be seen; it cannot be applied.

        It is made over a copy of what may be seen, in a store for the moment, since what is hidden protects, outweighs
        and outranks what is not.

        Raises:
            BudgetInfeasible: what is protected of it weighs more than ``budget``.
            NotPermitted: ``policy`` is a file: what a file says is not theirs to ask for.
        """
        check_policies(self._components, (policy,))
        with visible_copy(self._components) as copy:
            return only_told(copy.plan(policy=policy, budget=budget, seed=seed, progress=progress))

    def forget(self, plan: Plan) -> Plan:
        """Apply a plan of ``mem.learning.plan_pruning``.

        Raises:
            NotPermitted: the plan is one of what may be seen, which stands for nothing that is stored.
        """
        if not plan.digest:
            raise refusal(self._principal, "settings.set", "forget with a plan that is over a copy")
        return super().forget(plan)

    # --- Erasing --------------------------------------------------------------------------------------------------

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
        """Erase as :meth:`AgentMemory.erase` does; a subject only what is about them, with all its dependents.

        What is about a subject goes also where their limits hide it from them; the receipt that they get counts only
        memories that they could see, and names no record. They are told how many snapshots are left, in the document,
        and not where.

        Raises:
            NotPermitted: a subject asks for somebody else, or for the files to be rewritten, or snapshots removed.
        """
        given = {"subject": subject, "entity": entity, "session": session, "source": source, "id": id}
        if is_whole(self._principal, "erase"):
            return super().erase(**given, scrub=scrub, snapshots=snapshots, dry_run=dry_run)
        if scrub:
            raise refusal(self._principal, "erase", "erase with scrub, which rewrites everybody's files,")
        if snapshots:
            raise refusal(self._principal, "erase", "erase with snapshots, which hold what is everybody's,")
        request, eraser = own_request(self._components, given), self._components.eraser
        if dry_run:
            return eraser.rehearse(request)
        return replace(eraser.erase(request, scrub=False), snapshots_left=())

    # --- Queries and exports --------------------------------------------------------------------------------------

    def sparql(self, query: str, *, limit_seconds: Seconds = TIME_LIMIT_S) -> QueryResult:
        """Answer a SPARQL query from a view that holds what may be seen and nothing else; ``sequence`` is 0.

        Raises:
            QueryRefused: it writes, reaches out, is wrong, or takes too long.
        """
        spent = undisturbed(self._writer, lambda _: self._queries.checked(query, limit_seconds))
        # Recorded before the answer is made: while the tenant is held for that, who holds it cannot write to it.
        self._reading.disclosed("sparql")
        read = self._reading.disclosed
        return undisturbed(self._writer, lambda _: self._queries.seen(read, query, limit_seconds, spent))

    def export(
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002 - the name that users see
        audit: bool = False,
        profile: str = _DISCLOSURE,
        progress: Callable[[int], None] | None = None,
    ) -> Counts:
        """Write what may be seen, of profile ``disclosure``: it does not load.

        Raises:
            NotPermitted: everything is asked for (profile ``full``), or the audit.
        """
        if profile == _FULL or audit:
            what = "export of the audit" if audit else "export of profile full"
            raise refusal(self._principal, "snapshots.save", what)
        read = self._disclosing("export")
        return erasure_safe_read(
            self._writer,
            lambda _, check: transfer.disclose(
                path,
                read,
                folder=self._opened.folder,
                format_name=format,
                profile=profile,
                progress=progress,
                check=check,
            ),
        )

    # --- Namespaces -----------------------------------------------------------------------------------------------

    @cached_property
    def entities(self) -> Entities:
        """Return the names that memories which may be seen mention."""
        return RestrictedEntities(self._components)

    @cached_property
    def policy(self) -> Policy:
        """Return what would go if there were only what may be seen."""
        return RestrictedPolicy(self._components)

    @cached_property
    def privacy(self) -> Privacy:
        """Return what is held about people, to a subject about themselves."""
        return RestrictedPrivacy(self._components, self)

    @cached_property
    def audit(self) -> Audit:
        """Return the signed logs without the details of what may not be seen."""
        return RestrictedAudit(self._components)

    @cached_property
    def maintenance(self) -> Maintenance:
        """Return the upkeep, which tells nothing of what may not be seen."""
        return RestrictedMaintenance(self._components)

    # --- Inside ---------------------------------------------------------------------------------------------------

    def _disclosing(self, door: str) -> Callable[[], Disclosure]:
        """Return what gives all that may be seen, as of when it is called, and records once that it was read."""
        doors = [door]
        return lambda: self._reading.disclosed(doors.pop() if doors else None)

    def _no_profile(self) -> NotPermitted:
        names = ", ".join(built_in())
        msg = (
            f"{self._principal} may not use a file as a ranking profile: that is for the operator; name one of {names}"
        )
        return NotPermitted(msg)

    @contextmanager
    def _one_at_a_time(self, asked: Mapping[str, Any]) -> Iterator[None]:
        """Keep other threads out while a grant is used that may be for one call."""
        if asked.get("grant") is None and self._principal.grant is None:
            yield
            return
        with self._writer.alone():
            yield
