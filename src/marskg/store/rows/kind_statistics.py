"""How many live memories of each kind there are, what they weigh and how old they are together, kept up per write.

Guarantees: a value; the tenant's row holds it, every unit of work moves it by what its own nodes gained and lost, so
it equals a count of the graph and costs no scan. Policies read it where a scan at each trigger would cost more than the
trigger (MaRS section 3.2.7 needs weights by kind, section 3.3.5 ages and proportions).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from marskg.ontology.vocabulary import KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.ontology.vocabulary import Kind

#: One integer for each kind, in the order of :data:`~marskg.ontology.vocabulary.KINDS`.
PerKind: TypeAlias = "tuple[int, ...]"

_NONE = (0,) * len(KINDS)
_SECOND_MS = 1_000


@dataclass(frozen=True, slots=True)
class KindStatistics:
    """The live tier in sums: tokens and numbers by kind, and the creation times in seconds since 1970 added up.

    Whole seconds, so that the sum over millions of memories is an int64.
    """

    weights: PerKind = _NONE
    counts: PerKind = _NONE
    created: int = 0
    #: What those of lower standing weigh (:func:`~marskg.ontology.vocabulary.is_higher`), and of these the protected.
    lower: int = 0
    lower_protected: int = 0

    def moved(
        self, kind: Kind, weight: int, created: int, sign: int, *, lower: bool = False, protected: bool = False
    ) -> KindStatistics:
        """Return the census after one live memory came (``sign`` 1) or went (-1); ``created`` is in milliseconds."""
        place = KINDS.index(kind)
        return KindStatistics(
            weights=_plus(self.weights, place, sign * weight),
            counts=_plus(self.counts, place, sign),
            created=self.created + sign * (created // _SECOND_MS),
            lower=self.lower + sign * weight * lower,
            lower_protected=self.lower_protected + sign * weight * (lower and protected),
        )

    def mean_age(self, now: int) -> int:
        """Return how old the live memories are on average at ``now``, in milliseconds; 0 where there is none."""
        total = sum(self.counts)
        return max(0, now - self.created * _SECOND_MS // total) if total else 0

    def part_of(self, kind: Kind) -> float:
        """Return which part of the live memories is of ``kind``, by number."""
        total = sum(self.counts)
        return self.counts[KINDS.index(kind)] / total if total else 0.0

    def to_list(self) -> list[int]:
        """Return the census as the tenant's row holds it."""
        return [*self.weights, *self.counts, self.created, self.lower, self.lower_protected]

    @classmethod
    def from_list(cls, numbers: Sequence[int]) -> KindStatistics:
        """Return the census that :meth:`to_list` wrote."""
        size = len(KINDS)
        return cls(tuple(numbers[:size]), tuple(numbers[size : 2 * size]), *numbers[2 * size :])

    @classmethod
    def is_whole(cls, numbers: Sequence[int] | None) -> bool:
        """Return whether a tenant's row holds all that a census has; else it is counted with the order keys."""
        return numbers is not None and len(numbers) == len(cls().to_list())


def _plus(numbers: PerKind, place: int, change: int) -> PerKind:
    return (*numbers[:place], numbers[place] + change, *numbers[place + 1 :])
