"""Files of the embedded store that are cut off: an error of ours that says what to do, and no word of Java's."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import marskg
from tests.support.waiting import HANGS_S

ROOT = Path(__file__).parents[2]
#: Uses a store at each of some doors; prints the kinds of error, and fails at one that is not ours.
USE = """
import json
import sys
import marskg

def use(work):
    try:
        work()
    except marskg.MarsError as error:
        said.append(f"{type(error).__name__}: {error}")

for store in sys.argv[1:]:
    said = []
    opened = []
    use(lambda: opened.append(marskg.open(store, create=False)))
    for memory in opened:
        use(memory.verify)
        use(lambda: memory.validate(full=True))
        use(lambda: list(memory.memories()))
        use(lambda: memory.retrieve("Ann"))
        use(lambda: memory.remember("one more", session="s1"))
        use(lambda: memory.erase(subject="ann"))
        use(memory.close)
    print(json.dumps(said), flush=True)
"""
#: A file of the engine's, and how much is left of it.
CUT = [
    (pattern, part)
    for pattern in ("Tenant_0.*", "AuditRecord_0.*.bucket", "Episodic%7EMemory_0.*.bucket", "dictionary.*",
                    "AuditRecord_0_*.umtidx")
    for part in (0, 0.5)
]  # fmt: skip


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("sound") / "store"
    with marskg.open(store, budget=10_000) as memory:
        for number in range(40):
            memory.remember(f"Ann Miller said {number}", subjects=["ann"], session=f"s{number % 3}")
    return store


def cut_off(sound: Path, store: Path, pattern: str, part: float) -> Path:
    shutil.copytree(sound, store)
    path = next((store / "graph").glob(pattern))
    os.truncate(path, int(path.stat().st_size * part))
    return store


def test_a_file_that_is_cut_off_is_told_in_words_of_ours(sound: Path, tmp_path: Path) -> None:
    stores = [cut_off(sound, tmp_path / f"{number}", *cut) for number, cut in enumerate(CUT)]
    command = [sys.executable, "-c", USE, *map(str, stores)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS_S, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    for cut, line in zip(CUT, done.stdout.splitlines(), strict=True):
        said = json.loads(line)
        assert said, cut
        assert said[0].startswith(("EngineUnavailable: ", "StoreDamaged: ")), cut
        assert "damaged" in said[0], cut
        assert not any("mars init" in one for one in said), cut


def test_an_index_whose_making_was_cut_off_is_no_damage(sound: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(sound, store)
    (store / "graph" / "AuditRecord_0_12345678901234.999.32768.v1.umtidx").touch()
    with marskg.open(store) as memory:
        assert memory.verify().ok
        assert memory.remember("And it goes on").id


def test_files_are_closed_to_others_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with marskg.open(tmp_path / "store") as memory:
            memory.remember("private")
            memory.retrieve("private")
            memory.sparql("ASK { ?s ?p ?o }")
    finally:
        os.umask(before)
    for path in [tmp_path / "store", *(tmp_path / "store").iterdir()]:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_a_store_that_was_open_to_others_is_closed_when_it_is_opened(tmp_path: Path) -> None:
    marskg.open(tmp_path / "store").close()
    (tmp_path / "store" / "graph").chmod(0o755)
    marskg.open(tmp_path / "store").close()
    assert stat.S_IMODE((tmp_path / "store" / "graph").stat().st_mode) == 0o700


@pytest.mark.parametrize("build", ["native", "jvm"])
def test_a_crash_of_the_engine_is_reported_in_the_store_alone(build: str, tmp_path: Path) -> None:
    crash = (
        "import marskg, os, signal, sys; marskg.open(sys.argv[1], budget=99).remember('acknowledged'); "
        "os.kill(os.getpid(), signal.SIGSEGV)"
    )
    (tmp_path / "temporary").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary"), "MARS_ENGINE": build}
    store = tmp_path / "50%p store"
    done = subprocess.run(
        [sys.executable, "-c", crash, str(store)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        timeout=HANGS_S,
        check=False,
    )
    assert done.returncode != 0
    assert b"acknowledged" not in done.stderr
    crashes = store / "crashes"
    assert [path.suffix for path in crashes.glob("*")] == ([".log"] if build == "jvm" else []), "a library reports none"
    if crashes.exists():
        assert stat.S_IMODE(crashes.stat().st_mode) == 0o700
    assert list((tmp_path / "temporary").iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {store.name, "temporary"}
    with marskg.open(store) as memory:
        memory.maintenance.scrub()
    assert not crashes.exists(), "a scrub leaves what a crash report may hold"


@pytest.mark.slow
def test_a_read_beside_a_writer_meets_no_record_that_is_being_rewritten(tmp_path: Path) -> None:
    with marskg.open(tmp_path / "store", budget=10_000) as memory:
        ids = [memory.remember(f"number {number}").id for number in range(20)]
        ended = threading.Event()

        def write() -> None:
            for turn in range(60):
                memory.update(ids[turn % 20], f"number {turn} " + "grown " * turn) if turn < 20 else memory.remember(
                    "x"
                )
                if turn % 5 == 4:
                    memory.erase(id=memory.remember("to go").id)
            ended.set()

        thread = threading.Thread(target=write)
        thread.start()
        while not ended.is_set():
            list(memory.memories())
            memory.retrieve("number")
        thread.join()


def test_a_store_whose_vectors_the_engine_keeps_opens_again_with_and_without_any(tmp_path: Path) -> None:
    for number in (0, 3):
        with marskg.open(tmp_path / "store") as memory:
            memory.settings.set(None, {"retrieval.vectors": "engine"})
            for turn in range(number):
                memory.remember(f"Turn {turn} tells of the garden")
            assert len(memory.retrieve("garden").hits) == number
    with marskg.open(tmp_path / "store") as memory:
        assert len(memory.retrieve("garden").hits) == 3
