"""Whether a rewritten line says what its sources say: what a model may turn round is told, plain shortening passes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.models.consistency import consistent, nearest

SOURCES = (
    "On Monday Ana watered the 12 tomatoes in the garden behind the house.",
    "Ana does not eat meat, but she likes fish from the market.",
    "Carl used to live in Porto and moved to Lisbon on 3 May 2026.",
    "Maybe Rui will buy a boat for 4,500 euros after the summer.",
    "Rui paid Ana 30 euros for the bicycle.",
    "She loves the theatre; the opera is boring.",
    "The shop is open every morning.",
)
KEPT = [
    "On Monday Ana watered the 12 tomatoes.",
    "Ana watered the tomatoes on Monday.",
    "Ana does not eat meat.",
    "Ana avoids meat.",
    "She likes fish from the market.",
    "Carl used to live in Porto.",
    "Maybe Rui will buy a boat.",
    "Rui paid Ana 30 euros.",
    "She enjoys the theatre.",
    "The opera is boring.",
    "The shop is open every morning.",
    "Ana watered the tomatoes and Rui paid Ana 30 euros.",
]
TURNED = {
    "a denial dropped": "Ana eats meat.",
    "a denial added": "Ana does not like fish from the market.",
    "a denial inside a word": "The shop isn't open every morning.",
    "an opposite": "She hates the theatre.",
    "the opposite of a dislike": "The opera is amazing.",
    "another number": "Ana watered the 13 tomatoes.",
    "a number of another sentence": "Ana watered the 30 tomatoes.",
    "a number in words": "Ana watered twelve tomatoes.",
    "another date": "Carl moved to Lisbon on 4 May 2026.",
    "another day": "On Tuesday Ana watered the tomatoes.",
    "another name": "Rui watered the tomatoes.",
    "who did what to whom": "Ana paid Rui 30 euros.",
    "what was as what is": "Carl lives in Porto.",
    "what may be as what is": "Rui will buy a boat.",
    "before for after": "Maybe Rui will buy a boat before the summer.",
    "closed for open": "The shop is closed every morning.",
    "nothing that anybody said": "The moon rose over quiet hills.",
}


@pytest.mark.parametrize("line", KEPT)
def test_a_shorter_line_that_says_the_same_passes(line: str) -> None:
    assert consistent(line, SOURCES)


@pytest.mark.parametrize("case", TURNED)
def test_a_line_that_turns_its_source_round_is_told(case: str) -> None:
    assert not consistent(TURNED[case], SOURCES)


@pytest.mark.parametrize("source", SOURCES)
def test_every_sentence_is_consistent_with_itself(source: str) -> None:
    assert consistent(source, [source])
    assert SOURCES[nearest(source, SOURCES)] == source


@given(st.text(max_size=80), st.lists(st.text(max_size=80), min_size=1, max_size=3))
def test_any_text_has_an_answer(line: str, sources: list[str]) -> None:
    assert consistent(line, sources) in {True, False}


@given(st.sampled_from(SOURCES), st.integers(0, 9_999))
def test_a_number_that_is_not_there_is_never_accepted(source: str, number: int) -> None:
    if str(number) not in source.replace(",", ""):
        assert not consistent(f"{source.rstrip('.')} {number}.", [source])
