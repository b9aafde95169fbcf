"""A process that erases somebody on a Neo4j server and cleans its files, for tests that kill it.

``python -m tests.support.server_eraser URI HOME`` says ``filled``, ``committed`` when the erasure is in the store, then
each step of the cleaning as it begins (``indexes``, ``overwrite``, ``filler``, ``search``), and ``erased`` when the
files are clean. With a step as a third argument it waits there until a line comes in.
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

#: The steps of a cleaning; in ``filler`` what takes the freed records is there, in ``search`` it is gone again.
STEPS = ("committed", "indexes", "overwrite", "filler", "search")


def at(step: str) -> None:
    """Say which step begins, and wait there if that is where somebody wants to see this process."""
    say(step)
    if step in sys.argv[3:]:
        sys.stdin.readline()


class _Telling(ServerFiles):
    def clean(self) -> Cleaned:
        at("committed")
        return super().clean()

    def _make_indexes_anew(self) -> None:
        at("indexes")
        super()._make_indexes_anew()

    def _overwrite(self, nodes: int) -> None:
        at("overwrite")
        super()._overwrite(nodes)

    def _checkpoints(self) -> frozenset[tuple[str, int, int]]:
        # It is looked at before the filler is removed, and again until it has moved.
        if not self._told:
            self._told = True
            at("filler")
        return super()._checkpoints()

    def _places(self) -> tuple[str, ...]:
        at("search")
        return super()._places()

    _told = False


def main() -> None:
    """Fill, erase and clean."""
    uri, home = sys.argv[1:3]
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
