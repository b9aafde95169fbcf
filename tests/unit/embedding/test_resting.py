"""A model that failed is left alone for a while, and asked again afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from marskg.embedding.resting import REST_MS, RestingModel
from marskg.errors import EmbeddingUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence


class Fallible:
    """A model that answers unless it is told not to, and counts how often it is asked."""

    name = "fallible"
    dimension = 2

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
    resting = RestingModel(model, lambda: now[0])
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
    now[0] = 2 * REST_MS
    assert resting.embed(["a"]).shape == (1, 2)
    assert resting.embed(["a", "b"]).shape == (2, 2)
    assert model.asked == 4


def test_time_is_asked_only_around_failures() -> None:
    def never() -> int:
        raise AssertionError

    assert RestingModel(Fallible(), never).embed(["a"]).shape == (1, 2)


def test_a_clock_that_went_back_does_not_prolong_the_rest() -> None:
    now = [10 * REST_MS]
    model = Fallible()
    resting = RestingModel(model, lambda: now[0])
    model.works = False
    with pytest.raises(EmbeddingUnavailable):
        resting.embed(["a"])
    now[0] = 0
    model.works = True
    assert resting.embed(["a"]).shape == (1, 2)
