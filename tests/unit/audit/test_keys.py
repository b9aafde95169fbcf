"""Key files: only for their owner, whole or absent, and clear words when they cannot be used."""

from __future__ import annotations

import errno
import os
import stat
import threading
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from marskg.audit.dataintegrity import verify
from marskg.audit.keys import Keyring, load_signer
from marskg.clock import SeededSource, SystemSource
from marskg.errors import KeyUnusable, StoreUnwritable

if TYPE_CHECKING:
    from pathlib import Path

CREATED = "2026-11-21T10:40:10Z"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store" / "keys"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_key_is_made_for_its_owner_alone_and_signs(folder: Path) -> None:
    made = Keyring(folder).create(SystemSource())
    (file,) = Keyring(folder).files()
    assert (mode(folder), mode(file.path), file.public_key) == (0o700, 0o600, made.public_key)
    assert [path.name for path in folder.iterdir()] == [file.path.name]
    signed = Keyring(folder).signer().sign(b"core", CREATED)
    assert verify(b"core", signed.proof_value, CREATED, file.verification_method)


def test_a_seed_gives_the_same_key_again(tmp_path: Path) -> None:
    first = Keyring(tmp_path / "a").create(SeededSource(1))
    second = Keyring(tmp_path / "b").create(SeededSource(1))
    assert first.public_key == second.public_key


def test_rotation_adds_a_key_and_keeps_the_old_one(folder: Path) -> None:
    ring = Keyring(folder)
    keys = [ring.create(SeededSource(seed)).public_key for seed in range(12)]
    assert [file.public_key for file in ring.files()] == keys
    assert ring.signer().public_key == keys[-1]
    assert [ring.signer(key).public_key for key in keys] == keys


def test_a_passphrase_locks_the_file(folder: Path) -> None:
    made = Keyring(folder, b"correct horse").create(SeededSource(1))
    assert b"ENCRYPTED" in Keyring(folder).files()[0].path.read_bytes()
    assert Keyring(folder, b"correct horse").signer().public_key == made.public_key
    with pytest.raises(KeyUnusable, match="locked by a passphrase; give it in MARS_PASSPHRASE"):
        Keyring(folder).signer()
    with pytest.raises(KeyUnusable, match="its passphrase is another one"):
        Keyring(folder, b"battery staple").signer()


def test_a_passphrase_does_no_harm_to_a_key_without_one(folder: Path) -> None:
    made = Keyring(folder).create(SeededSource(1))
    assert Keyring(folder, b"correct horse").signer().public_key == made.public_key


def test_a_given_pem_is_used_or_adopted(folder: Path, tmp_path: Path) -> None:
    made = Keyring(tmp_path / "other", b"old").create(SeededSource(1))
    pem = Keyring(tmp_path / "other").files()[0].path
    assert load_signer(pem, b"old").public_key == made.public_key
    ring = Keyring(folder, b"new")
    assert ring.adopt(pem, b"old").public_key == made.public_key
    assert ring.adopt(pem, b"old").public_key == made.public_key
    assert len(ring.files()) == 1
    assert ring.signer(made.public_key).public_key == made.public_key


@pytest.mark.parametrize("bits", [0o640, 0o604, 0o660, 0o777])
def test_a_key_that_others_may_read_is_refused_with_the_way_out(folder: Path, bits: int) -> None:
    ring = Keyring(folder)
    ring.create(SeededSource(1))
    path = ring.files()[0].path
    path.chmod(bits)
    with pytest.raises(KeyUnusable, match=f"chmod 600 {path}"):
        ring.signer()


def test_a_folder_that_others_may_enter_is_refused_with_the_way_out(folder: Path) -> None:
    ring = Keyring(folder)
    ring.create(SeededSource(1))
    folder.chmod(0o755)
    for use in (ring.files, ring.signer, lambda: ring.create(SeededSource(2))):
        with pytest.raises(KeyUnusable, match=f"chmod 700 {folder}"):
            use()


def test_a_missing_key_is_named(folder: Path) -> None:
    with pytest.raises(KeyUnusable, match=f"no signing key in {folder}"):
        Keyring(folder).signer()
    Keyring(folder).create(SeededSource(1))
    with pytest.raises(KeyUnusable, match="z6MkOther that signs this log is not in"):
        Keyring(folder).signer("z6MkOther")
    with pytest.raises(KeyUnusable, match="there is no key file"):
        load_signer(folder / "nothing.pem")


