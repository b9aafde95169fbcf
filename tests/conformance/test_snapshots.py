"""Snapshots that the store wrote, and an erasure: it says how many are left, and removes those that it is told to."""

from __future__ import annotations

import json
import platform
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.audit.linkeddata import verify_document
from marskg.exporters.atomic import AtomicFile
from marskg.store.commit.snapshot_register import CHANGED, THERE, UNREACHABLE, Snapshots
from tests.support import stores as support

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.erasure.receipts import Receipt
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

QUICK: dict[str, Any] = {"sensitivity__assess": "off", "embedding__model": "none"}
SECRET = "Her locker word is zyxquartz and she told nobody else about it"


def filled(stores: Stores) -> AgentMemory:
    memory = stores.open(**QUICK)
    memory.remember(SECRET, subjects=["bea"], session="s")
    memory.remember("Carl plays chess", subjects=["carl"], session="other")
    return memory


def saved(memory: AgentMemory, *paths: Path) -> None:
    for path in paths:
        memory.snapshots.save(path)


def listed(memory: AgentMemory) -> list[tuple[str, str]]:
    return [(Path(one.path).name, one.state) for one in memory.snapshots.list()]


def counts(receipt: Receipt) -> tuple[int, int, int, int]:
    """Return how many were removed, and how many are left: not asked for, changed, unreachable."""
    names = ("removedSnapshots", "keptSnapshots", "changedSnapshots", "unreachableSnapshots")
    removed, kept, changed, unreachable = (receipt.document[name] for name in names)
    return removed, kept, changed, unreachable


def test_an_erasure_leaves_snapshots_and_says_how_many(stores: Stores, tmp_path: Path) -> None:
    memory = filled(stores)
    saved(memory, tmp_path / "bea-1.mars", tmp_path / "bea-2.mars")
    receipt = memory.erase(subject="bea")
    assert counts(receipt) == (0, 2, 0, 0)
    assert [(one.path, one.state) for one in receipt.snapshots_left] == [
        (str(tmp_path / "bea-1.mars"), THERE),
        (str(tmp_path / "bea-2.mars"), THERE),
    ]
    assert "snapshots" in receipt.document["uncovered"]
    assert "bea" not in json.dumps(receipt.document), "a path may name somebody"
    verify_document(receipt.document, minimum=5)
    assert (tmp_path / "bea-1.mars").is_file()


def test_an_erasure_removes_all_that_the_store_wrote_and_nothing_else(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = filled(stores)
    monkeypatch.chdir(tmp_path)
    saved(memory, Path("relative.mars"), tmp_path / "two of them é.mars")
    monkeypatch.chdir("/")
    copy = tmp_path / "copy.mars"
    copy.write_bytes((tmp_path / "relative.mars").read_bytes())
    another = stores.apart().open(memory.tenant, seed=2, **QUICK)
    assert listed(another) == [("relative.mars", THERE), ("two of them é.mars", THERE)], "as another process knows them"
    receipt = another.erase(subject="bea", snapshots=True)
    assert [one.name for one in tmp_path.iterdir()] == ["copy.mars"]
    assert counts(receipt) == (2, 0, 0, 0)
    assert (receipt.snapshots_removed, receipt.snapshots_left) == (2, ())
    assert receipt.document["uncovered"] == ["exports", "copied or unlisted snapshots", "backups"]
    assert receipt.claim == "logical"
    verify_document(receipt.document, minimum=5)
    assert listed(another) == []
    assert counts(another.erase(subject="bea", snapshots=True)) == (0, 0, 0, 0)
    assert another.verify().findings == ()


def test_what_was_left_is_removed_by_the_next_erasure_that_is_told_to(stores: Stores, tmp_path: Path) -> None:
    memory = filled(stores)
    saved(memory, tmp_path / "one.mars")
    memory.erase(subject="bea")
    receipt = memory.erase(subject="bea", snapshots=True)
    assert receipt.matched == 0
    assert counts(receipt) == (1, 0, 0, 0)
    assert not (tmp_path / "one.mars").exists()


def _longer(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"!")


def _another_byte(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1] + b"!")


def _a_link(path: Path) -> None:
    path.symlink_to(path.rename(path.with_name("moved")))


