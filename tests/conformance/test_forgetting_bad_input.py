"""What forgetting must survive, on every engine: nothing to evict, odd texts, models and clocks, cuts and floors.

Each ends in a clear refusal that changes nothing, or in a correct and explained result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.clock import DAY_MS
from marskg.errors import BudgetInfeasible, InvalidConfig, InvalidInput, InvalidMemory
from marskg.ontology.vocabulary import Kind, Operation, SourceType, Tier
from marskg.policies.builtin.reflection import NAME
from marskg.policies.registry import POLICY_NAMES
from marskg.reflection.language_model import INSTEAD
from marskg.store.rows.summary_lines import decode
from tests.support import picture as pictures
from tests.support.chat_server import chat_server

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.memory import AgentMemory
    from marskg.records import Memory
    from tests.support.chat_server import ChatServer
    from tests.support.stores import Stores

GARDEN = tuple(
    f"On day {day} I watered the tomatoes in the garden behind the house and pulled {10 + day} weeds."
    for day in range(6)
)


def said(memory: AgentMemory, *texts: str, **fields: Any) -> list[str]:
    return [memory.remember(text, **{"session": "s", "memory_class": "canonical"} | fields).id for text in texts]


def summaries(memory: AgentMemory) -> list[Memory]:
    return [one for one in memory.memories() if one.source_type is SourceType.REFLECTION and one.content is not None]


def check(stores: Stores, memory: AgentMemory) -> None:
    assert pictures.faults(pictures.take(stores.engine, memory.tenant)) == []
    assert memory.verify().ok


# --- What is asked for --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seed", "says"),
    [
        ("a", "seed must be an integer, not str"),
        (1.5, "seed must be an integer, not float"),
        (True, "seed must be an integer, not bool"),
        (-1, r"seed is -1, outside \[0, "),
        (10**400, "seed is an integer of 1,329 bits, outside "),
    ],
)
def test_a_seed_that_is_no_whole_number_from_0_is_refused(stores: Stores, seed: Any, says: str) -> None:
    memory = stores.open()
    said(memory, *GARDEN)
    with pytest.raises(InvalidInput, match=says) as refused:
        memory.plan(policy="random-drop", budget=30, seed=seed)
    assert not isinstance(refused.value, InvalidMemory)
    assert memory.plan(policy="random-drop", budget=30, seed=0).seed == 0


# --- Nothing that may go ------------------------------------------------------------------------------------------


def test_where_everything_is_pinned_what_cannot_be_reached_is_refused_and_names_the_pins(stores: Stores) -> None:
    memory = stores.open(budget=400)
    ids = said(memory, *GARDEN, pin=True)
    before = pictures.take(stores.engine, memory.tenant)
    for policy in POLICY_NAMES:
        with pytest.raises(BudgetInfeasible, match="pinned") as caught:
            memory.plan(policy=policy, budget=memory.weight - 1)
        assert {ident for ident, _ in caught.value.protectors} <= set(ids)
        plan = memory.plan(policy=policy, budget=memory.weight)
        assert plan.actions == ()
        assert memory.forget(plan) == plan
    with pytest.raises(BudgetInfeasible, match="Unpin, close a task, or raise the budget"):
        memory.settings.set_budget(memory.weight // 2)
    with pytest.raises(BudgetInfeasible):
        memory.remember("word " * 300)
    assert pictures.take(stores.engine, memory.tenant) == before
    check(stores, memory)


@pytest.mark.parametrize("policy", ["fifo", "greedy", "hybrid", NAME])
def test_where_all_serves_a_task_nothing_goes_until_it_is_done(stores: Stores, policy: str) -> None:
    memory = stores.open(policy__name=policy)
    base = said(memory, "The visa form needs a photo.", kind="semantic")
    step = said(memory, "The photo was taken in May.", kind="semantic", depends_on=base)
    task = memory.remember("Send the visa form.", kind="task", requires=step)
    with pytest.raises(BudgetInfeasible, match="task open"):
        memory.plan(budget=task.weight)
    memory.tasks.amend(task.id, status="done")
    plan = memory.plan(budget=0)
    assert {action.id for action in plan.actions} == {*base, *step, task.id}
    memory.forget(plan)
    assert memory.weight == 0
    assert memory.plan(budget=0).actions == ()
    check(stores, memory)


def test_an_empty_store_has_nothing_to_forget(stores: Stores) -> None:
    memory = stores.open()
    for policy in POLICY_NAMES:
        assert memory.plan(policy=policy, budget=0).actions == ()
        memory.settings.set(None, {"policy.name": policy})
        assert memory.policy.explain()["policy"] == policy
    memory.settings.set_budget(1)
    check(stores, memory)


# --- Odd clusters -------------------------------------------------------------------------------------------------


def test_one_enormous_cluster_is_summarised_in_parts_and_ends_within_the_budget(stores: Stores) -> None:
    memory = stores.open(reflection__members=24)
    for number in range(300):
        said(memory, f"I watered the tomatoes in the garden behind the house, round {number}.")
    plan = memory.plan(policy=NAME, budget=memory.weight // 2)
    assert plan.summaries
    assert max(len(summary.constituents) for summary in plan.summaries) <= 24
    memory.forget(plan)
    assert memory.weight <= plan.budget
    check(stores, memory)


def test_identical_texts_are_told_apart_by_their_age(stores: Stores) -> None:
    memory = stores.open()
    said(memory, *["I watered the tomatoes in the garden."] * 40)
    for policy in POLICY_NAMES:
        budget = memory.weight * 9 // 10
        plan = memory.plan(policy=policy, budget=budget)
        assert plan.digest == memory.plan(policy=policy, budget=budget).digest
        memory.forget(plan)
        assert memory.weight == plan.weight_after <= budget
    check(stores, memory)


def test_identical_texts_become_one_line_with_all_their_sources(stores: Stores) -> None:
    memory = stores.open()
    ids = said(memory, *["I watered the tomatoes in the garden."] * 6)
    memory.forget(memory.plan(policy=NAME, budget=memory.weight * 6 // 10))
    (summary,) = summaries(memory)
    assert summary.content == "I watered the tomatoes in the garden."
    (line,) = decode(summary.summary_lines)
    assert len(line.sources) > 1
    assert set(line.sources) <= set(ids)
    check(stores, memory)


def test_what_is_nothing_but_identifiers_is_never_said_and_goes_without_a_summary(stores: Stores) -> None:
    memory = stores.open(reflection__similarity=0.0)
    said(memory, *(f"ann{number}@example.org" for number in range(6)))
    plan = memory.plan(policy=NAME, budget=memory.weight // 2)
    assert plan.summaries == ()
    assert plan.weight_after <= plan.budget
    memory.forget(plan)
    assert not any("e-mail address" in str(one.content) for one in memory.memories())
    check(stores, memory)


def test_a_summary_that_would_be_longer_than_its_cluster_is_refused(stores: Stores) -> None:
    memory = stores.open(reflection__share=0.95, reflection__similarity=0.0, reflection__tau_util=2.0)
    said(memory, "yes", "no", "ok", "well", "so", "hm")
    with chat_server() as server:
        server.model = lambda _texts: {"lines": [{"text": "yes no ok well so hm " * 5, "memories": [1]}]}
        memory.settings.set(None, {"models.curate": f"openai:m@{server.url}"})
        plan = memory.plan(policy=NAME, budget=memory.weight // 2)
    assert all(one.weight < len(one.constituents) for one in plan.summaries)
    assert plan.weight_after <= plan.budget
    memory.forget(plan)
    check(stores, memory)


# --- A model that fails -------------------------------------------------------------------------------------------


def rubbish(body: bytes) -> Callable[[ChatServer], None]:
    def break_it(server: ChatServer) -> None:
        server.body = body

    return break_it


def answers(made: Any) -> Callable[[ChatServer], None]:
    def break_it(server: ChatServer) -> None:
        server.model = lambda _texts: made

    return break_it


def refuses(server: ChatServer) -> None:
    server.statuses = [500] * 100


def sleeps(server: ChatServer) -> None:
    server.delay = 0.8


FAILURES: dict[str, Callable[[ChatServer], None]] = {
    "no JSON": rubbish(b"Sorry, I cannot do that."),
    "half an answer": rubbish(b'{"choices": [{"message": {"content": "{\\"lines\\": ['),
    "another schema": answers({"summary": "the garden"}),
    "prose": answers("The garden is watered."),
    "empty": answers({"lines": []}),
    "blank lines": answers({"lines": [{"text": " ", "memories": [1]}] * 3}),
    "deep": rubbish(b"[" * 60_000),
    "huge": rubbish(b'{"choices": "' + b"x" * (2 << 20) + b'"}'),
    "error 500": refuses,
    "too slow": sleeps,
}


#: A model has a third of a second.
IMPATIENT: dict[str, Any] = {"models__limit__wait": "300ms"}


@pytest.mark.parametrize("failure", FAILURES)
def test_a_model_that_fails_costs_nothing_but_its_style(stores: Stores, failure: str) -> None:
    made = []
    with chat_server() as server:
        FAILURES[failure](server)
        for spec in ("none", f"openai:m@{server.url}"):
            memory = stores.open(seed=7, models__curate=spec, **IMPATIENT)
            said(memory, *GARDEN)
            plan = memory.plan(policy=NAME, budget=memory.weight * 7 // 10)
            memory.forget(plan)
            assert memory.weight <= plan.budget
            made.append([one.content for one in summaries(memory)])
            check(stores, memory)
        assert server.requests
    assert made[0] == made[1], "the extractive summariser wrote instead"
    assert any(INSTEAD in note for note in plan.notes)
    assert not any("tomatoes" in note for note in plan.notes)


def test_ids_that_no_memory_has_are_no_attribution(stores: Stores) -> None:
    with chat_server() as server:
        server.model = lambda _texts: {
            "lines": [{"text": "I watered the tomatoes in the garden.", "memories": [77, -1, "x", None]}]
        }
        memory = stores.open(models__curate=f"openai:m@{server.url}", reflection__tau_util=1.3, **IMPATIENT)
        ids = said(memory, *GARDEN)
        plan = memory.plan(policy=NAME, budget=memory.weight * 7 // 10)
    for summary in plan.summaries:
        for line in summary.lines:
            assert set(line.sources) == set(summary.constituents) <= set(ids), "all of them stand behind it"
    memory.forget(plan)
    check(stores, memory)


# --- Clocks and cuts ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["priority-decay", "hybrid", NAME, "adaptive", "tiered"])
def test_a_clock_that_jumps_neither_stops_forgetting_nor_removes_what_has_not_expired(
    stores: Stores, policy: str
) -> None:
    memory = stores.open(budget=260, policy__name=policy, partitions__mode="dual", partitions__lifetimes__episodic="1h")
    clock = stores.clock(memory)
    kept = memory.remember("Ann lives in Porto", kind="semantic", ttl="30d", pin=True)
    for jump in (-3 * DAY_MS, 400 * DAY_MS, -399 * DAY_MS, 50_000 * DAY_MS, -50_000 * DAY_MS):
        clock.jump(jump)
        said(memory, *GARDEN)
        assert memory.weight <= 260
        assert memory.get(kept.id) is not None or memory.now() > kept.created + 30 * DAY_MS
        assert next(one for one in memory.memories() if one.id == kept.id).tier is Tier.LIVE, "nobody confirmed it"
    memory.maintenance.confirm_clock()
    clock.advance(33 * DAY_MS)
    memory.maintenance.expire()
    assert kept.id not in {one.id for one in memory.memories() if one.tier is Tier.LIVE}
    check(stores, memory)


@pytest.mark.parametrize("policy", POLICY_NAMES)
def test_a_budget_that_is_cut_to_a_tenth_holds_in_that_one_step(stores: Stores, policy: str) -> None:
    memory = stores.open(budget=2_000, policy__name=policy)
    for number in range(12):
        said(memory, *(f"{text} Round {number}." for text in GARDEN[:5]))
    kept = memory.remember("Ann must not be given penicillin", kind="semantic", pin=True)
    assert memory.weight > 1_000
    sequence = memory.stats()["audit_seq"]
    memory.settings.set_budget(200)
    assert kept.weight <= memory.weight <= 200
    assert memory.get(kept.id) is not None
    operations = [record.operation for record in memory.audit.records(first=sequence + 1)]
    assert operations[0] == "setBudget"
    assert operations.count(Operation.FORGET) == 1
    check(stores, memory)


# --- Floors that contradict each other ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({f"partitions.reserves.{kind}": 0.3 for kind in ("episodic", "semantic", "social", "task")}, "add up to 1.2"),
        ({f"partitions.shares.{kind}": 0 for kind in ("episodic", "semantic", "social", "task")}, "are all 0"),
        ({"partitions.user_budget": 0}, "partitions.user_budget is 0"),
        ({"partitions.conversation_budget": "some"}, "partitions.conversation_budget is 'some'"),
        ({"policy.grace": "1d", "policy.evict_to": "latent"}, "policy.grace needs"),
        ({"low_water": 0}, "low_water is 0"),
    ],
)
def test_floors_that_cannot_hold_together_are_refused_and_nothing_changes(
    stores: Stores, values: dict[str, Any], message: str
) -> None:
    memory = stores.open(budget=400)
    before = memory.settings.current
    with pytest.raises(InvalidConfig, match=message):
        memory.settings.set(None, values)
    assert memory.settings.current == before
    assert memory.stats()["audit_seq"] == 1, "nothing but the tenant's own record"


def test_floors_that_leave_no_room_give_way_to_the_budget_and_say_so(stores: Stores) -> None:
    """All of the budget is reserve, nothing is old enough to go, and the tenant's budget holds all the same (I1)."""
    memory = stores.open(budget=200, low_water=1.0, partitions__mode="fixed")
    floors: dict[str, Any] = {f"partitions.reserves.{kind.value}": 0.25 for kind in Kind}
    memory.settings.set(None, floors | {f"partitions.lifetimes.{kind.value}": "365d" for kind in Kind})
    for number in range(6):
        said(memory, *GARDEN[:2])
        memory.remember(f"fact {number} about the tomatoes in the garden", kind="semantic")
        assert memory.weight <= 200
    plan = memory.plan(budget=100)
    assert plan.weight_after <= 100
    assert any("younger than the minimum lifetime" in note for note in plan.notes)
    assert all("as the budget cannot hold it" in action.reason for action in plan.actions)
    check(stores, memory)


def test_a_users_budget_above_the_tenants_never_binds(stores: Stores) -> None:
    memory = stores.open(budget=100, partitions__user_budget=5_000, partitions__conversation_budget=100)
    said(memory, *GARDEN, subjects=["ann"])
    assert memory.weight <= 100
    assert memory.policy.explain()["allowances"]["user"]["budget"] == 5_000
    memory.settings.set_budget(50)
    check(stores, memory)
