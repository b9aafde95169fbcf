"""Weights add up: what a budget sums is what the joined text would weigh."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from marskg.weight import TokenCounter

COUNTER = TokenCounter()
TEXT = st.text()


@given(TEXT, TEXT)
def test_lines_weigh_as_much_together_as_apart(first: str, second: str) -> None:
    assert COUNTER.count(f"{first}\n{second}") == COUNTER.count(first) + COUNTER.count(second)


@given(st.lists(TEXT, max_size=5))
def test_a_batch_counts_as_its_texts_do_one_by_one(texts: list[str]) -> None:
    assert COUNTER.count_many(texts) == [COUNTER.count(text) for text in texts]


@given(TEXT)
def test_case_and_outer_space_weigh_nothing(text: str) -> None:
    assert COUNTER.count(f"  {text}\t\n") == COUNTER.count(text)
