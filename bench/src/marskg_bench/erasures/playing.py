"""One case of ForgetEval through the public door, and the benchmark's own judgement of it.

Guarantees: one rule maps what a case asks for to calls, whatever its kind, and sees nothing of the case but the words
of the request; what an answer must say is compared with texts alone, after the last change.

The rule is that of a program that passes on what a user says and confirms whatever is listed. A request to forget goes
to ``match_erasure`` as a name, and what has that name is erased; where nothing has it, "forget …" is said as a wish,
and the memories that it is about are erased. The benchmark's release and purge are both such requests. To supersede,
the best memory that ``retrieve`` finds for the words is updated with the new text, which is remembered where none is
found. The judgement is that of the benchmark's ``scoring.py``, with and without its probes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from marskg.errors import InvalidInput
from marskg_bench.erasures.cases import SUPERSEDE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.memory import AgentMemory
    from marskg_bench.erasures.cases import Case, Change

#: How many memories an answer has in the benchmark.
_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a case.

    ``taken`` are the texts that each change erased or updated; ``missing`` the wanted strings that the answer lacks,
    ``said`` the forbidden ones that it has, and ``reachable`` those that it has or that are found by their own words.
    """

    taken: tuple[tuple[str, ...], ...]
    missing: tuple[str, ...]
    said: tuple[str, ...]
    reachable: tuple[str, ...]

    @property
    def strict(self) -> bool:
        """Whether all that is wanted is answered, and nothing that is forbidden is found even by its own words."""
        return not self.missing and not self.reachable

    @property
    def answered(self) -> bool:
        """Whether the answer to the question alone is right."""
        return not self.missing and not self.said


def play(memory: AgentMemory, case: Case, min_confidence: float | None = None) -> Outcome:
    """Tell an empty ``memory`` the facts of a case, make its changes, and return what became of it.

    Where a question is answered with less than ``min_confidence``, nothing is shown; None for the product's default.
    """
    for fact in case.facts:
        memory.remember(fact)
    taken = tuple(
        tuple(_supersede(memory, one) if one.op == SUPERSEDE else _forget(memory, one)) for one in case.changes
    )
    answer = _found(memory, case.question, min_confidence)
    by_words = " ".join([answer, *(_found(memory, one, min_confidence) for one in case.forbidden)])
    return Outcome(
        taken,
        tuple(one for one in case.wanted if one.casefold() not in answer),
        tuple(one for one in case.forbidden if one.casefold() in answer),
        tuple(one for one in case.forbidden if one.casefold() in by_words),
    )


def _supersede(memory: AgentMemory, change: Change) -> Iterable[str]:
    """Put the new text in the place of the best memory for the words; return what it was."""
    for hit in memory.retrieve(change.words, k=1):
        # The text of a hit may be an excerpt.
        former = _texts(memory, [hit.memory.id])
        memory.update(hit.memory.id, change.text)
        return former
    memory.remember(change.text)
    return ()


def _forget(memory: AgentMemory, change: Change) -> Iterable[str]:
    """Erase what goes by the words as a name, or else what the wish to forget it is about; return what that was."""
    named = memory.privacy.match_erasure(entity=change.words).memories
    if named:
        texts = _texts(memory, named)
        memory.erase(entity=change.words)
        return texts
    try:
        wishes = memory.learning.wish(f"forget {change.words}")
    except InvalidInput:
        # It reads no wish in this: nothing is listed.
        return ()
    about = list(dict.fromkeys(ident for wish in wishes for ident in wish.about))
    texts = _texts(memory, about)
    for ident in about:
        memory.erase(id=ident)
    return texts


def _texts(memory: AgentMemory, ids: Iterable[str]) -> list[str]:
    return [found.content or "" for ident in ids if (found := memory.get(ident)) is not None]


def _found(memory: AgentMemory, question: str, min_confidence: float | None) -> str:
    """Return what is shown for a question, without regard to case."""
    found = memory.retrieve(question, k=_SHOWN, min_confidence=min_confidence)
    return " ".join(hit.memory.content or "" for hit in found).casefold()
