"""The guarantees of MaRS on plain data: where they hold, as properties; where they do not, as counterexamples.

docs/explanation/guarantees.md tells of each in words.
"""

from __future__ import annotations

import math
import random
from itertools import combinations
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from marskg.policies.core.bounds import consolidation_bound, consolidation_loss, eviction_bound
from marskg.policies.optimise.coverage import Item, keep
from tests.support.bundle_ratio import Retention, random_retention

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZE = 6
DECAY = 0.1


def stores(most_bases: int) -> st.SearchStrategy[Retention]:
    """Return random stores of which nothing is protected."""

    def build(seed: int) -> Retention:
        return random_retention(random.Random(seed), SIZE, most_bases=most_bases, protected=False)

    return st.integers(0, 2**32).map(build)


def best(store: Retention, budget: int) -> int:
    """Return the optimum at another budget."""
    return Retention(store.items, store.worths, budget).optimum()[0]


def lipschitz(store: Retention) -> float:
    """Return the largest worth per token of any memory alone."""
    return max(store.value([item.id]) / item.weight for item in store.items)


# --- Proposition A3: the budget --------------------------------------------------------------------------------------


@given(stores(most_bases=2), st.integers(0, 200), st.integers(0, 200))
def test_the_optimum_never_falls_as_the_budget_grows(store: Retention, one: int, other: int) -> None:
    assert best(store, min(one, other)) <= best(store, max(one, other))


@given(stores(most_bases=2), st.integers(0, 200), st.integers(0, 200))
def test_the_optimum_is_continuous_up_to_one_memory(store: Retention, one: int, other: int) -> None:
    """What must go is taken whole: L times the difference, and less than the heaviest memory besides."""
    heaviest = max(item.weight for item in store.items)
    most = lipschitz(store) * (abs(one - other) + heaviest - 1 if one != other else 0)
    assert abs(best(store, one) - best(store, other)) <= most * (1 + 1e-9)


def test_a3_counterexample_one_token_more_can_be_worth_a_whole_memory() -> None:
    item = Item("a", weight=10, value=10, sequence=1)
    values = [keep([item], {}, budget).value for budget in (9, 10)]
    assert values == [0, 10], "L is 1 per token, and one token more is worth 10"


def test_a3_counterexample_greedy_can_lose_by_a_larger_budget() -> None:
    items = [Item("a", 1, 3, 1), Item("b", 2, 5, 2), Item("c", 5, 9, 3), Item("d", 4, 1, 4)]
    assert keep(items, {}, 6).value == 12
    assert keep(items, {}, 7).value == 9
    assert [keep(items, {}, budget, seed=3).value for budget in (6, 7)] == [12, 14], "enumeration mends this one"


# --- Proposition A1: LRU ---------------------------------------------------------------------------------------------


def kept_by_lru(ages: Sequence[int], weights: Sequence[int], budget: int) -> set[int]:
    """Return what stays when the longest unread goes first until the rest fits."""
    order = sorted(range(len(ages)), key=lambda place: -ages[place])
    kept = set(order)
    for place in order:
        if sum(weights[one] for one in kept) <= budget:
            break
        kept.remove(place)
    return kept


def usefulness(kept: set[int], values: Sequence[float], ages: Sequence[int]) -> float:
    """Return sum of v * e^(-lambda * age)."""
    return math.fsum(values[place] * math.exp(-DECAY * ages[place]) for place in kept)


def most_useful(values: Sequence[float], ages: Sequence[int], weights: Sequence[int], budget: int) -> float:
    """Return the most that any set within the budget is worth."""
    return max(
        usefulness(set(chosen), values, ages)
        for size in range(len(ages) + 1)
        for chosen in combinations(range(len(ages)), size)
        if sum(weights[place] for place in chosen) <= budget
    )


@given(st.lists(st.integers(0, 100), min_size=1, max_size=7), st.integers(0, 7), st.integers(1, 30))
def test_lru_is_optimal_for_equal_values_and_weights(ages: list[int], count: int, weight: int) -> None:
    weights, values = [weight] * len(ages), [1.0] * len(ages)
    kept = kept_by_lru(ages, weights, count * weight)
    assert math.isclose(usefulness(kept, values, ages), most_useful(values, ages, weights, count * weight))


