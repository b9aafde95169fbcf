"""The write gate at the public door: what the shapes forbid is refused, by whichever call, and nothing is stored."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.drafts import EntityRelation
from marskg.errors import (
    ClosureViolation,
    CycleError,
    DuplicateId,
    InvalidDocument,
    InvalidInput,
    InvalidMemory,
    MarsError,
    TaskSafetyViolation,
)
from marskg.ontology.vocabulary import Cardinality, EdgeType, Kind, TaskStatus
from marskg.shapes import gate

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

#: An id that nothing has.
NOWHERE = "urn:uuid:01977420-dc7b-72c8-b81f-dc568d631c9d"
OWN = ("temporalNext", "supersedes", "lostPrerequisite", "compatibleWith", "mentions")
UPPER = "urn:uuid:01977420-DC7B-72C8-B81F-DC568D631C9D"


def assert_sound(memory: AgentMemory) -> None:
    """The store as a whole keeps every rule."""
    for report in (memory.validate(full=True), memory.verify()):
        assert report.ok, [f"{finding.code} {finding.where}: {finding.message}" for finding in report.findings]


def ways(memory: AgentMemory, target: str) -> dict[str, Any]:
    """The ways by which a caller draws an edge from an episode of the session ``s``."""

    def draft(type_: str) -> None:
        edges = ((EdgeType(type_), target),)
        memory.remember_many(
            [marskg.Draft(ref="1", kind="episodic", content="by draft", at=memory.now(), session="s", edges=edges)],  # type: ignore[arg-type]  # as users may
            atomic=True,
        )

    source = memory.remember("a source to link from", session="s").id
    return {
        "remember": lambda type_: memory.remember("by remember", session="s", edges=[(type_, target)]),
        "draft": draft,
        "link": lambda type_: memory.link(source, type_, target),
    }


@pytest.mark.parametrize("way", ["remember", "draft", "link"])
@pytest.mark.parametrize("type_", OWN)
def test_nobody_draws_the_edges_of_the_store(stores: Stores, way: str, type_: str) -> None:
    memory = stores.open()
    target = memory.remember("something said before", session="s").id
    call = ways(memory, target)[way]
    before = memory.stats()["audit_seq"]
    with pytest.raises(InvalidMemory, match=rf"{type_} edges are drawn by the store itself: .*; a caller may draw"):
        call(type_)
    assert memory.stats()["audit_seq"] == before
    assert_sound(memory)


@pytest.mark.parametrize("way", ["remember", "draft", "link"])
def test_only_a_task_requires(stores: Stores, way: str) -> None:
    memory = stores.open()
    target = memory.remember("something said before", session="s").id
    call = ways(memory, target)[way]
    with pytest.raises(InvalidMemory, match=r"requires starts at a task; .* is episodic: use dependsOn"):
        call("requires")
    assert_sound(memory)


@pytest.mark.parametrize("way", ["remember", "draft", "link"])
def test_a_goal_is_a_task(stores: Stores, way: str) -> None:
    memory = stores.open()
    target = memory.remember("something said before", session="s").id
    call = ways(memory, target)[way]
    with pytest.raises(
        ClosureViolation, match=r"attachesToGoal points to .*, which is episodic; it must point to a task"
    ):
        call("attachesToGoal")
    assert_sound(memory)


@pytest.mark.parametrize("way", ["remember", "draft", "link"])
@pytest.mark.parametrize("type_", ["derivesFrom", "dependsOn", "contradicts", "partOf", "attachesToGoal"])
def test_an_edge_leads_to_a_memory_of_the_tenant(stores: Stores, way: str, type_: str) -> None:
    memory = stores.open()
    call = ways(memory, NOWHERE)[way]
    before = memory.stats()["audit_seq"]
    with pytest.raises(ClosureViolation, match=f"{type_} points to {NOWHERE}, which is no memory of tenant"):
        call(type_)
    assert memory.stats()["audit_seq"] == before
    assert_sound(memory)


@pytest.mark.parametrize(
    "ident", ["urn:uuid:xyz", "urn:uuid:", UPPER, NOWHERE + "\n", NOWHERE + "0", "http://x/1", "x"]
)
def test_an_id_has_one_form(stores: Stores, ident: str) -> None:
    memory = stores.open()
    with pytest.raises(InvalidMemory, match="urn:uuid: and a UUID in small letters") as refused:
        memory.remember("with an id of one's own", id=ident)
    assert len(str(refused.value)) < 300
    assert memory.stats()["audit_seq"] <= 1
    memory.remember("with an id of one's own", id=NOWHERE)
    assert_sound(memory)


@pytest.mark.parametrize("fields", [{"status": "open"}, {"priority": 3}, {"deadline": 2_000_000_000_000}])
def test_only_a_task_has_a_state(stores: Stores, fields: dict[str, Any]) -> None:
    memory = stores.open()
    with pytest.raises(InvalidMemory, match=r"is semantic, and status, priority, deadline.*belong to tasks"):
        memory.remember("a fact", kind="semantic", **fields)
    assert_sound(memory)


def test_paths_through_the_store_and_the_unit_close_no_cycle(stores: Stores) -> None:
    memory = stores.open()
    first = memory.remember("first", kind="semantic").id
    second = memory.remember("second", kind="semantic", derives_from=[first]).id
    third = memory.remember("third", kind="semantic", depends_on=[second]).id
    for type_ in ("derivesFrom", "dependsOn"):
        with pytest.raises(CycleError, match=f"{type_} from {first} to {third} would close a cycle"):
            memory.link(first, type_, third)
    with pytest.raises(CycleError):
        memory.link(first, "dependsOn", first)
    assert_sound(memory)


def test_what_supersedes_may_not_rest_on_the_task_that_requires_it(stores: Stores) -> None:
    memory = stores.open()
    old = memory.remember("Oslo", kind="semantic", key="home").id
    task = memory.remember("book the flight", kind="task", requires=[old]).id
    with pytest.raises(CycleError, match="would close a cycle"):
        memory.remember("Bergen", kind="semantic", key="home", derives_from=[task])
    assert [found.id for found in memory.history(old)] == [old]
    assert_sound(memory)


def test_an_active_task_requires_what_has_content(stores: Stores) -> None:
    memory = stores.open(policy__evict_to="tombstone")
    base = memory.remember("the plan", kind="semantic").id
    held = memory.remember("what keeps the tombstone", kind="semantic", derives_from=[base]).id
    plan = memory.plan(policy="fifo", budget=memory.weight - 1)
    memory.forget(plan)
    assert memory.get(base) is None
    assert memory.get(held) is not None
    with pytest.raises(TaskSafetyViolation, match=r"requires points to .*, whose content is gone"):
        memory.remember("do it", kind="task", requires=[base])
    with pytest.raises(ClosureViolation, match=r"dependsOn points to .*, whose content is gone"):
        memory.link(held, "dependsOn", base)
    for type_ in ("contradicts", "partOf"):
        with pytest.raises(ClosureViolation, match=rf"{type_} points to .*, whose content is gone"):
            memory.link(held, type_, base)
    assert_sound(memory)


def test_a_weight_is_a_number(stores: Stores) -> None:
    memory = stores.open()
    first, second = memory.remember("first").id, memory.remember("second").id
    for weight in (float("nan"), float("inf")):
        with pytest.raises(MarsError):
            memory.link(first, "partOf", second, weight=weight)
    assert_sound(memory)


def test_an_id_names_one_thing(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open()
    first = memory.remember("Ann Reed drinks tea", mentions=["Ann Reed"])
    (entity,) = memory.entities.list()
    rule = memory.preferences.set("retention", "social", horizon="30d").preferences[0]
    for taken in (first.id, entity.id, rule.id):
        with pytest.raises(DuplicateId, match=f"{taken} already exists"):
            memory.remember("another thing", id=taken)
        other = stores.open()
        other.remember("a thing of that id", id=taken)
        other.export(tmp_path / "other.nq")
        with pytest.raises(DuplicateId, match=f"{taken} already exists"):
            memory.load(tmp_path / "other.nq")
    assert_sound(memory)


@pytest.mark.parametrize("weight", [1e300, -1e17, 2.0**54])
def test_a_number_that_no_document_carries_is_refused(stores: Stores, weight: float) -> None:
    memory = stores.open()
    first, second = memory.remember("first").id, memory.remember("second").id
    with pytest.raises(InvalidInput, match="outside"):
        memory.link(first, "partOf", second, weight=weight)
    assert_sound(memory)


@pytest.mark.parametrize("ident", ["urn:uuid:xyz", UPPER])
def test_an_id_that_version_0_1_took_is_in_nobodys_way(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ident: str
) -> None:
    memory = stores.open()
    with monkeypatch.context() as patch:
        patch.setattr(gate, "NODE_ID", re.compile("urn:uuid:"))
        memory.remember("of an earlier version", id=ident, session="s")
    memory.remember("said next", session="s", derives_from=[ident])
    memory.policy.pin(ident)
    memory.snapshots.save(tmp_path / "saved")
    assert memory.snapshots.load(tmp_path / "saved") == 2
    newer = memory.update(ident, "of this version")
    memory.erase(id=ident)
    assert memory.get(ident) is None
    assert memory.get(newer.id) is not None
    with pytest.raises(InvalidInput, match="is no id of a memory"):
        memory.erase(id=ident)
    assert_sound(memory)


@pytest.mark.parametrize("type_", ["contradicts", "isA", "partOf", "friendOf", "attachesToGoal"])
def test_no_edge_that_a_caller_draws_leads_to_where_it_begins(stores: Stores, type_: str) -> None:
    memory = stores.open()
    there = memory.remember("book the flight", kind="task").id
    before = memory.stats()["audit_seq"]
    with pytest.raises(InvalidMemory, match=f"{type_} would lead from {there} to itself"):
        memory.link(there, type_, there)
    with pytest.raises(InvalidMemory, match=f"{type_} would lead from {NOWHERE} to itself"):
        memory.remember("book the hotel", kind="task", id=NOWHERE, edges=[(type_, NOWHERE)])
    assert memory.stats()["audit_seq"] == before


def test_drafts_name_those_before_them(stores: Stores) -> None:
    memory = stores.open()
    first = marskg.Draft(ref="first", kind=Kind.SEMANTIC, content="drinks tea", at=memory.now())
    second = replace(first, ref="second", content="buys tea", derives_from=("first",))
    before = memory.stats()["audit_seq"]
    for atomic in (True, False):
        with pytest.raises(
            ClosureViolation, match=r"draft 1 \('second'\): .* to 'first', which is no id, nor the name of"
        ):
            memory.remember_many([second, first], atomic=atomic)
    assert memory.stats()["audit_seq"] == before
    assert memory.remember_many([first, second], atomic=True) == 2
    assert_sound(memory)


def test_an_entity_that_names_itself_twice_has_no_edge_to_itself(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open()
    ann, firm = marskg.EntityRef("Ann Reed", aliases=("Annie",)), marskg.EntityRef("Acme")
    relations = tuple(
        EntityRelation(name, EdgeType.WORKS_AT, end) for name, end in (("Annie", "Ann Reed"), ("Annie", "Acme"))
    )
    memory.remember("Ann Reed is called Annie", mentions=[ann])
    draft = marskg.Draft(ref="1", kind=Kind.SEMANTIC, content="Annie works", at=memory.now())
    memory.remember_many([replace(draft, mentions=(marskg.EntityRef("Annie"), ann, firm), relations=relations)])
    by_name = {one.name: one.id for one in memory.entities.list()}
    drawn = "MATCH (a:Entity {tenant: $tenant})-[:worksAt]->(b) RETURN a.name, b.name"
    assert [tuple(row) for row in memory.cypher(drawn, {"tenant": memory.tenant}).rows] == [("Ann Reed", "Acme")]
    memory.export(tmp_path / "told.nq")
    lines = (tmp_path / "told.nq").read_text().splitlines(keepends=True)
    text = "".join(line for line in lines if "#worksAt-" not in line)
    edge = "<{}> <https://w3id.org/mars-kg/ns#worksAt> <{}>".format
    assert text.count(edge(by_name["Ann Reed"], by_name["Acme"])) == 1
    text = text.replace(edge(by_name["Ann Reed"], by_name["Acme"]), edge(by_name["Ann Reed"], by_name["Ann Reed"]))
    (tmp_path / "of-before.nq").write_text(text)
    other = stores.open(seed=2)
    other.load(tmp_path / "of-before.nq")
    for one in (memory, other):
        one.entities.merge(by_name["Acme"], by_name["Ann Reed"])
        assert_sound(one)


def test_an_erasure_by_id_takes_no_entity_and_no_rule_for_a_memory(stores: Stores) -> None:
    memory = stores.open()
    memory.remember("Ann Reed drinks tea", mentions=["Ann Reed"])
    (entity,) = memory.entities.list()
    rule = memory.preferences.set("retention", "social", horizon="30d").preferences[0]
    before = memory.stats()["audit_seq"]
    for other, way_out in ((entity.id, "by entity"), (rule.id, f"mars preferences remove {rule.id}")):
        for dry_run in (True, False):
            with pytest.raises(InvalidInput, match=f"{other} is .*, no memory; .*{way_out}"):
                memory.erase(id=other, dry_run=dry_run)
    assert memory.stats()["audit_seq"] == before
    assert_sound(memory)
    memory.erase(entity=entity.id)
    assert list(memory.entities.list()) == []
    assert_sound(memory)


def test_a_task_that_lost_what_it_requires_has_lost_it_in_other_words_too(stores: Stores) -> None:
    memory = stores.open(policy__evict_to="tombstone")
    need = memory.remember("the visa", expires_at=memory.now() + 60_000).id
    task = memory.remember("book the flight", kind="task", requires=[need]).id
    stores.clock(memory).advance(60_001)
    memory.maintenance.expire()
    told = memory.update(task, "book the flight to Oslo")
    assert told.status is TaskStatus.BLOCKED
    with pytest.raises(TaskSafetyViolation, match=f"cannot become active: it requires {need}"):
        memory.tasks.amend(told.id, status="open")
    memory.unlink(told.id, "lostPrerequisite", need)
    assert memory.tasks.amend(told.id, status="open").status is TaskStatus.OPEN
    assert_sound(memory)


def test_a_document_gives_no_key_what_a_key_does_not_hold(stores: Stores, tmp_path: Path) -> None:
    memory, other = stores.open(), stores.open(seed=2)
    home = memory.remember("Oslo", kind="semantic", key="home").id
    memory.remember("tea", kind="semantic", key="likes", cardinality="set")
    there = other.remember("Bergen", kind="semantic", key="home").id
    other.remember("rain", kind="semantic", key="likes", cardinality="append")
    before = memory.stats()["audit_seq"]
    for told, key in (("one that is current", "home"), ("set values", "likes")):
        other.export(tmp_path / f"{key}.nq")
        with pytest.raises(InvalidDocument, match=f"value of key '{key}', which has {told} here; nothing was loaded"):
            memory.load(tmp_path / f"{key}.nq")
        other.erase(id=there)
    assert memory.stats()["audit_seq"] == before
    other.remember("Bergen", kind="semantic", key="home", subjects=["ann"])
    other.retract("likes", content="rain")
    for one in list(other.memories()):
        if one.key == "likes":
            other.erase(id=one.id)
    other.export(tmp_path / "fits.nq")
    assert memory.load(tmp_path / "fits.nq") == 1
    assert [one.id for one in memory.history(home)] == [home]
    assert_sound(memory)


def test_an_edge_of_a_document_leads_into_it_or_into_the_store(stores: Stores, tmp_path: Path) -> None:
    memory, other = stores.open(), stores.open(seed=2)
    base = other.remember("Oslo", mentions=["Ann Reed"])
    other.export(tmp_path / "before.nq")
    other.remember("Bergen", kind="semantic", derives_from=[base.id], mentions=["Ann Reed"])
    other.export(tmp_path / "whole.nq")
    (entity,) = other.entities.list()
    part = [line for line in (tmp_path / "whole.nq").read_text().splitlines()
            if not line.startswith((f"<{base.id}>", f"<{entity.id}>"))]  # fmt: skip
    (tmp_path / "part.nq").write_text("\n".join(part) + "\n")
    before = memory.stats()["audit_seq"]
    with pytest.raises(InvalidDocument, match="which is neither in the document nor in tenant"):
        memory.load(tmp_path / "part.nq")
    assert memory.stats()["audit_seq"] == before
    assert memory.load(tmp_path / "before.nq") == 1
    assert memory.load(tmp_path / "part.nq") == 1
    assert len(list(memory.memories())) == 2
    assert_sound(memory)


def test_a_batch_ends_a_value_that_never_was_and_begins_a_ledger(stores: Stores) -> None:
    memory = stores.open()
    entry = marskg.Draft(
        ref="1", kind=Kind.SEMANTIC, content="tea", key="spent", cardinality=Cardinality.APPEND, at=memory.now()
    )
    memory.remember_many([replace(entry, action="retract"), entry, replace(entry, content="rain")], atomic=True)
    assert {one.content for one in memory.memories()} == {"tea", "rain"}
    assert_sound(memory)


def test_a_task_that_takes_over_what_served_it_is_no_goal_of_its_own(stores: Stores) -> None:
    memory = stores.open()
    goal = memory.remember("book the flight", kind="task", key="trip", cardinality="set").id
    means = memory.remember("buy it", kind="task", key="trip", cardinality="set", attaches_to_goal=[goal]).id
    assert memory.update(means, "book the flight").id == goal
    assert [(edge.type, edge.target) for edge in memory.edges(goal)] == [(EdgeType.SUPERSEDES, means)]
    assert_sound(memory)


def test_a_reference_to_nothing_is_named_where_a_batch_ends_what_it_was_read_from(stores: Stores) -> None:
    memory = stores.open()
    fact = marskg.Draft(ref="1", kind=Kind.SEMANTIC, content="tea", key="likes", derives_from=("x",), at=memory.now())
    with pytest.raises(ClosureViolation, match="derivesFrom points to 'x', which is no id"):
        memory.remember_many([fact, replace(fact, action="retract")], atomic=True)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"edges": ((EdgeType.SUPERSEDES, "1"),)}, r"draft 2 \('2'\): supersedes edges are drawn by the store itself"),
        ({"requires": ("1",)}, r"draft 2 \('2'\): requires starts at a task; the new memory is semantic"),
        ({"priority": 3}, r"draft 2 \('2'\): the new memory is semantic, and status, priority"),
        ({"attaches_to_goal": ("1",)}, r"draft 2 \('2'\): attachesToGoal points to draft 1 \('1'\), which is semantic"),
        (
            {"content": "one", "derives_from": ("between",)},
            r"draft 3 .*: derivesFrom from the new memory to draft 2 \('between'\) would close",
        ),
    ],
)
def test_a_refusal_says_which_draft_it_is_about(stores: Stores, change: dict[str, Any], told: str) -> None:
    memory = stores.open()
    first = marskg.Draft(ref="1", kind=Kind.SEMANTIC, content="one", key="k", at=memory.now())
    between = replace(first, ref="between", key=None, content="rests on it", derives_from=("1",))
    second = replace(first, **({"ref": "2", "content": "two"} | change))
    before = memory.stats()["audit_seq"]
    with pytest.raises(MarsError, match=told):
        memory.remember_many([first, *([between] if "between" in told else []), second], atomic=True)
    assert memory.stats()["audit_seq"] == before
