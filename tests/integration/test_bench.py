"""The bench runs whole on both engines, answers with one document, and leaves a server as it found it."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import neo4j
import pytest

from marskg.errors import InvalidInput, StoreUnwritable
from marskg.memory import AgentMemory
from marskg_bench import store
from marskg_bench.common import report
from marskg_bench.stores import writes
from marskg_bench.stores.rig import embedded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from marskg.records import Memory
    from tests.support.neo4j import Neo4jAddress

POLICIES = {"fifo", "lru", "random_drop", "priority_decay"}


def flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from flat(item, f"{path}.{name}")
    else:
        yield path, value


def check(figures: dict[str, Any]) -> None:
    ratios = {path: value for path, value in flat(figures) if "ratio" in path}
    assert {path for path in ratios if "remember" in path} == {
        ".remember.single.ratio",
        ".remember.many.ratio",
        ".remember.besides.vectors.ratio",
        ".remember.besides.entities.ratio",
        ".remember.besides.sensitivity.ratio",
    }
    assert all(value > 0 for value in ratios.values())
    assert set(figures["triggers"]) >= POLICIES
    for path in ("remember.single", "remember.many", "writes.full_budget", "writes.four_threads", "access"):
        group = figures
        for name in path.split("."):
            group = group[name]
        assert group["ratio"] == pytest.approx(group["bare_ms"] / group["governed_ms"], abs=2e-3)


@pytest.mark.proof
def test_the_embedded_bench_answers_with_one_document_and_a_chart(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    chart = tmp_path / "ratios.png"
    assert store.main(["--n", "100", "--json", "--chart", str(chart)]) == 0
    out, err = capsys.readouterr()
    result = json.loads(out)
    assert set(result["engines"]) == {"arcadedb"}
    check(result["engines"]["arcadedb"])
    waiting = result["engines"]["arcadedb"]["writes"]["waiting"]
    assert min(waiting["written"].values()) > 0
    assert all(waiting[name]["samples"] > 0 for name in ("alone", "beside", "other_tenant", "reader"))
    assert result["environment"]["cores"] >= 1
    assert "arcadedb: triggers of fifo" in err
    assert chart.read_bytes().startswith(b"\x89PNG")


def test_a_slow_write_misses_what_it_must_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    remember = AgentMemory.remember

    def slow(memory: AgentMemory, content: str, **fields: Any) -> Memory:
        time.sleep(0.02)
        return remember(memory, content, **fields)

    with embedded(100, 1, lambda _: None) as rig:
        monkeypatch.setattr(AgentMemory, "remember", slow)
        single = writes.single(rig, 20)
    ((_, target, value, reached),) = report.rows({"engines": {"arcadedb": {"remember": {"single": single}}}})
    assert target.path == "remember.single.ratio"
    assert not reached
    assert value < target.embedded


def test_strict_turns_a_missed_figure_into_a_status(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "figures.json"
    for ratio, status in ((0.9, 0), (0.1, store.MISSED)):
        result = result_with(access={"ratio": ratio, "governed_ms": 1.0, "bare_ms": ratio})
        monkeypatch.setattr(store, "run", lambda *_, found=result, **__: found)
        assert store.main(["--strict", "--save", str(saved)]) == status
        assert json.loads(saved.read_text(encoding="utf-8")) == result
    assert "missed" in capsys.readouterr().out
    assert store.main(["--save", str(saved)]) == 0
    with pytest.raises(StoreUnwritable, match="cannot be written"):
        store.main(["--save", str(tmp_path / "missing" / "figures.json")])


@pytest.mark.proof
def test_a_server_is_left_as_it_was_found(neo4j_server: Neo4jAddress, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in zip(("NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD"), neo4j_server, strict=True):
        monkeypatch.setenv(name, value)
    result = store.run(100, ("neo4j",), seed=1, say=lambda _: None)
    check(result["engines"]["neo4j"])
    assert "Neo4j" in result["engines"]["neo4j"]["version"]
    with neo4j.GraphDatabase.driver(neo4j_server.uri, auth=neo4j_server[1:]) as driver:
        left = driver.execute_query(
            "MATCH (n) WHERE n.tenant STARTS WITH 'bench-' OR n.ref STARTS WITH 'bench-' RETURN count(n) AS left"
        )
    assert left.records[0]["left"] == 0


def test_without_a_server_the_bench_says_how_to_name_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEO4J_URI", raising=False)
    with pytest.raises(InvalidInput, match="set NEO4J_URI"):
        store.run(100, ("neo4j",), seed=1, say=lambda _: None)


def test_a_chart_without_its_library_is_refused_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(report, "find_spec", lambda _: None)
    with pytest.raises(InvalidInput, match=r"pip install 'marskg\[chart\]'"):
        store.main(["--chart", str(tmp_path / "ratios.png")])


def result_with(**figures: Any) -> dict[str, Any]:
    known = {"cores": 2, "system": "Linux", "processor": "a", "load": 0.1, "python": "3.11", "packages": {}}
    engines = {name: {"version": name, "seconds": 1.0, **figures} for name in ("arcadedb", "neo4j")}
    return {"n": 100, "environment": known, "engines": engines}


def test_what_misses_its_target_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    single = {"ratio": 0.6, "governed_ms": 5.0, "bare_ms": 3.0}
    result = result_with(remember={"single": single}, validation={"one_write_ms": 1.5})
    reached = {(engine, target.path): ok for engine, target, _, ok in report.rows(result)}
    assert reached == {
        ("arcadedb", "remember.single.ratio"): True,
        ("neo4j", "remember.single.ratio"): False,
        ("arcadedb", "validation.one_write_ms"): True,
        ("neo4j", "validation.one_write_ms"): True,
    }
    report.show(result)
    assert capsys.readouterr().out.count("missed") == 1


def test_a_chart_with_an_unknown_suffix_is_refused(tmp_path: Path) -> None:
    result = result_with(access={"ratio": 0.7, "governed_ms": 1.0, "bare_ms": 0.7})
    with pytest.raises(InvalidInput, match="suffix"):
        report.draw(result, tmp_path / "ratios.xyz")
    with pytest.raises(StoreUnwritable, match="cannot be written"):
        report.draw(result, tmp_path / "missing" / "ratios.png")
