"""The guardrail on every engine: it holds a trigger back, gives way to the budget, and is in the audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

FACT: dict[str, Any] = {"kind": "semantic", "memory_class": "canonical"}


def outcomes(memory: AgentMemory) -> list[str]:
    """Return what the records of triggers say of the guardrail."""
    found = (record.details[0] for record in memory.audit.records() if record.operation.value == "forget")
    return [text.partition("guardrail.outcome=")[2].partition('"')[0] for text in found]


def filled(stores: Stores, guardrail: float | None) -> AgentMemory:
    """Return a store at its budget of 100 that was written to once more; a trigger goes down to half if it may."""
    memory = stores.open(budget=100, low_water=0.5, policy__name="fifo", policy__guardrail=guardrail)
    for number in range(40):
        memory.remember(f"note number {number}", **FACT)
        if outcomes(memory):
            return memory
    message = "the store never came to its budget"
    raise AssertionError(message)


def test_without_a_guardrail_a_trigger_goes_down_to_the_low_water_mark(stores: Stores) -> None:
    memory = filled(stores, None)
    assert memory.weight <= 60
    assert outcomes(memory) == [""]


def test_a_guardrail_that_is_kept_changes_nothing(stores: Stores) -> None:
    memory = filled(stores, 10.0)
    assert memory.weight <= 60
    assert outcomes(memory) == ["within"]


def test_above_the_guardrail_only_what_the_budget_asks_for_goes(stores: Stores) -> None:
    memory = filled(stores, 0.0)
    assert 90 < memory.weight <= 100, "the budget holds, and nothing is freed beyond it"
    assert outcomes(memory) == ["exceeded"]
    assert memory.verify().ok


def test_a_trigger_is_cut_where_what_the_budget_needs_is_cheap(stores: Stores) -> None:
    memory = stores.open(budget=60, low_water=0.3, policy__name="fifo", policy__guardrail=0.06)
    cheap = "a long and rambling episode about the weather in the north, the south, the east and the west of the land"
    memory.remember(cheap, kind="episodic", memory_class="canonical")
    while not outcomes(memory):
        memory.remember("dear", **FACT)
    assert outcomes(memory) == ["cut"]
    assert memory.weight > 30


def test_a_plan_by_hand_is_noted_and_not_held_back(stores: Stores) -> None:
    memory = filled(stores, 0.0)
    plan = memory.plan(budget=30)
    assert plan.weight_after <= 30
    assert any("above policy.guardrail of 0, which holds triggers back" in text for text in plan.notes)
    memory.forget(plan)
    assert memory.weight <= 30
