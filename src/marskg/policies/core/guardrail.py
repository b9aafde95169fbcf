"""The guardrail: no more than so much utility for each token that a trigger frees (MaRS section 7.1.1).

Guarantees: a trigger whose bound per freed token is above ``policy.guardrail`` frees no more than the budget itself
asks for. That much it frees whatever the guardrail says, because the budget holds in every committed state (I1). What
happened is among the plan's parameters, so that the audit has it, and in its notes. A plan that somebody asked for is
noted and not held back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from marskg.policies.core.policy import sealed

if TYPE_CHECKING:
    from marskg.policies.core.policy import Policy, PolicyView
    from marskg.records import Plan

#: What became of the plan: it kept to the guardrail, was cut to the budget, or had to go beyond for the budget.
WITHIN, CUT, EXCEEDED = "within", "cut", "exceeded"


def guarded(policy: Policy, view: PolicyView, *, target: int, budget: int, exclude: frozenset[str]) -> Plan:
    """Return the plan of a trigger: down to ``target``, or only to ``budget`` where more would break the guardrail."""
    plan = policy.plan(view, target=target, exclude=exclude)
    limit = view.settings.policy.guardrail
    if limit is None:
        return plan
    if plan.lipschitz <= limit:
        return _told(plan, WITHIN)
    least = plan if target >= budget else policy.plan(view, target=budget, exclude=exclude)
    if least.lipschitz <= limit:
        note = f"{_excess(plan, limit)}: cut to what the budget of {budget} asks for"
        return _told(replace(least, notes=(*least.notes, note)), CUT)
    note = f"{_excess(least, limit)}: the budget of {budget} asks for it, and goes first"
    return _told(replace(least, notes=(*least.notes, note)), EXCEEDED)


def noted(plan: Plan, limit: float | None) -> Plan:
    """Return a plan that somebody asked for, with a note where it is above the guardrail."""
    if limit is None or plan.lipschitz <= limit:
        return plan
    return replace(plan, notes=(*plan.notes, f"{_excess(plan, limit)}, which holds triggers back"))


def _excess(plan: Plan, limit: float) -> str:
    return f"its bound is {plan.lipschitz:.4g} for each token, above policy.guardrail of {limit:.4g}"


def _told(plan: Plan, outcome: str) -> Plan:
    changed = replace(plan, parameters=tuple(sorted((*plan.parameters, f"guardrail.outcome={outcome}"))))
    return sealed(changed)
