"""What the table says that an operation does to the store, it does: reading changes nothing that is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.api.operations import Effect, Operation, operations
from tests.support import hostile
from tests.support import stores as support

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

READING = [one for one in operations() if one.effect is Effect.READS and one.name != "close"]
#: What a call needs so that it is done, and not refused.
GIVEN: dict[str, Callable[[hostile.Tenant], dict[str, Any]]] = {
    "audit.check_receipt": lambda one: {"document": one.memory.audit.receipt(one["memory"]).document},
    "audit.prove_consistency": lambda _: {"size": 1},
    "explain": lambda one: {"id": one["memory"]},
    "policy.compare": lambda _: {"policies": ["fifo"], "budget": 3},
    "privacy.match_erasure": lambda _: {"subject": "ann"},
    "privacy.private_mode().recall": lambda _: {"entity": "Ann"},
    "recall": lambda _: {"entity": "Ann"},
    "sparql": lambda _: {"query": "ASK {}"},
}


@pytest.fixture(scope="module")
def tenant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[hostile.Tenant]:
    folder = tmp_path_factory.mktemp("effects")
    stores = support.embedded(folder / "store")
    memory = stores.open(embedding__model="none", budget=2_000)
    memory.remember("Ann waters the tomatoes", subjects=["ann"], mentions=["Ann"])
    memory.preferences.set("retention", subject="ann", horizon="3000d")
    memory.audit.sign_head()
    yield hostile.Tenant(memory, folder)
    stores.engine.close()


@pytest.mark.parametrize("one", READING, ids=lambda one: one.name)
def test_reading_changes_nothing_that_is_stored(tenant: hostile.Tenant, one: Operation) -> None:
    given = GIVEN.get(one.name)
    arguments = {**hostile.base(one, tenant), **(given(tenant) if given else {})}
    call = getattr(hostile.target(tenant.memory, one), one.name.rpartition(".")[2])
    before = hostile.facts(tenant.memory)[0]
    found = call(**arguments)
    if hasattr(found, "__next__"):
        list(found)
    assert hostile.facts(tenant.memory)[0] == before


def test_what_writes_is_seen_to(tenant: hostile.Tenant) -> None:
    before = hostile.facts(tenant.memory)[0]
    tenant.memory.remember("Bob cooks")
    assert hostile.facts(tenant.memory)[0] > before
