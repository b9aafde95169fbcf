"""What the set function prefers, and the two known ways in which greedy misses half of the optimum."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest

from marskg.errors import InvalidConfig, InvalidInput
from marskg.retrieval.similarity import UNIT_BITS, similarities
from marskg.retrieval.submodular import SetFunction, Weights, greedy
from tests.support.candidates import MODULAR, candidate, direction

if TYPE_CHECKING:
    from marskg.retrieval.candidate import Candidate


def _chosen(candidates: list[Candidate], budget: int, cost: int | dict[str, int] = 1) -> list[str]:
    costs = cost if isinstance(cost, dict) else {one.id: cost for one in candidates}
    function = SetFunction(candidates, weights=MODULAR)
    found = greedy(candidates, budget, lambda one: costs[one.id], function=function)
    return sorted(candidates[place].id for place in found.chosen)


def test_the_counterexample_to_theorem_a2_is_solved_by_bundles() -> None:
    # semantics 12: v depends on p; greedy over single memories takes q and r, 2 of 100.
    v, p = candidate(0, score=100_000_000, bases=("m1",)), candidate(1, score=0)
    q, r = candidate(2, score=1_000_000), candidate(3, score=1_000_000)
    assert _chosen([v, p, q, r], 2) == ["m0", "m1"]


def test_the_best_bundle_alone_beats_many_dense_ones() -> None:
    small, large = candidate(0, score=20_000), candidate(1, score=1_000_000)
    assert _chosen([small, large], 100, {"m0": 1, "m1": 100}) == ["m1"]


def test_the_start_from_the_best_bundle_is_filled_up() -> None:
    small, large, last = candidate(0, score=20_000), candidate(1, score=1_000_000), candidate(2, score=1_000)
    assert _chosen([small, large, last], 100, {"m0": 1, "m1": 99, "m2": 1}) == ["m0", "m1"]


def test_dependents_that_share_a_dear_base_are_found_by_starting_from_it() -> None:
    # Together the ten are worth 10 for 19 tokens; each alone looks like 1 for 10, and the others like 1 for 9.
    base = candidate(0, score=0)
    sharing = [candidate(number, score=1_000_000, bases=("m0",)) for number in range(1, 11)]
    others = [candidate(number, score=1_000_000) for number in (11, 12)]
    costs = {one.id: 1 for one in sharing} | {"m0": 9, "m11": 9, "m12": 9}
    assert len(_chosen([base, *sharing, *others], 19, costs)) == 11


def test_bases_that_are_shared_crosswise_are_where_half_fails() -> None:
    # Each pair of eight bases carries one memory: all 28 cost 108 tokens, but no single base is a good beginning, for
    # each further memory looks like 1 for 11 and a decoy like 1 for 9. Greedy ends with 12 of 28.
    pairs = list(itertools.combinations([f"m{number}" for number in range(8)], 2))
    bases = [candidate(number, score=0) for number in range(8)]
    sharing = [candidate(100 + number, score=1_000_000, bases=pair) for number, pair in enumerate(pairs)]
    decoys = [candidate(200 + number, score=1_000_000) for number in range(12)]
    costs = {one.id: 10 for one in bases} | {one.id: 1 for one in sharing} | {one.id: 9 for one in decoys}
    assert _chosen([*bases, *sharing, *decoys], 108, costs) == sorted(one.id for one in decoys)


def test_a_memory_whose_base_is_not_at_hand_is_left_out_and_named() -> None:
    alone, lame = candidate(0), candidate(1, score=900_000, bases=("m9",))
    found = greedy([alone, lame], 10, lambda _: 1)
    assert found.chosen == (0,)
    assert found.open == {1}


def test_a_base_that_is_shown_anyway_costs_nothing() -> None:
    found = greedy([candidate(1, bases=("m9",))], 1, lambda _: 1, given=frozenset({"m9"}))
    assert found.chosen == (0,)


def test_a_long_chain_of_bases_is_one_bundle() -> None:
    chain = [candidate(n, bases=(f"m{n + 1}",) if n < 299 else ()) for n in range(300)]
    assert len(greedy(chain, 300, lambda _: 1).chosen) == 300
    assert not greedy(chain[:-1], 300, lambda _: 1).chosen


def test_another_aspect_is_worth_more_than_more_of_the_same() -> None:
    east, north = direction(1, 0.01), direction(0, 1)
    alike = [candidate(n, score=700_000, vector=east) for n in range(3)]
    other = candidate(3, score=650_000, vector=north)
    found = greedy([*alike, other], 2, lambda _: 1)
    assert 3 in found.chosen


def test_query_terms_entities_goals_and_keys_count_once() -> None:
    plain = candidate(0, "nothing of it")
    rich = candidate(1, "tea at noon", key="k", entities=("e",), goals=("g",))
    again = candidate(2, "tea at noon", key="k", entities=("e",), goals=("g",))
    function = SetFunction([plain, rich, again], frozenset({"tea"}))
    extra = function.value([1]) - function.value([0])
    assert extra == 2_000_000 + 250_000 + 250_000 + 500_000
    assert function.value([1, 2]) - function.value([1]) == function.value([0])


def test_without_any_positive_score_the_room_is_filled_all_the_same() -> None:
    assert len(greedy([candidate(0, score=0), candidate(1, score=-5)], 2, lambda _: 1).chosen) == 2


def test_similarity_is_exact_whatever_the_order_of_addition() -> None:
    generator = np.random.default_rng(3)
    rows = generator.normal(size=(40, 384))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    some = [candidate(n, vector=row.astype(np.float32)) for n, row in enumerate(rows)]
    table = similarities(some)
    quantised = np.rint(rows.astype(np.float32) * np.float32(2048)).astype(np.int64)
    assert np.array_equal(table.astype(np.int64), np.maximum(quantised @ quantised.T, 0))
    assert np.allclose(table / 2**UNIT_BITS, np.maximum(rows @ rows.T, 0), atol=2e-3)


def test_vectors_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(InvalidInput, match="one flat shape"):
        similarities([candidate(0, vector=direction(1, 0)), candidate(1, vector=direction(1, 0, 0))])
    with pytest.raises(InvalidInput, match="unit length"):
        similarities([candidate(0, vector=np.array([2, 0], dtype=np.float32))])
    with pytest.raises(InvalidInput, match="unit length"):
        similarities([candidate(0, vector=np.array([np.nan, 0], dtype=np.float32))])


def test_a_text_without_known_words_resembles_nothing() -> None:
    table = similarities([candidate(0, vector=np.zeros(2, dtype=np.float32)), candidate(1), candidate(2)])
    assert not table.any()


@pytest.mark.parametrize("value", [-0.1, 101, float("nan"), True, "1"])
def test_a_weight_out_of_range_is_refused(value: float) -> None:
    with pytest.raises(InvalidConfig, match="assembly weight goal"):
        Weights(goal=value)


def test_a_negative_budget_and_a_repeated_id_are_refused() -> None:
    with pytest.raises(InvalidInput, match="at least 0 tokens"):
        greedy([], -1, lambda _: 1)
    with pytest.raises(InvalidInput, match="the same id"):
        greedy([candidate(0), candidate(0)], 1, lambda _: 1)
