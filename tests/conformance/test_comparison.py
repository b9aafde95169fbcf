"""Policies compared on one store, on every engine: what each would forget and which answers go; nothing changes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from marskg.answer import plain
from marskg.errors import BudgetInfeasible, InvalidConfig, InvalidInput
from marskg.policies.comparison import compare_plans
from marskg.policies.registry import POLICY_NAMES

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

DAY = 86_400_000
FACT: dict[str, Any] = {"kind": "semantic", "memory_class": "canonical"}


def filled(stores: Stores) -> tuple[AgentMemory, dict[str, str]]:
    """Return a store with three facts of different ages and uses."""
    memory = stores.open(step_ms=0, embedding__model="none")
    ids = {}
    for name, text in {
        "piano": "the piano was tuned by Marta",
        "visa": "the visa lies in the blue folder",
        "tea": "Ana drinks green tea",
    }.items():
        stores.clock(memory).advance(DAY)
        ids[name] = memory.remember(text, **FACT).id
    stores.clock(memory).advance(DAY)
    memory.control.record_access([ids["piano"]])
    return memory, ids


def everything(memory: AgentMemory) -> str:
    """Return all that a tenant holds and logged, as bytes would."""
    logs = [[record.core for record in memory.audit.records(log=log)] for log in ("transitions", "accesses")]
    return json.dumps([memory.stats(), logs, [plain(found) for found in memory.memories()]])


def test_each_policy_says_what_would_go_and_which_question_loses_its_answer(stores: Stores) -> None:
    memory, ids = filled(stores)
    questions = ["who tuned the piano?", "where is the visa?", "zeppelin"]
    before = everything(memory)
    found = memory.policy.compare(["fifo", "lru"], budget=memory.weight - 1, questions=questions)
    assert everything(memory) == before, "a comparison changes neither the store nor its logs"
    fifo, lru = found.forecasts
    assert [action.id for action in fifo.plan.actions] == [ids["piano"]]
    assert [action.id for action in lru.plan.actions] == [ids["visa"]]
    assert (fifo.only, lru.only) == ((ids["piano"],), (ids["visa"],))
    assert (fifo.lost, lru.lost) == ((1,), (2,))
    assert found.answers == (ids["piano"], ids["visa"], None)
    assert found.answered == 2
    assert found.common == ()
    assert {kind.value: count for kind, count in fifo.by_kind.items() if count} == {"semantic": 1}


def test_what_is_foreseen_is_what_then_happens(stores: Stores) -> None:
    memory, _ = filled(stores)
    for number in range(8):
        memory.remember(f"turn {number} about gardens", kind="episodic", session="s", memory_class="canonical")
    budget = memory.weight // 2
    found = memory.policy.compare(POLICY_NAMES, budget=budget)
    assert [one.plan.policy for one in found.forecasts] == list(POLICY_NAMES)
    for one in found.forecasts:
        assert one.plan == memory.plan(policy=one.plan.policy, budget=budget)
        assert one.plan.realised_loss <= one.plan.bound
    memory.forget(found.forecasts[0].plan)
    assert memory.weight == found.forecasts[0].plan.weight_after <= budget


def test_an_answer_that_a_summary_says_word_for_word_is_not_lost(stores: Stores) -> None:
    memory = stores.open()
    for _ in range(6):
        memory.remember("The form is in the blue folder.", kind="episodic", session="s", memory_class="canonical")
    memory.remember("Rui fed the dog in the park", kind="semantic", pin=True)
    question = "where is the form?"
    found = memory.policy.compare(["reflection-summary"], budget=20, questions=[question])
    (summarised,) = found.forecasts
    assert found.answers[0] in summarised.plan.summaries[0].constituents
    assert summarised.lost == ()
    (forgotten,) = memory.policy.compare(["fifo"], budget=10, questions=[question]).forecasts
    assert forgotten.lost == (1,), "nothing takes its place"
    memory.forget(summarised.plan)
    assert [hit.memory.content for hit in memory.retrieve(question, k=1)] == ["The form is in the blue folder."]


def test_a_question_is_recorded_nowhere(stores: Stores) -> None:
    memory, _ = filled(stores)
    before = memory.stats()
    memory.policy.compare(["fifo"], budget=1, questions=["who tuned the piano?"])
    memory.policy.compare(["fifo"], budget=1, questions=["who tuned the piano?"])
    assert memory.stats() == before
    assert next(iter(memory.audit.records(log="accesses"))).sequence == 1
    assert sum(1 for _ in memory.audit.records(log="accesses")) == 2, "its opening, and the one access of this test"


def test_bad_input_is_refused_with_the_way_out(stores: Stores) -> None:
    memory, ids = filled(stores)
    with pytest.raises(InvalidInput, match="0 plans"):
        memory.policy.compare([])
    with pytest.raises(InvalidConfig, match="there is no policy 'oldest'"):
        memory.policy.compare(["fifo", "oldest"])
    with pytest.raises(InvalidInput, match="query is empty"):
        memory.policy.compare(["fifo"], questions=[" "])
    memory.policy.pin(ids["tea"])
    with pytest.raises(BudgetInfeasible, match="tokens are protected"):
        memory.policy.compare(["fifo"], budget=0)
    with pytest.raises(InvalidInput, match="different states"):
        compare_plans([memory.plan(budget=10), memory.plan(budget=11)])
