"""Policies that summarise, on random stores (a thousand in ``make proof``): budget, shares, gates, bound."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from marskg.config import Settings
from marskg.ontology.vocabulary import Tier
from marskg.policies.registry import load_policy
from marskg.store.engine.arcadedb import ArcadeDB
from tests.support.policy_graph import after, ids, prepare, store
from tests.support.proof import amount
from tests.support.talking_graph import TalkingGraph, talking

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.records import Plan

STORES = amount(50, 1_000)
REFLECTING = ("hybrid", "reflection-summary")
SETTINGS = Settings().with_values({"reflection.share": 0.6, "policy.hybrid.reflection_share": 0.8})


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[TalkingGraph]]:
    engine = ArcadeDB(tmp_path_factory.mktemp("reflecting"))
    prepare(engine)
    found = [talking(engine, seed, SETTINGS) for seed in range(STORES)]
    store(*found)
    yield found
    engine.close()


@pytest.fixture(scope="module", params=REFLECTING)
def plans(request: pytest.FixtureRequest, graphs: list[TalkingGraph]) -> list[Plan]:
    """Give the plan of each store, down to a share of its weight that goes from nothing to nine tenths."""
    policy = load_policy(request.param)
    return [policy.plan(graph, target=_target(graph, seed)) for seed, graph in enumerate(graphs)]


def _target(graph: TalkingGraph, seed: int) -> int:
    return graph.weight * (seed % 10) // 10


def _floor(graph: TalkingGraph) -> int:
    """Return the weight of what is protected: nothing else keeps a policy from the target."""
    live = {ident: node for ident, node in graph.nodes.items() if node.tier is Tier.LIVE}
    return sum(node.weight for ident, node in live.items() if ident in graph.protected)


def test_every_plan_reaches_its_target_or_the_protected_set(graphs: list[TalkingGraph], plans: list[Plan]) -> None:
    for seed, (graph, plan) in enumerate(zip(graphs, plans, strict=True)):
        taken = sum(action.weight for action in plan.actions)
        made = sum(summary.weight for summary in plan.summaries)
        assert plan.weight_after == graph.weight - taken + made
        assert plan.weight_after <= max(_target(graph, seed), _floor(graph))
        if plan.weight_after > _target(graph, seed):
            assert plan.summaries == (), "summaries go before the target is missed"


def test_the_same_state_has_the_same_plan(graphs: list[TalkingGraph], plans: list[Plan]) -> None:
    policy = load_policy(plans[0].policy)
    for seed in range(0, STORES, 20):
        again = policy.plan(graphs[seed], target=_target(graphs[seed], seed))
        assert (again, again.digest) == (plans[seed], plans[seed].digest)


def test_summaries_are_cheaper_and_take_leaves_that_may_go(graphs: list[TalkingGraph], plans: list[Plan]) -> None:
    summarised = 0
    for graph, plan in zip(graphs, plans, strict=True):
        assert not set(ids(plan)) & graph.protected
        assert len(set(ids(plan))) == len(plan.actions)
        whole = after(graph, plan)
        kept = {ident for ident, node in whole.items() if node.tier is not Tier.TOMBSTONE}
        assert all(base in kept for ident in kept for base in whole[ident].bases)
        done = [action.id for action in plan.actions if action.action == "consolidate"]
        assert done == [ident for summary in plan.summaries for ident in summary.constituents]
        for summary in plan.summaries:
            summarised += 1
            assert summary.weight < sum(graph.nodes[ident].weight for ident in summary.constituents)
            assert 0 <= summary.shift <= summary.realised <= SETTINGS.reflection.tau_util
            assert not any(graph.nodes[ident].superseded_at for ident in summary.constituents)
    assert summarised > STORES // 5


def test_what_the_stages_took_adds_up(plans: list[Plan]) -> None:
    several = 0
    for plan in plans:
        if plan.policy != "hybrid" or not plan.actions:
            continue
        assert sum(tokens for _, _, tokens in plan.stages) == plan.freed_tokens
        assert sum(count for _, count, _ in plan.stages) == len(plan.actions)
        assert all(tokens > 0 for _, count, tokens in plan.stages if count), "every stage frees what it takes"
        several += sum(count > 0 for _, count, _ in plan.stages) > 2
    assert several > STORES // 20 or plans[0].policy != "hybrid"


def test_the_loss_is_within_the_bound_and_the_bound_within_ten_median_losses(plans: list[Plan]) -> None:
    losing = [plan for plan in plans if plan.actions]
    median = sorted(plan.realised_loss for plan in losing)[len(losing) // 2]
    assert len(losing) > STORES // 2
    for plan in losing:
        assert plan.realised_loss <= plan.bound * (1 + 1e-12)
        assert plan.bound <= 10 * median
        assert math.isclose(plan.bound, plan.lipschitz * plan.freed_tokens)


def test_a_summary_loses_less_than_its_constituents_would(graphs: list[TalkingGraph], plans: list[Plan]) -> None:
    """The bound is not that of evicting them all: where nothing but summaries is planned, it is below their worth."""
    compared = 0
    for graph, plan in zip(graphs, plans, strict=True):
        if plan.summaries and all(action.action == "consolidate" for action in plan.actions):
            compared += 1
            worth = sum(float(dict(f.split("=") for f in action.features)["importance"]) for action in plan.actions)
            assert plan.realised_loss <= plan.bound < worth
            assert graph.weight > plan.weight_after
    assert compared > STORES // 200 or plans[0].policy == "hybrid", "whose other stages have their shares as well"


def test_predicted_and_realised_distortion_are_told_of_every_summary(plans: list[Plan]) -> None:
    for plan in plans:
        for action in plan.actions:
            told = dict(feature.split("=") for feature in action.features)
            assert (action.action == "consolidate") == ({"distortion", "distortion_predicted"} <= told.keys())
    assert all(0 <= one.predicted <= SETTINGS.reflection.tau_util for plan in plans for one in plan.summaries)
