"""What must hold of usage, wishes, pruning and expiry whatever comes in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from marskg.config import LearningSettings
from marskg.language.en.wish_phrases import parse_wishes
from marskg.language.wish_kinds import Wish, WishKind
from marskg.learning.rules.fading import extended_expiry
from marskg.learning.rules.score import Outcome
from marskg.learning.rules.usage_detection import find_usage
from marskg.learning.rules.wish_effects import effect_on, ranked, started

WORDS = st.sampled_from(["Ann", "tea", "likes", "not", "the", "3", "garden", "is", "Paris", "6-8", "hours."])
TEXTS = st.one_of(st.lists(WORDS, max_size=10).map(" ".join), st.text(max_size=80))
TIMES = st.integers(0, 10**13)


@given(TEXTS, st.lists(TEXTS, max_size=4), TEXTS)
def test_every_memory_gets_one_verdict_with_numbers_in_range(answer: str, shown: list[str], question: str) -> None:
    found = find_usage(answer, [(str(place), text) for place, text in enumerate(shown)], question)
    assert [one.id for one in found] == [str(place) for place in range(len(shown))]
    for one in found:
        assert 0 <= one.overlap <= 1_000_000
        assert 0 <= one.conflict <= 1_000_000
        assert (one.sentence is None) == (one.outcome is Outcome.UNUSED)


@given(st.lists(TEXTS, min_size=1, max_size=4), TEXTS)
def test_repeating_the_question_never_uses_a_memory(shown: list[str], question: str) -> None:
    found = find_usage(question, [(str(place), text) for place, text in enumerate(shown)], question)
    assert all(one.outcome is not Outcome.USED for one in found)


@given(TEXTS)
def test_any_utterance_can_be_read(utterance: str) -> None:
    assert all(wish.kind in WishKind for wish in parse_wishes(utterance))


@given(
    st.lists(st.builds(Wish, st.sampled_from(WishKind), TEXTS), max_size=4), TEXTS, st.integers(0, 100), st.integers(0)
)
def test_a_wish_is_bounded(wishes: list[Wish], content: str, score: int, rank: int) -> None:
    effect = effect_on(wishes, content)
    assert 0 <= started(score, effect) <= 100
    assert 0 <= ranked(rank, effect) <= 2 * rank


@given(st.none() | TIMES, st.integers(0, 100), st.none() | TIMES, TIMES, st.none() | TIMES, st.integers(0, 1000))
def test_an_extension_never_passes_the_horizon_and_never_shortens(
    expires: int | None, score: int, life: int | None, now: int, horizon: int | None, percent: int
) -> None:
    rules = LearningSettings(extension_percent=percent)
    found = extended_expiry(expires, score, life, now, legal_horizon=horizon, rules=rules)
    if horizon is not None:
        assert found is not None
        assert found <= horizon
    if expires is None:
        assert found == horizon
    else:
        assert found is not None
        assert found >= (expires if horizon is None else min(expires, horizon))
