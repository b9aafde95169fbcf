"""Greedy retention on random small stores: closed, within budget, monotone and submodular, and how far from best."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.policies.core.bounds import loss_bound
from marskg.policies.optimise.coverage import Coverage
from tests.support.bundle_ratio import FAMILIES, Retention, closure, compare, random_retention

SIZE = 7


def stores(most_bases: int = 3) -> st.SearchStrategy[Retention]:
    """Return random stores."""
    return st.integers(0, 2**32).map(lambda seed: random_retention(random.Random(seed), SIZE, most_bases=most_bases))


SUBSETS = st.sets(st.integers(0, SIZE - 1))


@given(stores(), SUBSETS, SUBSETS, st.integers(0, SIZE - 1))
def test_the_set_function_is_monotone_and_submodular(
    store: Retention, some: set[int], others: set[int], one: int
) -> None:
    value = Coverage(store.items, store.worths).value
    assert 0 <= value(some) <= value(some | others)
    small, large = some - {one}, (some | others) - {one}
    assert value(small | {one}) - value(small) >= value(large | {one}) - value(large)


@given(stores(), st.integers(0, 3))
def test_what_is_kept_is_closed_protected_and_within_the_budget(store: Retention, enumeration: int) -> None:
    kept = store.kept(enumeration)
    ids = set(kept.ids)
    assert closure(store.items, ids) == ids >= closure(store.items, store.always)
    assert kept.weight == store.weight(ids) <= store.budget
    assert kept.value == sum(kept.gains) == store.value(ids)


@given(stores())
def test_nothing_beats_the_optimum_and_seeds_never_harm(store: Retention) -> None:
    best, _ = store.optimum()
    values = [store.kept(enumeration).value for enumeration in range(4)]
    assert values == sorted(values)
    assert values[-1] <= best


@given(stores())
def test_the_best_single_bundle_is_reached(store: Retention) -> None:
    protected = closure(store.items, store.always)
    bundles = [closure(store.items, {one.id}) | protected for one in store.items]
    alone = [store.value(bundle) for bundle in bundles if store.weight(bundle) <= store.budget]
    assert store.kept().value >= max(alone, default=0)


@given(stores(most_bases=0))
def test_without_dependencies_the_constants_of_the_literature_hold(store: Retention) -> None:
    best, _ = store.optimum()
    assert store.kept().value >= 0.405 * best
    assert store.kept(3).value >= (1 - 1 / math.e) * best


@given(stores(), SUBSETS)
def test_the_bound_holds_for_whatever_goes(store: Retention, gone: set[int]) -> None:
    function = Coverage(store.items, store.worths)
    everything = set(range(len(store.items)))
    loss = function.value(everything) - function.value(everything - gone)
    places = sorted(gone)
    bound = loss_bound([function.alone(place) for place in places], [store.items[place].weight for place in places])
    assert 0 <= loss <= bound


@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "dear bases, each shared by two"])
def test_few_random_stores_fall_below_half_of_the_optimum(family: str) -> None:
    found = compare(family, 400, SIZE)
    assert len(found) > 300
    assert sum(one.ratio for one in found) / len(found) > 0.95
    assert all(one.reason for one in found if one.ratio < 0.5)
    assert sum(one.ratio < 0.5 for one in found) <= 4
