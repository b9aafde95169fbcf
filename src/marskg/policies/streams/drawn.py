"""A stream of candidates that are drawn, not ranked: whoever draws sees all that may go now and says who goes.

Guarantees: a draw is among exactly the leaves of that moment, what became a leaf by earlier draws among them; what is
superseded goes before anything is drawn, the oldest first; a draw that is asked for is used, all of it. What the store
says may not go is passed over, whatever the table says.
"""

from __future__ import annotations

import heapq
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from marskg.ontology.vocabulary import Tier
from marskg.policies.core.candidates import Candidate, from_row, members
from marskg.policies.core.plans import REASON_STRANDED, Choice, archives
from marskg.policies.streams.leaves import Leaves
from marskg.store.rows.order_keys import SUPERSEDED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from marskg.policies.core.features import FeatureTable, Integers
    from marskg.policies.core.policy import PolicyView
    from marskg.store.rows.index_gaps import Gap

_READ: Final = 500
#: How many of what is superseded are read together.
_AHEAD: Final = 64


class Lottery(Protocol):
    """Draws from what may go."""

    def draw(self, rows: Integers, least: int) -> Sequence[int]:
        """Return some of ``rows`` in the order in which they go: at least one, and ``least`` at most.

        ``least`` is how many have to go whichever they are; there is always one.
        """
        ...


class DrawnStream:
    """The rows of a table in the order in which a lottery draws them."""

    def __init__(
        self,
        view: PolicyView,
        table: FeatureTable,
        lottery: Lottery,
        *,
        within: npt.NDArray[np.bool_],
        excess: int,
    ) -> None:
        """Draw from the rows ``within`` until ``excess`` tokens are drawn."""
        self._view = view
        self._table = table
        self._lottery = lottery
        self._within = within
        self._excess = excess
        superseded = table.columns["superseded"].astype(np.bool_)
        taking_part = table.columns["open"].astype(np.bool_) & within
        #: What may go now.
        self._pool = taking_part & ~superseded
        first = np.flatnonzero(taking_part & superseded)
        self._first = [(int(table.columns["sequence"][row]), int(row)) for row in first]
        heapq.heapify(self._first)
        self._freed: dict[int, Candidate] = {}
        self._queue: deque[Candidate] = deque()
        self._number = 0

    def peek(self) -> tuple[int, int] | None:
        """Return the place of the next candidate: the how-manieth it is; None when there is none."""
        while not self._queue:
            rows = self._next_rows()
            if not rows:
                return None
            self._queue.extend(self._checked(rows))
        return 0, self._number

    def pop(self) -> Candidate:
        """Return the next candidate and move past it."""
        found = self._queue.popleft()
        self._number += 1
        self._excess -= found.weight
        return found

    def upcoming(self, limit: int) -> list[Candidate]:
        """Return up to ``limit`` of the candidates that are drawn but not taken."""
        return list(islice(self._queue, limit))

    def place(self, candidate: Candidate) -> Any | None:  # noqa: ANN401 - a place is whatever its stream compares
        """Let a memory that has become a leaf take part from the next draw on; it has no place before that."""
        row = self._table.row(candidate.id, candidate.sequence)
        if row is not None and self._within[row]:
            self._freed[row] = candidate
            if candidate.rank == SUPERSEDED:
                heapq.heappush(self._first, (candidate.sequence, row))
            else:
                self._pool[row] = True
        return None

    def index_gaps(self, taken: set[str]) -> list[tuple[str, Gap]]:
        """Return nothing: no index of the engine is read in order."""
        del taken
        return []

    def _next_rows(self) -> Sequence[int]:
        """Return the rows that go next; none if nothing may go."""
        if self._first:
            # One at a time would read the store for each: as many as surely go, whichever they are.
            number = min(self._least(np.array([row for _, row in self._first])), _AHEAD)
            return [heapq.heappop(self._first)[1] for _ in range(number)]
        rows = np.flatnonzero(self._pool)
        if not len(rows):
            return []
        drawn = self._lottery.draw(rows, self._least(rows))
        self._pool[list(drawn)] = False
        return drawn

    def _least(self, rows: Integers) -> int:
        """Return how many of ``rows`` have to go at least: as many as it takes of the heaviest."""
        weights = np.sort(self._table.columns["weight"][rows])[::-1]
        enough = int(np.searchsorted(np.cumsum(weights), self._excess))
        return min(enough + 1, len(rows))

    def _checked(self, rows: Sequence[int]) -> list[Candidate]:
        """Return the candidates of ``rows`` that the store says may go."""
        ids = [self._table.ids[row] for row in rows if row not in self._freed]
        known: dict[str, Any] = {}
        for start in range(0, len(ids), _READ):
            known |= {found["id"]: found for found in members(self._view, ids[start : start + _READ])}
        result = []
        for row in rows:
            if (freed := self._freed.get(row)) is not None:
                result.append(freed)
                continue
            found = known.get(self._table.ids[row])
            if found is not None and found["key"] is not None and found["tier"] == Tier.LIVE.value:
                result.append(from_row(found))
        return result


def take_drawn(  # noqa: PLR0917 - what a plan is made of
    view: PolicyView,
    table: FeatureTable,
    lottery: Lottery,
    choice: Callable[[Candidate], Choice],
    target: int,
    exclude: frozenset[str],
) -> list[Choice]:
    """Return what a lottery draws to bring the live weight down to ``target``, each made a choice by ``choice``.

    Where nothing is left to draw from, what only latent memories keep is archived.
    """
    weight = view.weight
    stream = DrawnStream(view, table, lottery, within=_within(view, table, exclude), excess=weight - target)
    leaves = Leaves(view, stream, exclude=exclude, archive=archives(view))
    choices = []
    while weight > target:
        taken = leaves.take()
        if taken is None:
            break
        weight -= taken[1].weight
        choices.append(choice(taken[1]))
    # What keeps one user's memories from going may be others': policies.quota_plans looks at both.
    if view.within is None:
        choices += [
            Choice(candidate, "stranded", 0, REASON_STRANDED, stranded=True)
            for candidate in leaves.stranded(weight - target)
        ]
    return choices


def _within(view: PolicyView, table: FeatureTable, exclude: frozenset[str]) -> npt.NDArray[np.bool_]:
    """Return the rows that may be drawn at all."""
    held = view.within
    free = (ident not in exclude and (held is None or ident in held) for ident in table.ids)
    return np.fromiter(free, np.bool_, len(table))
