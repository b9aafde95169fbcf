"""Which snapshots were written of a tenant, and where, so that an erasure can remove their files.

Guarantees: a snapshot is noted before its file is put in place, by path, SHA-256 and size, as a node of the store and
in no log, since a path may name somebody; no snapshot carries the list, and a restore leaves it as it is. Nothing is
removed that was not promised in the transaction of an erasure, and no file but a regular one that is still, byte for
byte, what was written. What was promised and not done, because the process ended or the file could not be reached, is
done by whoever opens the tenant next. A note goes when its file is found gone; where its folder is not there, or on
another machine, nobody can tell.

Removing is unlinking: the file is in no folder any more, and what was its blocks of the disk is not overwritten. A
snapshot that somebody copied or moved, and one from before there was a list, is not known here.
"""

from __future__ import annotations

import hashlib
import os
import platform
import stat
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

from marskg.answer import Answer
from marskg.audit.keys import sync_folder
from marskg.errors import MarsError
from marskg.store.commit.snapshot_read import OvertakenError
from marskg.store.engine.protocol import Capability
from marskg.store.rows.order_keys import span
from marskg.store.rows.paging import pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from marskg.store.commit.writer import Writer
    from marskg.store.engine.protocol import Row

#: What is found where a snapshot was written: it; something else; nobody can tell, or remove it.
THERE: Final = "there"
CHANGED: Final = "changed"
UNREACHABLE: Final = "unreachable"
_GONE: Final = "gone"
_PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class SnapshotFile(Answer):
    """A snapshot that the store wrote: where, when, and what is there now (``there``, ``changed``, ``unreachable``).

    A file of the size that was written counts as ``there``; its digest is compared when it is to be removed.
    """

    path: str
    written: int
    state: str


@dataclass(frozen=True, slots=True)
class Settled:
    """How many files of snapshots were removed as promised, and those that are left."""

    removed: int
    left: tuple[SnapshotFile, ...]

    def count(self, state: str) -> int:
        """Return how many are left of which ``state`` holds."""
        return sum(one.state == state for one in self.left)


@dataclass(slots=True)
class _Place:
    """A path with what was written there: more than one only where a process ended while it replaced a snapshot."""

    path: Path
    refs: list[str] = field(default_factory=list)
    digests: set[str] = field(default_factory=set)
    sizes: set[int] = field(default_factory=set)
    written: int = 0
    marked: bool = False
    #: Whether this machine wrote it, so that what is not here is nowhere.
    here: bool = True

    def add(self, row: Row, machine: str) -> None:
        self.refs.append(row["ref"])
        self.digests.add(row["digest"])
        self.sizes.add(row["size"])
        self.written = max(self.written, row["written"])
        self.marked = self.marked or bool(row["doomed"])
        self.here = self.here and row["machine"] == machine

    def look(self) -> str:
        """Return what is there, by sort and size."""
        try:
            found = self.path.lstat()
        except FileNotFoundError:
            return _GONE if self.here and self.path.parent.is_dir() else UNREACHABLE
        except OSError:
            return UNREACHABLE
        return THERE if stat.S_ISREG(found.st_mode) and found.st_size in self.sizes else CHANGED

    def remove(self) -> str:
        """Remove the file if it is what was written; returns what is there then."""
        state = self.look()
        if state != THERE:
            return state
        try:
            # Asked before the whole file is read, which each opening of the store would do in vain.
            if not os.access(self.path.parent, os.W_OK | os.X_OK):
                return UNREACHABLE
            if not self._is_the_one():
                return CHANGED
            self.path.unlink(missing_ok=True)
            sync_folder(self.path.parent)
        except OSError:
            return UNREACHABLE
        return _GONE

    def _is_the_one(self) -> bool:
        with self.path.open("rb") as file:
            read = os.fstat(file.fileno())
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        now = self.path.lstat()
        # It may have been replaced while it was read.
        return digest in self.digests and _identity(read) == _identity(now)


