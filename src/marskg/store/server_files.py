"""Cleaning the files of a Neo4j server of what was erased, and looking whether they are clean.

A server reuses what it freed and overwrites nothing before. So, once an erasure is committed: the indexes that held
what was erased are dropped and made again, which are new files; nodes of filler take the freed records of the property,
string and array stores and are removed again; the transaction log grows past its rotation meanwhile, and the server's
checkpoint writes the pages and removes the older logs. Then every file below the server's home is searched. If it finds
something, what stands in records in use is written into others (a short text leaves the rest of a longer one behind it)
and filler takes every record that is free. No step is trusted: what is claimed rests on the search alone.

Guarantees: nothing is erased before the folder has proved to be this server's, by a marker that is found in its
transaction log and, after a checkpoint, in its store, which also proves the search. Filler has a label of its own and
is all that is written; writers of all tenants wait while indexes are made. What is found and said by a node that is
there (other tenants' equal texts) is no residue. A promise with hashes of what is sought (no text) is synced before the
erasure commits and goes when the search found nothing, so that a crash leaves a cleaning that is known to be unfinished
and that another process ends. Sources: semantics section 8; docs/adr/0031.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from base64 import b64decode, b64encode
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from marskg.audit.keys import sync_folder
from marskg.errors import EngineUnavailable, NotPermitted, StoreLocked, StoreUnwritable
from marskg.store import points, schema
from marskg.store.engine import Conflict
from marskg.store.fingerprints import Fingerprints
from marskg.store.statements import statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from marskg.clock import Source
    from marskg.store.engine import Engine
    from marskg.store.opening import Opened

_PROMISE: Final = "server-scrub.promised"
_LOCK: Final = "server-scrub.lock"
#: Formats of a store whose free records were seen to be taken again.
_FORMATS: Final = ("record-aligned", "record-standard")
_LOG: Final = "neostore.transaction.db.*"
_STORE: Final = "neostore.propertystore.db.strings"
_CHECKPOINT: Final = "checkpoint.*"

_ROTATION: Final = "db.tx_log.rotation.size"
_RETENTION: Final = "db.tx_log.rotation.retention_policy"
_INTERVAL: Final = "db.checkpoint.interval.time"
_SETTINGS: Final = (_ROTATION, _RETENTION, _INTERVAL)
_KEEP_NONE: Final = frozenset({"keep_none", "false"})
#: The largest log that is filled up, and the longest pause between checkpoints that is waited for.
_LARGEST_LOG: Final = 64 << 20
_LONGEST_INTERVAL: Final = 120
_LINES: Final = f"{_ROTATION}=16m, {_RETENTION}=keep_none, {_INTERVAL}=30s"

#: Labels whose indexes hold what memories say or are called, and the one of the audit that holds ids.
_HOLDING: Final = frozenset({"Memory", "Entity", "EntityWord", "Preference", "VectorPoint"})
_HOLDING_TOO: Final = frozenset({"auditRecordMemory"})
#: The constraint of :mod:`marskg.store.points`, which no migration makes.
_POINTS: Final = "vectorPointRef"
_VECTOR_INDEX: Final = re.compile(r"vectorPoint([0-9]+)")

#: What one node of filler takes: ten blocks of text, ten of an array, eight property records.
_FILLER: Final[dict[str, Any]] = {
    "filler": "f" * 1200,
    "fillerBytes": b"\xa5" * 1197,
    **{f"filler{number}": "~" * 27 for number in range(8)},
}
_FILLER_SIZE: Final = 2_700
_BATCH: Final = 500
_LEAST_FILLER: Final = 4 << 20
#: Bytes of each store that a node of filler takes.
_FILLER_RECORDS: Final = {
    "neostore.propertystore.db.strings": 1280,
    "neostore.propertystore.db.arrays": 1280,
    "neostore.propertystore.db": 8 * 41,
}
_ROUNDS: Final = 3
#: Nodes whose texts are written anew in one transaction, and how often that is tried.
_RENEWED: Final = 1_000
_ATTEMPTS: Final = 20
#: Bytes of records that a node takes beside its texts.
_NODE_SIZE: Final = 1_000
#: Freed records may be taken again after the server's next upkeep, once a second.
_UPKEEP_S: Final = 2.0
_GRACE_S: Final = 60.0
_LOG_S: Final = 5.0
_LOOK_S: Final = 0.5
_PAGE: Final = 20_000
#: Names of files in an answer.
_MOST_PLACES: Final = 20
_UNITS: Final = {"b": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_TIMES: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What a cleaning came to: ``places`` are files below the home in which something is left, none if it is clean.

    ``sought`` counts the pieces that were looked for, ``rounds`` how often filler was written.
    """

    places: tuple[str, ...]
    sought: int
    rounds: int


