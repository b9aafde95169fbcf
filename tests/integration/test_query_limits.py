"""A query ends at its limit whatever it costs, holds up nobody meanwhile, and says why it was refused."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pyparsing
import pytest

import marskg
from marskg.errors import QueryRefused
from tests.support.waiting import HANGS_S

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
def test_a_bomb_of_text_is_refused_in_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BOMB, str(tmp_path / "store")],
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "refuse" in done.stdout or "more memory" in done.stdout or "longer" in done.stdout
    assert done.stdout.endswith("True\n")
