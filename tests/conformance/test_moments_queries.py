"""Queries that an erasure overtakes: their answers are made anew, and the erasure waits for one that is under way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.api.queries import Queries
from marskg.exporters.queries.runner import SparqlRunner
from marskg.exporters.queries.view import SparqlView
from tests.support.queueing import Aside, Queue
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

QUICK: dict[str, Any] = {"sensitivity__assess": "off", "embedding__model": "none"}
SECRET = "zyxquartz"
SPARQL = "SELECT ?c WHERE { ?m mars:content ?c }"
CYPHER = "MATCH (m:Memory {tenant: $tenant}) RETURN m.content AS c"


def filled(stores: Stores) -> AgentMemory:
    memory = stores.open(**QUICK)
    memory.remember(f"Her locker word is {SECRET}", subjects=["bea"], mentions=[f"{SECRET} Lane"])
    memory.remember("Carl plays chess", subjects=["carl"])
    return memory


def view_of(memory: AgentMemory) -> Path:
    return memory.store.folder / "view" / memory.tenant


def answers(memory: AgentMemory, principal: str | None, stores: Stores) -> Callable[[], set[Any]]:
    """Return what asks the tenant for all contents by SPARQL, as its operator or as somebody else."""
    asker = memory if principal is None else stores.open_as(memory, principal)
    return lambda: {row[0] for row in asker.sparql(SPARQL).rows}


ASKERS = pytest.mark.parametrize("principal", [None, "reader:bot?ceiling=1"], ids=["operator", "reader"])


@ASKERS
def test_an_erasure_waits_for_the_sparql_answer_that_is_computed(
    stores: Stores, monkeypatch: pytest.MonkeyPatch, principal: str | None
) -> None:
    memory = filled(stores)
    ask, shared = answers(memory, principal, stores), memory._writer.shared
    queue = Queue(shared.view_lock)
    monkeypatch.setattr(shared, "view_lock", queue)
    real = SparqlRunner.run
    begun: list[Aside] = []

    def run(self: SparqlRunner, *given: Any, **named: Any) -> Any:
        if not begun:
            begun.append(Aside(lambda: memory.erase(subject="bea")))
            # It has committed, and waits for this answer before it returns.
            assert queue.waited.wait(HANGS_S)
            assert memory._opened.reader.get(first, 0) is None
            assert not begun[0].done.is_set()
        return real(self, *given, **named)

    first = next(one.id for one in memory.memories() if one.subjects == ("bea",))
    monkeypatch.setattr(SparqlRunner, "run", run)
    assert ask() == {"Carl plays chess"}
    begun[0].join()
    assert ask() == {"Carl plays chess"}
    assert not [path for path in view_of(memory).parent.rglob("*") if SECRET.encode() in bytes_of(path)]


def bytes_of(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def overtaken_by(erase: Callable[[], object], real: Callable[..., Any]) -> tuple[Callable[..., Any], list[bool]]:
    """Return ``real`` with an erasure after its first call, and a list that is empty once that happened."""
    left = [True]

    def overtaken(*given: Any, **named: Any) -> Any:
        found = real(*given, **named)
        if left:
            left.pop()
            erase()
        return found

    return overtaken, left


@ASKERS
@pytest.mark.parametrize("when", ["before the view", "after the answer"])
def test_a_sparql_answer_that_another_handle_overtook_is_made_anew(
    stores: Stores, monkeypatch: pytest.MonkeyPatch, principal: str | None, when: str
) -> None:
    memory = filled(stores)
    ask, other = answers(memory, principal, stores), stores.open(memory.tenant, seed="other", **QUICK)
    name = "_refuse_in_clear" if when == "before the view" else "sparql" if principal is None else "seen"
    hooked, left = overtaken_by(lambda: Aside(lambda: other.erase(subject="bea")).join(), getattr(Queries, name))
    monkeypatch.setattr(Queries, name, hooked)
    assert ask() == {"Carl plays chess"}
    assert left == []
    assert ask() == {"Carl plays chess"}


@ASKERS
@pytest.mark.parametrize("when", [(SparqlView, "rebuild"), (SparqlRunner, "run")], ids=["in the view", "in the query"])
def test_a_sparql_answer_that_another_process_overtook_is_made_anew(
    stores: Stores, monkeypatch: pytest.MonkeyPatch, principal: str | None, when: tuple[type, str]
) -> None:
    """It does not wait for an answer that it knows nothing of, and takes the folder of the view away meanwhile."""
    if stores.engine.name == "arcadedb":
        pytest.skip("its files belong to one process")
    memory = filled(stores)
    ask, other = answers(memory, principal, stores), stores.apart().open(memory.tenant, seed="other", **QUICK)
    hooked, left = overtaken_by(lambda: other.erase(subject="bea"), getattr(*when))
    monkeypatch.setattr(*when, hooked)
    assert ask() == {"Carl plays chess"}
    assert left == []
    assert ask() == {"Carl plays chess"}


@pytest.mark.server
def test_a_cypher_answer_that_an_erasure_overtook_is_made_anew(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = filled(stores)
    hooked, left = overtaken_by(lambda: Aside(lambda: memory.erase(subject="bea")).join(), Queries.cypher)
    monkeypatch.setattr(Queries, "cypher", hooked)
    found = memory.cypher(CYPHER, {"tenant": memory.tenant})
    assert {row[0] for row in found.rows} == {"Carl plays chess"}
    assert left == []
    assert found.sequence == memory._writer.state.sequence


def test_erasures_wait_for_an_answer_that_they_overtook_again_and_again(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = filled(stores)
    other = stores.apart().open(memory.tenant, seed="other", **QUICK) if stores.address else memory
    real = Queries.sparql
    begun: list[Aside] = []

    def overtaken(self: Any, *given: Any) -> Any:
        found = real(self, *given)
        begun.append(Aside(lambda: other.erase(session="nobody's")))
        if len(begun) == 3:
            assert not begun[-1].done.wait(0.3), "the writers are held"
        else:
            begun[-1].join()
        return found

    monkeypatch.setattr(Queries, "sparql", overtaken)
    assert {row[0] for row in memory.sparql(SPARQL).rows} > {"Carl plays chess"}
    assert len(begun) == 3
    begun[-1].join()


def test_the_view_of_before_is_not_asked_after_an_erasure_by_another_process(stores: Stores) -> None:
    memory = filled(stores)
    if stores.engine.name == "arcadedb":
        pytest.skip("its files belong to one process")
    assert SECRET in str(memory.sparql(SPARQL).rows)
    other = stores.apart().open(memory.tenant, seed="other", **QUICK)
    other.erase(subject="bea")
    assert {row[0] for row in memory.sparql(SPARQL).rows} == {"Carl plays chess"}
    assert not [path for path in view_of(memory).rglob("*") if SECRET.encode() in bytes_of(path)]
