"""Policies that go by the features of all memories, in one stage or in several after one another.

Guarantees: each stage takes leaves in its own order, superseded memories first, until it has freed its share or finds
nothing more; the next one goes on with what is left, and the last one may take every leaf. A stage may let summaries
take the places of memories; where all leaves are gone and there is still too much, summaries are given up, the heaviest
first. So the plan ends above the weight that must be reached only when what is left is protected or excluded. Every
action and every summary frees a positive weight: it ends. Each action belongs to one stage, what only latent memories
kept to ``stranded``, and the tokens of the stages add up to those that the plan frees. Reasons are made of numbers and
words of templates; no content reaches a plan but in its summaries. Source: MaRS section 3.3.4.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from marskg.policies.builtin.reflection import Reflected, room
from marskg.policies.core import features
from marskg.policies.core.plans import (
    REASON_STRANDED,
    Choice,
    archives,
    build_plan,
    facts,
    parameters_of,
    ruled,
    words,
)
from marskg.policies.streams.leaves import Leaves
from marskg.policies.streams.ranked import RankedStream
from marskg.store.rows.order_keys import SUPERSEDED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from marskg.config import Settings
    from marskg.policies.builtin.reflection import ReflectionSummary
    from marskg.policies.core.candidates import Candidate
    from marskg.policies.core.features import FeatureTable, Floats, Integers
    from marskg.policies.core.policy import PolicyView
    from marskg.records import Plan

_MILLION = 1_000_000
#: The rule, and in the place of a stage, of what is archived because only latent memories keep it.
STRANDED: Final = "stranded"


class Scores:
    """What is worked out of one table, each once, for all the stages of a plan."""

    def __init__(self, table: FeatureTable, settings: Settings, now: int) -> None:
        """Work nothing out yet."""
        self.table = table
        self.settings = settings
        self.now = now

    @cached_property
    def psi(self) -> dict[str, Floats]:
        """The features."""
        return features.features(self.table, self.settings, self.now)

    @cached_property
    def terms(self) -> dict[str, Floats]:
        """What each feature adds to utility."""
        return features.terms(self.table, self.psi, self.settings)

    @cached_property
    def penalty(self) -> Floats:
        """What sensitivity takes from utility."""
        return features.penalty(self.table, self.settings)

    @cached_property
    def density(self) -> Integers:
        """Utility less sensitivity, per 1,000 tokens in 1e-6."""
        return features.density(self.table, self.terms, self.settings)

    @cached_property
    def aged(self) -> Floats:
        """The age as a fraction."""
        return features.aged(self.table, self.settings, self.now)

    @cached_property
    def importance(self) -> Floats:
        """The importance of section 3.3.2 as a fraction."""
        return features.importance(self.table, self.psi, self.settings)

    @cached_property
    def removal(self) -> Integers:
        """The removal priority in 1e-6."""
        return features.removal_priority(self.table, self.aged, self.importance)

    def shown(self, row: int) -> dict[str, float]:
        """Return the numbers of one memory by their names: psi, the terms that are not 0, and what they come to."""
        added = {name: float(values[row]) for name, values in self.terms.items()}
        found = {name: float(values[row]) for name, values in self.psi.items()}
        found |= {f"term_{name}": value for name, value in added.items() if value}
        found["utility"] = sum(added.values())
        found["penalty"] = float(self.penalty[row])
        found["density"] = int(self.density[row]) / _MILLION / 1_000
        return found


@dataclass(frozen=True, slots=True)
class Reason:
    """What a stage tells of one memory: a sentence, and numbers to stand beside those of :meth:`Scores.shown`."""

    text: str
    numbers: Mapping[str, float]


class Pass:
    """One plan in the making: the leaves that are left, what each stage chose, and the weight that stays."""

    def __init__(self, view: PolicyView, target: int, exclude: frozenset[str]) -> None:
        """Start with everything that is live."""
        self.view = view
        self.target = target
        self.weight = view.weight
        self.exclude = exclude
        self.reflected = Reflected()
        self._chosen: dict[str, list[Choice]] = defaultdict(list)
        self._reflecting = ""
        table = view.table()
        self.goal = table.goal
        self.scores = Scores(table, view.settings, view.now)
        first = RankedStream(view, table, table.columns["sequence"])
        self.leaves = Leaves(view, first, exclude=exclude, archive=archives(view))

    def choose(self, stage: str, choice: Choice) -> None:
        """Count a choice of a leaf that was taken."""
        self._chosen[stage].append(choice)
        self.weight -= choice.candidate.weight

    @cached_property
    def free(self) -> npt.NDArray[np.bool_]:
        """The rows that are not excluded, so that nothing is read of the others."""
        ids = self.scores.table.ids
        if not self.exclude:
            return np.ones(len(ids), dtype=np.bool_)
        # All at once and without a step of Python for each: this is most of what a plan in a large store would cost.
        return ~np.fromiter(map(self.exclude.__contains__, ids[:]), np.bool_, len(ids))

    @property
    def taken(self) -> frozenset[str]:
        """Return the ids of all that was chosen so far."""
        return frozenset(choice.candidate.id for chosen in self._chosen.values() for choice in chosen)

    def reflect(self, stage: str, reflected: Reflected) -> None:
        """Count summaries, and take what they take the places of from the leaves; one stage of a policy may."""
        self.reflected = reflected
        self._reflecting = stage
        for choice in reflected.choices:
            self.leaves.leave(choice.candidate)
        self.weight -= reflected.freed

    def give_up_summaries(self) -> None:
        """Let constituents go without a summary where what must be reached leaves no room for it."""
        over = self.weight - room(self.view, self.target)
        if over > 0 and self.reflected.summaries:
            smaller = self.reflected.without_room(over)
            self.weight += self.reflected.freed - smaller.freed
            self.reflected = smaller

    def chosen(self, stage: str) -> tuple[Choice, ...]:
        """Return what a stage chose, in its order."""
        if stage == self._reflecting:
            return self.reflected.choices + self.reflected.evicted
        return tuple(self._chosen.get(stage, ()))

    def freed(self, stage: str) -> int:
        """Return the tokens that a stage frees."""
        if stage == self._reflecting:
            return self.reflected.freed
        return sum(choice.candidate.weight for choice in self.chosen(stage))


class Stage(Protocol):
    """One way of choosing, among others in a pass."""

    @property
    def name(self) -> str:
        """Return the name that the plan's share and its actions carry."""
        ...

    def choose(self, forgetting: Pass) -> None:
        """Choose from what the stages before left, down to the target at most."""
        ...