def _a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("change", [_longer, _another_byte, _a_link, _a_folder])
def test_what_is_not_what_was_written_is_left_and_named(
    stores: Stores, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    memory = filled(stores)
    saved(memory, tmp_path / "one.mars", tmp_path / "two.mars")
    change(tmp_path / "one.mars")
    receipt = memory.erase(subject="bea", snapshots=True)
    assert counts(receipt) == (1, 0, 1, 0)
    assert [(one.path, one.state) for one in receipt.snapshots_left] == [(str(tmp_path / "one.mars"), CHANGED)]
    assert (tmp_path / "one.mars").exists()
    assert not (tmp_path / "two.mars").exists()


def test_a_snapshot_that_is_gone_is_no_longer_listed(stores: Stores, tmp_path: Path) -> None:
    memory = filled(stores)
    saved(memory, tmp_path / "one.mars", tmp_path / "two.mars")
    (tmp_path / "one.mars").unlink()
    assert listed(memory) == [("two.mars", THERE)]
    (tmp_path / "two.mars").unlink()
    assert counts(memory.erase(subject="bea", snapshots=True)) == (0, 0, 0, 0), "somebody else removed it"


def test_what_cannot_be_reached_stays_promised(stores: Stores, tmp_path: Path) -> None:
    memory = filled(stores)
    folder, away = tmp_path / "drive", tmp_path / "unplugged"
    folder.mkdir()
    saved(memory, folder / "one.mars")
    folder.rename(away)
    assert listed(memory) == [("one.mars", UNREACHABLE)]
    assert counts(memory.erase(subject="bea", snapshots=True)) == (0, 0, 0, 1)
    away.rename(folder)
    assert listed(stores.open(memory.tenant, **QUICK)) == []
    assert not (folder / "one.mars").exists()


def test_where_a_file_is_not_on_another_machine_says_nothing(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = filled(stores)
    saved(memory, tmp_path / "one.mars")
    (tmp_path / "one.mars").unlink()
    monkeypatch.setattr(platform, "node", lambda: "elsewhere")
    there = [] if stores.engine.name == "arcadedb" else [("one.mars", UNREACHABLE)]
    assert listed(memory) == there, "a server has clients on several machines, a folder has not"
    monkeypatch.undo()
    assert listed(memory) == []


class EndedError(BaseException):
    """The process ends here."""


def test_what_a_process_promised_and_did_not_do_is_done_by_the_next(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = filled(stores)
    saved(memory, tmp_path / "one.mars")

    def end(_self: Snapshots) -> None:
        raise EndedError

    with monkeypatch.context() as patched:
        # The first thing after the commit of the erasure.
        patched.setattr(Snapshots, "promise", end)
        with pytest.raises(EndedError):
            memory.erase(subject="bea", snapshots=True)
    assert (tmp_path / "one.mars").exists()
    assert listed(stores.apart().open(memory.tenant, **QUICK)) == []
    assert not (tmp_path / "one.mars").exists()


def test_an_erasure_that_does_not_come_about_removes_nothing(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = filled(stores)
    saved(memory, tmp_path / "one.mars")
    engine = memory.store.engine

    def fail(*_: object, **__: object) -> object:
        raise marskg.StoreUnwritable("the disk is full; free some space")  # noqa: EM101, TRY003 - as the engine says it

    with monkeypatch.context() as patched:
        patched.setattr(engine, "transaction", fail)
        with pytest.raises(marskg.StoreUnwritable):
            memory.erase(subject="bea", snapshots=True)
    assert listed(stores.open(memory.tenant, **QUICK)) == [("one.mars", THERE)]
    assert (tmp_path / "one.mars").exists()


def test_a_snapshot_in_the_place_of_another_is_listed_once(stores: Stores, tmp_path: Path) -> None:
    memory = filled(stores)
    saved(memory, tmp_path / "one.mars")
    memory.remember("What came after")
    saved(memory, tmp_path / "one.mars")
    (tmp_path / "link.mars").symlink_to(tmp_path / "one.mars")
    saved(memory, tmp_path / "link.mars")
    assert listed(memory) == [("one.mars", THERE)]
    assert counts(memory.erase(subject="bea", snapshots=True)) == (1, 0, 0, 0)
    assert not (tmp_path / "one.mars").exists()


def test_a_snapshot_that_was_not_put_in_place_is_not_listed_and_hides_none(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = filled(stores)
    saved(memory, tmp_path / "one.mars")
    memory.remember("What came after")

    def fail(_self: AtomicFile) -> None:
        raise OSError(28, "No space left on device")

    for path in (tmp_path / "one.mars", tmp_path / "two.mars"):
        with monkeypatch.context() as patched:
            patched.setattr(AtomicFile, "_commit", fail)
            with pytest.raises(marskg.StoreUnwritable):
                memory.snapshots.save(path)
        with monkeypatch.context() as patched:
            # The note alone is left of a process that ended right before the file was in its place.
            patched.setattr(AtomicFile, "_commit", fail)
            patched.setattr(Snapshots, "_drop", lambda _self, _refs: None)
            with pytest.raises(marskg.StoreUnwritable):
                memory.snapshots.save(path)
    assert listed(memory) == [("one.mars", THERE)]
    assert counts(memory.erase(subject="bea", snapshots=True)) == (1, 0, 0, 0)
    assert list(tmp_path.iterdir()) == []


def test_a_snapshot_that_an_erasure_overtook_is_removed_and_made_anew(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = filled(stores)
    real = AtomicFile._commit
    done: list[Receipt] = []

    def overtaken(file: AtomicFile) -> None:
        if not done:
            done.append(memory.erase(subject="bea", snapshots=True))
        real(file)

    monkeypatch.setattr(AtomicFile, "_commit", overtaken)
    memory.snapshots.save(tmp_path / "one.mars")
    assert counts(done[0])[1:] == (0, 0, 0)
    assert listed(memory) == [("one.mars", THERE)], "it was made after the erasure"
    assert memory.snapshots.load(tmp_path / "one.mars") == 1


def test_a_restore_keeps_the_list_of_its_store_and_brings_none(stores: Stores, tmp_path: Path) -> None:
    memory = filled(stores)
    saved(memory, tmp_path / "one.mars", tmp_path / "two.mars")
    memory.remember("What came after")
    saved(memory, tmp_path / "three.mars")
    memory.snapshots.load(tmp_path / "one.mars")
    assert [name for name, _ in listed(memory)] == ["one.mars", "three.mars", "two.mars"]
    # A store that goes on with a snapshot needs the keys as well.
    shutil.copytree(memory.store.folder / "keys", tmp_path / "elsewhere" / "keys")
    elsewhere = support.embedded(tmp_path / "elsewhere")
    try:
        restored = elsewhere.open(memory.tenant, **QUICK)
        restored.snapshots.load(tmp_path / "three.mars")
        assert listed(restored) == []
        assert counts(restored.erase(subject="bea", snapshots=True)) == (0, 0, 0, 0)
    finally:
        elsewhere.engine.close()
    assert (tmp_path / "three.mars").exists()
    assert counts(memory.erase(subject="bea", snapshots=True)) == (3, 0, 0, 0)


def test_a_tenant_knows_nothing_of_the_snapshots_of_another(stores: Stores, tmp_path: Path) -> None:
    memory, other = filled(stores), filled(stores)
    saved(other, tmp_path / "other.mars")
    assert listed(memory) == []
    assert counts(memory.erase(subject="bea", snapshots=True)) == (0, 0, 0, 0)
    assert listed(other) == [("other.mars", THERE)]


def test_who_may_have_snapshots_removed_and_know_where_they_are(stores: Stores, tmp_path: Path) -> None:
    memory = filled(stores)
    saved(memory, tmp_path / "one.mars")
    bea = stores.open_as(memory, "subject:bea")
    for refused in (bea.snapshots.list, lambda: bea.erase(subject="bea", snapshots=True)):
        with pytest.raises(marskg.NotPermitted):
            refused()
    receipt = bea.erase(subject="bea")
    assert counts(receipt) == (0, 1, 0, 0), "how many there are is for whoever it is about"
    assert receipt.snapshots_left == ()
    officer = stores.open_as(memory, "controller:officer", seed=3)
    assert listed(officer) == [("one.mars", THERE)]
    assert counts(officer.erase(subject="bea", snapshots=True)) == (1, 0, 0, 0)


def test_an_encrypted_tenant_has_no_snapshots(stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARS_VAULTS", str(tmp_path / "vaults"))
    memory = stores.open(**QUICK, encryption="subjects")
    memory.remember(SECRET, subjects=["bea"], session="s")
    with pytest.raises(marskg.NotPermitted, match="in clear"):
        memory.snapshots.save(tmp_path / "one.mars")
    receipt = memory.erase(subject="bea", snapshots=True)
    assert (receipt.claim, counts(receipt)) == ("keys", (0, 0, 0, 0))
