"""The data keys of a tenant whose contents are encrypted: one for each subject, each entity, and what has neither.

Guarantees: a key is on disk, synced, before anything that was encrypted under it is written to the store; it is
wrapped by the tenant's own key (AES-256-GCM), and both lie in a folder outside the store, so that no copy of the store
holds them. Destroying a key overwrites it where it lies, synced, and is done in two steps: that is *scheduled* first,
while the key still works, and done when what was under it has left the graph; who opens the tenant after a crash
settles what is scheduled by looking at the graph. No name is in the files: a subject is known by a keyed digest, an
entity by its id. Random numbers come from the operating system alone: a seed used twice would use a nonce twice.

What several subjects share is under a key that is made of all of theirs (HKDF, RFC 5869), so that it is gone as soon as
one of them is. Sources: NIST SP 800-38D (GCM), semantics sections 5 and 8.
"""

from __future__ import annotations

import hmac
import os
import stat
import struct
import threading
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from marskg.audit.dataintegrity import multibase_url
from marskg.audit.keys import read_private, sync_folder, write_synced
from marskg.clock import SystemSource
from marskg.errors import InvalidConfig, KeyUnusable, StoreUnwritable
from marskg.host import lock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

#: Names the folder of all keyrings of this user.
VARIABLE: Final = "MARS_VAULTS"
_KEY: Final = 32
_NONCE: Final = 12
_TENANT_FILE, _DATA_FILE = "tenant.key", "data.keys"
_PLAIN, _LOCKED = b"marskg tenant key\n", b"marskg tenant key, scrypt\n"
#: Cost of a passphrase: 64 MiB for each guess (RFC 7914).
_COST: Final = 1 << 16
_SALT: Final = 16
_MAGIC: Final = b"marskg data keys 2\n".ljust(24)
#: The magic, how often the file was written, and the sequence of the tenant's log when a key was last destroyed.
_HEADER: Final = 40
_WRITTEN, _REACHED = slice(24, 32), slice(32, 40)
#: State, sort, key id, owner, nonce, wrapped key, checksum of all but the state; filled up to a round size.
_FORM: Final = struct.Struct(">cc8s16s12s48sI6x")
#: Where the checksum is.
_SUMMED: Final = 86
#: Bytes after the checksum, which say nothing.
_FILLING: Final = _FORM.size - _SUMMED - 4
_LIVE, _SCHEDULED, _DESTROYED = b"L", b"D", b"X"
TENANT, SUBJECT, ENTITY = b"T", b"S", b"E"
ID_SIZE: Final = 8
#: Keys of sets of subjects that are kept at hand.
_AT_HAND: Final = 10_000


@dataclass(frozen=True, slots=True, order=True)
class Owner:
    """Whose key: ``sort`` is one of :data:`TENANT`, :data:`SUBJECT`, :data:`ENTITY`; ``name`` are 16 bytes."""

    sort: bytes
    name: bytes


@dataclass(frozen=True, slots=True)
class DataKey:
    """One key of the file, as it is there: wrapped."""

    id: bytes
    owner: Owner
    nonce: bytes
    wrapped: bytes
    place: int
    scheduled: bool = False


def data_folder() -> Path:
    """Return the folder of what this user keeps beside stores (XDG Base Directory Specification).

    Raises:
        InvalidConfig: the user has no home, and no variable names a folder.
    """
    named, data = os.environ.get("MARS_HOME"), os.environ.get("XDG_DATA_HOME", "")
    if named:
        return Path(named)
    if os.path.isabs(data):  # noqa: PTH117 - what is relative is to be ignored
        return Path(data) / "marskg"
    try:
        return Path.home() / ".local" / "share" / "marskg"
    except RuntimeError as error:
        msg = "this user has no home folder to keep keys in; name a folder with MARS_HOME"
        raise InvalidConfig(msg) from error


def keyrings_folder() -> Path:
    """Return the folder in which the keyrings of this user lie.

    Raises:
        InvalidConfig: as :func:`data_folder`.
    """
    named = os.environ.get(VARIABLE)
    return Path(named) if named else data_folder() / "vaults"


