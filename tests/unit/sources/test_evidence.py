"""Which turns a fact derives from."""

from __future__ import annotations

import pytest

from marskg.sources.evidence import currency, supporting

TEXTS = (
    "Please set the budget to $1,200,000.",
    "We will publish two papers in well known journals.",
    "An open-source repository for the models, and a second budget of 120 for coffee.",
)


@pytest.mark.parametrize(
    ("value", "turns"),
    [
        ("1200000", (0,)),  # groups of digits are joined
        ("120", (2,)),  # and are no prefix of another number
        ("budget", (0, 2)),
        ("OPEN-SOURCE repository", (2,)),
        ("Publish at least two research papers in peer-reviewed journals", (1,)),  # most of its words
        ("Something else altogether", (0, 1, 2)),  # said somewhere, not known where
    ],
)
def test_turns_that_assert_a_value(value: str, turns: tuple[int, ...]) -> None:
    assert supporting(value, TEXTS) == turns


def test_a_literal_turn_excludes_one_that_only_shares_words() -> None:
    assert supporting("two papers", ("papers: two of them", "two papers")) == (1,)


def test_no_turns_give_no_evidence() -> None:
    assert supporting("anything", ()) == ()


@pytest.mark.parametrize(
    ("text", "amount", "code"),
    [
        ("It was $3.66.", 3.66, "USD"),
        ("€ 1,200,000, then", 1_200_000, "EUR"),
        ("£12 and $7", 7, "USD"),
        ("It was 3.66", 3.66, None),
        ("$4", 3.66, None),
        ("$1.2.3", 1.2, None),
        ("$,", 1, None),
    ],
)
def test_the_currency_of_an_amount(text: str, amount: float, code: str | None) -> None:
    assert currency(amount, (text,)) == code
