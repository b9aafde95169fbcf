"""The score stays in its range and keeps the order, for all rules that are accepted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from marskg.config import LearningSettings
from marskg.learning.rules.score import Outcome, after_use, decayed

SCORES = st.integers(0, 100)
IDLE = st.integers(0, 10**12)


@st.composite
def rules(draw: st.DrawFn) -> LearningSettings:
    used, unused = draw(st.integers(1, 33)), draw(st.integers(1, 33))
    return LearningSettings(
        used_step=used,
        unused_step=unused,
        bend=draw(st.integers(3 * max(used, unused), 100)),
        contradicted_percent=draw(st.integers(1, 100)),
        idle_grace=draw(st.integers(0, 10**11)),
        half_life=draw(st.integers(1, 10**11)),
    )


@given(SCORES, SCORES, st.sampled_from(Outcome), rules())
def test_outcomes_keep_range_and_order(one: int, other: int, outcome: Outcome, rule: LearningSettings) -> None:
    low, high = sorted((one, other))
    assert 0 <= after_use(low, outcome, rule) <= after_use(high, outcome, rule) <= 100


@given(SCORES, rules())
def test_use_raises_and_neglect_lowers_until_the_end(score: int, rule: LearningSettings) -> None:
    assert after_use(score, Outcome.USED, rule) > score or score == 100
    assert after_use(score, Outcome.UNUSED, rule) < score or score == 0
    assert after_use(score, Outcome.CONTRADICTED, rule) <= score


@given(SCORES, rules())
def test_steps_never_grow_towards_an_end(score: int, rule: LearningSettings) -> None:
    if 0 < score < 100:
        assert after_use(score, Outcome.USED, rule) - score <= after_use(score - 1, Outcome.USED, rule) - score + 1
        assert score - after_use(score, Outcome.UNUSED, rule) <= score + 1 - after_use(score + 1, Outcome.UNUSED, rule)


@given(SCORES, SCORES, IDLE, IDLE, rules())
def test_decay_falls_with_time_and_keeps_the_order(
    one: int, other: int, idle: int, longer: int, rule: LearningSettings
) -> None:
    low, high = sorted((one, other))
    assert 0 <= decayed(low, idle, rule) <= decayed(high, idle, rule) <= high
    assert decayed(high, idle + longer, rule) <= decayed(high, idle, rule)
