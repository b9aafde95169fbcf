"""What an engine declares it can do, it does; what it does not declare is refused or done without.

No test here is skipped on any engine: each shows what a capability promises where it is declared, and what holds where
it is not.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import marskg
from marskg.store.engine.protocol import Capability

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

_WRITES = """
import marskg, sys
try:
    with marskg.open(sys.argv[1], tenant=sys.argv[2], create=False) as memory:
        memory.remember("Said elsewhere")
except marskg.StoreLocked:
    print("locked")
"""


def _write_elsewhere(stores: Stores, memory: AgentMemory) -> str:
    """Let another process write to the tenant of ``memory``; returns what it printed."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    if stores.address is not None:
        environment |= {"NEO4J_USERNAME": stores.address.username, "NEO4J_PASSWORD": stores.address.password}
    command = [sys.executable, "-c", _WRITES, stores.location, memory.tenant]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def _exclusive_files(stores: Stores, *, declared: bool) -> None:
    memory = stores.open()
    memory.remember("Said here")
    printed = _write_elsewhere(stores, memory)
    assert printed == ("locked" if declared else "")
    expected = {"Said here"} if declared else {"Said here", "Said elsewhere"}
    assert {one.content for one in memory.memories()} == expected
    memory.remember("Said after")
    assert memory.verify().ok


def _byte_scrub(stores: Stores, *, declared: bool) -> None:
    memory = stores.open()
    memory.remember("Bea was here", subjects=["bea"])
    if declared:
        assert memory.erase(subject="bea", scrub=True).claim == "bytes"
        return
    with pytest.raises(marskg.NotPermitted, match="is a server, and its files are its operator's"):
        memory.erase(subject="bea", scrub=True)
    assert [one.content for one in memory.memories()] == ["Bea was here"]


PROOFS: dict[Capability, Callable[..., None]] = {
    Capability.EXCLUSIVE_FILES: _exclusive_files,
    Capability.BYTE_SCRUB: _byte_scrub,
}


def test_every_capability_has_a_proof() -> None:
    assert set(PROOFS) == set(Capability)


@pytest.mark.parametrize("capability", PROOFS, ids=lambda one: one.name.lower())
def test_what_is_declared_is_kept(stores: Stores, capability: Capability) -> None:
    PROOFS[capability](stores, declared=capability in stores.engine.capabilities)
