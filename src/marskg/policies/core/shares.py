"""Shares of the budget for the kinds of memory, and the dual update that evens out what their next tokens are worth.

Guarantees: pure integer arithmetic, so equal inputs give equal shares everywhere. Shares are tokens, add up to the
budget exactly and are never below their reserves; one update moves no share by more than its step, takes nothing from
the kind whose next tokens are worth most among those that fill their shares, and gives nothing to the one whose are
worth least. Where all are worth the same, or nothing is known, nothing moves but what lies idle.

How: the budget's share B_k of each kind k carries a price, the utility that one more token of it would save
(dU/dB_k): what the next memories of that kind to go are worth per token, averaged over a moving window of triggers.
A kind that does not fill its share would save nothing by more of it (complementary slackness), so its price is 0, and
it lends only what it does not use. Shares move from below the mean price to above it, by a bounded step.

Source: MaRS section 3.2.7; line 708, 728 and 768 (reserves) of section 6.8 to 7.1.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

#: One integer for each slice, in one order.
Slices: TypeAlias = "tuple[int, ...]"

_MILLION = 1_000_000
#: A slice with more than this part of its share free, one in so many, does not fill it.
_SLACK = 8


@dataclass(frozen=True, slots=True)
class Partition:
    """The shares of a budget in tokens, with the averaged price of each slice in 1e-6; -1 where none was seen yet."""

    shares: Slices
    prices: Slices

    @property
    def budget(self) -> int:
        """Return what the shares add up to."""
        return sum(self.shares)

    def to_json(self) -> str:
        """Return the partition as canonical JSON."""
        return json.dumps({"prices": self.prices, "shares": self.shares}, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Partition:
        """Return the partition that :meth:`to_json` wrote."""
        found = json.loads(text)
        return cls(tuple(found["shares"]), tuple(found["prices"]))


def apportion(total: int, ratios: Sequence[int], floors: Sequence[int]) -> Slices:
    """Divide ``total`` in the proportion of ``ratios``, no part below its floor; parts are integers and add up.

    Where the floors alone are more than ``total`` they are divided in their own proportion. Remainders go to the
    largest fractions, of equal ones to the first. All arguments are >= 0.
    """
    if sum(floors) >= total:
        return _divide(total, floors)
    free = set(range(len(ratios)))
    parts = list(floors)
    while free:
        rest = total - sum(parts[place] for place in range(len(parts)) if place not in free)
        order = sorted(free)
        shares = _divide(rest, [ratios[place] for place in order])
        low = {place for place, share in zip(order, shares, strict=True) if share < floors[place]}
        if not low:
            for place, share in zip(order, shares, strict=True):
                parts[place] = share
            break
        free -= low
    return tuple(parts)


def _divide(total: int, ratios: Sequence[int]) -> Slices:
    """Divide ``total`` in proportion by largest remainders; evenly where all ratios are 0."""
    weights = list(ratios) if any(ratios) else [1] * len(ratios)
    whole = sum(weights)
    parts = [total * weight // whole for weight in weights]
    by_rest = sorted(range(len(weights)), key=lambda place: (-(total * weights[place] % whole), place))
    for place in by_rest[: total - sum(parts)]:
        parts[place] += 1
    return tuple(parts)


def begin(budget: int, parts: Sequence[float], reserves: Sequence[float]) -> Partition:
    """Return the partition that a tenant begins with; ``parts`` and ``reserves`` are parts of the budget."""
    shares = apportion(budget, [round(part * _MILLION) for part in parts], tokens(budget, reserves))
    return Partition(shares, (-1,) * len(shares))


def tokens(budget: int, parts: Sequence[float]) -> Slices:
    """Return parts of the budget in tokens, rounded down, so that parts up to 1 never exceed it."""
    return tuple(budget * round(part * _MILLION) // _MILLION for part in parts)


def fitted(partition: Partition, budget: int, reserves: Slices) -> Partition:
    """Return ``partition`` for another budget or other reserves: the same proportions, the same prices."""
    if partition.budget == budget and all(
        share >= least for share, least in zip(partition.shares, reserves, strict=True)
    ):
        return partition
    return Partition(apportion(budget, partition.shares, reserves), partition.prices)


def updated(
    partition: Partition,
    *,
    weights: Slices,
    worth: Sequence[int | None],
    reserves: Slices,
    step: int,
    window: int,
) -> Partition:
    """Return the partition after one trigger.

    Args:
        partition: as it was; its shares are >= ``reserves``.
        weights: what each slice weighed at the trigger, in tokens.
        worth: what the next memories of each slice to go are worth per token, in 1e-6 and >= 0; None if there is none.
        reserves: tokens that each share keeps.
        step: tokens by which no share moves further.
        window: triggers that the average is taken over, >= 1 (exponentially weighted).
    """
    prices = tuple(
        before if now is None else now if before < 0 else before + (now - before) // window
        for before, now in zip(partition.prices, worth, strict=True)
    )
    shares = partition.shares
    full = [
        weight * _SLACK >= share * (_SLACK - 1) and price >= 0
        for weight, share, price in zip(weights, shares, prices, strict=True)
    ]
    binding = [place for place, filled in enumerate(full) if filled]
    if not binding:
        return Partition(shares, prices)
    # The price of a token is what the mean token of the shares that bind is worth.
    divisor = sum(shares[place] for place in binding) or 1
    mean = sum(shares[place] * prices[place] for place in binding) // divisor
    wanted, offered = [0] * len(shares), [0] * len(shares)
    for place, filled in enumerate(full):
        if filled:
            change = _change(prices[place], mean, step)
            wanted[place] = max(0, change)
            offered[place] = min(max(0, -change), shares[place] - reserves[place])
        elif mean > 0:
            # What lies idle is lent, down to what is in use.
            offered[place] = min(step, max(0, shares[place] - max(reserves[place], weights[place])))
    if not any(wanted):
        # One price among those that bind, or a single one of them: idle tokens go to them all the same.
        best = max(binding, key=lambda place: (prices[place], -place))
        idle = sum(offered[place] for place, filled in enumerate(full) if not filled)
        wanted[best] = min(step, idle)
        offered = [0 if filled else offered[place] for place, filled in enumerate(full)]
    moved = min(sum(wanted), sum(offered))
    gains, losses = _limited(moved, wanted), _limited(moved, offered)
    moved_shares = (share + gain - loss for share, gain, loss in zip(shares, gains, losses, strict=True))
    return Partition(tuple(moved_shares), prices)


def _change(price: int, mean: int, step: int) -> int:
    """Return by how many tokens a share would like to move: all of the step where its price is far from the mean."""
    if price == mean:
        return 0
    change = step * abs(price - mean) // (price + mean)
    return change if price > mean else -change


def _limited(total: int, wishes: Sequence[int]) -> Slices:
    """Divide ``total`` in the proportion of ``wishes``, none above its own; ``total`` is at most their sum."""
    # With total at most the sum, a proportional part is at most the wish, and so is its rounding up.
    return _divide(total, wishes) if total else (0,) * len(wishes)
