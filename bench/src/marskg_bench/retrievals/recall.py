"""What finds a conversation's evidence: each question asked of every system at each budget and depth, and of strangers.

Guarantees: the systems of a conversation answer the same questions on the same turns and vectors; a conversation counts
whole or not at all, so that what is stopped leaves figures that can be compared; no text is in any outcome.
"""

from __future__ import annotations

import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg_bench.common.conversation import ADVERSARIAL, answerable
from marskg_bench.retrievals import parts as _parts
from marskg_bench.retrievals.asked import held
from marskg_bench.retrievals.evidence import ndcg, outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg_bench.common.conversation import Conversation, Question
    from marskg_bench.common.progress import Say
    from marskg_bench.retrievals.asked import Asked, Cast, Held
    from marskg_bench.retrievals.evidence import Outcome

#: The budget at which a stranger's question is asked, or the nearest below it that is measured.
_PROBED: Final = 1000


class Scope(NamedTuple):
    """What is asked for: token budgets and depths, each rising, and whether parts of the ranking are left out."""

    budgets: Sequence[int]
    depths: Sequence[int]
    parts: bool = False

    @property
    def probed(self) -> int:
        """Return the budget at which strangers' questions are asked."""
        return max((budget for budget in self.budgets if budget <= _PROBED), default=self.budgets[0])


class Within(NamedTuple):
    """What a system showed of one question's evidence within a budget."""

    system: str
    conversation: str
    category: str
    budget: int
    outcome: Outcome


class AtDepth(NamedTuple):
    """How early a system ranked one question's evidence."""

    system: str
    category: str
    depth: int
    ndcg: float


class Sure(NamedTuple):
    """How sure a system was of its answer to a question of its ``own`` conversation, or of another one."""

    system: str
    own: bool
    confidence: float
    empty: bool


class Without(NamedTuple):
    """The share of one question's evidence that the product showed with a part of its ranking left out."""

    part: str
    budget: int
    evidence: float


@dataclass(slots=True)
class Outcomes:
    """All outcomes of the conversations that are complete."""

    #: Turns and questions of each conversation.
    complete: dict[str, tuple[int, int]] = field(default_factory=dict)
    within: list[Within] = field(default_factory=list)
    at_depth: list[AtDepth] = field(default_factory=list)
    sure: list[Sure] = field(default_factory=list)
    without: list[Without] = field(default_factory=list)
    #: Why a system could not take part.
    notes: dict[str, str] = field(default_factory=dict)

    def take_in(self, other: Outcomes) -> None:
        """Add the outcomes of one more conversation."""
        self.complete |= other.complete
        self.within += other.within
        self.at_depth += other.at_depth
        self.sure += other.sure
        self.without += other.without
        self.notes |= other.notes


def run(found: Sequence[Conversation], scope: Scope, who: Cast, say: Say) -> Outcomes:
    """Return the outcomes of the conversations ``found``, those that were complete when Ctrl-C stopped it.

    Raises:
        EngineUnavailable: the embedded engine cannot be opened.
        MarsError: the product refuses a turn or a question.
    """
    outcomes = Outcomes()
    with suppress(KeyboardInterrupt), tempfile.TemporaryDirectory(prefix="marskg-bench-") as folder:
        for number, one in enumerate(found):
            other = found[(number + 1) % len(found)]
            strange = [] if other is one else [asked.text for asked in answerable(other)]
            place = Path(folder) / str(number)
            place.mkdir()
            texts = [*(asked.text for asked in one.questions), *strange]
            with held(one, texts, who, place, say) as systems:
                asking = _Round(one, systems, scope, say)
                asking.own()
                asking.strange(strange)
                if scope.parts:
                    asking.without_parts()
            outcomes.take_in(asking.made)
    return outcomes


class _Round:
    """The questions put to all systems that hold one conversation."""

    def __init__(self, one: Conversation, systems: Held, scope: Scope, say: Say) -> None:
        self._one = one
        self._held = systems
        self._scope = scope
        self._say = say
        self.made = Outcomes({one.name: (len(one.turns), len(one.questions))}, notes=systems.notes)

    def own(self) -> None:
        """Ask the conversation's own questions."""
        for number, asked in enumerate(self._one.questions):
            self._tell("question", number, len(self._one.questions))
            for name, system in self._held.systems.items():
                self._ask(name, system, asked)

    def _ask(self, name: str, system: Asked, asked: Question) -> None:
        """Ask one system at each budget and depth."""
        made, scope = self.made, self._scope
        for budget in scope.budgets:
            answer = system.within(asked.text, budget)
            shown = outcome(answer.places, asked.evidence)
            made.within.append(Within(name, self._one.name, asked.category, budget, shown))
            if budget == scope.probed and asked.category != ADVERSARIAL:
                made.sure.append(Sure(name, own=True, confidence=answer.confidence, empty=not answer.places))
        best = system.best(asked.text, scope.depths[-1])
        made.at_depth += [AtDepth(name, asked.category, n, ndcg(best, asked.evidence, n)) for n in scope.depths]

    def strange(self, questions: Sequence[str]) -> None:
        """Ask questions of another conversation."""
        for number, text in enumerate(questions):
            self._tell("question about another conversation", number, len(questions))
            for name, system in self._held.systems.items():
                answer = system.within(text, self._scope.probed)
                sure = Sure(name, own=False, confidence=answer.confidence, empty=not answer.places)
                self.made.sure.append(sure)

    def without_parts(self) -> None:
        """Ask the product again with each part of its ranking left out."""
        if self._held.product is None:
            return
        running, system = self._held.product
        for part, settings in _parts.left_out():
            self._say(f"{self._one.name}: without {part}")
            with _parts.applied(running.memory, settings):
                for asked in answerable(self._one):
                    for budget in self._scope.budgets:
                        shown = outcome(system.within(asked.text, budget).places, asked.evidence)
                        self.made.without.append(Without(part, budget, shown.evidence))

    def _tell(self, what: str, number: int, total: int) -> None:
        if number % 10 == 0:
            self._say(f"{self._one.name}: {what} {number} of {total}")
