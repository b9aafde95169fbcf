"""Linear Thompson sampling: its posterior, its draws, its regret against the best fixed arm."""

from __future__ import annotations

import importlib
import random
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.policies.controllers.bandit import Arm, best, outlooks, saturated

if TYPE_CHECKING:
    from types import ModuleType

FEATURES = 3
PARTS = st.integers(0, 1_000_000)
CONTEXTS = st.tuples(PARTS, PARTS, PARTS)


def taught(pulls: list[tuple[tuple[int, ...], int]]) -> Arm:
    arm = Arm.unseen(FEATURES)
    for context, reward in pulls:
        arm = arm.rewarded(context, reward)
    return arm


@given(pulls=st.lists(st.tuples(CONTEXTS, PARTS), max_size=12), ridge=st.floats(0.01, 10))
def test_the_posterior_is_that_of_ridge_regression(pulls: list[tuple[tuple[int, ...], int]], ridge: float) -> None:
    x = np.array([context for context, _ in pulls], dtype=float).reshape(-1, FEATURES) / 1e6
    rewards = np.array([reward for _, reward in pulls], dtype=float) / 1e6
    precision = x.T @ x + ridge * np.eye(FEATURES)
    mean, found = taught(pulls).posterior(ridge)
    assert found == pytest.approx(precision)
    assert mean == pytest.approx(np.linalg.inv(precision) @ x.T @ rewards, abs=1e-9)


@given(pulls=st.lists(st.tuples(CONTEXTS, PARTS), max_size=8))
def test_what_was_seen_does_not_depend_on_the_order_and_survives_its_document(
    pulls: list[tuple[tuple[int, ...], int]],
) -> None:
    assert taught(pulls) == taught(pulls[::-1])
    assert Arm.from_document(taught(pulls).to_document()) == taught(pulls)


def test_a_draw_depends_on_the_seed_and_the_name_alone() -> None:
    arms = {"a": Arm.unseen(FEATURES), "b": taught([((10**6, 0, 0), 10**6)])}
    x = (1_000_000, 500_000, 0)
    alone = outlooks({"b": arms["b"]}, x, exploration=0.3, ridge=1.0, seed=7)
    assert outlooks(arms, x, exploration=0.3, ridge=1.0, seed=7)[1] == alone[0]
    assert outlooks(arms, x, exploration=0.3, ridge=1.0, seed=8)[1] != alone[0]


def test_draws_have_the_mean_and_the_deviation_that_are_told() -> None:
    arms = {"a": taught([((10**6, 400_000, 0), 700_000)] * 5)}
    x = (1_000_000, 200_000, 900_000)
    drawn = [outlooks(arms, x, exploration=0.5, ridge=1.0, seed=seed)[0] for seed in range(4_000)]
    values = np.array([one.drawn for one in drawn])
    assert values.mean() == pytest.approx(drawn[0].mean, abs=4 * drawn[0].deviation / 4_000**0.5)
    assert values.std() == pytest.approx(drawn[0].deviation, rel=0.05)


def test_what_was_seen_often_is_surer_and_without_exploration_the_mean_decides() -> None:
    x = (1_000_000, 0, 0)
    spans = [
        outlooks({"a": taught([(x, 500_000)] * pulls)}, x, exploration=0.25, ridge=1.0, seed=1)[0].deviation
        for pulls in (0, 1, 10, 100)
    ]
    assert all(later < earlier for earlier, later in pairwise(spans))
    arms = {"poor": taught([(x, 100_000)]), "rich": taught([(x, 900_000)]), "twin": taught([(x, 900_000)])}
    promised = outlooks(arms, x, exploration=0.0, ridge=1.0, seed=3)
    assert all(one.mean == one.drawn for one in promised)
    assert best(promised).arm == "rich", "of equal ones the first"


def test_a_feature_saturates() -> None:
    assert [saturated(value, 100.0) for value in (0.0, 100.0, 1e12)] == [0, 500_000, 1_000_000]


# --- Regret -------------------------------------------------------------------------------------------------------

