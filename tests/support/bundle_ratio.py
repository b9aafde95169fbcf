"""How far greedy retention is from the best, measured on random stores small enough to try every set.

    python -m tests.support.bundle_ratio [STORES [SIZE]]

prints the distribution of the ratio in each family of stores, without and with partial enumeration, and every store
below one half with its reason.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from marskg.policies.optimise.coverage import Coverage, Item, Kept, keep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


SEED = 2026
#: Why a case falls below one half.
SHARED = "bundles of the optimum share a base, which greedy charges to each of them"
LEFTOVER = "denser choices first left no room for what the optimum has"


@dataclass(frozen=True)
class Comparison:
    """One case's number, its ratio of greedy to the optimum, and the reason where that is below one half."""

    number: int
    ratio: float
    reason: str | None


@dataclass(frozen=True)
class Retention:
    """A small store, what its elements are worth, its budget, and what is kept in any case."""

    items: list[Item]
    worths: dict[str, int]
    budget: int
    always: frozenset[str] = frozenset()

    def kept(self, seed: int = 0) -> Kept:
        """Return what greedy keeps."""
        return keep(self.items, self.worths, self.budget, always=self.always, seed=seed)

    def value(self, ids: Iterable[str]) -> int:
        """Return what a set is worth."""
        places = {item.id: place for place, item in enumerate(self.items)}
        return Coverage(self.items, self.worths).value(places[ident] for ident in ids)

    def optimum(self) -> tuple[int, frozenset[str]]:
        """Return the best value of a closed set within the budget with all that is kept in any case, by trying all."""
        best, best_set = -1, frozenset[str]()
        for ids in self.closed_sets():
            if self.weight(ids) <= self.budget and (value := self.value(ids)) > best:
                best, best_set = value, ids
        return best, best_set

    def closed_sets(self) -> Iterable[frozenset[str]]:
        """Yield every set that is closed under the dependencies and holds what is kept in any case."""
        known = {item.id for item in self.items}
        for bits in range(1 << len(self.items)):
            ids = frozenset(item.id for place, item in enumerate(self.items) if bits >> place & 1)
            bases = {base for item in self.items if item.id in ids for base in item.bases if base in known}
            if bases <= ids and closure(self.items, self.always) <= ids:
                yield ids

    def weight(self, ids: Iterable[str]) -> int:
        """Return what a set weighs."""
        weights = {item.id: item.weight for item in self.items}
        return sum(weights[ident] for ident in ids)


def closure(items: Sequence[Item], ids: Iterable[str]) -> frozenset[str]:
    """Return ``ids`` with all that they depend on."""
    bases = {item.id: item.bases for item in items}
    found: set[str] = set()
    queue = list(ids)
    while queue:
        ident = queue.pop()
        if ident not in found and ident in bases:
            found.add(ident)
            queue += bases[ident]
    return frozenset(found)


def random_retention(generator: random.Random, size: int, *, most_bases: int, protected: bool = True) -> Retention:
    """Return a random store whose items have up to ``most_bases`` bases each, in half of the cases a hard one.

    Hard: values and weights spread over orders of magnitude, nothing is covered, and many depend on the first item,
    which is heavy and worth nothing.
    """
    hard = generator.random() < 0.5
    items = []
    for number in range(size):
        earlier = [f"i{other}" for other in range(number)]
        bases = generator.sample(earlier, generator.randint(0, min(most_bases, number)))
        if generator.random() < 0.5:
            bases = ["i0"] if hard and number and most_bases else []
        items.append(
            Item(
                id=f"i{number}",
                weight=int(10 ** generator.uniform(1 if hard and not number else 0, 2)),
                value=0 if hard and not number and most_bases else int(10 ** generator.uniform(3 if hard else 5, 6)),
                sequence=number + 1,
                covers=() if hard else tuple(generator.sample("abcde", generator.randrange(4))),
                bases=tuple(sorted(bases)),
            )
        )
    worths = {name: generator.choice([250_000, 500_000]) for name in "abcde"}
    always = frozenset(item.id for item in items if protected and generator.random() < 0.1)
    floor = sum(item.weight for item in items if item.id in closure(items, always))
    total = sum(item.weight for item in items)
    return Retention(items, worths, generator.randint(floor, total), always)


def trap(generator: random.Random) -> Retention:
    """Return a store of the kind in which half is missed: two pairs, each sharing a dear base, beside dense others."""
    items = [Item("i0", generator.randrange(5, 40), 0, 1), Item("i1", generator.randrange(5, 40), 0, 2)]
    for number in range(2, 6):
        value = generator.randrange(200_000, 1_000_000)
        items.append(Item(f"i{number}", generator.randrange(1, 4), value, number + 1, bases=(f"i{number % 2}",)))
    budget = sum(item.weight for item in items)
    for number in range(6, 9):
        value, weight = generator.randrange(10_000, 500_000), generator.randrange(1, budget)
        items.append(Item(f"i{number}", weight, value, number + 1))
    return Retention(items, {}, budget)


