"""Removal priority: what is sensitive, old and of little importance goes first (MaRS section 3.3.3).

Guarantees: takes leaves by descending ``s * age * (1 - imp)``; age and importance are fractions
(:func:`~marskg.policies.core.features.aged`, :func:`~marskg.policies.core.features.importance`), so that the product
lies between 0 and 1; the score of an action is the product in 1e-6. Of equal ones, which all memories without
sensitivity are, the one of the lower density goes first, then the older one: so it ends within the budget on every
store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.policies.builtin.stages import OrderedStage, Reason, StagedPolicy
from marskg.policies.core.plans import words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.policies.builtin.stages import Scores
    from marskg.policies.core.features import Integers

_MILLION: Final = 1_000_000
#: Densities lie within ± 2^39, far beyond what weights of 1,000 for each feature give a memory of one token.
_DENSITY_BITS: Final = 40
_HALF: Final = 1 << (_DENSITY_BITS - 1)


def numbers(scores: Scores) -> Integers:
    """Return what orders by descending priority, and by ascending density where that is equal."""
    bounded = np.clip(scores.density, -_HALF, _HALF - 1) + _HALF
    order: Integers = ((_MILLION - scores.removal) << _DENSITY_BITS) | bounded
    return order


def score(scores: Scores) -> Integers:
    """Return the removal priority of each memory in 1e-6."""
    return scores.removal


def why(scores: Scores, row: int, _shown: Mapping[str, float]) -> Reason:
    """Return the three factors of a memory's priority."""
    factors = {
        "sensitivity": float(scores.table.columns["sensitivity"][row]) / _MILLION,
        "aged": float(scores.aged[row]),
        "importance_fraction": float(scores.importance[row]),
        "removal_priority": int(scores.removal[row]) / _MILLION,
    }
    known = words(factors)
    if not factors["removal_priority"]:
        return Reason("nothing sensitive is left that may go; the lowest utility per token of the rest", factors)
    text = (
        f"highest removal priority of all that may go, {known['removal_priority']}: sensitivity {known['sensitivity']},"
        f" age {known['aged']} and importance {known['importance_fraction']}, as fractions of 1"
    )
    return Reason(text, factors)


REMOVAL_PRIORITY: Final = StagedPolicy(
    "removal-priority", (OrderedStage("removal-priority", numbers, score, why),), ("density",)
)
