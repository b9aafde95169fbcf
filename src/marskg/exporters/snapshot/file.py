"""A tenant as one binary file, for checkpoint and restore (MaRS section 5.2): everything, salts and sequences included.

Guarantees: ``read(write(x)) == x``, and equal content gives equal bytes; a file is there whole or not at all; a reader
checks every section's length and SHA-256 before it gives out the first record; memory use does not grow with the store.
An older version is brought up to date by the table :data:`MIGRATIONS` as it is read; a newer one is refused.

The file: the magic, the version (4 bytes, big endian), then for each of :data:`SECTIONS` in order its blocks (length,
zlib-compressed JSON lines), a block of length 0, the number of rows (8 bytes) and the SHA-256 of the uncompressed rows.
Private keys are never part of a snapshot; what is, is as confidential as the store.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeAlias

from marskg.errors import InvalidDocument, StoreTooNew
from marskg.exporters.atomic import AtomicFile
from marskg.exporters.rdf.triples import unreadable
from marskg.exporters.snapshot import rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from io import BufferedReader
    from pathlib import Path
    from types import TracebackType

    from marskg.records import AuditRecord, Edge, Entity, Memory, TreeHead

Row: TypeAlias = "dict[str, Any]"

#: A byte above 127, line ends of two kinds and a control-Z, so that a transfer as text is found out at once.
MAGIC = b"\x89MARS\r\n\x1a\n"
VERSION = 1
SECTIONS = ("tenant", "keys", "entities", "memories", "records", "heads")

_VERSION = struct.Struct(">I")
_LENGTH = struct.Struct(">I")
_COUNT = struct.Struct(">Q")
_BLOCK = 1 << 20
#: A block never inflates to more than this: a writer closes a block after its first row beyond :data:`_BLOCK`.
_MAX_BLOCK = 128 << 20


@dataclass(frozen=True, slots=True)
class Rename:
    """Rows of ``section`` called ``old`` what is called ``new`` now."""

    section: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Default:
    """Rows of ``section`` had no ``name`` yet, which is to be ``value``."""

    section: str
    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class Drop:
    """Rows of ``section`` had a ``name`` that no longer means anything."""

    section: str
    name: str


Step: TypeAlias = "Rename | Default | Drop"
#: What brings a snapshot of a version to the next one.
MIGRATIONS: Mapping[int, Sequence[Step]] = {}


@dataclass(frozen=True, slots=True)
class SnapshotContent:
    """What a snapshot holds: nodes with their outgoing edges and salts, audit, public keys, the tenant's own row."""

    tenant: Mapping[str, Any]
    keys: Iterable[Mapping[str, Any]] = ()
    entities: Iterable[tuple[Entity, tuple[Edge, ...], str | None]] = ()
    memories: Iterable[tuple[Memory, tuple[Edge, ...], str | None]] = ()
    records: Iterable[AuditRecord] = ()
    heads: Iterable[TreeHead] = ()


def write_snapshot(
    path: Path, content: SnapshotContent, ready: Callable[[str, int], None] = lambda _digest, _size: None
) -> dict[str, int]:
    """Write ``content`` to ``path``, replacing what was there, and return the number of rows of each section.

    ``ready`` is called with the SHA-256 and the size of the whole file before it is put in place; what it raises leaves
    ``path`` as it was.

    Raises:
        StoreUnwritable: the folder is read-only, the disk full, or the target no regular file.
    """
    sections: dict[str, Iterable[Mapping[str, Any]]] = {
        "tenant": (content.tenant,),
        "keys": content.keys,
        "entities": (rows.encode_node(*item) for item in content.entities),
        "memories": (rows.encode_node(*item) for item in content.memories),
        "records": map(rows.encode, content.records),
        "heads": map(rows.encode, content.heads),
    }
    with AtomicFile(path) as target:
        file = _Digested(target)
        file.write(MAGIC + _VERSION.pack(VERSION))
        counts = {name: _write_section(file, sections[name]) for name in SECTIONS}
        ready(file.digest.hexdigest(), target.size)
        return counts


