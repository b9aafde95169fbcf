"""A snapshot is whole or refused, and an older one is brought up to date by a table."""

from __future__ import annotations

import tracemalloc
import zlib
from typing import TYPE_CHECKING

import pytest

from marskg.errors import InvalidDocument, StoreTooNew, StoreUnwritable
from marskg.exporters.atomic import AtomicFile
from marskg.exporters.snapshot import file as module
from marskg.exporters.snapshot.file import (
    MAGIC,
    VERSION,
    Default,
    Drop,
    Rename,
    Snapshot,
    SnapshotContent,
    write_snapshot,
)
from tests.support.exports import episodes, signed_log

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TENANT = {"ref": "alice", "sequence": 3}


def content(count: int = 4) -> SnapshotContent:
    records, heads = signed_log(3)
    memories = ((memory, edges, "usalt") for memory, edges in episodes(count))
    return SnapshotContent(TENANT, [{"ref": "key"}], (), memories, records, heads)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "tenant.snapshot"
    write_snapshot(made, content())
    return made


def test_the_counts_and_the_tenant_are_told_before_the_rest(path: Path) -> None:
    with Snapshot(path) as snapshot:
        assert snapshot.version == VERSION
        assert snapshot.tenant == TENANT
        assert snapshot.counts == {"tenant": 1, "keys": 1, "entities": 0, "memories": 4, "records": 3, "heads": 1}


def test_sections_can_be_read_in_turns(path: Path) -> None:
    with Snapshot(path) as snapshot:
        together = list(zip(snapshot.memories(), snapshot.records(), strict=False))
        assert [item for item, _ in together] == list(snapshot.memories())[:3]


def test_equal_content_gives_equal_bytes(path: Path, tmp_path: Path) -> None:
    write_snapshot(tmp_path / "again", content())
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_every_cut_is_found(path: Path) -> None:
    data = path.read_bytes()
    for size in [0, 1, len(MAGIC), len(MAGIC) + 3, *range(len(MAGIC) + 4, len(data), 97), len(data) - 1]:
        path.write_bytes(data[:size])
        with pytest.raises(InvalidDocument, match=r"tenant\.snapshot"):
            Snapshot(path)


def test_every_flipped_bit_is_found(path: Path) -> None:
    data = path.read_bytes()
    for place in [*range(40), *range(40, len(data), 61), len(data) - 1]:
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
        with pytest.raises((InvalidDocument, StoreTooNew)):
            Snapshot(path)


def test_something_after_the_end_is_found(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(InvalidDocument, match="something follows its end"):
        Snapshot(path)


def test_a_transfer_as_text_is_found(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n"))
    with pytest.raises(InvalidDocument, match="copied as binary"):
        Snapshot(path)


def test_a_block_that_inflates_without_end_is_refused(path: Path) -> None:
    bomb = zlib.compress(b"\n" * (200 << 20), 9)
    path.write_bytes(MAGIC + VERSION.to_bytes(4) + len(bomb).to_bytes(4) + bomb)
    tracemalloc.start()
    with pytest.raises(InvalidDocument, match="larger, or shorter, than any that is written"):
        Snapshot(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 400 << 20


def test_rows_that_are_no_records_are_refused(tmp_path: Path) -> None:
    """The checksums hold, so this is not damage but another program's file."""
    path = tmp_path / "odd.snapshot"
    for key in ({"unknown": 1}, {"tier": "nowhere"}, {"kind": None}):
        ((memory, edges),) = episodes(1)
        write_snapshot(path, SnapshotContent(TENANT, memories=[(memory, edges, None)]))
        rewrite(path, "memories", key)
        with pytest.raises(InvalidDocument, match="a row is no record of this version"):
            Snapshot(path)


def test_a_newer_version_is_refused(path: Path) -> None:
    path.write_bytes(MAGIC + (VERSION + 1).to_bytes(4) + path.read_bytes()[len(MAGIC) + 4 :])
    with pytest.raises(StoreTooNew, match=f"version {VERSION + 1}, this package reads up to {VERSION}; upgrade marskg"):
        Snapshot(path)
    path.write_bytes(MAGIC + bytes(4) + path.read_bytes()[len(MAGIC) + 4 :])
    with pytest.raises(InvalidDocument, match="no version 0 was ever written"):
        Snapshot(path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("hello")
    with pytest.raises(InvalidDocument, match="not a snapshot"):
        Snapshot(other)
    with pytest.raises(InvalidDocument, match="cannot be read"):
        Snapshot(tmp_path / "missing")
    with pytest.raises(StoreUnwritable):
        write_snapshot(tmp_path / "missing" / "x", content())


@pytest.mark.slow
def test_memory_use_does_not_grow_with_the_store(tmp_path: Path) -> None:
    path = tmp_path / "big.snapshot"

    def peak(count: int) -> int:
        tracemalloc.start()
        write_snapshot(path, content(count))
        with Snapshot(path) as snapshot:
            assert sum(1 for _ in snapshot.memories()) == count
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(10)
    # A block of 1 MiB is held in several forms: rows, text, compressed.
    assert peak(4000) < peak(200) + 8_000_000


# --- Migrations ------------------------------------------------------------------------------------------------------


def rewrite(path: Path, section: str, change: Mapping[str, object], gone: str = "") -> None:
    """Write the snapshot at ``path`` again with each row of one section changed, checksums and all."""
    with Snapshot(path) as old:
        sections = {name: list(old._rows(name)) for name in module.SECTIONS}
    for row in sections[section]:
        row.update(change)
        row.pop(gone, None)
    with AtomicFile(path) as file:
        file.write(MAGIC + VERSION.to_bytes(4))
        for name in module.SECTIONS:
            module._write_section(file, sections[name])


MIGRATION = {
    VERSION: (
        Rename("memories", "secrecy", "sensitivity"),
        Default("memories", "session", "unknown"),
        Drop("memories", "mood"),
        Default("tenant", "accessSequence", 0),
    )
}


def test_an_older_version_is_brought_up_to_date_row_by_row(tmp_path: Path) -> None:
    """As the next version will do it: fields renamed, added and dropped by a table, the file left as it is."""
    path = tmp_path / "old.snapshot"
    ((memory, edges),) = episodes(1)
    write_snapshot(path, SnapshotContent(TENANT, memories=[(memory, edges, "usalt")]))
    rewrite(path, "memories", {"secrecy": 0.5, "mood": "fine"}, gone="session")
    before = path.read_bytes()
    with pytest.raises(InvalidDocument):
        Snapshot(path)
    with Snapshot(path, migrations=MIGRATION, version=VERSION + 1) as snapshot:
        assert snapshot.tenant == {**TENANT, "accessSequence": 0}
        ((migrated, _, salt),) = snapshot.memories()
    assert (migrated.sensitivity, migrated.session, salt) == (0.5, "unknown", "usalt")
    assert path.read_bytes() == before
