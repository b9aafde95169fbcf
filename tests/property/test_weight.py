"""Weights add up: what a budget sums is what the joined text would weigh."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from marskg.weight import TokenCounter

COUNTER = TokenCounter()
TEXT = st.text()
#: Mostly plain words, with now and then what is not: marks, controls, special tokens, other scripts.
WORDS = st.lists(
    st.sampled_from(
        ["water", "don't", "3.14", "[PAD]", "[", "##ing", "\x00", "\x1c", "é", "水", "x" * 101, "A-b", "\t"]
    )
    | st.text(st.characters(max_codepoint=127), max_size=8)
)


@given(TEXT, TEXT)
def test_lines_weigh_as_much_together_as_apart(first: str, second: str) -> None:
    assert COUNTER.count(f"{first}\n{second}") == COUNTER.count(first) + COUNTER.count(second)


@given(st.lists(TEXT, max_size=5))
def test_a_batch_counts_as_its_texts_do_one_by_one(texts: list[str]) -> None:
    assert COUNTER.count_many(texts) == [COUNTER.count(text) for text in texts]


@given(WORDS, st.sampled_from(["", " ", "\n"]))
def test_a_text_weighs_what_the_tokenizer_makes_of_it(words: list[str], between: str) -> None:
    text = between.join(words)
    assert COUNTER.count(text) == len(COUNTER._tokenizer.encode(text, add_special_tokens=False))


@given(TEXT)
def test_case_and_outer_space_weigh_nothing(text: str) -> None:
    assert COUNTER.count(f"  {text}\t\n") == COUNTER.count(text)
