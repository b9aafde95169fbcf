"""First in, first out: the sliding temporal window of MaRS section 3.3.1.

Guarantees: takes leaves by creation time, then sequence. The score is the creation time in units of 1,000 s since
1970, whose millionth is a millisecond. O(k) for k evictions (Table 1).
"""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING

from marskg.policies.ordered import Order, OrderedPolicy
from marskg.policies.streams import KeyStream
from marskg.store.order import FIFO_KEY, key_range, place_key

if TYPE_CHECKING:
    from marskg.policies.candidates import Candidate
    from marskg.policies.leaves import Place, Stream
    from marskg.policies.policy import PolicyView


def _open(view: PolicyView, _seed: int, prefix: str) -> Stream:
    def place(candidate: Candidate, _last: str) -> str:
        return place_key(prefix, candidate.rank, candidate.created, candidate.sequence)

    return KeyStream(view, "fifo", FIFO_KEY, place, key_range(prefix))


def _score(candidate: Candidate, _place: Place) -> int:
    return candidate.created


FIFO = OrderedPolicy(Order("fifo", Template("stored $age ago, before everything else that may go"), _open, _score))
