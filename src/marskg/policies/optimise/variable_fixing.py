"""What greedy over bundles surely keeps, so that only the rest has to be looked at one by one.

A trigger in a large store frees little: nearly all of it is kept, whatever the order. What is sure is found by passes
over columns; on the rest greedy runs as on a store of its own.

Guarantees: greedy on what :func:`split` leaves open, with the budget that it leaves, chooses exactly what one run of
greedy on everything chooses beside what is sure (a test compares them). Everything is integers.

Why that is so. Call a memory's density with all that it could still cover its most, the one without any of that its
least; things that depend on each other are one group. A group's most is the largest of its members', and no bundle of
it is ever denser. Let the edge be a density such that all groups whose most is above it fit into the budget together.
Equal densities stand in the order of greedy's ties, so that *above* parts those, too: memories that were never read are
often worth the same. Down to the edge greedy never passes a bundle over, and

- a group whose members' least are all above the edge is taken whole: as long as one of them is missing, one whose bases
  are there is denser than the edge;
- a memory m never counts an element u as covered by itself if another one, without bases, has a density with u alone
  that is above the edge and above the most of m's group: u is covered before m can come. Such pairs are left out, which
  lowers what memories have at most, and so the edge.

A group stays open if it is not sure, or shares an element that somebody may still be first to cover with one that is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from marskg.policies.core.features import Integers

    Mask = npt.NDArray[np.bool_]

_MICRO: Final = 1_000_000
#: Passes that leave pairs out: each one lowers bounds for the next, and the first two do nearly all.
_PASSES: Final = 4
_NEVER: Final = -1
#: Of an integer in a column, without its sign.
_BITS: Final = 63


@dataclass(frozen=True, slots=True, eq=False)
class Choosable:
    """What there is to choose from, one place for each item.

    ``values`` in 1e-6 and ``weights`` in tokens from 1; the item ``rows[i]`` covers ``elements[i]``, whose worth in
    1e-6 is ``worths[element]``; ``dependents[i]`` depends on ``bases[i]``. No pair comes twice. Of equal densities
    greedy takes the larger value first, then the larger sequence; no two sequences are the same.
    """

    values: Integers
    weights: Integers
    sequences: Integers
    rows: Integers
    elements: Integers
    worths: Integers
    dependents: Integers
    bases: Integers

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.values)


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Which items are sure to be kept, which are open, and the pairs of covers that decide about these."""

    sure: Mask
    open: Mask
    #: Of each pair, whether its item may be the first to cover its element.
    alive: Mask
    #: No bundle is worth more than this alone, in 1e-6.
    richest: int


def split(given: Choosable, budget: int) -> Split:
    """Return what greedy surely keeps of ``given`` within ``budget`` tokens, and what is to be looked at."""
    groups = components(len(given), given.dependents, given.bases)
    alone = np.ones(len(given), dtype=np.bool_)
    alone[given.dependents] = False
    worth = given.worths[given.elements]
    alive = worth > 0
    order = _Order(given, int(_most(given, groups, alive).max(initial=0)))
    least = order.of(given.values * _MICRO // given.weights, order.ranks)
    with_one = (given.values[given.rows] + worth) * _MICRO // given.weights[given.rows]
    with_one = order.of(with_one, order.ranks[given.rows])
    # Any member of a group may be on top of a bundle.
    foremost = np.zeros(len(given), dtype=np.int64)
    np.maximum.at(foremost, groups, order.ranks)
    weakest = np.full(len(given), np.iinfo(np.int64).max)
    np.minimum.at(weakest, groups, least)
    for _ in range(_PASSES):
        most = order.of(_most(given, groups, alive), foremost)
        edge = _edge(given, groups, most, budget)
        # The densest that an element alone gives anything without bases, where that is above the edge.
        first = np.full(len(given.worths), _NEVER)
        able = alone[given.rows] & (with_one > edge)
        np.maximum.at(first, given.elements[able], with_one[able])
        left = alive & (first[given.elements] <= most[groups[given.rows]])
        if left.sum() == alive.sum():
            break
        alive = left
    most = order.of(_most(given, groups, alive), foremost)
    open_ = weakest <= _edge(given, groups, most, budget)
    mine = _closed(given, groups, open_, alive)[groups]
    return Split(~mine, mine, alive, _richest(given, groups))


class _Order:
    """Densities with their ties as single numbers: equal densities stand as greedy takes them."""

    def __init__(self, given: Choosable, highest: int) -> None:
        """Make room for ties below densities of up to ``highest``; without room, equal densities stay equal."""
        bits = len(given).bit_length()
        self._bits = bits if highest.bit_length() + bits < _BITS else 0
        #: Each item's rank where densities are equal, from 0 for the one that greedy takes last.
        self.ranks = np.zeros(len(given), dtype=np.int64)
        if self._bits:
            self.ranks[np.lexsort((given.sequences, given.values))] = np.arange(len(given))

    def of(self, densities: Integers, ranks: Integers) -> Integers:
        """Return numbers in the order of ``densities``, then ``ranks``."""
        return (densities << self._bits) + ranks


def components(count: int, one: Integers, other: Integers) -> Integers:
    """Return for each of ``count`` items the least item that it is connected with by the pairs ``one``, ``other``."""
    labels = np.arange(count)
    while True:
        low = np.minimum(labels[one], labels[other])
        before = labels.copy()
        np.minimum.at(labels, before[one], low)
        np.minimum.at(labels, before[other], low)
        while not np.array_equal(labels, shorter := labels[labels]):
            labels = shorter
        if np.array_equal(labels, before):
            return labels


def _most(given: Choosable, groups: Integers, alive: Mask) -> Integers:
    """Return, at the place of each group, the largest density that any of its members may have."""
    gains = given.values.copy()
    np.add.at(gains, given.rows[alive], given.worths[given.elements[alive]])
    most = np.full(len(given), _NEVER)
    np.maximum.at(most, groups, gains * _MICRO // given.weights)
    return most


def _edge(given: Choosable, groups: Integers, most: Integers, budget: int) -> int:
    """Return a density such that all groups whose most is above it fit into ``budget`` together, as low as may be."""
    weights = np.zeros(len(given), dtype=np.int64)
    np.add.at(weights, groups, given.weights)
    order = np.argsort(-most, kind="stable")
    over = np.flatnonzero(np.cumsum(weights[order]) > budget)
    return int(most[order[over[0]]]) if len(over) else _NEVER


def _richest(given: Choosable, groups: Integers) -> int:
    """Return what the most valuable group is worth, with all that it covers counted once for each that covers it."""
    totals = np.zeros(len(given), dtype=np.int64)
    np.add.at(totals, groups, given.values)
    np.add.at(totals, groups[given.rows], given.worths[given.elements])
    return int(totals.max(initial=0))


def _closed(given: Choosable, groups: Integers, open_: Mask, alive: Mask) -> Mask:
    """Return ``open_``, which is by group, with all groups that share an element with one of it, and so on."""
    rows, elements = groups[given.rows[alive]], given.elements[alive]
    while True:
        shared = np.zeros(len(given.worths), dtype=np.bool_)
        shared[elements[open_[rows]]] = True
        wider = open_.copy()
        wider[rows[shared[elements]]] = True
        if np.array_equal(wider, open_):
            return open_
        open_ = wider
