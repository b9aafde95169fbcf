"""The settings of policies: what forgets, by which weights, and how the budget is divided."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from marskg.config.table import choice, duration, integer, keyed, number, section, text
from marskg.errors import InvalidConfig
from marskg.ontology.vocabulary import Kind, Tier

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Decimals that add up to 1 do so in binary to this.
_ROUNDING = 1e-9
#: The features psi of MaRS eq. (5), each from 0 to 1, and what each says of a memory.
FEATURES: Mapping[str, str] = MappingProxyType({
    "recency": "how lately it was read",
    "frequency": "how often it was read",
    "goal": "similarity to what is to be done now",
    "centrality": "personalised PageRank from the active tasks",
    "degree": "its edges of meaning, people and mentions",
    "generality": "the generality that it states",
    "novelty": "what no newer memory repeats",
    "score": "its score from use",
    "urgency": "how near a task's deadline is",
})  # fmt: skip
#: What each feature is worth by kind, in the order of FEATURES; those of a kind sum up to its type weight.
_THETA: Mapping[Kind, tuple[float, ...]] = MappingProxyType({
    Kind.EPISODIC: (0.14, 0.06, 0.06, 0.02, 0.02, 0.0, 0.05, 0.05, 0.0),
    Kind.SEMANTIC: (0.10, 0.14, 0.12, 0.08, 0.08, 0.08, 0.10, 0.10, 0.0),
    Kind.SOCIAL: (0.12, 0.12, 0.06, 0.12, 0.10, 0.0, 0.08, 0.10, 0.0),
    Kind.TASK: (0.25, 0.10, 0.15, 0.05, 0.05, 0.0, 0.0, 0.10, 0.30),
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class CoverageSettings:
    """What the policy ``greedy`` gives for each thing that some kept memory covers, in units of importance."""

    key: float = number("what the policy greedy gives for a key that some kept memory has", 0.25, 0, 1_000)
    entity: float = number("what it gives for an entity that something kept mentions", 0.25, 0, 1_000)
    goal: float = number("what it gives for a task that something kept serves", 0.5, 0, 1_000)
    subject: float = number("what it gives for a person whom something kept is about", 0.5, 0, 1_000)


@dataclass(frozen=True, slots=True)
class Scoring:
    """The weights of importance (MaRS section 3.3.2) and of what is built on it.

    ``lambda_age`` is per day. Frequency is ``a / (a + frequency_half)`` for ``a`` accesses. ``spare_margin`` is the
    relative gain in density that a memory needs before an access takes it off the list for eviction (section 5.3).
    """

    alpha: float = number("weight of the kind in importance (alpha)", 0.4, 0, 1_000)
    beta: float = number("weight of recency in importance (beta)", 0.4, 0, 1_000)
    gamma: float = number("weight of frequency in importance (gamma)", 0.2, 0, 1_000)
    lambda_age: float = number("decay of recency per day; 0.023 halves it in 30 days", 0.023, 0, 100)
    frequency_half: float = number("number of accesses at which frequency is one half", 5.0, 1e-6, 1e9)
    spare_margin: float = number("relative gain in density that takes a memory off the list for eviction", 0.05, 0, 10)
    type_weights: Mapping[Kind, float] = keyed(
        {
            Kind.EPISODIC: number("importance of an episode as such", 0.4, 0, 1_000),
            Kind.SEMANTIC: number("importance of a fact as such", 0.8, 0, 1_000),
            Kind.SOCIAL: number("importance of a relation between people as such", 0.7, 0, 1_000),
            Kind.TASK: number("importance of a task as such", 1.0, 0, 1_000),
        }
    )


@dataclass(frozen=True, slots=True)
class DensitySettings:
    """What utility per token is made of (MaRS eq. 5): ``theta[kind][feature]`` times the features, less sensitivity.

    ``urgency_half`` is in milliseconds.
    """

    lambda_priv: float = number("utility that a sensitivity of 1 takes away (lambda_priv)", 0.2, 0, 1_000)
    centrality_half: float = number("personalised PageRank at which centrality is one half", 0.01, 1e-6, 1)
    degree_half: float = number("number of edges at which the feature degree is one half", 8.0, 1e-6, 1e9)
    urgency_half: int = duration("time before its deadline at which a task is half as urgent as then", "2d", 1)
    theta: Mapping[Kind, Mapping[str, float]] = keyed(
        {
            kind: keyed(
                {
                    name: number(f"utility of the feature {name} of a {kind} memory: {meaning}", weight, 0, 1_000)
                    for (name, meaning), weight in zip(FEATURES.items(), weights, strict=True)
                }
            )
            for kind, weights in _THETA.items()
        }
    )


@dataclass(frozen=True, slots=True)
class HybridSettings:
    """How the stages of the policy ``hybrid`` share what is to be freed; ``stale_after`` is in milliseconds."""

    stale_after: int = duration("time without access after which the temporal stage may take a memory", "30d")
    temporal_share: float = number("share of what is to be freed that the temporal stage frees at most", 0.25, 0, 1)
    reflection_share: float = number(
        "share that the reflection stage frees at most of what the temporal stage left to be freed; 0 for none",
        0.5,
        0,
        1,
    )
    importance_share: float = number(
        "share that the importance stage frees of what the stages before it left to be freed", 0.75, 0, 1
    )


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """How a tenant forgets.

    ``guardrail`` is the importance per token that a trigger may lose (MaRS section 7.1.1). ``enumeration`` is the size
    of the sets that ``greedy`` starts from besides the empty one. ``time_limit`` is in milliseconds.
    """

    name: str = text("policy of the automatic trigger: a built-in name or the path of a .cypher file", "priority-decay")
    evict_to: Tier = choice("where a policy puts what it evicts", Tier.TOMBSTONE, (Tier.TOMBSTONE, Tier.LATENT))
    grace: int | None = duration("time in latent before an evicted memory becomes a tombstone", None)
    review: str = choice(
        "what a policy would remove and a person is to see first: nothing, what is sensitive, or all; it "
        "waits in the latent tier",
        "off",
        ("off", "sensitive", "all"),
    )
    review_from: float = number("sensitivity from which policy.review: sensitive takes it", 0.5, 0, 1)
    quarantine: int = duration("time for which it waits there before it goes", "30d", 1)
    guardrail: float | None = number(
        "importance per token that a trigger may lose at most, unless the budget itself asks for it; none for no limit",
        None,
        0,
        1_000,
    )
    time_limit: int = duration(
        "time that one statement of a user's .cypher policy may take; a write that waits for it is refused then",
        "30s",
        1,
    )
    enumeration: int = integer("size of the sets that the policy greedy starts from besides: 3 for 1 - 1/e", 0, 0, 3)
    tie_band: float = number(
        "how far above the lowest density, relative to it, the policy randomised-tie-break takes a memory for as low",
        0.05,
        0,
        1_000,
    )
    coverage: CoverageSettings = section(CoverageSettings)
    scoring: Scoring = section(Scoring)
    density: DensitySettings = section(DensitySettings)
    hybrid: HybridSettings = section(HybridSettings)

    def check(self, source: str) -> None:
        """Refuse what excludes each other.

        Raises:
            InvalidConfig: nothing would have importance, or the last step of a removal would not be one.
        """
        if not self.scoring.alpha and not self.scoring.beta and not self.scoring.gamma:
            msg = (
                f"{source}: policy.scoring has alpha, beta and gamma 0, so that nothing has importance; set one above 0"
            )
            raise InvalidConfig(msg)
        if self.grace is not None and self.evict_to != Tier.TOMBSTONE:
            msg = f"{source}: policy.grace needs policy.evict_to: tombstone, as it ends there; leave one of them out"
            raise InvalidConfig(msg)
        if self.review != "off" and self.evict_to != Tier.TOMBSTONE:
            msg = f"{source}: policy.review needs policy.evict_to: tombstone, as else nothing is removed; leave one out"
            raise InvalidConfig(msg)


@dataclass(frozen=True, slots=True)
class PartitionSettings:
    """How the budget is divided among the kinds (MaRS section 3.2.7), and what one person or conversation may use.

    ``shares``, ``reserves`` and ``step`` are parts of the budget, ``window`` counts triggers, ``lifetimes`` are in
    milliseconds. ``user_budget`` and ``conversation_budget`` are tokens, None for no budget but the tenant's.
    """

    mode: str = choice(
        "whether each kind has a share of the budget: off, fixed, or dual, where shares move to the kind "
        "whose next tokens are worth most",
        "off",
        ("off", "fixed", "dual"),
    )
    step: float = number("largest part of the budget by which one trigger moves a share", 0.02, 0, 0.5)
    window: int = integer("triggers over which the worth of a kind's next tokens is averaged", 16, 1, 10_000)
    user_budget: int | None = integer("tokens that the live memories about one person may weigh together", None, 1)
    conversation_budget: int | None = integer(
        "tokens that the live memories of one session may weigh together", None, 1
    )
    shares: Mapping[Kind, float] = keyed(
        {
            Kind.EPISODIC: number("part of the budget that episodes begin with", 0.4, 0, 1),
            Kind.SEMANTIC: number("part of the budget that facts begin with", 0.3, 0, 1),
            Kind.SOCIAL: number("part of the budget that relations between people begin with", 0.1, 0, 1),
            Kind.TASK: number("part of the budget that tasks begin with", 0.2, 0, 1),
        }
    )
    reserves: Mapping[Kind, float] = keyed(
        {
            Kind.EPISODIC: number("part of the budget below which the share of episodes never falls", 0.05, 0, 1),
            Kind.SEMANTIC: number("part of the budget below which the share of facts never falls", 0.1, 0, 1),
            Kind.SOCIAL: number("part of the budget below which the share of relations never falls", 0.05, 0, 1),
            Kind.TASK: number("part of the budget below which the share of tasks never falls", 0.05, 0, 1),
        }
    )
    lifetimes: Mapping[Kind, int] = keyed(
        {
            Kind.EPISODIC: duration("age below which no episode goes unless the budget cannot hold", "0ms"),
            Kind.SEMANTIC: duration("age below which no fact goes unless the budget cannot hold", "0ms"),
            Kind.SOCIAL: duration("age below which no relation goes unless the budget cannot hold", "0ms"),
            Kind.TASK: duration("age below which no task goes unless the budget cannot hold", "0ms"),
        }
    )

    @property
    def on(self) -> bool:
        """Return whether kinds have shares."""
        return self.mode != "off"

    @property
    def quotas(self) -> Mapping[str, int]:
        """Return the budgets of a single ``user`` and ``conversation``, as far as there are any."""
        found = {"conversation": self.conversation_budget, "user": self.user_budget}
        return {sort: budget for sort, budget in found.items() if budget is not None}

    def check(self, source: str) -> None:
        """Refuse shares that are no parts of one budget.

        Raises:
            InvalidConfig: the shares or the reserves are more than the whole, or all shares are 0.
        """
        if not any(self.shares.values()):
            msg = f"{source}: partitions.shares are all 0, so that no kind may keep anything; set one above 0"
            raise InvalidConfig(msg)
        whole = math.fsum(self.shares.values())
        if whole > 1 + _ROUNDING:
            msg = (
                f"{source}: partitions.shares add up to {whole:g}; they are parts of one budget: set "
                f"{', '.join(f'{kind.value} ({share:g})' for kind, share in self.shares.items())} to 1 together"
            )
            raise InvalidConfig(msg)
        if math.fsum(self.reserves.values()) > 1 + _ROUNDING:
            msg = (
                f"{source}: partitions.reserves add up to {math.fsum(self.reserves.values()):g}; they are parts of one "
                "budget: lower them to 1 together"
            )
            raise InvalidConfig(msg)


@dataclass(frozen=True, slots=True)
class TieredSettings:
    """When the policy ``tiered`` takes which tier (MaRS line 716).

    ``raise_*`` and ``top_*`` are thresholds: triggers for every 100 arrivals, and the part of answers that missed;
    ``ease`` is a part of them; ``window`` and ``calm`` count triggers; ``top_every`` is in milliseconds.
    """

    baseline: str = text("policy of the lowest tier: a built-in name or the path of a .cypher file", "fifo")
    raised: str = text("policy of the middle tier", "priority-decay")
    top: str = text("policy of the top tier, whose passes may be costly", "hybrid")
    window: int = integer("triggers over which the pressure is averaged", 8, 1, 10_000)
    raise_triggers: float = number("triggers for every 100 arrivals from which the middle tier is taken", 10.0, 0, 100)
    raise_misses: float = number("part of the answers that missed from which it is", 0.25, 0, 1)
    top_triggers: float = number("triggers for every 100 arrivals from which the top tier is taken", 30.0, 0, 100)
    top_misses: float = number("part of the answers that missed from which it is", 0.5, 0, 1)
    ease: float = number("part of its thresholds below which a tier's pressure is calm", 0.5, 0, 1)
    calm: int = integer("calm triggers in succession after which a tier is left", 4, 1, 10_000)
    top_hours: str | None = text(
        "hours in UTC in which the top tier may run, such as 22:00-06:00; none for all day", None
    )
    top_every: int = duration("time after a pass of the top tier in which there is no other", "10m")

    def check(self, source: str) -> None:
        """Refuse tiers that would be left as soon as they are reached.

        Raises:
            InvalidConfig: a threshold of the top tier is below the same of the middle one.
        """
        for what in ("triggers", "misses"):
            lower, upper = getattr(self, f"raise_{what}"), getattr(self, f"top_{what}")
            if upper < lower:
                msg = (
                    f"{source}: tiered.top_{what} is {upper:g}, below tiered.raise_{what}, {lower:g}, so that the "
                    "middle tier would be left as soon as it is reached: raise the first or lower the second"
                )
                raise InvalidConfig(msg)


@dataclass(frozen=True, slots=True)
class AdaptiveSettings:
    """How the policy ``adaptive`` chooses its arms and what it takes for a reward (MaRS section 3.3.5)."""

    arms: str = text(
        "policies that a bandit chooses among, separated by commas", "fifo, lru, priority-decay, random-drop"
    )
    exploration: float = number("how far a draw strays from what is expected (v); 0 never tries another", 0.25, 0, 100)
    ridge: float = number("how strongly an arm's weights are held at 0 before rewards are seen", 1.0, 1e-6, 1e6)
    hits: float = number("weight of answers of use in the reward", 1.0, 1e-6, 1_000)
    freed: float = number("weight of freed tokens in the reward", 0.1, 0, 1_000)
    complaints: float = number("weight of complaints in the reward", 0.5, 0, 1_000)
