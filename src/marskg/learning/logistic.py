"""Logistic regression with weights that are not negative, and how well such a regression tells two classes apart.

Guarantees: pure; equal inputs give equal weights; the loss never rises from one step to the next. Source: MaRS section
3.2.6 (theta is of non-negative reals); projected gradient (Bertsekas 1976); the area under the curve as the share of
pairs in the right order (Mann and Whitney 1947).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats: TypeAlias = "npt.NDArray[np.float64]"
    Flags: TypeAlias = "npt.NDArray[np.bool_]"

_STEPS: Final = 4_000
#: A step that lowers the loss by less than this is the last one.
_LEAST: Final = 1e-10
#: Probabilities are kept this far from 0 and 1 where their logarithm is taken.
_EDGE: Final = 1e-12


def fit(features: Floats, outcomes: Flags, ridge: float) -> tuple[float, Floats]:
    """Return the intercept and the weights, none negative, that explain ``outcomes`` best.

    Args:
        features: ``[n, m]``, each from 0 to 1.
        outcomes: ``[n]``.
        ridge: what the squares of the weights cost, beside the mean log loss.
    """
    count, width = features.shape
    share = float(np.clip(outcomes.mean(), _EDGE, 1 - _EDGE))
    intercept, weights = float(np.log(share / (1 - share))), np.zeros(width)
    # The curvature of the loss is at most a quarter of that of the squares: a step of its inverse never overshoots.
    curvature = 0.25 * (1.0 + float((features * features).sum(axis=1).max(initial=0.0))) + 2 * ridge
    loss = log_loss(features @ weights + intercept, outcomes) + ridge * float(weights @ weights)
    for _ in range(_STEPS):
        error = _probability(features @ weights + intercept) - outcomes
        slope = features.T @ error / count + 2 * ridge * weights
        intercept -= float(error.mean()) / curvature
        weights = np.maximum(0.0, weights - slope / curvature)
        before, loss = loss, log_loss(features @ weights + intercept, outcomes) + ridge * float(weights @ weights)
        if before - loss < _LEAST:
            break
    return intercept, weights


def log_loss(logits: Floats, outcomes: Flags) -> float:
    """Return the mean of -ln of the probability that was given to what came about; ln 2 for a coin."""
    given = np.clip(_probability(logits), _EDGE, 1 - _EDGE)
    return float(-np.log(np.where(outcomes, given, 1 - given)).mean())


def area_under_curve(scores: Floats, outcomes: Flags) -> float:
    """Return how often a positive has a higher score than a negative, ties counting half; 0.5 without one of them."""
    positive = int(outcomes.sum())
    negative = len(outcomes) - positive
    if not positive or not negative:
        return 0.5
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks = (last - (counts - 1) / 2)[place]
    above = float(ranks[outcomes].sum()) - positive * (positive + 1) / 2
    return above / (positive * negative)


def _probability(logits: Floats) -> Floats:
    probability: Floats = 0.5 * (1.0 + np.tanh(0.5 * logits))
    return probability
