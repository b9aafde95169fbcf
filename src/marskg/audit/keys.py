"""The folder of signing keys: Ed25519 keys as PEM files that only their owner can read, and the secret of handles.

Guarantees: a key file is complete or absent (written aside, synced, then linked into place), is never overwritten, and
is never readable by others: one whose permissions are too open is refused, with the command that closes them. Which
key signs is not decided here but by the log, which announces every key before it is used; so a crash between making a
key and announcing it changes nothing. No message holds a secret.
Sources: RFC 8410 (Ed25519 in PKCS #8), semantics section 8.
"""

from __future__ import annotations

import hmac
import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from marskg.audit.dataintegrity import Signer, multibase_url, multikey, verification_method
from marskg.errors import KeyUnusable, StoreUnwritable
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from marskg.clock import Source

_NAME: Final = late_regex(r"signing-([0-9]{4,})-(z6Mk[1-9A-HJ-NP-Za-km-z]+)\.pem", re.ASCII)
_HANDLES: Final = "handles.key"
_SECRET_SIZE: Final = 32
#: Bytes that the format of a locked key takes (OpenSSL's PKCS 8).
_LONGEST_PASSPHRASE: Final = 1_023
#: A PEM file of one key is some 120 to 400 bytes; anything much larger is something else.
_MAX_FILE: Final = 65_536


@dataclass(frozen=True, slots=True, order=True)
class KeyFile:
    """One key of the folder, known by its name alone: listing needs no passphrase."""

    number: int
    public_key: str
    path: Path

    @property
    def verification_method(self) -> str:
        """Return the did:key verification method."""
        return verification_method(self.public_key)


class Keyring:
    """The signing keys of one store."""

    def __init__(self, folder: Path, passphrase: bytes | None = None) -> None:
        """Use the keys in ``folder``, encrypted under ``passphrase`` where one is given; nothing is read yet.

        Raises:
            KeyUnusable: the passphrase is empty, or longer than a key is locked with.
        """
        self.folder = Path(folder)
        check_passphrase(passphrase)
        self._passphrase = passphrase

    def files(self) -> tuple[KeyFile, ...]:
        """Return the keys in the order in which they were made.

        Raises:
            KeyUnusable: the folder cannot be read, or is open to others.
        """
        try:
            if not self.folder.is_dir():
                return ()
            _refuse_open(self.folder, "700")
            found = [(_NAME.fullmatch(path.name), path) for path in self.folder.iterdir()]
        except OSError as error:
            msg = f"the key folder {self.folder} cannot be read ({error.strerror}); it must belong to the current user"
            raise KeyUnusable(msg) from error
        return tuple(sorted(KeyFile(int(match[1]), match[2], path) for match, path in found if match))

    def create(self, source: Source) -> Signer:
        """Make the next key with 32 bytes of ``source`` and return its signer: the first one, or one to rotate to.

        Raises:
            StoreUnwritable: the folder cannot be written.
        """
        return self._add(Ed25519PrivateKey.from_private_bytes(source.token(_SECRET_SIZE)))

    def adopt(self, pem: Path, passphrase: bytes | None = None) -> Signer:
        """Copy the key in the file ``pem`` into the folder, under the folder's passphrase, and return its signer.

        Raises:
            KeyUnusable: the file holds no usable key.
            StoreUnwritable: the folder cannot be written.
        """
        return self._add(_load(Path(pem), passphrase))

    def signer(self, public_key: str | None = None) -> Signer:
        """Return the signer of ``public_key`` (``z6Mk…``), or of the newest key.

        Raises:
            KeyUnusable: there is no such key, or its file is corrupt, locked or open to others.
        """
        files = self.files()
        if not files:
            msg = (
                f"there is no signing key in {self.folder}; restore it from a backup, "
                "or make one with: mars init (a new store) or mars audit replace-key (a lost key)"
            )
            raise KeyUnusable(msg)
        wanted = next((file for file in reversed(files) if public_key in {None, file.public_key}), None)
        if wanted is None:
            msg = (
                f"the key {public_key} that signs this log is not in {self.folder}; restore its file from a backup, "
                "or replace it with: mars audit replace-key"
            )
            raise KeyUnusable(msg)
        signer = Signer(_load(wanted.path, self._passphrase))
        if signer.public_key != wanted.public_key:
            msg = f"{wanted.path} holds another key than its name says; restore the file from a backup"
            raise KeyUnusable(msg)
        return signer

    def handles(self, source: Source | None = None) -> Handles:
        """Return the maker of subject handles; with ``source`` its secret is made where it is missing.

        Raises:
            KeyUnusable: the secret is missing, corrupt or open to others.
        """
        path = self.folder / _HANDLES
        if source is not None and not path.exists():
            self._write(_HANDLES, source.token(_SECRET_SIZE))
        secret = read_private(path)
        if len(secret) != _SECRET_SIZE:
            msg = f"{path} is corrupt: it must hold {_SECRET_SIZE} bytes; restore it from a backup"
            raise KeyUnusable(msg)
        return Handles(secret)

    def _add(self, key: Ed25519PrivateKey) -> Signer:
        signer = Signer(key)
        files = self.files()
        if all(file.public_key != signer.public_key for file in files):
            number = files[-1].number + 1 if files else 1
            protection = BestAvailableEncryption(self._passphrase) if self._passphrase else NoEncryption()
            pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, protection)
            self._write(f"signing-{number:04d}-{multikey(key.public_key())}.pem", pem)
        return signer

    def _write(self, name: str, data: bytes) -> None:
        """Write a file of the folder whole or not at all; one that is there already stays as it is."""
        path = self.folder / name
        aside = self.folder / f".{name}.{os.getpid()}.{get_ident()}.new"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _refuse_open(self.folder, "700")
            try:
                aside.unlink(missing_ok=True)  # what a crash left under the same number
                write_synced(aside, data)
                with suppress(FileExistsError):  # another process made it first: its file counts
                    os.link(aside, path)
            finally:
                aside.unlink(missing_ok=True)
            sync_folder(self.folder)
        except OSError as error:
            msg = f"{path} cannot be written ({error.strerror}); free space or make the folder writable, then try again"
            raise StoreUnwritable(msg) from error


