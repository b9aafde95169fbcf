"""From chosen memories to a plan: actions with their features, scores and reasons, and the bound on what it loses.

Guarantees: L is derived from the importance per token of the memories that the plan evicts, class by class of weight
(:mod:`marskg.policies.core.bounds`), so the bound holds for the utility that sums importance, whatever is kept (MaRS
eq. 4 and Lemma A2); what a summary takes the place of loses at most kappa * D, in the same unit (Proposition A2). The
realised loss, the sum of the importance of what is evicted and kappa times the shift of each summarised cluster, never
exceeds the bound. Reasons are made from templates and numbers: no content reaches a plan but in its summaries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import chain
from string import Template
from typing import TYPE_CHECKING, Final, TypeVar

from marskg.clock import DAY_MS
from marskg.ontology.vocabulary import Tier
from marskg.policies.core.bounds import eviction_bound, reflection_bound
from marskg.policies.core.policy import sealed
from marskg.records import Action, Plan
from marskg.store.rows.order_keys import RESTATED, SUPERSEDED, VITAL, frequency, importance, recency

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from marskg.config import Settings
    from marskg.policies.core.candidates import Candidate
    from marskg.policies.core.policy import PolicyView
    from marskg.records import Consolidation

T = TypeVar("T")

EVICT, ARCHIVE, CONSOLIDATE = "evict", "archive", "consolidate"

#: ``reflection.closure``: what is summarised keeps its content, in the latent tier.
STRICT = "strict"
#: From how many of it on a unit of time is used.
_TWO = 2
#: Reasons that are the same for every policy.
REASON_SUPERSEDED = "superseded $superseded ago by a newer value, so first in line"
REASON_RESTATED = "a fact says every word of it, so it goes before what is said once; "
REASON_VITAL = "a life may depend on it, so it goes last; "
REASON_FREED = "nothing that keeps its content depends on it any more"
REASON_STRANDED = "only memories out of the live tier depend on it, so it is archived beside them"
#: What the reason of a memory of a rank begins with.
_RANKED: Final = {RESTATED: REASON_RESTATED, VITAL: REASON_VITAL}


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
    name, text = ruled(rule, reason.substitute(known), known, rank=candidate.rank, freed=candidate.freed)
    return Choice(candidate, name, score, text)


def ruled(rule: str, reason: str, known: Mapping[str, str], *, rank: str, freed: bool) -> tuple[str, str]:
    """Return the rule by which a memory goes and why: as its policy says, unless it is superseded; ``known`` are words.

    What its ``rank`` has to do with it comes first. A memory that became a leaf by what went before it says so.
    ``known`` is read of superseded memories alone.
    """
    if rank == SUPERSEDED:
        return "superseded", Template(REASON_SUPERSEDED).substitute(known)
    told = f"{_RANKED.get(rank, '')}{reason}"
    return rule, f"{told}; {REASON_FREED}" if freed else told


def archives(view: PolicyView) -> bool:
    """Return whether what is evicted goes to the latent tier, for good or for its time of grace."""
    return archives_by(view.settings)


def archives_by(settings: Settings) -> bool:
    """Return whether it does under ``settings``."""
    policy = settings.policy
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
    view: PolicyView,
    policy: str,
    parameters: tuple[str, ...],
    target: int,
    choices: Sequence[Choice],
    seed: int | None,
    summaries: Sequence[Consolidation] = (),
    *,
    stages: tuple[tuple[str, int, int], ...] = (),
    notes: tuple[str, ...] = (),
) -> Plan:
    """Return the plan that takes ``choices`` in their order; ``summaries`` take the places of those marked so.

    ``stages`` and ``notes`` are the plan's own, so that it is sealed once, with them.
    """
    actions, losses = [], []
    for choice in choices:
        found = facts(view, choice.candidate)
        losses.append(found["importance"])
        actions.append(_action(choice, found, _fate(view, choice)))
    freed = sum(action.weight for action in actions) - sum(summary.weight for summary in summaries)
    bound, realised = _loss(actions, losses, summaries)
    plan = Plan(
        policy=policy,
        parameters=parameters,
        tenant=view.tenant,
        budget=target,
        weight_before=view.weight,
        weight_after=view.weight - freed,
        actions=tuple(actions),
        lipschitz=bound / freed if freed else 0.0,
        bound=bound,
        realised_loss=realised,
        sequence=view.sequence,
        digest="",
        seed=seed,
        summaries=tuple(summaries),
        stages=stages,
        notes=notes,
    )
    return sealed(plan)


def _loss(
    actions: Sequence[Action], importances: Sequence[float], summaries: Sequence[Consolidation]
) -> tuple[float, float]:
    """Return the bound on what a plan loses and what it does lose, both in units of importance."""
    known = {action.id: worth for action, worth in zip(actions, importances, strict=True)}
    evicted = [action for action in actions if action.action != CONSOLIDATE]
    worths = [known[action.id] for action in evicted]
    bounds, losses = [eviction_bound(worths, [action.weight for action in evicted]).value], [math.fsum(worths)]
    for summary in summaries:
        bound = reflection_bound((known[node_id] for node_id in summary.constituents), summary.realised)
        bounds.append(bound.value)
        losses.append(bound.constant * min(summary.shift, summary.realised))
    return math.fsum(bounds), math.fsum(losses)


def _fate(view: PolicyView, choice: Choice) -> tuple[str, Tier]:
    """Return what happens to a chosen memory, and where it is afterwards."""
    if choice.summarised:
        latent = view.settings.reflection.closure == STRICT or archives(view)
        return CONSOLIDATE, Tier.LATENT if latent else Tier.TOMBSTONE
    return (ARCHIVE, Tier.LATENT) if archives(view) or choice.stranded else (EVICT, Tier.TOMBSTONE)


def joined(plans: Sequence[Plan], notes: Sequence[str] = ()) -> Plan:
    """Return one plan, of the policy and the target of the first: what that takes, then what each other takes besides.

    All were made on one state, and nothing is taken by two. What goes away one after the other loses at most the sum of
    what each part does.
    """
    first, last = plans[0], plans[-1]
    freed, bound = sum(plan.freed_tokens for plan in plans), math.fsum(plan.bound for plan in plans)
    made = replace(
        last,
        policy=first.policy,
        parameters=first.parameters,
        budget=first.budget,
        weight_after=first.weight_before - freed,
        actions=_all(plan.actions for plan in plans),
        lipschitz=bound / freed if freed else 0.0,
        bound=bound,
        realised_loss=math.fsum(plan.realised_loss for plan in plans),
        index_gaps=_all(plan.index_gaps for plan in plans),
        summaries=_all(plan.summaries for plan in plans),
        stages=_added(_all(plan.stages for plan in plans)),
        notes=tuple(dict.fromkeys((*_all(plan.notes for plan in plans), *notes))),
    )
    return sealed(made)


def _all(parts: Iterable[tuple[T, ...]]) -> tuple[T, ...]:
    return tuple(chain.from_iterable(parts))


def _added(stages: Iterable[tuple[str, int, int]]) -> tuple[tuple[str, int, int], ...]:
    """Return the shares of stages with those of one name added up: how many go, and their tokens."""
    found: dict[str, tuple[int, int]] = {}
    for name, number, freed in stages:
        before = found.get(name, (0, 0))
        found[name] = (before[0] + number, before[1] + freed)
    return tuple((name, *numbers) for name, numbers in found.items())


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
_OWN = frozenset({"density", "hybrid", "tie_band", "time_limit"})


def parameters_of(view: PolicyView, own: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the settings that a policy follows, as the audit records them; ``own`` names sections for it alone."""
    left_out = tuple(f"policy.{name}" for name in sorted({"name", *_OWN} - set(own)))
    sections = ("policy.", *(f"{name}." for name in own), *(("partitions.",) if view.settings.partitions.on else ()))
    if "reflection" in own:
        sections += ("models.curate=",)
    return tuple(
        text for text in view.settings.to_parameters() if text.startswith(sections) and not text.startswith(left_out)
    )
