"""A loss of power: what was not synced may be gone, page by page; what was acknowledged is there at the next opening.

The engine syncs its write-ahead log with each commit, and writes pages behind it. So after a loss of power the log is
whole, and of the pages that were written since the files were last closed any may be the old ones, or be missing at the
end of a file. The tests put such a folder together from what was on the disk before and after some work, at random, and
open it by either build. ``make proof`` does it two hundred times.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

import marskg
from tests.support.proof import amount
from tests.support.waiting import HANGS_S

#: Files of pages, with the size of a page in their names.
PAGED = re.compile(r"\.([0-9]+)\.v[0-9]+\.[a-z]+$")
ERASED = "a word that is erased"
WORK = """
import os, signal, sys
import marskg

memory = marskg.open(sys.argv[1])
for number in range(30):
    one = memory.remember(f"number {number} of what was said after the store was opened", subjects=[f"p{number % 4}"])
    print(one.content, flush=True)
    if number % 5 == 4:
        print(memory.update(one.id, f"number {number}, corrected").content, flush=True)
    if number % 7 == 6:
        memory.retrieve("what was said")
memory.remember(sys.argv[2], subjects=["gone"])
memory.erase(subject="gone")
os.kill(os.getpid(), signal.SIGKILL)
"""


def worked(folder: Path) -> tuple[Path, Path, set[str]]:
    """Return the files of a store before some work and after it, killed without closing, and what was acknowledged."""
    store = folder / "store"
    with marskg.open(store, budget=100_000) as memory:
        said = {memory.remember(f"number {number} of before", subjects=["ann"]).content or "" for number in range(20)}
    before = folder / "before"
    shutil.copytree(store, before)
    done = subprocess.run(
        [sys.executable, "-c", WORK, str(store), ERASED], capture_output=True, text=True, timeout=HANGS_S, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    return before, store, said | set(done.stdout.splitlines())


def after_the_loss(before: Path, store: Path, folder: Path, chance: Random, share: float | None = None) -> int:
    """Put together in ``folder`` what may be on the disk; returns how many pages are not the last ones."""
    shutil.copytree(store, folder)
    lost = 0
    # Now few of the pages are lost, now nearly all.
    share = chance.random() if share is None else share
    for path in sorted((folder / "graph").iterdir()):
        paged = PAGED.search(path.name)
        if paged is None:
            continue
        size, old = int(paged[1]), before / "graph" / path.name
        pages = [path.read_bytes()[start : start + size] for start in range(0, path.stat().st_size, size)]
        kept = [old.read_bytes()[start : start + size] for start in range(0, old.stat().st_size, size)]
        mixed = list(pages)
        for number, page in enumerate(pages):
            if chance.random() < share and (number >= len(kept) or kept[number] != page):
                mixed[number] = kept[number] if number < len(kept) else bytes(size)
                lost += 1
        # The length of a file is lost as its pages are: those at the end that were never there.
        while len(mixed) > len(kept) and mixed[-1] == bytes(size):
            mixed.pop()
        path.write_bytes(b"".join(mixed))
    return lost


def check(store: Path, said: set[str]) -> None:
    with marskg.open(store) as memory:
        assert memory.verify().ok
        report = memory.validate(full=True)
        assert report.ok, report.findings
        held = {found.content for found in memory.memories()}
        assert said <= held
        assert ERASED not in held
        assert memory.remember("and it goes on").content


OPENED = """
import sys
from pathlib import Path
from tests.crash.test_power_loss import check

check(Path(sys.argv[1]), set(sys.argv[2:]))
"""


@pytest.mark.parametrize("build", ["native", "jvm"])
def test_what_was_acknowledged_outlives_a_loss_of_power(build: str, tmp_path: Path) -> None:
    before, store, said = worked(tmp_path)
    lost = 0
    for number in range(amount(3, 100)):
        folder = tmp_path / f"lost-{number}"
        lost += after_the_loss(before, store, folder, Random(f"power {build} {number}"))
        if build == "native":
            check(folder, said)
        else:
            done = subprocess.run(
                [sys.executable, "-c", OPENED, str(folder), *sorted(said)],
                capture_output=True,
                text=True,
                timeout=HANGS_S,
                check=False,
                cwd=Path(__file__).parents[2],
                env={**os.environ, "MARS_ENGINE": build},
            )
            assert done.returncode == 0, f"{number}: {done.stderr}"
        shutil.rmtree(folder)
    assert lost > 10, "nothing was lost"


def test_a_loss_of_the_log_would_be_found(tmp_path: Path) -> None:
    before, store, said = worked(tmp_path)
    for log in (store / "graph").glob("*.wal"):
        log.write_bytes(b"")
    folder = tmp_path / "lost"
    after_the_loss(before, store, folder, Random(1), share=1.0)
    with pytest.raises((AssertionError, marskg.MarsError)):
        check(folder, said)
