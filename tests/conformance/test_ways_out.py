"""What leaves the live tier, and what stays because of what was done meanwhile; found by random histories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.clock import DAY_MS
from marskg.policies.registry import POLICY_NAMES
from tests.support import picture as pictures

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

HOUR = 3_600_000


def tier(memory: AgentMemory, node_id: str) -> str:
    """Return the tier of a memory, ``gone`` where there is none."""
    found = [one.tier.value for one in memory.memories() if one.id == node_id]
    return found[0] if found else "gone"


def assert_sound(stores: Stores, memory: AgentMemory) -> None:
    assert pictures.faults(pictures.take(stores.engine, memory.tenant)) == []
    assert memory.verify().ok


@pytest.mark.parametrize("policy", POLICY_NAMES)
def test_a_base_is_archived_beside_what_depends_on_it(stores: Stores, policy: str) -> None:
    memory = stores.open(policy__evict_to="latent")
    base = memory.remember("The flat is small", kind="semantic")
    rent = memory.remember("Its rent is low", kind="semantic", depends_on=[base.id])
    memory.forget(memory.plan(policy=policy, budget=0))
    assert [tier(memory, one.id) for one in (base, rent)] == ["latent", "latent"]
    assert_sound(stores, memory)


@pytest.mark.server
def test_the_end_of_a_grace_takes_nothing_that_is_needed(stores: Stores) -> None:
    memory = stores.open(policy__grace="1h")
    base = memory.remember("The flat is small", kind="semantic")
    rent = memory.remember("Its rent is low", kind="semantic", depends_on=[base.id])
    loose = memory.remember("Nothing hangs on this", kind="semantic")
    memory.forget(memory.plan(policy="fifo", budget=0))
    memory.restore(rent.id)
    stores.clock(memory).advance(HOUR)
    memory.maintenance.expire()
    assert [tier(memory, one.id) for one in (base, rent, loose)] == ["latent", "live", "gone"]
    memory.unlink(rent.id, "dependsOn", base.id)
    stores.clock(memory).advance(HOUR)
    memory.maintenance.expire()
    assert [tier(memory, one.id) for one in (base, rent)] == ["gone", "live"], "another grace later it may go"
    assert_sound(stores, memory)


def test_the_end_of_a_grace_takes_nothing_that_is_pinned(stores: Stores) -> None:
    memory = stores.open(policy__grace="1h")
    base = memory.remember("The flat is small", kind="semantic")
    rent = memory.remember("Its rent is low", kind="semantic", depends_on=[base.id])
    memory.forget(memory.plan(policy="fifo", budget=0))
    memory.restore(rent.id)
    memory.policy.pin(rent.id)
    stores.clock(memory).advance(2 * HOUR)
    memory.maintenance.expire()
    assert [tier(memory, one.id) for one in (base, rent)] == ["latent", "live"]
    assert_sound(stores, memory)


def test_a_tombstone_goes_with_the_last_edge_to_it(stores: Stores) -> None:
    memory = stores.open()
    evidence = memory.remember("Said in passing", ttl="1h")
    fact = memory.remember("Ann has a garden", kind="semantic", derives_from=[evidence.id])
    stores.clock(memory).advance(HOUR)
    memory.maintenance.expire()
    assert tier(memory, evidence.id) == "tombstone"
    memory.unlink(fact.id, "derivesFrom", evidence.id)
    assert tier(memory, evidence.id) == "gone"
    assert_sound(stores, memory)


def test_a_tombstone_goes_with_the_last_memory_that_names_it(stores: Stores) -> None:
    memory = stores.open()
    old = memory.remember("Ann likes jazz", kind="semantic", ttl="1h")
    new = memory.remember("Ann likes the blues", kind="semantic", ttl="2h", contradicts=[old.id])
    stores.clock(memory).advance(HOUR)
    memory.maintenance.expire()
    assert tier(memory, old.id) == "tombstone"
    stores.clock(memory).advance(HOUR)
    memory.maintenance.expire()
    assert [tier(memory, one.id) for one in (old, new)] == ["gone", "gone"]
    assert_sound(stores, memory)


def test_an_entity_goes_with_the_last_edge_to_it(stores: Stores) -> None:
    memory = stores.open()
    said = memory.remember("Ann has a garden", mentions=["Ann"])
    (entity,) = memory.entities.list()
    memory.unlink(said.id, "mentions", entity.id)
    assert list(memory.entities.list()) == []
    assert_sound(stores, memory)


def test_a_later_link_brings_expiry_forward_all_the_way_up(stores: Stores) -> None:
    memory = stores.open()
    base = memory.remember("The flat is small", kind="semantic", ttl="1h")
    rent = memory.remember("Its rent is low", kind="semantic")
    sum_ = memory.remember("So the month is cheap", kind="semantic", depends_on=[rent.id])
    told = memory.link(rent.id, "dependsOn", base.id)
    assert any("brought forward" in notice for notice in told.notices)
    ends = {one.id: one.expires_at for one in memory.memories()}
    assert ends[sum_.id] == ends[rent.id] == ends[base.id]
    assert_sound(stores, memory)


def test_a_merged_value_does_not_outlive_its_new_base(stores: Stores) -> None:
    memory = stores.open()
    base = memory.remember("Ann is in the choir", kind="semantic", ttl="1h")
    value = memory.remember("Jazz", kind="semantic", key="likes", cardinality="set")
    merged = memory.remember("jazz ", kind="semantic", key="likes", cardinality="set", depends_on=[base.id])
    assert merged.id == value.id
    assert merged.expires_at == base.expires_at
    assert_sound(stores, memory)


def test_a_set_has_each_value_once_whenever_it_was_heard_of(stores: Stores) -> None:
    memory = stores.open()
    values: dict[str, Any] = {"kind": "semantic", "key": "likes", "cardinality": "set"}
    now = memory.now()
    later = memory.remember("Jazz", at=now, **values)
    earlier = memory.remember("Jazz", at=now - DAY_MS, **values)
    assert earlier.id == later.id
    assert_sound(stores, memory)


def test_a_jump_is_told_before_anything_is_written(stores: Stores) -> None:
    memory = stores.open()
    memory.remember("Before")
    stores.clock(memory).jump(2 * DAY_MS)
    assert memory.stats()["expiry_suspended"]


def test_a_task_that_is_no_longer_current_protects_nothing(stores: Stores) -> None:
    memory = stores.open()
    base = memory.remember("the keys are with Ann", kind="semantic")
    first = memory.remember("move in", kind="task", key="plan/move", requires=[base.id])
    protected = memory.stats()["protected_weight"]
    second = memory.remember("move in on Friday", kind="task", key="plan/move")
    assert memory.get(first.id).status == "done"  # type: ignore[union-attr]  # a tombstone would fail here
    assert memory.stats()["protected_weight"] == second.weight < protected
    memory.retract("plan/move")
    assert memory.get(second.id).status == "cancelled"  # type: ignore[union-attr]  # likewise
    assert memory.stats()["protected_weight"] == 0
    late = memory.remember("move in some day", kind="task", key="plan/move", at=second.valid_from - 1)
    assert late.superseded_at is not None
    assert memory.stats()["protected_weight"] == 0
    assert memory.validate(full=True).ok


def test_the_latent_tier_has_a_budget_of_its_own(stores: Stores) -> None:
    settings: dict[str, Any] = {"latent_budget": 10, "policy.evict_to": "latent"}
    memory = stores.open(**settings)
    texts = ("six words are in this one", "and as many are in this", "here are six words once more")
    for text in texts:
        memory.remember(text, kind="semantic")
    before = memory.stats()
    with pytest.raises(marskg.BudgetInfeasible, match="latent_budget"):
        memory.forget(memory.plan(policy="fifo", budget=7))
    assert memory.stats() == before
    memory.forget(memory.plan(policy="fifo", budget=15))
    assert 0 < memory.stats()["latent_weight"] <= 10


def test_merging_an_equal_value_keeps_a_pin_and_what_is_mentioned(stores: Stores) -> None:
    memory = stores.open()
    first = memory.remember("Jazz", kind="semantic", key="likes", cardinality="set")
    again = memory.remember("jazz", kind="semantic", key="likes", cardinality="set", pin=True, mentions=["Miles"])
    assert again.id == first.id
    assert memory.get(first.id).pinned  # type: ignore[union-attr]  # it is there
    assert [entity.name for entity in memory.entities.list()] == ["Miles"]
    assert memory.stats()["protected_weight"] == first.weight
    assert memory.verify().ok
