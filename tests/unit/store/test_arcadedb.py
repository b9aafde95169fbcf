"""What the embedded engine does beyond what the conformance suite asks of both."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest
from arcadedb._native import lib

from marskg.errors import QueryRefused
from marskg.store.engine.arcadedb import ArcadeDB
from tests.support import growing
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Statements that would go on for years: rows that nothing asks for, rows that all fail, an order over all of them.
ENDLESS = (
    "UNWIND range(1, 10000000) AS x UNWIND range(1, 10000000) AS y WITH x, y WHERE x < 0 RETURN x",
    "MATCH (a:Row), (b:Row), (c:Row), (d:Row) WHERE a.n + b.n + c.n + d.n < 0 RETURN a.n AS n",
    "MATCH (a:Row), (b:Row), (c:Row), (d:Row) RETURN a.n AS n ORDER BY n",
)
REFUSED = "RETURN size(range(1, 100000000)) AS n"
SLOW = "MATCH (a:Row), (b:Row), (c:Row) WHERE a.n + b.n + c.n < 4 RETURN a.n AS n"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[ArcadeDB]:
    engine = ArcadeDB(tmp_path / "store")
    engine.define("CREATE VERTEX TYPE Row")
    engine.write("UNWIND range(1, 100) AS n CREATE (:Row {n: n})")
    yield engine
    engine.close()


def _asking() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "marskg-query"]


@pytest.mark.parametrize("statement", ENDLESS)
def test_a_query_over_its_limit_leaves_nothing_that_goes_on(statement: str, engine: ArcadeDB) -> None:
    with pytest.raises(QueryRefused, match=r"the query took longer than 0.5 s and was stopped; narrow it, or raise"):
        engine.query(statement, limit_seconds=0.5)
    for thread in _asking():
        thread.join(HANGS_S)
    assert not _asking()


def test_a_read_over_its_limit_is_stopped_and_the_next_has_none(engine: ArcadeDB) -> None:
    with pytest.raises(QueryRefused, match=r"the statement took longer than 0.05 s and was stopped"):
        engine.read(SLOW, limit_seconds=0.05)
    assert engine.read(SLOW) == [{"n": 1}]


def test_a_limit_is_of_one_statement_and_not_of_what_others_read_meanwhile(engine: ArcadeDB) -> None:
    found: list[Any] = []
    other = threading.Thread(target=lambda: found.append(engine.read(SLOW)))
    other.start()
    with engine.transaction() as transaction, pytest.raises(QueryRefused):
        transaction.run(ENDLESS[0], limit_seconds=0.5)
    other.join(HANGS_S)
    assert found == [[{"n": 1}]]


def test_a_limit_that_cannot_be_written_down_keeps_nobody_from_reading(engine: ArcadeDB, tmp_path: Path) -> None:
    noted = tmp_path / "store" / "graph" / "configuration.json"
    noted.unlink(missing_ok=True)
    in_the_way = noted / "as on a full disk"
    in_the_way.mkdir(parents=True)
    for _ in range(2):
        assert engine.read(SLOW, limit_seconds=60) == [{"n": 1}]
        assert engine.query(SLOW, limit_seconds=60) == [{"n": 1}]
    in_the_way.rmdir()
    noted.rmdir()
    with pytest.raises(QueryRefused, match=r"took longer than 0\.5 s"):
        engine.read(ENDLESS[0], limit_seconds=0.5)


def test_what_the_engine_refuses_under_a_limit_is_said(engine: ArcadeDB) -> None:
    with pytest.raises(QueryRefused, match=r"the engine refuses the query: .*100000000 elements"):
        engine.query(REFUSED, limit_seconds=5)
    with pytest.raises(Exception, match="100000000 elements"):
        engine.read(REFUSED, limit_seconds=5)


def test_the_library_holds_on_to_no_parameters(engine: ArcadeDB) -> None:
    engine.write("CREATE (:Row {text: $text})", {"text": "a name that is erased"})
    engine.write("MATCH (r:Row {text: $text}) DELETE r", {"text": "a name that is erased"})
    assert engine.read("MATCH (r:Row {text: $text}) RETURN r.text AS text", {"text": "a name that is erased"}) == []
    assert not [text for text in lib._bytes_cache if "a name that is erased" in text]


@pytest.mark.parametrize("seed", [4, 56])
def test_records_that_outgrow_their_page_keep_all_that_they_say(seed: int, tmp_path: Path) -> None:
    assert growing.lost(tmp_path / "store", seed) == set()


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "gone"), [("ours", 0), ("own", 2)])
def test_the_engine_loses_them_in_its_own_mode(tmp_path: Path, mode: str, gone: int) -> None:
    """If this fails, the engine was mended: then it may reuse all free space again (ADR 33)."""
    command = [sys.executable, "-m", "tests.support.growing", mode, str(tmp_path), "4", "56"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout.splitlines()[-1]) == gone