def promised(folder: Path) -> Path | None:
    """Return the home of a server whose cleaning was begun and not ended, by the work folder of its address."""
    note = _read_promise(folder)
    return None if note is None else Path(note["home"])


class ServerFiles:
    """The files of a server whose home this process can read."""

    def __init__(
        self,
        engine: Engine,
        folder: Path,
        home: Path,
        *,
        key: bytes,
        source: Source,
        pause: Callable[[float], object] = time.sleep,
    ) -> None:
        """Use ``home``, the server's; ``folder`` is where this address keeps its own, ``key`` hides what is sought."""
        self._engine = engine
        self._folder = folder
        self._home = home
        self._source = source
        self._pause = pause
        self._key = key
        self._sought = Fingerprints(key)
        self._erased = 0
        self._interval = self._rotation = 0.0
        self._marked = False

    @classmethod
    def of(cls, opened: Opened, home: Path | str) -> ServerFiles:
        """Return the files of the server behind ``opened``, whose home is ``home``."""
        services = opened.services
        key = services.handle("|scrub", opened.location).encode()
        return cls(opened.engine, opened.folder, Path(home), key=key, source=services.source)

    # --- Before anything is erased ----------------------------------------------------------------------------------

    @contextmanager
    def reserved(self) -> Iterator[None]:
        """Keep other processes of this machine from cleaning the same server.

        Raises:
            StoreLocked: one is at it.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(self._folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                msg = "another process is cleaning this server's files; wait until it has ended, then try again"
                raise StoreLocked(msg, None) from error
            yield
        finally:
            try:
                if self._marked:
                    with suppress(EngineUnavailable):
                        self._remove_filler()
            finally:
                os.close(handle)

    def prove(self) -> None:
        """Make sure that the folder is this server's home and that a search of it finds what the server wrote.

        Raises:
            NotPermitted: the server keeps its logs for too long, or the folder is not this server's home.
        """
        self._check_database()
        self._check_settings()
        marker = Fingerprints(self._key)
        # Long enough for a record of the store of texts.
        text = self._source.token(96).hex()
        marker.add([text])
        self._marked = True
        # It stays until the files are cleaned: what takes its record before would keep the rest of it.
        self._engine.write(self._text("put_filler"), {"count": 1, "node": {"filler": text}})
        for pattern, seconds in ((_LOG, _LOG_S), (_STORE, self._interval + _GRACE_S)):
            if not self._await(partial(self._has, marker, pattern), seconds):
                msg = (
                    f"what the server wrote is not found in {pattern} below {self._home}: it is not this server's "
                    "home, or its data lies elsewhere; name the folder that is its home, as this machine sees it"
                )
                raise NotPermitted(msg)
        self._sought.add([text])
        note = _read_promise(self._folder)
        if note is not None:
            self._take_up(note)

    def _check_database(self) -> None:
        """Refuse what none of this was measured on: copies on other machines, and other formats of a store."""
        name = self._engine.read(self._text("current_database"))[0]["name"]
        rows = [row for row in self._engine.read(self._text("server_databases")) if row["name"] == name]
        if len(rows) != 1:
            msg = (
                f"the database {name} lies on {len(rows)} servers, each with files of its own, and one home is of one "
                "of them: erase without scrub"
            )
            raise NotPermitted(msg)
        store = str(rows[0]["store"] or "unknown")
        if not store.startswith(_FORMATS):
            msg = (
                f"the database {name} has the format {store}, and cleaning was made for {' and '.join(_FORMATS)}: "
                "erase without scrub, then copy the database into another one and remove this one"
            )
            raise NotPermitted(msg)

    def _check_settings(self) -> None:
        rows = self._engine.read(self._text("server_settings"), {"names": list(_SETTINGS)})
        found = {str(row["name"]): str(row["value"]) for row in rows}
        self._rotation = _size(found.get(_ROTATION, ""))
        self._interval = _seconds(found.get(_INTERVAL, ""))
        if (
            found.get(_RETENTION, "").casefold() in _KEEP_NONE
            and 0 < self._rotation <= _LARGEST_LOG
            and 0 < self._interval <= _LONGEST_INTERVAL
        ):
            return
        told = ", ".join(f"{name}={value}" for name, value in sorted(found.items())) or "nothing"
        msg = (
            f"this server would keep what is erased in its transaction logs ({told}); let its operator put {_LINES} "
            f"into neo4j.conf (at most {_LARGEST_LOG >> 20}m and {_LONGEST_INTERVAL}s) and restart it, or erase "
            "without scrub"
        )
        raise NotPermitted(msg)

    def _has(self, marker: Fingerprints, pattern: str) -> bool:
        try:
            return any(len(marker.found_in_file(path)) for path in self._home.rglob(pattern))
        except OSError as error:
            msg = f"a file below {self._home} cannot be read ({error.strerror}); run this as a user who may read them"
            raise NotPermitted(msg) from error

    # --- The promise ------------------------------------------------------------------------------------------------

    def expect(self, values: Iterable[object], vectors: Iterable[str], nodes: int) -> None:
        """Look for these texts and vectors later on, and promise so; call it before the erasure commits.

        Raises:
            StoreUnwritable: the promise cannot be written.
        """
        texts = list(values)
        self._sought.add(texts)
        for vector in vectors:
            self._sought.add_vector(vector)
        self._erased += sum(_length(value) for value in texts) + nodes * _NODE_SIZE
        self._promise()

    def _promise(self) -> None:
        note = {
            "home": str(self._home.absolute()),
            "erased": self._erased,
            "sought": b64encode(self._sought.hashes.astype("<u8").tobytes()).decode("ascii"),
        }
        _write_synced(self._folder / _PROMISE, json.dumps(note).encode())

    def _take_up(self, note: dict[str, Any]) -> None:
        """Go on with what another process promised, besides what is sought already."""
        hashes = np.frombuffer(b64decode(note["sought"]), dtype="<u8").astype(np.uint64)
        self._sought.hashes = np.concatenate([self._sought.hashes, hashes])
        self._erased += int(note["erased"])

    def _fulfil(self) -> None:
        (self._folder / _PROMISE).unlink(missing_ok=True)
        sync_folder(self._folder)

    # --- After it ---------------------------------------------------------------------------------------------------

    def clean(self) -> Cleaned:
        """Clean the files and look; the promise is kept when nothing is found, and stands otherwise.

        Raises:
            EngineUnavailable: the server went away, or made no checkpoint; the promise stands.
            NotPermitted: a file cannot be read any more; the promise stands.
        """
        sought = len(self._sought)
        self._remove_filler()
        self._make_indexes_anew()
        nodes = max(_LEAST_FILLER, 2 * int(self._rotation), self._erased) // _FILLER_SIZE
        places: tuple[str, ...] = ()
        for turn in range(1, _ROUNDS + 1):
            self._overwrite(nodes)
            places = self._places()
            if not places:
                self._fulfil()
                return Cleaned((), sought, turn)
            if turn < _ROUNDS and any(map(_is_servers, places)):
                nodes = self._all_records()
                self._overwrite(nodes)
                self._renew()
                nodes = max(nodes, self._all_records())
            else:
                break
        return Cleaned(places, sought, turn)

    def _make_indexes_anew(self) -> None:
        """Drop the indexes that held what was erased, and make them again: new files."""
        rows = self._engine.read(self._text("schema_indexes"))
        ours = schema.definitions(self._engine.name)
        with self._engine.transaction() as others_wait:
            others_wait.run(self._text("hold_tenants"))
            for row in rows:
                name, vector = str(row["name"]), _VECTOR_INDEX.fullmatch(str(row["name"]))
                holds = name in _HOLDING_TOO or not _HOLDING.isdisjoint(row["labels"] or ())
                # What somebody else made is not ours to drop: if it holds something, the search says so.
                if not holds or (name not in ours and vector is None and name != _POINTS):
                    continue
                drop = "drop_constraint" if row["constrains"] else "drop_index"
                self._engine.write(self._text(drop), {"name": name})
                if vector:
                    points.define_index(self._engine, int(vector[1]))
                elif name == _POINTS:
                    points.define(self._engine)
                else:
                    self._engine.define(ours[name])
        self._engine.define(self._text("await_indexes"))

    def _overwrite(self, nodes: int) -> None:
        """Take freed records into use with filler, free them again, and wait until the files have it."""
        self._pause(_UPKEEP_S)
        for _ in range(-(-nodes // _BATCH)):
            self._engine.write(self._text("put_filler"), {"count": _BATCH, "node": _FILLER})
        before = self._checkpoints()
        self._remove_filler()
        if not self._await(lambda: self._checkpoints() != before, self._interval + _GRACE_S):
            msg = f"the server made no checkpoint within {self._interval + _GRACE_S:.0f} s; see its log, then try again"
            raise EngineUnavailable(msg)

    def _all_records(self) -> int:
        """Return how many nodes of filler would take every record that the property stores have room for."""
        return max(
            sum(path.stat().st_size for path in self._home.rglob(pattern)) // size
            for pattern, size in _FILLER_RECORDS.items()
        )

    def _renew(self) -> None:
        """Write what nodes say into other records."""
        last = self._engine.read(self._text("last_node"))[0]["number"]
        for low in range(0, int(last if last is not None else -1) + 1, _RENEWED):
            self._renew_page(low)

    def _renew_page(self, low: int) -> None:
        for _ in range(_ATTEMPTS):
            with suppress(Conflict):
                self._engine.write(self._text("renew_page"), {"low": low, "high": low + _RENEWED})
                return
        msg = f"other writers kept nodes locked for {_ATTEMPTS} attempts; try again when less is written"
        raise EngineUnavailable(msg)

    def _remove_filler(self) -> None:
        while self._engine.write(self._text("remove_filler"), {"limit": _BATCH})[0]["removed"]:
            pass

    def _checkpoints(self) -> frozenset[tuple[str, int, int]]:
        found = set()
        for path in self._home.rglob(_CHECKPOINT):
            told = path.stat()
            found.add((str(path), told.st_size, told.st_mtime_ns))
        return frozenset(found)

    def _places(self) -> tuple[str, ...]:
        """Return the files in which something is left that no node says."""
        found: dict[str, Any] = {}
        for path in sorted(path for path in self._home.rglob("*") if path.is_file()):
            try:
                hashes = self._sought.found_in_file(path)
            except OSError as error:
                msg = f"{path} cannot be read ({error.strerror}); run this as a user who may read the server's files"
                raise NotPermitted(msg) from error
            if len(hashes):
                found[path.relative_to(self._home).as_posix()] = hashes
        if found:
            said = self._said(np.unique(np.concatenate(list(found.values()))))
            found = {place: hashes for place, hashes in found.items() if len(np.setdiff1d(hashes, said))}
            self._sought.hashes = np.setdiff1d(self._sought.hashes, said)
        return tuple(list(found)[:_MOST_PLACES])

    def _said(self, hashes: Any) -> Any:
        """Return which of ``hashes`` are of what a node says that is there."""
        open_ = Fingerprints(self._key)
        open_.hashes = hashes
        last = self._engine.read(self._text("last_node"))[0]["number"]
        for low in range(0, int(last if last is not None else -1) + 1, _PAGE):
            rows = self._engine.read(self._text("said_page"), {"low": low, "high": low + _PAGE})
            open_.without_said([value for row in rows for value in row["node"].values()])
        return np.setdiff1d(hashes, open_.hashes)

    def _text(self, name: str) -> str:
        return statement(name, self._engine.name)

    def _await(self, happened: Callable[[], bool], seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not happened():
            if time.monotonic() >= deadline:
                return False
            self._pause(_LOOK_S)
        return True


def _is_servers(place: str) -> bool:
    """Return whether a file is one that the server writes to, and not somebody's copy."""
    return Path(place).name.startswith("neostore") or "/schema/index/" in place


