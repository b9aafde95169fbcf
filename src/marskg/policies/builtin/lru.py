"""Least recently used (MaRS section 3.3.1): optimal where usefulness decays exponentially with staleness.

Guarantees: takes leaves by the time of their last access, then sequence; a memory that was never read counts from its
creation. The score is that time in units of 1,000 s since 1970. O(k) for k evictions (Table 1).
"""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING

from marskg.policies.streams.indexed import KeyStream
from marskg.policies.streams.order import Order
from marskg.policies.streams.ordered import OrderedPolicy
from marskg.store.rows.order_keys import LRU_KEY, key_range, place_key

if TYPE_CHECKING:
    from marskg.policies.core.candidates import Candidate
    from marskg.policies.core.policy import PolicyView
    from marskg.policies.streams.leaves import Place, Stream


def _open(view: PolicyView, _seed: int, prefix: str) -> Stream:
    def place(candidate: Candidate, _last: str) -> str:
        return place_key(prefix, candidate.rank, candidate.last, candidate.sequence)

    return KeyStream(view, "lru", LRU_KEY, place, key_range(prefix))


def _score(candidate: Candidate, _place: Place) -> int:
    return candidate.last


LRU = OrderedPolicy(Order("lru", Template("last read $idle ago, longer than all else that may go"), _open, _score))
