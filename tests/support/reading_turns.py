"""A program that learns from a conversation, for tests that kill it: the turns, and how they are read.

    python -m tests.support.reading_turns FOLDER MODE

opens the store of FOLDER, says ``ready``, learns from :data:`TURNS` by the rules or, with ``slow``, by the same rules
behind a reader before which the turns are stored, and says ``done``.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import marskg
from marskg.extraction.by_rules import RuleExtractor
from tests.support import failpoint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from marskg.extraction.proposal import Proposal, Turn
    from marskg.memory import AgentMemory

TENANT: Final = "killed"
QUICK: Final = "entities:\n  recognise: 'off'\nsensitivity:\n  assess: 'off'\nembedding:\n  model: none\n"
_TOWNS: Final = ("Oslo", "Bergen", "Turku", "Lund", "Malmo", "Riga", "Bonn", "Graz")
#: 2026-02-01T00:00:00Z
_FIRST: Final = 1_769_904_000_000
_SENTENCES: Final = (
    "I moved to {town}.",
    "I like the {number}th tea.",
    "The weather was number {number}.",
    "Remind me to call Mr Number{number}.",
    "I don't like the {before}th tea anymore.",
)
#: Two blocks of turns, and a part of a third.
TURNS: Final[list[dict[str, Any]]] = [
    {
        "content": _SENTENCES[number % len(_SENTENCES)].format(
            town=_TOWNS[number // 5 % len(_TOWNS)], number=number, before=number - 3
        ),
        "timestamp": _FIRST + number * 60_000,
        "speaker": "Ana",
        "session": f"talk {number // 40}",
    }
    for number in range(300)
]


class Slow:
    """Reads by the rules, and takes its time, as a model does."""

    stores_first: Final = True

    def extract(self, turns: Sequence[Turn]) -> Iterator[Proposal]:
        """Yield what the rules read."""
        time.sleep(0.1)
        yield from RuleExtractor().extract(turns)


def opened(folder: Path) -> AgentMemory:
    """Open the tenant of ``folder``."""
    return marskg.open(folder / "store", tenant=TENANT, config=folder / "settings.yaml")


def learn(memory: AgentMemory, mode: str) -> None:
    """Learn from all turns."""
    memory.learn(TURNS, extractor=Slow() if mode == "slow" else None)


def main(folder: Path, mode: str) -> None:
    """Do what the module says."""
    with opened(folder) as memory:
        memory.stats()
        os.write(1, b"ready\n")
        failpoint.arm()
        learn(memory, mode)
        os.write(1, b"done\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
