"""The arithmetic of a context window."""

from __future__ import annotations

import pytest

from marskg.errors import InvalidInput
from marskg.retrieval.assembly.context_window import ContextWindow, FactorCounter
from marskg.weight import TokenCounter


def test_memory_gets_what_the_rest_leaves() -> None:
    # MemoryArchitect II.E: 4,096 tokens, 500 for prompt and query, some headroom, at most 3,000 for memory.
    assert ContextWindow(4_096, system=400, query=100, answer=500, headroom=96).memory_budget == 3_000
    assert ContextWindow(100, 40, 10, 50).memory_budget == 0


def test_texts_are_counted() -> None:
    window = ContextWindow.of_texts(100, system="You help Ann.", query="Hi!", answer=20, counter=TokenCounter())
    assert (window.system, window.query, window.memory_budget) == (4, 2, 74)


def test_a_factor_makes_room_for_another_tokenizer() -> None:
    counter = FactorCounter(TokenCounter(), 1.3)
    assert counter.count("one two three") == 4
    assert counter.count("") == 0
    assert ContextWindow.of_texts(10, system="one two three", query="", answer=0, counter=counter).memory_budget == 6


def test_a_window_that_is_too_small_is_refused_with_its_numbers() -> None:
    wanted = r"system 60 \+ query 30 \+ answer 20 \+ headroom 0 = 110 tokens do not fit into a window of 100"
    with pytest.raises(InvalidInput, match=wanted):
        ContextWindow(100, 60, 30, 20)


@pytest.mark.parametrize("number", [-1, True, 1.5, 1 << 50])
def test_what_is_no_number_of_tokens_is_refused(number: int) -> None:
    with pytest.raises(InvalidInput, match="headroom is"):
        ContextWindow(100, 1, 1, 1, number)


@pytest.mark.parametrize("factor", [0, -1.0, float("nan"), 101, True])
def test_a_factor_out_of_range_is_refused(factor: float) -> None:
    with pytest.raises(InvalidInput, match="between two tokenizers"):
        FactorCounter(TokenCounter(), factor)
