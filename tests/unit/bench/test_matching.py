"""What counts as saying a value, and what does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg_bench.fama.matching import says


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I love JAZZ, really.", "jazz"),
        ("Lately I am drawn to savannas.", "savanna"),
        ("Grace\u00a0Kelly – elegant", "Grace Kelly"),
        ("ﬁlm noir is great", "film noir"),
        ("Add 'Best friend's birthday' please", "Best friend\u2019s birthday"),
        ("We aim to publish two research papers in journals.", "To publish at least two papers in research journals"),
        ("Budget: $1,100,000", 1_100_000),
        ("a budget of 1.1 million dollars", 1_100_000),
        ("about $1.1M in all", 1_100_000),
        ("800k is enough", 800_000),
        ("it was $8.50 at noon", 8.5),
        ("I walked 14,157 steps.", 14157),
        ("a lunch budget of $70.00", 70),
    ],
)
def test_says(text: str, value: str | float) -> None:
    assert says(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I love jazzercise.", "jazz"),
        ("Grace was late", "Grace Kelly"),
        ("a chamber of music rooms in the opera", "chamber orchestra"),
        ("I walked 14,157 steps.", 157),
        ("it was $18.50", 8.5),
        ("it was $8.55", 8.5),
        ("room 70B", 70),
        ("version 7.0.1", 7),
        ("1.1 million", 1.1),
        ("", "jazz"),
        ("anything", "…"),
    ],
)
def test_does_not_say(text: str, value: str | float) -> None:
    assert not says(text, value)


def test_coverage_is_seven_of_ten_stems() -> None:
    words = ["amber", "birch", "cedar", "dahlia", "elder", "fern", "grape", "hazel", "iris", "juniper"]
    assert says(" ".join(words[6::-1]), " ".join(words))
    assert not says(" ".join(words[5::-1]), " ".join(words))


@given(st.text(), st.integers(0, 10**9))
def test_a_text_says_itself_and_a_number_each_of_its_forms(around: str, number: int) -> None:
    said = "".join(letter for letter in around if letter.isalpha())
    assert not said or says(f"« {said}! »", said)
    for form in (f"{number}", f"{number:,}", f"${number:,}.00"):
        assert says(f"it is {form} in all", number)
