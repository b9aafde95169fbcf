"""Random-Drop: each leaf is equally likely to go, the baseline of MaRS section 6.

Guarantees: a uniform draw without replacement. Without a seed leaves go in the order of the places that were drawn for
them when they were stored (:func:`marskg.store.rows.order_keys.exp_position`), O(k) for k evictions; a seed other than
the store's sequence number, which stands for none, draws all places anew from itself, O(n) for n memories that may go.
Places of memories that become leaves within a plan are drawn from the seed either way. The plan records the seed; the
score is the place in thousandths.
"""

from __future__ import annotations

from collections import deque
from itertools import islice
from operator import itemgetter
from string import Template
from typing import TYPE_CHECKING

from marskg.clock import SeededSource
from marskg.policies.streams.indexed import KeyStream
from marskg.policies.streams.order import Order
from marskg.policies.streams.ordered import OrderedPolicy
from marskg.store.rows.order_keys import RANDOM_KEY, exp_position, key_range, place_key, random_position

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.policies.core.candidates import Candidate
    from marskg.policies.core.policy import PolicyView
    from marskg.policies.streams.leaves import Place, Stream
    from marskg.store.rows.index_gaps import Gap


def _open(view: PolicyView, seed: int, prefix: str) -> Stream:
    def place(candidate: Candidate, last: str) -> str:
        # One source for each memory, so that a draw does not depend on how many were made before it.
        source = SeededSource(f"random-drop {seed} {candidate.id}")
        position = exp_position(source, random_position(last) if last else 0)
        return place_key(prefix, candidate.rank, position, candidate.sequence)

    stream = KeyStream(view, "random-drop", RANDOM_KEY, place, key_range(prefix))
    return stream if seed == view.sequence else DrawnAnew(stream, place)


class DrawnAnew:
    """All that a stream holds, in the order of places that are drawn for it now."""

    def __init__(self, stream: KeyStream, place: Callable[[Candidate, str], str]) -> None:
        """Read ``stream`` to its end; ``place`` draws a candidate's place behind the one that was taken last."""
        self._drawn = place
        found = []
        while stream.peek() is not None:
            candidate = stream.pop()
            found.append((place(candidate, ""), candidate))
        self._rows = deque(sorted(found, key=itemgetter(0)))
        self._last = ""

    def peek(self) -> str | None:
        """Return the place of the next candidate, or None when there is none."""
        return self._rows[0][0] if self._rows else None

    def pop(self) -> Candidate:
        """Return the next candidate and move past it."""
        self._last, candidate = self._rows.popleft()
        return candidate

    def upcoming(self, limit: int) -> list[Candidate]:
        """Return up to ``limit`` of the candidates that come next."""
        return [candidate for _, candidate in islice(self._rows, limit)]

    def place(self, candidate: Candidate) -> str:
        """Return the place of a memory that has become a leaf: behind the one that was taken last."""
        return self._drawn(candidate, self._last)

    def index_gaps(self, taken: set[str]) -> list[tuple[str, Gap]]:
        """Return nothing: what goes leaves no range of the index empty."""
        del taken
        return []


def _score(_candidate: Candidate, place: Place) -> int:
    return random_position(place)


RANDOM_DROP = OrderedPolicy(
    Order("random-drop", Template("drawn at random, each memory that may go being equally likely"), _open, _score)
)
