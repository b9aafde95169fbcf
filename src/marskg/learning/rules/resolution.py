"""What becomes of two statements that conflict: decided by a policy, with a reason, never silently.

Guarantees: pure and deterministic; every conflict gets a resolution and every resolution a reason from a template that
holds no content; equal inputs give equal resolutions whichever of the two is called new. Nothing is deleted here: the
old value is superseded (its history stays), or both stay with a ``contradicts`` edge, or a person is asked.

Order of the default: the newest valid, then the more reliable, then the higher score (issue 4 item 4; MemoryArchitect
II.D step 5 and II.E, "Dynamic Contradiction Handling").
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from marskg.config import LearningSettings
from marskg.learning.rules.conflict_detection import UNIT, ConflictKind

if TYPE_CHECKING:
    from marskg.learning.rules.conflict_detection import Conflict, Statement

#: Settings of ``learning.conflicts`` that are no policy of resolution.
IGNORE: Final = "ignore"
FLAG: Final = "flag"


class ConflictPolicy(StrEnum):
    """Who wins: the newest valid statement, the more reliable one, or whomever a person chooses."""

    NEWEST = "newest"
    MOST_RELIABLE = "most_reliable"
    REVIEW = "review"


class ResolutionAction(StrEnum):
    """What to do with the two."""

    SUPERSEDE = "supersede"
    CONTRADICTS = "contradicts"
    ASK = "ask"


@dataclass(frozen=True, slots=True)
class ResolutionRules:
    """When a conflict is sure enough to act on.

    Below ``supersede_from`` (1e-6) both stay, marked as contradicting each other. A winner that is less reliable than
    the loser by more than ``reliability_margin`` is not let through without a person.
    """

    policy: ConflictPolicy
    supersede_from: int
    reliability_margin: float

    @classmethod
    def of(cls, learning: LearningSettings, policy: str) -> ResolutionRules:
        """Return the rules under ``policy``; ``ignore`` and ``flag`` resolve nothing, and order by newest."""
        chosen = ConflictPolicy.NEWEST if policy in {IGNORE, FLAG} else ConflictPolicy(policy)
        return cls(chosen, round(learning.supersede_from * UNIT), learning.reliability_margin)


_DEFAULT: Final = ResolutionRules.of(LearningSettings(), FLAG)

_DECIDED: Final = {
    "valid_from": "it is valid from later",
    "reliability": "its source is more reliable",
    "score": "it has proved more useful",
    "sequence": "it was recorded later",
}


@dataclass(frozen=True, slots=True)
class Resolution:
    """What to do about one conflict.

    ``winner`` and ``loser`` are the statements; they are set for every action, so that a reader who must show one of
    two knows which. ``reason`` names the kind of conflict and what decided, and holds no content.
    """

    action: ResolutionAction
    winner: Statement
    loser: Statement
    kind: ConflictKind
    confidence: int
    reason: str


def resolve(new: Statement, old: Statement, found: Conflict, rules: ResolutionRules = _DEFAULT) -> Resolution:
    """Return what to do about ``found``, the conflict of ``new`` with ``old``."""
    order = _RELIABLE if rules.policy is ConflictPolicy.MOST_RELIABLE else _NEWEST
    winner, loser, decided = _better(new, old, order)
    action, because = _action(winner, loser, found, rules)
    reason = f"{found.kind.value} conflict, confidence {found.confidence / UNIT:.2f}: {because}; "
    reason += f"of the two the winner is preferred because {_DECIDED[decided]}"
    return Resolution(action, winner, loser, found.kind, found.confidence, reason)


_NEWEST: Final = ("valid_from", "reliability", "score", "sequence")
_RELIABLE: Final = ("reliability", "valid_from", "score", "sequence")


def _better(new: Statement, old: Statement, order: tuple[str, ...]) -> tuple[Statement, Statement, str]:
    """Return the better statement, the other one, and what decided."""
    for name in order:
        mine, others = getattr(new, name), getattr(old, name)
        if mine != others:
            return (new, old, name) if mine > others else (old, new, name)
    # Equal in all that is recorded: the ids decide, so that the order of the arguments does not.
    return (new, old, "sequence") if new.id >= old.id else (old, new, "sequence")


def _action(
    winner: Statement, loser: Statement, found: Conflict, rules: ResolutionRules
) -> tuple[ResolutionAction, str]:
    if rules.policy is ConflictPolicy.REVIEW:
        return ResolutionAction.ASK, "the policy leaves it to a person"
    if found.confidence < rules.supersede_from:
        return ResolutionAction.CONTRADICTS, "not sure enough to supersede, so both stay and are marked"
    if loser.reliability - winner.reliability > rules.reliability_margin and found.kind is not ConflictKind.KEY:
        return ResolutionAction.ASK, "the newer source is much less reliable, so a person decides"
    return ResolutionAction.SUPERSEDE, f"resolved by the policy {rules.policy.value}"
