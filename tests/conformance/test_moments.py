"""Erasing while others read, write and copy: what was erased is in nothing that is handed out after the erasure."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.api import transfer
from marskg.ontology.vocabulary import Operation
from marskg.retrieval.query import search
from marskg.store.commit.writer import Writer
from marskg.store.upkeep.access_log import record_showing

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

QUICK: dict[str, Any] = {"sensitivity__assess": "off", "embedding__model": "none"}
SECRET = "zyxquartz"
LONG = f"Her locker word is {SECRET} and she told nobody else about it"
ERASURES: dict[str, Any] = {"subject": {"subject": "bea"}, "session": {"session": "s"}}


def contents(memory: AgentMemory) -> set[str | None]:
    return {one.content for one in memory.memories()}


def filled(stores: Stores) -> AgentMemory:
    memory = stores.open(**QUICK)
    memory.remember(LONG, subjects=["bea"], session="s")
    memory.remember(f"{SECRET}!", subjects=["bea"], session="s")
    memory.remember("Carl plays chess", subjects=["carl"], session="other")
    return memory


@pytest.mark.parametrize("by", sorted(ERASURES))
def test_an_export_that_an_erasure_overtook_is_made_anew(
    stores: Stores, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, by: str
) -> None:
    memory = filled(stores)
    real = transfer._checked
    done: list[bool] = []

    def overtaken(items: Any, check: Any) -> Any:
        if not done:
            done.append(True)
            memory.erase(**ERASURES[by])
        yield from real(items, check)

    monkeypatch.setattr(transfer, "_checked", overtaken)
    for name, audit in (("out.jsonld", False), ("out.nq", True)):
        done.clear()
        memory.export(tmp_path / name, audit=audit)
        assert SECRET not in (tmp_path / name).read_text("utf-8")
        assert "Carl plays chess" in (tmp_path / name).read_text("utf-8")


@pytest.mark.parametrize("by", sorted(ERASURES))
def test_a_snapshot_from_before_does_not_bring_back_what_was_erased(stores: Stores, tmp_path: Path, by: str) -> None:
    memory = filled(stores)
    memory.preferences.set("retention", "episodic", subject="bea", horizon="30d")
    memory.snapshots.save(tmp_path / "before.mars")
    memory.erase(**ERASURES[by])
    memory.remember("What came after")
    for _ in range(2):
        memory.snapshots.load(tmp_path / "before.mars")
        assert contents(memory) == {"Carl plays chess"}
        assert not any(SECRET in str(hit.memory.content) for hit in memory.retrieve("the locker word"))
        assert memory.verify().findings == ()
        assert memory.validate(full=True).ok
        assert Operation.ERASE in [record.operation for record in memory.audit.records()]
        with pytest.raises(marskg.MarsError, match="erased"):
            memory.remember(LONG, subjects=["bea"], session="s")
    if by == "subject":
        assert not memory.preferences.list(subject="bea")


def test_a_snapshot_is_of_one_moment(stores: Stores, tmp_path: Path) -> None:
    memory = filled(stores)
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            memory.remember(f"Note {number}", session="notes")
            memory.retrieve("chess")

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for number in range(3):
            memory.snapshots.save(tmp_path / f"{number}.mars")
    finally:
        stop.set()
        thread.join()
    for number in range(3):
        memory.snapshots.load(tmp_path / f"{number}.mars")
        assert memory.verify().findings == ()


def test_a_snapshot_that_another_process_overtook_is_made_anew(
    stores: Stores, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if stores.engine.name == "arcadedb":
        pytest.skip("its files belong to one process")
    memory, other = filled(stores), stores.apart()
    foreign = other.open(memory.tenant, seed="other", **QUICK)
    done: list[bool] = []
    real = transfer._checked

    def overtaken(items: Any, check: Any) -> Any:
        if not done:
            done.append(True)
            foreign.erase(subject="bea")
        yield from real(items, check)

    monkeypatch.setattr(transfer, "_checked", overtaken)
    memory.snapshots.save(tmp_path / "one.mars")
    assert memory.snapshots.load(tmp_path / "one.mars") == 1
    assert contents(memory) == {"Carl plays chess"}


def test_readers_and_writers_beside_an_erasure(stores: Stores) -> None:
    memory = filled(stores)
    first = next(one for one in memory.memories() if one.content == LONG)
    over, stop = threading.Event(), threading.Event()
    late: list[str] = []
    refused: list[str] = []

    def read() -> None:
        while not stop.is_set():
            after = over.is_set()
            told = [str(hit.memory.content) for hit in memory.retrieve("locker word", k=9, token_budget=500)]
            told += [str(hit.memory.content) for hit in memory.read_all().hits]
            late.extend(text for text in told if after and SECRET in text)

    def write() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            try:
                memory.remember(f"It follows {number} from {SECRET}", kind="semantic", derives_from=[first.id])
            except marskg.MarsError as error:
                refused.append(type(error).__name__)

    threads = [threading.Thread(target=work) for work in (read, write)]
    for thread in threads:
        thread.start()
    memory.erase(subject="bea")
    over.set()
    assert not list(memory.retrieve(SECRET))
    stop.set()
    for thread in threads:
        thread.join()
    assert late == []
    assert set(refused) <= {"ClosureViolation", "ErasedContentRefused", "UnknownMemory", "InvalidMemory"}
    assert contents(memory) == {"Carl plays chess"}
    assert memory.verify().findings == ()


def test_an_erasure_between_the_record_and_the_answer_takes_the_answer_back(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = filled(stores)
    shown, left = memory._reading.view.shown, [True]

    def then(*given: Any) -> None:
        shown(*given)
        if left:
            left.pop()
            thread = threading.Thread(target=lambda: memory.erase(subject="bea"))
            thread.start()
            thread.join()

    monkeypatch.setattr(memory._reading.view, "shown", then)
    assert not any(SECRET in str(hit.memory.content) for hit in memory.retrieve("locker word"))
    assert left == []


def test_a_write_that_an_erasure_overtook_is_refused_or_goes_with_it(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = filled(stores)
    first = next(one for one in memory.memories() if one.content == LONG)
    other = stores.apart().open(memory.tenant, seed="other", **QUICK)
    real, left = Writer.write, [True]

    def overtaken(writer: Writer, unit: Any, steps: Any) -> Any:
        if writer is memory._writer and left:
            left.pop()
            other.erase(subject="bea")
        return real(writer, unit, steps)

    monkeypatch.setattr(Writer, "write", overtaken)
    with pytest.raises(marskg.MarsError):
        memory.remember("It follows from that", kind="semantic", derives_from=[first.id])
    assert contents(memory) == {"Carl plays chess"}
    assert memory.verify().findings == ()


def test_erasing_what_is_shared_with_somebody_else(stores: Stores) -> None:
    memory = filled(stores)
    memory.remember("Bea and Carl met at the lake", subjects=["bea", "carl"])
    receipt = memory.erase(subject="bea")
    assert (receipt.matched, receipt.shared) == (3, 1)
    assert memory.erase(subject="bea").matched == 0
    assert contents(memory) == {"Carl plays chess"}
    assert memory.verify().findings == ()


@pytest.mark.parametrize("door", ["retrieve", "recall", "read_all", "profile", "get"])
@pytest.mark.parametrize("ends", ["consent", "memory"])
def test_what_ends_between_reading_and_its_record_is_not_handed_out(
    stores: Stores, monkeypatch: pytest.MonkeyPatch, ends: str, door: str
) -> None:
    memory = stores.open(**QUICK)
    limited: dict[str, Any] = {"ttl": "1m"}
    if ends == "consent":
        memory.preferences.set("consent_required", "marketing")
        memory.preferences.consent("ada", "marketing", until=memory.now() + 60_000)
        limited = {"purpose": ["marketing"]}
    over = memory.remember("Ada has tea in the garden", subjects=["ada"], mentions=["Ada"], **limited)
    stays = memory.remember("Ada has a gate in the garden", mentions=["Ada"])
    late: list[bool] = []

    def recorded(*arguments: Any, **named: Any) -> Any:
        if not late:
            late.append(True)
            stores.clock(memory).advance(120_000)
        return record_showing(*arguments, **named)

    monkeypatch.setattr(search, "record_showing", recorded)
    reader = stores.open_as(memory, "reader:bot?purpose=marketing")
    doors: dict[str, Any] = {
        "retrieve": lambda: [hit.memory.id for hit in reader.retrieve("garden")],
        "recall": lambda: [hit.memory.id for hit in reader.recall(entity="Ada")],
        "read_all": lambda: [hit.memory.id for hit in reader.read_all().hits],
        "profile": lambda: [one.id for one in reader.profile("Ada").entries],
        "get": lambda: [one.id for one in (reader.get(over.id), reader.get(stays.id)) if one is not None],
    }
    assert doors[door]() == [stays.id]
    assert late, "the clock moved between reading and record"
