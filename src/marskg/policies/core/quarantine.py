"""Quarantine: what a policy would remove is set aside first, where a person can look at it (MaRS lines 764 and 828).

Guarantees: with ``policy.review`` on, no policy takes the content of what matches: the memory leaves the live tier all
the same, so that the budget holds in the same transaction, and waits in the latent tier for ``policy.quarantine``. The
plan says so before it is carried out. What something in quarantine depends on goes there with it, as a memory with
content keeps its bases (I3); of a summary's constituents all are kept where one matches. What a policy archives for
good is not touched, and expiry and erasure are no policies: they wait for nobody (I5).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marskg.ontology.vocabulary import Tier
from marskg.policies.core.candidates import policy_statement
from marskg.policies.core.plans import CONSOLIDATE
from marskg.policies.core.policy import sealed
from marskg.store.rows import codec

if TYPE_CHECKING:
    from marskg.policies.core.policy import PolicyView
    from marskg.records import Action, Plan

#: What a plan calls it.
QUARANTINE: Final = "quarantine"
OFF, SENSITIVE, ALL = "off", "sensitive", "all"
_REASON: Final = "in quarantine until somebody decides, or its time there ends"
_PAGE: Final = 500


def reviewed(plan: Plan, view: PolicyView) -> Plan:
    """Return ``plan`` with quarantine instead of removal for what the settings want a person to see first."""
    removed = [action for action in plan.actions if action.tier_after is not Tier.LATENT]
    if view.settings.policy.review == OFF or not removed:
        return plan
    kept = _matching(view, removed)
    if not kept:
        return plan
    # The lines of one summary rest on all of its constituents alike.
    summarised = any(action.action == CONSOLIDATE and action.id in kept for action in removed)
    actions = tuple(
        _set_aside(action)
        if action in removed and (action.id in kept or (summarised and action.action == CONSOLIDATE))
        else action
        for action in plan.actions
    )
    made = replace(plan, actions=actions)
    return sealed(made)


def _set_aside(action: Action) -> Action:
    word = action.action if action.action == CONSOLIDATE else QUARANTINE
    return replace(action, action=word, tier_after=Tier.LATENT, reason=f"{action.reason}; {_REASON}")


def _matching(view: PolicyView, removed: list[Action]) -> set[str]:
    """Return what is to be set aside of what a plan removes, with all of that which it depends on."""
    ids = [action.id for action in removed]
    if view.settings.policy.review == ALL:
        return set(ids)
    bases: dict[str, list[str]] = {}
    pending: list[str] = []
    for start in range(0, len(ids), _PAGE):
        refs = [codec.ref(view.tenant, ident) for ident in ids[start : start + _PAGE]]
        for row in view.run(policy_statement("review-facts"), {"refs": refs}):
            bases[row["id"]] = row["bases"]
            if row["sensitivity"] >= view.settings.policy.review_from:
                pending.append(row["id"])
    kept: set[str] = set()
    while pending:
        ident = pending.pop()
        if ident in bases and ident not in kept:
            kept.add(ident)
            pending += bases[ident]
    return kept
