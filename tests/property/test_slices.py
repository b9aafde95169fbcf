"""Forgetting by slices on hundreds of random stores: who pays, in what order, and what the reasons say."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from marskg.clock import DAY_MS
from marskg.config import Settings
from marskg.ontology.vocabulary import Kind, Tier
from marskg.policies.registry import POLICY_NAMES, load_policy
from marskg.policies.streams.slices import partition_of
from marskg.store.engine.arcadedb import ArcadeDB
from tests.support.policy_graph import (
    NOW,
    Graph,
    Node,
    after,
    by_access,
    by_creation,
    by_density,
    has_content,
    ids,
    prepare,
    random_nodes,
    store,
)
from tests.support.proof import amount

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.records import Plan

STORES = amount(40, 300)
ORDERS = {"fifo": by_creation, "lru": by_access, "priority-decay": by_density}
#: Those that are asked for one kind after the other, so that their actions come by kinds.
BY_KIND = frozenset({"density", "greedy", "hybrid", "randomised-tie-break", "reflection-summary", "removal-priority"})
HARD = ("could not be held", "within their shares", "depend on each other")
SAID = ("their share is", "are within their share", "out of the reserve of", "younger than")
LIFE = 3 * DAY_MS
SETTINGS = Settings().with_values(
    {"partitions.mode": "fixed"}
    | {f"partitions.lifetimes.{kind}": "3d" for kind in ("semantic", "task")}
    | {f"partitions.shares.{kind.value}": 0.25 for kind in Kind}
    | {f"partitions.reserves.{kind.value}": 0.1 for kind in Kind}
)


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Graph]]:
    engine = ArcadeDB(tmp_path_factory.mktemp("slices"))
    prepare(engine)
    found = [Graph(engine, random_nodes(seed, size=4 + seed % 14), settings=SETTINGS) for seed in range(STORES)]
    store(*found)
    yield found
    engine.close()


def weights(nodes: dict[str, Node]) -> dict[Kind, int]:
    return {
        kind: sum(node.weight for node in nodes.values() if node.kind is kind and node.tier is Tier.LIVE)
        for kind in Kind
    }


def is_young(node: Node) -> bool:
    return node.kind in {Kind.SEMANTIC, Kind.TASK} and node.created > NOW - LIFE


def leaves(graph: Graph, gone: set[str]) -> list[Node]:
    protected = graph.protected
    whole = [node for node in graph.nodes.values() if has_content(node) and node.id not in gone]
    needed = {base for node in whole for base in node.bases}
    return [node for node in whole if node.tier is Tier.LIVE and node.id not in protected | needed]


def check_payers(graph: Graph, plan: Plan, name: str) -> None:
    """Hold each action to the rules, worked out from the nodes alone."""
    shares = dict(zip(Kind, partition_of(graph, plan.budget).shares, strict=True))
    now, gone = weights(graph.nodes), set[str]()
    for action in plan.actions:
        node = graph.nodes[action.id]
        if action.rule == "stranded":
            break
        can_go = leaves(graph, gone)
        old = [one for one in can_go if not is_young(one)]
        over = [one for one in old if now[one.kind] > shares[one.kind]]
        early = [one for one in can_go if is_young(one) and now[one.kind] > shares[one.kind]]
        if over or early:
            worst = max(now[one.kind] * 10**6 // max(1, shares[one.kind]) for one in over or early)
            assert now[node.kind] * 10**6 // max(1, shares[node.kind]) == worst, "who is furthest above its share pays"
            assert ("their share is" if over else "younger than") in action.reason
        if is_young(node):
            assert not over, "the young of a kind above its share go when nobody old of such a kind is left"
            assert early or not old, "and those of a kind within its share when nobody else is left"
            assert action.reason.startswith("younger than")
        rivals = [one for one in can_go if one.kind is node.kind and is_young(one) == is_young(node)]
        if name in ORDERS:
            best = min(rivals, key=lambda one: (one.rank, *ORDERS[name](graph, one, 0)))
            assert best.id == node.id, "within a kind the policy's own order decides"
        gone.add(node.id)
        now[node.kind] -= node.weight


def check_reasons(plan: Plan) -> None:
    """Hold every action to saying why its kind pays."""
    for action in plan.actions:
        assert action.rule == "stranded" or any(text in action.reason for text in SAID), action.reason


@pytest.mark.parametrize("name", POLICY_NAMES)
def test_the_kind_that_is_furthest_above_its_share_pays_and_the_floor_is_reached(
    graphs: list[Graph], name: str
) -> None:
    policy = load_policy(name)
    young = within = 0
    for seed, graph in enumerate(graphs):
        target = int(graph.weight * random.Random(seed).choice([0, 0.3, 0.6, 0.9, 1]))
        plan = policy.plan(graph, target=target, seed=seed)
        if seed % 20 == 0:
            assert plan == policy.plan(graph, target=target, seed=seed)
        if name in BY_KIND:
            check_reasons(plan)
        else:
            check_payers(graph, plan, name)
        young += any("younger than the minimum" in note for note in plan.notes)
        within += any("within their shares" in note for note in plan.notes)
        if plan.weight_after > target:
            live = {node.id for node in after(graph, plan).values() if node.tier is Tier.LIVE}
            assert live == {one for one in graph.protected if graph.nodes[one].tier is Tier.LIVE}
        assert plan.realised_loss <= plan.bound
        assert not any("secret" in action.reason for action in plan.actions)
    assert young > STORES // 20
    assert within > STORES // 20


@pytest.mark.parametrize("name", POLICY_NAMES)
def test_between_the_budget_and_the_low_water_mark_nobody_pays_for_another(graphs: list[Graph], name: str) -> None:
    policy = load_policy(name)
    spared = 0
    for graph in graphs:
        ceiling = int(graph.weight * 0.8)
        view = replace(graph, ceiling=ceiling)
        plan = policy.plan(view, target=int(ceiling * 0.7), seed=1)
        assert plan.weight_after <= ceiling or plan.weight_after == policy.plan(graph, target=0).weight_after
        shares = dict(zip(Kind, partition_of(view, ceiling).shares, strict=True))
        before, left = weights(graph.nodes), weights(after(graph, plan))
        hard = any(text in note for text in HARD for note in plan.notes)
        for kind in Kind:
            if before[kind] <= shares[kind] and not hard and not any(a.rule == "stranded" for a in plan.actions):
                assert left[kind] == before[kind], f"{kind} was within its share"
                spared += 1
    assert spared > STORES


def big(engine: ArcadeDB, number: int, *, young_heads: int = 0) -> Graph:
    """Return a store of as many facts as episodes; by all but their age, young and heavy facts would go first."""
    nodes = {}
    for place in range(number):
        kind = Kind.SEMANTIC if place % 2 else Kind.EPISODIC
        created = NOW - (number - place) * 60_000 - 10 * DAY_MS
        node = Node(f"n{place}", kind, weight=10, created=created, last=created, sequence=place + 1)
        if young_heads and kind is Kind.SEMANTIC:
            born = NOW - DAY_MS - place
            early = place < young_heads
            node = replace(node, weight=200, created=born, last=born) if early else replace(node, last=NOW)
        nodes[node.id] = node
    graph = Graph(engine, nodes, settings=SETTINGS)
    store(graph)
    return graph


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fifo", "lru", "priority-decay"])
def test_ten_evictions_read_as_little_in_a_large_store_even_where_the_head_is_too_young(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    engine = ArcadeDB(tmp_path_factory.mktemp("big"))
    prepare(engine)
    small, large = big(engine, 400), big(engine, 8_000)
    crowded = big(engine, 8_000, young_heads=4_000)
    rows = []
    for graph in (small, large, crowded):
        plan = load_policy(name).plan(graph, target=graph.weight - 100)
        assert len(ids(plan)) == 10
        assert not any(is_young(graph.nodes[one]) for one in ids(plan))
        rows.append(graph.rows)
    engine.close()
    assert rows[1] <= 2 * rows[0]
    assert rows[2] <= 6 * rows[0]
