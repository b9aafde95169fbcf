"""Operations that tests kill a process in the midst of: what a store has before each, how it is run, what it leaves.

    python -m tests.support.operations NAME FOLDER

says ``ready`` when everything that takes no part is started, runs the operation of :data:`OPERATIONS`, says ``done``;
a failpoint (:mod:`tests.support.failpoint`) counts from ``ready`` on.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import marskg
from marskg.drafts import Draft
from marskg.exporters.snapshot.file import Snapshot
from marskg.ontology.vocabulary import Kind
from marskg.store.statements.catalogue import statement
from tests.support import failpoint
from tests.support.residue import residue

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.memory import AgentMemory

TENANT = "killed"
#: What the tests ask for after a kill: all of it was acknowledged before the operation began.
KEPT = tuple(f"Carl plays game {number} of chess near the river" for number in range(120))
SENTINELS = tuple(f"zyxquartz{number:03d}vellum" for number in range(24))
LATER = tuple(f"Acknowledged after the snapshot, number {number}" for number in range(20))
QUICK = "entities:\n  recognise: 'off'\nsensitivity:\n  assess: 'off'\nembedding:\n  model: none\nbudget: 1000000\n"


@dataclass(frozen=True)
class Operation:
    """One operation; each callable is given the folder that the store ``store`` and the operation's files are in."""

    run: Callable[[AgentMemory, Path], object]
    #: Contents that the tenant may have after the kill: as before, as after.
    before: tuple[str, ...]
    after: tuple[str, ...]
    #: Makes what the operation needs in a new store that has :data:`KEPT`.
    prepare: Callable[[AgentMemory, Path], object] = lambda _memory, _folder: None
    #: Checks of its own, once the tenant is open again; ``over``: whether the contents are those after it.
    check: Callable[[AgentMemory, Path, bool], object] = lambda _memory, _folder, _over: None
    #: Whether opening the store is what is run.
    opens: bool = False


def open_store(folder: Path, *, create: bool = False) -> AgentMemory:
    """Open the tenant of ``folder`` as a program does."""
    config = folder / "settings.yaml"
    return marskg.open(folder / "store", tenant=TENANT, config=config if create else None, create=create)


def fill(operation: Operation, folder: Path) -> None:
    """Make the store that ``operation`` is to be run on."""
    folder.mkdir()
    (folder / "settings.yaml").write_text(QUICK, encoding="utf-8")
    with open_store(folder, create=True) as memory:
        now = memory.now()
        memory.remember_many(
            Draft(ref=text, kind=Kind.EPISODIC, content=text, at=now, subjects=("carl",), session="c") for text in KEPT
        )
        operation.prepare(memory, folder)


def _saved(memory: AgentMemory, folder: Path) -> None:
    memory.snapshots.save(folder / "one.mars")
    for text in LATER:
        memory.remember(text, subjects=["carl"])


def _told(memory: AgentMemory, _folder: Path) -> None:
    for word in SENTINELS:
        memory.remember(f"Bea told me her locker word {word}", subjects=["bea"], session=f"s-{word}")


def _erased(memory: AgentMemory, folder: Path, over: bool) -> None:  # noqa: FBT001 - as all checks are called
    del memory
    left = residue(folder / "store", SENTINELS, stem="zyxquartz")
    assert not over or left == [], left


def _rotated(memory: AgentMemory, _folder: Path) -> None:
    for _ in range(20):
        memory.audit.rotate_key()


def _readable(memory: AgentMemory, folder: Path, _over: bool) -> None:  # noqa: FBT001 - as all checks are called
    with Snapshot(folder / "one.mars") as snapshot:
        assert snapshot.counts["memories"] in {len(KEPT), len(KEPT) + len(LATER)}
    # The folder is a copy of another one, whose snapshot the store knows as well.
    assert {Path(one.path).name for one in memory.snapshots.list()} == {"one.mars"}


def _resaved(memory: AgentMemory, folder: Path) -> None:
    for _ in range(5):
        memory.snapshots.save(folder / "one.mars")


def _has_vectors(memory: AgentMemory, _folder: Path, _over: bool) -> None:  # noqa: FBT001 - as all checks are called
    memory.maintenance.reembed("static")
    assert memory.stats()["without_vector"] == 0


def _of_version_1(memory: AgentMemory, _folder: Path) -> None:
    """Leave the store as version 1 had it: entities that no word finds."""
    for number in range(60):
        memory.remember(f"Met Ms Person{number} today", mentions=[f"Ms Person{number}"])
    engine = memory.store.engine
    engine.write("MATCH (w:EntityWord) DELETE w")
    engine.write(statement("set_store_version", engine.name), {"version": 1})


def _found(memory: AgentMemory, _folder: Path, _over: bool) -> None:  # noqa: FBT001 - as all checks are called
    before = len(list(memory.entities.list()))
    memory.remember("Met Ms Person7 again", mentions=["Ms Person7"])
    assert len(list(memory.entities.list())) == before, "who was found by a word before the migration is found after it"


_MET = tuple(f"Met Ms Person{number} today" for number in range(60))
_BEA = tuple(f"Bea told me her locker word {word}" for word in SENTINELS)
#: By name; a new one is a line here, and a line in ``scripts/proof.py`` for its full number.
OPERATIONS: dict[str, Operation] = {
    "restore": Operation(lambda m, f: m.snapshots.load(f / "one.mars"), (*KEPT, *LATER), KEPT, _saved),
    "scrub": Operation(lambda m, _: m.erase(subject="bea", scrub=True), (*KEPT, *_BEA), KEPT, _told, _erased),
    "rotation": Operation(_rotated, KEPT, KEPT),
    "reembedding": Operation(lambda m, _: m.maintenance.reembed("static"), KEPT, KEPT, check=_has_vectors),
    "snapshot": Operation(_resaved, (*KEPT, *LATER), (*KEPT, *LATER), _saved, _readable),
    "migration": Operation(lambda m, _: m.stats(), (*KEPT, *_MET), (*KEPT, *_MET), _of_version_1, _found, opens=True),
}


def say(word: str) -> None:
    """Tell whoever started this process, past every buffer."""
    os.write(1, f"{word}\n".encode())


def main(name: str, folder: Path) -> None:
    """Run one operation on the store of ``folder``."""
    operation = OPERATIONS[name]
    if operation.opens:
        # The virtual machine and the modules are no part of it.
        marskg.open(folder / "warm", tenant="warm").close()
        say("ready")
        failpoint.arm()
        memory: Any = open_store(folder)
    else:
        memory = open_store(folder)
        memory.stats()
        say("ready")
        failpoint.arm()
    operation.run(memory, folder)
    say("done")
    memory.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
