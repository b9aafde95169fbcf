"""Linear Thompson sampling: which arm to pull in a context, from rewards seen in earlier ones.

Guarantees: pure; what was seen is kept as exact integer sums (1e-12), so the posterior does not depend on the order of
what led to it, and equal histories, contexts and seeds give equal choices. The draw of an arm depends on the seed and
its name alone: another arm beside it changes nothing about it. Scores are compared as integers of 1e-6, ties by the
arms' order.

How: the reward of an arm in context x is taken to be x . theta with noise; with A = ridge I + sum of x x^T and
b = sum of reward x over its pulls, theta is normal with mean A^-1 b and covariance v^2 A^-1. One theta is drawn for
each arm, and the arm whose draw promises most is pulled: arms are tried as often as they may still be the best.

Source: S. Agrawal and N. Goyal, Thompson Sampling for Contextual Bandits with Linear Payoffs, ICML 2013; MaRS sections
3.1 (regret, eq. 3) and 3.3.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from marskg.clock import SeededSource
from marskg.store.rows.order_keys import micro

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"
#: The features of a situation, each an integer of 1e-6.
Context: TypeAlias = "tuple[int, ...]"

_MILLION = 1_000_000
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Arm:
    """What was seen of one arm: pulls with a reward, the sum of x x^T row by row, and of reward x, in 1e-12."""

    pulls: int
    gram: tuple[int, ...]
    moment: tuple[int, ...]

    @classmethod
    def unseen(cls, features: int) -> Arm:
        """Return an arm of which nothing was seen."""
        return cls(0, (0,) * features**2, (0,) * features)

    def rewarded(self, context: Context, reward: int) -> Arm:
        """Return the arm after a pull in ``context`` gave ``reward``, in 1e-6; it may be below 0."""
        products = (one * other for one in context for other in context)
        gram = tuple(old + new for old, new in zip(self.gram, products, strict=True))
        moment = tuple(old + value * reward for old, value in zip(self.moment, context, strict=True))
        return Arm(self.pulls + 1, gram, moment)

    def posterior(self, ridge: float) -> tuple[Array, Array]:
        """Return the mean of theta and its precision A."""
        size = len(self.moment)
        gram = np.array([value / _MILLION**2 for value in self.gram], dtype=np.float64).reshape(size, size)
        precision = gram + ridge * np.eye(size)
        moment = np.array([value / _MILLION**2 for value in self.moment], dtype=np.float64)
        mean = np.linalg.solve(precision, moment)
        return np.asarray(mean, dtype=np.float64), precision

    def variances(self, ridge: float, exploration: float) -> Array:
        """Return the variance of each part of theta."""
        found: Array = exploration**2 * np.diagonal(np.linalg.inv(self.posterior(ridge)[1]))
        return found

    def to_document(self) -> dict[str, Any]:
        """Return the arm as JSON can hold it."""
        return {"gram": list(self.gram), "moment": list(self.moment), "pulls": self.pulls}

    @classmethod
    def from_document(cls, found: Mapping[str, Any]) -> Arm:
        """Return the arm that :meth:`to_document` wrote."""
        return cls(found["pulls"], tuple(found["gram"]), tuple(found["moment"]))


@dataclass(frozen=True, slots=True)
class Outlook:
    """What an arm promises in a context, in 1e-6: the mean, its standard deviation, and what was drawn."""

    arm: str
    mean: int
    deviation: int
    drawn: int


def outlooks(
    arms: Mapping[str, Arm], context: Context, *, exploration: float, ridge: float, seed: int, expected: int = 0
) -> tuple[Outlook, ...]:
    """Return what each arm promises in ``context``, in the order of ``arms``.

    ``exploration`` is v, the standard deviation of a reward's noise; 0 draws the means themselves. ``expected`` is the
    reward, in 1e-6, that is expected of an arm before it was ever pulled; the arms' rewards are what came above it.
    With 0 the first arm that pays anything is hard to leave; with the best reward there is, every arm gets its turns.
    """
    x = np.array([value / _MILLION for value in context], dtype=np.float64)
    found = []
    for name, arm in arms.items():
        mean, precision = arm.posterior(ridge)
        lower = np.linalg.cholesky(precision)
        # With A = L L^T, L^-T z has the covariance A^-1 for a standard normal z.
        drawn = mean + exploration * np.linalg.solve(lower.T, _normals(seed, name, len(x)))
        variance = float(x @ np.linalg.solve(precision, x))
        deviation = exploration * max(variance, 0.0) ** 0.5
        numbers = (expected + micro(float(x @ mean)), micro(deviation), expected + micro(float(x @ drawn)))
        found.append(Outlook(name, *numbers))
    return tuple(found)


def best(promised: Sequence[Outlook]) -> Outlook:
    """Return the arm to pull: the one whose draw promises most, of equal ones the first."""
    return max(promised, key=lambda one: one.drawn)


def _normals(seed: int, name: str, count: int) -> Array:
    """Return standard normal draws that depend on the seed and the arm's name alone."""
    source = SeededSource(f"bandit {seed} {name}")
    # The middle of one of 2^53 equal parts of the unit interval, which is never 0 or 1.
    uniform = [((int.from_bytes(source.token(8), "big") >> 11) + 0.5) / (1 << 53) for _ in range(count)]
    return np.array([_NORMAL.inv_cdf(one) for one in uniform], dtype=np.float64)


def saturated(value: float, half: float) -> int:
    """Return ``value`` >= 0 as a feature: ``value / (value + half)`` in 1e-6, which is 0.5 at ``half``."""
    return micro(value / (value + half))
