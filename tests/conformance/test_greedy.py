"""The policy greedy on every engine: it keeps the only memory of a thing, and says what it gave up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.support.stores import Stores

FACT: dict[str, Any] = {"kind": "semantic", "memory_class": "canonical"}


def test_the_only_memory_of_a_person_outlives_the_second_of_another(stores: Stores) -> None:
    memory = stores.open(policy__name="greedy", entities__recognise="off")
    memory.remember("Ana likes green tea", subjects=["ana"], mentions=["Ana"], **FACT)
    only = memory.remember("Bea likes black tea", subjects=["bea"], mentions=["Bea"], **FACT)
    memory.remember("Ana likes white tea", subjects=["ana"], mentions=["Ana"], **FACT)
    plan = memory.plan(budget=memory.weight - 1)
    (action,) = plan.actions
    assert action.id != only.id
    assert action.reason.endswith("of 2 keys, names, tasks and people it covers, 2 stay covered")
    assert plan.notes[0].startswith("of ")
    memory.forget(plan)
    assert memory.get(only.id) is not None
    assert memory.verify().ok


def test_the_bound_is_of_the_worth_that_is_optimised_coverage_included(stores: Stores) -> None:
    memory = stores.open(policy__name="greedy", entities__recognise="off")
    for name in ("ana", "bea", "cleo"):
        memory.remember(f"{name} likes tea", subjects=[name], mentions=[name.title()], **FACT)
    plan = memory.plan(budget=memory.weight // 3)
    goes = float(plan.notes[0].partition(" goes")[0].rpartition(" ")[2])
    assert plan.realised_loss == pytest.approx(goes, rel=1e-3)
    assert plan.realised_loss > len(plan.actions), "two people and two names are lost besides importance, 1 at most"
    assert plan.realised_loss <= plan.bound


def test_without_worth_for_coverage_only_importance_counts(stores: Stores) -> None:
    nothing: dict[str, Any] = {f"policy__coverage__{name}": 0 for name in ("key", "entity", "goal", "subject")}
    memory = stores.open(policy__name="greedy", **nothing)
    oldest = memory.remember("Bea likes black tea", subjects=["bea"], **FACT)
    stores.clock(memory).advance(86_400_000)
    for colour in ("green", "white"):
        memory.remember(f"Ana likes {colour} tea", subjects=["ana"], **FACT)
    (action,) = memory.plan(budget=memory.weight - 1).actions
    assert action.id == oldest.id


def test_a_key_that_something_still_carries_is_worth_nothing_more(stores: Stores) -> None:
    memory = stores.open(policy__name="greedy", entities__recognise="off")
    first = memory.remember("tea costs 3 euros", key="price", **FACT)
    second = memory.remember("tea costs 4 euros", key="price", **FACT)
    other = memory.remember("the shop is shut on Monday", kind="episodic", memory_class="canonical")
    actions = memory.plan(budget=second.weight).actions
    assert [action.id for action in actions] == [first.id, other.id]
    assert [action.rule for action in actions] == ["superseded", "greedy"]


def test_a_trigger_of_the_policy_keeps_the_budget_on_every_write(stores: Stores) -> None:
    memory = stores.open(policy__name="greedy", budget=60)
    for number in range(30):
        memory.remember(f"note {number} about the garden", kind="episodic", session="s", subjects=[f"p{number % 3}"])
        assert memory.weight <= 60
    assert memory.verify().ok
    assert memory.validate(full=True).ok
