"""Rooms of both standings: what fits, how many surely fit together, and when the next stage begins."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from marskg.policies.streams.rooms import Rooms, Stage


def test_everything_fits_where_nothing_is_limited() -> None:
    rooms = Rooms.unlimited(10)
    weights = np.array([1, 1_000_000], dtype=np.int64)
    higher = rooms.higher_of(["a", "b"])
    assert rooms.fit(higher, weights).all()
    assert rooms.surely(higher, weights) == 2
    assert rooms.fits("a", 10**9)
    assert not rooms.widen(10**9)
    assert rooms.aim == 10


def test_what_is_taken_makes_less_room_and_the_next_stage_counts_it() -> None:
    rooms = Rooms(frozenset({"u"}), [Stage(5, 5, 100, 100), Stage(5, 9, 100, 90), Stage(5, 20, 150, 150)])
    rooms.take("a", 4)
    assert rooms.fits("a", 1)
    assert not rooms.fits("a", 2)
    assert rooms.fits("u", 5)
    assert rooms.widen(101)
    assert rooms.fits("a", 5)
    assert rooms.aim == 90
    assert not rooms.widen(150)  # The last stage is for what is above 150 alone.
    assert rooms.aim == 90


@pytest.mark.parametrize("seed", range(200))
def test_as_many_as_surely_fit_do_whichever_they_are(seed: int) -> None:
    chance = Random(seed)
    ids = [f"m{n}" for n in range(chance.randrange(1, 30))]
    users = frozenset(one for one in ids if chance.random() < 0.5)
    limits = {True: chance.randrange(10, 80), False: chance.randrange(10, 80)}
    rooms = Rooms(users, [Stage(limits[True], limits[False], 0, 0)])
    weights = np.array([chance.randrange(1, 11) for _ in ids], dtype=np.int64)
    higher = rooms.higher_of(ids)
    assert rooms.fit(higher, weights).all()
    sure = rooms.surely(higher, weights)
    assert sure >= 1
    for _ in range(20):
        drawn = chance.sample(range(len(ids)), sure)
        for standing in (True, False):
            assert sum(int(weights[n]) for n in drawn if bool(higher[n]) is standing) <= limits[standing]
