"""A query ends at its limit whatever it costs, holds up nobody meanwhile, and says why it was refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyparsing
import pytest

import marskg
from marskg.errors import QueryRefused
from tests.support.scripts import run

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.memory import AgentMemory

#: Parsing it takes far longer than any limit below.
LONG = "ASK { FILTER(" + "||".join(["1=1"] * 19_000) + ") }"
BOMB = """
import sys
import marskg

with marskg.open(sys.argv[1]) as memory:
    memory.remember("one")
    try:
        memory.cypher(
            "WITH 'xxxxxxxxxxxxxxxxxxxx' AS t " + "WITH t+t+t+t+t+t+t+t+t+t AS t " * 8 + "RETURN size(t) AS n",
            limit_seconds=60,
        )
    except marskg.QueryRefused as error:
        print(error)
    memory.remember("two")
    print(memory.verify().ok)
"""


@pytest.fixture
def memory(tmp_path: Path) -> AgentMemory:
    return marskg.open(tmp_path / "store", budget=10_000)


@pytest.mark.parametrize("principal", ["operator", "reader:bot?ceiling=1.0&jurisdiction=EU"])
def test_parsing_counts_within_the_limit_and_costs_the_caller_nothing(
    memory: AgentMemory, principal: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.remember("one", jurisdiction="EU")
    with memory, marskg.open(tmp_path / "store", principal=principal) as asking:
        monkeypatch.setattr(pyparsing.ParserElement, "parse_string", lambda *_, **__: pytest.fail("parsed here"))
        with pytest.raises(QueryRefused, match="longer than 3 s"):
            asking.sparql(LONG, limit_seconds=3)


def test_cypher_has_a_limit_of_rows(memory: AgentMemory) -> None:
    with memory:
        memory.remember("one")
        assert len(memory.cypher("UNWIND range(1, 100000) AS n RETURN n").rows) == 100_000
        with pytest.raises(QueryRefused, match="more than 100,000 rows; add LIMIT"):
            memory.cypher("UNWIND range(1, 100001) AS n RETURN n")


@pytest.mark.proof
@pytest.mark.parametrize("build", ["native", "jvm"])
def test_a_bomb_of_text_is_refused_in_one_line(build: str, tmp_path: Path) -> None:
    # The text has two gigabytes, which a large machine's engine would hold.
    done = run(BOMB, tmp_path / "store", MARS_ENGINE=build, MARS_ENGINE_HEAP="512m")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "the query takes more memory than the engine has; narrow it, or add LIMIT",
        "True",
    ]


ENDLESS = """
import sys
import marskg

memory = marskg.open(sys.argv[1])
memory.remember("one")
try:
    memory.cypher("UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN sum(a * b) AS n", limit_seconds=1)
except marskg.QueryRefused as error:
    print(error)
if sys.argv[2] == "closed":
    memory.close()
"""


@pytest.mark.parametrize("build", ["native", "jvm"])
@pytest.mark.parametrize("closed", ["closed", "left open"])
def test_a_process_ends_in_order_while_the_engine_still_runs_a_query(build: str, closed: str, tmp_path: Path) -> None:
    done = run(ENDLESS, tmp_path / "store", closed, MARS_ENGINE=build)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[:2_000]
    assert "was stopped" in done.stdout


#: The engine looks at its clock between two rows, and this is one.
UNSTOPPABLE = """
import os
import sys
import marskg
from marskg.store.engine import arcadedb

vars(arcadedb)["_LONGEST_READ_S"] = 1.0
memory = marskg.open(sys.argv[1])
memory.remember("kept")
erased = memory.remember("to go").id
steps = "range(1, 3000)"
inner = f"reduce(t = s, j IN {steps} | reduce(u = t, k IN {steps} | u + k))"

def ask(work):
    try:
        work()
        print("done")
    except marskg.MarsError as error:
        print(f"{type(error).__name__}: {error}")

ask(lambda: memory.cypher(f"RETURN reduce(s = 0, i IN {steps} | {inner}) AS n", limit_seconds=0.5))
ask(memory.maintenance.scrub)
ask(lambda: memory.erase(id=erased, scrub=True))
ask(lambda: memory.remember("and on"))
ask(lambda: print([one.content for one in memory.memories()]))
ask(memory.close)
sys.stdout.flush()
os._exit(0)
"""


@pytest.mark.parametrize("build", ["native", "jvm"])
def test_a_query_that_cannot_be_stopped_keeps_nobody_for_ever(build: str, tmp_path: Path) -> None:
    store = tmp_path / "store"
    done = run(UNSTOPPABLE, store, MARS_ENGINE=build)
    assert done.returncode == 0, done.stderr
    stopped, scrub, erasure, *rest = done.stdout.splitlines()
    assert "was stopped" in stopped
    assert scrub.startswith("StoreUnwritable: a query is still running")
    assert erasure.startswith("StoreUnwritable: a query is still running")
    assert rest == ["done", "['kept', 'and on']", "done", "done"]
    with marskg.open(store) as memory:
        assert memory.verify().ok
    assert not (store / "scrub.promised").exists(), "the next opening did it"
