"""Importance by hand, the hysteresis of spare_margin, and a draw that is uniform whenever a memory arrived."""

from __future__ import annotations

import math
import random

import pytest
from scipy import stats

from marskg.clock import DAY_MS, SeededSource
from marskg.config import Scoring
from marskg.ontology.vocabulary import Kind
from marskg.store.rows.order_keys import (
    SUPERSEDED,
    Access,
    DecayScale,
    decay_key,
    decay_point,
    effective_access,
    exp_position,
    frequency,
    importance,
    key_range,
    micro,
    order_keys,
    random_position,
    recency,
)

NOW = 1_790_000_000_000
PLAIN = Scoring(alpha=0.5, beta=0.25, gamma=0.25, lambda_age=math.log(2), frequency_half=3.0)


def test_importance_is_the_weighted_sum_of_the_paper() -> None:
    # A day at λ = ln 2 halves recency; 9 accesses at half = 3 are 9/12.
    assert recency(PLAIN, NOW - DAY_MS, NOW) == pytest.approx(0.5)
    assert frequency(PLAIN, 9) == pytest.approx(0.75)
    value = importance(PLAIN, Kind.SEMANTIC, NOW - DAY_MS, 9, NOW)
    assert value == pytest.approx(0.5 * 0.8 + 0.25 * 0.5 + 0.25 * 0.75)


def test_an_access_in_the_future_counts_as_now() -> None:
    assert recency(PLAIN, NOW + DAY_MS, NOW) == 1.0


@pytest.mark.parametrize(("value", "whole"), [(0.0, 0), (0.1234564, 123456), (2.5e-6, 2), (-1.0, -1_000_000)])
def test_scores_are_integers_of_a_millionth(value: float, whole: int) -> None:
    assert micro(value) == whole


def test_without_recency_only_what_lasts_decides() -> None:
    scoring = Scoring(beta=0.0)
    now, later = DecayScale(scoring, NOW), DecayScale(scoring, NOW + DAY_MS)
    assert now.score(38 << 20, 12345) == later.score(38 << 20, 99999) > 0


def test_keys_are_read_back() -> None:
    keys = order_keys(
        PLAIN,
        tenant="a b",
        kind=Kind.TASK,
        weight=7,
        created=5,
        last_access=6,
        access_count=1,
        sequence=3,
        rank=SUPERSEDED,
        random_position=42,
    )
    assert random_position(keys["randomKey"]) == 42
    assert {key.removeprefix("a b")[1] for key in keys.values()} == {"0"}
    assert decay_key(decay_point(keys["decayKey"], "a b"), "a b") == keys["decayKey"]
    low, high = key_range("a b")
    assert all(low <= key < high for key in keys.values())
    assert not any(bound <= key < other for key in keys.values() for bound, other in [key_range("a"), key_range("b")])


# --- Hysteresis (MaRS section 5.3) -------------------------------------------------------------------------------


def test_a_memory_that_was_never_next_in_line_moves_with_each_access() -> None:
    assert effective_access(PLAIN, None, NOW, 1, NOW, Kind.TASK, 10) == (NOW, 1, None)


def test_a_small_gain_leaves_a_marked_memory_where_it_was() -> None:
    scoring = Scoring(spare_margin=0.5)
    marked = Access(NOW - 1000, 10)
    assert effective_access(scoring, marked, NOW, 11, NOW, Kind.TASK, 10) == (*marked, marked)


def test_a_gain_above_the_margin_spares_it() -> None:
    marked = Access(NOW - 90 * DAY_MS, 0)
    assert effective_access(Scoring(), marked, NOW, 1, NOW, Kind.EPISODIC, 10) == (NOW, 1, None)


def test_small_gains_add_up() -> None:
    scoring = Scoring(spare_margin=0.2)
    marked: Access | None = Access(NOW - DAY_MS, 0)
    reads = 0
    while marked is not None:
        reads += 1
        *_, marked = effective_access(scoring, marked, NOW, reads, NOW, Kind.SEMANTIC, 10)
    assert 1 < reads < 100


# --- Random-Drop -------------------------------------------------------------------------------------------------


def test_positions_follow_the_exponential() -> None:
    source = SeededSource(1)
    drawn = [exp_position(source, 0) / 1e9 for _ in range(5000)]
    assert stats.kstest(drawn, "expon").pvalue > 0.001
    assert exp_position(SeededSource(7), 10**15) == 10**15 + exp_position(SeededSource(7), 0)


def _evicted_ages(seed: int, rounds: int, *, watermark_moves: bool) -> list[int]:
    """Return at which place by age, of ten, the next memory stood when it went, one arriving for each that goes."""
    source, watermark = SeededSource(seed), 0
    alive = [(exp_position(source, 0), age) for age in range(10)]
    found = []
    for turn in range(rounds):
        gone = min(alive)
        found.append(sorted(age for _, age in alive).index(gone[1]))
        alive.remove(gone)
        watermark = gone[0] if watermark_moves else 0
        alive.append((exp_position(source, watermark), 10 + turn))
    return found


def test_old_and_new_are_equally_likely_to_go() -> None:
    ages = _evicted_ages(3, 5000, watermark_moves=True)
    counts = [ages.count(place) for place in range(10)]
    assert stats.chisquare(counts).pvalue > 0.001


def test_the_same_test_finds_a_draw_that_is_not_uniform() -> None:
    # Without the watermark the smallest keys are always new ones: the flaw that the watermark is there for.
    ages = _evicted_ages(3, 5000, watermark_moves=False)
    counts = [ages.count(place) for place in range(10)]
    assert stats.chisquare(counts).pvalue < 1e-9


def test_the_seed_of_a_test_is_not_what_makes_it_pass() -> None:
    chance = random.Random(5)
    values = []
    for _ in range(20):
        ages = _evicted_ages(chance.getrandbits(32), 1000, watermark_moves=True)
        values.append(stats.chisquare([ages.count(place) for place in range(10)]).pvalue)
    assert stats.kstest(values, "uniform").pvalue > 0.001
