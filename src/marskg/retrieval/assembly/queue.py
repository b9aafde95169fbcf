"""The order in which candidates are tried: rank decides, and among near equals what is least like what is there.

Guarantees: a candidate comes before every other whose standing is lower than its own by more than ``NEAR`` of the best
one's; equal inputs give equal orders on every machine, as similarities are integers.
Source: semantics section 13 (rank decides, diversity breaks ties); Carbonell and Goldstein 1998 (what is new to what
was chosen).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from marskg.retrieval.assembly.candidate_filter import Pool

#: The part of the best standing by which two may differ and still be near equals.
NEAR: Final = 0.01


class Queue:
    """The places of a pool's candidates, the next to be tried first."""

    def __init__(self, pool: Pool) -> None:
        """Begin with all of ``pool``."""
        self._table = pool.table
        self._standing = [pool.standing[one.id] for one in pool.kept]
        self._places: Mapping[str, int] = {one.id: place for place, one in enumerate(pool.kept)}
        self._waiting = list(range(len(pool.kept)))
        self._near = NEAR * abs(self._standing[0]) if self._standing else 0.0
        #: How alike each is to the most alike of what was shown.
        self._closest: npt.NDArray[np.float32] = np.zeros(len(pool.kept), dtype=np.float32)

    def next(self) -> int | None:
        """Return the place of the next one, which waits no longer; None after the last."""
        if not self._waiting:
            return None
        lowest = self._standing[self._waiting[0]] - self._near
        best = 0
        for number, place in enumerate(self._waiting):
            if self._standing[place] < lowest:
                break
            if self._closest[place] < self._closest[self._waiting[best]]:
                best = number
        return self._waiting.pop(best)

    def shown(self, ident: str) -> None:
        """Let what is like ``ident`` come after its near equals."""
        place = self._places.get(ident)
        if place is not None:
            self._closest = np.maximum(self._closest, self._table.to(place))
