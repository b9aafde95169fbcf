"""A process that writes to an embedded store until its disk is full, frees space, and looks at what is there.

    python -m tests.support.crammed FOLDER disk|limit

``disk`` fills the small disk that FOLDER is on; ``limit`` lets no file grow any more, where such a disk cannot be had.
It prints one JSON document: the refusals, whether every acknowledged memory is there and nothing else, the faults of
the graph, the findings of the audit, and whether writing goes on.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import marskg
from marskg.errors import MarsError
from tests.support import picture as pictures
from tests.support import stores as support

if TYPE_CHECKING:
    from collections.abc import Callable

#: What is left of the disk when writing begins.
LEFT = 1 << 20
#: More than enough to fill it.
CALLS = 3000


def cram(folder: Path) -> Callable[[], None]:
    """Fill the disk but for a little; returns what frees it."""
    ballast = folder / "ballast"
    free = shutil.disk_usage(folder).free
    with ballast.open("wb") as handle:
        os.posix_fallocate(handle.fileno(), 0, max(free - LEFT, 1))
    return ballast.unlink


def limit(folder: Path) -> Callable[[], None]:
    """Let no file grow beyond what the largest has; returns what allows it again."""
    largest = max(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest + LEFT, hard))
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def main(folder: Path, how: str) -> dict[str, object]:
    """Do it, and return what was seen."""
    stores = support.embedded(folder / "store")
    memory = stores.open("t", budget=1 << 30)
    kept = [memory.remember("Before the disk was full").id]
    free = {"disk": cram, "limit": limit}[how](folder)
    refusals: list[MarsError] = []
    for number in range(CALLS):
        try:
            kept.append(memory.remember(f"Thing {number} that was said while the disk ran full", mentions=["Ann"]).id)
        except MarsError as error:
            refusals.append(error)
            if len(refusals) == 3:
                break
    free()
    stores.engine.close()
    stores = support.embedded(folder / "store")
    memory = stores.open("t", seed="again")
    picture = pictures.take(stores.engine, "t")
    said = {
        "refusals": [type(error).__name__ for error in refusals],
        "messages": [str(error) for error in refusals],
        "acknowledged": len(kept),
        "lost": sorted(set(kept) - set(picture.nodes)),
        "unacknowledged": sorted(set(picture.nodes) - set(kept)),
        "faults": pictures.faults(picture),
        "findings": [finding.message for finding in memory.verify().findings],
        "goes_on": memory.get(memory.remember("After there was space again").id) is not None,
    }
    stores.engine.close()
    return said


if __name__ == "__main__":
    assert marskg.__version__
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]), sys.argv[2])) + "\n")
