"""How far the greedy choice is from the best one, measured on random cases small enough to try every set.

    python -m tests.support.greedy_ratio [CASES [SIZE]]

prints the distribution of the ratio in each family of cases, and every case below one half with its reason.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from tests.support.candidates import Case, random_case, trap_case

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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


#: The families of cases, by what they are.
FAMILIES: Mapping[str, Callable[[random.Random, int], Case]] = MappingProxyType({
    "without dependencies": lambda generator, size: random_case(generator, size, bases=False),
    "with dependencies": random_case,
    "a dear base that four of eight share": lambda generator, _: trap_case(generator),
})  # fmt: skip


def compare(family: str, cases: int, size: int, *, seed: int = SEED) -> list[Comparison]:
    """Return the comparison of each of ``cases`` random cases of a family in which anything fits."""
    found = []
    for number in range(cases):
        case = FAMILIES[family](random.Random(seed * 1_000_003 + number), size)
        best, members = case.optimum()
        if best:
            ratio = case.chosen().value / best
            found.append(Comparison(number, ratio, _reason(case, members) if ratio < 0.5 else None))
    return found


def _reason(case: Case, members: frozenset[int]) -> str:
    shown = [case.candidates[place] for place in members]
    needed = [base for one in shown for base in one.bases]
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
    """Print both distributions."""
    given = [int(word) for word in sys.argv[1:3]]
    cases, size = (*given, *(5_000, 8)[len(given) :])
    for family in FAMILIES:
        sys.stdout.write(f"{family}\n{report(compare(family, cases, size))}\n")


if __name__ == "__main__":
    main()
