"""What becomes of what a text says: each step with its words, its maker and its outcome; a plan, and its execution.

Guarantees: immutable, and made of plain values, so that both pickle; printed, each fits one screen. A plan's digest
covers every turn, proposal and outcome, and the stored memories that an outcome changes or waits for.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from marskg.answer import Answer
from marskg.errors import InvalidInput
from marskg.extraction.proposal import Proposal  # noqa: TC001 - a plan that comes back is checked by its annotations
from marskg.learning.from_text.told_turns import Told  # noqa: TC001 - as above

#: Steps that a plan prints.
_SHOWN: Final = 16


class Outcome(StrEnum):
    """What becomes of a proposal.

    ``stored`` as a new memory, ``changed`` where it supersedes an older one, ``merged`` into an equal one, ``ended`` a
    memory, ``closed`` a task, ``waits`` in the review, ``nothing`` to do, ``refused`` by a rule, ``known`` before.
    """

    STORED = "stored"
    CHANGED = "changed"
    MERGED = "merged"
    ENDED = "ended"
    CLOSED = "closed"
    WAITS = "waits"
    NOTHING = "nothing"
    REFUSED = "refused"
    KNOWN = "known"


@dataclass(frozen=True, slots=True)
class LearnStep(Answer, brief=("outcome", "content", "key", "why")):
    """What becomes of one proposal.

    ``turn`` is the turn's id, ``start`` and ``end`` are the characters in it that say it; ``maker`` is the IRI of the
    reading. ``memory`` is the fact's id, None in a plan and where none is made; ``changed`` are the ids of stored
    memories that are superseded, ended, closed or, where it waits, meant. ``why`` says what decided, without content.
    """

    operation: str
    outcome: Outcome
    turn: str
    start: int
    end: int
    content: str
    maker: str
    confidence: float
    key: str | None = None
    memory: str | None = field(default=None, compare=False)
    changed: tuple[str, ...] = ()
    why: str = ""


def _lines(steps: tuple[LearnStep, ...]) -> list[str]:
    lines = [f"{step.outcome}: {step.content[:100]}{f' ({step.why[:80]})' if step.why else ''}" for step in steps]
    more = len(lines) - _SHOWN
    return lines if more <= 0 else [*lines[:_SHOWN], f"… and {more} more"]


def _left(not_kept: int) -> str:
    return f", {not_kept} not kept" if not_kept else ""


@dataclass(frozen=True, slots=True)
class LearnPlan(Answer, rows="steps"):
    """What learning would do: ``mem.learn(plan)`` does exactly that, or refuses it as stale.

    ``call`` is the name by which it can be taken back once it is done; ``new_turns`` of the turns are not stored yet;
    ``not_kept`` turns ask that they are not kept, and are not among them.
    """

    call: str
    digest: str
    steps: tuple[LearnStep, ...]
    new_turns: int
    turns: tuple[Told, ...] = field(repr=False)
    proposals: tuple[Proposal, ...] = field(repr=False)
    not_kept: int = 0

    def __str__(self) -> str:
        """Return the plan as lines that fit one screen."""
        head = f"plan {self.digest[:12]}: {len(self.turns)} turns, {self.new_turns} of them new{_left(self.not_kept)}"
        return "\n".join([head, *_lines(self.steps)])


@dataclass(frozen=True, slots=True)
class Learned(Answer, rows="steps"):
    """What was learned.

    ``call`` is the name by which it can be taken back; ``turns`` are the ids of the turns that were read, ``known`` is
    how many had been before, ``unread`` how many of them wait to be read; ``notices`` tell what the caller should know.
    ``not_kept`` is how many were not stored, as a user asks so in them.
    """

    call: str
    turns: tuple[str, ...]
    steps: tuple[LearnStep, ...]
    known: int = 0
    unread: int = 0
    notices: tuple[str, ...] = ()
    not_kept: int = 0

    @property
    def facts(self) -> tuple[str, ...]:
        """Return the ids of the memories that hold what was said, without repeats."""
        made = {Outcome.STORED, Outcome.CHANGED, Outcome.MERGED}
        return tuple(dict.fromkeys(step.memory for step in self.steps if step.memory and step.outcome in made))

    def counts(self) -> dict[str, int]:
        """Return how many steps came to each outcome, those that none came to left out."""
        found = Counter(step.outcome for step in self.steps)
        return {outcome.value: found[outcome] for outcome in Outcome if found[outcome]}

    def __str__(self) -> str:
        """Return what was learned as lines that fit one screen."""
        head = f"call {self.call}: {len(self.turns)} turns read, {self.known} known, {self.unread} to be read"
        head += _left(self.not_kept)
        return "\n".join([head, *_lines(self.steps)])


def check_call(call: str) -> str:
    """Return the name of a call, a rule or a model.

    Raises:
        InvalidInput: it is blank.
    """
    if not call.strip():
        msg = "call is blank; give the call that mem.learn returned, the id of a rule, or the name of a model"
        raise InvalidInput(msg)
    return call.strip()
