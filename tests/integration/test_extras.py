"""What a store in a folder does not need is an extra: without it the rest works, and who asks for it is told which."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from pathlib import Path

#: As if these were not installed.
WITHOUT = "import sys; sys.modules.update(dict.fromkeys({names!r})); "
ALL = ("arcadedb_embedded", "jpype", "neo4j", "owlready2", "pyrudof")


def run(names: tuple[str, ...], script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT.format(names=names) + script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=HANGS_S, check=False)


def test_a_store_in_a_folder_needs_none(tmp_path: Path) -> None:
    script = """
import marskg
with marskg.open(sys.argv[1], budget=1_000) as memory:
    memory.remember("Ann drinks green tea", subjects=["ann"])
    assert memory.retrieve("what does Ann drink").hits
    assert memory.verify().ok
    assert memory.validate(full=True).ok
    memory.erase(subject="ann", scrub=True)
    assert memory.validate(full=True).ok
"""
    done = run(ALL, script, tmp_path / "store")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("names", "script", "told"),
    [
        (
            ("neo4j",),
            "import marskg; marskg.open('bolt://localhost:7687')",
            "a store on a server needs its driver; install it with: pip install 'marskg[neo4j]'",
        ),
        (
            ("owlready2",),
            "from marskg.ontology.check import check_files; check_files([sys.argv[1]], seconds=9)",
            "the reasoner HermiT comes with owlready2, which is not installed; pip install 'marskg[reasoner]'",
        ),
    ],
)
def test_who_asks_for_what_is_not_installed_is_told_which(
    names: tuple[str, ...], script: str, told: str, tmp_path: Path
) -> None:
    document = tmp_path / "clinic.ttl"
    document.write_text("<urn:a> a <http://www.w3.org/2002/07/owl#Class> .\n", encoding="utf-8")
    done = run(names, script, document)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"marskg.errors.EngineUnavailable: {told}"


def test_where_files_cannot_be_locked_opening_says_so_and_the_rest_works(tmp_path: Path) -> None:
    script = """
import os
del os.fork, os.register_at_fork, os.O_CLOEXEC, os.O_DIRECTORY, os.pread, os.pwrite
import marskg
from marskg.cli.main import main
try:
    marskg.open(sys.argv[1])
except marskg.EngineUnavailable as error:
    print(error)
assert not os.path.exists(sys.argv[1])
main(["--help"])
"""
    done = run(("fcntl", "resource"), script, tmp_path / "store")
    assert (done.returncode, done.stderr) == (0, "")
    assert "on Windows, run it in WSL 2" in done.stdout
    assert "remember" in done.stdout
