"""Random-Drop: each leaf is equally likely to go, the baseline of MaRS section 6.

Guarantees: takes leaves in the order of the places that were drawn for them (:func:`marskg.store.order.exp_position`),
which is a uniform draw without replacement, and without a scan. Places of memories that become leaves within a plan
are drawn from the plan's seed, which the plan records. The score is the place in thousandths. O(k) for k evictions.
"""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING

from marskg.clock import SeededSource
from marskg.policies.ordered import Order, OrderedPolicy
from marskg.policies.streams import KeyStream
from marskg.store.order import RANDOM_KEY, exp_position, key_range, place_key, random_position

if TYPE_CHECKING:
    from marskg.policies.candidates import Candidate
    from marskg.policies.leaves import Place, Stream
    from marskg.policies.policy import PolicyView


def _open(view: PolicyView, seed: int, prefix: str) -> Stream:
    def place(candidate: Candidate, last: str) -> str:
        # One source for each memory, so that a draw does not depend on how many were made before it.
        source = SeededSource(f"random-drop {seed} {candidate.id}")
        position = exp_position(source, random_position(last) if last else 0)
        return place_key(prefix, candidate.rank, position, candidate.sequence)

    return KeyStream(view, "random-drop", RANDOM_KEY, place, key_range(prefix))


def _score(_candidate: Candidate, place: Place) -> int:
    return random_position(place)


RANDOM_DROP = OrderedPolicy(
    Order("random-drop", Template("drawn at random, each memory that may go being equally likely"), _open, _score)
)
