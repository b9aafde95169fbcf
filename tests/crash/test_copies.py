"""A reader whose process is killed while it answers leaves no plain copy: not in the temporary folder, nor for long."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import marskg

if TYPE_CHECKING:
    from pathlib import Path

SENTINEL = "Quentin keeps a xylophone"
#: Kills itself while its copy of what it may read is there.
READ = """
import os, signal, sys
from pathlib import Path
import marskg
from marskg.exporters.queries.runner import SparqlRunner

def die(*_, **__):
    assert list(Path(sys.argv[1]).glob("view/default~readers/*/*")), "there is a copy now"
    os.kill(os.getpid(), signal.SIGKILL)

reader = marskg.open(sys.argv[1], principal="reader:bot?ceiling=1.0&jurisdiction=EU")
if sys.argv[2] == "plan":
    reader.plan(budget=10, progress=die)
SparqlRunner.run = die
reader.sparql("ASK { ?s ?p ?o }")
"""


def files_with(folder: Path, text: str) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


@pytest.mark.parametrize("what", ["plan", "sparql"])
def test_a_killed_reader_leaves_no_plain_copy(what: str, tmp_path: Path) -> None:
    store, temporary = tmp_path / "store", tmp_path / "temporary"
    temporary.mkdir()
    with marskg.open(store, budget=10_000) as memory:
        for number in range(30):
            memory.remember(f"{SENTINEL} {number}", subjects=["quentin"], jurisdiction="EU")
    command = [sys.executable, "-c", READ, str(store), what]
    done = subprocess.run(command, env={**os.environ, "TMPDIR": str(temporary)}, check=False)
    assert done.returncode == -signal.SIGKILL
    assert files_with(temporary, SENTINEL) == []
    with marskg.open(store) as memory:
        assert list(store.glob("view/*~readers/*")) == [], "an opening leaves what a killed reader left"
        memory.erase(subject="quentin", scrub=True)
        assert files_with(tmp_path, SENTINEL) == []


def test_an_opening_leaves_alone_what_another_handle_is_using(tmp_path: Path) -> None:
    with marskg.open(tmp_path / "store", budget=10_000) as memory:
        memory.remember("known to all", jurisdiction="EU")
        reader = marskg.open(tmp_path / "store", principal="reader:bot?ceiling=1.0&jurisdiction=EU")

        def meanwhile(_: int) -> None:
            marskg.open(tmp_path / "store").close()

        assert reader.plan(budget=0, policy="density", progress=meanwhile).actions
        assert list((tmp_path / "store").glob("view/*~readers/*")) == []
        reader.close()