class _Digested:
    """A file whose SHA-256 is known as it is written."""

    def __init__(self, file: AtomicFile) -> None:
        self._file = file
        self.digest = hashlib.sha256()

    def write(self, data: bytes) -> None:
        self.digest.update(data)
        self._file.write(data)


def _write_section(file: AtomicFile | _Digested, section: Iterable[Mapping[str, Any]]) -> int:
    """Write the rows of one section and return how many they are."""
    digest = hashlib.sha256()
    block = bytearray()
    count = 0
    for row in section:
        block += json.dumps(row, sort_keys=True, separators=(",", ":")).encode() + b"\n"
        count += 1
        if len(block) >= _BLOCK:
            _write_block(file, block, digest.update)
            block.clear()
    if block:
        _write_block(file, block, digest.update)
    file.write(_LENGTH.pack(0) + _COUNT.pack(count) + digest.digest())
    return count


def _write_block(
    file: AtomicFile | _Digested, block: bytes | bytearray, update: Callable[[bytes | bytearray], None]
) -> None:
    update(block)
    packed = zlib.compress(block, 6)
    file.write(_LENGTH.pack(len(packed)) + packed)


class Snapshot:
    """A snapshot that has been checked as a whole; close it, or use it as a context manager."""

    def __init__(
        self, path: Path, *, migrations: Mapping[int, Sequence[Step]] = MIGRATIONS, version: int = VERSION
    ) -> None:
        """Open and check the file at ``path``.

        Args:
            path: the file.
            migrations: what brings older versions up to date.
            version: the version to bring it to.

        Raises:
            InvalidDocument: it is no snapshot, truncated or corrupt.
            StoreTooNew: a newer version of this package wrote it.
        """
        self._path = path
        self._places: dict[str, int] = {}
        #: Rows of each section.
        self.counts: dict[str, int] = {}
        try:
            self._file: BufferedReader = path.open("rb")
        except OSError as error:
            raise unreadable(path, error) from error
        try:
            #: The version that wrote the file.
            self.version = self._read_version(version)
            self._steps = self._steps_from(self.version, version, migrations)
            self._check()
            #: The SHA-256 of the whole file.
            self.digest = self._digest()
            self.tenant = self._tenant()
        except OSError as error:
            self._file.close()
            raise unreadable(path, error) from error
        except BaseException:  # a refusal, or Ctrl-C, must not leave the file open
            self._file.close()
            raise

    def keys(self) -> Iterator[Row]:
        """Yield the announced public keys."""
        return self._rows("keys")

    def entities(self) -> Iterator[tuple[Entity, tuple[Edge, ...], str | None]]:
        """Yield the entities with their edges and salts."""
        return (self._decoded(rows.decode_entity, row) for row in self._rows("entities"))

    def memories(self) -> Iterator[tuple[Memory, tuple[Edge, ...], str | None]]:
        """Yield the memories with their edges and salts."""
        return (self._decoded(rows.decode_memory, row) for row in self._rows("memories"))

    def records(self) -> Iterator[AuditRecord]:
        """Yield the audit records."""
        return (self._decoded(rows.decode_record, row) for row in self._rows("records"))

    def heads(self) -> Iterator[TreeHead]:
        """Yield the signed tree heads."""
        return (self._decoded(rows.decode_head, row) for row in self._rows("heads"))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        """Return the snapshot itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self.close()

    def _read_version(self, wanted: int) -> int:
        """Return the version of the file, which must not be above ``wanted``."""
        if self._file.read(len(MAGIC)) != MAGIC:
            msg = f"{self._path}: not a snapshot; give a file that `mars snapshot save` wrote, copied as binary"
            raise InvalidDocument(msg)
        (version,) = _VERSION.unpack(self._take(_VERSION.size))
        if version > wanted:
            msg = f"{self._path}: a snapshot of version {version}, this package reads up to {wanted}; upgrade marskg"
            raise StoreTooNew(msg)
        return int(version)

    def _steps_from(self, version: int, wanted: int, migrations: Mapping[int, Sequence[Step]]) -> list[Step]:
        """Return what brings ``version`` to the one ``wanted``."""
        if not migrations.keys() >= set(range(version, wanted)):
            self._refuse(f"no version {version} was ever written")
        return [step for older in range(version, wanted) for step in migrations[older]]

    def _check(self) -> None:
        """Read every section once: lengths, checksums, and that each row is JSON of a known shape."""
        for name in SECTIONS:
            self._places[name] = self._file.tell()
            digest = hashlib.sha256()
            count = 0
            for block in self._blocks():
                digest.update(block)
                count += block.count(b"\n")
            (stated,) = _COUNT.unpack(self._take(_COUNT.size))
            if stated != count or self._take(digest.digest_size) != digest.digest():
                self._refuse(f"the section {name} does not have the rows or the checksum that it states")
            self.counts[name] = count
        if self._file.read(1):
            self._refuse("something follows its end")
        # The checksums show that the bytes are those written; building shows that they were a writer's.
        for stream in (self.entities(), self.memories(), self.records(), self.heads()):
            for _ in stream:
                pass

    def _digest(self) -> str:
        self._file.seek(0)
        return hashlib.file_digest(self._file, "sha256").hexdigest()

    def _tenant(self) -> Row:
        """Return the tenant's own row."""
        found = list(self._rows("tenant"))
        if len(found) != 1:
            self._refuse("it holds no tenant, or several")
        return found[0]

    def _rows(self, section: str) -> Iterator[Row]:
        """Yield the rows of ``section``, brought up to date."""
        steps = [step for step in self._steps if step.section == section]
        place = self._places[section]
        while True:
            # Several sections may be read in turns, so each keeps its own place in the file.
            self._file.seek(place)
            block = next(self._blocks(), None)
            place = self._file.tell()
            if block is None:
                return
            for line in block.splitlines():
                yield self._migrated(line, steps)

    def _migrated(self, line: bytes, steps: Sequence[Step]) -> Row:
        """Return one row, with ``steps`` applied."""
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            self._refuse("a row is no JSON")
        if not isinstance(row, dict):
            self._refuse("a row is no JSON object")
        for step in steps:
            if isinstance(step, Default):
                row.setdefault(step.name, step.value)
            elif isinstance(step, Drop):
                row.pop(step.name, None)
            elif step.old in row:
                row[step.new] = row.pop(step.old)
        return row

    def _decoded(self, decode: Callable[[Row], Any], row: Row) -> Any:  # noqa: ANN401 - as decode
        """Return the record of ``row``."""
        try:
            return decode(row)
        except (AttributeError, KeyError, TypeError, ValueError):
            self._refuse("a row is no record of this version")

    def _blocks(self) -> Iterator[bytes]:
        """Yield the blocks from the current place to the end of their section."""
        while True:
            (length,) = _LENGTH.unpack(self._take(_LENGTH.size))
            if length == 0:
                return
            inflater = zlib.decompressobj()
            try:
                block = inflater.decompress(self._take(length), _MAX_BLOCK)
            except zlib.error:
                self._refuse("a block cannot be inflated")
            if not inflater.eof or inflater.unconsumed_tail or inflater.unused_data:
                self._refuse("a block is larger, or shorter, than any that is written")
            yield block

    def _take(self, size: int) -> bytes:
        """Return exactly ``size`` bytes."""
        data = self._file.read(size)
        if len(data) != size:
            self._refuse("it ends too early")
        return data

    def _refuse(self, why: str) -> NoReturn:
        msg = f"{self._path}: truncated or corrupt: {why}; copy it again, or use an older snapshot"
        raise InvalidDocument(msg)
