"""One persona told to the product under one policy and one budget, then asked.

Guarantees: a store of its own for each run, empty at first, told the sessions in their order, a day at a time, so that
the policy forgets as it goes and knows nothing of the questions; after each day what is live fits the budget. Equal
personas, tasks and seeds give equal figures: ids come from a seeded source, times from the sessions.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, Protocol

from marskg.clock import DAY_MS, SeededSource
from marskg.sources.memora_layout import day_ms
from marskg_bench.fama.scoring import mean, score
from marskg_bench.retrievals.retrievers import SPOKEN, Product, product

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import date

    from marskg.clock import Source
    from marskg_bench.common.memora import BenchPersona, Track
    from marskg_bench.fama.questions import Question
    from marskg_bench.fama.scoring import Outcome

_LIVE: Final = (
    "MATCH (m:Memory) WHERE m.tier = 'live' "
    "RETURN count(m) AS memories, sum(CASE WHEN m.sourceType = 'reflection' THEN 1 ELSE 0 END) AS summaries"
)
#: Tracks of turns without facts: their conflicts are found by their words, as a user would set it.
_SPOKEN: Final = frozenset({"B", "C"})


class Open(Protocol):
    """Gives the product on an empty store."""

    def __call__(
        self, start: int, settings: Mapping[str, Any], *, budget: int, source: Source
    ) -> AbstractContextManager[Product]:
        """Open it with its clock at ``start``."""
        ...


@dataclass(frozen=True, slots=True)
class Conditions:
    """What all runs of a table have in common: what is told, how many items are asked for, and the seed of the ids."""

    track: Track
    depths: tuple[int, ...]
    seed: int


class Told:
    """What a track tells of one persona, day by day."""

    def __init__(self, persona: BenchPersona, conditions: Conditions) -> None:
        """Read it once for all the runs of the persona."""
        self.persona = persona
        self.conditions = conditions
        drafts = persona.drafts(conditions.track)
        self._days = [(day, list(found)) for day, found in groupby(drafts, key=persona.day_of)]
        self.weight = sum(item.tokens for item in persona.items(conditions.track, self._days[-1][0]))

    def run(self, policy: str, budget: int, opened: Open = product) -> dict[str, Any]:
        """Tell everything under ``policy`` and ``budget`` tokens and ask the questions; returns the figures.

        ``depths`` holds the mean outcomes over the questions by the number of items asked for; ``weight``,
        ``memories`` and ``summaries`` are of what is live at the end, ``refused`` is how many drafts the budget had no
        room for, as everything in the store was protected.

        Raises:
            MarsError: the product refuses what it is told, or breaks an invariant.
        """
        track, start = self.conditions.track, self.persona.sessions[0].start
        settings = {"policy.name": policy, **(SPOKEN if track in _SPOKEN else {})}
        source = SeededSource(f"forgetting {self.conditions.seed} {self.persona.name}")
        outcomes: dict[int, list[Outcome]] = {depth: [] for depth in self.conditions.depths}
        refused = told = 0
        with opened(start, settings, budget=budget, source=source) as running:
            for day in self.persona.days:
                until = next((n for n in range(told, len(self._days)) if self._days[n][0] > day), len(self._days))
                refused += sum(running.tell(drafts) for _, drafts in self._days[told:until])
                told = until
                _ask(running, day, self.persona.asked(day), outcomes)
            ((memories, summaries),) = running.memory.cypher(_LIVE).rows
            weight = running.memory.weight
        return {
            "depths": {str(depth): _rounded(mean(found)) for depth, found in outcomes.items()},
            "questions": len(self.persona.questions),
            "refused": refused,
            "weight": weight,
            "memories": memories,
            "summaries": summaries,
        }


def _ask(running: Product, day: date, questions: Iterable[Question], outcomes: Mapping[int, list[Outcome]]) -> None:
    running.wait(day_ms(day) + DAY_MS - 1)
    for question in questions:
        for depth, found in outcomes.items():
            found.append(score(question.presence, question.forgetting, running.retrieve(question.text, depth)))


def _rounded(outcome: Outcome) -> dict[str, float | None]:
    return {name: None if value is None else round(value, 6) for name, value in asdict(outcome).items()}


def conditions_of(track: Track, depths: Sequence[int], seed: int) -> Conditions:
    """Return conditions with each depth once, in order."""
    return Conditions(track, tuple(sorted(set(depths))), seed)
