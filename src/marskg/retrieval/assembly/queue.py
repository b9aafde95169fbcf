"""The order in which candidates are tried: rank decides, and among near equals what is least like what is before it.

Guarantees: a candidate comes before every other whose standing is lower than its own by more than ``NEAR`` of the best
one's; nobody comes before what outdates them; who comes at a place depends on those before it alone, and not on which
of them had room; equal inputs give equal orders on every machine, as similarities are integers.
Source: semantics section 13 (rank decides, diversity breaks ties); Carbonell and Goldstein 1998 (what is new to what
was chosen).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy.typing as npt

    from marskg.retrieval.assembly.candidate_filter import Pool

#: The part of the best standing by which two may differ and still be near equals.
NEAR: Final = 0.01


class Queue:
    """The places of a pool's candidates, the next to be tried first."""

    def __init__(self, pool: Pool, before: Iterable[str] = (), horizon: int | None = None) -> None:
        """Begin with all of ``pool``, after those with the ids ``before``.

        Of what stands at the ``horizon`` and below, not everybody is there: it ends before that.
        """
        self._table = pool.table
        self._standing = [pool.standing[one.id] for one in pool.kept]
        self._places: Mapping[str, int] = {one.id: place for place, one in enumerate(pool.kept)}
        self._waiting = list(range(len(pool.kept)))
        #: What comes before each one, as it tells a newer value.
        self._after = [None if one.outdated is None else self._places.get(one.outdated.by, None) for one in pool.kept]
        self._near = NEAR * abs(self._standing[0]) if self._standing else 0.0
        #: How alike each is to the most alike of what came before.
        self._closest: npt.NDArray[np.float32] = np.zeros(len(pool.kept), dtype=np.float32)
        self._horizon = horizon
        for ident in before:
            if ident in self._places:
                self._put(self._places[ident])

    def next(self) -> int | None:
        """Return the place of the next one, which waits no longer; None after the last of whom it is known."""
        if not self._waiting:
            return None
        lowest = self._standing[self._waiting[0]] - self._near
        if self._horizon is not None and lowest <= self._horizon:
            return None
        best, waiting = None, {*self._waiting}
        for number, place in enumerate(self._waiting):
            if self._standing[place] < lowest:
                break
            if self._after[place] in waiting:
                continue
            if best is None or self._closest[place] < self._closest[self._waiting[best]]:
                best = number
        # Whoever outdates somebody stands as high: one of them waits for none.
        found = self._waiting.pop(best or 0)
        self._put(found)
        return found

    def _put(self, place: int) -> None:
        """Let what is like the one at ``place`` come after its near equals."""
        self._closest = np.maximum(self._closest, self._table.to(place))
