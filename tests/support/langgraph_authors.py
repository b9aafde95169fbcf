"""What the authors' tests of LangGraph's stores run against: copied beside them as their ``conftest.py``.

Where they make an ``InMemoryStore`` they get a store of a tenant of its own, made by marskg.
"""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, Any

import langgraph.store.memory
import pytest

import marskg
from marskg.adapters.langgraph import MarsStore

if TYPE_CHECKING:
    from collections.abc import Iterator


_NUMBERS = itertools.count()
OPENED: list[marskg.AgentMemory] = []


class TenantStore(MarsStore):
    """A store of a new tenant; of the index that it is asked for it takes the fields, the vectors are the tenant's."""

    def __init__(self, *, index: dict[str, Any] | None = None) -> None:
        memory = marskg.open(os.environ["AUTHORS_STORE"], tenant=f"t-{next(_NUMBERS)}", budget=1_000_000)
        OPENED.append(memory)
        super().__init__(memory, fields=(index or {}).get("fields") or ("$",))


langgraph.store.memory.InMemoryStore = TenantStore  # type: ignore[misc, assignment]  # it takes its place


@pytest.fixture
def anyio_backend() -> str:
    """Run what is asynchronous on the loop that LangGraph runs on."""
    return "asyncio"


@pytest.fixture(autouse=True)
def closing() -> Iterator[None]:
    """Close what a test opened."""
    yield
    while OPENED:
        OPENED.pop().close()
