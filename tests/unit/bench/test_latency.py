"""The latency's figures come from searches by turns; what cannot take part is named with the way out."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from marskg_bench.retrievals import latency as _latency
from marskg_bench.retrievals import peers as _peers
from marskg_bench.retrievals import retrieval_report
from marskg_bench.retrievals.peers import Peer, PeerUnusable

if TYPE_CHECKING:
    from types import ModuleType


def test_each_question_is_asked_once_and_by_turns() -> None:
    order: list[tuple[str, str]] = []

    def searching(name: str) -> _latency.Timed:
        def search(question: str) -> str:
            order.append((name, question))
            return name

        return search

    found = _latency.timed({name: searching(name) for name in ("one", "three")}, "abcd", rounds=3, warmup=1)
    assert order == [(name, question) for question in "abcd" for name in ("one", "three")]
    assert found["three"]["items"] == 5
    assert 0 <= found["one"]["p50_ms"] <= found["one"]["p95_ms"]


def test_a_missing_peer_is_a_row_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    peers = (Peer("absent", "absent_package.inner", "absent-package extra", _peers.chroma),)
    monkeypatch.setattr(_latency, "PEERS", peers)
    found = _latency.run([100], seed=1, say=lambda _: None, with_product=False)
    assert found["100"]["absent"] == {"note": "not installed: pip install absent-package extra"}
    assert set(found["100"]) == {"absent", "static encoding", "e5 encoding"}
    (table,) = retrieval_report.tables({"latency": found})
    assert table.row_count == 3


def test_a_sqlite_without_extensions_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Plain:
        class Connection:
            pass

    def imported(name: str) -> ModuleType | type[Plain]:
        return Plain if name == "sqlite3" else sys.modules[name]

    monkeypatch.setattr(_peers, "import_module", imported)
    monkeypatch.setattr(_peers, "find_spec", lambda _: None)
    with pytest.raises(PeerUnusable, match="pip install pysqlite3-binary"):
        _peers._sqlite()


def test_what_is_slower_than_it_may_be_is_marked() -> None:
    latency = {
        "10000": {
            "marskg": {"p50_ms": 12.0, "p95_ms": 20.0, "items": 40},
            "mem0": {"p50_ms": 200.0, "p95_ms": 300.0, "items": 40},
            "chroma": {"p50_ms": 4.0, "p95_ms": 8.0, "items": 40},
            "e5 encoding": {"p50_ms": 17.0, "p95_ms": 20.0},
        },
        "100000": {"marskg": {"p50_ms": 20.0, "p95_ms": 61.0, "items": 40}, "index": {"seconds": 1.5}},
    }
    reached = {check.words: check.reached for check in retrieval_report.checks({"latency": latency})}
    assert reached == {
        "retrieve at 10,000, ms p50": False,
        "retrieve at 10,000 and encoding by e5, ms p50": True,
        "retrieve at 10,000, p95 ÷ p50": True,
        "retrieve at 10,000 ÷ mem0": True,
        "retrieve at 10,000 ÷ chroma": False,
        "retrieve at 100,000, ms p50": True,
        "retrieve at 100,000, p95 ÷ p50": False,
        "the index of 100,000, s": True,
    }
