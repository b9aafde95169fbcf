"""Propositions A1 and A3 on the policies themselves: the counterexamples that dependencies and whole memories make."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from marskg.clock import DAY_MS
from marskg.policies.registry import load_policy
from tests.support.policy_graph import NOW, Graph, Node, ids, store

if TYPE_CHECKING:
    from marskg.store.engine.arcadedb import ArcadeDB

DECAY = 0.1


def read(ident: str, days: int, *bases: str) -> Node:
    """Return a memory of one token that was read ``days`` ago."""
    return Node(ident, weight=1, created=NOW - 90 * DAY_MS, last=NOW - days * DAY_MS, sequence=days, bases=bases)


def usefulness(nodes: list[Node]) -> float:
    return math.fsum(math.exp(-DECAY * (NOW - node.last) / DAY_MS) for node in nodes)


def test_a1_counterexample_a_recent_memory_that_needs_an_old_one(engine: ArcadeDB) -> None:
    old, mid, newer, new = nodes = [read("a", 30), read("b", 10), read("c", 6), read("d", 5, "a")]
    made = Graph(engine, {node.id: node for node in nodes})
    store(made)
    gone = ids(load_policy("lru").plan(made, target=2))
    assert gone == ["b", "c"], "the oldest is no leaf while the newest depends on it"
    assert usefulness([old, new]) < usefulness([mid, newer]), "and what stays is worth less than what goes"


def test_lru_without_dependencies_keeps_the_most_useful(engine: ArcadeDB) -> None:
    nodes = [read(f"n{days}", days) for days in (30, 6, 10, 5)]
    made = Graph(engine, {node.id: node for node in nodes})
    store(made)
    assert ids(load_policy("lru").plan(made, target=2)) == ["n30", "n10"]
