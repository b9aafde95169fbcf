"""The facade of everybody but the operator: each door asks first who comes, and shows what the gate lets through.

Guarantees: every public door of :class:`~marskg.memory.AgentMemory` is here, one that is added to it included, and
refuses whoever the table of rights does not let in (:mod:`marskg.privacy.principals`); two stores that differ only in
what a principal may not see give that principal, unless they are a controller, equal bytes through every door: values,
errors, counts, numbers and texts. What was read is in the access log, with who read it. The operator's memory knows
nothing of all this and pays nothing for it. Source: semantics section 9.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from marskg import transfer
from marskg.clock import ManualClock
from marskg.errors import NotPermitted
from marskg.memory import AgentMemory
from marskg.policies.registry import POLICY_NAMES, SUFFIX
from marskg.privacy.grants import honour
from marskg.privacy.principals import Right, Role, permit, refusal, right_to
from marskg.privacy.request import Request
from marskg.queries import undisturbed
from marskg.retrieval.gate import Raised
from marskg.retrieval.profile import FILES, built_in
from marskg.store.admission import ids_of
from marskg.store.encrypted import vault_of
from marskg.store.load import Loader
from marskg.store.moments import without_erased
from marskg.store.opening import open_tenant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from marskg.exporters.query import QueryResult
    from marskg.exporters.writer import Counts
    from marskg.policies.comparison import Comparison
    from marskg.privacy.grants import Grant
    from marskg.privacy.principals import Principal
    from marskg.privacy.receipts import Receipt
    from marskg.privacy.request import Matched
    from marskg.records import AuditRecord, Edge, Entity, Memory, Plan
    from marskg.retrieval.everything import Everything
    from marskg.retrieval.explain import Explanation
    from marskg.retrieval.gate import Gate
    from marskg.retrieval.hits import Hits
    from marskg.store.opening import Opened

Door = TypeVar("Door", bound="Callable[..., Any]")
_FULL: Final = "full"
_DISCLOSURE: Final = "disclosure"


class Limits:
    """Narrows whatever gate a principal asks for to what they may see."""

    def __init__(self, principal: Principal, opened: Opened) -> None:
        """Narrow to the limits of ``principal``; grants are looked up in the log of ``opened``."""
        self._principal = principal
        self._opened = opened

    def __call__(self, gate: Gate, grant: object) -> Gate:
        """Return ``gate`` as narrow as the principal's limits.

        Raises:
            NotPermitted: it asks for more than these allow, or the grant allows nothing.
        """
        who = self._principal
        self._refuse_other("purpose", gate.purpose, who.purpose)
        self._refuse_other("jurisdiction", gate.jurisdiction, who.jurisdiction)
        shown = who.grant if grant is None else grant
        raised = None if shown is None else self._raised(shown, gate.now)
        ceiling = who.ceiling
        if gate.max_sensitivity is not None and ceiling is not None:
            most = ceiling if raised is None else max(ceiling, raised.ceiling)
            if gate.max_sensitivity > most:
                msg = f"max_sensitivity is above the ceiling {most:g} of {who}; leave it out, or ask for a grant"
                raise NotPermitted(msg)
        if gate.max_sensitivity is not None:
            ceiling, raised = self._lower(gate.max_sensitivity, ceiling, raised)
        return replace(
            gate,
            max_sensitivity=ceiling,
            purpose=who.purpose,
            jurisdiction=who.jurisdiction,
            about=who.subjects,
            bound=True,
            raised=raised,
            nowhere=who.role is Role.READER and who.jurisdiction is None,
        )

    def _refuse_other(self, name: str, asked: str | None, own: str | None) -> None:
        if asked is not None and asked != own:
            has = "has another" if own else "has no"
            msg = f"{self._principal} {has} {name} than what is asked for; leave it out, or act as one who has it"
            raise NotPermitted(msg)

    @staticmethod
    def _lower(asked: float, ceiling: float | None, raised: Raised | None) -> tuple[float, Raised | None]:
        """Return the ceiling and the raised one, neither above what is ``asked`` for."""
        low = asked if ceiling is None else min(asked, ceiling)
        return low, None if raised is None else replace(raised, ceiling=min(asked, raised.ceiling))

    def _raised(self, grant: object, now: int) -> Raised:
        opened = self._opened
        held = honour(opened.reader, self._handle, grant, to=self._principal.actor, now=now)
        return Raised(held.digest, held.ceiling, held.handles, self._handle)

    def _handle(self, subject: str) -> str:
        return self._opened.services.handle(self._opened.tenant, subject)


def _guarded(name: str, door: Door) -> Door:
    """Return ``door`` behind the question whether the principal may use it."""

    @wraps(door)
    def asked(self: GatedMemory, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the door has it
        permit(self._principal, name)
        return door(self, *args, **kwargs)

    return cast("Door", asked)


def _guard_all(gated: type[GatedMemory]) -> type[GatedMemory]:
    """Put the question before every public door of ``gated``, inherited ones included."""
    for name in dir(gated):
        door = getattr(gated, name)
        if name.startswith("_"):
            continue
        if isinstance(door, property) and door.fget is not None:
            setattr(gated, name, property(_guarded(name, door.fget), doc=door.__doc__))
        elif callable(door):
            setattr(gated, name, _guarded(name, door))
    return gated


@_guard_all
class GatedMemory(AgentMemory):
    """A tenant's memory as a controller, a subject or a reader has it; made by :func:`marskg.open`."""

    def __init__(self, opened: Opened, principal: Principal) -> None:
        """Serve ``principal`` the tenant that was opened."""
        super().__init__(opened, principal, Limits(principal, opened))

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
        if profile != self.settings.retrieval.profile and str(profile).endswith(FILES):
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

    def edges(self, id: str) -> list[Edge]:  # noqa: A002 - the name that users see
        """Return the edges from a memory to others that may be seen, none of a memory that may not."""
        return self._reading.edges_seen(id)

    def prepare(self, *, progress: Callable[[int], None] | None = None) -> int:
        """Read what retrieval answers from; returns how much of it may be seen, and tells no progress."""
        del progress  # It counts what is hidden as well.
        self._reading.prepare()
        figures = self._reading.figures()
        return int(figures["live"] + figures["latent"])

    def memories(self) -> Iterator[Memory]:
        """Yield every memory that may be seen, in the order of ids."""
        return (memory for memory, _ in self._reading.disclosed("memories").memories())

    def entities(self) -> Iterator[Entity]:
        """Yield the names that memories which may be seen mention, each as an entity of its own."""
        return (entity for entity, _ in self._reading.disclosed("entities").entities())

    def explain(
        self,
        id: str,  # noqa: A002 - the name that users see
        *,
        max_sensitivity: float | None = None,
        purpose: str | None = None,
        jurisdiction: str | None = None,
    ) -> Explanation:
        """Return what may be known of a memory; to a controller all that befell it, and its text if they may see it.

        Raises:
            UnknownMemory: there is none, or it may not be seen.
        """
        gate = {"max_sensitivity": max_sensitivity, "purpose": purpose, "jurisdiction": jurisdiction}
        if self._whole("explain"):
            return self._reading.explain_events(id, gate)
        return self._reading.explain_seen(id, gate, self._opened.services.actor)

    def stats(self) -> dict[str, Any]:
        """Return counts and weights by tier and kind: to a controller the tenant's, else of what may be seen."""
        if self._whole("stats"):
            return super().stats()
        state = self._writer.fresh_state()
        return {
            "tenant": state.name,
            **self._reading.figures(),
            "budget": state.budget,
            "policy": state.settings.policy.name,
            "engine": self._opened.engine.name,
            "embedding": state.settings.embedding.model,
        }

    @property
    def weight(self) -> int:
        """Return what the live memories weigh together: to a controller all of them, else those that may be seen."""
        return super().weight if self._whole("weight") else int(self._reading.figures()["weight"])

    # --- What would go --------------------------------------------------------------------------------------------

    def plan(
        self,
        *,
        policy: str | None = None,
        budget: int | None = None,
        seed: int | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Plan:
        """Return what a policy would do if there were only what may be seen; it cannot be applied.

        It is made over a copy of what may be seen, in a store for the moment, since what is hidden protects, outweighs
        and outranks what is not.

        Raises:
            BudgetInfeasible: what is protected of it weighs more than ``budget``.
            NotPermitted: ``policy`` is a file: what a file says is not theirs to ask for.
        """
        self._check_policies((policy,))
        with self._copy() as copy:
            return _only_told(copy.plan(policy=policy, budget=budget, seed=seed, progress=progress))

    def compare(
        self, policies: Iterable[str], *, budget: int | None = None, questions: Iterable[str] = ()
    ) -> Comparison:
        """Return what each of ``policies`` would forget if there were only what may be seen; see :meth:`plan`."""
        policies = ids_of(policies)
        self._check_policies(policies)
        with self._copy() as copy:
            found = copy.compare(policies, budget=budget, questions=questions)
        forecasts = tuple(replace(one, plan=_only_told(one.plan)) for one in found.forecasts)
        return replace(found, sequence=0, forecasts=forecasts)

    def forget(self, plan: Plan) -> Plan:
        """Apply a plan of :meth:`plan_pruning`.

        Raises:
            NotPermitted: the plan is one of what may be seen, which stands for nothing that is stored.
        """
        if not plan.digest:
            raise refusal(self._principal, "apply_settings", "forget with a plan that is over a copy")
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
        server_home: Path | str | None = None,
        snapshots: bool = False,
    ) -> Receipt:
        """Erase as :meth:`AgentMemory.erase` does; a subject only what is about them, with all that rests on it.

        A subject is told how many snapshots are left, in the document, and not where.

        Raises:
            NotPermitted: a subject asks for somebody else, or for the files to be rewritten, or snapshots removed.
        """
        given = {"subject": subject, "entity": entity, "session": session, "source": source, "id": id}
        if self._whole("erase"):
            return super().erase(**given, scrub=scrub, server_home=server_home, snapshots=snapshots)
        if scrub:
            raise refusal(self._principal, "erase", "erase with scrub, which rewrites everybody's files,")
        if snapshots:
            raise refusal(self._principal, "erase", "erase with snapshots, which hold what is everybody's,")
        return replace(self._eraser.erase(self._own(given), scrub=False), snapshots_left=())

    def match_erasure(
        self,
        *,
        subject: str | None = None,
        id: str | None = None,  # noqa: A002 - the name that users see
        entity: str | None = None,
        session: str | None = None,
        source: str | None = None,
    ) -> Matched:
        """Return what :meth:`erase` would be about."""
        given = {"subject": subject, "entity": entity, "session": session, "source": source, "id": id}
        if self._whole("match_erasure"):
            return super().match_erasure(**given)
        return self._eraser.look(self._own(given))

    def grant(
        self,
        to: str | Principal,
        *,
        ceiling: float,
        lasts: str = "10m",
        calls: int | None = 1,
        subjects: Iterable[str] | str = (),
    ) -> Grant:
        """Let a principal read above their ceiling for a while; a subject can do so for what is about them alone."""
        if not self._whole("grant"):
            subjects = self._own_subjects(subjects)
        return super().grant(to, ceiling=ceiling, lasts=lasts, calls=calls, subjects=subjects)

    # --- Queries and exports --------------------------------------------------------------------------------------

    def sparql(self, query: str, *, limit_seconds: float = 30.0) -> QueryResult:
        """Answer a SPARQL query from a view that holds what may be seen and nothing else; ``sequence`` is 0.

        Raises:
            QueryRefused: it writes, reaches out, is wrong, or takes too long.
        """
        return undisturbed(
            self._writer, lambda _: self._queries.seen(lambda: self._reading.disclosed("sparql"), query, limit_seconds)
        )

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
            raise refusal(self._principal, "snapshot_save", what)
        return without_erased(
            self._writer,
            lambda _, check: transfer.disclose(
                path,
                lambda: self._reading.disclosed("export"),
                folder=self._opened.folder,
                format_name=format,
                profile=profile,
                progress=progress,
                check=check,
            ),
        )

    # --- Audit ----------------------------------------------------------------------------------------------------

    def records(self, *, log: str = "transitions", first: int = 1) -> Iterator[AuditRecord]:
        """Yield the signed records of a log; details about memories that a controller may not see are left out."""
        found = super().records(log=log, first=first)
        return found if not self._limited else map(self._reading.without_hidden, found)

    # --- Inside ---------------------------------------------------------------------------------------------------

    def _whole(self, operation: str) -> bool:
        """Return whether the principal may do ``operation`` on all that is stored."""
        return right_to(self._principal.role, operation) is Right.ALL

    @property
    def _limited(self) -> bool:
        who = self._principal
        return bool(who.subjects) or any(one is not None for one in (who.ceiling, who.purpose, who.jurisdiction))

    def _check_policies(self, policies: Iterable[str | None]) -> None:
        """Refuse policies in files but for the tenant's own, as errors tell what a file says, and that it is there."""
        for policy in policies:
            if policy not in {None, self.settings.policy.name} and Path(str(policy)).suffix == SUFFIX:
                raise self._no_policy()

    def _no_policy(self) -> NotPermitted:
        names = ", ".join(POLICY_NAMES)
        msg = f"{self._principal} may not use a file as a policy: that is for the operator; name one of {names}"
        return NotPermitted(msg)

    def _no_profile(self) -> NotPermitted:
        names = ", ".join(built_in())
        msg = (
            f"{self._principal} may not use a file as a ranking profile: that is for the operator; name one of {names}"
        )
        return NotPermitted(msg)

    def _own_subjects(self, subjects: Iterable[str] | str) -> tuple[str, ...]:
        asked = (subjects,) if isinstance(subjects, str) else tuple(subjects)
        if not {*asked} <= {*self._principal.subjects}:
            raise refusal(self._principal, "grant", "grant for what is about somebody else")
        return asked or self._principal.subjects

    def _own(self, given: Mapping[str, str | None]) -> Request:
        """Return the request of a subject, who can ask for what is about them alone.

        Raises:
            NotPermitted: it is about somebody else.
        """
        request = Request.of(**given)
        own = self._principal.subjects
        if request.by == "subject" and request.name not in own:
            raise refusal(self._principal, "erase", "erase for what is about somebody else")
        return replace(request, own=own)

    @contextmanager
    def _one_at_a_time(self, asked: Mapping[str, Any]) -> Iterator[None]:
        """Keep other threads out while a grant is used that may be for one call."""
        if asked.get("grant") is None and self._principal.grant is None:
            yield
            return
        with self._writer.alone():
            yield

    @contextmanager
    def _copy(self) -> Iterator[AgentMemory]:
        """Give a store for the moment that holds what may be seen, in the order in which it was stored."""
        state = self._writer.fresh_state()
        disclosed = self._reading.disclosed()
        found, entities = disclosed.in_order(), list(disclosed.entities())
        with TemporaryDirectory(prefix="marskg-copy-") as folder:
            opened, _ = open_tenant(
                folder,
                state.name,
                state.settings,
                clock=ManualClock(self.now()),
                source=self._opened.services.source,
                actor=self._principal.actor,
            )
            try:
                with _Copy(opened) as copy:
                    copy.take_in(found, entities)
                    yield copy
            finally:
                # The copy of an encrypted tenant is encrypted under keys of its own.
                if (vault := vault_of(opened.engine)) is not None:
                    shutil.rmtree(vault)


class _Copy(AgentMemory):
    """A store for the moment."""

    def take_in(
        self,
        memories: list[tuple[Memory, tuple[Edge, ...]]],
        entities: list[tuple[Entity, tuple[Edge, ...]]],
    ) -> None:
        """Load what was seen, with its vectors."""
        Loader(self._writer).load(entities, lambda: memories)
        self._vectors_after_loading()


def _only_told(plan: Plan) -> Plan:
    """Return a plan as it is told: without what would let it be applied, and without the copy's own numbers."""
    actions = tuple(replace(action, sequence=0) for action in plan.actions)
    return replace(plan, actions=actions, sequence=0, digest="", hollows=(), controls=(), marks=())