class Snapshots:
    """The snapshots that were written of one tenant."""

    def __init__(self, writer: Writer) -> None:
        """Keep the list in the store that ``writer`` writes to."""
        self._writer = writer

    @property
    def _machine(self) -> str:
        """Return what tells machines apart that share a server; a folder is a folder wherever it is mounted."""
        if Capability.EXCLUSIVE_FILES in self._writer.engine.capabilities:
            return ""
        return self._writer.services.handle("|machine|", platform.node())

    # --- Writing one --------------------------------------------------------------------------------------------

    @contextmanager
    def noting(self, target: Path) -> Iterator[Callable[[str, int], None]]:
        """Put a snapshot at ``target`` inside the block, and call what this gives right before, with digest and size.

        Raises:
            OvertakenError: an erasure meanwhile promised to remove it; it was removed.
        """
        path = Path(os.path.realpath(target))
        noted: list[dict[str, Any]] = []
        new: list[str] = []

        def note(digest: str, size: int) -> None:
            row = self._row(path, digest, size)
            if row["ref"] not in {one["ref"] for one in self._rows()}:
                new.append(row["ref"])
            noted.append(row)
            self._writer.put("note_snapshot", {"row": row})

        try:
            yield note
        except BaseException:
            # If the store has gone away as well, the note goes when nothing is found there.
            with suppress(MarsError):
                self._drop(new)
            raise
        if noted:
            self._confirm(path, noted[-1])

    def _row(self, path: Path, digest: str, size: int) -> dict[str, Any]:
        name = os.fsencode(path)
        return {
            "ref": f"{self._writer.tenant}|{hashlib.sha256(name).hexdigest()[:32]}|{digest}",
            # No text of a graph holds every name that a file may have.
            "path": quote_from_bytes(name),
            "digest": digest,
            "size": size,
            "written": self._writer.now(),
            "machine": self._machine,
            "doomed": False,
        }

    def _confirm(self, path: Path, row: dict[str, Any]) -> None:
        """Forget what was at ``path`` before, which is overwritten; the snapshot of ``row`` is in its place."""
        there = [one for one in self._rows() if one["path"] == row["path"]]
        mine = [one for one in there if one["ref"] == row["ref"]]
        if not mine or mine[0]["doomed"]:
            place = _Place(path)
            place.add(row, row["machine"])
            place.remove()
            self._drop([row["ref"]])
            raise OvertakenError
        self._drop([one["ref"] for one in there if one["ref"] != row["ref"]])

    # --- Looking, and removing ----------------------------------------------------------------------------------

    def listed(self) -> tuple[SnapshotFile, ...]:
        """Return the snapshots that are left, by their paths; those that are gone are taken off the list."""
        found: list[SnapshotFile] = []
        # What another handle has noted and not yet put in its place is not gone.
        with self._writer.alone():
            for place in self._places():
                self._settled(place, place.look(), found)
        return tuple(found)

    def promise(self) -> None:
        """Promise to remove all of them, those too that were noted while the erasure was being committed."""
        self._writer.put("mark_snapshots", span(self._writer.tenant))

    def keep_promise(self) -> None:
        """Remove what another process promised to remove."""
        if any(row["doomed"] for row in self._rows()):
            with self._writer.alone():
                self.settle()

    def settle(self) -> Settled:
        """Remove what was promised, and return what came of it, and what is left.

        What is not what was written is left and no longer promised; what cannot be reached stays promised.
        """
        removed = 0
        found: list[SnapshotFile] = []
        for place in self._places():
            state = place.remove() if place.marked else place.look()
            removed += place.marked and state == _GONE
            if place.marked and state == CHANGED:
                self._writer.put("unmark_snapshots", {"refs": place.refs})
            self._settled(place, state, found)
        return Settled(removed, tuple(found))

    def _settled(self, place: _Place, state: str, found: list[SnapshotFile]) -> None:
        if state == _GONE:
            self._drop(place.refs)
        else:
            shown = os.fsencode(place.path).decode("utf-8", "backslashreplace")
            found.append(SnapshotFile(shown, place.written, state))

    def _places(self) -> list[_Place]:
        places: dict[str, _Place] = {}
        machine = self._machine
        for row in self._rows():
            path = Path(os.fsdecode(unquote_to_bytes(row["path"])))
            places.setdefault(row["path"], _Place(path)).add(row, machine)
        return sorted(places.values(), key=lambda place: place.path)

    def _rows(self) -> list[Row]:
        found = pages(lambda where: self._writer.read("snapshots_page", where), self._writer.tenant, _PAGE)
        return [row["node"] for page in found for row in page]

    def _drop(self, refs: Sequence[str]) -> None:
        if refs:
            self._writer.put("drop_snapshots", {"refs": list(refs)})


def _identity(found: os.stat_result) -> tuple[int, int, int, int]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
