"""A user's statement sees its own tenant alone and has a time limit, in plans and in transactions, on every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import InvalidConfig

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

LONG: dict[str, Any] = {"kind": "semantic", "memory_class": "canonical"}
LIGHT = "MATCH (m:Memory) WHERE m.tenant = $tenant RETURN m.id AS id, m.weight AS score"
NAMES = "mabcdef"
#: Forty memories to the seventh power: no engine is through with that in a second.
ENDLESS = (
    f"MATCH {', '.join(f'({name}:Memory)' for name in NAMES)} "
    f"WHERE {' AND '.join(f'{name}.tenant = $tenant' for name in NAMES)} "
    f"AND {' + '.join(f'{name}.weight' for name in NAMES)} > 1000000 "
    "RETURN m.id AS id, count(*) AS score"
)


def saved(folder: Path, text: str) -> str:
    path = folder / "mine.cypher"
    path.write_text(text, encoding="utf-8")
    return str(path)


def filled(memory: AgentMemory, count: int = 40) -> None:
    for number in range(count):
        memory.remember(f"note {number} about gardens", **LONG)


def test_a_statement_without_end_is_stopped_in_a_plan_and_the_policy_is_named(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open(policy__time_limit="1s", budget=10_000)
    filled(memory)
    with pytest.raises(InvalidConfig, match=r"mine\.cypher: the statement took longer than 1 s and was stopped; .*"):
        memory.plan(policy=saved(tmp_path, ENDLESS), budget=10)
    assert memory.plan(policy=saved(tmp_path / "..", LIGHT), budget=10).actions


def test_a_statement_without_end_refuses_the_write_that_waits_and_nothing_is_changed(
    stores: Stores, tmp_path: Path
) -> None:
    path = saved(tmp_path, LIGHT)
    memory = stores.open(policy__time_limit="1s", policy__name=path, budget=10_000)
    filled(memory)
    memory.settings.set(None, {"budget": memory.weight + 1})
    saved(tmp_path, ENDLESS)
    before = (memory.stats(), memory.weight)
    with pytest.raises(InvalidConfig, match=r"took longer than 1 s and was stopped; nothing was changed: .*time_limit"):
        memory.remember("one note more than there is room for", **LONG)
    assert (memory.stats(), memory.weight) == before
    saved(tmp_path, LIGHT)
    memory.remember("one note more than there is room for", **LONG)
    assert memory.weight <= memory.stats()["budget"]
    assert memory.verify().ok


@pytest.mark.parametrize(
    "statement",
    [
        "MATCH (m:Memory) WHERE m.tenant = $tenant OR m.weight > 0 RETURN m.id AS id, 1 AS score",
        "MATCH (m:Memory) WHERE m.tenant = $tenant MATCH (n:Memory) RETURN m.id AS id, count(n) AS score",
        "MATCH (m:Memory) WHERE m.tenant = $tenant RETURN m.id AS id, COUNT { (n:Memory) } AS score",
        "MATCH (m:Memory) WHERE m.tenant = $tenant RETURN m.id AS id, size(m.content) AS score",
    ],
)
def test_a_statement_that_could_see_other_tenants_or_contents_cannot_be_set(
    stores: Stores, tmp_path: Path, statement: str
) -> None:
    memory = stores.open()
    before = memory.settings.current
    with pytest.raises(InvalidConfig, match=r"mine\.cypher: line 1: "):
        memory.settings.set(None, {"policy.name": saved(tmp_path, statement)})
    assert memory.settings.current == before


@pytest.mark.parametrize(
    "statement",
    [
        LIGHT,
        (
            "MATCH (m:Memory) WHERE m.fifoKey >= $low AND m.fifoKey < $high "
            "OPTIONAL MATCH (m)-[:mentions]->(e)<-[:mentions]-(n) WITH m, count(n) AS others "
            "RETURN m.id AS id, others AS score, others AS others"
        ),
        (
            "MATCH (m:Memory {tenant: $tenant}), (n:Memory) WHERE n.tenant = $tenant AND (n.pinned OR n.weight > 0) "
            "WITH m, avg(n.weight) AS mean RETURN m.id AS id, m.weight - mean AS score, mean AS mean"
        ),
    ],
)
def test_what_another_tenant_holds_changes_no_plan(stores: Stores, tmp_path: Path, statement: str) -> None:
    path = saved(tmp_path, statement)
    memory, other = stores.open(entities__recognise="on"), stores.open(entities__recognise="on")
    for number in range(4):
        memory.remember(f"Ana has garden {number} in Lisbon" + " far away" * number, **LONG)
    budget = memory.weight // 2
    before = memory.plan(policy=path, budget=budget)
    for number in range(6):
        other.remember(f"Ana has another garden {number} in Lisbon with so much more to say about it", **LONG)
    after = memory.plan(policy=path, budget=budget)
    assert [(one.id, one.score, one.features[-1:]) for one in after.actions] == [
        (one.id, one.score, one.features[-1:]) for one in before.actions
    ]
