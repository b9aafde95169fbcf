"""What a policy is: a pure function from a read-only view, a target and a seed to a plan.

Guarantees: a policy changes nothing and reads the store only through its view; equal views and seeds give equal plans.
A plan's digest covers what would be done, by which rules and on which state, not the access statistics that led there.
Source: semantics section 7.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from marskg.config import Settings
    from marskg.policies.core.features import FeatureTable
    from marskg.records import Consolidation, Plan
    from marskg.reflection.passages import Sensing
    from marskg.reflection.summariser import Summariser
    from marskg.store.rows.index_gaps import Gap
    from marskg.store.rows.kind_statistics import KindStatistics
    from marskg.store.rows.read_statistics import Usage
    from marskg.store.unit.vectors import Vectoriser

#: A number in a reason, with the unit of a span of time, which grows with the number.
_MOMENT: Final = late_regex(r"-?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?(?: (?:day|hour|minute|second)s?\b)?")


#: What a controller goes by, and what it promises itself of each choice: the moment makes both.
_LEARNED: Final = late_regex(r"(?<==)\d+\.\d{6}(?: \(.*\))?$")
_CONTROLLERS: Final = ("adaptive.", "tiered.")


class PolicyView(Protocol):
    """One tenant's memories at one moment, for reading only."""

    @property
    def tenant(self) -> str:
        """Return the tenant whose memories these are."""
        ...

    @property
    def now(self) -> int:
        """Return the moment of the view in epoch milliseconds."""
        ...

    @property
    def sequence(self) -> int:
        """Return the audit sequence number that the view is of."""
        ...

    @property
    def weight(self) -> int:
        """Return what the tenant's live memories weigh together."""
        ...

    @property
    def settings(self) -> Settings:
        """Return the tenant's settings."""
        ...

    @property
    def ceiling(self) -> int | None:
        """Return the weight that must be reached, where that is more than the target; None where it is the target.

        What a policy would rather keep it may keep between the two.
        """
        ...

    @property
    def within(self) -> frozenset[str] | None:
        """Return the ids that a plan may take where one user's or conversation's budget is exceeded; None for all.

        What else is live is excluded beside it, so that a policy need not look at this.
        """
        ...

    @property
    def census(self) -> KindStatistics:
        """Return the live tier in sums."""
        ...

    @property
    def usage(self) -> Usage:
        """Return what reading has come to so far."""
        ...

    @property
    def controls(self) -> Mapping[str, str]:
        """Return what the tenant's controllers have learned, as canonical JSON by their names."""
        ...

    def run(self, statement: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Run one reading Cypher statement and return its rows."""
        ...

    def timed(self, statement: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Run one reading Cypher statement of a user's, for ``policy.time_limit`` at most, and return its rows."""
        ...

    @property
    def vectoriser(self) -> Vectoriser | None:
        """Return what makes the vectors of the tenant's memories; None where the view was made without."""
        ...

    @property
    def sensing(self) -> Sensing | None:
        """Return what measures the lines of summaries; None where the tenant assesses nothing."""
        ...

    @property
    def summariser(self) -> Summariser | None:
        """Return the model that writes summaries; None where there is none, or it may not be asked for this plan."""
        ...

    def index_gaps(self, key_name: str) -> Sequence[Gap]:
        """Return ranges of the index of ``key_name`` that hold no key, in order; reading through them is slow."""
        ...

    def table(self, *, linked: bool = False) -> FeatureTable:
        """Return the features of the tenant's live memories, what an open transaction changed among them.

        With ``linked`` the table also has what each of them covers and depends on.
        """
        ...


class Policy(Protocol):
    """Chooses what a tenant forgets."""

    @property
    def name(self) -> str:
        """Return the name that plans and the audit carry."""
        ...

    def plan(
        self, view: PolicyView, *, target: int, exclude: frozenset[str] = frozenset(), seed: int | None = None
    ) -> Plan:
        """Return the plan that brings the live weight down to ``target``, or as near as the policy can.

        It ends above the target exactly when the policy finds nothing more to evict. ``exclude`` are ids that stay.
        """
        ...


@runtime_checkable
class FeatureReader(Protocol):
    """A policy that asks its view for the table of features, which is then brought up to date before a transaction."""

    @property
    def reads_features(self) -> bool:
        """Return whether it does."""
        ...


def reads_features(policy: Policy) -> bool:
    """Return whether ``policy`` asks its view for the table of features."""
    return isinstance(policy, FeatureReader) and policy.reads_features


def plan_digest(plan: Plan) -> str:
    """Return the SHA-256 of what ``plan`` does to which state, by which rules and why, over canonical JSON.

    Numbers that access and the moment make are left out: scores, features, those inside reasons, the loss, what the
    tenant's controllers go by, and what they learned from it.
    """
    content = {
        "policy": plan.policy,
        "parameters": [_without_moment(parameter) for parameter in plan.parameters],
        "tenant": plan.tenant,
        "budget": plan.budget,
        "sequence": plan.sequence,
        "weightBefore": plan.weight_before,
        "weightAfter": plan.weight_after,
        "actions": [
            [
                action.id,
                action.action,
                action.kind,
                action.weight,
                action.sequence,
                action.tier_after,
                action.rule,
                _MOMENT.sub("#", action.reason),
            ]
            for action in plan.actions
        ],
        "stages": plan.stages,
        "marks": plan.marks,
        "controls": [name for name, _ in plan.controls],
    }
    if plan.summaries:
        content["summaries"] = [_summary_content(summary) for summary in plan.summaries]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _without_moment(parameter: str) -> str:
    return _LEARNED.sub("#", parameter) if parameter.startswith(_CONTROLLERS) else parameter


def sealed(plan: Plan) -> Plan:
    """Return ``plan`` with the digest of what it now holds: the last step of whoever changes one."""
    return replace(plan, digest=plan_digest(plan))


def _summary_content(summary: Consolidation) -> list[Any]:
    """Return all of a summary that carrying it out depends on."""
    lines = [[line.text, line.sources, line.verbatim, line.sensitivity, line.expires_at] for line in summary.lines]
    return [summary.constituents, lines, summary.weight, summary.sensitivity, summary.embedding, summary.equivalent]
