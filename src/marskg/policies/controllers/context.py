"""The situation of a tenant at a trigger, in numbers: what controllers choose a policy by (MaRS section 3.3.5).

Guarantees: worked out from the view's running sums alone, so it costs no read; equal views give equal numbers; no
number tells anything of a content.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from marskg.clock import DAY_MS
from marskg.ontology.vocabulary import Kind
from marskg.store.rows.read_statistics import Usage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.policies.core.policy import PolicyView
    from marskg.records import Plan


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a tenant stood after a controller's last decision: live memories, time, and the counts of reading."""

    memories: int
    at: int
    usage: Usage

    @classmethod
    def after(cls, view: PolicyView, plan: Plan) -> Moment:
        """Return where the tenant stands once ``plan`` is carried out."""
        return cls(sum(view.census.counts) - len(plan.actions), view.now, view.usage)

    def to_document(self) -> dict[str, Any]:
        """Return the moment as JSON can hold it."""
        return {"at": self.at, "memories": self.memories, "usage": self.usage.to_list()}

    @classmethod
    def from_document(cls, found: Mapping[str, Any]) -> Moment:
        """Return the moment that :meth:`to_document` wrote."""
        return cls(found["memories"], found["at"], Usage.from_list(found["usage"]))


@dataclass(frozen=True, slots=True)
class Situation:
    """One tenant at a trigger.

    ``arrived``: live memories since the last decision, at least 1; ``arrivals``: the same per day; ``age_days``: mean
    age of the live memories; ``answers``: what reading came to since; ``social`` and ``task``: parts of the live
    memories.
    """

    arrived: int
    arrivals: float
    age_days: float
    answers: Usage
    social: float
    task: float

    @property
    def hits(self) -> float | None:
        """Return which part of the answers since the last decision was of use; None where there was none."""
        return 1.0 - self.answers.misses if self.answers.showings else None

    @property
    def complaints(self) -> float:
        """Return complaints for each answer, at most 1."""
        return min(1.0, self.answers.complaints / max(1, self.answers.showings))


def look(view: PolicyView, last: Moment | None) -> Situation:
    """Return the situation of ``view``, with what came since ``last``; before a first decision all of it did."""
    total = sum(view.census.counts)
    since = Moment(0, view.now, Usage()) if last is None else last
    arrived = max(1, total - since.memories)
    # Memories within one second count as those of a second: clocks of tests, and of batches, stand still.
    days = max(view.now - since.at, 1_000) / DAY_MS
    return Situation(
        arrived=arrived,
        arrivals=arrived / days if last is not None else 0.0,
        age_days=view.census.mean_age(view.now) / DAY_MS,
        answers=view.usage.since(since.usage),
        social=view.census.part_of(Kind.SOCIAL),
        task=view.census.part_of(Kind.TASK),
    )
