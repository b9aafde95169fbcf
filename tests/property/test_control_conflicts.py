"""Conflicts are deterministic, never of a statement with itself, and the prefilter loses none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from marskg.learning.rules.conflict_detection import UNIT, Statement, conflict, find_conflicts

WORDS = st.sampled_from(
    [
        "I",
        "we",
        "Ann",
        "like",
        "dislike",
        "love",
        "no",
        "not",
        "never",
        "used",
        "to",
        "no",
        "longer",
        "but",
        "tea",
        "jazz",
        "room",
        "is",
        "are",
        "3",
        "4",
        "PM",
        "$5",
        "twice",
        "June",
        "5",
        "budget:",
        "moved",
        "changed",
        "from",
        "to",
        "instead",
        "of",
        "open",
        "closed",
        "my",
        "name",
        "birthday",
        "Paris,",
        "Rome.",
        "(genre)",
        "ich",
        "trinke",
        "nicht mehr",
        "keinen",
        "ya no",
        "vivo en",
        "a las 9",
        "我不",
        "喝茶",
        "下午3点",
    ]
)
TEXTS = st.one_of(st.lists(WORDS, max_size=12).map(" ".join), st.text(max_size=60))


@given(TEXTS)
def test_a_statement_does_not_conflict_with_itself(text: str) -> None:
    assert conflict(Statement(text), Statement(text)) is None


@given(TEXTS, st.lists(TEXTS, max_size=6))
def test_the_prefilter_loses_no_conflict(new: str, olds: list[str]) -> None:
    statements = [Statement(text, sequence=place) for place, text in enumerate(olds)]
    direct = {old.sequence for old in statements if conflict(Statement(new), old) is not None}
    found = find_conflicts(Statement(new), statements)
    assert {old.sequence for old, _ in found} == direct
    assert [one.confidence for _, one in found] == sorted((one.confidence for _, one in found), reverse=True)
    assert all(0 < one.confidence <= UNIT for _, one in found)
