"""What each of several policies would forget, side by side: a counterfactual, nothing is applied.

Guarantees: works on plans of one state and changes nothing; forecasts come in the order of the plans; ids in the order
of each plan. A question is known by its number alone: neither its text nor any content is kept. An answer that a
plan's own summary says word for word is not lost.
Source: MaRS section 7.1.1 (trust calibration); issue 5, point 7.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from marskg.answer import Answer
from marskg.errors import InvalidInput
from marskg.ontology.vocabulary import Kind
from marskg.reflection.passages import Constituent, says_all
from marskg.store.rows.summary_lines import decode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from marskg.records import Memory, Plan


_NONE: Mapping[str, Memory] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Forecast:
    """What one policy would forget.

    ``by_kind`` counts its actions; ``only`` are ids that none of the other policies would forget; ``lost`` are the
    numbers of the questions, from 1, whose best answer of today would go, without a summary in its place that says all
    of it word for word.
    """

    plan: Plan
    by_kind: Mapping[Kind, int]
    only: tuple[str, ...]
    lost: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Comparison(Answer, rows="forecasts"):
    """Several policies on one state: ``answers`` has the id of each question's best hit today, None without one."""

    budget: int
    weight: int
    sequence: int
    answers: tuple[str | None, ...]
    forecasts: tuple[Forecast, ...]

    @property
    def answered(self) -> int:
        """Return how many questions have an answer today."""
        return sum(answer is not None for answer in self.answers)

    @property
    def common(self) -> tuple[str, ...]:
        """Return the ids that every policy would forget, in the order of the first plan."""
        first, *others = ([action.id for action in one.plan.actions] for one in self.forecasts)
        return tuple(ident for ident in first if all(ident in set(other) for other in others))


def compare_plans(
    plans: Sequence[Plan], answers: Sequence[str | None] = (), memories: Mapping[str, Memory] = _NONE
) -> Comparison:
    """Return the comparison of ``plans`` of one state down to one budget.

    Args:
        plans: what each policy would do.
        answers: the id of each question's best hit, None without one.
        memories: those that answer, by id; an answer that is not among them is lost with its memory.

    Raises:
        InvalidInput: there is no plan, or they are of different states or budgets.
    """
    if len({(plan.tenant, plan.sequence, plan.budget, plan.weight_before) for plan in plans}) != 1:
        message = f"{len(plans)} plans of different states, or none: compare plans of one store at one budget"
        raise InvalidInput(message)
    takers = Counter(action.id for plan in plans for action in plan.actions)
    forecasts = []
    for plan in plans:
        gone = {action.id for action in plan.actions}
        lost = {answer for answer in answers if answer in gone and not _said(plan, memories.get(answer))}
        counts = Counter(action.kind for action in plan.actions)
        forecasts.append(
            Forecast(
                plan=plan,
                by_kind={kind: counts[kind] for kind in Kind},
                only=tuple(action.id for action in plan.actions if takers[action.id] == 1),
                lost=tuple(number for number, answer in enumerate(answers, 1) if answer in lost),
            )
        )
    return Comparison(plans[0].budget, plans[0].weight_before, plans[0].sequence, tuple(answers), tuple(forecasts))


def _said(plan: Plan, memory: Memory | None) -> bool:
    """Return whether a summary that is to take the place of ``memory`` says all of it, word for word."""
    if memory is None or memory.content is None:
        return False
    whole = Constituent(
        id=memory.id,
        kind=memory.kind,
        content=memory.content,
        valid_from=memory.valid_from,
        sequence=memory.sequence,
        weight=memory.weight,
        lines=decode(memory.summary_lines),
    )
    return any(memory.id in one.constituents and says_all([whole], one.lines) for one in plan.summaries)