@given(
    st.lists(st.integers(0, 100), min_size=1, max_size=6, unique=True),
    st.integers(0, 6),
    st.randoms(use_true_random=False),
)
def test_lru_is_optimal_where_a_newer_one_is_never_worth_less(
    ages: list[int], count: int, chance: random.Random
) -> None:
    values = sorted((chance.random() for _ in ages), reverse=True)
    ages = sorted(ages)
    ones = [1] * len(ages)
    kept = kept_by_lru(ages, ones, count)
    assert math.isclose(
        usefulness(kept, values, ages), most_useful(values, ages, ones, count), rel_tol=1e-9, abs_tol=1e-12
    )


def test_a1_counterexample_an_old_memory_of_high_value() -> None:
    values, ages, ones = [10.0, 1.0], [10, 0], [1, 1]
    assert kept_by_lru(ages, ones, 1) == {1}
    assert usefulness({1}, values, ages) == 1
    assert most_useful(values, ages, ones, 1) > 3.6


def test_a1_counterexample_a_recent_memory_that_is_heavy() -> None:
    values, ages, weights = [1.0, 1.0, 1.0], [2, 1, 0], [1, 1, 2]
    assert kept_by_lru(ages, weights, 2) == {2}
    assert usefulness({2}, values, ages) == 1
    assert most_useful(values, ages, weights, 2) > 1.7, "two light ones fit in the place of the heavy one"


# --- Bounds ----------------------------------------------------------------------------------------------------------

MEMORIES = st.lists(st.tuples(st.floats(0.05, 1.0), st.integers(1, 400)), min_size=1, max_size=30)


@given(MEMORIES)
def test_the_bound_on_eviction_holds_and_is_near(memories: list[tuple[float, int]]) -> None:
    worths, weights = [worth for worth, _ in memories], [weight for _, weight in memories]
    bound = eviction_bound(worths, weights)
    loss = math.fsum(worths)
    assert loss <= bound.value
    assert bound.value <= 2 * max(worths) / min(worths) * loss, "whatever the weights are"
    assert bound.value == bound.constant * bound.amount or math.isclose(bound.value, bound.constant * bound.amount)
    single = max(worth / weight for worth, weight in memories) * sum(weights)
    assert bound.value <= single * (1 + 1e-12), "never worse than one L for all"


def test_nothing_that_goes_has_the_bound_of_nothing() -> None:
    assert eviction_bound([], []).value == 0
    assert eviction_bound([], []).constant == 0


def cluster(chance: random.Random) -> tuple[list[float], list[list[float]], list[float]]:
    """Return importances and embeddings of a cluster, and those of its extractive summary: one of its members'."""
    centre = [chance.gauss(0, 1) for _ in range(8)]
    embeddings = []
    for _ in range(chance.randint(2, 9)):
        vector = [part + chance.gauss(0, 0.4) for part in centre]
        embeddings.append([part / math.hypot(*vector) for part in vector])
    return [chance.uniform(0.2, 1.0) for _ in embeddings], embeddings, chance.choice(embeddings)


def test_kappa_times_d_bounds_a_thousand_consolidations_within_ten_times_the_median_loss() -> None:
    losses, bounds = [], []
    for seed in range(1_000):
        importances, embeddings, summary = cluster(random.Random(seed))
        distances = [math.dist(one, summary) for one in embeddings]
        losses.append(consolidation_loss(importances, embeddings, summary))
        bounds.append(consolidation_bound(importances, distances).value)
    median = sorted(losses)[500]
    assert all(loss <= bound * (1 + 1e-12) for loss, bound in zip(losses, bounds, strict=True))
    assert max(bounds) <= 10 * median


def test_kappa_is_the_smallest_that_holds() -> None:
    # All of a cluster at one place: the mean moves by D itself, and the loss is the bound.
    loss = consolidation_loss([0.5, 0.25], [[1.0, 0.0], [1.0, 0.0]], [0.0, 1.0])
    bound = consolidation_bound([0.5, 0.25], [math.sqrt(2)] * 2)
    assert math.isclose(loss, bound.value)
    assert bound.constant == 0.75
