"""The budget advisor replays the past: small pasts whose answer is plain, and what it promises on random ones."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.config import Scoring, Settings
from marskg.errors import InvalidInput
from marskg.ontology.vocabulary import Kind
from marskg.policies.advisor import ORDERS, Advice, Remembered, Shown, advise, left_out

DAY = 86_400_000


def memory(number: int, *, weight: int = 10, day: int | None = None, **fields: Any) -> Remembered:
    """Return the ``number``-th memory, stored on that day."""
    created = DAY * (number if day is None else day)
    return Remembered(f"m{number}", Kind.SEMANTIC, weight, created, number, **fields)


def shown(day: float, *numbers: int) -> Shown:
    return Shown(round(day * DAY), tuple(f"m{number}" for number in numbers))


def advice(memories: list[Remembered], showings: list[Shown], **options: Any) -> Advice:
    given: dict[str, Any] = {"policy": "fifo", "rate": 1.0, "since": 0, "scoring": Scoring(), "low_water": 1.0}
    return advise(memories, showings, **given | options)


TEN = [memory(number) for number in range(10)]


def test_what_is_read_soon_after_it_was_stored_needs_little() -> None:
    found = advice(TEN, [shown(number + 0.5, number) for number in range(10)])
    assert found.budget == 10
    assert found.showings == 10


def test_what_is_read_at_the_end_needs_room_for_all_before_it() -> None:
    found = advice(TEN, [shown(20, 0, 9)])
    assert found.budget == 100
    assert advice(TEN, [shown(20, 0, 9)], rate=0.5).budget == 10
    assert [one.rate for one in found.replays if one.budget in {10, 95, 100}] == [0.5, 0.5, 1.0]


def test_lru_keeps_what_is_read_again_and_again_in_less_than_fifo() -> None:
    showings = [shown(number + 0.5, 0) for number in range(10)]
    assert advice(TEN, showings, policy="lru").budget == 20
    assert advice(TEN, showings, policy="fifo").budget == 100
    assert advice(TEN, showings, policy="priority-decay").budget == 20


def test_superseded_memories_go_first_and_protected_ones_stay() -> None:
    old = [memory(0, superseded_at=2 * DAY), memory(1), memory(2), memory(3)]
    found = advice(old, [shown(9, 1, 2, 3)])
    assert found.budget == 30
    pinned = advice([memory(0, protected=True), memory(1), memory(2)], [shown(9, 0)])
    assert pinned.budget == 20, "beside what is pinned there is room for what is being written"
    assert not min(pinned.replays, key=lambda one: one.budget).feasible


def test_a_base_stays_while_something_there_depends_on_it() -> None:
    found = advice([memory(0), memory(1, bases=("m0",)), memory(2), memory(3)], [shown(9, 0)])
    taken = {one.budget: one.kept for one in found.replays}
    assert taken[20] == 0, "m1 goes first, then m0"
    assert taken[30] == 1, "FIFO would take m0, the oldest: m1, which needs it, goes in its place"


def test_only_recent_showings_count_and_forgotten_ones_are_told_apart() -> None:
    found = advice(TEN, [shown(10, 0), shown(20, 9, 77)], since=15 * DAY)
    assert (found.showings, found.unknown, found.budget) == (1, 1, 10)


def test_nothing_shown_and_nothing_stored_are_answers() -> None:
    assert advice(TEN, []).budget is None, "there is nothing to go by"
    assert advice([], []).budget is None
    assert advice([], []).replays[0].rate == 1.0


def test_what_the_replay_leaves_out_is_said() -> None:
    assert left_out(Settings().partitions) == ()
    values = {"partitions.mode": "fixed", "partitions.user_budget": 500, "partitions.conversation_budget": 90}
    shares, conversation, user = left_out(Settings().with_values(values).partitions)
    assert "shares of kinds (partitions.mode: fixed) are not replayed" in shares
    assert "the budget of each conversation (90 tokens) is not replayed" in conversation
    assert "the budget of each user (500 tokens) is not replayed" in user


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"policy": "random-drop"}, "cannot be replayed offline: use fifo, lru, priority-decay"),
        ({"rate": 0.0}, "above 0 and at most 1"),
        ({"rate": 1.5}, "above 0 and at most 1"),
        ({"rate": float("nan")}, "above 0 and at most 1"),
    ],
)
def test_bad_input_is_refused_with_the_way_out(options: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        advice(TEN, [], **options)


@given(st.integers(0, 2**32), st.sampled_from(sorted(ORDERS)), st.sampled_from([0.3, 0.9, 1.0]))
def test_the_advised_budget_and_every_larger_one_keeps_the_rate(seed: int, policy: str, rate: float) -> None:
    chance = random.Random(seed)
    memories = [memory(number, weight=chance.randint(1, 30)) for number in range(12)]
    memories = [one if one.id != "m7" else memory(7, bases=("m2", "m3")) for one in memories]
    showings = [shown(chance.uniform(0, 20), chance.randrange(14)) for _ in range(15)]
    found = advice(memories, showings, policy=policy, rate=rate, low_water=0.9)
    assert found == advice(memories, showings[::-1], policy=policy, rate=rate, low_water=0.9)
    if found.budget is None:
        assert not found.showings
        return
    enough = [one for one in found.replays if one.budget >= found.budget]
    assert all(one.rate >= rate and one.feasible for one in enough)
    below = [one for one in found.replays if one.budget < found.budget]
    assert not below or below[-1].rate < rate or not below[-1].feasible
    largest = found.replays[-1]
    assert (largest.budget, largest.triggers) == (sum(one.weight for one in memories), 0)
