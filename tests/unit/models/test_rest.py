"""A model that fails is left alone for a time, and asked again afterwards."""

from __future__ import annotations

from marskg.models.rest import Rest


def test_it_rests_after_so_many_failures_in_a_row_and_is_tried_once_afterwards() -> None:
    rest = Rest(first_ms=100, longest_ms=100, limit=2)
    rest.failed(1_000)
    assert not rest.rests(1_000)
    rest.failed(1_010)
    assert rest.rests(1_010)
    assert rest.rests(1_109)
    assert not rest.rests(1_110)
    rest.failed(1_110)
    assert rest.rests(1_110), "one further failure is enough"
    assert not rest.rests(900), "a clock that went back"


def test_an_answer_forgets_the_failures() -> None:
    rest = Rest(first_ms=100, longest_ms=100, limit=2)
    for _ in range(5):
        rest.failed(1_000)
        rest.answered()
    assert not rest.rests(1_000)
    assert rest.failures == 0


def test_a_limit_that_is_raised_meanwhile_does_not_shorten_the_rest() -> None:
    rest = Rest(first_ms=100, longest_ms=400)
    rest.failed(1_000, 3)
    assert rest.rests(1_399)
    rest.set_limits(9, 100, 400)
    assert rest.rests(1_099)
    assert not rest.rests(1_100)
