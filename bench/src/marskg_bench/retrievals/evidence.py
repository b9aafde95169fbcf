"""What an answer is worth: the share of a question's evidence that it holds, how early, and how sure it was.

Guarantees: pure functions; nothing here knows a text. Sources: Järvelin and Kekäläinen 2002 (nDCG, binary relevance);
Hanley and McNeil 1982 (the area under the ROC curve as the chance that one of two is the higher).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Outcome(NamedTuple):
    """One answer: the share of the evidence in it, whether any and all of it is, nDCG, and how many turns it holds."""

    evidence: float
    any_evidence: float
    all_evidence: float
    ndcg: float
    items: int


def outcome(shown: Sequence[int], evidence: frozenset[int]) -> Outcome:
    """Return what ``shown``, positions best first, is worth; ``evidence`` is not empty."""
    found = evidence.intersection(shown)
    share = len(found) / len(evidence)
    return Outcome(share, float(share > 0.0), float(share == 1.0), ndcg(shown, evidence), len(shown))


def ndcg(shown: Sequence[int], evidence: frozenset[int], depth: int | None = None) -> float:
    """Return the normalised discounted gain of the first ``depth`` of ``shown``, all of them if left out.

    >>> round(ndcg([7, 3, 9], frozenset({3, 4}), 2), 4)
    0.3869
    """
    gained = sum(_discount(place) for place, one in enumerate(shown[:depth]) if one in evidence)
    most = len(evidence) if depth is None else min(depth, len(evidence))
    return gained / sum(map(_discount, range(most)))


def _discount(place: int) -> float:
    return 1 / math.log2(place + 2)


def mean(found: Sequence[Outcome]) -> Outcome:
    """Return the means of outcomes, of which there is at least one; ``items`` is rounded."""
    evidence, some, complete, gain, items = (math.fsum(column) / len(found) for column in zip(*found, strict=True))
    return Outcome(evidence, some, complete, gain, round(items))


def auroc(own: Sequence[float], foreign: Sequence[float]) -> float | None:
    """Return the chance that one of ``own`` is above one of ``foreign``, equal ones by half; None without either.

    >>> auroc([0.9, 0.4], [0.4, 0.1])
    0.875
    """
    if not own or not foreign:
        return None
    others = sorted(foreign)
    above = sum(bisect_left(others, one) + bisect_right(others, one) for one in own)
    return above / (2 * len(own) * len(others))
