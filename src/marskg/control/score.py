"""MemoryArchitect's score: how useful a memory has proved, 0 to 100, and how use, neglect and time move it.

Guarantees: scores are integers in 0..100; no change passes an end; every rule keeps the order of two scores (what was
higher never becomes lower by the same treatment); a use and a miss always move a score by at least 1 until it is at the
end. Pure functions: no clock is read, and decay is computed when a score is read, from the score and the time of its
last access, so nothing is rescanned.

The paper gives examples, not constants (section III.B): 50 -> 60, 60 -> 70 and 70 -> 75 by use, 50 -> 45, 60 -> 55 and
30 -> 28 by being shown in vain. One rule gives all six: a step is whole while the score is at least ``bend`` from the
end that it moves towards, and shrinks with the cube of what is left from there, ``step * (room / bend) ** 3``, rounded
half up. (A line or a square through 70 -> 75 would give less than 10 at 60.)
Source: MemoryArchitect II.B (Reflection Score), II.D steps 2 and 6, III.A (defaults), III.B; semantics section 12.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from marskg.clock import DAY_MS
from marskg.config import STEEPEST
from marskg.errors import InvalidConfig, InvalidInput
from marskg.store.fading import Fading, is_chat

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.ontology.vocabulary import Kind, SourceType

MAX_SCORE: Final = 100


class Outcome(StrEnum):
    """What became of a memory that was shown."""

    USED = "used"
    UNUSED = "unused"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class ScoreRules:
    """The parameters of the score; every value is checked when the rules are made.

    ``used_step`` and ``unused_step`` are the whole steps, ``bend`` the room (in points) below which they shrink.
    ``contradicted_percent`` of a score is lost at a contradiction ("drastically", II.D.2). A score is untouched for
    ``idle_grace_ms`` after its last access and then halves every ``half_life_ms``. ``floor`` is where pruning starts.
    """

    birth: int = 50
    chat_birth: int = 30
    used_step: int = 10
    unused_step: int = 5
    bend: int = 38
    contradicted_percent: int = 50
    idle_grace_ms: int = 30 * DAY_MS
    half_life_ms: int = 180 * DAY_MS
    floor: int = 20

    def __post_init__(self) -> None:
        """Check every value.

        Raises:
            InvalidConfig: a value is no integer or out of its range.
        """
        for field in fields(self):
            low, high = _RANGES[field.name]
            value = getattr(self, field.name)
            if type(value) is not int or not low <= value <= high:
                msg = f"score.{field.name} must be an integer from {low:,} to {high:,}; correct it"
                raise InvalidConfig(msg)
        if STEEPEST * max(self.used_step, self.unused_step) > self.bend:
            msg = (
                f"score.bend is {self.bend}; it must be at least {STEEPEST} times the larger step, "
                "or a lower score would overtake a higher one: raise it or lower the steps"
            )
            raise InvalidConfig(msg)

    @classmethod
    def from_mapping(cls, values: Mapping[str, object], source: str = "the configuration") -> ScoreRules:
        """Return the rules that ``values`` give by the names of the fields; the others have their defaults.

        Raises:
            InvalidConfig: a name is unknown, or a value is no integer or out of its range.
        """
        known = {field.name for field in fields(cls)}
        numbers: dict[str, int] = {}
        for name, value in values.items():
            if name not in known:
                msg = f"{source}: score.{name[:80]} is unknown; use one of {', '.join(sorted(known))}"
                raise InvalidConfig(msg)
            if not isinstance(value, int) or isinstance(value, bool):
                msg = f"{source}: score.{name} must be an integer; correct it"
                raise InvalidConfig(msg)
            numbers[name] = value
        return cls(**numbers)


_YEARS_100: Final = 36_525 * DAY_MS
_RANGES: Final[Mapping[str, tuple[int, int]]] = {
    "birth": (0, MAX_SCORE),
    "chat_birth": (0, MAX_SCORE),
    "used_step": (1, 33),
    "unused_step": (1, 33),
    "bend": (3, MAX_SCORE),
    "contradicted_percent": (1, 100),
    "idle_grace_ms": (0, _YEARS_100),
    "half_life_ms": (1, _YEARS_100),
    "floor": (0, MAX_SCORE),
}
_DEFAULT: Final = ScoreRules()


def starting_score(kind: Kind, source_type: SourceType, rules: ScoreRules = _DEFAULT) -> int:
    """Return the score at birth: that of chat for an episode from a conversation, else the usual one (III.B)."""
    return rules.chat_birth if is_chat(kind, source_type) else rules.birth


def after_use(score: int, outcome: Outcome, rules: ScoreRules = _DEFAULT) -> int:
    """Return the score (0..100) of a memory after it was shown and ``outcome`` became of it.

    Raises:
        InvalidInput: ``score`` is outside 0..100.
    """
    _check(score)
    if outcome is Outcome.USED:
        return min(MAX_SCORE, score + _step(rules.used_step, MAX_SCORE - score, rules.bend))
    if outcome is Outcome.UNUSED:
        return max(0, score - _step(rules.unused_step, score, rules.bend))
    return score * (100 - rules.contradicted_percent) // 100


def decayed(score: int, idle_ms: int, rules: ScoreRules = _DEFAULT) -> int:
    """Return what ``score`` is worth after ``idle_ms`` milliseconds without access; it is not written back.

    Ebbinghaus' curve after a grace: ``score * 2 ** -((idle - grace) / half_life)``, rounded half up. A negative idle
    time, that of an access recorded by a clock that is ahead, counts as none.

    Raises:
        InvalidInput: ``score`` is outside 0..100.
    """
    _check(score)
    return Fading(rules.idle_grace_ms, rules.half_life_ms).worth(score, idle_ms)


def after_turn(score: int, idle_ms: int, outcome: Outcome, rules: ScoreRules = _DEFAULT) -> int:
    """Return the score to store at an access: decayed by the time since the last one, then moved by ``outcome``.

    Raises:
        InvalidInput: ``score`` is outside 0..100.
    """
    return after_use(decayed(score, idle_ms, rules), outcome, rules)


def _step(whole: int, room: int, bend: int) -> int:
    """Return the step that ``room`` allows: whole from ``bend`` on, with its cube below, at least 1."""
    if room >= bend:
        return whole
    cube = bend**3
    return max(1, (2 * whole * room**3 + cube) // (2 * cube))


def _check(score: int) -> None:
    if not 0 <= score <= MAX_SCORE:
        msg = f"a score is an integer from 0 to {MAX_SCORE}, not {score}; pass the memory's own"
        raise InvalidInput(msg)
