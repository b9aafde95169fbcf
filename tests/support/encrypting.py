"""A process that erases a subject of an encrypted tenant and dies at a moment, for tests that look at what is left.

``python -m tests.support.encrypting FOLDER MOMENT`` dies ``scheduled`` (the key is to go, nothing is committed),
``committed`` (the graph has forgotten, the key is there) or ``destroyed``; exit status 9.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from marskg.clock import ManualClock, SeededSource
from marskg.config import Settings
from marskg.erasure.request import Request
from marskg.memory import AgentMemory
from marskg.store.commit.writer import Writer
from marskg.store.crypto.key_custody import Custody
from marskg.store.crypto.keyring import DataKeyring
from marskg.store.tenant.opening import open_tenant
from tests.support import stores as support

if TYPE_CHECKING:
    from collections.abc import Callable

TENANT = "encrypted"
WORD = "zyxquartzvellum"
SAID = f"Bea told me that {WORD} is her locker word"
KEPT = "Carl plays chess on Mondays"


def connect(folder: Path) -> AgentMemory:
    """Open the tenant, or create it."""
    opened, _ = open_tenant(
        str(folder),
        TENANT,
        Settings().with_values({"encryption": "subjects", "entities.recognise": "off", "sensitivity.assess": "off"}),
        clock=ManualClock(support.START, 1),
        source=SeededSource("encrypting"),
        actor="operator",
    )
    return AgentMemory(opened)


def _dies(work: Callable[..., Any], *, before: bool) -> Callable[..., Any]:
    def instead(*given: Any, **named: Any) -> Any:
        if not before:
            work(*given, **named)
        os._exit(9)

    return instead


def main() -> None:
    """Fill, and erase until the moment."""
    memory = connect(Path(sys.argv[1]))
    memory.remember(SAID, subjects=["bea"], mentions=[f"Mr {WORD}"])
    memory.remember(KEPT, subjects=["carl"])
    moment = sys.argv[2]
    if moment == "scheduled":
        Writer.run = _dies(Writer.run, before=True)  # type: ignore[method-assign]
    elif moment == "committed":
        Custody.settle = _dies(Custody.settle, before=True)  # type: ignore[method-assign]
    else:
        DataKeyring.destroy = _dies(DataKeyring.destroy, before=False)  # type: ignore[method-assign]
    memory._components.eraser.erase(Request.of(subject="bea"), scrub=False)


if __name__ == "__main__":
    main()
