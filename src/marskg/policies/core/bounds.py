"""Bounds on what forgetting loses, with their constants derived from what goes, never set (MaRS section 3.1).

Eviction, eq. (4) and Lemma A2: if no memory i of what goes adds more than L * w_i to any set, then U falls by at most
L * W_E. For a submodular U the most that i ever adds is U({i}), so L is the largest U({i}) per token among what goes.
One light memory with a high L would make the bound of much that is heavy say nothing. The proof takes what goes away
one after the other, in any order; so it holds for the memories of 1 token, of 2 and 3, of 4 to 7 and so on, each class
with its own L, and for their sum: the bound is the sum of L_c * W_c, and the constant of all is that over W_E. For a
modular U it is less than 2 * r times the loss, r being the largest U({i}) over the smallest in any class.

Consolidation, Proposition A2: if U is kappa-Lipschitz in the mean embedding of a cluster, a summary loses at most
kappa * D, D being the mean distance of the cluster's embeddings from the summary's. The utility that is bounded here
is the importance of the cluster times the cosine of its mean embedding with what is asked, for the worst thing that can
be asked: the sum over the cluster of imp(i) * <mean, g> over all unit vectors g. It is linear in the mean with slope
sum of imp(i), which is therefore kappa, and the smallest that holds for every g.

Guarantees: a realised loss is never above its bound; both are 0 where nothing goes.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from marskg.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Loss:
    """What of a set function goes: its value before, what is lost of it, and the bound; all in 1e-6."""

    before: int
    realised: int
    bound: int


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound with its derived constant: ``value`` = ``constant`` * ``amount``.

    ``constant`` is L in utility per token with ``amount`` W_E in tokens, or kappa with the distortion D.
    """

    constant: float
    amount: float
    value: float


def eviction_bound(alone: Sequence[float], weights: Sequence[int]) -> Bound:
    """Return the bound on losing memories, from what each is worth alone and its weight in tokens.

    The constant is the mean of the classes' L, by weight. The value is never below the sum of ``alone``, which is what
    a modular utility loses.
    """
    largest: dict[int, float] = {}
    totals: Counter[int] = Counter()
    for worth, weight in zip(alone, weights, strict=True):
        light = max(weight, 1)
        members = light.bit_length()
        largest[members] = max(largest.get(members, 0.0), worth / light)
        totals[members] += light
    # Equal in exact arithmetic where all densities are; rounding must not put the bound below the loss.
    value = max(math.fsum(largest[members] * total for members, total in totals.items()), math.fsum(alone))
    amount = sum(totals.values())
    return Bound(value / amount if amount else 0.0, float(amount), value)


def loss_bound(alone: Sequence[int], weights: Sequence[int]) -> int:
    """Return L * W_E, class by class, of what goes: each one's worth ``alone`` and its weight in tokens.

    It is rounded up, with each L as a fraction: no floating point is involved.
    """
    bound = 0
    by_class = sorted(range(len(weights)), key=lambda place: weights[place].bit_length())
    for _, members in groupby(by_class, lambda place: weights[place].bit_length()):
        places = list(members)
        total = sum(weights[place] for place in places)
        bound += max(-(-alone[place] * total // weights[place]) for place in places)
    return bound


def consolidation_bound(importances: Sequence[float], distances: Sequence[float]) -> Bound:
    """Return kappa * D of replacing a cluster by a summary.

    Args:
        importances: of the memories of the cluster, at least 0; their sum is kappa.
        distances: the norm of each one's embedding minus the summary's, at least 0; their mean is D.

    Raises:
        InvalidInput: the cluster is empty, the lists differ in length, or a number is negative or no number.
    """
    if not importances or len(importances) != len(distances):
        message = (
            f"a cluster has {len(importances)} importances and {len(distances)} distances: give one of each for every "
            "memory, and at least one"
        )
        raise InvalidInput(message)
    if not all(math.isfinite(number) and number >= 0 for number in (*importances, *distances)):
        message = "an importance or a distance is negative or no number: use finite numbers of at least 0"
        raise InvalidInput(message)
    return reflection_bound(importances, math.fsum(distances) / len(distances))


def reflection_bound(importances: Iterable[float], distortion: float) -> Bound:
    """Return kappa * D of a cluster whose distortion is known: the sum of ``importances`` is kappa."""
    constant = math.fsum(importances)
    return Bound(constant, distortion, constant * distortion)


def consolidation_loss(
    importances: Sequence[float], embeddings: Sequence[Sequence[float]], summary: Sequence[float]
) -> float:
    """Return what replacing a cluster loses for the worst thing that can be asked: kappa times the shift of the mean.

    ``embeddings`` and ``summary`` are vectors of one length. It is at most :func:`consolidation_bound` of the same
    cluster, by Jensen's inequality.

    Raises:
        InvalidInput: the cluster is empty, or the vectors differ in length.
    """
    if not embeddings or any(len(one) != len(summary) for one in embeddings):
        message = "a cluster is empty or its vectors differ in length: give at least one, all as long as the summary's"
        raise InvalidInput(message)
    shift = [
        math.fsum(column) / len(embeddings) - there
        for column, there in zip(zip(*embeddings, strict=True), summary, strict=True)
    ]
    return math.fsum(importances) * math.hypot(*shift)
