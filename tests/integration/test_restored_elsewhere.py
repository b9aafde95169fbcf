"""Going back to a snapshot on a server that another machine works on: two processes, each with a home of its own.

Guarantees: what the other process keeps of the tenant, in memory and in its files, is not taken for the restored state,
although the log has grown to the length that it knows.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.neo4j import Neo4jAddress

#: A process that carries out the calls of its input, one line each: the name, then the arguments.
AGENT = """
import json, sys
from operator import attrgetter

import marskg

uri, tenant, settings = sys.argv[1:]
with marskg.open(uri, tenant=tenant, config=settings) as memory:
    print(json.dumps("open"), flush=True)
    for line in sys.stdin:
        name, *given = json.loads(line)
        if name == "found":
            answer = [hit.memory.content for hit in memory.retrieve(*given, min_confidence=0)]
        elif name == "rows":
            answer = sorted(str(row[0]) for row in memory.sparql("SELECT ?c WHERE { ?m mars:content ?c }").rows)
        elif name == "verify":
            answer = [finding.message for finding in memory.verify().findings]
        elif name == "lengths":
            answer = [memory.stats()[one] for one in ("audit_seq", "access_seq")]
        elif name == "remember":
            answer = memory.remember(*given, kind="semantic").id
        else:
            attrgetter(name)(memory)(*given)
            answer = None
        print(json.dumps(answer), flush=True)
"""


@contextmanager
def process(server: Neo4jAddress, home: Path, *arguments: str) -> Iterator[Callable[..., Any]]:
    """Start a process with ``home`` as its own, and give the function that has it do something."""
    _, username, password = server
    with subprocess.Popen(
        [sys.executable, "-c", AGENT, *arguments],
        env={**os.environ, "MARS_HOME": str(home), "NEO4J_USERNAME": username, "NEO4J_PASSWORD": password},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        assert json.loads(running.stdout.readline() or '"it ended"') == "open"

        def do(*call: str) -> Any:
            assert running.stdin is not None
            assert running.stdout is not None
            print(json.dumps(call), file=running.stdin, flush=True)
            answer = running.stdout.readline()
            assert answer, f"the process ended while it did {call[0]}"
            return json.loads(answer)

        yield do
        running.stdin.close()
        assert running.wait(HANGS_S) == 0


@pytest.mark.neo4j
@pytest.mark.parametrize("stays", [True, False], ids=["stays open", "opens again"])
def test_a_restore_is_seen_by_another_machine(
    neo4j_server: Neo4jAddress, tenant: str, tmp_path: Path, *, stays: bool
) -> None:
    settings, saved = tmp_path / "settings.yaml", str(tmp_path / "one.mars")
    settings.write_text("encryption: 'off'\nembedding:\n  model: static\n", "utf-8")
    where = (neo4j_server.uri, tenant, str(settings))
    here, there = tmp_path / "here", tmp_path / "there"
    with process(neo4j_server, here, *where) as one:
        one("remember", "Bea drinks tea")
        shutil.copytree(here, there)
        one("snapshots.save", saved)
        with process(neo4j_server, there, *where) as other:
            one("remember", "Ann paints boats")
            one("remember", "Cleo climbs towers")
            assert "Ann paints boats" in other("found", "Who paints boats?")
            lengths = other("lengths")
            if stays:
                restore(one, saved, lengths)
                goes_on(one, other)
        if not stays:
            restore(one, saved, lengths)
            with process(neo4j_server, there, *where) as other:
                goes_on(one, other)


def restore(one: Callable[..., Any], saved: str, lengths: list[int]) -> None:
    """Go back to the snapshot and let the log of changes and that of accesses grow to ``lengths``."""
    one("snapshots.load", saved)
    one("remember", "Fay bakes bread")
    while one("lengths")[0] < lengths[0]:
        one("remember", "it rains again")
    while one("lengths")[1] < lengths[1]:
        one("found", "Does it rain?")
    assert one("lengths") == lengths, "only then could the other process take it for its own"


def goes_on(one: Callable[..., Any], other: Callable[..., Any]) -> None:
    """Hold what the other process finds after the restore, and that both write on."""
    assert "Ann paints boats" not in other("found", "Who paints boats?")
    assert "Fay bakes bread" in other("found", "Who bakes bread?")
    assert {"Ann paints boats", "Fay bakes bread"} & set(other("rows")) == {"Fay bakes bread"}
    other("remember", "Dan sails dinghies")
    assert "Dan sails dinghies" in one("found", "Who sails dinghies?")
    assert one("verify") == other("verify") == []