def test_a_key_under_another_ones_name_is_refused(folder: Path) -> None:
    ring = Keyring(folder)
    ring.create(SeededSource(1))
    ring.create(SeededSource(2))
    first, second = ring.files()
    second.path.write_bytes(first.path.read_bytes())
    with pytest.raises(KeyUnusable, match="holds another key than its name says"):
        ring.signer()


def p256() -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it is corrupt"),
        (b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "it is corrupt"),
        (b"-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n", "or it is corrupt"),
        (b"\xff" * 100, "it is corrupt"),
        (p256(), "not an Ed25519 key"),
    ],
)
def test_a_corrupt_or_foreign_key_is_refused(folder: Path, data: bytes, message: str) -> None:
    ring = Keyring(folder, b"correct horse")
    ring.create(SeededSource(1))
    path = ring.files()[0].path
    path.write_bytes(data)
    with pytest.raises(KeyUnusable, match=message):
        ring.signer()


def test_no_message_holds_a_passphrase(folder: Path) -> None:
    Keyring(folder, b"correct horse").create(SeededSource(1))
    with pytest.raises(KeyUnusable) as caught:
        Keyring(folder, b"battery staple").signer()
    assert "battery" not in str(caught.value)


def test_a_read_only_folder_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    # The tests may run as the superuser, whom no mode keeps from writing.
    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(StoreUnwritable, match=f"{folder}.*Read-only file system.*make the folder writable"):
        Keyring(folder).create(SeededSource(1))


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text("")
    with pytest.raises(StoreUnwritable, match="cannot be written"):
        Keyring(path).create(SeededSource(1))


def test_a_full_disk_leaves_no_half_key(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreUnwritable, match="No space left on device"):
        Keyring(folder).create(SeededSource(1))
    assert list(folder.iterdir()) == []


def test_a_file_left_by_a_crash_is_in_nobodys_way(folder: Path) -> None:
    ring = Keyring(folder)
    public_key = Keyring(folder.with_name("other")).create(SeededSource(1)).public_key
    folder.mkdir(mode=0o700)
    (folder / f".signing-0001-{public_key}.pem.{os.getpid()}.{threading.get_ident()}.new").write_text("half")
    assert ring.create(SeededSource(1)).public_key == public_key
    assert ring.signer().public_key == public_key


# --- Handles -------------------------------------------------------------------------------------------------------


def test_handles_are_equal_for_equal_names_and_stay_so(folder: Path) -> None:
    handles = Keyring(folder).handles(SeededSource(1))
    again = Keyring(folder).handles(SeededSource(2))
    assert handles("alice", "rose") == again("alice", "rose")
    assert mode(folder / "handles.key") == 0o600
    others = {handles("alice", "rosa"), handles("bob", "rose"), handles("alicer", "ose")}
    assert len(others | {handles("alice", "rose")}) == 4


def test_handles_of_another_secret_are_other_handles(tmp_path: Path) -> None:
    first = Keyring(tmp_path / "a").handles(SeededSource(1))
    second = Keyring(tmp_path / "b").handles(SeededSource(2))
    assert first("alice", "rose") != second("alice", "rose")


def test_a_missing_corrupt_or_open_secret_is_refused(folder: Path) -> None:
    ring = Keyring(folder)
    with pytest.raises(KeyUnusable, match="there is no key file"):
        ring.handles()
    ring.handles(SeededSource(1))
    path = folder / "handles.key"
    path.chmod(0o644)
    with pytest.raises(KeyUnusable, match="chmod 600"):
        ring.handles()
    path.chmod(0o600)
    path.write_bytes(b"short")
    with pytest.raises(KeyUnusable, match="must hold 32 bytes"):
        ring.handles(SeededSource(1))


def test_two_writers_of_one_secret_agree(folder: Path) -> None:
    found: list[str] = []
    barrier = threading.Barrier(4)

    def make(seed: int) -> None:
        barrier.wait()
        found.append(Keyring(folder).handles(SeededSource(seed))("alice", "rose"))

    threads = [threading.Thread(target=make, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1
