"""Hybrid: temporal, then reflection, then importance, then privacy (MaRS section 3.3.4; the order is that of line 281).

Guarantees: the temporal stage takes what was not read for longer than ``stale_after``, the longest unread first, up to
its share; the reflection stage lets summaries take the places of clusters of episodes, as the policy
``reflection-summary`` does, until it has freed its share of the rest; the importance stage takes the lowest density
until it has freed its share of what is left; the privacy stage takes the highest removal priority, and ends within the
budget on every store that can be brought there: where the target leaves no room for a summary, its constituents go
without one. The plan and its record say how much each stage took. A language model that the settings name is asked only
where no transaction waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.clock import DAY_MS
from marskg.policies.builtin import density, removal_priority
from marskg.policies.builtin.reflection import ReflectionSummary
from marskg.policies.builtin.stages import OrderedStage, Reason, ReflectionStage, StagedPolicy
from marskg.policies.core.plans import words
from marskg.store.rows.order_keys import VITAL

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import numpy.typing as npt

    from marskg.config import Settings
    from marskg.policies.builtin.stages import Scores
    from marskg.policies.core.features import Integers

NAME: Final = "hybrid"


def _last_access(scores: Scores) -> Integers:
    found: Integers = scores.table.columns["lastAccess"]
    return found


def _stale(scores: Scores) -> npt.NDArray[np.bool_]:
    before = scores.now - scores.settings.policy.hybrid.stale_after
    # Nobody asks for a blood type every month: what a life depends on is never stale.
    stale: npt.NDArray[np.bool_] = (_last_access(scores) < before) & (scores.table.columns["rank"] < int(VITAL))
    return stale


def _why_stale(scores: Scores, row: int, _shown: Mapping[str, float]) -> Reason:
    idle = max(0, scores.now - int(_last_access(scores)[row])) / DAY_MS
    limit = scores.settings.policy.hybrid.stale_after / DAY_MS
    known = words({"idle_days": idle, "limit_days": limit})
    return Reason(f"unread for {known['idle']}, longer than the {known['limit']} after which it is stale", {})


def _density(scores: Scores) -> Integers:
    return scores.density


def _temporal_share(settings: Settings) -> float:
    return settings.policy.hybrid.temporal_share


def _reflection_share(settings: Settings) -> float:
    return settings.policy.hybrid.reflection_share


def _importance_share(settings: Settings) -> float:
    return settings.policy.hybrid.importance_share


_TEMPORAL: Final = OrderedStage(
    "temporal", _last_access, _last_access, _why_stale, within=_stale, share=_temporal_share
)
_IMPORTANCE: Final = OrderedStage("importance", _density, _density, density.why, share=_importance_share)
_PRIVACY: Final = OrderedStage("privacy", removal_priority.numbers, removal_priority.score, removal_priority.why)


def hybrid() -> StagedPolicy:
    """Return the policy, with a summariser of its own."""
    reflection = ReflectionStage("reflection", ReflectionSummary(), _reflection_share)
    return StagedPolicy(NAME, (_TEMPORAL, reflection, _IMPORTANCE, _PRIVACY), ("density", "hybrid", "reflection"))
