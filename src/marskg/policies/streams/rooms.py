"""What may still be taken of each standing, for a policy that may be asked only once (semantics I1, shares).

Guarantees: nothing is taken of a standing beyond its room. Where nothing fits any more, the rooms are those of the next
stage, but only while the live weight is above what that stage begins at; so one plan does what other policies are asked
several times for. Pure: ids and weights alone decide, no content.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from marskg.policies.core.features import Integers


@dataclass(frozen=True, slots=True)
class Stage:
    """Tokens that may be taken of the higher and of the lower standing in all (None: any), on the way to ``aim``.

    It begins where the live weight is still ``above`` so many tokens.
    """

    higher: int | None
    lower: int | None
    above: int
    aim: int


class Rooms:
    """The rooms of both standings, of which ``higher`` are the ids of the higher one."""

    def __init__(self, higher: frozenset[str], stages: Sequence[Stage]) -> None:
        """Begin at the first of ``stages``, of which there is at least one."""
        self._higher = higher
        self._stages = list(stages)
        self._taken = {True: 0, False: 0}

    @classmethod
    def unlimited(cls, target: int) -> Rooms:
        """Return rooms that everything fits into."""
        return cls(frozenset(), [Stage(None, None, target, target)])

    @property
    def aim(self) -> int:
        """Return the live weight that is aimed at now, in tokens."""
        return self._stages[0].aim

    def higher_of(self, ids: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Return which of some memories are of the higher standing."""
        return np.fromiter((ident in self._higher for ident in ids), np.bool_, len(ids))

    def fits(self, ident: str, weight: int) -> bool:
        """Return whether a memory may go."""
        room = self._room(higher=ident in self._higher)
        return room is None or weight <= room

    def fit(self, higher: npt.NDArray[np.bool_], weights: Integers) -> npt.NDArray[np.bool_]:
        """Return which of some memories may go, each alone."""
        found = np.ones(len(weights), dtype=np.bool_)
        for standing in (True, False):
            room = self._room(higher=standing)
            if room is not None:
                found &= (higher != standing) | (weights <= room)
        return found

    def surely(self, higher: npt.NDArray[np.bool_], weights: Integers) -> int:
        """Return how many of some memories, each of which fits, may go together whichever they are: at least one."""
        found = len(weights)
        for standing in (True, False):
            room, own = self._room(higher=standing), np.sort(weights[higher == standing])[::-1]
            number = len(own) if room is None else int(np.searchsorted(np.cumsum(own), room, side="right"))
            if number < len(own):
                found = min(found, number)
        return max(1, found)

    def take(self, ident: str, weight: int) -> None:
        """Count a memory as gone."""
        self._taken[ident in self._higher] += weight

    def widen(self, weight: int) -> bool:
        """Go to the next stage that a live weight of ``weight`` tokens calls for; return whether there is one."""
        while len(self._stages) > 1 and weight <= self._stages[1].above:
            del self._stages[1]
        if len(self._stages) == 1:
            return False
        del self._stages[0]
        return True

    def _room(self, *, higher: bool) -> int | None:
        limit = self._stages[0].higher if higher else self._stages[0].lower
        return None if limit is None else limit - self._taken[higher]
