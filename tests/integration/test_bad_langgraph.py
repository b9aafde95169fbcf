"""Every method of the LangGraph store, and every field of its operations, given what cannot be meant.

It is done, or refused by an error of ours or by LangGraph's own of namespaces, and then nothing is stored.
BAD_CALLS=all tries every value with every parameter, else every third.
"""

from __future__ import annotations

import asyncio
import os
from functools import partial
from inspect import isawaitable, signature
from typing import TYPE_CHECKING, Any

import pytest
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)

from marskg.adapters.langgraph import MarsStore
from marskg.errors import MarsError
from tests.support import hostile
from tests.support import stores as support

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from marskg.memory import AgentMemory

EVERY = 1 if os.environ.get("BAD_CALLS") == "all" else 3
MEANT: dict[str, Any] = {
    "namespace": ("a",),
    "namespace_prefix": ("a",),
    "key": "k",
    "value": {"a": "b"},
    "match_type": "prefix",
    "path": ("a",),
    "ops": [],
}
OPS = [GetOp, PutOp, SearchOp, ListNamespacesOp, MatchCondition]
METHODS = [name for name in vars(BaseStore) if not name.startswith("_") and callable(getattr(BaseStore, name))]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentMemory]:
    stores = support.embedded(tmp_path_factory.mktemp("bad-langgraph") / "store")
    # A reading that is done may not be written while the next call is refused.
    memory = stores.open(budget=10_000, embedding__model="none", audit__access="strict")
    MarsStore(memory).put(("a",), "kept", {"text": "Ann likes green tea"})
    yield memory
    stores.engine.close()


def parameters(call: Callable[..., Any]) -> list[str]:
    return [name for name in signature(call).parameters if name != "self"]


def tried(names: list[str]) -> Iterator[tuple[str, str]]:
    """Yield a parameter and the name of a value for each call that is tried."""
    for place, name in enumerate(names):
        yield from ((name, what) for number, what in enumerate(hostile.values()) if (number + place) % EVERY == 0)


def given(call: Callable[..., Any], name: str, value: object) -> tuple[list[Any], dict[str, Any]]:
    """Return positional and other arguments of a call: those that it needs, and the one that is tried."""
    declared = signature(call).parameters
    known = {one: MEANT[one] for one in parameters(call) if one in MEANT} | {name: value}
    args = [known.pop(one) for one, its in declared.items() if its.kind is its.POSITIONAL_ONLY and one in known]
    return args, known


def fault(memory: AgentMemory, said: str, call: Callable[[], Any]) -> str | None:
    """Make a call; return what is wrong with how it ended, None where it was done or refused as it should be."""
    # A put may have read what the key had, which the log of accesses tells.
    before, _ = hostile.facts(memory)
    try:
        found = call()
        if isawaitable(found):
            asyncio.run(_awaited(found))
    except (MarsError, InvalidNamespaceError) as error:
        if isinstance(error, MarsError) and len(str(error)) > hostile.MOST_SAID:
            return f"{said}: a message of {len(str(error)):,} characters"
        return None if hostile.facts(memory)[0] == before else f"{said}: refused, and something was stored: {error}"
    except Exception as error:  # noqa: BLE001 - any other is what is looked for
        return f"{said}: {type(error).__module__}.{type(error).__name__}: {str(error)[:200]!a}"
    return None


async def _awaited(found: Any) -> Any:
    return await found


def faults(memory: AgentMemory, name: str, names: list[str], call: Callable[[str, object], Any]) -> list[str]:
    found = (
        fault(memory, f"{name}({one}={what})", partial(call, one, hostile.values()[what])) for one, what in tried(names)
    )
    return [one for one in found if one is not None]


@pytest.mark.parametrize("name", METHODS)
def test_a_method_does_it_or_refuses(memory: AgentMemory, name: str) -> None:
    method = getattr(MarsStore(memory), name)

    def call(one: str, value: object) -> Any:
        args, others = given(method, one, value)
        return method(*args, **others)

    assert faults(memory, name, parameters(method), call) == []


@pytest.mark.parametrize("kind", OPS, ids=lambda one: one.__name__)
def test_a_batch_does_it_or_refuses(memory: AgentMemory, kind: Any) -> None:
    store = MarsStore(memory)

    def call(one: str, value: object) -> Any:
        args, others = given(kind, one, value)
        made = kind(*args, **others)
        return store.batch([ListNamespacesOp((made,)) if kind is MatchCondition else made])

    assert faults(memory, kind.__name__, list(kind._fields), call) == []


@pytest.mark.parametrize("name", ["value", "filter"])
def test_what_is_deeper_in_a_mapping_is_done_or_refused(memory: AgentMemory, name: str) -> None:
    store = MarsStore(memory)

    def call(one: str, value: object) -> Any:
        return store.put(("a",), "k", {"x": value}) if one == "value" else store.search(("a",), filter={"x": value})

    assert faults(memory, "deeper", [name], call) == []


def test_the_constructor_does_it_or_refuses(memory: AgentMemory) -> None:
    def call(one: str, value: object) -> Any:
        others: dict[str, Any] = {"memory": memory, one: value}
        return MarsStore(**others)

    # What a function of the caller raises is the caller's.
    assert faults(memory, "MarsStore", [one for one in parameters(MarsStore) if one != "subjects"], call) == []


def test_whoever_the_people_of_a_namespace_are_said_to_be(memory: AgentMemory) -> None:
    def call(_: str, value: object) -> Any:
        return MarsStore(memory, subjects=lambda _: value).put(("a",), "k", {"a": "c"})  # type: ignore[arg-type, return-value]

    assert faults(memory, "put", ["subjects"], call) == []


def test_after_all_of_it_the_store_is_sound(memory: AgentMemory) -> None:
    store = MarsStore(memory)
    store.put(("a",), "on", {"text": "and it goes on"})
    assert [store.get(("a",), name).value["text"] for name in ("kept", "on")] == [  # type: ignore[union-attr]
        "Ann likes green tea",
        "and it goes on",
    ]
    assert memory.verify().ok
    assert memory.validate(full=True).ok
