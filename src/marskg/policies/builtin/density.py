"""Density: the lowest utility per token goes first (MaRS eq. 5, 6 and 7).

Guarantees: takes leaves by ``(theta * psi - lambda_priv * s) / w``, exactly as sorting all of them would; the score of
an action is that density per 1,000 tokens in 1e-6, and of equal scores the older memory goes first. The features stand
in each action, and the reason names the largest terms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.policies.builtin.stages import OrderedStage, Reason, StagedPolicy
from marskg.policies.core.plans import words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.policies.builtin.stages import Scores
    from marskg.policies.core.features import Integers

#: Terms that a reason names.
_NAMED: Final = 2


def _numbers(scores: Scores) -> Integers:
    return scores.density


def why(scores: Scores, row: int, numbers: Mapping[str, float]) -> Reason:
    """Return that a memory is worth least for its tokens, with the terms that make up most of it.

    ``numbers`` is what :meth:`Scores.shown` shows of the row.
    """
    weight = float(scores.table.columns["weight"][row])
    known = words({"utility": numbers["utility"], "weight": weight, "penalty": numbers["penalty"]})
    text = f"lowest utility per token of all that may go: {known['utility']} over {known['weight']} tokens"
    if numbers["penalty"]:
        text += f", less {known['penalty']} for its sensitivity"
    added = [(value, name.removeprefix("term_")) for name, value in numbers.items() if name.startswith("term_")]
    # Of equal terms the one that comes first in the list of features.
    largest = sorted(added, key=lambda term: -term[0])[:_NAMED]
    if largest:
        text += "; most of it " + " and ".join(f"{name} {words({name: value})[name]}" for value, name in largest)
    return Reason(text, {})


DENSITY: Final = StagedPolicy("density", (OrderedStage("density", _numbers, _numbers, why),), ("density",))
