"""What each kind owes: the furthest above its share first, level by level, and never below its floor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.policies.builtin.one_kind import owed

NONE = (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("weights", "floors", "needed", "paid"),
    [
        ((100, 50, 0, 0), NONE, 30, (30, 0, 0, 0)),
        ((100, 50, 0, 0), NONE, 70, (60, 10, 0, 0)),
        ((100, 50, 0, 0), (90, 0, 0, 0), 30, (10, 20, 0, 0)),
        ((100, 50, 0, 0), (100, 50, 0, 0), 30, NONE),
        ((100, 50, 0, 0), NONE, 400, (100, 50, 0, 0)),
        ((0, 0, 0, 0), NONE, 5, NONE),
    ],
)
def test_the_furthest_above_its_share_pays_until_it_is_level_with_the_next(
    weights: tuple[int, ...], floors: tuple[int, ...], needed: int, paid: tuple[int, ...]
) -> None:
    found = owed(weights, (40, 40, 10, 10), floors, needed)
    assert all(wanted <= one <= wanted + 1 for one, wanted in zip(found, paid, strict=True)), found


KINDS = st.lists(st.integers(0, 10_000), min_size=4, max_size=4)


@given(KINDS, KINDS, KINDS, st.integers(1, 50_000))
def test_what_is_needed_is_paid_where_the_floors_allow_it(
    weights: list[int], shares: list[int], floors: list[int], needed: int
) -> None:
    paid = owed(weights, shares, floors, needed)
    able = [max(0, weight - floor) for weight, floor in zip(weights, floors, strict=True)]
    assert all(0 <= one <= most for one, most in zip(paid, able, strict=True))
    assert min(needed, sum(able)) <= sum(paid)
