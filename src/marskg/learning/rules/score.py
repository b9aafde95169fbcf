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

from enum import StrEnum
from typing import Final

from marskg.config import LearningSettings
from marskg.errors import InvalidInput
from marskg.store.rows.score_decay import Fading

MAX_SCORE: Final = 100


class Outcome(StrEnum):
    """What became of a memory that was shown."""

    USED = "used"
    UNUSED = "unused"
    CONTRADICTED = "contradicted"


_DEFAULT: Final = LearningSettings()


def after_use(score: int, outcome: Outcome, rules: LearningSettings = _DEFAULT) -> int:
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


def decayed(score: int, idle_ms: int, rules: LearningSettings = _DEFAULT) -> int:
    """Return what ``score`` is worth after ``idle_ms`` milliseconds without access; it is not written back.

    Ebbinghaus' curve after a grace: ``score * 2 ** -((idle - grace) / half_life)``, rounded half up. A negative idle
    time, that of an access recorded by a clock that is ahead, counts as none.

    Raises:
        InvalidInput: ``score`` is outside 0..100.
    """
    _check(score)
    return Fading(rules.idle_grace, rules.half_life).worth(score, idle_ms)


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
