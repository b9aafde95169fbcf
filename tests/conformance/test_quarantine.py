"""Quarantine: what a policy would remove waits for a person; the budget holds, and so do the invariants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import marskg
from marskg.policies.registry import POLICY_NAMES
from tests.support import picture as pictures

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

DAY = 86_400_000


def assert_sound(stores: Stores, memory: AgentMemory) -> None:
    assert pictures.faults(pictures.take(stores.engine, memory.tenant)) == []
    assert memory.validate(full=True).ok
    assert memory.verify().findings == ()


def tiers(memory: AgentMemory) -> dict[str, str]:
    return {one.id: one.tier.value for one in memory.memories()}


def filled(memory: AgentMemory, **fields: object) -> list[str]:
    return [
        memory.remember(f"Number {place} of the things that were said that day", **fields).id  # type: ignore[arg-type]
        for place in range(8)
    ]


def test_all_of_it_waits_and_the_budget_holds(stores: Stores) -> None:
    memory = stores.open(policy__review="all", policy__quarantine="10d", policy__name="fifo")
    ids = filled(memory)
    weight = memory.weight
    memory.settings.set_budget(weight // 2)
    assert memory.weight <= weight // 2
    found = memory.learning.review().quarantined
    assert {one.id for one in found} == {ident for ident, tier in tiers(memory).items() if tier == "latent"}
    assert found[0].id == ids[0]
    assert all("in quarantine until somebody decides" in one.reason and "stored" in one.reason for one in found)
    now = memory.now()
    assert all(9 * DAY < one.until - now <= 10 * DAY for one in found)
    assert "tombstone" not in tiers(memory).values()
    assert_sound(stores, memory)


@pytest.mark.server
def test_what_is_sensitive_waits_and_the_rest_goes(stores: Stores) -> None:
    memory = stores.open(policy__review="sensitive", policy__review_from=0.5)
    dull = memory.remember("The first dull thing", sensitivity=0.49)
    secret = memory.remember("The first secret thing", sensitivity=0.5)
    stays = memory.remember("The last thing that is said")
    plan = memory.plan(policy="fifo", budget=stays.weight)
    assert {action.id: action.action for action in plan.actions} == {dull.id: "evict", secret.id: "quarantine"}
    assert "quarantine" in plan.actions[1].reason
    memory.forget(plan)
    assert tiers(memory) == {secret.id: "latent", stays.id: "live"}
    assert [one.id for one in memory.learning.review().quarantined] == [secret.id]
    assert_sound(stores, memory)


def test_its_bases_wait_with_it(stores: Stores) -> None:
    memory = stores.open(policy__review="sensitive")
    ground = memory.remember("The ground of it")
    base = memory.remember("The base", depends_on=[ground.id])
    secret = memory.remember("What makes no sense without it", depends_on=[base.id], sensitivity=0.9)
    other = memory.remember("Something else that depends on the ground", depends_on=[ground.id])
    stays = memory.remember("The last")
    memory.forget(memory.plan(policy="fifo", budget=stays.weight))
    assert tiers(memory) == {ground.id: "latent", base.id: "latent", secret.id: "latent", stays.id: "live"}
    assert other.id not in tiers(memory)
    assert_sound(stores, memory)
    with pytest.raises(marskg.InvalidInput, match="depends on it"):
        memory.learning.accept(base.id)
    memory.learning.accept(secret.id)
    assert memory.learning.accept(base.id).done == "removed"
    assert_sound(stores, memory)


@pytest.mark.parametrize("review", ["sensitive", "all"])
@pytest.mark.parametrize("policy", POLICY_NAMES)
def test_every_policy_leaves_it_to_a_person(stores: Stores, policy: str, review: str) -> None:
    memory = stores.open(policy__review=review, policy__name=policy)
    base = memory.remember("The base of what follows, in a sentence of its own")
    for place in range(12):
        memory.remember(
            f"Number {place} of the walks by the river with the dog, which was cold and long",
            session="s",
            sensitivity=0.9 if place % 3 == 0 else 0.0,
            depends_on=[base.id] if place % 4 == 0 else [],
            ttl="90d",
        )
    before = {one.id: one for one in memory.memories()}
    budget = memory.weight // 3
    memory.settings.set_budget(budget)
    assert memory.weight <= budget
    after = {one.id: one for one in memory.memories()}
    lost = {ident for ident in before if ident not in after or after[ident].content is None}
    assert not any(review == "all" or before[ident].sensitivity >= 0.5 for ident in lost)
    assert memory.learning.review().quarantined
    assert_sound(stores, memory)


def test_a_person_decides(stores: Stores) -> None:
    memory = stores.open(policy__review="all", policy__name="fifo")
    first, second, last = (memory.remember(f"Number {place} of three such things") for place in range(3))
    memory.forget(memory.plan(budget=last.weight))
    assert {one.id for one in memory.learning.review().quarantined} == {first.id, second.id}
    decided = memory.learning.accept(first.id)
    assert (decided.done, decided.changed) == ("removed", (first.id,))
    assert first.id not in tiers(memory)
    kept = memory.learning.reject(second.id)
    assert (kept.done, tiers(memory)[second.id]) == ("restored", "live")
    assert memory.learning.review().quarantined == ()
    assert [
        (record.operation.value, slot)
        for record in memory.audit.records()
        for slot in record.details
        if "a person" in slot
    ]
    with pytest.raises(marskg.InvalidInput, match="not on the list"):
        memory.learning.accept(second.id)
    assert_sound(stores, memory)


def test_what_was_kept_by_a_person_is_not_the_next_to_go(stores: Stores) -> None:
    memory = stores.open(policy__review="all", policy__name="priority-decay")
    made = [memory.remember(f"Number {place} of four such things") for place in range(4)]
    memory.forget(memory.plan(budget=3 * made[0].weight))
    (waiting,) = memory.learning.review().quarantined
    memory.learning.reject(waiting.id)
    plan = memory.plan(budget=3 * made[0].weight)
    assert waiting.id not in {action.id for action in plan.actions}


def test_restoring_needs_room(stores: Stores) -> None:
    memory = stores.open(policy__review="all", policy__name="fifo")
    first = memory.remember("The first of two such things")
    second = memory.remember("The second of two such things")
    memory.forget(memory.plan(budget=second.weight))
    memory.policy.pin(second.id)
    memory.settings.set_budget(second.weight)
    for call in (memory.restore, memory.learning.reject):
        with pytest.raises(marskg.BudgetInfeasible):
            call(first.id)
    assert [one.id for one in memory.learning.review().quarantined] == [first.id], "nothing changed"
    memory.policy.unpin(second.id)
    assert memory.restore(first.id).tier.value == "live"
    assert [one.id for one in memory.learning.review().quarantined] == [second.id]
    assert_sound(stores, memory)


def test_its_time_ends_and_it_goes(stores: Stores) -> None:
    memory = stores.open(policy__review="all", policy__quarantine="2d", policy__name="fifo")
    first = memory.remember("The first of two such things", ttl="90d")
    last = memory.remember("The second of two such things", ttl="90d")
    memory.forget(memory.plan(budget=last.weight))
    for _ in range(2):
        stores.clock(memory).advance(DAY - 1000)
        assert memory.get(first.id) is not None
        memory.control.record_access([last.id])
    stores.clock(memory).advance(3_000)
    memory.maintenance.expire()
    assert tiers(memory) == {last.id: "live"}
    assert_sound(stores, memory)


def test_its_time_ends_while_something_needs_it(stores: Stores) -> None:
    memory = stores.open(policy__review="all", policy__quarantine="2h", policy__name="fifo")
    base = memory.remember("The base of the other")
    needs = memory.remember("What depends on it", depends_on=[base.id])
    last = memory.remember("Whatever")
    memory.forget(memory.plan(budget=last.weight))
    memory.restore(needs.id)
    stores.clock(memory).advance(3 * 3_600_000)
    memory.maintenance.expire()
    assert memory.get(base.id) is not None
    assert base.id in {one.id for one in memory.learning.review().quarantined}, (
        "it waits for another time, and is still listed"
    )
    assert_sound(stores, memory)


def test_the_latent_budget_protects(stores: Stores) -> None:
    memory = stores.open(policy__review="all", latent_budget=5, policy__name="fifo")
    filled(memory)
    before = tiers(memory)
    with pytest.raises(marskg.BudgetInfeasible, match="latent_budget"):
        memory.settings.set_budget(memory.weight // 2)
    assert tiers(memory) == before


def test_expiry_and_erasure_wait_for_nobody(stores: Stores) -> None:
    memory = stores.open(policy__review="all", policy__name="fifo")
    short = memory.remember("It lives for an hour", ttl="1h", sensitivity=0.9)
    bea = memory.remember("It is about Bea and her house", subjects=["bea"], sensitivity=0.9)
    last = memory.remember("Whatever")
    memory.forget(memory.plan(budget=last.weight))
    assert len(memory.learning.review().quarantined) == 2
    memory.erase(subject="bea")
    stores.clock(memory).advance(3_600_001)
    memory.maintenance.expire()
    assert tiers(memory) == {last.id: "live"}
    assert {short.id, bea.id}.isdisjoint(one.id for one in memory.learning.review().quarantined)
    assert_sound(stores, memory)


def test_the_budgets_of_users_wait_as_well(stores: Stores) -> None:
    memory = stores.open(policy__review="all", policy__name="fifo", partitions__user_budget=30)
    for place in range(6):
        memory.remember(f"Number {place} of the things about Bea alone", subjects=["bea"])
    assert memory.learning.review().quarantined
    assert "tombstone" not in tiers(memory).values()
    assert_sound(stores, memory)


def test_settings_that_make_no_sense(stores: Stores) -> None:
    memory = stores.open()
    for wrong in (
        {"policy.review": "all", "policy.evict_to": "latent"},
        {"policy.review": "some"},
        {"policy.review_from": 2},
        {"policy.quarantine": "0d"},
        {"policy.quarantine": None},
    ):
        with pytest.raises(marskg.InvalidConfig):
            memory.settings.set(None, wrong)