TRUE = {"a": (0.2, 0.7, 0.0), "b": (0.5, 0.0, 0.3), "c": (0.3, 0.2, 0.2)}


def play(rounds: int, exploration: float, seed: int) -> tuple[list[float], float]:
    """Return the regret of each round against the best arm of its context, and that of the best fixed arm."""
    chance = random.Random(seed)
    arms = {name: Arm.unseen(FEATURES) for name in TRUE}
    lost, fixed = [], dict.fromkeys(TRUE, 0.0)
    for number in range(rounds):
        x = (1_000_000, *(int(chance.random() * 1e6) for _ in range(2)))
        worth = {name: sum(w * v / 1e6 for w, v in zip(theta, x, strict=True)) for name, theta in TRUE.items()}
        top = max(worth.values())
        for name in TRUE:
            fixed[name] += top - worth[name]
        turn = seed * 10_000 + number
        chosen = best(outlooks(arms, x, exploration=exploration, ridge=1.0, seed=turn, expected=10**6)).arm
        lost.append(top - worth[chosen])
        reward = min(1.0, max(0.0, worth[chosen] + chance.gauss(0, 0.1)))
        arms[chosen] = arms[chosen].rewarded(x, int((reward - 1) * 1e6))
    return lost, min(fixed.values())


def test_regret_falls_and_stays_below_that_of_the_best_fixed_arm() -> None:
    for seed in (1, 2, 3):
        lost, fixed = play(1_200, 0.1, seed)
        early, late = sum(lost[:300]), sum(lost[-300:])
        assert late < early / 2, "regret is sublinear"
        assert sum(lost) < fixed / 2, "the context is worth something"


def test_regret_does_not_fall_where_draws_know_nothing() -> None:
    """The comparison above can fail: with noise far above all rewards, choices stay random."""
    lost, fixed = play(600, 100.0, 1)
    assert sum(lost[-150:]) > sum(lost[:150]) / 2
    assert sum(lost) > fixed / 2


# --- The oracle ---------------------------------------------------------------------------------------------------


@pytest.fixture
def mabwiser() -> ModuleType:
    """Give MABWiser, another implementation of the same algorithm."""
    return importlib.import_module("mabwiser.mab")


@pytest.mark.parametrize("ridge", [0.5, 1.0, 3.0])
def test_mabwiser_learns_the_same_and_chooses_the_same_without_noise(mabwiser: ModuleType, ridge: float) -> None:
    chance = random.Random(4)
    arms = {name: Arm.unseen(FEATURES) for name in TRUE}
    pulled, rewards, contexts = [], [], []
    for _ in range(200):
        x = tuple(chance.randrange(1_000_001) for _ in range(FEATURES))
        name, reward = chance.choice(sorted(TRUE)), chance.randrange(1_000_001)
        arms[name] = arms[name].rewarded(x, reward)
        pulled.append(name)
        rewards.append(reward / 1e6)
        contexts.append([value / 1e6 for value in x])
    # LinTS draws with alpha^2 A^-1; alpha goes to 0 so that its choice is that of the means.
    policy = mabwiser.LearningPolicy.LinTS(alpha=1e-9, l2_lambda=ridge)
    oracle = mabwiser.MAB(arms=sorted(TRUE), learning_policy=policy, seed=1)
    oracle.fit(decisions=pulled, rewards=rewards, contexts=contexts)
    for name in TRUE:
        mean, precision = arms[name].posterior(ridge)
        model = oracle._imp.arm_to_model[name]
        assert mean == pytest.approx(model.beta, abs=1e-9)
        assert np.linalg.inv(precision) == pytest.approx(model.A_inv, abs=1e-9)
    fresh = [tuple(chance.randrange(1_000_001) for _ in range(FEATURES)) for _ in range(100)]
    expected = oracle.predict([[value / 1e6 for value in x] for x in fresh])
    found = [best(outlooks(arms, x, exploration=0.0, ridge=ridge, seed=1)).arm for x in fresh]
    assert found == expected
