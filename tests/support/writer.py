"""A process that writes as fast as it can and says after each call what it was promised, until it is killed.

    python -m tests.support.writer LOCATION RUN FIRST [COUNT [PREFIX]]

With COUNT it stops after so many rounds; PREFIX stands before the names of its tenants.
One line on standard output for each acknowledged call: ``wide N ID``, ``batch N``, ``tight N ID``. The tenant ``wide``
never forgets, so that each acknowledged text can be asked for; ``tight`` forgets at nearly every call. A failpoint has
the phase ``opening`` or ``writing``.
"""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path

import marskg
from marskg.errors import EngineUnavailable
from marskg.ontology.vocabulary import Kind
from tests.support import failpoint
from tests.support import stores as support
from tests.support.neo4j import Neo4jAddress

WIDE, TIGHT = "wide", "tight"
BATCH = 5
GONE = 3


def text(number: int) -> str:
    """Return what call ``number`` of the tenant ``wide`` stores."""
    return f"The {number}th thing that was said"


def part(number: int, position: int) -> str:
    """Return a text of a batch."""
    return f"Part {position} of batch {number}"


def connect(location: str, home: Path) -> support.Stores:
    """Open the store at ``location``; the keys of a server's store go below ``home``."""
    if "://" not in location:
        return support.embedded(Path(location))
    return support.server(Neo4jAddress(location, os.environ["NEO4J_USERNAME"], os.environ["NEO4J_PASSWORD"]), home)


def say(*words: object) -> None:
    """Acknowledge, past every buffer."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def write(location: str, run: str, first: int, count: int | None = None, prefix: str = "") -> None:
    """Write ``count`` rounds, or until killed, from round ``first`` on."""
    failpoint.arm("opening")
    stores = connect(location, Path(os.environ["MARS_HOME"]))
    wide = stores.open(prefix + WIDE, seed=f"wide {run}", budget=1 << 30)
    tight = stores.open(prefix + TIGHT, seed=f"tight {run}", budget=60)
    say("open")
    failpoint.arm("writing")
    for number in itertools.count(first) if count is None else range(first, first + count):
        say(WIDE, number, wide.remember(text(number), session=f"s{number % 3}", mentions=["Ann"]).id)
        drafts = [
            marskg.Draft(
                ref=f"p{place}",
                kind=Kind.SEMANTIC,
                content=part(number, place),
                at=wide.now(),
                depends_on=(f"p{place - 1}",) if place else (),
            )
            for place in range(BATCH)
        ]
        wide.remember_many(drafts, atomic=True)
        say("batch", number)
        said = tight.remember(text(number), session="s", key="home" if number % 4 == 0 else None, pin=number % 20 == 0)
        say(TIGHT, number, said.id)
        if number % 20 == 0:
            tight.policy.unpin(said.id)
        if number % 7 == 0:
            tight.control.record_access([said.id])


if __name__ == "__main__":
    try:
        _, where, name, start, *more = sys.argv
        write(where, name, int(start), int(more[0]) if more else None, "".join(more[1:]))
    except EngineUnavailable as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        sys.exit(GONE)
