"""Shares of the budget: they add up, keep their reserves, and move where the next tokens are worth most."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.config import Settings
from marskg.errors import InvalidConfig
from marskg.policies.core.shares import Partition, apportion, begin, fitted, tokens, updated

AMOUNTS = st.integers(0, 10_000)
FOUR = st.tuples(AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS)


@given(total=st.integers(0, 50_000), ratios=FOUR, floors=FOUR)
def test_parts_add_up_and_keep_their_floors_where_these_fit(
    total: int, ratios: tuple[int, ...], floors: tuple[int, ...]
) -> None:
    parts = apportion(total, ratios, floors)
    assert sum(parts) == total
    assert min(parts) >= 0
    if sum(floors) <= total:
        assert all(part >= floor for part, floor in zip(parts, floors, strict=True))


@given(total=st.integers(1, 50_000), ratios=FOUR)
def test_without_floors_each_part_is_within_a_token_of_its_proportion(total: int, ratios: tuple[int, ...]) -> None:
    if any(ratios):
        parts = apportion(total, ratios, (0, 0, 0, 0))
        exact = [total * ratio / sum(ratios) for ratio in ratios]
        assert all(abs(part - share) < 1 for part, share in zip(parts, exact, strict=True))


@given(
    budget=st.integers(1, 100_000),
    parts=st.tuples(*[st.floats(0, 1)] * 4),
    reserves=st.tuples(*[st.floats(0, 0.25)] * 4),
    weights=FOUR,
    worth=st.tuples(*[st.none() | st.integers(0, 10**9)] * 4),
    step=st.integers(0, 5_000),
    window=st.integers(1, 100),
)
def test_an_update_keeps_the_sum_the_reserves_and_the_step(
    budget: int,
    parts: tuple[float, ...],
    reserves: tuple[float, ...],
    weights: tuple[int, ...],
    worth: tuple[int | None, ...],
    step: int,
    window: int,
) -> None:
    before = begin(budget, parts, reserves)
    least = tokens(budget, reserves)
    after = updated(before, weights=weights, worth=worth, reserves=least, step=step, window=window)
    assert sum(after.shares) == budget
    assert all(share >= reserve for share, reserve in zip(after.shares, least, strict=True))
    assert all(abs(new - old) <= step for new, old in zip(after.shares, before.shares, strict=True))
    assert after == updated(before, weights=weights, worth=worth, reserves=least, step=step, window=window)
    # What is not in use may be lent, never what is.
    idle = [w * 8 < s * 7 for w, s in zip(weights, before.shares, strict=True)]
    for place in range(4):
        if idle[place]:
            assert after.shares[place] >= min(before.shares[place], weights[place])
    known = [place for place in range(4) if not idle[place] and after.prices[place] >= 0]
    if known:
        best = max(known, key=lambda place: after.prices[place])
        worst = min(known, key=lambda place: after.prices[place])
        assert after.shares[best] >= before.shares[best]
        if after.prices[worst] < after.prices[best]:
            assert after.shares[worst] <= before.shares[worst]


def moved(partition: Partition, worth: tuple[int, int, int, int], *, times: int = 1, **changes: Any) -> Partition:
    given_: dict[str, Any] = {"reserves": (50, 50, 50, 50), "step": 20, "window": 1} | changes
    for _ in range(times):
        partition = updated(partition, weights=partition.shares, worth=worth, **given_)
    return partition


def test_equal_worth_moves_nothing() -> None:
    even = Partition((250, 250, 250, 250), (-1, -1, -1, -1))
    assert moved(even, (700, 700, 700, 700), times=9).shares == even.shares


def test_tokens_move_to_where_they_are_worth_most_and_stop_at_the_reserve() -> None:
    even = Partition((250, 250, 250, 250), (-1, -1, -1, -1))
    once = moved(even, (100, 900, 500, 500))
    assert once.shares[0] < 250 < once.shares[1]
    assert once.shares[2] == once.shares[3] == 250
    long = moved(even, (100, 900, 500, 500), times=500)
    assert (min(long.shares), long.shares[0]) == (50, 50)
    assert max(long.shares) == long.shares[1]


def test_shares_settle_where_the_worth_is_even() -> None:
    """With worth that falls as a share grows, the update finds the shares at which it is the same for all."""
    partition = Partition((25_000, 25_000, 25_000, 25_000), (-1, -1, -1, -1))
    value = (1_000, 2_000, 3_000, 4_000)
    for _ in range(400):
        worth = tuple(value[place] * 100_000 // partition.shares[place] for place in range(4))
        partition = moved(partition, worth, window=4, step=2_000)  # type: ignore[arg-type]  # four of them
    assert partition.shares == pytest.approx((10_000, 20_000, 30_000, 40_000), rel=0.02)


def test_one_odd_trigger_hardly_moves_a_long_window() -> None:
    calm = moved(Partition((250, 250, 250, 250), (-1, -1, -1, -1)), (500, 500, 500, 500))
    assert (
        moved(calm, (500, 90_000, 500, 500), window=1).shares[1]
        > moved(calm, (500, 90_000, 500, 500), window=1_000).shares[1]
    )


def test_a_kind_that_does_not_fill_its_share_lends_what_it_does_not_use_and_no_more() -> None:
    partition = Partition((400, 400, 100, 100), (-1, -1, -1, -1))
    for _ in range(200):
        partition = updated(
            partition, weights=(partition.shares[0], 120, 100, 100), worth=(500, 900, 500, 500), reserves=(0, 0, 0, 0),
            step=20, window=1,
        )  # fmt: skip
    assert 120 <= partition.shares[1] < 400
    assert partition.shares[0] > 400


def test_another_budget_keeps_the_proportions_and_the_prices() -> None:
    partition = Partition((100, 200, 300, 400), (1, 2, 3, 4))
    assert fitted(partition, 2_000, (0, 0, 0, 0)) == Partition((200, 400, 600, 800), (1, 2, 3, 4))
    assert fitted(partition, 1_000, (0, 0, 0, 0)) is partition
    assert fitted(partition, 1_000, (300, 0, 0, 0)).shares[0] == 300


def test_a_partition_survives_its_json() -> None:
    partition = Partition((1, 2, 3, 4), (-1, 0, 5, 10**12))
    assert Partition.from_json(partition.to_json()) == partition


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"partitions.shares.task": 0.4}, r"partitions.shares add up to 1.2; .* set episodic \(0.4\), .* task \(0.4\)"),
        ({"tiered.top_triggers": 5.0}, "tiered.top_triggers is 5, below tiered.raise_triggers, 10"),
        ({"tiered.raise_misses": 0.6}, "tiered.top_misses is 0.5, below tiered.raise_misses, 0.6"),
        ({"partitions.reserves.task": 0.9}, "partitions.reserves add up to 1.1; they are parts of one budget"),
        ({f"partitions.shares.{kind}": 0 for kind in ("episodic", "semantic", "social", "task")}, "are all 0"),
        ({"partitions.mode": "maybe"}, "it must be off or fixed or dual"),
    ],
)
def test_shares_that_contradict_each_other_are_refused(values: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidConfig, match=said):
        Settings().with_values(values)
