"""Intervals by resampling: what they hold, and that differences are paired."""

from __future__ import annotations

from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg_bench.common.bootstrap import estimate

shares = st.lists(st.floats(0, 1), min_size=2, max_size=12)


@given(shares, st.integers(0, 1000))
def test_the_interval_lies_within_the_values_and_is_the_same_each_time(values: list[float], seed: int) -> None:
    found = estimate(values, seed)
    assert found == estimate(values, seed)
    assert found.mean == fmean(values)
    assert found.low is not None
    assert found.high is not None
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9


def test_it_is_as_wide_as_the_normal_one_for_many_even_values() -> None:
    values = [place / 99 for place in range(100)]
    low, high = estimate(values, 1)[1:]
    half = 1.96 * (sum((value - 0.5) ** 2 for value in values) / 100) ** 0.5 / 10
    assert low == pytest.approx(0.5 - half, abs=0.005)
    assert high == pytest.approx(0.5 + half, abs=0.005)


def test_one_value_has_no_interval() -> None:
    assert estimate([0.4], 1) == (0.4, None, None)


def test_a_constant_difference_has_an_interval_without_width_however_far_the_units_differ() -> None:
    one, other = [0.1, 0.9, 0.5, 0.3], [0.0, 0.8, 0.4, 0.2]
    low, high = estimate([a - b for a, b in zip(one, other, strict=True)], 7)[1:]
    assert low == pytest.approx(0.1)
    assert high == pytest.approx(0.1)
