"""What it is worth to keep a set of memories: importance, and each key, name or goal that some memory still covers.

For a set S of items

    F(S) = sum of value(i) over S  +  sum of worth(u) over all elements u that S covers

with values and worths that are not negative. F(empty) is 0; F is monotone, as more covers no less, and submodular, as
what is covered already adds nothing (weighted coverage; Nemhauser, Wolsey and Fisher 1978). "The first mention of an
entity helps more than the tenth" (MaRS section 3.1).

Guarantees: F and its gains are exact integers of 1e-6; :func:`keep` returns a set that is closed under ``bases``, holds
all that is kept in any case, and weighs at most the budget unless that alone does not fit. It works on plain data.
Sources: MaRS section 3.1, appendix E; semantics sections 7 and 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from marskg.errors import InvalidInput
from marskg.policies.optimise.bundles import Knapsack, choose, closures

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Item:
    """One memory as a set function sees it.

    ``weight`` is in tokens, from 1; ``value`` is what it is worth whatever else is kept, in 1e-6; ``covers`` names the
    elements that it covers; ``bases`` the items without which it makes no sense.
    """

    id: str
    weight: int
    value: int
    sequence: int
    covers: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """What greedy keeps: ids in the order of choice with their gains in 1e-6, the value of all, and its tokens."""

    ids: tuple[str, ...]
    gains: tuple[int, ...]
    value: int
    weight: int


class Coverage:
    """F over a fixed list of items; members of a set are positions in that list."""

    def __init__(self, items: Sequence[Item], worths: Mapping[str, int]) -> None:
        """Prepare F; an element without a worth in 1e-6 is worth nothing.

        Raises:
            InvalidInput: a weight is below 1, or a value or a worth is negative: F would not be monotone.
        """
        for item in items:
            if item.weight < 1 or item.value < 0:
                message = (
                    f"item {item.id} weighs {item.weight} and is worth {item.value}: use at least 1 and at least 0"
                )
                raise InvalidInput(message)
        if any(worth < 0 for worth in worths.values()):
            message = "an element is worth less than 0, so that covering it would harm: use at least 0"
            raise InvalidInput(message)
        self.values = [item.value for item in items]
        numbers: dict[str, int] = {}
        self.covers = [
            tuple(numbers.setdefault(name, len(numbers)) for name in dict.fromkeys(item.covers) if worths.get(name))
            for item in items
        ]
        self.worths = [worths[name] for name in numbers]

    def begin(self) -> Covered:
        """Return the empty set."""
        return Covered(self)

    def alone(self, member: int) -> int:
        """Return F of one item: no set gains more by it."""
        return self.values[member] + sum(self.worths[number] for number in self.covers[member])

    def value(self, members: Iterable[int]) -> int:
        """Return F of the set of ``members``, an integer of 1e-6."""
        covered = self.begin()
        return sum(covered.add(member) for member in set(members))


class Covered:
    """A growing set with what it covers."""

    def __init__(self, function: Coverage) -> None:
        """Start with the empty set."""
        self._function = function
        self._numbers: set[int] = set()
        self.members: set[int] = set()

    def gain(self, members: Sequence[int]) -> int:
        """Return how much F grows when ``members``, none of them in the set yet, join it together."""
        function = self._function
        fresh = {number for member in members for number in function.covers[member]} - self._numbers
        return sum(function.values[member] for member in members) + sum(function.worths[n] for n in fresh)

    def add(self, member: int) -> int:
        """Let ``member``, not in the set yet, join it; return by how much F grew."""
        grown = self.gain((member,))
        self._numbers.update(self._function.covers[member])
        self.members.add(member)
        return grown

    def covered(self, member: int) -> int:
        """Return how many of the elements that ``member`` covers are covered by the set."""
        return sum(number in self._numbers for number in self._function.covers[member])


def keep(
    items: Sequence[Item],
    worths: Mapping[str, int],
    budget: int,
    *,
    always: Collection[str] = (),
    seed: int = 0,
) -> Kept:
    """Return what greedy over closed bundles keeps of ``items`` within ``budget`` tokens.

    Args:
        items: all that may be kept; a base that is not among them is taken to be there anyway.
        worths: what each element is worth, in 1e-6.
        budget: tokens, from 0.
        always: ids of what is kept whatever it weighs, with all that it depends on.
        seed: size of the sets that partial enumeration starts from, 0 for none, at most 3.

    Raises:
        InvalidInput: an id comes twice, ``always`` names no item, dependencies form a circle, or a number is out of
            range.
    """
    function = Coverage(items, worths)
    places = {item.id: place for place, item in enumerate(items)}
    unknown = sorted(set(always) - set(places))
    if unknown:
        message = f"{unknown[0][:80]} is to be kept in any case but is no item: leave it out, or pass the item"
        raise InvalidInput(message)
    bundles = closures(
        [item.id for item in items], [tuple(base for base in item.bases if base in places) for item in items]
    )
    kept = dict.fromkeys(member for ident in sorted(always) for member in bundles[places[ident]] or ())
    knapsack = Knapsack(
        bundles=bundles,
        costs=[item.weight for item in items],
        # Of equal densities the more valuable stays, then the newer: where nothing else tells them apart, age does.
        ties=[(-item.value, -item.sequence) for item in items],
        begin=function.begin,
        kept=tuple(kept),
    )
    found = choose(knapsack, budget, seed=seed)
    return Kept(tuple(items[place].id for place in found.chosen), found.gains, found.value, found.cost)
