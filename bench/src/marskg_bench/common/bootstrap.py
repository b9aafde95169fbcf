"""Intervals of a mean over few units, by resampling them.

Guarantees: pure; equal values, seeds and numbers of resamples give equal intervals, and lists of equal length are
resampled alike, so that the interval of a difference of two lists is a paired one.
Source: Efron 1979 (the bootstrap), percentile interval.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from marskg.clock import SeededSource

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

RESAMPLES: Final = 10_000
#: Percentiles between which 95 % of the resampled means lie.
_ENDS: Final = (2.5, 97.5)


class Estimate(NamedTuple):
    """A mean with its 95 % interval; the ends are None where there is but one value."""

    mean: float
    low: float | None
    high: float | None


def estimate(values: Sequence[float], seed: int) -> Estimate:
    """Return the mean of ``values`` (at least one) with the 95 % percentile interval of 10,000 resampled means."""
    if len(values) == 1:
        return Estimate(values[0], None, None)
    draws = _draws(seed, len(values))
    means = np.asarray(values, dtype=np.float64)[draws].mean(axis=1)
    low, high = np.percentile(means, _ENDS)
    return Estimate(fmean(values), float(low), float(high))


def ratio(tops: Sequence[float], bottoms: Sequence[float], seed: int) -> Estimate | None:
    """Return the sum of ``tops`` by that of ``bottoms``, resampled by pairs; None where the bottoms sum to nothing."""
    whole = sum(bottoms)
    if not whole:
        return None
    if len(bottoms) == 1:
        return Estimate(tops[0] / whole, None, None)
    draws = _draws(seed, len(bottoms))
    below = np.asarray(bottoms, dtype=np.float64)[draws].sum(axis=1)
    above = np.asarray(tops, dtype=np.float64)[draws].sum(axis=1)
    low, high = np.percentile(above[below > 0] / below[below > 0], _ENDS)
    return Estimate(sum(tops) / whole, float(low), float(high))


def _draws(seed: int, size: int) -> npt.NDArray[np.int64]:
    """Return for each resample which of ``size`` units it consists of."""
    source = SeededSource(f"resamples {seed}")
    numbers = np.frombuffer(b"".join(source.token(4 * size) for _ in range(RESAMPLES)), dtype="<u4")
    # The high part of a product is even to one part in 2^32 / size.
    return (numbers.astype(np.uint64) * np.uint64(size) >> np.uint64(32)).astype(np.int64).reshape(RESAMPLES, size)