@dataclass(frozen=True, slots=True)
class OrderedStage:
    """A stage that takes leaves by ascending numbers.

    ``numbers`` ranks the rows; ``score`` is what an action carries, for each row; ``why`` says why a row is taken,
    given what :meth:`Scores.shown` shows of it; ``within`` limits the stage to some rows; ``share`` is that of what is
    to be freed when the stage begins.
    """

    name: str
    numbers: Callable[[Scores], Integers]
    score: Callable[[Scores], Integers]
    why: Callable[[Scores, int, Mapping[str, float]], Reason]
    within: Callable[[Scores], npt.NDArray[np.bool_]] | None = None
    share: Callable[[Settings], float] = lambda _settings: 1.0

    def choose(self, forgetting: Pass) -> None:
        """Take leaves until the share is freed, the target is reached, or no leaf of the stage is left."""
        excess = forgetting.weight - forgetting.target
        if excess <= 0:
            return
        scores = forgetting.scores
        until = forgetting.weight - int(np.ceil(excess * self.share(scores.settings)))
        within = forgetting.free if self.within is None else self.within(scores) & forgetting.free
        stream = RankedStream(forgetting.view, scores.table, self.numbers(scores), within)
        forgetting.leaves.turn_to(stream)
        while forgetting.weight > max(until, forgetting.target):
            taken = forgetting.leaves.take()
            if taken is None:
                return
            forgetting.choose(self.name, self._choice(forgetting, taken[1]))

    def _choice(self, forgetting: Pass, candidate: Candidate) -> Choice:
        scores = forgetting.scores
        row = scores.table.row(candidate.id, candidate.sequence)
        if row is None:
            message = "a stage chose what is not in its table"
            raise RuntimeError(message)
        shown = scores.shown(row)
        reason = self.why(scores, row, shown)
        # Few are superseded, and only their reason is made of these words.
        known = words(facts(forgetting.view, candidate)) if candidate.rank == SUPERSEDED else {}
        rule, text = ruled(self.name, reason.text, known, rank=candidate.rank, freed=candidate.freed)
        numbers = {**shown, **reason.numbers}
        return Choice(candidate, rule, int(self.score(scores)[row]), text, features=numbers)


@dataclass(frozen=True, slots=True)
class ReflectionStage:
    """A stage that lets summaries take the places of clusters; ``share`` as of :class:`OrderedStage`."""

    name: str
    reflection: ReflectionSummary
    share: Callable[[Settings], float]

    def choose(self, forgetting: Pass) -> None:
        """Summarise until the share is freed, or clusters or the limits of a trigger end it."""
        excess = int(np.ceil((forgetting.weight - forgetting.target) * self.share(forgetting.view.settings)))
        if excess > 0:
            left_out = forgetting.exclude | forgetting.taken
            forgetting.reflect(self.name, self.reflection.reflect(forgetting.view, excess=excess, exclude=left_out))


@dataclass(frozen=True, slots=True)
class StagedPolicy:
    """A policy of one or several stages; ``own`` names its sections of the settings."""

    name: str
    stages: tuple[Stage, ...]
    own: tuple[str, ...]

    @property
    def reads_features(self) -> bool:
        """Return that it asks its view for the table of features."""
        return True

    def plan(
        self, view: PolicyView, *, target: int, exclude: frozenset[str] = frozenset(), seed: int | None = None
    ) -> Plan:
        """Return the plan down to ``target``; nothing is drawn, so ``seed`` is only recorded."""
        if view.weight <= target:
            return build_plan(view, self.name, parameters_of(view, self.own), target, [], seed)
        forgetting = Pass(view, target, exclude)
        for stage in self.stages:
            stage.choose(forgetting)
        _archive_stranded(forgetting)
        forgetting.give_up_summaries()
        names = [stage.name for stage in self.stages]
        if forgetting.chosen(STRANDED):
            names.append(STRANDED)
        parameters = tuple(sorted((*parameters_of(view, self.own), f"goal={forgetting.goal}")))
        choices = [choice for name in names for choice in forgetting.chosen(name)]
        summaries, notes = forgetting.reflected.summaries, forgetting.reflected.notes
        shares = tuple((name, len(forgetting.chosen(name)), forgetting.freed(name)) for name in names)
        stages = shares if len(self.stages) > 1 else ()
        return build_plan(view, self.name, parameters, target, choices, seed, summaries, stages=stages, notes=notes)


def _archive_stranded(forgetting: Pass) -> None:
    """Where no leaf is left above the target, archive what only memories out of the live tier keep."""
    for candidate in forgetting.leaves.stranded(forgetting.weight - forgetting.target):
        forgetting.choose(STRANDED, Choice(candidate, STRANDED, 0, REASON_STRANDED, stranded=True))
