"""A process that erases somebody on a Neo4j server and cleans its files, for tests that kill it.

``python -m tests.support.server_eraser URI HOME`` says ``filled``, ``committed`` when the erasure is in the store, and
``erased`` when the files are clean.
"""

from __future__ import annotations

import sys
from pathlib import Path

from marskg import memory as facade
from marskg.clock import ManualClock, SeededSource
from marskg.config import Settings
from marskg.memory import AgentMemory
from marskg.store.opening import open_tenant
from marskg.store.server_files import Cleaned, ServerFiles
from tests.support.eraser import TENANT, fill, say
from tests.support.stores import START


class _Telling(ServerFiles):
    def clean(self) -> Cleaned:
        say("committed")
        return super().clean()


def main() -> None:
    """Fill, erase and clean."""
    uri, home = sys.argv[1:]
    settings = Settings().with_values({"entities.recognise": "off", "sensitivity.assess": "off"})
    opened, _ = open_tenant(
        uri, TENANT, settings, clock=ManualClock(START, 1), source=SeededSource("check"), actor="operator"
    )
    memory = AgentMemory(opened)
    fill(memory)
    say("filled")
    setattr(facade, "ServerFiles", _Telling)  # noqa: B010 - the type checker's one way to say it
    memory.erase(subject="bea", scrub=True, server_home=Path(home))
    say("erased")


if __name__ == "__main__":
    main()
