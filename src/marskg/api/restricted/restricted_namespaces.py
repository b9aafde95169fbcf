"""The namespaces of everybody but the operator: each shows what the gate lets through, and nothing else.

Source: semantics section 9.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from marskg.api.namespaces.audit_namespace import FIRST, TRANSITIONS, Audit
from marskg.api.namespaces.entities_namespace import Entities
from marskg.api.namespaces.maintenance_namespace import Maintenance
from marskg.api.namespaces.policy_namespace import Policy
from marskg.api.namespaces.privacy_namespace import GRANTED_CALLS, GRANTED_FOR, Privacy
from marskg.api.restricted.visible_copy import check_policies, only_told, visible_copy
from marskg.erasure.request import Request
from marskg.privacy.principals import Principal, Right, refusal, right_to
from marskg.store.graph.validation import ids_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from marskg.api.arguments import AuditNumber, Count, Share, Tokens
    from marskg.api.components import Components
    from marskg.erasure.request import Matched
    from marskg.policies.comparison import Comparison
    from marskg.privacy.grants import Grant
    from marskg.records import AuditRecord, Entity


class RestrictedEntities(Entities):
    """The entities of a tenant as others than the operator have them."""

    def list(self) -> Iterator[Entity]:
        """Yield the names that memories which may be seen mention, each as an entity of its own."""
        return (entity for entity, _ in self._components.reading.disclosed("entities").entities())


class RestrictedMaintenance(Maintenance):
    """The upkeep of a tenant as others than the operator have it."""

    def prepare(self, *, progress: Callable[[int], None] | None = None) -> int:
        """Read what retrieval answers from; returns how much of it may be seen, and tells no progress."""
        del progress  # It counts what is hidden as well.
        self._components.reading.prepare()
        figures = self._components.reading.figures()
        return int(figures["live"] + figures["latent"])


class RestrictedPolicy(Policy):
    """The policy of a tenant as others than the operator have it."""

    def compare(
        self, policies: Iterable[str] | str, *, budget: Tokens | None = None, questions: Iterable[str] = ()
    ) -> Comparison:
        """Return what each of ``policies`` would forget if there were only what may be seen; see :meth:`plan`."""
        policies = ids_of(policies)
        check_policies(self._components, policies)
        with visible_copy(self._components) as copy:
            found = copy.policy.compare(policies, budget=budget, questions=questions)
        forecasts = tuple(replace(one, plan=only_told(one.plan)) for one in found.forecasts)
        return replace(found, sequence=0, forecasts=forecasts)


class RestrictedPrivacy(Privacy):
    """What is held about people as others than the operator have it."""

    def match_erasure(
        self,
        *,
        subject: str | None = None,
        id: str | None = None,  # noqa: A002 - the name that users see
        entity: str | None = None,
        session: str | None = None,
        source: str | None = None,
    ) -> Matched:
        """Return what ``mem.erase`` would be about; a subject is told only of what they may see of it."""
        given = {"subject": subject, "entity": entity, "session": session, "source": source, "id": id}
        if is_whole(self._components.principal, "privacy.match_erasure"):
            return super().match_erasure(**given)
        return self._components.eraser.look(own_request(self._components, given))

    def grant(
        self,
        to: str | Principal,
        *,
        ceiling: Share,
        lasts: str = GRANTED_FOR,
        calls: Count | None = GRANTED_CALLS,
        subjects: Iterable[str] | str | None = None,
    ) -> Grant:
        """Let a principal read above their ceiling for a while; a subject can do so for what is about them alone."""
        who = self._components.principal
        if not is_whole(who, "privacy.grant"):
            own = who.subjects or ()
            subjects = own if subjects is None else ids_of(subjects)
            if not {*subjects} <= {*own}:
                raise refusal(who, "privacy.grant", "grant for what is about somebody else")
        return super().grant(to, ceiling=ceiling, lasts=lasts, calls=calls, subjects=subjects)


class RestrictedAudit(Audit):
    """The audit of a tenant as others than the operator have it."""

    def records(self, *, log: str = TRANSITIONS, first: AuditNumber = FIRST) -> Iterator[AuditRecord]:
        """Yield the signed records of a log; details about memories that a controller may not see are left out."""
        found = super().records(log=log, first=first)
        who = self._components.principal
        limits = (who.subjects, who.ceiling, who.purpose, who.jurisdiction)
        limited = any(one is not None for one in limits)
        return map(self._components.reading.without_hidden, found) if limited else found


def is_whole(who: Principal, operation: str) -> bool:
    """Return whether a principal may do ``operation`` on all that is stored."""
    return right_to(who.role, operation) is Right.ALL


def own_request(components: Components, given: Mapping[str, str | None]) -> Request:
    """Return the request of a subject, who can ask for what is about them alone.

    Raises:
        NotPermitted: it is about somebody else.
    """
    request, who = Request.of(**given), components.principal
    own = who.subjects or ()
    if request.by == "subject" and request.name not in own:
        raise refusal(who, "erase", "erase for what is about somebody else")
    return replace(request, own=own, sees=components.reading.gate({}).known().admits)
