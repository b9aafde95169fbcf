"""Numbers at the door: whatever their size, they are checked and named, and never a crash."""

from __future__ import annotations

import math

import pytest

from marskg.errors import InvalidMemory
from marskg.store.graph.validation import check_integer, check_number


@pytest.mark.parametrize(
    "value", [10**400, -(10**400), 10**5_000, math.inf, -math.inf, math.nan, 1.000001, -0.1], ids=lambda _: "number"
)
def test_a_number_outside_its_range_is_refused_whatever_its_size(value: float) -> None:
    with pytest.raises(InvalidMemory, match=r"ceiling (is|must be)"):
        check_number("ceiling", value, 0, 1)


@pytest.mark.parametrize("value", [10**400, -(10**5_000), -1], ids=lambda _: "number")
def test_an_integer_outside_its_range_is_refused_whatever_its_size(value: int) -> None:
    with pytest.raises(InvalidMemory, match="budget is"):
        check_integer("budget", value, 0)


def test_a_number_without_bounds_that_no_float_holds_is_refused() -> None:
    with pytest.raises(InvalidMemory, match="an integer of 1,329 bits"):
        check_number("weight", 10**400)
