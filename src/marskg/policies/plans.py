"""From chosen memories to a plan: actions with their features, scores and reasons, and the bound L * W_E.

Guarantees: L is derived from the importance per token of the memories that the plan takes, class by class of weight
(:mod:`marskg.policies.bounds`), so the bound holds for the utility that sums importance, whatever is kept (MaRS eq. 4
and Lemma A2), and the realised loss, the sum of their importance, never exceeds it. Reasons are made from templates
and numbers: no content reaches a plan.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from string import Template
from typing import TYPE_CHECKING

from marskg.clock import DAY_MS
from marskg.ontology.vocabulary import Tier
from marskg.policies.bounds import eviction_bound
from marskg.policies.policy import plan_digest
from marskg.records import Action, Plan
from marskg.store.order import SUPERSEDED, frequency, importance, recency

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from marskg.policies.candidates import Candidate
    from marskg.policies.policy import PolicyView
    from marskg.records import Consolidation

EVICT, ARCHIVE, CONSOLIDATE = "evict", "archive", "consolidate"

#: ``reflection.closure``: what is summarised keeps its content, in the latent tier.
STRICT = "strict"
#: From how many of it on a unit of time is used.
_TWO = 2
#: Reasons that are the same for every policy.
REASON_SUPERSEDED = "superseded $superseded ago by a newer value, so first in line"
REASON_FREED = "nothing that keeps its content depends on it any more"
REASON_STRANDED = "only memories out of the live tier depend on it, so it is archived beside them"


@dataclass(frozen=True, slots=True)
class Choice:
    """One memory that a policy takes: by which rule, with what score and why, in words."""

    candidate: Candidate
    rule: str
    score: int
    reason: str
    stranded: bool = False
    #: Numbers of the policy's own, shown beside the others or in the place of one of the same name.
    features: Mapping[str, float] = field(default_factory=dict)
    #: Whether a summary takes its place.
    summarised: bool = False


def explained(view: PolicyView, rule: str, reason: Template, candidate: Candidate, score: int) -> Choice:
    """Return the choice of ``candidate`` by the order ``rule``, with the order's reason or why it is first in line."""
    known = words(facts(view, candidate))
    if candidate.rank == SUPERSEDED:
        return Choice(candidate, "superseded", score, Template(REASON_SUPERSEDED).substitute(known))
    text = reason.substitute(known)
    return Choice(candidate, rule, score, f"{text}; {REASON_FREED}" if candidate.freed else text)


def archives(view: PolicyView) -> bool:
    """Return whether what is evicted goes to the latent tier, for good or for its time of grace."""
    policy = view.settings.policy
    return policy.evict_to is Tier.LATENT or policy.grace is not None


def facts(view: PolicyView, candidate: Candidate) -> dict[str, float]:
    """Return the numbers about a candidate that reasons and features are made of."""
    scoring = view.settings.scoring
    value = importance(scoring, candidate.kind, candidate.last, candidate.times, view.now)
    found = {
        "age_days": _days(view.now - candidate.created),
        "idle_days": _days(view.now - candidate.last),
        "accesses": float(candidate.times),
        "weight": float(candidate.weight),
        "recency": recency(scoring, candidate.last, view.now),
        "frequency": frequency(scoring, candidate.times),
        "type_weight": scoring.type_weights[candidate.kind],
        "importance": value,
        "density": value / max(candidate.weight, 1),
    }
    if candidate.superseded_at is not None:
        found["superseded_days"] = _days(view.now - candidate.superseded_at)
    return found


def _days(milliseconds: int) -> float:
    return max(milliseconds, 0) / DAY_MS


def words(found: Mapping[str, float]) -> dict[str, str]:
    """Return the numbers as a reason shows them; beside ``age_days`` and its like, ``age`` with its unit."""
    shown = {name: _word(value) for name, value in found.items()}
    spans = {name.removesuffix("_days"): _span(value) for name, value in found.items() if name.endswith("_days")}
    return shown | spans


