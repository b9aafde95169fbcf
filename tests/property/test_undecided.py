"""What greedy surely keeps is what it keeps: beside it, greedy on the rest chooses what one run on all would choose."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from marskg.policies.optimise import variable_fixing
from marskg.policies.optimise.bundles import Greedy, Knapsack, closures
from marskg.policies.optimise.coverage import Coverage, Item
from marskg.policies.optimise.variable_fixing import Choosable, components, split

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest


def random_items(chance: random.Random, size: int) -> tuple[list[Item], dict[str, int]]:
    """Return items of mixed density, some on bases, over elements that many, few or one of them cover."""
    worths = {f"e{number}": chance.choice((0, 5, 40, 300)) for number in range(chance.choice((1, 4, 12)))}
    items = []
    for number in range(size):
        bases = [f"m{chance.randrange(number)}"] if number and chance.random() < chance.choice((0.1, 0.5)) else []
        items.append(
            Item(
                id=f"m{number}",
                weight=chance.choice((1, 2, 3, 10)),
                value=chance.choice((1, 10, 100, 1000)),
                sequence=number,
                covers=tuple(chance.sample(sorted(worths), min(len(worths), chance.randrange(3)))),
                bases=tuple(bases),
            )
        )
    return items, worths


def chosen(items: Sequence[Item], worths: dict[str, int], budget: int) -> set[str]:
    """Return what one run of greedy chooses."""
    knapsack = Knapsack(
        bundles=closures([one.id for one in items], [one.bases for one in items]),
        costs=[one.weight for one in items],
        ties=[(-one.value, -one.sequence) for one in items],
        begin=Coverage(items, worths).begin,
    )
    return {items[place].id for place in Greedy(knapsack).run(budget).chosen}


def choosable(items: Sequence[Item], worths: dict[str, int]) -> Choosable:
    """Return items as columns."""
    places = {one.id: place for place, one in enumerate(items)}
    names = sorted(worths)
    covers = [(place, names.index(name)) for place, one in enumerate(items) for name in one.covers]
    bases = [(place, places[base]) for place, one in enumerate(items) for base in one.bases]
    covers_array = np.array(covers, dtype=np.int64).reshape(-1, 2)
    bases_array = np.array(bases, dtype=np.int64).reshape(-1, 2)
    return Choosable(
        values=np.array([one.value for one in items], dtype=np.int64),
        weights=np.array([one.weight for one in items], dtype=np.int64),
        sequences=np.array([one.sequence for one in items], dtype=np.int64),
        rows=covers_array[:, 0],
        elements=covers_array[:, 1],
        worths=np.array([worths[name] for name in names], dtype=np.int64),
        dependents=bases_array[:, 0],
        bases=bases_array[:, 1],
    )


def by_split(items: Sequence[Item], worths: dict[str, int], budget: int) -> tuple[set[str], int]:
    """Return what is chosen when only what is open is looked at, and how many of all were sure."""
    given = choosable(items, worths)
    found = split(given, budget)
    names = sorted(worths)
    pairs = zip(given.rows[found.alive].tolist(), given.elements[found.alive].tolist(), strict=True)
    counting = {(row, names[code]) for row, code in pairs}
    sure = {one.id for place, one in enumerate(items) if found.sure[place]}
    rest = [
        replace(one, covers=tuple(name for name in one.covers if (place, name) in counting))
        for place, one in enumerate(items)
        if found.open[place]
    ]
    left = budget - sum(one.weight for one in items if one.id in sure)
    return sure | chosen(rest, worths, left), len(sure)


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 40), st.floats(0, 1.1))
def test_looking_at_what_is_open_gives_what_looking_at_all_gives(seed: int, size: int, share: float) -> None:
    items, worths = random_items(random.Random(seed), size)
    budget = int(share * sum(one.weight for one in items))
    assert by_split(items, worths, budget)[0] == chosen(items, worths, budget)


def test_most_of_a_large_store_is_sure_when_little_is_to_go() -> None:
    items, worths = random_items(random.Random(7), 2000)
    kept, sure = by_split(items, worths, sum(one.weight for one in items) - 20)
    assert kept == chosen(items, worths, sum(one.weight for one in items) - 20)
    assert sure > 1000


def test_a_split_that_forgets_who_comes_first_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the closure over shared elements the rest would miss who else may cover them."""
    monkeypatch.setattr(variable_fixing, "_closed", lambda _given, _groups, open_, _alive: open_)
    wrong = 0
    for seed in range(400):
        chance = random.Random(seed)
        items, worths = random_items(chance, 30)
        budget = int(chance.random() * sum(one.weight for one in items))
        wrong += by_split(items, worths, budget)[0] != chosen(items, worths, budget)
    assert wrong


def test_everything_is_sure_where_all_fits_and_open_where_nothing_does() -> None:
    items, worths = random_items(random.Random(3), 50)
    given = choosable(items, worths)
    assert split(given, sum(one.weight for one in items)).sure.all()
    assert split(given, 0).open.any()


@given(st.integers(1, 60), st.lists(st.tuples(st.integers(0, 59), st.integers(0, 59)), max_size=80))
def test_components_are_those_of_a_search(count: int, pairs: list[tuple[int, int]]) -> None:
    pairs = [(one % count, other % count) for one, other in pairs]
    near: dict[int, set[int]] = {place: {place} for place in range(count)}
    for one, other in pairs:
        joined = near[one] | near[other]
        for place in joined:
            near[place] = joined
    array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    found = components(count, array[:, 0], array[:, 1]).tolist()
    assert found == [min(near[place]) for place in range(count)]
