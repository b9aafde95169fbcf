"""Logistic regression without negative weights, and the two numbers that judge it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marskg.learning.logistic import area_under_curve, fit, log_loss


def test_what_decides_gets_the_weight_and_what_does_harm_gets_none() -> None:
    chance = np.random.default_rng(1)
    features = chance.random((800, 3))
    outcomes = chance.random(800) < 1 / (1 + np.exp(-(4 * features[:, 0] - 4 * features[:, 1])))
    _, weights = fit(features, outcomes, 1 / 800)
    assert weights[0] > 2
    assert weights[1] == 0
    assert weights[2] < 0.5
    assert area_under_curve(features @ weights, outcomes) > 0.6


def test_without_features_that_tell_anything_the_share_is_the_answer() -> None:
    outcomes = np.array([True] * 30 + [False] * 70)
    intercept, weights = fit(np.zeros((100, 2)), outcomes, 0.01)
    assert 1 / (1 + np.exp(-intercept)) == pytest.approx(0.3)
    assert not weights.any()
    assert log_loss(np.zeros(100), outcomes) == pytest.approx(np.log(2))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=30))
def test_the_area_is_the_share_of_pairs_in_the_right_order(cases: list[tuple[int, bool]]) -> None:
    positive = [score for score, outcome in cases if outcome]
    negative = [score for score, outcome in cases if not outcome]
    pairs = [(one > other) + (one == other) / 2 for one in positive for other in negative]
    expected = sum(pairs) / len(pairs) if pairs else 0.5
    scores, outcomes = (np.array(column) for column in zip(*cases, strict=True))
    assert area_under_curve(scores.astype(float), outcomes) == pytest.approx(expected)
    if pairs and expected != 0.5:
        # The comparison can fail: the other way round it does.
        assert area_under_curve(-scores.astype(float), outcomes) != pytest.approx(expected)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_no_weights_nearby_explain_the_outcomes_better(seed: int) -> None:
    chance = np.random.default_rng(seed)
    features, outcomes = chance.random((60, 2)), chance.random(60) < 0.5
    intercept, weights = fit(features, outcomes, 0.05)

    def cost(shift: float, moved: np.ndarray) -> float:
        return log_loss(features @ moved + shift, outcomes) + 0.05 * float(moved @ moved)

    best = cost(intercept, weights)
    for _ in range(20):
        shift, moved = intercept + chance.normal(0, 0.2), np.maximum(0, weights + chance.normal(0, 0.2, 2))
        assert cost(shift, moved) >= best - 1e-6