def _word(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0") if value >= 1 else f"{value:.4f}".rstrip("0").rstrip(".")


def _span(days: float) -> str:
    """Return a span of time in the largest unit of which there are two; ``2 days``, ``36 hours``, ``0 seconds``."""
    for unit, size in (("days", 1.0), ("hours", 24.0), ("minutes", 1440.0)):
        if days * size >= _TWO:
            return f"{days * size:.1f}".removesuffix(".0") + f" {unit}"
    seconds = round(days * 86400)
    return f"{seconds} second{'' if seconds == 1 else 's'}"


def build_plan(  # noqa: PLR0917 - the parts of a plan
    view: PolicyView, policy: str, parameters: tuple[str, ...], target: int, choices: Sequence[Choice], seed: int | None
) -> Plan:
    """Return the plan that takes ``choices`` in their order."""
    actions, losses = [], []
    for choice in choices:
        found = facts(view, choice.candidate)
        losses.append(found["importance"])
        actions.append(_action(choice, found, _fate(view, choice)))
    freed = sum(action.weight for action in actions)
    bound = eviction_bound(losses, [action.weight for action in actions])
    plan = Plan(
        policy=policy,
        parameters=parameters,
        tenant=view.tenant,
        budget=target,
        weight_before=view.weight,
        weight_after=view.weight - freed,
        actions=tuple(actions),
        lipschitz=bound.constant,
        bound=bound.value,
        realised_loss=math.fsum(losses),
        sequence=view.sequence,
        digest="",
        seed=seed,
    )
    return replace(plan, digest=plan_digest(plan))


def _fate(view: PolicyView, choice: Choice) -> tuple[str, Tier]:
    """Return what happens to a chosen memory, and where it is afterwards."""
    if choice.summarised:
        return CONSOLIDATE, Tier.LATENT if view.settings.reflection.closure == STRICT else Tier.TOMBSTONE
    return (ARCHIVE, Tier.LATENT) if archives(view) or choice.stranded else (EVICT, Tier.TOMBSTONE)


def with_summaries(
    plan: Plan, choices: Plan, summaries: Sequence[Consolidation], notes: Sequence[str] = (), *, target: int
) -> Plan:
    """Return one plan: first ``choices``, the constituents of ``summaries``, then what ``plan`` takes besides.

    The summaries weigh what they weigh; the bound counts their constituents as lost, though they say part of it.
    """
    taken = choices.freed_tokens + plan.freed_tokens
    lipschitz = max(choices.lipschitz, plan.lipschitz)
    loss = choices.realised_loss + plan.realised_loss
    made = replace(
        plan,
        policy=choices.policy,
        parameters=choices.parameters,
        budget=target,
        weight_after=plan.weight_before - taken + sum(summary.weight for summary in summaries),
        actions=(*choices.actions, *plan.actions),
        lipschitz=lipschitz,
        bound=max(lipschitz * taken, loss),
        realised_loss=loss,
        summaries=tuple(summaries),
        notes=(*plan.notes, *notes),
    )
    return replace(made, digest=plan_digest(made))


def _action(choice: Choice, found: Mapping[str, float], fate: tuple[str, Tier]) -> Action:
    candidate = choice.candidate
    shown = {name: value for name, value in found.items() if name != "weight"} | dict(choice.features)
    return Action(
        id=candidate.id,
        action=fate[0],
        kind=candidate.kind,
        weight=candidate.weight,
        sequence=candidate.sequence,
        tier_after=fate[1],
        rule=choice.rule,
        score=choice.score,
        features=tuple(f"{name}={value:.6f}" for name, value in shown.items()),
        reason=choice.reason,
    )


#: Settings of single policies, which the plans of others do not carry.
_OWN = frozenset({"density", "hybrid"})


def parameters_of(view: PolicyView, own: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the settings that a policy follows, as the audit records them; ``own`` names sections for it alone."""
    left_out = tuple(f"policy.{name}" for name in sorted({"name", *_OWN} - set(own)))
    sections = ("policy.", *(f"{name}." for name in own), *(("partitions.",) if view.settings.partitions.on else ()))
    return tuple(
        text for text in view.settings.to_parameters() if text.startswith(sections) and not text.startswith(left_out)
    )
