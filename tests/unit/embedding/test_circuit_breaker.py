"""A model that failed is left alone for a while; one that hangs is waited for by one call."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from marskg.embedding.circuit_breaker import CircuitBreaker, Patience
from marskg.errors import EmbeddingUnavailable
from marskg.models.rest import LONGEST_REST_MS, REST_MS
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from collections.abc import Sequence


class Fallible:
    """A model that answers unless it is told not to, and counts how often it is asked."""

    name = "fallible"
    dimension = 2
    late = False

    def __init__(self) -> None:
        self.works = True
        self.asked = 0

    def embed(self, texts: Sequence[str]) -> Any:
        self.asked += 1
        if not self.works:
            message = "no answer; wait"
            raise EmbeddingUnavailable(message)
        return np.ones((len(texts), 2), dtype=np.float32)


def test_nobody_waits_for_a_model_that_has_just_failed() -> None:
    now = [0]
    model = Fallible()
    resting = CircuitBreaker(model, lambda: now[0])
    model.works = False
    for _ in range(3):
        with pytest.raises(EmbeddingUnavailable, match="no answer"):
            resting.embed(["a"])
    assert model.asked == 1
    now[0] = REST_MS
    with pytest.raises(EmbeddingUnavailable):
        resting.embed(["a"])
    assert model.asked == 2
    model.works = True
    now[0] = 3 * REST_MS
    assert resting.embed(["a"]).shape == (1, 2)
    assert resting.embed(["a", "b"]).shape == (2, 2)
    assert model.asked == 4


def test_time_is_asked_only_around_failures() -> None:
    def never() -> int:
        raise AssertionError

    assert CircuitBreaker(Fallible(), never).embed(["a"]).shape == (1, 2)


def test_a_clock_that_went_back_does_not_prolong_the_rest() -> None:
    now = [10 * REST_MS]
    model = Fallible()
    resting = CircuitBreaker(model, lambda: now[0])
    model.works = False
    with pytest.raises(EmbeddingUnavailable):
        resting.embed(["a"])
    now[0] = 0
    model.works = True
    assert resting.embed(["a"]).shape == (1, 2)


def test_rests_grow_until_an_answer_and_begin_anew_after_it() -> None:
    now = [0]
    model = Fallible()
    resting = CircuitBreaker(model, lambda: now[0])

    def fails() -> int:
        before = model.asked
        with pytest.raises(EmbeddingUnavailable):
            resting.embed(["a"])
        return model.asked - before

    model.works = False
    for rest in (30_000, 60_000, 120_000, 240_000, 480_000, LONGEST_REST_MS, LONGEST_REST_MS):
        assert fails() == 1
        now[0] += rest - 1
        assert fails() == 0
        now[0] += 1
    model.works = True
    resting.embed(["a"])
    model.works = False
    assert fails() == 1
    now[0] += REST_MS
    assert fails() == 1


class Hanging(Fallible):
    """A model whose answers to the text "hang" do not come before they are let go."""

    def __init__(self) -> None:
        super().__init__()
        self.entered, self.released = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str]) -> Any:
        found = super().embed(texts)
        if "hang" in texts:
            self.entered.set()
            assert self.released.wait(HANGS_S)
        return found


def test_one_call_waits_for_a_server_that_hangs_and_the_others_go_on() -> None:
    model = Hanging()
    resting = CircuitBreaker(model, lambda: 0, Patience(seconds=0.05))
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(resting.embed, ["hang"])
        assert model.entered.wait(HANGS_S)
        for other in [pool.submit(resting.embed, ["a"]) for _ in range(2)]:
            with pytest.raises(EmbeddingUnavailable, match="fallible has not answered another call"):
                other.result(HANGS_S)
        assert model.asked == 1
        # From now on nobody waits at all: a patience without end does not matter.
        resting._patience = Patience(seconds=3_600)
        with pytest.raises(EmbeddingUnavailable):
            resting.embed(["a"])
        model.released.set()
        assert first.result(HANGS_S).shape == (1, 2)
    assert resting.embed(["a"]).shape == (1, 2)


def test_a_call_that_is_answered_in_time_lets_the_next_one_ask() -> None:
    model = Hanging()
    resting = CircuitBreaker(model, lambda: 0, Patience(seconds=60))
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(resting.embed, ["hang"])
        assert model.entered.wait(HANGS_S)
        second = pool.submit(resting.embed, ["a", "b"])
        model.released.set()
        assert (first.result(HANGS_S).shape, second.result(60).shape) == ((1, 2), (2, 2))


def test_a_model_in_the_process_is_busy_and_does_not_hang() -> None:
    model = Hanging()
    resting = CircuitBreaker(model, lambda: 0)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(resting.embed, ["hang"])
        assert model.entered.wait(HANGS_S)
        assert resting.embed(["a"]).shape == (1, 2)
        model.released.set()
        first.result(HANGS_S)


def test_a_long_list_is_asked_for_in_pieces_and_comes_back_in_order() -> None:
    class Lengths(Fallible):
        def embed(self, texts: Sequence[str]) -> Any:
            self.asked += 1
            return np.array([[len(text), 1] for text in texts], dtype=np.float32).reshape(-1, 2)

    model = Lengths()
    resting = CircuitBreaker(model, lambda: 0, Patience(texts=2))
    found = resting.embed(["a" * length for length in range(5)])
    assert (found[:, 0].tolist(), model.asked) == ([0, 1, 2, 3, 4], 3)
    assert resting.embed([]).shape == (0, 2)
