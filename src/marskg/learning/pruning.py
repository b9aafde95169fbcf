"""The plan that takes faded memories, and the list of those that a person should look at first.

Guarantees: reads the index for what may have faded and the store for what is then decided; a plan takes no memory
before everything that keeps its content by depending on it, and nothing protected; nothing is removed here: the one
executor applies the plan, or refuses it when the store has moved on.
Source: MemoryArchitect II.D step 3; semantics sections 4 and 7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.learning.rules.fading import Pruning, prune
from marskg.ontology.vocabulary import Tier
from marskg.policies.core.candidates import from_row, members
from marskg.policies.core.plans import Choice, build_plan
from marskg.retrieval.index.memory_index import MICRO, TIERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from marskg.config import LearningSettings
    from marskg.learning.rules.fading import Faded
    from marskg.policies.core.policy import PolicyView
    from marskg.records import Plan
    from marskg.retrieval.index.memory_index import MemoryIndex
    from marskg.store.unit.reader import GraphReader

#: The name that plans and the audit carry, and the rule of each action.
PRUNE: Final = "prune"
_FADED: Final = "faded"
_PAGE: Final = 500


def old_enough(index: MemoryIndex, now: int, rules: LearningSettings) -> list[str]:
    """Return ids of live memories that may have faded: old enough, and with a score that decay can bring there."""
    held = index.columns
    idle = np.maximum(0, now - np.maximum(held["lastAccess"], held["created"]) - rules.idle_grace)
    worth = held["score"] * np.exp2(-idle.astype(np.float64) / rules.half_life)
    found = held["alive"] & (held["tier"] == TIERS.index(Tier.LIVE)) & (now - held["created"] >= rules.min_age)
    # Half a point for rounding: what is decided is decided on the memories themselves.
    rows = np.flatnonzero(found & (worth < rules.floor + rules.margin + 1))
    return [index.ids[row] for row in rows[np.argsort(held["sequence"][rows], kind="stable")].tolist()]


def faded(view: PolicyView, reader: GraphReader, ids: Sequence[str], rules: LearningSettings) -> Pruning:
    """Return which of ``ids`` a plan may take, and which a person should look at first."""
    found: list[Pruning] = []
    for start in range(0, len(ids), _PAGE):
        page = ids[start : start + _PAGE]
        held = {row["id"] for row in members(view, page) if (row["guards"] or 0) > 0}
        memories = [memory for memory, _, _ in reader.nodes(page)]
        found.append(prune(memories, view.now, protected=held, rules=rules))
    return Pruning(
        tuple(sorted((one for part in found for one in part.candidates), key=_order)),
        tuple(sorted((one for part in found for one in part.review), key=_order)),
    )


def plan_of(view: PolicyView, chosen: Iterable[Faded]) -> Plan:
    """Return the plan that takes those of ``chosen`` whose dependents, if they have any, are taken before them."""
    wanted = {one.id: one for one in chosen}
    rows = {row["id"]: row for row in members(view, wanted)}
    keepers = {ident: row["blockers"] or 0 for ident, row in rows.items()}
    waiting = [one for one in wanted.values() if one.id in rows and (rows[one.id]["guards"] or 0) < 1]
    choices: list[Choice] = []
    while ready := [one for one in waiting if not keepers[one.id]]:
        for one in ready:
            candidate = from_row(rows[one.id])
            choices.append(Choice(candidate, _FADED, one.score * MICRO, one.reason, features={"score": one.score}))
            for base in candidate.bases:
                if base in keepers:
                    keepers[base] -= 1
        taken = {one.id for one in ready}
        waiting = [one for one in waiting if one.id not in taken]
    parameters = tuple(text for text in view.settings.to_parameters() if text.startswith("learning."))
    return build_plan(view, PRUNE, parameters, view.settings.budget, choices, None)


def _order(one: Faded) -> tuple[int, int]:
    return one.score, one.sequence
