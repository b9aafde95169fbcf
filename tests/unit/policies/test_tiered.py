"""The tiered controller: when it climbs, when it comes down, and when the top tier has to wait."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.clock import DAY_MS
from marskg.config import Settings, TieredSettings
from marskg.errors import InvalidConfig
from marskg.policies.controllers.context import Situation
from marskg.policies.controllers.tiered import Pressure, State, held_back, moved, parse_hours
from marskg.policies.registry import check_settings, load_policy
from marskg.store.rows.read_statistics import Usage

SETTINGS = TieredSettings(calm=3)
HOUR = DAY_MS // 24


def situation(arrived: int, showings: int = 0, empty: int = 0) -> Situation:
    return Situation(arrived, 1.0, 1.0, Usage(showings, empty, 0, 0, 0), 0.0, 0.0)


def under(triggers: float, misses: float = 0.0) -> Pressure:
    return Pressure(round(triggers * 1e6), round(misses * 1e6))


def tiers(pressures: list[Pressure], settings: TieredSettings = SETTINGS) -> list[int]:
    state, found = State(), []
    for pressure in pressures:
        state = moved(state, pressure, settings)
        found.append(state.tier)
    return found


def test_it_climbs_by_triggers_or_by_misses_one_tier_at_a_time() -> None:
    assert tiers([under(9.9), under(10), under(29), under(30)]) == [0, 1, 1, 2]
    assert tiers([under(0, 0.24), under(0, 0.25), under(0, 0.5)]) == [0, 1, 2]
    assert tiers([under(100)] * 3) == [1, 2, 2], "never two at once"


def test_it_comes_down_only_after_calm_that_lasts() -> None:
    # 14 is below the threshold of the top tier (30) by more than ease (0.5); 20 is not.
    assert tiers([under(40)] * 2 + [under(20)] * 9) == [1] + [2] * 10
    assert tiers([under(40)] * 2 + [under(14)] * 3) == [1, 2, 2, 2, 1]
    assert tiers([under(40)] * 2 + [under(14), under(14), under(20), under(14), under(14)]) == [1] + [2] * 6
    assert tiers([under(12)] + [under(1)] * 3) == [1, 1, 1, 0]


def test_a_load_at_a_threshold_does_not_swing_it() -> None:
    found = tiers([under(9.9), under(10.1)] * 20)
    assert sum(one != other for one, other in pairwise(found)) == 1
    """The comparison above can fail: without hysteresis each trigger would swing it."""
    swinging = tiers([under(9.9), under(10.1)] * 20, replace(SETTINGS, ease=1.0, calm=1))
    assert sum(one != other for one, other in pairwise(swinging)) > 20


def test_pressure_is_averaged_and_what_nobody_asked_leaves_the_misses_alone() -> None:
    first = Pressure().after(situation(50), 4)
    assert first == Pressure(2_000_000, None)
    second = first.after(situation(1, showings=4, empty=1), 4)
    assert second == Pressure(2_000_000 + 98_000_000 // 4, 250_000)
    assert second.after(situation(50), 4).misses == 250_000


@given(arrivals=st.lists(st.integers(1, 10**6), min_size=1, max_size=30), window=st.integers(1, 50))
def test_pressure_stays_within_what_was_seen(arrivals: list[int], window: int) -> None:
    pressure = Pressure()
    for arrived in arrivals:
        pressure = pressure.after(situation(arrived), window)
    seen = [100_000_000 // arrived for arrived in arrivals]
    assert min(seen) <= (pressure.triggers or 0) <= max(seen)


def test_the_top_tier_keeps_its_hours_and_its_interval() -> None:
    night = replace(SETTINGS, top_hours="22:00-06:00", top_every=HOUR)
    state = State(tier=2)
    assert [held_back(state, night, hour * HOUR) is None for hour in (0, 5, 6, 12, 21, 22, 23)] == [
        True, True, False, False, False, True, True,
    ]  # fmt: skip
    assert held_back(state, night, 12 * HOUR) == "outside its hours 22:00-06:00"
    day = replace(SETTINGS, top_hours="09:00-17:00", top_every=HOUR)
    assert [held_back(state, day, hour * HOUR) is None for hour in (8, 9, 16, 17)] == [False, True, True, False]
    ran = replace(state, top_at=23 * HOUR)
    assert held_back(ran, night, 24 * HOUR - 1) == "it ran within its interval"
    assert held_back(ran, night, 24 * HOUR) is None


def test_a_state_survives_its_json() -> None:
    for state in (State(), State(2, 1, under(3, 0.5), None, 77)):
        assert State.from_json(state.to_json()) == state


@pytest.mark.parametrize("text", ["9-17", "24:00-01:00", "09:00", "", "09:00-17:60"])
def test_hours_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(InvalidConfig, match="write two times of day in UTC"):
        parse_hours(text)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("tiered.top", "adaptive", "adaptive chooses among other policies and cannot be chosen itself"),
        ("tiered.baseline", "mine", "there is no policy 'mine'"),
        ("adaptive.arms", "fifo", "name two policies or more"),
        ("adaptive.arms", "fifo, fifo", "each once"),
        ("adaptive.arms", "fifo, tiered", "tiered chooses among other policies"),
        ("tiered.top_hours", "noon", "write two times of day"),
    ],
)
def test_settings_that_name_no_policy_are_refused_before_they_are_stored(name: str, value: str, said: str) -> None:
    with pytest.raises(InvalidConfig, match=said):
        check_settings(Settings().with_values({name: value}))


def test_the_defaults_can_be_used() -> None:
    check_settings(Settings())
    assert {load_policy(name).name for name in ("tiered", "adaptive")} == {"tiered", "adaptive"}
