"""A model that fails is left alone for a time, and asked again afterwards."""

from __future__ import annotations

from marskg.reflection.breaker import Breaker


def test_it_rests_after_so_many_failures_in_a_row_and_is_tried_once_afterwards() -> None:
    breaker = Breaker(limit=2, pause=100)
    breaker.told(1_000, failures=1, requests=1)
    assert not breaker.rests(1_000)
    breaker.told(1_010, failures=1, requests=1)
    assert breaker.rests(1_010)
    assert breaker.rests(1_109)
    assert not breaker.rests(1_110)
    breaker.told(1_110, failures=1, requests=1)
    assert breaker.rests(1_110), "one further failure is enough"
    assert not breaker.rests(900), "a clock that went back"


def test_an_answer_forgets_the_failures() -> None:
    breaker = Breaker(limit=2, pause=100)
    for _ in range(5):
        breaker.told(1_000, failures=1, requests=1)
        breaker.told(1_000, failures=0, requests=1)
    assert not breaker.rests(1_000)
    breaker.told(1_000, failures=1, requests=2)
    assert breaker.failures == 0
