"""The policies that choose among others, whole, on every engine: what they choose by, keep, and say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from marskg.clock import DAY_MS

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores


def burst(memory: AgentMemory, turns: int) -> None:
    for number in range(turns):
        memory.remember(f"turn {number}: small talk about the weather", session="s")


def controls(stores: Stores, memory: AgentMemory) -> dict[str, Any]:
    row = stores.engine.read("MATCH (t:Tenant {ref: $t}) RETURN t.controls AS controls", {"t": memory.tenant})[0]
    return {name: json.loads(text) for name, text in json.loads(row["controls"]).items()}


def test_pressure_raises_the_tier_and_calm_lowers_it(stores: Stores) -> None:
    memory = stores.open(
        budget=200, policy__name="tiered", low_water=1.0, tiered__window=1, tiered__calm=2, tiered__top_every="1h",
        tiered__top="lru", tiered__ease=0.9,
    )  # fmt: skip
    burst(memory, 40)
    found = memory.policy.explain()["tiered"]
    assert (found["tier"], found["triggers_per_100_arrivals"]) == ("top", 100.0)
    texts = [record.details[0] for record in memory.audit.records() if record.operation == "forget"]
    assert "tiered.tier=baseline" in texts[0] or "tiered.tier=raised" in texts[0]
    assert any("tiered.policy=lru" in text for text in texts)
    assert "tiered.held=it ran within its interval" in texts[-1]
    assert stores.open(memory.tenant).policy.explain()["tiered"] == found, "it is kept with the tenant"
    memory.settings.set(None, {"low_water": 0.3})
    burst(memory, 160)
    assert memory.policy.explain()["tiered"]["tier"] == "baseline"
    assert memory.verify().ok


def test_a_dry_run_moves_no_tier(stores: Stores) -> None:
    memory = stores.open(budget=200, policy__name="tiered", step_ms=0)
    burst(memory, 30)
    before = controls(stores, memory)
    assert memory.plan(budget=50) == memory.plan(budget=50)
    assert controls(stores, memory) == before


@pytest.mark.parametrize("policy", ["adaptive", "tiered"])
def test_a_plan_that_is_made_again_a_moment_later_is_the_same_plan(stores: Stores, policy: str) -> None:
    memory = stores.open(budget=400, policy__name=policy)
    clock = stores.clock(memory)
    burst(memory, 20)
    memory.plan(budget=100)
    first = memory.plan(budget=100, seed=7)
    clock.advance(17_000)
    again = memory.plan(budget=100, seed=7)
    assert again.parameters != first.parameters or policy == "tiered", "what it goes by is told as it is"
    assert again.digest == first.digest


def test_a_bandit_learns_from_answers_keeps_what_it_learned_and_explains_itself(stores: Stores) -> None:
    memory = stores.open(budget=160, policy__name="adaptive", adaptive__arms="fifo, lru", low_water=0.5)
    assert memory.policy.explain()["adaptive"]["last"] is None
    kept = memory.remember("Ana waters the tomatoes twice a week", kind="semantic", pin=True)
    burst(memory, 25)
    first = memory.policy.explain()["adaptive"]
    assert sum(arm["pulls"] for arm in first["arms"]) == 0, "nothing was asked, so nothing was learned"
    assert first["last"]["arm"] in {"fifo", "lru"}
    for round_ in range(6):
        hits = memory.retrieve("how often does she water the tomatoes?")
        assert hits.id is not None
        memory.feedback(hits.id, used=[kept.id] if round_ % 2 else (), contradicted=() if round_ % 2 else [kept.id])
        burst(memory, 12)
    found = memory.policy.explain()["adaptive"]
    assert sum(arm["pulls"] for arm in found["arms"]) >= 4
    assert set(found["arms"][0]["variances"]) == set(found["context"])
    assert max(found["last"]["drawn"], key=found["last"]["drawn"].__getitem__) == found["last"]["arm"]
    assert stores.open(memory.tenant).policy.explain()["adaptive"] == found
    text = [record.details[0] for record in memory.audit.records() if record.operation == "forget"][-1]
    assert f"adaptive.arm={found['last']['arm']}" in text
    assert "tomatoes" not in json.dumps(controls(stores, memory))
    assert memory.verify().ok


@pytest.mark.parametrize("policy", ["tiered", "adaptive"])
def test_equal_histories_give_equal_choices(stores: Stores, policy: str) -> None:
    found = []
    for _ in range(2):
        memory = stores.open(budget=160, policy__name=policy, tiered__window=2)
        burst(memory, 15)
        memory.retrieve("the weather")
        stores.clock(memory).advance(DAY_MS // 2)
        burst(memory, 15)
        found.append((controls(stores, memory), sorted(one.content or "" for one in memory.memories())))
    assert found[0] == found[1]


def test_shares_hold_whichever_policy_is_chosen(stores: Stores) -> None:
    memory = stores.open(budget=300, policy__name="adaptive", partitions__mode="dual")
    fact = memory.remember("customer 1 has the router R1", kind="semantic", memory_class="canonical")
    burst(memory, 60)
    assert memory.get(fact.id) is not None
    assert set(controls(stores, memory)) == {"adaptive", "partitions"}


def usage_of(stores: Stores, memory: AgentMemory) -> list[int]:
    row = stores.engine.read("MATCH (t:Tenant {ref: $t}) RETURN t.usage AS usage", {"t": memory.tenant})
    return list(row[0]["usage"])


def test_wishes_that_ask_for_less_count_as_complaints(stores: Stores) -> None:
    memory = stores.open()
    memory.remember("Ana waters the tomatoes twice a week", kind="semantic")
    memory.remember("Carl has a boat in Porto", kind="semantic")
    memory.learning.wish("remember more about the garden")
    assert usage_of(stores, memory) == [0, 0, 0, 0, 0]
    for number, text in enumerate(
        ("don't remember the tomatoes", "forget about the trip", "stop mentioning Rome", "that's wrong about the 8"), 1
    ):
        memory.learning.wish(text)
        assert usage_of(stores, memory) == [0, 0, 0, 0, number], text
    hits = memory.retrieve("the boat of Carl")
    assert hits.id is not None
    memory.feedback(hits.id, complaint="remember less about the weather")
    assert usage_of(stores, memory) == [1, 0, 0, 0, 5], "a complaint without a memory that it is about"
    again = stores.open(memory.tenant)
    again.learning.wish("forget about the bicycle")
    assert usage_of(stores, again) == [1, 0, 0, 0, 6]
    assert again.verify().ok


def test_a_complaint_lowers_what_the_arm_in_force_is_worth(stores: Stores) -> None:
    worth = []
    for complains in (False, True):
        memory = stores.open(
            budget=160, policy__name="adaptive", adaptive__arms="fifo, lru", low_water=0.5, adaptive__exploration=0.0
        )
        kept = memory.remember("Ana waters the tomatoes twice a week", kind="semantic", pin=True)
        burst(memory, 25)
        before = memory.policy.explain()["adaptive"]["last"]["arm"]
        hits = memory.retrieve("how often does she water the tomatoes?")
        assert hits.id is not None
        memory.feedback(hits.id, used=[kept.id])
        if complains:
            memory.learning.wish("don't remember the weather")
        found = {arm["arm"]: arm["mean"] for arm in memory.policy.explain()["adaptive"]["arms"]}
        worth.append((before, found[before]))
        assert memory.policy.explain()["adaptive"]["context"]["complaints"] == float(complains)
    (arm, calm), (other, annoyed) = worth
    assert arm == other
    assert annoyed < calm - 0.05


def test_a_complaint_teaches_where_nothing_was_asked(stores: Stores) -> None:
    memory = stores.open(budget=160, policy__name="adaptive", adaptive__arms="fifo, lru", low_water=0.5)
    burst(memory, 25)
    assert sum(arm["pulls"] for arm in memory.policy.explain()["adaptive"]["arms"]) == 0
    memory.learning.wish("don't remember the weather")
    assert sum(arm["pulls"] for arm in memory.policy.explain()["adaptive"]["arms"]) == 1