def decoys(generator: random.Random, lures: int = 4) -> Retention:
    """Return a store whose best base is hidden behind ``lures`` that more is built on but that leave no room for it."""
    most, dear = generator.randrange(6, 11), generator.randrange(10, 30)
    budget = dear + most
    items = [Item("good", dear, 0, 1)]
    items += [Item(f"good{n}", 1, 100_000, 2, bases=("good",)) for n in range(most)]
    for lure in range(lures):
        items.append(Item(f"lure{lure}", budget - 1, 0, 3))
        items += [Item(f"lure{lure}.{n}", 1, 100_000, 4, bases=(f"lure{lure}",)) for n in range(most + 1)]
    density = 100_000 // (dear + 1) + 1
    items += [Item(f"dense{n}", 1, density, 5) for n in range(budget)]
    return Retention([replace(item, sequence=n + 1) for n, item in enumerate(items)], {}, budget)


#: The families of stores, by what they are.
FAMILIES: Mapping[str, Callable[[random.Random, int], Retention]] = MappingProxyType({
    "without dependencies": lambda generator, size: random_retention(generator, size, most_bases=0),
    "a forest, as in MaRS": lambda generator, size: random_retention(generator, size, most_bases=1),
    "any acyclic graph": lambda generator, size: random_retention(generator, size, most_bases=3),
    "dear bases, each shared by two": lambda generator, _: trap(generator),
})  # fmt: skip


def compare(family: str, stores: int, size: int, *, enumeration: int = 0, seed: int = SEED) -> list[Comparison]:
    """Return the comparison of each of ``stores`` random stores of a family in which anything is worth keeping."""
    found = []
    for number in range(stores):
        store = FAMILIES[family](random.Random(seed * 1_000_003 + number), size)
        best, members = store.optimum()
        floor = store.value(closure(store.items, store.always))
        if best > floor:
            # What is kept in any case is no merit of the greedy.
            ratio = (store.kept(enumeration).value - floor) / (best - floor)
            found.append(Comparison(number, ratio, _reason(store, members) if ratio < 0.5 else None))
    return found


def compare_lures(stores: int, *, enumeration: int = 0, seed: int = SEED) -> list[Comparison]:
    """Return how near greedy comes to the best base of stores with four lures, which are too large to try every set."""
    found = []
    for number in range(stores):
        store = decoys(random.Random(seed * 1_000_003 + number))
        good = store.value([item.id for item in store.items if item.id.startswith("good")])
        ratio = store.kept(enumeration).value / good
        found.append(Comparison(number, ratio, SHARED if ratio < 0.5 else None))
    return found


def _reason(store: Retention, members: frozenset[str]) -> str:
    needed = [base for item in store.items if item.id in members for base in item.bases]
    return SHARED if len(needed) > len(set(needed)) else LEFTOVER


def report(found: list[Comparison]) -> str:
    """Return the distribution in words."""
    ratios = sorted(one.ratio for one in found)
    marks = [("lowest", 0.0), ("0.1 %", 0.001), ("1 %", 0.01), ("5 %", 0.05), ("median", 0.5)]
    lines = [f"cases {len(ratios)}, mean {sum(ratios) / len(ratios):.4f}"]
    lines += [f"{name:>7} {ratios[int(part * (len(ratios) - 1))]:.3f}" for name, part in marks]
    lines.append(f"optimal {sum(one == 1 for one in ratios) / len(ratios):.1%}")
    lines.append(f"below one half: {sum(one < 0.5 for one in ratios)}")
    lines += [f"  case {one.number}: {one.ratio:.3f}, {one.reason}" for one in found if one.reason]
    return "\n".join(lines)


def main() -> None:
    """Print the distributions."""
    given = [int(word) for word in sys.argv[1:3]]
    stores, size = (*given, *(5_000, 8)[len(given) :])
    for family in FAMILIES:
        sys.stdout.write(f"{family}\n{report(compare(family, stores, size))}\n")
        enumerated = report(compare(family, stores // 10, size, enumeration=3))
        sys.stdout.write(f"{family}, starting from every set of up to three\n{enumerated}\n")
    for size, name in ((0, "four lures before the best base"), (1, "the same, starting from every bundle")):
        sys.stdout.write(f"{name}\n{report(compare_lures(10, enumeration=size))}\n")


if __name__ == "__main__":
    main()
