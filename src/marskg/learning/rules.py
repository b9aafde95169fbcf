"""The rules of learning as a tenant's settings give them.

Guarantees: the one place where ``learning.*`` becomes the rules that :mod:`marskg.control` takes; shares of the
settings are integers of 1e-6 in the rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from marskg.control.conflicts import UNIT
from marskg.control.pruning import PruningRules
from marskg.control.resolution import ConflictPolicy, ResolutionRules
from marskg.control.score import ScoreRules
from marskg.control.usage import UsageRules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.config import Settings

#: Settings of ``learning.conflicts`` that are no policy of resolution.
OFF: Final = "off"
FLAG: Final = "flag"
_SCORE: Final = ("birth", "chat_birth", "used_step", "unused_step", "bend", "contradicted_percent", "floor")
_PRUNING: Final = ("floor", "margin", "proven", "extension_percent")
_USAGE: Final = ("overlap_from", "similarity_from", "contradicted_from")


@dataclass(frozen=True, slots=True)
class LearningRules:
    """Every rule of learning of one tenant.

    ``conflicts`` is what is done at write: ``off``, ``flag`` or a :class:`~marskg.control.resolution.ConflictPolicy`.
    ``legal_horizon`` is the age in milliseconds beyond which no use extends a life, None for none.
    """

    score: ScoreRules
    usage: UsageRules
    resolution: ResolutionRules
    pruning: PruningRules
    conflicts: str
    legal_horizon: int | None


def rules_of(settings: Settings) -> LearningRules:
    """Return the rules that ``settings`` give.

    Raises:
        InvalidConfig: two settings exclude each other.
    """
    held: Mapping[str, Any] = settings.learning
    conflicts = str(held["conflicts"])
    return LearningRules(
        score=ScoreRules(
            idle_grace_ms=held["idle_grace"], half_life_ms=held["half_life"], **{name: held[name] for name in _SCORE}
        ),
        usage=UsageRules(**{name: round(held[name] * UNIT) for name in _USAGE}),
        resolution=resolution_of(settings, conflicts),
        pruning=PruningRules(min_age_ms=held["min_age"], **{name: held[name] for name in _PRUNING}),
        conflicts=conflicts,
        legal_horizon=held["legal_horizon"],
    )


def resolution_of(settings: Settings, policy: str) -> ResolutionRules:
    """Return how conflicts are resolved under ``policy``; ``off`` and ``flag`` resolve none, and order by newest."""
    held: Mapping[str, Any] = settings.learning
    chosen = ConflictPolicy.NEWEST if policy in {OFF, FLAG} else ConflictPolicy(policy)
    return ResolutionRules(chosen, round(held["supersede_from"] * UNIT), held["reliability_margin"])
