"""A store that is opened again where it is open: the same files, one queue of writers, closed with the last."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import marskg
from marskg.api import components
from marskg.errors import InvalidInput

ROOT = Path(__file__).parents[2]
SETTINGS = "entities:\n  recognise: 'off'\nsensitivity:\n  assess: 'off'\nembedding:\n  model: none\n"
SECRET = "zyxquartz"


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    path = tmp_path / "settings.yaml"
    path.write_text(SETTINGS)
    return path


def pid_that_holds(store: Path) -> int | None:
    """Return the pid that another process is told when it opens ``store``; None if it may."""
    code = (
        "import marskg, sys\n"
        "from marskg.store.engine.folder_lock import FolderLock\n"
        "from pathlib import Path\n"
        "try:\n    FolderLock(Path(sys.argv[1])).release()\n"
        "except marskg.StoreLocked as error:\n    print(error.pid)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    ran = subprocess.run(
        [sys.executable, "-c", code, str(store)], env=environment, capture_output=True, text=True, check=True
    )
    return int(ran.stdout) if ran.stdout else None


def test_whatever_path_leads_there_it_is_one_store(tmp_path: Path, settings: Path) -> None:
    store, link = tmp_path / "store", tmp_path / "link"
    first = marskg.open(store, tenant="ann", config=settings)
    link.symlink_to(store)
    second = marskg.open(link, tenant="ann", config=settings)
    guest = marskg.open(store, tenant="ann", principal="reader:bot?ceiling=0.3")
    other = marskg.open(tmp_path / "." / "store", tenant="bob", config=settings)
    said = first.remember("The kettle is red", kind="semantic")
    other.remember("The teapot is blue", kind="semantic")
    assert [hit.memory.id for hit in second.retrieve("kettle")] == [said.id]
    assert [hit.memory.id for hit in guest.retrieve("kettle")] == [said.id]
    assert first.stats() == second.stats()
    assert pid_that_holds(store) == os.getpid()
    first.close()
    first.close()
    with pytest.raises(marskg.EngineUnavailable, match="the store is closed; open it again"):
        first.get(said.id)
    assert second.get(said.id) is not None
    for memory in (second, guest):
        memory.close()
    assert pid_that_holds(store) == os.getpid(), "bob still has it open"
    assert other.verify().ok
    other.close()
    assert pid_that_holds(store) is None
    with marskg.open(store, tenant="ann") as again:
        assert again.verify().ok
        assert again.get(said.id) is not None


def test_threads_that_open_at_once_get_one_store(tmp_path: Path, settings: Path) -> None:
    together = threading.Barrier(3)

    def work(number: int) -> str:
        together.wait()
        with marskg.open(tmp_path / "store", tenant=f"t{number % 2}", config=settings) as memory:
            return memory.remember(f"Said by {number}", kind="semantic").id

    with ThreadPoolExecutor(3) as pool:
        ids = list(pool.map(work, range(3)))
    for tenant, said in (("t0", {ids[0], ids[2]}), ("t1", {ids[1]})):
        with marskg.open(tmp_path / "store", tenant=tenant) as memory:
            assert {one.id for one in memory.memories()} == said
            assert memory.verify().ok


def test_a_scrub_by_one_handle_leaves_nothing_that_another_one_keeps(tmp_path: Path, settings: Path) -> None:
    store = tmp_path / "store"
    first = marskg.open(store, tenant="ann", config=settings)
    second = marskg.open(store, tenant="ann", config=settings)
    second.remember(f"Her locker word is {SECRET}", subjects=["bea"], kind="semantic")
    assert list(second.retrieve("locker word"))
    assert second.sparql("SELECT ?s { ?s mars:content ?o }").rows
    first.erase(subject="bea", scrub=True)
    assert not list(second.retrieve("locker word"))
    second.remember("What comes after", kind="semantic")
    # What a handle keeps of its index at closing is of after the erasure as well.
    second.close()
    first.close()
    left = [path for path in store.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert left == []
    with marskg.open(store, tenant="ann") as again:
        assert again.verify().ok


def test_a_second_opening_leaves_a_scrub_that_is_under_way_alone(tmp_path: Path, settings: Path) -> None:
    store = tmp_path / "store"
    first = marskg.open(store, tenant="ann", config=settings)
    first.remember("The kettle is red", kind="semantic")
    first.store.engine.promise_scrub()
    with marskg.open(store, tenant="ann") as second:
        assert second.store.engine.scrub_promised, "who has it open keeps the promise"
    first.close()
    with marskg.open(store, tenant="ann") as again:
        assert not again.store.engine.scrub_promised
        assert again.verify().ok


def test_what_fails_to_open_is_told_nothing_by_the_others(
    tmp_path: Path, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store"
    with marskg.open(store, tenant="ann", config=settings) as first:
        first.remember("The kettle is red", kind="semantic", subjects=["ann"])
        handles = len(first._writer.shared._handles)
        for principal in ("operator", "reader:bot"):
            with monkeypatch.context() as patch:
                patch.setattr(components, "erase_again", failing)
                with pytest.raises(InvalidInput, match="on purpose"):
                    marskg.open(store, tenant="ann", principal=principal)
            assert len(first._writer.shared._handles) == handles
        assert first.erase(subject="ann").matched == 1


def failing(*_: object) -> None:
    msg = "on purpose"
    raise InvalidInput(msg)