def _length(value: object) -> int:
    if isinstance(value, list | tuple):
        return sum(_length(part) for part in value)
    return len(value) if isinstance(value, str) else 0


def _size(text: str) -> float:
    """Return the bytes that a size such as ``1.00MiB`` or ``256m`` is; 0 for one that is none."""
    found = re.fullmatch(r"([0-9.]+)\s*([a-z]*)", text.casefold())
    return float(found[1]) * _UNITS.get(found[2] or "b", 0) if found else 0.0


def _seconds(text: str) -> float:
    """Return the seconds that a duration such as ``1m30s`` is; 0 for one that is none."""
    parts = re.findall(r"([0-9.]+)(ms|s|m|h|d)", text.casefold())
    return sum(float(number) * _TIMES[unit] for number, unit in parts)


def _read_promise(folder: Path) -> dict[str, Any] | None:
    path = folder / _PROMISE
    try:
        note: dict[str, Any] = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        msg = f"{path} cannot be read; erase again with scrub, then remove it"
        raise StoreUnwritable(msg) from error
    return note


def _write_synced(path: Path, data: bytes) -> None:
    part = path.with_suffix(".part")
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        msg = f"{path} cannot be written ({error.strerror}); free space or make the folder writable, then try again"
        raise StoreUnwritable(msg) from error
