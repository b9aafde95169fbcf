"""Every public operation, with every parameter, given what cannot be meant: it is done, or refused by an error of ours.

The calls are made from the table of operations (:mod:`tests.support.hostile`). BAD_CALLS=all tries every value, which
``make proof`` does; else every sixth, and every so-manieth where a call takes longer.
"""

from __future__ import annotations

import os
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from marskg.api.arguments import checked_calls
from marskg.api.namespaces.policy_namespace import Policy
from marskg.api.operations import Operation, operations, operations_of
from marskg.drafts import Draft
from marskg.memory import AgentMemory
from marskg.ontology.vocabulary import Kind
from tests.support import hostile, reading
from tests.support import stores as support
from tests.support.proof import some

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.neo4j import Neo4jAddress
    from tests.support.stores import Stores

ALL = os.environ.get("BAD_CALLS") == "all"
TABLE = operations()
MANY = [one for one in TABLE if one.parameters]


class Home:
    """A tenant with something in it."""

    def __init__(self, stores: Stores, folder: Path) -> None:
        self.stores = stores
        # A reading that is done may not be written while the next call is refused; and so many calls find out more of
        # what was erased than anybody may.
        self.memory = stores.open(budget=2_000, embedding__model="none", audit__access="strict", suppression__hits=None)
        self.memory.remember("Ann waters the tomatoes", subjects=["ann"], key="garden", mentions=["Ann"])
        self.tenant = hostile.Tenant(self.memory, folder)

    def faults(self, *operations: Operation, memory: AgentMemory | None = None, every: int) -> list[str]:
        before = hostile.facts(self.memory)
        found = [
            hostile.fault(memory or self.memory, call)
            for operation in operations
            for call in hostile.calls(operation, self.tenant, every=every)
        ]
        # What nobody stored needs no looking at.
        shut = reading.shut(self.memory, reading.DAILY) if hostile.facts(self.memory) != before else []
        return [*filter(None, found), *(f"after {operations[-1].name}: {door}" for door in shut)]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("bad-calls")
    stores = support.embedded(folder / "store")
    yield Home(stores, folder)
    stores.engine.close()


@pytest.fixture(scope="module")
def abroad(neo4j_server: Neo4jAddress, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("bad-calls-abroad")
    stores = support.server(neo4j_server, folder)
    yield Home(stores, folder)
    stores.engine.close()


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is written to a relative path go where nobody looks."""
    monkeypatch.chdir(tmp_path)


def no_traces(capfd: pytest.CaptureFixture[str]) -> None:
    err = capfd.readouterr().err
    assert "Traceback" not in err
    assert "\tat " not in err
    assert "Exception" not in err


@pytest.mark.parametrize("operation", MANY, ids=lambda one: one.name)
def test_it_is_done_or_refused(home: Home, operation: Operation, capfd: pytest.CaptureFixture[str]) -> None:
    assert home.faults(operation, every=1 if ALL else 6) == []
    no_traces(capfd)


@pytest.mark.parametrize("operation", some(MANY, 8, attrgetter("name")))
def test_it_is_done_or_refused_on_a_server(
    abroad: Home, operation: Operation, capfd: pytest.CaptureFixture[str]
) -> None:
    if operation.name != "open":
        assert abroad.faults(operation, every=4 if ALL else 20) == []
        no_traces(capfd)


@pytest.mark.parametrize("principal", ["controller:carl?ceiling=0.5", "subject:ann", "reader:bot"])
def test_whoever_asks(home: Home, principal: str, capfd: pytest.CaptureFixture[str]) -> None:
    memory = home.stores.open_as(home.memory, principal)
    operations = [one for one in MANY if one.name != "open"]
    assert home.faults(*operations, memory=memory, every=5 if ALL else 40) == []
    no_traces(capfd)


@settings(max_examples=2_000 if ALL else 150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_several_at_once(home: Home, data: st.DataObject) -> None:
    operation = data.draw(st.sampled_from([one for one in MANY if len(one.parameters) > 1]))
    names = data.draw(st.lists(st.sampled_from(list(operation.parameters)), min_size=2, max_size=5, unique=True))
    chosen = {name: data.draw(st.sampled_from(hostile.tried(operation.parameters[name])), label=name) for name in names}
    arguments = {
        **hostile.base(operation, home.tenant),
        **{name: hostile.values()[what] for name, what in chosen.items()},
    }
    assert hostile.fault(home.memory, hostile.Call(operation, arguments, f"{operation.name}({chosen})")) is None


def test_after_all_of_it_the_tenant_is_sound(home: Home) -> None:
    assert reading.shut(home.memory) == []
    assert home.memory.get(home.memory.remember("And it goes on").id) is not None


# --- Whether it would be found ------------------------------------------------------------------------------------


class Faulty(Policy):
    """A namespace whose operations have each a fault."""

    def pin(self, id: str) -> Any:  # noqa: A002 - as the method has it
        self._components.store(Draft(ref="", kind=Kind.SEMANTIC, content=f"Stored all the same {id[:3]!a}", at=0))
        return super().pin(id)

    def unpin(self, id: str) -> Any:  # noqa: A002 - as the method has it
        msg = f"{id} cannot be unpinned"
        raise PermissionError(msg)


@checked_calls()
class Grown(AgentMemory):
    """A memory with such a namespace, and an operation with a fault."""

    @cached_property
    def policy(self) -> Faulty:
        return Faulty(self._components)

    def history(self, id: str) -> Any:  # noqa: A002 - as the method has it
        none: dict[str, Any] = {}
        return none[id]


@pytest.mark.parametrize(
    ("name", "said"),
    [("history", "KeyError"), ("policy.pin", "something was stored"), ("policy.unpin", "PermissionError")],
)
def test_an_operation_that_is_added_is_tried_and_its_fault_is_found(home: Home, name: str, said: str) -> None:
    grown = Grown(home.memory.store)
    table = (*operations_of(Grown), *operations_of(Faulty, "policy."))
    (operation,) = (one for one in table if one.name == name)
    faults = home.faults(operation, memory=grown, every=1)
    assert faults
    assert all(said in fault for fault in faults)
