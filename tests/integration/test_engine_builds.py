"""The two builds of the embedded engine: the same files, chosen by name, and told what to do where one is missing."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from tests.support.scripts import run

if TYPE_CHECKING:
    from pathlib import Path

BUILDS = ("native", "jvm")
#: One turn of a store's life: what was there is read, corrected, erased and added to.
TURN = """
import json, sys
import marskg

with marskg.open(sys.argv[1], budget=2_000) as memory:
    turn = memory.stats()["live"]
    kept = memory.remember(f"turn {turn}: Ann moved to street {turn}", subjects=["ann"], session="s")
    memory.remember(f"turn {turn}: Bea keeps bees", subjects=[f"bea{turn}"], kind="semantic", key=f"hobby/{turn}")
    texts = [f"turn {turn}: box {n} is on shelf {n * 7}" for n in range(20)]
    memory.remember_many([marskg.Draft(ref=text, kind="episodic", content=text, at=memory.now()) for text in texts])
    memory.update(kept.id, f"turn {turn}: Ann moved to street {turn}b")
    memory.retrieve("where does Ann live")
    memory.maintain()
    if turn:
        memory.erase(subject=f"bea{turn}", scrub=True)
    report = memory.validate(full=True)
    texts = sorted(found.content or "" for found in memory.memories())
    print(json.dumps([memory.verify().ok, report.ok, texts]))
"""


def turn(store: Path, build: str) -> Any:
    done = run(TURN, store, MARS_ENGINE=build)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("first", BUILDS)
def test_a_store_goes_on_in_the_other_build(first: str, tmp_path: Path) -> None:
    other = BUILDS[1 - BUILDS.index(first)]
    known: set[str] = set()
    for build in (first, other, first, other):
        verified, valid, texts = turn(tmp_path / "store", build)
        assert verified
        assert valid
        assert known <= {text for text in texts if "Bea" not in text} | {text for text in known if "Bea" in text}
        known = set(texts)
    assert len(known) > 40


def test_a_store_is_locked_whatever_build_has_it_open(tmp_path: Path) -> None:
    with marskg.open(tmp_path / "store", budget=100):
        done = run("import marskg, sys; marskg.open(sys.argv[1])", tmp_path / "store", MARS_ENGINE="jvm")
    assert f"is open in another process (pid {os.getpid()})" in done.stderr


def test_a_build_that_there_is_not_is_refused(tmp_path: Path) -> None:
    done = run("import marskg, sys; marskg.open(sys.argv[1])", tmp_path / "store", MARS_ENGINE="graal")
    assert "InvalidConfig: MARS_ENGINE is 'graal'; write native or jvm, or unset it" in done.stderr
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("file", ["there is none", "not a library"])
def test_a_library_that_is_not_for_this_machine_is_told_with_the_way_out(file: str, tmp_path: Path) -> None:
    library = tmp_path / "libarcadedb.so"
    if file == "not a library":
        library.write_text("a wheel for another machine", encoding="ascii")
    done = run("import marskg, sys; marskg.open(sys.argv[1])", tmp_path / "store", ARCADEDB_NATIVE_LIB=str(library))
    said = done.stderr.splitlines()[-1]
    assert said.startswith("marskg.errors.EngineUnavailable: the embedded engine cannot be loaded (")
    assert "Then use a Neo4j server, or set MARS_ENGINE=jvm after: pip install 'marskg[jvm]'" in said
    again = run("import marskg, sys; marskg.open(sys.argv[1], budget=9).close()", tmp_path / "store")
    assert (again.returncode, again.stderr) == (0, ""), "what could not be opened is not left locked or half made"


@pytest.mark.parametrize(
    ("build", "package", "way_out"),
    [
        ("native", "arcadedb", "reinstall with: pip install --force-reinstall marskg"),
        ("jvm", "arcadedb_embedded", "install it with: pip install 'marskg[jvm]'"),
    ],
)
def test_a_build_that_is_not_installed_is_told_with_the_way_out(
    build: str, package: str, way_out: str, tmp_path: Path
) -> None:
    script = f"import marskg, sys; sys.modules[{package!r}] = None; marskg.open(sys.argv[1])"
    done = run(script, tmp_path / "store", MARS_ENGINE=build)
    assert way_out in done.stderr.splitlines()[-1]


LIMITED_AND_KILLED = """
import os, signal, sys, threading
from pathlib import Path
from marskg.store.engine.arcadedb import ArcadeDB

