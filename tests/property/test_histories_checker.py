"""The checks of random histories find what they are there for: each invariant is broken once and is named.

The first table changes one thing of a sound graph; the second one breaks one function of the product and lives a
history of a few steps with it.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from marskg.api.planning import Planning
from marskg.clock import uuid7
from marskg.errors import NotPermitted
from marskg.ontology.vocabulary import EdgeType, Kind, Operation
from marskg.policies import executor
from marskg.policies.core.policy import plan_digest
from marskg.store.commit import flush
from marskg.store.graph import admit, amend, tiers
from marskg.store.ingest.ingestor import Ingestor
from marskg.store.rows.kind_statistics import KindStatistics
from marskg.store.unit.quotas import Quotas
from marskg.store.unit.session_chain import SessionChain
from marskg.store.unit.unit_of_work import Unit
from marskg.store.upkeep import maintenance
from tests.support import picture as pictures
from tests.support import stores as support
from tests.support.history import History

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from marskg.drafts import Draft
    from marskg.records import Memory
    from marskg.store.unit.unit_of_work import Node
    from tests.support.picture import Picture
    from tests.support.stores import Stores


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    opened = support.embedded(tmp_path_factory.mktemp("checker") / "store")
    yield opened
    opened.engine.close()


# --- One state ----------------------------------------------------------------------------------------------------


@dataclass
class Scene:
    """A sound graph with a little of everything, and the ids in it by their names."""

    picture: Picture
    ids: dict[str, str]

    def node(self, name: str, **changes: Any) -> Picture:
        """Return the picture with changed properties of one memory; None removes one."""
        node_id = self.ids[name]
        node = {**self.picture.nodes[node_id], **changes}
        nodes = {**self.picture.nodes, node_id: {key: value for key, value in node.items() if value is not None}}
        return replace(self.picture, nodes=nodes)

    def edge(self, source: str, type_: str, target: str, tenant: str | None = None) -> Picture:
        """Return the picture with one edge more."""
        edge = (self.ids[source], type_, self.ids[target])
        ref = f"{tenant or self.picture.row['ref']}|{self.ids[target]}"
        return replace(self.picture, edges=tuple(sorted((*self.picture.edges, (edge, ref, ())))))

    def without(self, type_: str) -> Picture:
        """Return the picture without the edges of one type."""
        return replace(self.picture, edges=tuple(one for one in self.picture.edges if one[0][1] != type_))

    def row(self, **changes: Any) -> Picture:
        """Return the picture with another row of the tenant."""
        return replace(self.picture, row={**self.picture.row, **changes})

    def settings(self, **changes: Any) -> Picture:
        """Return the picture with other settings of the tenant."""
        return self.row(settings=json.dumps({**json.loads(self.picture.row["settings"]), **changes}))


@pytest.fixture(scope="module")
def scene(stores: Stores) -> Scene:
    memory = stores.open(budget=10_000)
    ids: dict[str, str] = {}

    def said(name: str, content: str, **fields: Any) -> None:
        ids[name] = memory.remember(content, **fields).id

    for name in ("first", "second", "third"):
        said(name, f"The {name} thing in the garden", session="s", subjects=["ann"], mentions=["Ann"])
    said("evidence", "Said in passing", ttl="1s", session="other")
    said("fact", "Ann has a garden", kind="semantic", derives_from=[ids["evidence"]])
    said("old", "Ann lives in Rome", kind="semantic", key="home", subjects=["ann"])
    said("new", "Ann lives in Porto", kind="semantic", key="home", subjects=["ann"])
    for value in ("Jazz", "Blues"):
        said(value, value, kind="semantic", key="likes", cardinality="set")
    said("flat", "The flat is small", kind="semantic", ttl="2h")
    said("rent", "Its rent is low", kind="semantic", depends_on=[ids["flat"]])
    said("visa", "The form is signed", kind="semantic")
    said("task", "Send the form", kind="task", requires=[ids["visa"]])
    said("pinned", "Ann must not have penicillin", kind="semantic", pin=True)
    said("loose", "Nothing hangs on this", kind="semantic")
    stores.clock(memory).advance(2000)
    assert memory.maintenance.expire() == 1
    return Scene(pictures.take(stores.engine, memory.tenant), ids)


PLANTED: list[tuple[str, Callable[[Scene], Picture]]] = [
    ("I1-budget", lambda scene: scene.row(budget=5)),
    ("I1-weight", lambda scene: scene.row(weight=scene.picture.row["weight"] + 1)),
    ("I1-latentWeight", lambda scene: scene.row(latentWeight=1)),
    ("I1-protectedWeight", lambda scene: scene.row(protectedWeight=0)),
    ("I1-user", lambda scene: scene.settings(**{"partitions.user_budget": 3})),
    ("I1-conversation", lambda scene: scene.settings(**{"partitions.conversation_budget": 3})),
    ("census", lambda scene: scene.node("loose", weight=scene.picture.nodes[scene.ids["loose"]]["weight"] + 1)),
    ("census", lambda scene: scene.node("loose", created=1)),
    ("census", lambda scene: scene.row(census=[0] * len(scene.picture.row["census"]))),
    ("I3-closure", lambda scene: scene.edge("loose", "dependsOn", "evidence")),
    ("I4-requires", lambda scene: scene.edge("task", "requires", "evidence")),
    ("I4-guarding", lambda scene: scene.node("loose", guarding=True)),
    ("I5-clamp", lambda scene: scene.node("rent", expiresAt=None)),
    ("I5-clamp", lambda scene: scene.edge("visa", "dependsOn", "flat")),
    ("I5-expired", lambda scene: scene.node("loose", expiresAt=1)),
    ("I5-deadline", lambda scene: scene.node("task", deadline=1)),
    ("I6-chain", lambda scene: scene.without("temporalNext")),
    ("I6-chain", lambda scene: scene.edge("first", "temporalNext", "third")),
    ("I6-chain", lambda scene: scene.node("second", session="elsewhere")),
    ("I8-edge", lambda scene: scene.edge("loose", "dependsOn", "visa", tenant="someone-else")),
    ("K-guards", lambda scene: scene.node("pinned", guards=0)),
    ("K-guards", lambda scene: scene.node("visa", guards=0)),
    ("K-guards", lambda scene: scene.node("loose", guards=1)),
    ("K-guards", lambda scene: scene.edge("pinned", "dependsOn", "loose")),
    ("leaf-blockers", lambda scene: scene.node("flat", blockers=0)),
    ("leaf-keys", lambda scene: scene.node("loose", fifoKey=None)),
    ("leaf-keys", lambda scene: scene.node("pinned", randomKey="0")),
    ("leaf-rank", lambda scene: scene.node("loose", lruKey=scene.picture.nodes[scene.ids["old"]]["lruKey"])),
    ("cycle", lambda scene: scene.edge("visa", "derivesFrom", "task")),
    ("cycle", lambda scene: scene.edge("loose", "dependsOn", "loose")),
    ("content-missing", lambda scene: scene.node("loose", content=None)),
    ("content-missing", lambda scene: scene.node("loose", salt=None)),
    ("tombstone-keeps", lambda scene: scene.node("evidence", session="s")),
    ("tombstone-weight", lambda scene: scene.node("evidence", weight=1)),
    ("tombstone-unreferred", lambda scene: scene.without("derivesFrom")),
    ("tombstone-edge", lambda scene: scene.edge("evidence", "mentions", "loose")),
    ("slot-cardinality", lambda scene: scene.node("Jazz", cardinality="append")),
    ("slot-single", lambda scene: scene.node("old", supersededAt=None, validTo=None)),
    ("slot-latest", lambda scene: scene.node("new", validFrom=0)),
    ("slot-set", lambda scene: scene.node("Jazz", content=" BLUES ")),
    ("edge-twice", lambda scene: scene.edge("rent", "dependsOn", "flat")),
    ("labels", lambda scene: replace(scene.picture, labels={**scene.picture.labels, scene.ids["loose"]: ("Memory",)})),
    ("entity-unused", lambda scene: scene.without("mentions")),
]


def test_a_sound_graph_has_no_fault(scene: Scene) -> None:
    now = max(node["created"] for node in scene.picture.nodes.values()) + 3000
    assert pictures.faults(scene.picture, settled_at=now) == []


@pytest.mark.parametrize(("code", "plant"), PLANTED, ids=[f"{code}-{row}" for row, (code, _) in enumerate(PLANTED)])
def test_each_breach_of_a_state_is_named(scene: Scene, code: str, plant: Callable[[Scene], Picture]) -> None:
    now = max(node["created"] for node in scene.picture.nodes.values()) + 3000
    assert code in {found for found, _ in pictures.faults(plant(scene), settled_at=now)}


# --- One step -----------------------------------------------------------------------------------------------------


def nothing(*_arguments: Any, **_options: Any) -> None:
    """Do nothing, in the place of something."""


def no_room(_planning: Planning, ground: Any) -> Unit:
    unit = Unit(ground.read, ground.state, ground.services)
    unit.audit.note(Operation.MIGRATE)
    return unit


def too_late(ingestor: Ingestor, draft: Draft, *arguments: Any) -> Memory:
    memory = ORIGINAL_ONE(ingestor, draft, *arguments)
    if draft.kind is Kind.EPISODIC:
        message = "refused after it was written"
        raise NotPermitted(message)
    return memory


ORIGINAL_ONE = Ingestor.one


def overfill(history: History) -> None:
    for _ in range(4):
        history.do("remember", lambda: history.memory.remember("water the tomatoes in the garden twice a week " * 5))


def crowd_one(history: History) -> None:
    history.memory.settings.set(None, {"partitions.user_budget": 30})
    for _ in range(6):
        history.do("remember", lambda: history.memory.remember("water the tomatoes twice a week", subjects=["ann"]))


def miscounted(census: KindStatistics, *_arguments: Any, **_named: Any) -> KindStatistics:
    return census


def expire_evidence(history: History) -> None:
    memory = history.memory
    evidence = memory.remember("Said in passing", ttl="1s")
    memory.remember("Ann has a garden", kind="semantic", derives_from=[evidence.id])
    let_time_pass(history)


def expire_base(history: History) -> None:
    memory = history.memory
    flat = memory.remember("The flat is small", kind="semantic", ttl="1s")
    history.do("remember", lambda: memory.remember("Its rent is low", kind="semantic", depends_on=[flat.id]))
    let_time_pass(history)


def expire_prerequisite(history: History) -> None:
    memory = history.memory
    form = memory.remember("The form is signed", kind="semantic", ttl="1s")
    memory.remember("Send the form", kind="task", requires=[form.id])
    let_time_pass(history)


def expire_episode(history: History) -> None:
    for ttl in (None, "1s", None):
        history.memory.remember("Something was said", session="s", ttl=ttl)
    let_time_pass(history)


def let_time_pass(history: History) -> None:
    history.clock.advance(2000)
    history.do("expire", history.memory.maintenance.expire)
    faults = pictures.faults(history.picture(), settled_at=history.memory.now())
    assert faults == [], faults


def doubt(history: History) -> None:
    memory = history.memory
    base = memory.remember("Ann lives in Rome", kind="semantic")
    memory.remember("Her tram is the 8", kind="semantic", depends_on=[base.id])
    history.do("update", lambda: memory.update(base.id, "Ann lives in Porto"))


def unlink_evidence(history: History) -> None:
    memory = history.memory
    evidence = memory.remember("Said in passing", ttl="1s")
    fact = memory.remember("Ann has a garden", kind="semantic", derives_from=[evidence.id])
    let_time_pass(history)
    history.do("unlink", lambda: memory.unlink(fact.id, "derivesFrom", evidence.id))


def pin_something(history: History) -> None:
    kept = history.memory.remember("Ann must not have penicillin", kind="semantic")
    history.do("pin", lambda: history.memory.policy.pin(kept.id))


def remember_something(history: History) -> None:
    history.do("remember", lambda: history.memory.remember("Ann has a garden"))


def pin_what_rests_on_something(history: History) -> None:
    said = history.memory.remember("Ann was at the doctor's")
    base = history.memory.remember("Ann lives in Rome", kind="semantic")
    kept = history.memory.remember(
        "She takes no penicillin", kind="semantic", derives_from=[said.id], depends_on=[base.id]
    )
    history.do("pin", lambda: history.memory.policy.pin(kept.id))


def cut_off(unit: Unit, node: Node, *, pinned: bool) -> None:
    """Pin, and forget what the memory rests on."""
    _PINNED(unit, node, pinned=pinned)
    for type_, target in [slot for slot in node.edges if slot[0] == EdgeType.DERIVES_FROM]:
        unit.unlink(node, type_, target)


def expire_as_well(unit: Unit, node: Node, *, pinned: bool) -> None:
    """Pin, and let something expire of which the time has not come."""
    _PINNED(unit, node, pinned=pinned)
    tiers.expire(unit, node.targets(EdgeType.DERIVES_FROM), reason="its time has come")


_PINNED = Unit.set_pinned
#: A memory outlives what it depends on.
#: The write gate refuses what most of these break, before anybody could find it.
NO_GATE: tuple[Any, str, object] = (flush, "check_unit", nothing)
NO_CLAMP = (admit, "_clamp", lambda _unit, memory, *_ways: memory)
BROKEN: list[tuple[str, list[tuple[object, str, object]], Callable[[History], None]]] = [
    ("I1-budget", [(Planning, "make_room", no_room)], overfill),
    ("I1-user", [(Quotas, "exceeded", nothing)], crowd_one),
    ("census", [(KindStatistics, "moved", miscounted)], remember_something),
    ("I2", [(tiers, "_unreferenced", lambda _unit, ids: set(ids)), NO_GATE], expire_evidence),
    (
        "I3-closure",
        [
            (tiers, "_with_dependents", lambda _unit, ids: sorted(ids)),
            (pictures.Picture, "outlives", nothing),
            NO_CLAMP,
            NO_GATE,
        ],
        expire_base,
    ),
    ("I4-requires", [(tiers, "_release_tasks", nothing), NO_GATE], expire_prerequisite),
    ("I5-clamp", [NO_CLAMP], expire_base),
    ("I5-expired", [(maintenance, "settle_due", lambda _unit, _limit: 0)], expire_base),
    ("I6-chain", [(SessionChain, "leave", nothing), NO_GATE], expire_episode),
    ("I7", [(admit, "record_followers", nothing), (amend, "record_followers", nothing)], doubt),
    ("K-guards", [(Unit, "guard", nothing)], pin_something),
    ("tombstone-unreferred", [(amend, "release", nothing)], unlink_evidence),
    ("I2: an edge was lost", [(Unit, "set_pinned", cut_off)], pin_what_rests_on_something),
    ("I5: .* expired before its time", [(Unit, "set_pinned", expire_as_well)], pin_what_rests_on_something),
    ("and yet wrote", [(Ingestor, "one", too_late)], remember_something),
]


@pytest.mark.parametrize(("named", "breakage", "live"), BROKEN, ids=[named for named, _, _ in BROKEN])
def test_each_broken_function_is_found(
    stores: Stores,
    monkeypatch: pytest.MonkeyPatch,
    named: str,
    breakage: list[tuple[Any, str, object]],
    live: Callable[[History], None],
) -> None:
    live(History(stores))  # which says nothing as long as nothing is broken
    for place, name, broken in breakage:
        monkeypatch.setattr(place, name, broken)
    with pytest.raises(AssertionError, match=named):
        live(History(stores))


def test_a_policy_that_takes_what_is_protected_is_found(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    history = History(stores)
    kept = history.memory.remember("Ann must not have penicillin", kind="semantic", pin=True)
    history.memory.remember("Ann must not have penicillin")  # as heavy, so that the plan's sums are right
    plan = history.memory.plan(policy="fifo", budget=history.memory.weight - 1)
    wrong = replace(plan, actions=(replace(plan.actions[0], id=kept.id),))
    wrong = replace(wrong, digest=plan_digest(wrong))
    with pytest.raises(AssertionError, match="breaks an invariant"):
        history.do("forget", lambda: history.memory.forget(wrong))
    monkeypatch.setattr(executor, "_check", nothing)
    monkeypatch.setattr(executor, "_check_sum", nothing)
    with pytest.raises(AssertionError, match="a policy took what is protected"):
        history.do("forget", lambda: history.memory.forget(wrong))


def test_a_change_of_another_tenant_is_found(stores: Stores) -> None:
    history = History(stores)
    history.finish()
    text = "MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high SET m.accessCount = 7 RETURN count(m) AS n"
    other = f"{history.tenant}-2"
    assert stores.engine.write(text, {"low": f"{other}|", "high": f"{other}}}"}) == [{"n": 1}]
    with pytest.raises(AssertionError, match="I8"):
        history.finish()


def test_a_change_behind_the_log_is_found(stores: Stores) -> None:
    history = History(stores)
    said = history.memory.remember("Ann has a garden")
    text = "MATCH (m:Memory {ref: $ref}) SET m.content = 'Ann has none' RETURN count(m) AS n"
    assert stores.engine.write(text, {"ref": f"{history.tenant}|{said.id}"}) == [{"n": 1}]
    with pytest.raises(AssertionError, match="node-mismatch"):
        history.finish()


def test_chance_that_nobody_gave_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def live(number: int) -> tuple[Picture, bytes]:
        home = tmp_path / f"{number}"
        opened = support.embedded(home / "store")
        try:
            history = History(opened, "t")
            remember_something(history)
            return history.picture(), history.audit(home)
        finally:
            opened.engine.close()

    (one, first), (other, second) = live(1), live(2)
    pictures.assert_equal(one, other)
    assert first == second

    class Chance:
        def token(self, size: int) -> bytes:
            return secrets.token_bytes(size)

    monkeypatch.setattr(admit, "uuid7", lambda now, _source: uuid7(now, Chance()))
    changed, third = live(3)
    assert third != first
    with pytest.raises(AssertionError, match="I9"):
        pictures.assert_equal(one, changed)
