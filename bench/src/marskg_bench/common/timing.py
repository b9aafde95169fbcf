"""Measuring two or more things by turns, so that what else the machine does falls on all of them alike.

Guarantees: only an arm's action is timed, not its preparation; every round runs every arm once, in order; warm-up
rounds are run and not counted.
"""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: Prepares one round, given its number, and returns what is timed.
Arm: TypeAlias = "Callable[[int], Callable[[], object]]"


def interleaved(rounds: int, arms: Mapping[str, Arm], *, warmup: int) -> dict[str, list[float]]:
    """Return the seconds of each round by arm."""
    seconds: dict[str, list[float]] = {name: [] for name in arms}
    for number in range(warmup + rounds):
        for name, arm in arms.items():
            action = arm(number)
            spent = timed(action)
            if number >= warmup:
                seconds[name].append(spent)
    return seconds


def timed(action: Callable[[], object]) -> float:
    """Return how many seconds ``action`` takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def milliseconds(seconds: list[float], parts: int = 1) -> float:
    """Return the median of ``seconds`` divided among ``parts``, in milliseconds."""
    return round(median(seconds) / parts * 1000, 4)


def ratio(over: float, under: float) -> float:
    """Return ``over`` ÷ ``under`` to three digits."""
    return round(over / under, 3) if under else 0.0
