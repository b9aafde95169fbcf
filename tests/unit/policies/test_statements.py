"""The statements of the policies on an engine: an index gives the candidates in order, and nothing is scanned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from marskg.policies.core.candidates import policy_statement
from marskg.store.statements.cypher_guard import changing_call, check_read_only

if TYPE_CHECKING:
    from marskg.store.engine.arcadedb import ArcadeDB

ORDERS = {"fifo": "fifoKey", "lru": "lruKey", "priority-decay": "decayKey", "random-drop": "randomKey"}
OTHERS = ("live-dependents", "members", "stranded")


def explained(engine: ArcadeDB, statement: str) -> str:
    parameters = {"low": "t|", "high": "t}", "limit": 16, "refs": ["t|n"]}
    (row,) = engine.read(f"EXPLAIN {statement}", parameters)
    return str(row["executionPlan"])


@pytest.mark.parametrize(("name", "key"), ORDERS.items())
def test_an_order_is_read_from_its_index(engine: ArcadeDB, name: str, key: str) -> None:
    plan = explained(engine, policy_statement(name))
    assert f"NodeIndexRangeScan(m:Memory) [index=Memory[{key}]" in plan
    assert "[index order]" in plan, "sorting would have to read all candidates first"


def test_a_statement_that_sorts_is_told_from_one_that_does_not(engine: ArcadeDB) -> None:
    sorting = policy_statement("fifo").replace("ORDER BY m.fifoKey", "ORDER BY m.weight")
    assert "[index order]" not in explained(engine, sorting)


@pytest.mark.parametrize("name", [*ORDERS, *OTHERS])
def test_a_statement_only_reads_and_returns_no_content(name: str) -> None:
    text = policy_statement(name)
    check_read_only(text)
    assert changing_call(text) is None
    assert "content" not in text
