"""Priority-Decay: the lowest importance per token goes first (MaRS sections 3.3.2 and 5.3).

Guarantees: takes leaves by ``imp / w``, exactly as sorting all of them would; the score is importance per 1,000 tokens
in 1e-6, and of equal scores the staler one goes first, then the older one. Candidates that a trigger reaches but spares
are marked: an access lifts one of them off the list only if it raises its density by more than ``spare_margin``
(:func:`marskg.store.rows.order_keys.effective_access`).
"""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING

from marskg.policies.streams.decay_search import DecaySearch
from marskg.policies.streams.order import Order
from marskg.policies.streams.ordered import OrderedPolicy

if TYPE_CHECKING:
    from marskg.policies.core.candidates import Candidate
    from marskg.policies.core.policy import PolicyView
    from marskg.policies.streams.leaves import Place, Stream


def _open(view: PolicyView, _seed: int, prefix: str) -> Stream:
    return DecaySearch(view, prefix)


def _score(_candidate: Candidate, place: Place) -> int:
    return int(place[1])


_REASON = "lowest importance per token of all that may go: $importance over $weight tokens, unread for $idle"
PRIORITY_DECAY = OrderedPolicy(Order("priority-decay", Template(_REASON), _open, _score))