engine = ArcadeDB(Path(sys.argv[1]))
endless = "UNWIND range(1, 10000000) AS x UNWIND range(1, 10000000) AS y WITH x, y WHERE x < 0 RETURN x"
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
engine.read(endless, limit_seconds=60)
"""


@pytest.mark.parametrize("build", BUILDS)
def test_a_limit_of_a_process_that_was_killed_is_none_of_the_next(build: str, tmp_path: Path) -> None:
    assert run(LIMITED_AND_KILLED, tmp_path / "store").returncode == -9
    noted = tmp_path / "store" / "graph" / "configuration.json"
    assert '"command.timeout":60000' in noted.read_text(encoding="utf-8")
    done = run(TURN, tmp_path / "store", MARS_ENGINE=build)
    assert (done.returncode, done.stderr) == (0, "")
    assert '"command.timeout":0' in noted.read_text(encoding="utf-8")


JVM_ALONE = """
import gc, sys, time
from pathlib import Path
import jpype
from marskg.store.engine.arcadedb import ArcadeDB

engine = ArcadeDB(Path(sys.argv[1]))
engine.define("CREATE VERTEX TYPE Row")
whole = 0

def count(phase, told):
    global whole
    whole += phase == "start" and told["generation"] == 2

gc.callbacks.append(count)
for _ in range(3):
    jpype.JClass("java.lang.System").gc()
    engine.read("MATCH (n:Row) RETURN count(n) AS n")
    time.sleep(0.4)  # the bridge looks four times a second
gc.callbacks.remove(count)
assert whole == 0, "a collection of the JVM's starts one of Python's"
ours = [one for one in gc.callbacks if one.__module__ == "_jpype"]
assert not ours, "a collection of Python's asks for one of the JVM's"

for number in range(25):
    engine.write("CREATE (:Row {n: $n, text: $text})", {"n": number, "text": "a" * (8 << 20)})
pages = jpype.JClass("com.arcadedb.engine.PageManager").INSTANCE
pages.waitAllPagesOfDatabaseAreFlushed(engine._files.opened._java)
assert sum(path.stat().st_size for path in Path(sys.argv[1], "graph").glob("*.bucket")) > 180 << 20
assert pages.getStats().readCacheRAM <= 150 << 20, "pages in memory grow with what is written"
engine.close()
"""


@pytest.mark.slow
def test_the_jvm_leaves_pythons_memory_alone_and_its_own_bounded(tmp_path: Path) -> None:
    done = run(JVM_ALONE, tmp_path / "store", MARS_ENGINE="jvm")
    assert (done.returncode, done.stderr) == (0, "")


NATIVE_ALONE = """
import sys
from pathlib import Path
from marskg.store.engine.arcadedb import ArcadeDB

def resident():
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) >> 10

engine = ArcadeDB(Path(sys.argv[1]))
engine.define("CREATE VERTEX TYPE Row")
held = []
for number in range(60):
    engine.write("CREATE (:Row {n: $n, text: $text})", {"n": number, "text": "a" * (8 << 20)})
    held.append(resident())
engine.close()
# 480 MB were written. The collector copies what is alive from one half of 256 MB into the other.
assert max(held) < 600, held
"""


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the size of a process is read from /proc")  # noqa: PTH110 - as the script does
def test_the_librarys_memory_is_bounded(tmp_path: Path) -> None:
    done = run(NATIVE_ALONE, tmp_path / "store", MARS_ENGINE_HEAP="256m")
    assert (done.returncode, done.stderr) == (0, "")