class Handles:
    """Makes keyed handles of subjects: equal for equal names, meaningless without the secret (semantics section 3)."""

    __slots__ = ("_secret",)

    def __init__(self, secret: bytes) -> None:
        """Use ``secret``, 32 bytes."""
        self._secret = secret

    def __call__(self, tenant: str, subject: str) -> str:
        """Return the handle of ``subject`` in ``tenant``; the length keeps ("a", "bc") apart from ("ab", "c")."""
        return multibase_url(hmac.digest(self._secret, f"{len(tenant)}:{tenant}{subject}".encode(), "sha256"))


def check_passphrase(passphrase: bytes | None) -> None:
    """Refuse a passphrase that locks no key.

    Raises:
        KeyUnusable: it is empty, or longer than a key is locked with.
    """
    if passphrase is not None and not 0 < len(passphrase) <= _LONGEST_PASSPHRASE:
        msg = (
            f"the passphrase has {len(passphrase):,} bytes, and must have from 1 to {_LONGEST_PASSPHRASE:,}; leave it "
            "out for a key that needs none"
        )
        raise KeyUnusable(msg)


def load_signer(pem: Path, passphrase: bytes | None = None) -> Signer:
    """Return the signer of the PEM file ``pem``, where it lies.

    Raises:
        KeyUnusable: the file is missing, corrupt, no Ed25519 key, locked by another passphrase, or open to others.
    """
    return Signer(_load(Path(pem), passphrase))


def _load(path: Path, passphrase: bytes | None) -> Ed25519PrivateKey:
    data = read_private(path)
    locked = b"ENCRYPTED" in data
    if locked and not passphrase:
        msg = f"{path} is locked by a passphrase; give it in MARS_PASSPHRASE"
        raise KeyUnusable(msg)
    try:
        # A passphrase for a key without one is refused by the library; the key is usable all the same.
        key = load_pem_private_key(data, passphrase if locked else None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        why = "its passphrase is another one, or it is corrupt" if locked else "it is corrupt"
        msg = f"{path} cannot be used: {why}; check MARS_PASSPHRASE, or restore the file from a backup"
        raise KeyUnusable(msg) from error
    if not isinstance(key, Ed25519PrivateKey):
        msg = f"{path} is not an Ed25519 key; make one with: openssl genpkey -algorithm ed25519"
        raise KeyUnusable(msg)
    return key


def read_private(path: Path) -> bytes:
    """Return what a key file holds.

    Raises:
        KeyUnusable: it is missing, cannot be read, or is open to others.
    """
    try:
        # A pipe that nobody writes into would be waited for.
        if path.exists() and not path.is_file():
            msg = f"{path} is not a regular file; give the path of the key file itself"
            raise KeyUnusable(msg)
        with path.open("rb") as file:
            _refuse_open(path, "600", os.fstat(file.fileno()))
            return file.read(_MAX_FILE)
    except FileNotFoundError as error:
        msg = f"there is no key file {path}; restore it from a backup"
        raise KeyUnusable(msg) from error
    except OSError as error:
        msg = f"the key file {path} cannot be read ({error.strerror}); it must belong to the current user"
        raise KeyUnusable(msg) from error


def _refuse_open(path: Path, mode: str, status: os.stat_result | None = None) -> None:
    """Refuse a file or folder that the group or others may touch.

    Raises:
        KeyUnusable: its permissions are too open.
    """
    if os.name != "posix":  # elsewhere the mode bits say nothing about who may read
        return
    if (status or path.stat()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        msg = f"{path} is open to other users, so its keys may have been copied; close it with: chmod {mode} {path}"
        raise KeyUnusable(msg)


def write_synced(path: Path, data: bytes) -> None:
    """Write a new file that only its owner can read, durably."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:  # noqa: PTH123 - Path.open cannot set the mode before the first byte
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make a new name durable; a folder cannot be opened for that on Windows."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
