"""What one showing teaches: whose score moves, whose does not, and who is to blame where the user says it is wrong.

Guarantees: pure and deterministic. Use teaches, silence does not: a memory loses for not being used only where it bore
on the question and another memory of the same showing was used. An answer that the user denies is evidence against what
it rested on and against nothing else: it contradicts nobody by its words, and nobody loses for not being in it, so the
rival of a wrong memory never pays for it. Blame falls on what the caller names, on what the complaint itself
contradicts, on the memory of which a rival was shown beside it, or on the only one that the answer used; where none of
these tells, all that it used is doubted and nothing is disproved. So is a turn of a conversation that only rests below
such an answer: what was said was said, and the answer may have taken it for something else.
Source: MemoryArchitect II.D steps 1 and 2; semantics section 13.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from marskg.learning.rules.conflict_detection import Statement, conflict
from marskg.learning.rules.rebuttal import rebuts
from marskg.learning.rules.score import Outcome
from marskg.learning.rules.wish_effects import matches
from marskg.text import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from marskg.language.wish_kinds import Wish

#: Sentences of a complaint that are compared with what was shown.
_MOST: Final = 20


@dataclass(frozen=True, slots=True)
class Case:
    """One memory of a showing.

    ``outcome`` is what the caller or the answer's words say, None for nothing; ``named`` says that it is the caller.
    ``bears`` says that it was shown because it cleared the relevance floor of the question by itself, ``spoken`` that
    it is a turn of a conversation.
    """

    statement: Statement
    outcome: Outcome | None
    named: bool = False
    bears: bool = True
    spoken: bool = False

    @property
    def id(self) -> str:
        """Return the memory's id."""
        return self.statement.id


@dataclass(frozen=True, slots=True)
class Denial:
    """What a user says is wrong: the complaint, the wishes in it, whose topics say in what, and what was asked."""

    complaint: str
    wishes: tuple[Wish, ...]
    question: str = ""


@dataclass(frozen=True, slots=True)
class Lessons:
    """What a showing teaches.

    ``outcomes`` has the outcome of each memory whose score moves, and why in words where that is not the caller's or
    the answer's own; ``disproved`` are those among them that the user's complaint is about; ``passed`` are ids of the
    judged ones that keep their score.
    """

    outcomes: dict[str, tuple[Outcome, str | None]]
    disproved: tuple[str, ...]
    passed: tuple[str, ...]


def draw(cases: Sequence[Case], denial: Denial | None, contradicted_from: int) -> Lessons:
    """Return what ``cases``, the memories of one showing, teach; ``contradicted_from`` is a confidence of 1e-6."""
    disproved: dict[str, str] = {}
    doubted: frozenset[str] = frozenset()
    if denial is not None:
        disproved, doubted = _blame(cases, denial, contradicted_from)
    was_used = any(case.outcome is Outcome.USED and (case.named or denial is None) for case in cases)
    outcomes: dict[str, tuple[Outcome, str | None]] = {}
    passed = []
    for case in cases:
        if case.id in disproved:
            outcomes[case.id] = Outcome.CONTRADICTED, disproved[case.id]
        elif case.id in doubted:
            outcomes[case.id] = Outcome.CONTRADICTED, _RESTED
        elif case.outcome is not None and _counts(case, denied=denial is not None, was_used=was_used):
            outcomes[case.id] = case.outcome, None
        elif case.outcome is not None:
            passed.append(case.id)
    return Lessons(outcomes, tuple(disproved), tuple(passed))


_RESTED: Final = "the answer used it, and the user says that the answer is wrong"
_NAMED: Final = "named by the caller, and the user says that it is wrong"
_OTHERWISE: Final = "the user's complaint says otherwise"
_ABOUT: Final = "it alone is about what the user says is wrong"


def _counts(case: Case, *, denied: bool, was_used: bool) -> bool:
    """Return whether an outcome moves the score."""
    if denied and not case.named:
        return False
    return case.outcome is not Outcome.UNUSED or (was_used and case.bears)


def _blame(cases: Sequence[Case], denial: Denial, contradicted_from: int) -> tuple[dict[str, str], frozenset[str]]:
    """Return who is disproved, with the reason, and who is only doubted."""
    found = {case.id: _NAMED for case in cases if case.named and case.outcome is Outcome.CONTRADICTED}
    if found:
        return found, frozenset()
    free = [case for case in cases if not case.named]
    said = [Statement(sentence) for sentence in sentences(denial.complaint)[:_MOST]]
    found = {case.id: _OTHERWISE for case in free if _against(said, case.statement, contradicted_from, denial.question)}
    if found:
        return found, frozenset()
    free = [case for case in free if _is_meant(case, denial.wishes)]
    suspects = [case for case in free if case.outcome is Outcome.USED]
    if not suspects:
        bearing = [case for case in free if case.bears and any(wish.topic for wish in denial.wishes)]
        return ({bearing[0].id: _ABOUT} if len(bearing) == 1 else {}), frozenset()
    innocent = [case.statement for case in cases if case not in suspects]
    facing = [case for case in suspects if _against(innocent, case.statement, contradicted_from)]
    culprits = [case for case in facing or (suspects if len(suspects) == 1 else []) if not case.spoken]
    if culprits:
        return {case.id: _RESTED for case in culprits}, frozenset()
    return {}, frozenset(case.id for case in suspects)


def _is_meant(case: Case, wishes: Iterable[Wish]) -> bool:
    """Return whether a complaint may be about a memory: one without a topic is about all that was shown."""
    topics = [wish for wish in wishes if wish.topic]
    return not topics or any(matches(wish, case.statement.text) for wish in topics)


def _against(others: Iterable[Statement], one: Statement, contradicted_from: int, question: str = "") -> bool:
    """Return whether one of ``others`` conflicts with a statement, whichever of the two is the newer."""
    return any(_sureness(other, one, question) >= contradicted_from for other in others)


def _sureness(other: Statement, one: Statement, question: str) -> int:
    if other.subjects and one.subjects and other.subjects.isdisjoint(one.subjects):
        return 0
    found = [each for each in (conflict(other, one), conflict(one, other)) if each is not None]
    read = (rebuts(other.text, one.text, question), rebuts(one.text, other.text, question))
    return max(*read, *(each.confidence for each in found))
