"""The keys of the orders, for any memory: strings sort as the orders do, and ranges bound the scores in them."""

from __future__ import annotations

from typing import Any, TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from marskg.clock import DAY_MS, MAX_MS
from marskg.config import Scoring
from marskg.ontology.vocabulary import Kind
from marskg.store.rows.order_keys import (
    DECAY_KEY,
    FIFO_KEY,
    FIRST_POINT,
    KEY_NAMES,
    LAST_POINT,
    LRU_KEY,
    RANKS,
    STEPS,
    Access,
    DecayScale,
    decay_bound,
    decay_key,
    decay_point,
    deinterleave,
    density,
    interleave,
    order_keys,
)

Fields: TypeAlias = dict[str, Any]

SCORINGS = st.builds(
    Scoring,
    alpha=st.sampled_from([0.0, 0.4, 1000.0]),
    beta=st.sampled_from([0.0, 1e-3, 0.4, 1000.0]),
    gamma=st.sampled_from([0.0, 0.2]),
    lambda_age=st.sampled_from([0.0, 0.023, 1.0, 100.0]),
).filter(lambda scoring: scoring.alpha or scoring.beta or scoring.gamma)
X = st.integers(0, (1 << 26) - 1)
Y = st.integers(0, (1 << 49) - 1)
MEMORIES = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(list(Kind)),
        "weight": st.integers(1, 1 << 30),
        "created": st.integers(0, MAX_MS),
        "last_access": st.integers(0, MAX_MS),
        "access_count": st.integers(0, 1 << 40),
        "sequence": st.integers(1, 1 << 62),
        "rank": st.sampled_from(RANKS),
        "random_position": st.integers(0, 1 << 62),
    }
)


@given(X, Y)
def test_coordinates_come_back_from_their_place_on_the_curve(x: int, y: int) -> None:
    assert deinterleave(interleave(x, y)) == (x, y)


@given(SCORINGS, MEMORIES, MEMORIES)
def test_keys_sort_as_their_orders_and_have_one_width(scoring: Scoring, one: Fields, other: Fields) -> None:
    first = order_keys(scoring, tenant="t", **one)
    second = order_keys(scoring, tenant="t", **other)
    for name, field in ((FIFO_KEY, "created"), (LRU_KEY, "last_access"), ("randomKey", "random_position")):
        places = [(memory["rank"], memory[field], memory["sequence"]) for memory in (one, other)]
        assert (first[name] < second[name]) == (places[0] < places[1])
    for name in KEY_NAMES:
        assert len(first[name]) == len(second[name])
        assert "t|" <= first[name] < "t}"


@given(SCORINGS, MEMORIES, st.integers(0, 3000 * DAY_MS))
def test_the_score_in_a_key_is_the_density_of_the_memory(scoring: Scoring, memory: Fields, later: int) -> None:
    key = order_keys(scoring, tenant="t", **memory)[DECAY_KEY]
    now = memory["last_access"] + later
    access = Access(memory["last_access"], memory["access_count"])
    rank, score, _, sequence = DecayScale(scoring, now).place(decay_point(key, "t"))
    exact = density(scoring, memory["kind"], memory["weight"], access, now)
    # A coordinate is a step of 2^-20 below the logarithm, so the score is at most a millionth below the density.
    assert exact * 1e9 * (1 - 2 / STEPS) - 2 <= score <= exact * 1e9 * (1 + 1e-9) + 2
    assert (rank, sequence) == (int(memory["rank"]), memory["sequence"])
    assert decay_key(decay_point(key, "t"), "t") == key


@given(SCORINGS, X, Y, X, Y, st.integers(0, MAX_MS))
def test_a_score_never_falls_as_a_coordinate_grows(scoring: Scoring, x: int, y: int, a: int, b: int, now: int) -> None:
    x, a = sorted((x, a))
    y, b = sorted((y, b))
    scale = DecayScale(scoring, now)
    assert scale.score(x, y) <= scale.score(a, b)


@given(SCORINGS, MEMORIES, st.integers(0, 145), st.data())
def test_ranges_cover_what_comes_after_and_start_at_their_lowest_place(
    scoring: Scoring,
    memory: Fields,
    size: int,
    data: st.DataObject,
) -> None:
    point = decay_point(order_keys(scoring, tenant="t", **memory)[DECAY_KEY], "t")
    high = min(((point >> size) + 1) << size, LAST_POINT)
    scale = DecayScale(scoring, memory["last_access"] + DAY_MS)
    ranges = list(scale.after(point, high))
    assert [first for _, first, _ in ranges] + [high] == [point + 1, *(end for *_, end in ranges)]
    assert len(ranges) <= 2 * 146
    for place, first, end in ranges:
        assert place == scale.place(first) <= scale.place(data.draw(st.integers(first, end - 1)))


@given(MEMORIES)
def test_bounds_are_points(memory: Fields) -> None:
    key = order_keys(Scoring(), tenant="t", **memory)[DECAY_KEY]
    point = decay_point(key, "t")
    assert decay_bound(key, "t") == point
    assert decay_bound(f"{key}0", "t") == point + 1
    assert (decay_bound("t|", "t"), decay_bound("t}", "t")) == (FIRST_POINT, LAST_POINT)
