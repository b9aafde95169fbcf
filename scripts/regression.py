"""A logistic regression, as the scripts learn it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

_STEPS: Final = 60


def regressed(
    features: npt.NDArray[np.float64], tells: npt.NDArray[np.bool_], counts: npt.NDArray[np.float64], ridge: float
) -> tuple[npt.NDArray[np.float64], float]:
    """Return the weights of ``[n, features]`` under which ``tells`` is most likely, and what stands for none of them.

    Each row counts as ``counts`` says; ``ridge`` holds the weights back. By Newton's method.
    """
    middle, spread = np.average(features, axis=0, weights=counts), features.std(axis=0) + 1e-9
    table = np.column_stack([(features - middle) / spread, np.ones(len(features))])
    found = np.zeros(table.shape[1])
    held = np.diag([*[ridge * counts.sum()] * len(middle), 1e-6])
    for _ in range(_STEPS):
        likely = 1.0 / (1.0 + np.exp(-np.clip(table @ found, -60.0, 60.0)))
        slope = table.T @ (counts * (likely - tells)) + held @ found
        step = np.linalg.solve((table.T * (counts * likely * (1 - likely))) @ table + held, slope)
        found -= step
        if np.abs(step).max() < 1e-8:  # noqa: PLR2004 - it has come to rest
            break
    of_features: npt.NDArray[np.float64] = found[:-1] / spread
    return of_features, float(found[-1] - of_features @ middle)
