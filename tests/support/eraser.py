"""A process that fills a store with memories about two people and erases one of them, for tests that kill it.

``python -m tests.support.eraser FOLDER`` says ``filled``, then erases with ``scrub`` and says ``erased``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from marskg.clock import ManualClock, SeededSource
from marskg.config import Settings
from marskg.store.tenant.opening import open_tenant
from tests.support import stores as support

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

TENANT = "erased"
SENTINELS = tuple(f"zyxquartz{number:03d}vellum" for number in range(12))
KEPT = tuple(f"Carl plays chess on day {number}" for number in range(24))


def fill(memory: AgentMemory) -> None:
    """Store what is about Bea, with each sentinel in a text, a key, a name, a session and a source; and about Carl."""
    for number, word in enumerate(SENTINELS):
        told = memory.remember(
            f"Bea told me that {word} is her locker word",
            session=f"s-{word}",
            subjects=["bea"],
            key=f"locker/{word}",
            mentions=[f"Mr {word}"],
            source_ref=f"chat/{word}",
        )
        memory.remember(f"Locker word: {word}", kind="social", subjects=["bea"], derives_from=[told.id])
        memory.remember(KEPT[2 * number], subjects=["carl"], session="c", memory_class="canonical")
        memory.remember(KEPT[2 * number + 1], kind="semantic", subjects=["carl"], memory_class="canonical")
    memory.retrieve("locker word", k=8, token_budget=400)


def connect(folder: Path) -> Stores:
    """Open a store as a program does that finds a promise to scrub in it."""
    opened, _ = open_tenant(
        str(folder),
        TENANT,
        Settings().with_values({"entities.recognise": "off"}),
        clock=ManualClock(support.START, 1),
        source=SeededSource("check"),
        actor="operator",
    )
    return support.Stores(opened.engine, str(folder))


def say(word: str) -> None:
    """Tell whoever started this process."""
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def main() -> None:
    """Fill and erase."""
    folder = Path(sys.argv[1])
    memory = connect(folder).open(TENANT)
    fill(memory)
    say("filled")
    memory.erase(subject="bea", scrub=True)
    say("erased")


if __name__ == "__main__":
    main()
