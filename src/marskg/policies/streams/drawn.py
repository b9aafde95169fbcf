"""A stream of candidates that are drawn, not ranked: whoever draws sees all that may go now and says who goes.

Guarantees: a draw is among exactly the leaves of that moment, what became a leaf by earlier draws among them; what is
superseded goes before anything is drawn, the oldest first; a draw that is asked for is used, all of it. What the store
says may not go is passed over, whatever the table says. What is taken of each standing fits into its room
(:mod:`.rooms`): a draw is among what fits, and of no more than surely fits.
"""

from __future__ import annotations

from bisect import insort
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
    from marskg.policies.streams.rooms import Rooms
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
        rooms: Rooms,
    ) -> None:
        """Draw from the rows ``within`` what fits into ``rooms``, until the weight is what they aim at."""
        self._view = view
        self._table = table
        self._lottery = lottery
        self._within = within
        self._rooms = rooms
        self._weight = view.weight
        self._weights = table.columns["weight"]
        self._higher = rooms.higher_of(table.ids)
        superseded = table.columns["rank"] == int(SUPERSEDED)
        taking_part = table.columns["open"].astype(np.bool_) & within
        #: What may go now.
        self._pool = taking_part & ~superseded
        first = np.flatnonzero(taking_part & superseded)
        self._first = sorted((int(table.columns["sequence"][row]), int(row)) for row in first)
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
        self._weight -= found.weight
        self._rooms.take(found.id, found.weight)
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
                insort(self._first, (candidate.sequence, row))
            else:
                self._pool[row] = True
        return None

    def index_gaps(self, taken: set[str]) -> list[tuple[str, Gap]]:
        """Return nothing: no index of the engine is read in order."""
        del taken
        return []

    def _next_rows(self) -> Sequence[int]:
        """Return the rows that go next; none if nothing may go."""
        while True:
            rows = self._that_fit()
            if rows or not self._rooms.widen(self._weight):
                return rows

    def _that_fit(self) -> Sequence[int]:
        """Return the rows that go next of those that fit, none if none does."""
        first = self._fitting(np.array([row for _, row in self._first], dtype=np.int64))
        if len(first):
            # One at a time would read the store for each: as many as surely go, whichever they are.
            going: list[int] = first[: min(self._least(first), _AHEAD)].tolist()
            gone = set(going)
            self._first = [pair for pair in self._first if pair[1] not in gone]
            return going
        rows = self._fitting(np.flatnonzero(self._pool))
        if not len(rows):
            return []
        drawn = self._lottery.draw(rows, self._least(rows))
        self._pool[list(drawn)] = False
        return drawn

    def _fitting(self, rows: Integers) -> Integers:
        return rows[self._rooms.fit(self._higher[rows], self._weights[rows])]

    def _least(self, rows: Integers) -> int:
        """Return how many of ``rows`` have to go at least: as many as it takes of the heaviest, and as surely fit."""
        weights = np.sort(self._weights[rows])[::-1]
        enough = int(np.searchsorted(np.cumsum(weights), self._weight - self._rooms.aim))
        return min(enough + 1, len(rows), self._rooms.surely(self._higher[rows], self._weights[rows]))

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
    rooms: Rooms,
    exclude: frozenset[str],
) -> list[Choice]:
    """Return what a lottery draws to bring the live weight down to what ``rooms`` aim at, made choices by ``choice``.

    Where nothing is left to draw from, what only latent memories keep is archived.
    """
    weight = view.weight
    stream = DrawnStream(view, table, lottery, within=_within(view, table, exclude), rooms=rooms)
    leaves = Leaves(view, stream, exclude=exclude, archive=archives(view))
    choices = []
    while weight > rooms.aim:
        taken = leaves.take()
        if taken is None:
            break
        weight -= taken[1].weight
        choices.append(choice(taken[1]))
    # What keeps one user's memories from going may be others': policies.quota_plans looks at both.
    if view.within is None:
        for candidate in leaves.stranded(weight - rooms.aim, fits=rooms.fits):
            rooms.take(candidate.id, candidate.weight)
            choices.append(Choice(candidate, "stranded", 0, REASON_STRANDED, stranded=True))
    return choices


def _within(view: PolicyView, table: FeatureTable, exclude: frozenset[str]) -> npt.NDArray[np.bool_]:
    """Return the rows that may be drawn at all."""
    held = view.within
    free = (ident not in exclude and (held is None or ident in held) for ident in table.ids)
    return np.fromiter(free, np.bool_, len(table))
