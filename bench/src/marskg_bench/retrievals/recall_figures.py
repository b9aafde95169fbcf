"""The figures of what finds a conversation's evidence: means over questions, ratios between systems.

Guarantees: pure functions of outcomes; ``overall`` is over the categories that have an answer in the conversation, so
that adversarial questions stand beside it.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from marskg_bench.common.conversation import ADVERSARIAL
from marskg_bench.retrievals.asked import PRODUCT
from marskg_bench.retrievals.evidence import auroc, mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from marskg_bench.retrievals.evidence import Outcome
    from marskg_bench.retrievals.recall import Outcomes, Scope

OVERALL: Final = "overall"


def figures(found: Outcomes, scope: Scope) -> dict[str, Any]:
    """Return all figures of ``found``.

    ``systems``: by system and category, at each budget ``evidence`` (the mean share of a question's evidence that is
    shown), ``any_evidence`` and ``all_evidence`` (the share of questions of which some and of which all is), ``ndcg``
    and ``items``; at each depth ``ndcg``.
    ``conversations``: the evidence by system, conversation and budget. ``abstention``: how well a system's confidence
    tells questions of the conversation from another's, and the share of either that got nothing. ``parts``: what each
    part of the ranking brings, in shares of evidence. ``ratios``: the product's evidence to each system's.
    """
    systems = list(dict.fromkeys(one.system for one in found.within))
    made = {system: _of_system(found, system, scope) for system in systems}
    return {
        "complete": {name: {"turns": turns, "questions": asked} for name, (turns, asked) in found.complete.items()},
        "budgets": list(scope.budgets),
        "depths": list(scope.depths),
        "systems": made,
        "conversations": {system: _by_conversation(found, system, scope) for system in systems},
        "abstention": {system: _abstention(found, system) for system in systems},
        "parts": _parts(found, made, scope),
        "ratios": _ratios(made),
        "notes": found.notes,
    }


def _of_system(found: Outcomes, system: str, scope: Scope) -> dict[str, Any]:
    mine = [one for one in found.within if one.system == system]
    ranked = [one for one in found.at_depth if one.system == system]
    figures: dict[str, Any] = {}
    names = dict.fromkeys(one.category for one in found.within)
    groups = {OVERALL: names.keys() - {ADVERSARIAL}, **{name: {name} for name in names}}
    for group, categories in groups.items():
        tokens = {
            str(budget): [one.outcome for one in mine if one.category in categories and one.budget == budget]
            for budget in scope.budgets
        }
        gains = {
            str(depth): [one.ndcg for one in ranked if one.category in categories and one.depth == depth]
            for depth in scope.depths
        }
        if any(tokens.values()):
            figures[group] = {
                "questions": len(next(iter(tokens.values()))),
                "tokens": {budget: _rounded(mean(outcomes)) for budget, outcomes in tokens.items()},
                "k": {depth: {"ndcg": round(fmean(values), 4)} for depth, values in gains.items()},
            }
    return figures


def _rounded(found: Outcome) -> dict[str, float]:
    return {name: round(value, 4) for name, value in found._asdict().items()}


def _by_conversation(found: Outcomes, system: str, scope: Scope) -> dict[str, Any]:
    mine = [one for one in found.within if one.system == system and one.category != ADVERSARIAL]
    return {
        name: {
            str(budget): round(fmean(values), 4)
            for budget in scope.budgets
            if (values := [one.outcome.evidence for one in mine if (one.conversation, one.budget) == (name, budget)])
        }
        for name in found.complete
    }


def _abstention(found: Outcomes, system: str) -> dict[str, Any]:
    own, foreign = ([one for one in found.sure if one.system == system and one.own is mine] for mine in (True, False))
    area = auroc([one.confidence for one in own], [one.confidence for one in foreign])
    return {
        "own_questions": len(own),
        "foreign_questions": len(foreign),
        "auroc": None if area is None else round(area, 4),
        "own_empty": _share([one.empty for one in own]),
        "foreign_empty": _share([one.empty for one in foreign]),
    }


def _share(found: Sequence[bool]) -> float | None:
    return round(sum(found) / len(found), 4) if found else None


def _parts(found: Outcomes, made: Mapping[str, Any], scope: Scope) -> dict[str, Any]:
    """Return by part and budget the evidence of the whole ranking less that without the part."""
    return {
        part: {
            str(budget): round(
                made[PRODUCT][OVERALL]["tokens"][str(budget)]["evidence"]
                - fmean(one.evidence for one in found.without if (one.part, one.budget) == (part, budget)),
                4,
            )
            for budget in scope.budgets
        }
        for part in dict.fromkeys(one.part for one in found.without)
    }


def _ratios(made: Mapping[str, Any]) -> dict[str, Any]:
    whole = {system: groups[OVERALL]["tokens"] for system, groups in made.items() if OVERALL in groups}
    ours = whole.pop(PRODUCT, None)
    if ours is None:
        return {}
    return {
        f"evidence_to_{system}_ratio": {
            budget: round(ours[budget]["evidence"] / cell["evidence"], 4) if cell["evidence"] else None
            for budget, cell in theirs.items()
        }
        for system, theirs in whole.items()
    }
