"""The policy hybrid with reflection as its second stage, whole, on every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.clock import DAY_MS
from marskg.ontology.vocabulary import Operation, SourceType, Tier
from marskg.policies.builtin.reflection import NO_ROOM, WITHOUT_VECTORS
from marskg.retrieval.details import slot_details
from tests.support.chat_server import chat_server

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from marskg.records import Plan
    from tests.support.stores import Stores

LONG: dict[str, Any] = {"memory_class": "canonical"}
GARDEN = tuple(
    f"On day {day} I watered the tomatoes in the garden behind the house. It was {20 + day} degrees in the garden then."
    for day in range(6)
)
BREAD = tuple(f"I baked rye bread with {day} spoons of salt for dinner. The bread was rather good." for day in range(6))
#: The second stage frees what it can, so that every test sees it.
EAGER: dict[str, Any] = {"policy__hybrid__reflection_share": 1.0}


def said(mem: AgentMemory, *texts: str, **fields: Any) -> list[str]:
    return [mem.remember(text, **{"kind": "episodic", "session": "s"} | LONG | fields).id for text in texts]


def planned(mem: AgentMemory, budget: int) -> Plan:
    return mem.plan(policy="hybrid", budget=budget)


def shares(plan: Plan) -> dict[str, tuple[int, int]]:
    return {name: (count, tokens) for name, count, tokens in plan.stages}


def sound(mem: AgentMemory) -> None:
    for report in (mem.validate(full=True), mem.verify()):
        assert report.ok, report.findings[:3]


def summaries(mem: AgentMemory) -> list[Any]:
    return [one for one in mem.memories() if one.source_type is SourceType.REFLECTION and one.content is not None]


def test_every_stage_takes_its_share_and_plan_and_record_say_so(stores: Stores) -> None:
    mem = stores.open()
    stale = {*said(mem, *BREAD[:3], session="old")}
    stores.clock(mem).advance(40 * DAY_MS)
    mem.maintenance.expire()
    fresh = {*said(mem, *GARDEN), *said(mem, *BREAD, session="t")}
    plan = planned(mem, mem.weight // 3)
    assert list(shares(plan)) == ["temporal", "reflection", "importance", "privacy"]
    assert all(count and tokens for count, tokens in shares(plan).values()), shares(plan)
    assert sum(tokens for _, tokens in shares(plan).values()) == plan.freed_tokens
    assert sum(count for count, _ in shares(plan).values()) == len(plan.actions)
    first = plan.actions[: shares(plan)["temporal"][0]]
    assert {action.id for action in first} <= stale
    done = {action.id for action in plan.actions if action.action == "consolidate"}
    assert done == {ident for summary in plan.summaries for ident in summary.constituents}
    assert done <= stale | fresh
    mem.forget(plan)
    assert mem.weight == plan.weight_after <= plan.budget
    assert {one.content for one in summaries(mem)} == {summary.content for summary in plan.summaries}
    record = next(one for one in mem.audit.records() if one.operation is Operation.FORGET)
    counts = slot_details(record)[""]["counts"]
    assert {f"stage.{name}={count} ({tokens} tokens)" for name, count, tokens in plan.stages} <= set(counts)
    assert f"summary={len(plan.summaries)}" in counts
    sound(mem)


def test_a_share_of_nothing_summarises_nothing(stores: Stores) -> None:
    mem = stores.open(policy__hybrid__reflection_share=0.0)
    said(mem, *GARDEN, *BREAD)
    plan = planned(mem, mem.weight // 2)
    assert plan.summaries == ()
    assert shares(plan)["reflection"] == (0, 0)
    assert plan.weight_after <= plan.budget


@pytest.mark.parametrize("share", [10, 4, 2])
def test_it_ends_within_every_budget_with_something_pinned(stores: Stores, share: int) -> None:
    mem = stores.open(**EAGER)
    said(mem, *GARDEN, *BREAD)
    pinned = mem.remember("Ana is allergic to penicillin", kind="semantic", pin=True, **LONG)
    plan = planned(mem, max(mem.weight // share, pinned.weight))
    mem.forget(plan)
    assert mem.weight <= plan.budget
    sound(mem)


def test_where_no_room_for_a_summary_is_left_its_constituents_go_without(stores: Stores) -> None:
    mem = stores.open(**EAGER)
    said(mem, *GARDEN)
    pinned = mem.remember("Ana is allergic to penicillin", kind="semantic", pin=True, **LONG)
    plan = planned(mem, pinned.weight)
    assert plan.summaries == ()
    assert NO_ROOM in {action.rule for action in plan.actions}
    assert sum(tokens for _, tokens in shares(plan).values()) == plan.freed_tokens
    mem.forget(plan)
    assert mem.weight == pinned.weight
    sound(mem)


def test_equal_stores_have_equal_plans_and_a_plan_can_be_made_again(stores: Stores) -> None:
    shapes = set()
    for _ in range(2):
        mem = stores.open(seed=7)
        said(mem, *GARDEN, *BREAD)
        plan = planned(mem, mem.weight // 2)
        again = planned(mem, mem.weight // 2)
        assert (again.digest, again.summaries, again.stages) == (plan.digest, plan.summaries, plan.stages)
        shapes.add((plan.stages, tuple((one.content, round(one.realised, 6)) for one in plan.summaries)))
    assert len(shapes) == 1


def test_a_trigger_summarises_in_the_transaction_that_needs_room_and_asks_no_model(stores: Stores) -> None:
    with chat_server() as server:
        spec = f"openai:m@{server.url}"
        mem = stores.open(budget=240, low_water=0.7, policy__name="hybrid", models__curate=spec, **EAGER)
        for turn in range(4):
            for text in GARDEN:
                mem.remember(f"{text} Round {turn}.", kind="episodic", session="s", **LONG)
                assert mem.weight <= 240
        assert server.requests == []
    assert summaries(mem)
    sound(mem)


def test_a_model_that_fails_leaves_the_summaries_to_sentences(stores: Stores) -> None:
    with chat_server() as server:
        server.body = b"I would rather not."
        mem = stores.open(models__curate=f"openai:m@{server.url}", reflection__model_calls=2, **EAGER)
        said(mem, *GARDEN, *BREAD)
        plan = planned(mem, mem.weight * 6 // 10)
        assert 1 <= len(server.requests) <= 2
    plain = stores.open(**EAGER)
    said(plain, *GARDEN, *BREAD)
    expected = planned(plain, plain.weight * 6 // 10)
    assert [one.content for one in plan.summaries] == [one.content for one in expected.summaries]
    assert any("extractive" in note for note in plan.notes)
    mem.forget(plan)
    assert mem.weight <= plan.budget
    sound(mem)


def test_a_store_without_vectors_goes_by_the_other_stages_and_says_why(stores: Stores) -> None:
    mem = stores.open(embedding__model="none", **EAGER)
    said(mem, *GARDEN)
    plan = planned(mem, mem.weight // 2)
    assert (plan.summaries, plan.notes) == ((), (WITHOUT_VECTORS,))
    assert plan.weight_after <= plan.budget


def test_strict_closure_leaves_the_constituents_latent(stores: Stores) -> None:
    mem = stores.open(reflection__closure="strict", **EAGER)
    said(mem, *GARDEN)
    plan = planned(mem, mem.weight * 7 // 10)
    mem.forget(plan)
    latent = {memory.id for memory in mem.memories() if memory.tier is Tier.LATENT}
    assert latent == {ident for summary in plan.summaries for ident in summary.constituents} != set()
    sound(mem)


def test_the_parameters_name_what_decided(stores: Stores) -> None:
    mem = stores.open()
    said(mem, *GARDEN)
    known = {text.split("=")[0] for text in planned(mem, mem.weight // 2).parameters}
    assert {"policy.hybrid.reflection_share", "models.curate", "policy.density.lambda_priv", "goal"} <= known


@pytest.mark.parametrize("policy", ["fifo", "density", "hybrid"])
def test_a_task_may_go_from_the_very_moment_that_its_grace_ends(stores: Stores, policy: str) -> None:
    mem = stores.open(policy__name=policy, task_grace="0s", step_ms=0)
    task = mem.remember("Water the tomatoes on Friday", kind="task", deadline=mem.now() + 1_000)
    mem.settings.set_budget(mem.weight)
    stores.clock(mem).advance(1_000)
    late = mem.remember("Carl came on Saturday", kind="semantic")
    assert mem.get(task.id) is None
    assert mem.get(late.id) is not None


@pytest.mark.parametrize("policy", ["hybrid", "priority-decay", "density"])
def test_a_jump_of_the_clock_takes_nothing_until_it_is_confirmed(stores: Stores, policy: str) -> None:
    mem = stores.open()
    for number in range(8):
        mem.remember(f"note {number} about something else altogether", kind="semantic", memory_class="canonical")
    task = mem.remember("water the garden", kind="episodic", memory_class="canonical").id
    mem.control.record_access([task])
    budget = mem.weight // 2
    before = mem.plan(policy=policy, budget=budget)
    stores.clock(mem).jump(400 * DAY_MS)
    after = mem.plan(policy=policy, budget=budget)
    assert [(one.id, one.rule) for one in after.actions] == [(one.id, one.rule) for one in before.actions]
    assert {name: count for name, count, _ in after.stages}.get("temporal", 0) == 0
    mem.remember("written after the jump", kind="semantic", memory_class="canonical")
    later = mem.plan(policy=policy, budget=budget)
    assert all("unread for" not in one.reason or "seconds" in one.reason for one in later.actions)
    mem.maintenance.confirm_clock()
    confirmed = mem.plan(policy=policy, budget=budget)
    assert policy != "hybrid" or confirmed.stages[0][1] > 0, "what is stale by a confirmed clock goes first"
