"""What a query asks for: topics by name or by its neighbours, and whose words."""

from __future__ import annotations

import pytest

from marskg.ontology.vocabulary import SourceType
from marskg.retrieval.query.intent import Intent, infer


def test_a_topic_that_is_named_is_asked_for() -> None:
    assert infer("my travel plans for work", ["travel-plans", "work", "health"], []) == Intent(("travel-plans", "work"))


def test_a_topic_needs_all_of_its_words() -> None:
    assert infer("my travel", ["travel_plans"], []).tags == ()


def test_the_nearest_memories_vote_where_no_topic_is_named() -> None:
    nearest = [(0.6, ["health"]), (0.5, ["health", "work"]), (0.4, [])]
    assert infer("how do I feel", ["health", "work"], nearest).tags == ("health",)


def test_a_topic_that_is_named_needs_no_votes() -> None:
    assert infer("work", ["health", "work"], [(0.9, ["health"])]).tags == ("work",)


@pytest.mark.parametrize("nearest", [[], [(0.34, ["health"])], [(-1.0, ["health"])]])
def test_what_is_far_away_does_not_vote(nearest: list[tuple[float, list[str]]]) -> None:
    assert infer("how do I feel", ["health"], nearest).tags == ()


@pytest.mark.parametrize(
    ("query", "sources"),
    [
        ("What did I tell you about Ann?", (SourceType.CHAT_USER,)),
        ("I told you my address", (SourceType.CHAT_USER,)),
        ("what have YOU ever suggested", (SourceType.CHAT_ASSISTANT,)),
        ("did I say what you told me?", (SourceType.CHAT_USER, SourceType.CHAT_ASSISTANT)),
        ("where does Ann live", ()),
        ("did in the saying", ()),
    ],
)
def test_whose_words_are_asked_for(query: str, sources: tuple[SourceType, ...]) -> None:
    assert infer(query, [], []).sources == sources
