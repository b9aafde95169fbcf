"""Which memories have faded out, which of them a person should look at, and whose life a proven use extends.

Guarantees: pure functions; nothing critical is ever a candidate, whatever its score: canonical, pinned, protected
(section 4's K), an active task or what one requires; nothing young is; every answer has its reasons in words without
content. Candidates are input for a plan: the executor still checks every invariant, so nothing is removed here.
An expiry is never past the legal horizon and, but for that, never moved to an earlier time.
Source: MemoryArchitect II.D step 3 (a score below 20), III.A (older than some age), II.B (TTL extended); semantics
sections 4, 5 and 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from marskg.clock import DAY_MS, later
from marskg.config import LearningSettings
from marskg.learning.rules.score import MAX_SCORE, decayed
from marskg.ontology.vocabulary import MemoryClass, Tier

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from marskg.records import Memory


@dataclass(frozen=True, slots=True)
class Faded:
    """A memory that has faded: its id, its score decayed to now, its age, and why."""

    id: str
    score: int
    age_ms: int
    sequence: int
    reason: str


@dataclass(frozen=True, slots=True)
class Pruning:
    """What a plan may take (lowest score first, ties by sequence), and what a person should look at first."""

    candidates: tuple[Faded, ...]
    review: tuple[Faded, ...]


_DEFAULT: Final = LearningSettings()


def prune(
    memories: Iterable[Memory],
    now: int,
    *,
    protected: Collection[str] = (),
    required: Collection[str] = (),
    rules: LearningSettings = _DEFAULT,
) -> Pruning:
    """Return what has faded among ``memories`` at ``now`` (epoch milliseconds).

    Args:
        memories: any memories; those not live are passed over.
        now: the time that ages and decay are counted to.
        protected: ids of the protected set K.
        required: ids of what an active task requires.
        rules: thresholds, and how a score decays.
    """
    held = frozenset(protected) | frozenset(required)
    candidates: list[Faded] = []
    review: list[Faded] = []
    for memory in memories:
        if memory.tier is not Tier.LIVE or memory.id in held or critical(memory) is not None:
            continue
        faded = _faded(memory, now, rules)
        if faded is not None:
            (review if faded.score >= rules.floor - rules.margin else candidates).append(faded)
    return Pruning(tuple(sorted(candidates, key=_order)), tuple(sorted(review, key=_order)))


def critical(memory: Memory) -> str | None:
    """Return why ``memory`` may not be pruned by its score, from the memory alone, or None."""
    if memory.pinned:
        return "pinned"
    if memory.memory_class is MemoryClass.CANONICAL:
        return "canonical"
    if memory.active:
        return "an active task"
    return None


def extended_expiry(
    expires_at: int | None,
    score: int,
    life_ms: int | None,
    now: int,
    *,
    legal_horizon: int | None = None,
    rules: LearningSettings = _DEFAULT,
) -> int | None:
    """Return when a memory expires after a use at ``now``; all times in epoch milliseconds.

    A proven memory gets, counted from now, its class's life again and a share that grows with its score from
    ``rules.proven`` to 100. One that is not proven, that has expired, or that never expires keeps what it has,
    within the legal horizon.

    Args:
        expires_at: when it expires now; None for never.
        score: its score, decayed to now.
        life_ms: the life of its class; None for none, which extends nothing.
        now: the time of the use.
        legal_horizon: the last moment that law, purpose or a retention profile allows; None for none.
        rules: thresholds.
    """
    if expires_at is None:
        return legal_horizon
    bound = expires_at if legal_horizon is None else min(expires_at, legal_horizon)
    if score < rules.proven or life_ms is None or bound <= now:
        return bound
    span = max(1, MAX_SCORE - rules.proven)
    bonus = life_ms * rules.extension_percent * (score - rules.proven) // (100 * span)
    wanted = max(bound, later(now, life_ms + bonus))
    return wanted if legal_horizon is None else min(wanted, legal_horizon)


def _faded(memory: Memory, now: int, rules: LearningSettings) -> Faded | None:
    age = now - memory.created
    score = decayed(memory.score, now - max(memory.last_access, memory.created), rules)
    if age < rules.min_age or score >= rules.floor + rules.margin:
        return None
    side = "below" if score < rules.floor else "just above"
    reason = (
        f"score {score} is {side} the floor of {rules.floor} (stored {memory.score}), age {age // DAY_MS} days, "
        f"class {memory.memory_class.value}"
    )
    return Faded(memory.id, score, age, memory.sequence, reason)


def _order(one: Faded) -> tuple[int, int]:
    return one.score, one.sequence
