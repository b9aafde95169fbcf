"""The set function is monotone and submodular, the greedy keeps to budget and closure, and how far it is from best."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from marskg.retrieval.submodular import Cover, SetFunction, greedy
from tests.support.candidates import Case, random_case

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZE = 9


def cases(size: int = SIZE) -> st.SearchStrategy[Case]:
    """Return random cases."""
    return st.integers(0, 2**32).map(lambda seed: random_case(random.Random(seed), size))


SUBSETS = st.sets(st.integers(0, SIZE - 1))


@given(cases(), SUBSETS, SUBSETS)
def test_more_is_never_worth_less(case: Case, some: set[int], others: set[int]) -> None:
    assert 0 <= case.function.value(some) <= case.function.value(some | others)


@given(cases(), SUBSETS, SUBSETS, st.integers(0, SIZE - 1))
def test_returns_diminish(case: Case, some: set[int], others: set[int], one: int) -> None:
    value = case.function.value
    small, large = some - {one}, (some | others) - {one}
    assert value(small | {one}) - value(small) >= value(large | {one}) - value(large)


@given(cases(), st.lists(st.integers(0, SIZE - 1), unique=True), SUBSETS)
def test_gains_are_the_differences_of_the_values(case: Case, order: Sequence[int], others: set[int]) -> None:
    value, cover = case.function.value, Cover(case.function)
    there: set[int] = set()
    for member in order:
        rest = sorted(others - there)
        assert cover.gain(rest) == value(there | set(rest)) - value(there)
        assert cover.add(member) == value(there | {member}) - value(there)
        there.add(member)


@given(cases())
def test_what_is_chosen_is_closed_and_within_the_budget(case: Case) -> None:
    found = greedy(case.candidates, case.budget, lambda one: case.costs[one.id], function=case.function)
    ids = {case.candidates[place].id for place in found.chosen}
    assert found.cost == sum(case.costs[one] for one in ids) <= case.budget
    assert all(set(case.candidates[place].bases) <= ids for place in found.chosen)
    assert found.value == sum(found.gains) == case.function.value(found.chosen)


@given(cases())
def test_lazy_evaluation_chooses_what_looking_at_all_would(case: Case) -> None:
    found = greedy(case.candidates, case.budget, lambda one: case.costs[one.id], function=case.function)
    assert found.value == _eager(case)


@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_changes_nothing(case: Case, generator: random.Random) -> None:
    shuffled = generator.sample(case.candidates, len(case.candidates))
    function = SetFunction(shuffled, frozenset({"red", "green", "blue"}))
    first = greedy(case.candidates, case.budget, lambda one: case.costs[one.id], function=case.function)
    second = greedy(shuffled, case.budget, lambda one: case.costs[one.id], function=function)
    assert [case.candidates[place].id for place in first.chosen] == [shuffled[place].id for place in second.chosen]


@given(cases(7))
def test_nothing_beats_the_optimum_and_the_best_bundle_is_reached(case: Case) -> None:
    value, _ = case.chosen()
    best, members = case.optimum()
    assert value <= best
    assert (value > 0) == bool(members)
    assert value >= max((worth for worth, cost in _alone(case) if cost <= case.budget), default=0)


def test_few_random_cases_fall_below_half_of_the_optimum() -> None:
    generator = random.Random(12)
    drawn = [random_case(generator, 7) for _ in range(600)]
    ratios = [case.chosen()[0] / best for case in drawn if (best := case.optimum()[0])]
    assert len(ratios) > 500
    assert sum(ratio < 0.5 for ratio in ratios) <= 6
    assert sum(ratios) / len(ratios) > 0.95


def _closed(case: Case, place: int) -> frozenset[int]:
    places = {one.id: at for at, one in enumerate(case.candidates)}
    found, queue = {place}, [place]
    while queue:
        for base in case.candidates[queue.pop()].bases:
            if places[base] not in found:
                found.add(places[base])
                queue.append(places[base])
    return frozenset(found)


def _alone(case: Case) -> list[tuple[int, int]]:
    """Return value and cost of each bundle alone."""
    bundles = [_closed(case, place) for place in range(len(case.candidates))]
    return [(case.function.value(bundle), _cost(case, bundle)) for bundle in bundles]


def _cost(case: Case, members: frozenset[int]) -> int:
    return sum(case.costs[case.candidates[place].id] for place in members)


def _eager(case: Case) -> int:
    """Return the value of the plain greedy: every bundle is looked at in every step."""
    alone = [(-value, -case.candidates[place].score, place) for place, (value, cost) in enumerate(_alone(case))
             if cost <= case.budget]  # fmt: skip
    value = _eager_from(case, frozenset())
    if alone and -min(alone)[0] > value:
        return _eager_from(case, _closed(case, min(alone)[2]))
    return value


def _eager_from(case: Case, chosen: frozenset[int]) -> int:
    value = case.function.value
    while True:
        offers = []
        for place, one in enumerate(case.candidates):
            missing = _closed(case, place) - chosen
            cost = _cost(case, missing)
            if place not in chosen and _cost(case, chosen) + cost <= case.budget:
                gain = value(chosen | missing) - value(chosen)
                offers.append((-(gain * 1_000_000 // cost), -one.score, one.memory.sequence, missing))
        if not offers:
            return value(chosen)
        chosen |= min(offers)[3]