class DataKeyring:
    """The keys of one tenant; safe for several threads, and for several processes of one machine."""

    def __init__(self, folder: Path, tenant: str, passphrase: bytes | None = None) -> None:
        """Open the keyring in ``folder``.

        Raises:
            KeyUnusable: a file is missing, corrupt, open to others, or under another passphrase.
        """
        self.folder = folder
        self._tenant = tenant
        self._source = SystemSource()
        self._mutex = threading.RLock()
        key = _open_key(folder / _TENANT_FILE, passphrase)
        self._wrap = AESGCM(_derived(key, f"wrap|{tenant}"))
        self._lookup = _derived(key, f"lookup|{tenant}")
        self._by_id: dict[bytes, DataKey] = {}
        self._by_owner: dict[Owner, DataKey] = {}
        self._ciphers: dict[tuple[bytes, ...], AESGCM] = {}
        self._destroyed: set[bytes] = set()
        self._seen = b""
        self._read()

    @classmethod
    def make(cls, folder: Path, tenant: str, passphrase: bytes | None = None) -> DataKeyring:
        """Make a new keyring in ``folder``, or open the one that is there.

        Raises:
            StoreUnwritable: the folder cannot be written.
            KeyUnusable: as opening.
        """
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not (folder / _DATA_FILE).exists():
                _write(folder / _DATA_FILE, _MAGIC + bytes(_HEADER - len(_MAGIC)))
            if not (folder / _TENANT_FILE).exists():
                _write(folder / _TENANT_FILE, _closed_key(SystemSource().token(_KEY), passphrase))
        except OSError as error:
            raise _unwritable(folder, error) from error
        return cls(folder, tenant, passphrase)

    # --- Names ------------------------------------------------------------------------------------------------------

    def digest(self, domain: str, text: str) -> str:
        """Return what stands in the store for ``text`` where it must be found by equality: a keyed digest."""
        return multibase_url(self._name(domain, text))

    def _name(self, domain: str, text: str) -> bytes:
        return hmac.digest(self._lookup, f"{domain}\x1f{text}".encode("utf-8", "surrogatepass"), "sha256")[:16]

    def subject(self, name: str) -> Owner:
        """Return the owner that a subject is."""
        return Owner(SUBJECT, self._name("subject", name))

    def owners_of(self, subjects: Iterable[str]) -> tuple[Owner, ...]:
        """Return whose keys a memory about ``subjects`` is under: all of theirs, the tenant's if it is about nobody."""
        return tuple(sorted({self.subject(name) for name in subjects})) or (Owner(TENANT, bytes(16)),)

    @staticmethod
    def entity(ident: str) -> Owner:
        """Return the owner that an entity is."""
        return Owner(ENTITY, UUID(ident).bytes)

    @staticmethod
    def ident_of(owner: Owner) -> str:
        """Return the id of the entity that an owner is."""
        return f"urn:uuid:{UUID(bytes=owner.name)}"

    @staticmethod
    def subject_digest(owner: Owner) -> str:
        """Return the digest of the subject that an owner is, as it stands in the store."""
        return multibase_url(owner.name)

    # --- Keys -------------------------------------------------------------------------------------------------------

    def ids_for(self, owners: Iterable[tuple[Owner, ...]]) -> dict[tuple[Owner, ...], tuple[bytes, ...]]:
        """Return for each set of owners the ids of their keys; those that are missing are made, and synced, at once.

        Raises:
            StoreUnwritable: the file cannot be written.
        """
        wanted = set(owners)
        with self._mutex:
            self._refresh()
            missing = sorted({owner for group in wanted for owner in group if owner not in self._by_owner})
            if missing:
                self._make(missing)
            return {group: tuple(sorted(self._by_owner[owner].id for owner in group)) for group in wanted}

    def cipher(self, ids: tuple[bytes, ...]) -> AESGCM:
        """Return what encrypts and decrypts under all of the keys ``ids``.

        Raises:
            KeyUnusable: one of them was destroyed, or is not in this keyring.
        """
        with self._mutex:
            found = self._ciphers.get(ids)
            if found is None:
                if any(ident not in self._by_id for ident in ids):
                    self._read()
                keys = [self._unwrapped(ident) for ident in ids]
                found = AESGCM(_derived(b"".join(keys), f"data|{self._tenant}"))
                if len(self._ciphers) >= _AT_HAND:
                    self._ciphers.clear()
                self._ciphers[ids] = found
            return found

    def nonce(self) -> bytes:
        """Return a nonce that nobody has used."""
        return self._source.token(_NONCE)

    def _unwrapped(self, ident: bytes) -> bytes:
        key = self._by_id.get(ident)
        if key is None:
            msg = (
                f"a key of what is stored in tenant {self._tenant!r} is not in {self.folder}: it was destroyed by an "
                "erasure, or the folder is older than the store; restore the newest copy of it"
            )
            raise KeyUnusable(msg)
        try:
            return self._wrap.decrypt(key.nonce, key.wrapped, self._bound(key.owner, ident))
        except InvalidTag as error:
            msg = (
                f"a key in {self.folder / _DATA_FILE} does not open under {_TENANT_FILE}: one of the files was "
                "changed, or is another tenant's; restore the newest copy of the folder"
            )
            raise KeyUnusable(msg) from error

    def _bound(self, owner: Owner, ident: bytes) -> bytes:
        return b"|".join((self._tenant.encode(), owner.sort, owner.name, ident))

    # --- Destroying -------------------------------------------------------------------------------------------------

    def find(self, owner: Owner) -> DataKey | None:
        """Return the key of ``owner`` as it is in the file, if there is one."""
        with self._mutex:
            self._refresh()
            return self._by_owner.get(owner)

    def scheduled(self) -> tuple[DataKey, ...]:
        """Return the keys that were to be destroyed with a transaction of which nobody knows whether it came about."""
        with self._mutex:
            self._refresh()
            return tuple(sorted((key for key in self._by_id.values() if key.scheduled), key=lambda key: key.place))

    def schedule_destruction(self, keys: Iterable[DataKey]) -> None:
        """Note that ``keys`` go with the transaction that follows.

        Raises:
            StoreUnwritable: the file cannot be written.
        """
        self._put([(key, _SCHEDULED) for key in keys])

    def cancel_destruction(self, keys: Iterable[DataKey]) -> None:
        """Note that ``keys`` stay, as the transaction did not come about.

        Raises:
            StoreUnwritable: the file cannot be written.
        """
        self._put([(key, _LIVE) for key in keys])

    def destroy(self, keys: Iterable[DataKey]) -> None:
        """Overwrite ``keys`` where they lie; what was under them is unreadable from now on, wherever there is a copy.

        What stays of a key is its id, which is chance: by it what was erased is told from what is unreadable since the
        keyring is not the newest.

        Raises:
            StoreUnwritable: the file cannot be written; their destruction is scheduled still.
        """
        self._put([(key, _FORM.pack(_DESTROYED, b"\x00", key.id, b"", b"", b"", 0)) for key in keys])

    def _put(self, wanted: Sequence[tuple[DataKey, bytes]]) -> None:
        """Write over the beginning of the place of each key."""
        if not wanted:
            return
        with self._mutex:
            with self._file() as file:
                for key, data in wanted:
                    # Somebody else may have destroyed it; its place is never given to another key.
                    place = os.pread(file, 2 + ID_SIZE, key.place)
                    if place[2:] == key.id and place[:1] != _DESTROYED:
                        _write_at(file, data, key.place)
                self._count(file)
            self._ciphers.clear()
            self._read()

    def destroyed(self) -> frozenset[bytes]:
        """Return the ids of the keys that were destroyed."""
        with self._mutex:
            self._refresh()
            return frozenset(self._destroyed)

    @property
    def reached(self) -> int:
        """Return the sequence that the tenant's log had when a key was last destroyed: a store before it is older."""
        with self._mutex:
            self._refresh()
            return int.from_bytes(self._seen[_REACHED], "big")

    def note_reached(self, sequence: int) -> None:
        """Note which sequence the tenant's log has now that keys were destroyed.

        Raises:
            StoreUnwritable: the file cannot be written.
        """
        with self._mutex:
            with self._file() as file:
                _write_at(file, sequence.to_bytes(8, "big"), _REACHED.start)
                self._count(file)
            self._read()

    # --- The file ---------------------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        """Read the file again if somebody wrote to it."""
        try:
            with self._to_read() as file:
                now = os.pread(file.fileno(), _HEADER, 0)
        except OSError as error:
            raise self._missing(error) from error
        if now != self._seen:
            self._read()

    def _read(self) -> None:
        try:
            with self._to_read() as file:
                data = file.read()
        except OSError as error:
            raise self._missing(error) from error
        if len(data) < _HEADER or not data.startswith(_MAGIC):
            msg = f"{self.folder / _DATA_FILE} is corrupt; restore the newest copy of the folder"
            raise KeyUnusable(msg)
        self._by_id, self._by_owner, self._destroyed, self._seen = {}, {}, set(), data[:_HEADER]
        # The last one may have lost some of the bytes that fill its place.
        data += bytes((_HEADER - len(data)) % _FORM.size)
        for place in range(_HEADER, len(data), _FORM.size):
            state, sort, ident, name, nonce, wrapped, sum_ = _FORM.unpack_from(data, place)
            # What a crash left half-written has no checksum, and nothing was encrypted under it.
            if state in {_LIVE, _SCHEDULED} and sum_ == zlib.crc32(data[place + 1 : place + _SUMMED]):
                key = DataKey(ident, Owner(sort, name), nonce, wrapped, place, scheduled=state == _SCHEDULED)
                self._by_id[ident] = self._by_owner[key.owner] = key
            elif state == _DESTROYED:
                self._destroyed.add(ident)

    def _make(self, owners: list[Owner]) -> None:
        with self._file() as file:
            self._read()  # another process may have made them
            # Where only some of what fills the last place is lost, its key is whole.
            end = _HEADER + (os.fstat(file).st_size - _HEADER + _FILLING) // _FORM.size * _FORM.size
            new: list[DataKey] = []
            for owner in owners:
                if owner in self._by_owner:
                    continue
                ident, nonce = self._source.token(ID_SIZE), self.nonce()
                wrapped = self._wrap.encrypt(nonce, self._source.token(_KEY), self._bound(owner, ident))
                new.append(DataKey(ident, owner, nonce, wrapped, end + len(new) * _FORM.size))
            _write_at(file, b"".join(_packed(key) for key in new), end)
            self._count(file)
        self._read()

    def _count(self, file: int) -> None:
        """Let others see that the file is another one now, and make it durable."""
        number = int.from_bytes(os.pread(file, 8, _WRITTEN.start), "big")
        _write_at(file, ((number + 1) % (1 << 64)).to_bytes(8, "big"), _WRITTEN.start)
        os.fsync(file)

    @contextmanager
    def _file(self) -> Iterator[int]:
        """Open the file of keys to write, alone among all processes."""
        try:
            handle = os.open(self.folder / _DATA_FILE, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise self._missing(error) from error
        try:
            lock(handle)
            yield handle
        except OSError as error:
            raise _unwritable(self.folder, error) from error
        finally:
            os.close(handle)

    @contextmanager
    def _to_read(self) -> Iterator[BinaryIO]:
        path = self.folder / _DATA_FILE
        # A pipe that nobody writes into would be waited for.
        with open(path, "rb", buffering=0, opener=_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                msg = f"{path} is not a regular file; restore the folder from its backup"
                raise KeyUnusable(msg)
            yield file

    def _missing(self, error: OSError) -> KeyUnusable:
        return KeyUnusable(
            f"the keys of tenant {self._tenant!r} in {self.folder} cannot be read ({error.strerror}), and without them "
            f"nothing of it can; restore the folder from its backup, or name where it is with {VARIABLE}"
        )


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


def _write_at(file: int, data: bytes, place: int) -> None:
    """Write all of ``data``: a disk that is full takes a part of it first, and only then says so."""
    while data:
        done = os.pwrite(file, data, place)
        data, place = data[done:], place + done


def _packed(key: DataKey) -> bytes:
    data = _FORM.pack(_LIVE, key.owner.sort, key.id, key.owner.name, key.nonce, key.wrapped, 0)
    return data[:_SUMMED] + zlib.crc32(data[1:_SUMMED]).to_bytes(4, "big") + data[_SUMMED + 4 :]


def _derived(key: bytes, info: str) -> bytes:
    """Return a key that is made of ``key`` for one use and tells nothing about it (RFC 5869)."""
    return HKDF(algorithm=SHA256(), length=_KEY, salt=None, info=f"marskg|{info}".encode()).derive(key)


def _closed_key(key: bytes, passphrase: bytes | None) -> bytes:
    """Return the file of a tenant's key, locked where there is a passphrase."""
    if not passphrase:
        return _PLAIN + key
    salt, nonce = SystemSource().token(_SALT), SystemSource().token(_NONCE)
    locked = AESGCM(Scrypt(salt=salt, length=_KEY, n=_COST, r=8, p=1).derive(passphrase)).encrypt(nonce, key, _LOCKED)
    return _LOCKED + salt + nonce + locked


def _open_key(path: Path, passphrase: bytes | None) -> bytes:
    data = read_private(path)
    if data.startswith(_PLAIN) and len(data) == len(_PLAIN) + _KEY:
        return data[len(_PLAIN) :]
    if not data.startswith(_LOCKED):
        msg = f"{path} is corrupt: it holds no tenant key; restore it from its backup"
        raise KeyUnusable(msg)
    if not passphrase:
        msg = f"{path} is locked by a passphrase; give it in MARS_PASSPHRASE"
        raise KeyUnusable(msg)
    salt, nonce, locked = (part for part in _cut(data[len(_LOCKED) :], _SALT, _NONCE))
    try:
        return AESGCM(Scrypt(salt=salt, length=_KEY, n=_COST, r=8, p=1).derive(passphrase)).decrypt(
            nonce, locked, _LOCKED
        )
    except (InvalidTag, ValueError) as error:
        msg = f"{path} does not open: the passphrase is another one, or the file is corrupt; check MARS_PASSPHRASE"
        raise KeyUnusable(msg) from error


def _cut(data: bytes, first: int, second: int) -> tuple[bytes, bytes, bytes]:
    return data[:first], data[first : first + second], data[first + second :]


def _write(path: Path, data: bytes) -> None:
    """Write a new file whole or not at all; one that another process made meanwhile stays."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.new")
    try:
        aside.unlink(missing_ok=True)
        write_synced(aside, data)
        with suppress(FileExistsError):
            os.link(aside, path)
    finally:
        aside.unlink(missing_ok=True)
    sync_folder(path.parent)


def _unwritable(folder: Path, error: OSError) -> StoreUnwritable:
    return StoreUnwritable(
        f"the keys in {folder} cannot be written ({error.strerror}); free space or make the folder writable, then try "
        "again"
    )
