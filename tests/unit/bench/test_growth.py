"""The exponent of planted costs is found again, and what cannot be fitted is refused or left out."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.errors import InvalidInput
from marskg_bench.common.growth import LAWS, Growth, fit

SIZES = (1_000, 10_000, 100_000, 300_000)


@pytest.mark.parametrize(("law", "exponent"), [("1", 0.0), ("log n", 0.11), ("n", 1.0), ("n log n", 1.11), ("n²", 2.0)])
@pytest.mark.parametrize("constant", [1e-4, 3.0, 70.0])
def test_a_planted_law_is_found_whatever_its_constant(law: str, exponent: float, constant: float) -> None:
    found = fit(SIZES, [constant * LAWS[law](n) for n in SIZES])
    assert found.law == law
    assert found.exponent == pytest.approx(exponent, abs=0.01)


def test_noise_of_a_tenth_moves_the_exponent_by_little() -> None:
    noise = (1.1, 0.9, 1.1, 0.9)
    found = fit(SIZES, [n * factor for n, factor in zip(SIZES, noise, strict=True)])
    assert found.exponent == pytest.approx(1.0, abs=0.05)
    assert found.law in {"n", "n log n"}


def test_a_fixed_cost_hides_growth_from_the_exponent_but_less_from_that_of_the_last_sizes() -> None:
    found = fit(SIZES, [100 + n / 1000 for n in SIZES])
    assert found.exponent is not None
    assert found.last is not None
    assert found.exponent < 0.3 < found.last


def test_the_order_of_the_sizes_does_not_matter() -> None:
    costs = {n: n * log(n) for n in SIZES}
    assert fit(SIZES[::-1], [costs[n] for n in SIZES[::-1]]) == fit(SIZES, [costs[n] for n in SIZES])


def test_one_size_has_no_growth_and_two_have_no_law() -> None:
    assert fit([1000], [3.0]) == Growth() == fit([], [])
    found = fit([1000, 10_000], [1.0, 100.0])
    assert found.law is None
    assert found.exponent == pytest.approx(2.0)
    assert Growth().to_document() == {"exponent": None, "last_exponent": None, "law": None}


@pytest.mark.parametrize(
    ("sizes", "costs"), [((10, 10), (1.0, 2.0)), ((10,), (1.0, 2.0)), ((1, 10), (1.0, 2.0)), ((10, 20), (0.0, 1.0))]
)
def test_what_has_no_logarithm_or_no_pair_is_refused(sizes: tuple[int, ...], costs: tuple[float, ...]) -> None:
    with pytest.raises(InvalidInput, match=r"growth|sizes"):
        fit(sizes, costs)


@given(
    exponent=st.floats(-1, 3),
    constant=st.floats(1e-3, 1e3),
    sizes=st.lists(st.integers(2, 10**6), min_size=2, unique=True),
)
def test_every_power_is_found(exponent: float, constant: float, sizes: list[int]) -> None:
    found = fit(sizes, [constant * n**exponent for n in sizes])
    assert found.exponent == pytest.approx(exponent, abs=1e-3)
    assert found.last == pytest.approx(exponent, abs=1e-3)
