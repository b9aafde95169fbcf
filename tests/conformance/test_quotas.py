"""Budgets of single users and conversations, on every engine: they hold in every committed state, and who pays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.errors import BudgetInfeasible, InvariantError, MemoryTooLarge, StalePlan
from marskg.ontology.vocabulary import Kind, Tier
from marskg.policies.registry import POLICY_NAMES
from tests.support import picture as pictures
from tests.support.stores import START

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.memory import AgentMemory
    from marskg.records import Memory
    from tests.support.stores import Stores

LINE = "turn {}: small talk about the weather"


def live(memory: AgentMemory) -> dict[str, Memory]:
    return {one.id: one for one in memory.memories() if one.tier is Tier.LIVE}


def weight_of(memory: AgentMemory, subject: str) -> int:
    return sum(one.weight for one in live(memory).values() if subject in one.subjects)


def talk(memory: AgentMemory, turns: int, subject: str, session: str | None = None) -> list[str]:
    said = []
    for number in range(turns):
        fields: dict[str, Any] = {} if session is None else {"session": session}
        said.append(memory.remember(LINE.format(number), subjects=[subject], **fields).id)
    return said


def draft(**fields: Any) -> marskg.Draft:
    return marskg.Draft(ref="", kind=Kind.EPISODIC, at=START, **fields)


def check(stores: Stores, memory: AgentMemory) -> None:
    assert pictures.faults(pictures.take(stores.engine, memory.tenant)) == []
    assert memory.verify().ok


@pytest.mark.parametrize("policy", POLICY_NAMES)
def test_whoever_talks_most_pays_for_it_alone(stores: Stores, policy: str) -> None:
    memory = stores.open(budget=4_000, policy__name=policy, partitions__user_budget=60)
    quiet = talk(memory, 4, "ann")
    nobody = memory.remember("the office is in Porto", kind="semantic").id
    talk(memory, 30, "bob")
    assert {*quiet, nobody} <= set(live(memory))
    assert weight_of(memory, "bob") <= 60
    found = memory.policy.explain()["allowances"]["user"]
    assert (found["budget"], found["holders"]) == (60, 2)
    assert found["fullest"][0] == {"name": "bob", "weight": weight_of(memory, "bob")}
    assert memory.stats()["allowances"] == memory.policy.explain()["allowances"]
    check(stores, memory)


def test_the_policys_own_order_decides_among_them(stores: Stores) -> None:
    memory = stores.open(budget=4_000, policy__name="lru", partitions__conversation_budget=40, low_water=1.0)
    said = talk(memory, 5, "ann", "s")
    memory.control.record_access(said[:1])
    memory.remember(LINE.format(5), session="s")
    assert said[1] not in live(memory)
    assert said[0] in live(memory), "it was read last"
    (record,) = [record for record in memory.audit.records() if record.operation == "forget"]
    assert "allowance.conversation=48/40" in record.details[0]
    (evicted,) = [record for record in memory.audit.records() if record.operation == "evict"]
    assert "last read" in evicted.details[1]


def test_a_memory_about_two_people_counts_against_both(stores: Stores) -> None:
    memory = stores.open(budget=4_000, partitions__user_budget=30, policy__name="fifo", low_water=1.0)
    both = memory.remember(LINE.format(0), subjects=["ann", "bob"])
    talk(memory, 3, "ann")
    assert both.id not in live(memory), "ann had no room for it"
    assert weight_of(memory, "bob") == 0
    check(stores, memory)


def test_no_name_of_a_person_or_session_gets_into_the_audit(stores: Stores) -> None:
    memory = stores.open(budget=4_000, partitions__user_budget=30, partitions__conversation_budget=20)
    talk(memory, 9, "Ludmilla", "about-the-divorce")
    records = [record for record in memory.audit.records() if record.operation in {"forget", "evict"}]
    assert len(records) > 4
    assert not [one for record in records for one in record.details if "Ludmilla" in one or "divorce" in one]


def test_what_others_depend_on_goes_with_them_only_where_nothing_else_may(stores: Stores) -> None:
    memory = stores.open(budget=4_000, partitions__user_budget=24, policy__name="fifo", low_water=1.0)
    base = memory.remember(LINE.format(0), subjects=["ann"])
    free = memory.remember(LINE.format(1), subjects=["ann"])
    other = memory.remember("this rests on it", subjects=["bob"], depends_on=[base.id])
    memory.remember(LINE.format(2), subjects=["ann"])
    memory.remember(LINE.format(3), subjects=["ann"])
    assert free.id not in live(memory)
    assert {base.id, other.id} <= set(live(memory)), "what nobody needs goes first"
    kept = memory.policy.pin(memory.remember(LINE.format(4), subjects=["ann"]).id)
    memory.policy.pin(memory.remember(LINE.format(5), subjects=["ann"]).id)
    memory.remember(LINE.format(6), subjects=["ann"])
    assert {base.id, other.id}.isdisjoint(live(memory))
    assert kept.id in live(memory)
    texts = [text for record in memory.audit.records() if record.operation == "evict" for text in record.details[1:]]
    assert any("depends on a memory for which the budget of a user has no room" in text for text in texts)
    check(stores, memory)


def test_what_something_latent_depends_on_is_archived_beside_it(stores: Stores) -> None:
    memory = stores.open(budget=4_000, partitions__user_budget=16, policy__evict_to="latent", low_water=1.0)
    base = memory.remember(LINE.format(0), subjects=["ann"])
    rests = memory.remember("it rests on that", subjects=["ann"], depends_on=[base.id])
    memory.remember(LINE.format(1), subjects=["ann"])
    memory.remember(LINE.format(2), subjects=["ann"])
    memory.settings.set(None, {"policy.evict_to": "tombstone"})
    tiers = {one.id: one.tier for one in memory.memories()}
    assert (tiers[base.id], tiers[rests.id]) == (Tier.LIVE, Tier.LATENT)
    memory.remember(LINE.format(3), subjects=["ann"], pin=True)
    memory.remember(LINE.format(4), subjects=["ann"])
    assert {one.id: one.tier for one in memory.memories()}[base.id] is Tier.LATENT, "its dependent still has content"
    check(stores, memory)


def test_what_is_pinned_is_refused_when_it_fills_the_budget_of_its_user(stores: Stores) -> None:
    memory = stores.open(budget=4_000, partitions__user_budget=20)
    pinned = [memory.remember(LINE.format(number), subjects=["ann"], pin=True).id for number in range(2)]
    before = memory.stats()["audit_seq"]
    with pytest.raises(BudgetInfeasible, match=r"partitions\.user_budget is 20.*pinned, 8 tokens") as caught:
        memory.remember(LINE.format(2), subjects=["ann"])
    assert {ident for ident, _ in caught.value.protectors} > set(pinned)
    assert memory.stats()["audit_seq"] == before
    memory.policy.unpin(pinned[0])
    memory.remember(LINE.format(2), subjects=["ann"])
    assert pinned[0] not in live(memory)
    with pytest.raises(MemoryTooLarge, match=r"partitions\.user_budget is 20"):
        memory.remember("word " * 40, subjects=["ann"])
    with pytest.raises(MemoryTooLarge, match=r"partitions\.user_budget is 20"):
        memory.update(pinned[1], "word " * 40)
    memory.remember("word " * 40, subjects=[])
    check(stores, memory)


def test_a_budget_that_is_set_or_cut_to_a_tenth_holds_at_once(stores: Stores) -> None:
    memory = stores.open(budget=4_000)
    for subject in ("ann", "bob"):
        talk(memory, 20, subject, f"with {subject}")
    memory.settings.set(None, {"partitions.user_budget": 160})
    assert memory.weight == 320
    memory.settings.set(None, {"partitions.user_budget": 16, "partitions.conversation_budget": 40})
    assert [weight_of(memory, subject) <= 16 for subject in ("ann", "bob")] == [True, True]
    memory.policy.pin(next(iter(live(memory))))
    sequence = memory.stats()["audit_seq"]
    with pytest.raises(BudgetInfeasible, match=r"partitions\.conversation_budget is 3"):
        memory.settings.set(None, {"partitions.conversation_budget": 3})
    assert memory.stats()["audit_seq"] == sequence
    assert memory.settings.current.partitions.conversation_budget == 40
    memory.settings.set(None, {"partitions.user_budget": None, "partitions.conversation_budget": None})
    assert "allowances" not in memory.policy.explain()
    talk(memory, 20, "ann")
    assert weight_of(memory, "ann") > 160
    check(stores, memory)


def test_a_batch_keeps_to_it(stores: Stores) -> None:
    memory = stores.open(budget=4_000, partitions__user_budget=60, partitions__conversation_budget=40)
    drafts = [
        {"content": LINE.format(number), "subjects": (("ann", "bob")[number % 2],), "session": f"s{number % 3}"}
        for number in range(120)
    ]
    assert memory.remember_many(draft(**fields) for fields in drafts) == 120
    assert max(weight_of(memory, subject) for subject in ("ann", "bob")) <= 60
    check(stores, memory)


def test_a_second_process_counts_what_the_first_one_wrote(stores: Stores) -> None:
    memory = stores.open(budget=4_000, partitions__user_budget=40)
    talk(memory, 4, "ann")
    again = stores.open(memory.tenant)
    for _ in range(3):
        talk(again, 3, "ann")
        if stores.engine.name != "arcadedb":
            talk(memory, 3, "ann")
    assert weight_of(again, "ann") <= 40
    check(stores, again)


def test_what_is_loaded_and_restored_keeps_to_it(stores: Stores, tmp_path: Path) -> None:
    source = stores.open(budget=4_000)
    talk(source, 10, "ann")
    source.export(tmp_path / "all.jsonld")
    memory = stores.open(budget=4_000, partitions__user_budget=40, policy__evict_to="latent")
    memory.load(tmp_path / "all.jsonld")
    assert weight_of(memory, "ann") <= 40
    latent = next(one.id for one in memory.memories() if one.tier is Tier.LATENT)
    memory.restore(latent)
    assert latent in live(memory)
    assert weight_of(memory, "ann") <= 40
    check(stores, memory)


def test_a_plan_from_before_is_stale(stores: Stores) -> None:
    memory = stores.open(budget=4_000, partitions__user_budget=40)
    talk(memory, 4, "ann")
    plan = memory.plan(budget=8)
    talk(memory, 4, "ann")
    with pytest.raises(StalePlan):
        memory.forget(plan)


@pytest.mark.parametrize("policy", ["fifo", "hybrid", "greedy"])
def test_the_young_of_a_kind_go_last(stores: Stores, policy: str) -> None:
    memory = stores.open(
        budget=4_000, partitions__user_budget=40, partitions__lifetimes__episodic="1h", policy__name=policy
    )
    said = talk(memory, 3, "ann")
    fact = memory.remember("Ann has a garden", kind="semantic", subjects=["ann"])
    talk(memory, 3, "ann")
    assert fact.id not in live(memory), "it has no minimum lifetime"
    assert policy != "fifo" or set(said) & set(live(memory)), "although these are older"
    talk(memory, 6, "ann")
    reasons = [text for one in memory.audit.records() for text in one.details if "are allowed" in text]
    assert reasons, "each says whose budget it was"
    assert all("memories about one person weigh " in text for text in reasons)
    assert "younger than episodic memories should get" not in reasons[0]
    assert "younger than episodic memories should get" in reasons[-1]
    check(stores, memory)


@pytest.mark.parametrize("policy", ["fifo", "greedy"])
def test_the_young_go_for_the_budget_and_not_for_the_room_below_it(stores: Stores, policy: str) -> None:
    memory = stores.open(
        budget=4_000,
        low_water=0.4,
        partitions__user_budget=80,
        partitions__lifetimes__episodic="1h",
        policy__name=policy,
    )
    talk(memory, 12, "ann")
    assert sum(one.weight for one in live(memory).values()) > 60
    check(stores, memory)


@pytest.mark.server
def test_a_policy_that_takes_nothing_is_named(stores: Stores, tmp_path: Path) -> None:
    (tmp_path / "idle.cypher").write_text(
        "MATCH (m:Memory) WHERE m.tenant = $tenant AND m.weight > 1000000\nRETURN m.id AS id, 1.0 AS score\n"
    )
    (tmp_path / "idle.yaml").write_text("reason: it never takes anything\n")
    memory = stores.open(budget=4_000, partitions__user_budget=20, policy__name=str(tmp_path / "idle.cypher"))
    talk(memory, 2, "ann")
    with pytest.raises(InvariantError, match="policy 'idle' takes none of the memories about 'ann'"):
        talk(memory, 1, "ann")


def test_a_refused_write_leaves_nobody_heavier(stores: Stores) -> None:
    memory = stores.open(budget=40, partitions__user_budget=30, policy__name="fifo", low_water=1.0)
    for number in range(3):
        memory.remember(LINE.format(number), subjects=["ann"], pin=True)
    again = stores.open(memory.tenant, seed="which counts anew")
    with pytest.raises(BudgetInfeasible):
        again.remember(" ".join(LINE.format(number) for number in range(3)), subjects=["ann"], pin=True)
    assert again.stats()["allowances"] == memory.stats()["allowances"]
    check(stores, again)
