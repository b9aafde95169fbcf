"""Differential privacy, whole, on every engine: the account moves with what is forgotten, and never falls."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.api.restricted.restricted_memory import RestrictedMemory
from marskg.clock import SeededSource
from marskg.errors import InvalidConfig, NotPermitted, PrivacyBudgetExhausted, StoreDamaged, StoreUnwritable
from marskg.ontology.vocabulary import Operation, Tier
from marskg.policies import executor
from marskg.privacy.principals import Principal, Role
from marskg.store.rows.privacy_budget import CONTROL, digest_of
from marskg.store.statements.catalogue import statement
from tests.support import picture as pictures

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.memory import AgentMemory
    from marskg.records import Plan
    from marskg.store.unit.unit_of_work import Unit
    from tests.support.stores import Stores

SAID = re.compile(r"privacy\.(spent|choices|uniform)=([0-9.]+)")
LINE = "turn {}: small talk about the weather"
PRIVATE: dict[str, Any] = {"policy__name": "private", "privacy__epsilon_per_choice": 0.5}


def talk(memory: AgentMemory, turns: int, session: str | None = None, **fields: Any) -> list[str]:
    if session is not None:
        fields["session"] = session
    return [memory.remember(LINE.format(number), **fields).id for number in range(turns)]


def live(memory: AgentMemory) -> set[str]:
    return {one.id for one in memory.memories() if one.tier is Tier.LIVE}


def passes(memory: AgentMemory) -> list[dict[str, float]]:
    """Return what the record of each pass says of the account."""
    texts = (record.details[0] for record in memory.audit.records() if record.operation is Operation.FORGET)
    return [{name: float(value) for name, value in SAID.findall(text)} for text in texts]


def check(stores: Stores, memory: AgentMemory) -> None:
    assert pictures.faults(pictures.take(stores.engine, memory.tenant)) == []
    assert memory.verify().ok
    assert memory.validate(full=True).ok


def spent(memory: AgentMemory) -> float:
    return float(memory.privacy.budget()["spent"])


# --- The trigger ---------------------------------------------------------------------------------------------------


def test_triggers_spend_until_the_budget_is_gone_and_writes_go_on(stores: Stores) -> None:
    memory = stores.open(budget=120, **PRIVATE, privacy__epsilon_budget=3)
    pinned = memory.remember("Ana is allergic to penicillin", kind="semantic", pin=True).id
    talk(memory, 30, "s1")
    found = memory.privacy.budget()
    assert (found["spent"], found["left"], found["choices"], found["choices_left"]) == (3.0, 0.0, 6, 0)
    assert found["uniform_choices"] > 0
    assert memory.weight <= 120
    assert pinned in live(memory)
    said = passes(memory)
    assert sum(one["spent"] for one in said) == pytest.approx(3.0)
    assert sum(one["uniform"] for one in said) == found["uniform_choices"]
    check(stores, memory)


def test_no_score_is_logged_or_explained(stores: Stores) -> None:
    memory = stores.open(budget=120, **PRIVATE)
    talk(memory, 20, "s1", sensitivity=0.7)
    evicted = [record for record in memory.audit.records() if record.operation is Operation.EVICT]
    assert evicted
    told = ("utility=", "penalty=", "term_", "novelty=", "removal_priority=", "sensitivity=")
    for record in evicted:
        text = "".join(record.details)
        assert "drawn by noisy max from" in text
        assert not [word for word in told if word in text]
    explained = memory.explain(next(iter(live(memory))))
    assert not explained.density
    memory.settings.set(None, {"policy.name": "density"})
    assert memory.explain(next(iter(live(memory)))).density, "the same question has an answer under another policy"


def test_each_conversation_has_an_account_under_a_keyed_digest(stores: Stores) -> None:
    memory = stores.open(budget=150, **PRIVATE, privacy__epsilon_budget=100, privacy__conversation_epsilon_budget=1)
    talk(memory, 15, "first")
    talk(memory, 15, "second")
    found = memory.privacy.budget()
    mine = {digest_of(memory.store.services.handle, memory.tenant, session): session for session in ("first", "second")}
    by_session = {mine[one["digest"]]: one for one in found["conversations"]}
    assert set(by_session) == {"first", "second"}
    assert by_session["first"] == {**by_session["first"], "spent": 1.0, "left": 0.0}
    assert all(one["spent"] <= 1.0 for one in found["conversations"])
    stored = memory._writer.state.controls[CONTROL]
    assert "first" not in stored
    check(stores, memory)


def test_who_wants_to_be_refused_is_and_nothing_was_written(stores: Stores) -> None:
    memory = stores.open(budget=60, **PRIVATE, privacy__epsilon_budget=1, privacy__when_spent="refuse")
    with pytest.raises(PrivacyBudgetExhausted, match="mars privacy budget"):
        talk(memory, 40)
    before = (live(memory), memory.stats()["audit_seq"], memory.privacy.budget())
    with pytest.raises(PrivacyBudgetExhausted):
        talk(memory, 40)
    assert (live(memory), memory.stats()["audit_seq"], memory.privacy.budget()) == before
    memory.settings.set(None, {"privacy.when_spent": "uniform"})
    talk(memory, 5)
    check(stores, memory)


def test_a_write_that_fails_after_the_draw_changes_nothing(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    """The account is in the transaction of what it was spent on: what was not committed was not shown to anybody."""
    memory = stores.open(budget=60, **PRIVATE)
    talk(memory, 12)
    before = (live(memory), memory.privacy.budget(), memory.stats()["audit_seq"])
    drawn = []

    def refused(_: Unit, plan: Plan) -> None:
        drawn.append(plan)
        message = "the disk is full"
        raise StoreUnwritable(message)

    with monkeypatch.context() as patched:
        patched.setattr(executor, "apply", refused)
        with pytest.raises(StoreUnwritable):
            talk(memory, 12)
    assert dict(drawn[0].controls)[CONTROL]
    after = (live(memory), memory.privacy.budget(), memory.stats()["audit_seq"])
    # Writes for which there was room went in.
    assert after[1] == before[1]
    assert before[0] <= after[0]
    talk(memory, 3)
    assert sum(one["spent"] for one in passes(memory)) == pytest.approx(spent(memory))


def test_the_budget_of_a_conversations_tokens_is_kept_by_draws_among_its_own(stores: Stores) -> None:
    memory = stores.open(budget=4_000, **PRIVATE, partitions__conversation_budget=80, privacy__epsilon_budget=2)
    quiet = talk(memory, 4, "quiet")
    talk(memory, 25, "loud")
    assert set(quiet) <= live(memory)
    assert spent(memory) == 2.0
    check(stores, memory)


# --- Asked for -----------------------------------------------------------------------------------------------------


def test_forgetting_at_once_charges_what_it_draws(stores: Stores) -> None:
    memory = stores.open(budget=1_000, privacy__epsilon_per_choice=0.5, privacy__epsilon_budget=2)
    talk(memory, 12, "s")
    weight = memory.weight
    plan = memory.privacy.forget(budget=weight - 1)
    assert len(plan.actions) == 1
    assert spent(memory) == 0.5
    assert memory.weight == plan.weight_after < weight
    for _ in range(3):
        memory.privacy.forget(budget=memory.weight - 1, strict=True)
    before = (live(memory), memory.stats()["audit_seq"])
    with pytest.raises(PrivacyBudgetExhausted, match="is spent"):
        memory.privacy.forget(budget=memory.weight - 1, strict=True)
    assert (live(memory), memory.stats()["audit_seq"], spent(memory)) == (*before, 2.0)
    plan = memory.privacy.forget(budget=memory.weight - 1)
    assert plan.notes == ("1 drawn uniformly, as the privacy budget is spent",)
    assert spent(memory) == 2.0
    assert not memory.privacy.forget().actions
    check(stores, memory)


def test_what_was_drawn_may_wait_for_a_person(stores: Stores) -> None:
    memory = stores.open(**PRIVATE, policy__review="all")
    talk(memory, 8, "s")
    plan = memory.privacy.forget(budget=memory.weight // 2)
    assert {action.action for action in plan.actions} == {"quarantine"}
    assert {one.tier for one in memory.memories()} == {Tier.LIVE, Tier.LATENT}
    assert spent(memory) > 0
    check(stores, memory)


def test_no_plan_is_made_to_be_looked_at(stores: Stores) -> None:
    memory = stores.open(budget=1_000, **PRIVATE)
    talk(memory, 5)
    for options in ({}, {"policy": "private", "budget": 10}):
        with pytest.raises(NotPermitted, match="mars forget --policy private"):
            memory.plan(**options)  # type: ignore[arg-type]  # one of both
    with pytest.raises(NotPermitted, match="mars forget --policy private"):
        memory.policy.compare(["fifo", "private"], budget=10)
    assert spent(memory) == 0
    assert memory.plan(policy="fifo", budget=10).actions


def test_settings_that_would_draw_twice_are_refused_and_change_nothing(stores: Stores) -> None:
    memory = stores.open(budget=1_000, **PRIVATE)
    for values in ({"partitions.mode": "dual"}, {"policy.guardrail": 0.5}, {"tiered.raised": "private"}):
        with pytest.raises(InvalidConfig):
            memory.settings.set(None, values)
    assert memory.settings.current.policy.name == "private"
    assert not memory.settings.current.partitions.on


def test_nobody_but_the_operator_sees_the_account(stores: Stores) -> None:
    memory = stores.open(budget=60, **PRIVATE)
    talk(memory, 12, "s")
    assert "privacy" not in json.dumps(memory.stats())
    for role in (Role.CONTROLLER, Role.SUBJECT, Role.READER):
        with pytest.raises(NotPermitted, match=r"privacy\.budget"):
            RestrictedMemory(memory.store, Principal(role, "bea")).privacy.budget()
    assert spent(memory) > 0


# --- Erasing and restoring -----------------------------------------------------------------------------------------


def test_an_erased_conversation_leaves_no_digest(stores: Stores) -> None:
    memory = stores.open(budget=100, **PRIVATE)
    talk(memory, 10, "kept")
    talk(memory, 10, "gone")
    before = memory.privacy.budget()
    assert len(before["conversations"]) == 2
    memory.erase(session="gone")
    after = memory.privacy.budget()
    digest = digest_of(memory.store.services.handle, memory.tenant, "gone")
    assert [one for one in before["conversations"] if one["digest"] != digest] == after["conversations"]
    assert after["spent"] == before["spent"]
    check(stores, memory)


def test_restoring_an_older_snapshot_gives_back_nothing_that_was_spent(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open(budget=100, **PRIVATE, privacy__epsilon_budget=4)
    talk(memory, 10, "a")
    memory.snapshots.save(tmp_path / "early.mars")
    early = memory.privacy.budget()
    talk(memory, 10, "b")
    late = memory.privacy.budget()
    assert early["spent"] < late["spent"]
    memory.snapshots.load(tmp_path / "early.mars")
    assert memory.privacy.budget() == late
    memory.snapshots.load(tmp_path / "early.mars")
    assert memory.privacy.budget() == late, "restoring twice gives the same store"
    talk(memory, 10, "c")
    assert late["spent"] <= spent(memory) <= 4
    assert memory.verify().ok


@pytest.mark.server
def test_what_a_killed_restore_of_an_earlier_version_parked_is_not_lost(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = stores.open(budget=100, **PRIVATE)
    talk(memory, 10, "a")
    memory.snapshots.save(tmp_path / "early.mars")
    talk(memory, 10, "b")
    late = memory.privacy.budget()
    parked = {"ref": f"account|{memory.tenant}", "tenant": memory.tenant}
    stores.engine.write(
        "MATCH (t:Tenant {ref: $tenant}) MERGE (v:StoreVersion {ref: $ref}) SET v.account = t.controls", parked
    )
    stores.engine.write("MATCH (t:Tenant {ref: $tenant}) DELETE t", parked)
    with pytest.raises(StoreDamaged):
        stores.apart().open(memory.tenant, budget=100, **PRIVATE)
    if stores.address is not None:
        monkeypatch.setenv("NEO4J_PASSWORD", stores.address.password)
    clock, source = stores.clock(memory), SeededSource(3)
    with marskg.open(
        stores.location, tenant=memory.tenant, clock=clock, source=source, snapshot=tmp_path / "early.mars"
    ) as again:
        assert again.privacy.budget() == late
    assert stores.engine.read(statement("parked_account", stores.engine.name), {"ref": parked["ref"]}) == []
