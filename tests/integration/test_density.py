"""Policies that go by features, on whole stores: triggers inside transactions, goals, stages, explanations."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from marskg.drafts import Draft
from marskg.errors import BudgetInfeasible, InvalidInput, InvalidMemory
from marskg.ontology.vocabulary import Kind, Operation
from marskg.retrieval.details import slot_details
from marskg.retrieval.query.search import MAX_QUERY
from tests.support.stores import START, Stores
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.memory import AgentMemory

BY_FEATURES = ("density", "removal-priority", "hybrid")
TOPICS = ("garden and tomatoes", "train to Oslo", "piano lesson", "tax return", "dentist on Friday")


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    from marskg.store.engine.arcadedb import ArcadeDB  # noqa: PLC0415 - loads the engine
    from marskg.store.statements.schema import migrate  # noqa: PLC0415

    folder = tmp_path_factory.mktemp("density")
    engine = ArcadeDB(folder)
    migrate(engine)
    yield Stores(engine, str(folder))
    engine.close()


def drafts(count: int, first: int = 0) -> list[Draft]:
    kinds = (Kind.EPISODIC, Kind.SEMANTIC, Kind.SOCIAL)
    return [
        Draft(
            ref=f"d{number}",
            kind=kinds[number % 3],
            content=f"{TOPICS[number % 5]}, note number {number}",
            at=START - (number % 7) * 86_400_000,
            sensitivity=(number % 4) / 4,
        )
        for number in range(first, first + count)
    ]


def kept_up(memory: AgentMemory) -> dict[str, Any]:
    """Return the features by id, from the index that followed."""
    state = memory._writer.state
    table = memory._reading.view.table(state, memory.now())
    return {
        ident: {name: column[row].item() for name, column in table.columns.items()}
        for row, ident in enumerate(table.ids)
    }


def rebuilt(memory: AgentMemory) -> dict[str, Any]:
    memory._reading.view.forget()
    return kept_up(memory)


@pytest.mark.parametrize("policy", BY_FEATURES)
def test_a_batch_over_the_budget_forgets_its_own_memories_too(stores: Stores, policy: str) -> None:
    memory = stores.open(policy__name=policy, budget=300, step_ms=0)
    memory.remember_many(drafts(100))
    assert 150 < memory.weight <= 300
    memory.remember("Book the train to Oslo", kind="task", status="open")
    memory.remember_many(drafts(20, 100))
    assert memory.weight <= 300
    assert kept_up(memory) == rebuilt(memory)
    assert memory.verify().ok
    assert memory.validate(full=True).ok


def test_what_an_aborted_transaction_changed_leaves_the_index(stores: Stores) -> None:
    memory = stores.open(policy__name="density", budget=40, step_ms=0)
    for number in range(2):
        memory.remember(f"{TOPICS[number]} must stay, whatever comes", pin=True)
    heavy = " and ".join(f"{topic} once more" for topic in TOPICS)
    before = kept_up(memory)
    with pytest.raises(BudgetInfeasible):
        memory.remember(heavy)
    assert memory._reading.view._provisional
    assert kept_up(memory) == before == rebuilt(memory)


def test_plans_of_two_stores_with_one_history_are_equal(stores: Stores) -> None:
    plans: list[list[list[tuple[str, str]]]] = []
    for _ in range(2):
        memory = stores.open(seed=5, step_ms=0)
        memory.remember_many(drafts(60))
        memory.remember("Book the train to Oslo", kind="task", status="open")
        if plans:
            # The way to the index does not matter.
            memory.maintenance.prepare()
            memory._reading.view.forget()
        made = [memory.plan(policy=policy, budget=memory.weight // 3) for policy in BY_FEATURES]
        plans.append([[(a.id[-8:], a.reason) for a in plan.actions] for plan in made])
    shape = [[[reason for _, reason in plan] for plan in one] for one in plans]
    assert shape[0] == shape[1]


def test_a_goal_keeps_what_serves_it(stores: Stores) -> None:
    memory = stores.open(step_ms=0, policy__density__theta__semantic__goal=1.0)
    for topic in TOPICS:
        memory.remember(f"What we know of the {topic}", kind="semantic")
    kept = []
    for goal in (TOPICS[0], TOPICS[2]):
        memory.control.set_goal(goal)
        plan = memory.plan(policy="density", budget=memory.weight // 4)
        assert "goal=set by the caller" in plan.parameters
        gone = {action.id for action in plan.actions}
        kept.append({one.content for one in memory.memories() if one.id not in gone})
    assert kept == [{f"What we know of the {TOPICS[0]}"}, {f"What we know of the {TOPICS[2]}"}]
    memory.control.set_goal(None)
    assert "goal=none" in memory.plan(policy="density", budget=0).parameters


@pytest.mark.parametrize(
    ("goal", "says"),
    [
        ("x" * (MAX_QUERY + 1), "goal has 65,537 bytes, more than 65,536; a sentence or a paragraph is enough"),
        ("é" * MAX_QUERY, "goal has 131,072 bytes, more than 65,536"),
        (" ", "goal is empty; "),
        (7, "text must be a string, not int"),
    ],
    ids=["long", "long in bytes", "blank", "no text"],
)
def test_a_goal_that_is_no_question_is_refused_and_the_last_one_holds(stores: Stores, goal: Any, says: str) -> None:
    memory = stores.open(step_ms=0)
    memory.remember_many(drafts(6))
    memory.control.set_goal(TOPICS[0])
    with pytest.raises(InvalidInput, match=says) as refused:
        memory.control.set_goal(goal)
    assert not isinstance(refused.value, InvalidMemory)
    assert "goal=set by the caller" in memory.plan(policy="density", budget=0).parameters
    memory.control.set_goal("é" * (MAX_QUERY // 2))


def test_hybrid_says_what_each_stage_took_in_plan_and_record(stores: Stores) -> None:
    # Of episodes as sensitive as a summary may not be, none would be summarised.
    memory = stores.open(step_ms=0, sensitivity__assess="off")
    told = [replace(one, sensitivity=0.0) if one.kind is Kind.EPISODIC else one for one in drafts(80)]
    memory.remember_many(told[:60])
    stores.clock(memory).advance(40 * 86_400_000)
    memory.maintenance.expire()
    memory.remember_many(told[60:])
    plan = memory.plan(policy="hybrid", budget=memory.weight // 3)
    assert [name for name, _, _ in plan.stages] == ["temporal", "reflection", "importance", "privacy"]
    assert all(count and tokens for _, count, tokens in plan.stages)
    assert sum(tokens for _, _, tokens in plan.stages) == plan.freed_tokens
    assert sum(count for _, count, _ in plan.stages) == len(plan.actions)
    memory.forget(plan)
    record = next(one for one in memory.audit.records() if one.operation is Operation.FORGET)
    counts = slot_details(record)[""]["counts"]
    assert {f"stage.{name}={count} ({tokens} tokens)" for name, count, tokens in plan.stages} <= set(counts)


def test_explain_tells_each_term_before_and_after(stores: Stores) -> None:
    memory = stores.open(policy__name="density", step_ms=0)
    one = memory.remember("Alice's number is in the blue book", kind="social", sensitivity=0.5)
    told = memory.explain(one.id)
    terms = sum(value for name, value in told.density.items() if name.startswith("term_"))
    assert terms == pytest.approx(told.density["utility"])
    assert told.density["penalty"] == pytest.approx(0.1)
    assert (told.density["utility"] - 0.1) / one.weight == pytest.approx(told.density["density"], abs=1e-9)
    assert "recency 0.120" in told.as_text()
    memory.forget(memory.plan(budget=0))
    (event,) = [event for event in memory.explain(one.id).events if event.operation is Operation.EVICT]
    assert any(number.startswith("term_recency=") for number in event.numbers)
    assert "less 0.1 for its sensitivity" in str(event.why)
    assert not memory.explain(one.id).density


def test_readers_and_a_writer_who_makes_room_do_not_wait_for_each_other_for_ever(stores: Stores) -> None:
    memory = stores.open(policy__name="density", budget=200)
    memory.remember_many(drafts(20))
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            memory.retrieve("train to Oslo")
            memory.learning.conflicts()

    readers = [threading.Thread(target=read, daemon=True) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(10):
        memory.remember(f"{TOPICS[number % 5]}, once more, number {number}")
    done.set()
    for reader in readers:
        reader.join(HANGS_S)
    assert not any(reader.is_alive() for reader in readers)
    assert memory.weight <= 200
