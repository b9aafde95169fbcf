"""The score gives every number of MemoryArchitect's example."""

from __future__ import annotations

import pytest

from marskg.clock import DAY_MS
from marskg.config import Settings
from marskg.errors import InvalidInput
from marskg.learning.rules.score import Outcome, after_use, decayed
from marskg.ontology.vocabulary import Kind, SourceType
from marskg.store.rows.score_decay import score_at_birth

#: Every change of a score in III.B and II.D, with the words of the paper.
EXAMPLES = [
    ("a chunk might go from score 50 to 60 after one successful usage", 50, Outcome.USED, 60),
    ("We decrease its reflection score slightly (e.g., 50 down to 45)", 50, Outcome.UNUSED, 45),
    ("A's score 50 -> 60, B: 50 -> 60 (they were useful)", 50, Outcome.USED, 60),
    ("C: 50 -> maybe 45 (slight downgrade for being retrieved but unused)", 50, Outcome.UNUSED, 45),
    ("chunk B was used again. Its reflection score goes from 60 -> 70", 60, Outcome.USED, 70),
    ("chunk A1 ... might get a slight negative (30 -> 28)", 30, Outcome.UNUSED, 28),
    ("Chunk D was used ... raise D's score (50 -> 60)", 50, Outcome.USED, 60),
    ("Chunk B was referenced ... raise B's score (70 -> 75)", 70, Outcome.USED, 75),
    ("Chunk A was not used ... lower A a bit (60 -> 55)", 60, Outcome.UNUSED, 55),
]


@pytest.mark.parametrize(("quote", "before", "outcome", "after"), EXAMPLES)
def test_the_numbers_of_the_papers_example(quote: str, before: int, outcome: Outcome, after: int) -> None:
    assert after_use(before, outcome) == after, quote


def test_the_example_fails_with_a_linear_step() -> None:
    linear = {score: score + round((100 - score) / 6) for score in (60, 70)}
    assert linear[70] == 75
    assert linear[60] != 70


@pytest.mark.parametrize(
    ("kind", "source", "expected"),
    [
        (Kind.EPISODIC, SourceType.CHAT_USER, 30),
        (Kind.EPISODIC, SourceType.CHAT_ASSISTANT, 30),
        (Kind.EPISODIC, SourceType.DOC, 50),
        (Kind.SEMANTIC, SourceType.CHAT_USER, 50),
        (Kind.SEMANTIC, SourceType.DOC, 50),
    ],
)
def test_chunks_of_chat_start_lower(kind: Kind, source: SourceType, expected: int) -> None:
    assert score_at_birth(Settings(), kind, source) == expected


def test_two_contradictions_take_a_usual_memory_below_the_floor() -> None:
    once = after_use(50, Outcome.CONTRADICTED)
    assert (once, after_use(once, Outcome.CONTRADICTED)) == (25, 12)


def test_repeated_use_and_neglect_reach_the_ends() -> None:
    up = down = 50
    for _ in range(60):
        up, down = after_use(up, Outcome.USED), after_use(down, Outcome.UNUSED)
    assert (up, down) == (100, 0)


def test_a_week_changes_nothing_and_half_a_year_after_the_grace_halves() -> None:
    assert decayed(60, 7 * DAY_MS) == 60
    assert decayed(60, 30 * DAY_MS) == 60
    assert decayed(60, 210 * DAY_MS) == 30
    assert decayed(60, 10**15) == 0
    assert decayed(60, -DAY_MS) == 60


@pytest.mark.parametrize("score", [-1, 101])
def test_a_score_out_of_range_is_refused(score: int) -> None:
    with pytest.raises(InvalidInput, match="0 to 100"):
        after_use(score, Outcome.USED)
    with pytest.raises(InvalidInput, match="0 to 100"):
        decayed(score, 0)
