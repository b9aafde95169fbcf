"""Forgetting by a policy, whole, on every engine: what a plan changes, what it may not touch, what it says."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from marskg.clock import DAY_MS
from marskg.config import Settings
from marskg.drafts import Draft
from marskg.errors import InvariantError
from marskg.ontology.vocabulary import Kind, MemoryClass, Tier
from marskg.policies import executor
from marskg.policies.core.policy import plan_digest
from marskg.policies.registry import POLICY_NAMES
from marskg.store.commit.writer import Writer
from marskg.store.upkeep import maintenance
from tests.support.stores import START

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from marskg.memory import AgentMemory
    from marskg.records import Plan
    from marskg.store.unit.unit_of_work import Unit
    from tests.support.stores import Stores

LONG: dict[str, Any] = {"memory_class": "canonical"}


def filled(memory: AgentMemory) -> dict[str, str]:
    """Give a tenant things that stay, things that go, and things that go only after others."""
    ids: dict[str, str] = {}

    def said(name: str, content: str, **fields: Any) -> None:
        ids[name] = memory.remember(content, **{"kind": "semantic"} | LONG | fields).id

    said("pinned", "Ana is allergic to penicillin", pin=True)
    said("flat", "the flat is in the Rua das Flores")
    said("rent", "its rent is 900 euros a month", depends_on=[ids["flat"]])
    said("form", "the visa form lies in the blue folder")
    said("visa", "hand in the visa form", kind="task", requires=[ids["form"]], status="open")
    for number in range(8):
        said(f"turn{number}", f"turn {number} of the conversation about gardens", kind="episodic", session="s")
    return ids


def everything(memory: AgentMemory) -> list[object]:
    """Return all that a tenant holds, its audit included."""
    logs = [list(memory.audit.records(log=log)) for log in ("transitions", "accesses")]
    return [list(memory.memories()), list(memory.entities.list()), *logs, memory.audit.heads(), memory.stats()]


@pytest.mark.parametrize("policy", POLICY_NAMES)
def test_a_dry_run_writes_nothing_and_comes_out_the_same(stores: Stores, policy: str) -> None:
    memory = stores.open(step_ms=0)
    filled(memory)
    before = everything(memory)
    plans = [memory.plan(policy=policy, budget=memory.weight // 2, seed=3) for _ in range(2)]
    assert plans[0] == plans[1]
    assert plans[0].digest == plan_digest(plans[0])
    assert everything(memory) == before


@pytest.mark.parametrize("evict_to", ["tombstone", "latent"])
@pytest.mark.parametrize("policy", POLICY_NAMES)
def test_pins_tasks_and_dependencies_hold_and_each_victim_has_its_reason(
    stores: Stores, policy: str, evict_to: str
) -> None:
    memory = stores.open(policy__evict_to=evict_to)
    ids = filled(memory)
    kept = {ids[name] for name in ("pinned", "form", "visa")}
    floor = sum(found.weight for found in memory.memories() if found.id in kept)
    known = sum(1 for _ in memory.audit.records())
    plan = memory.forget(memory.plan(policy=policy, budget=floor))
    assert {found.id for found in memory.memories() if found.tier is Tier.LIVE} == kept
    assert memory.weight == plan.weight_after == floor
    order = [action.id for action in plan.actions]
    assert order.index(ids["rent"]) < order.index(ids["flat"]), "what depends on it goes first"
    for action in plan.actions:
        found = memory.get(action.id)
        content_kept = found is not None and found.content is not None
        assert content_kept is (evict_to == "latent")
    told = "".join(detail for record in memory.audit.records(first=known + 1) for detail in record.details)
    assert all(action.reason in told for action in plan.actions)
    assert "penicillin" not in told
    assert memory.verify().ok
    assert memory.validate(full=True).ok


def test_a_plan_that_touches_what_is_protected_is_stopped_and_leaves_nothing(stores: Stores) -> None:
    memory = stores.open()
    ids = filled(memory)
    before = everything(memory)
    good = memory.plan(policy="fifo", budget=memory.weight - 1)
    for name, said in (("pinned", "protected by a pin"), ("form", "protected by"), ("flat", "dependents with content")):
        with pytest.raises(InvariantError, match=said):
            memory.forget(redirected(good, memory, ids[name]))
    assert everything(memory) == before


def redirected(plan: Plan, memory: AgentMemory, victim: str) -> Plan:
    """Return a plan of a policy that has gone wrong: it takes ``victim``."""
    found = memory.get(victim)
    assert found is not None
    changed = replace(plan, actions=(replace(plan.actions[0], id=victim, weight=found.weight),))
    return replace(changed, digest=plan_digest(changed))


# --- Settings ----------------------------------------------------------------------------------------------------


def test_weights_per_kind_from_a_yaml_file_decide(stores: Stores, tmp_path: Path) -> None:
    victims = []
    for favourite in (Kind.SOCIAL, Kind.EPISODIC):
        weights = "".join(f"      {kind.value}: {1.0 if kind is favourite else 0.1}\n" for kind in Kind)
        path = tmp_path / f"{favourite}.yaml"
        path.write_text(f"policy:\n  name: priority-decay\n  scoring:\n    type_weights:\n{weights}", encoding="utf-8")
        memory = stores.open()
        memory.settings.set(Settings.from_yaml(path), {})
        for kind in (Kind.SOCIAL, Kind.EPISODIC):
            memory.remember("Rui is a friend of Ana", kind=kind.value, **LONG)
        (action,) = memory.plan(budget=memory.weight - 1).actions
        victims.append(action.kind)
    assert victims == [Kind.EPISODIC, Kind.SOCIAL]


@pytest.mark.server
def test_an_ordering_anew_that_was_cut_off_is_ended_by_the_next_to_open(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed: dict[str, Any] = {"policy.scoring.type_weights.semantic": 0.01, "policy.scoring.gamma": 0.7}
    orders = []
    for cut in (False, True):
        memory = stores.open(policy__name="priority-decay")
        for number in range(12):
            memory.remember(f"number {number}", kind=("episodic", "semantic")[number % 2])
        with monkeypatch.context() as patch:
            patch.setattr(maintenance, "_PAGE", 5)
            if cut:
                _interrupt(patch, after=2)
            with pytest.raises(KeyboardInterrupt) if cut else contextlib.nullcontext():
                memory.settings.set(None, changed)
        again = stores.open(memory.tenant)
        orders.append([action.reason for action in again.plan(budget=1).actions])
        query = "MATCH (m:Memory) WHERE m.tenant = $tenant RETURN m.decayKey AS key ORDER BY key"
        orders[-1] += [str(row[0]).partition("|")[2] for row in again.cypher(query, {"tenant": memory.tenant}).rows]
        assert again.verify().ok
    assert orders[0] == orders[1]


def _interrupt(patch: pytest.MonkeyPatch, *, after: int) -> None:
    """Interrupt the ``after``-th page of an ordering anew."""
    pages = iter(range(1, 100))
    run = Writer.run

    def cut(writer: Writer, work: Callable[[Unit], object]) -> object:
        if isinstance(work, partial) and next(pages) == after:
            raise KeyboardInterrupt
        return run(writer, work)

    patch.setattr(Writer, "run", cut)


@pytest.mark.parametrize(("margin", "spared"), [(0.0, True), (10.0, False)])
def test_an_access_spares_what_is_next_in_line_only_beyond_the_margin(
    stores: Stores, margin: float, *, spared: bool
) -> None:
    memory = stores.open(policy__name="priority-decay", policy__scoring__spare_margin=margin)
    turns = []
    for number in range(4):
        stores.clock(memory).advance(DAY_MS)
        turns.append(memory.remember(f"turn number {number} about gardens", kind="episodic", session="s", **LONG).id)
    memory.forget(memory.plan(budget=memory.weight - 1))
    assert memory.get(turns[0]) is None, "the oldest went; the next is marked"
    memory.control.record_access([turns[1]])
    (action,) = memory.plan(budget=memory.weight - 1).actions
    assert action.id == (turns[2] if spared else turns[1])


# --- A policy of one file ----------------------------------------------------------------------------------------


@pytest.mark.server
def test_a_users_policy_decides_and_editing_it_changes_the_plan(stores: Stores, tmp_path: Path) -> None:
    path = tmp_path / "by-weight.cypher"
    text = "MATCH (m:Memory) WHERE m.tenant = $tenant RETURN m.id AS id, $sign * m.weight / 7.0 AS score"
    path.write_text(text, encoding="utf-8")
    path.with_suffix(".yaml").write_text("parameters: {sign: -1}\nreason: weighs $weight tokens", encoding="utf-8")
    memory = stores.open(policy__name=str(path))
    short = memory.remember("tea", kind="semantic", **LONG)
    long = memory.remember("tea with milk, no sugar, and two biscuits beside it", kind="semantic", **LONG)
    (action,) = memory.plan(budget=memory.weight - 1).actions
    assert (action.id, action.reason) == (long.id, f"weighs {long.weight} tokens")
    path.with_suffix(".yaml").write_text("parameters: {sign: 1.0}\nreason: weighs $weight tokens", encoding="utf-8")
    plan = memory.plan(budget=memory.weight - 1)
    assert [action.id for action in plan.actions] == [short.id]
    memory.forget(plan)
    assert memory.get(short.id) is None
    assert memory.verify().ok


# --- Cost --------------------------------------------------------------------------------------------------------


def test_a_plan_reads_as_much_of_a_small_store_as_of_a_larger_one(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = stores.open(budget=10_000_000)
    rows: dict[str, list[int]] = {name: [] for name in POLICY_NAMES if name != "greedy"}
    run = executor.View.run
    read: list[int] = []

    def counting(view: executor.View, statement: str, parameters: Any) -> list[Any]:
        found = run(view, statement, parameters)
        read.append(len(found))
        return found

    monkeypatch.setattr(executor.View, "run", counting)
    for count in (100, 900):
        memory.remember_many(
            Draft(
                ref=f"d{number}",
                kind=Kind.SEMANTIC,
                content=f"turn {number} of {count}",
                at=START,
                memory_class=MemoryClass.CANONICAL,
            )
            for number in range(count)
        )
        for policy, counted in rows.items():
            read.clear()
            assert memory.plan(policy=policy, budget=memory.weight - 50).actions
            counted.append(sum(read))
    assert {policy: read for policy, (small, large) in rows.items() if large > small + 64} == {}
