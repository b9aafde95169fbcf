"""Shares of the budget by kind, whole, on every engine: bursts, lifetimes, what is learned and kept, what stats say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from marskg import Draft
from marskg.clock import DAY_MS
from marskg.ontology.vocabulary import Kind, Tier
from marskg.policies.registry import POLICY_NAMES
from tests.support import picture as pictures
from tests.support.unsigned import open_unsigned, unsign

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

ROOT = Path(__file__).resolve().parents[2]
BUDGET = 400
SHARED: dict[str, Any] = {
    "budget": BUDGET,
    "partitions__mode": "fixed",
    "partitions__shares__episodic": 0.4,
    "partitions__shares__semantic": 0.4,
    "partitions__shares__social": 0.1,
    "partitions__shares__task": 0.1,
}


def live(memory: AgentMemory, kind: Kind) -> set[str]:
    return {one.id for one in memory.memories() if one.kind is kind and one.tier is Tier.LIVE}


def burst(memory: AgentMemory, turns: int) -> None:
    for start in range(0, turns, 10):
        drafts = [
            Draft(ref=f"{number}", kind=Kind.EPISODIC, content=f"turn {number} is small talk", at=memory.now())
            for number in range(start, start + 10)
        ]
        memory.remember_many(drafts, atomic=True)


@pytest.mark.parametrize("policy", [*POLICY_NAMES, "examples/policies/sources-last.cypher"])
def test_a_tenfold_burst_of_episodes_takes_nothing_from_facts_within_their_share(stores: Stores, policy: str) -> None:
    memory = stores.open(**SHARED, policy__name=policy if policy in POLICY_NAMES else str(ROOT / policy))
    while memory.stats()["by_kind"]["semantic"]["weight"] < 0.4 * BUDGET - 12:
        number = memory.stats()["audit_seq"]
        memory.remember(f"customer {number} has the router R{number}", kind="semantic", memory_class="canonical")
    facts = live(memory, Kind.SEMANTIC)
    burst(memory, 10 * len(facts))
    # Summaries of episodes are semantic, too.
    assert live(memory, Kind.SEMANTIC) >= facts
    assert memory.weight <= BUDGET
    assert memory.stats()["by_kind"]["episodic"]["weight"] <= BUDGET - memory.stats()["by_kind"]["semantic"]["weight"]


@pytest.mark.parametrize("policy", ["hybrid", "reflection-summary"])
def test_summaries_of_a_burst_push_no_fact_out_of_its_share(stores: Stores, policy: str) -> None:
    memory = stores.open(**SHARED | {"budget": 1200}, policy__name=policy)
    while memory.stats()["by_kind"]["semantic"]["weight"] < 0.4 * 1200 - 12:
        number = memory.stats()["audit_seq"]
        memory.remember(f"customer {number} has the router R{number}", kind="semantic", memory_class="canonical")
    facts = live(memory, Kind.SEMANTIC)
    topics = ("the garden", "the piano", "the visa", "the train", "the kitchen")
    for start in range(0, 300, 10):
        drafts = [
            Draft(
                ref=f"{number}",
                kind=Kind.EPISODIC,
                content=f"{('asked', 'complained', 'talked')[number % 3]} about {topics[number % 5]} turn {number}",
                session=f"s{start}",
                at=memory.now(),
            )
            for number in range(start, start + 10)
        ]
        memory.remember_many(drafts, atomic=True)
    assert live(memory, Kind.SEMANTIC) >= facts
    assert memory.stats()["by_kind"]["semantic"]["weight"] <= 0.4 * 1200
    assert memory.weight <= 1200


@pytest.mark.parametrize("policy", ["lru", "greedy", "density"])
def test_a_burst_that_must_not_go_so_soon_takes_nothing_from_facts_within_their_share(
    stores: Stores, policy: str
) -> None:
    memory = stores.open(**SHARED | {"partitions__lifetimes__episodic": "7d"}, policy__name=policy)
    facts = {
        memory.remember(f"customer {number} has the router R{number}", kind="semantic", memory_class="canonical").id
        for number in range(10)
    }
    burst(memory, 100)
    assert live(memory, Kind.SEMANTIC) == facts
    gone = next(one for one in memory.audit.records() if one.operation == "forget")
    plan = memory.plan(budget=memory.weight - 1)
    assert gone.sequence
    assert "younger than episodic memories should get" in plan.actions[0].reason


def test_without_shares_the_same_burst_takes_facts(stores: Stores) -> None:
    plain = stores.open(budget=BUDGET, policy__name="fifo")
    first = plain.remember("customer 1 has the router R1", kind="semantic", memory_class="canonical")
    burst(plain, 120)
    assert first.id not in live(plain, Kind.SEMANTIC)


def test_shares_move_are_kept_in_the_tenants_row_and_shown(stores: Stores) -> None:
    memory = stores.open(**SHARED | {"partitions__mode": "dual", "partitions__window": 1, "low_water": 1.0})
    begun = memory.stats()["partitions"]
    assert {kind: row["share"] for kind, row in begun.items()} == {
        "episodic": 160, "semantic": 160, "social": 40, "task": 40,
    }  # fmt: skip
    for number in range(60):
        memory.remember(f"customer {number} has the router R{number}", kind="semantic", memory_class="canonical")
        memory.remember(f"turn {number}: small talk about the weather", session="s")
    moved = memory.stats()["partitions"]
    assert sum(row["share"] for row in moved.values()) == BUDGET
    assert moved["semantic"]["share"] > 160, "facts weigh more per token than episodes by the default weights"
    assert moved["semantic"]["price"] > moved["episodic"]["price"] > 0
    assert moved["episodic"]["share"] >= moved["episodic"]["reserve"] == BUDGET * 5 // 100
    again = stores.open(memory.tenant)
    assert again.stats()["partitions"] == moved
    records = [record for record in memory.audit.records() if record.operation == "forget"]
    assert any("slice.semantic=" in record.details[0] for record in records), "the audit has the shares in force"


def test_the_young_stay_until_the_budget_needs_them_and_then_the_reason_says_so(stores: Stores) -> None:
    memory = stores.open(**SHARED, partitions__lifetimes__semantic="2d", low_water=1.0)
    clock = stores.clock(memory)
    old = memory.remember("an old fact about the garden", kind="semantic", memory_class="canonical")
    clock.advance(DAY_MS * 3 // 2)
    memory.maintenance.expire()
    clock.advance(DAY_MS * 3 // 4)
    young = [
        memory.remember(f"fact {number} about the garden and the tomatoes", kind="semantic", memory_class="canonical")
        for number in range(20)
    ]
    plan = memory.plan(budget=memory.weight - old.weight)
    assert [action.id for action in plan.actions] == [old.id]
    plan = memory.plan(budget=memory.weight - old.weight - 1)
    assert {action.id for action in plan.actions[1:]} < {one.id for one in young}
    assert "1 memories younger than the minimum lifetime of their kind" in plan.notes[-1]
    assert plan.actions[1].reason.startswith("younger than semantic memories should get")


def test_switching_shares_on_and_off_orders_the_memories_anew(stores: Stores) -> None:
    memory = stores.open(budget=BUDGET)
    burst(memory, 20)
    for mode, sliced in (("fixed", True), ("off", False), ("dual", True)):
        memory.settings.set(None, {"partitions.mode": mode})
        found = pictures.take(stores.engine, memory.tenant)
        keys = [node["fifoKey"] for node in found.nodes.values() if "fifoKey" in node]
        assert keys
        assert all((key.count("|") == 2) is sliced for key in keys)
        assert pictures.faults(found) == []
        assert memory.plan(budget=memory.weight // 2).actions
    assert memory.verify().ok


def test_a_store_from_before_the_census_is_counted_when_it_is_opened(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_unsigned(stores, monkeypatch, budget=BUDGET)
    burst(memory, 5)
    unsign(stores, memory, "census", "usage", "controls")
    again = stores.open(memory.tenant)
    assert pictures.faults(pictures.take(stores.engine, again.tenant)) == []
    burst(again, 3)
    assert pictures.faults(pictures.take(stores.engine, again.tenant)) == []
    assert again.verify().ok


@pytest.mark.server
def test_what_reading_comes_to_is_counted_with_each_record(stores: Stores) -> None:
    memory = stores.open(budget=BUDGET, audit__access="strict")
    kept = memory.remember("Ana waters the tomatoes twice a week", kind="semantic")

    def usage() -> list[int]:
        row = stores.engine.read("MATCH (t:Tenant {ref: $t}) RETURN t.usage AS usage", {"t": memory.tenant})
        return list(row[0]["usage"])

    assert usage() == [0, 0, 0, 0, 0]
    hits = memory.retrieve("how often does she water the tomatoes?")
    assert usage() == [1, 0, 0, 0, 0]
    assert hits.id is not None
    memory.feedback(hits.id, contradicted=[kept.id])
    assert usage() == [1, 0, 1, 1, 1]
    hits = memory.retrieve("tomatoes")
    assert hits.id is not None
    memory.feedback(hits.id, used=[kept.id])
    assert usage() == [2, 0, 2, 1, 1]


@pytest.mark.server
def test_what_a_plan_learned_is_dropped_with_the_plan(stores: Stores) -> None:
    memory = stores.open(**SHARED | {"partitions__mode": "dual", "policy__name": "fifo"})
    burst(memory, 30)
    row = stores.engine.read("MATCH (t:Tenant {ref: $t}) RETURN t.controls AS controls", {"t": memory.tenant})
    before = json.loads(row[0]["controls"])
    assert memory.plan(budget=memory.weight // 2).actions
    row = stores.engine.read("MATCH (t:Tenant {ref: $t}) RETURN t.controls AS controls", {"t": memory.tenant})
    assert json.loads(row[0]["controls"]) == before
