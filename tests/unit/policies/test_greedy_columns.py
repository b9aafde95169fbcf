"""Greedy by columns: the store has the last word, and one bundle that is worth more than all else is not overlooked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from marskg.policies.builtin.greedy import GREEDY
from tests.support.policy_graph import Graph, Node, random_nodes, store

if TYPE_CHECKING:
    from marskg.policies.core.features import FeatureTable
    from marskg.store.engine.arcadedb import ArcadeDB


@dataclass
class Unaware(Graph):
    """A view whose table knows of no protection."""

    def table(self, *, linked: bool = False) -> FeatureTable:
        """Return the table as if nothing were guarded."""
        found = super().table(linked=linked)
        assert found.links is not None
        return replace(found, links=replace(found.links, guarded=np.zeros(len(found), dtype=np.bool_)))


def test_what_the_store_protects_stays_whatever_the_table_says(engine: ArcadeDB) -> None:
    for seed in range(5):
        nodes = random_nodes(seed, 30)
        aware, unaware = Graph(engine, nodes), Unaware(engine, nodes)
        store(aware, unaware)
        plan = GREEDY.plan(unaware, target=unaware.weight // 2)
        assert {action.id for action in plan.actions}.isdisjoint(unaware.protected)
        assert plan.actions


def test_a_giant_that_is_worth_more_than_everything_else_is_kept(engine: ArcadeDB) -> None:
    small = {f"n{number}": Node(f"n{number}", weight=400, sequence=number + 1) for number in range(300)}
    made = Graph(engine, {**small, "giant": Node("giant", weight=300 * 400, times=10**6, sequence=900)})
    store(made)
    by_columns = GREEDY.plan(made, target=300 * 400)
    assert by_columns.weight_after <= 300 * 400
    assert {action.id for action in by_columns.actions} in ({"giant"}, set(small))
