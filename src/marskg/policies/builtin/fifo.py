"""First in, first out: the sliding temporal window of MaRS section 3.3.1.

Guarantees: takes leaves by creation time, then sequence. The score is the creation time in units of 1,000 s since
1970, whose millionth is a millisecond. O(k) for k evictions (Table 1).
"""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING

from marskg.policies.streams.indexed import KeyStream
from marskg.policies.streams.order import Order
from marskg.policies.streams.ordered import OrderedPolicy
from marskg.store.rows.order_keys import FIFO_KEY, key_range, place_key

if TYPE_CHECKING:
    from marskg.policies.core.candidates import Candidate
    from marskg.policies.core.policy import PolicyView
    from marskg.policies.streams.leaves import Place, Stream


def _open(view: PolicyView, _seed: int, prefix: str) -> Stream:
    def place(candidate: Candidate, _last: str) -> str:
        return place_key(prefix, candidate.rank, candidate.created, candidate.sequence)

    return KeyStream(view, "fifo", FIFO_KEY, place, key_range(prefix))


def _score(candidate: Candidate, _place: Place) -> int:
    return candidate.created


FIFO = OrderedPolicy(Order("fifo", Template("stored $age ago, before everything else that may go"), _open, _score))
