"""The keyring: keys that outlive crashes, are shared by processes, and are gone when they were destroyed."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.errors import InvalidConfig, KeyUnusable, StoreUnwritable
from marskg.store.crypto import keyring as module
from marskg.store.crypto.envelopes import Envelopes, beginning, keys_of
from marskg.store.crypto.keyring import DataKeyring, Owner

REF = "alice|urn:uuid:01977420-dc7b-72c8-b81f-dc568d631c9d"
values = st.recursive(
    st.text() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(),
    st.lists,
    max_leaves=4,
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> DataKeyring:
    return DataKeyring.make(tmp_path_factory.mktemp("keyring") / "v", "alice")


def ids(keyring: DataKeyring, *subjects: str) -> tuple[bytes, ...]:
    owners = keyring.owners_of(subjects)
    return keyring.ids_for([owners])[owners]


def own(keyring: DataKeyring, name: str) -> module.DataKey:
    key = keyring.find(keyring.subject(name))
    assert key is not None
    return key


@given(value=values, subjects=st.lists(st.sampled_from(["bea", "carl", "dora", "é", "|"]), max_size=4))
def test_what_is_put_in_comes_out(shared: DataKeyring, value: object, subjects: list[str]) -> None:
    envelopes = Envelopes(shared, "alice")
    made = envelopes.make(REF, "content", value, ids(shared, *subjects))
    text = made[0] if isinstance(value, list) else made
    assert envelopes.open(REF, text, "content") == value
    assert len(keys_of(made)) == max(1, len(set(subjects)))
    assert envelopes.make(REF, "content", value, ids(shared, *subjects)) != made, "each has a nonce of its own"


@given(where=st.integers(min_value=0), bit=st.integers(0, 7))
def test_no_bit_may_be_changed(shared: DataKeyring, where: int, bit: int) -> None:
    envelopes = Envelopes(shared, "alice")
    text = envelopes.make(REF, "content", "the locker word", ids(shared, "bea"))
    data = bytearray(text.encode())
    data[where % len(data)] ^= 1 << bit
    try:
        changed = data.decode()
    except UnicodeDecodeError:
        return
    head = len("mars:envelope:")
    if changed[:head] != text[:head]:
        return  # no envelope any more
    with pytest.raises(KeyUnusable):
        envelopes.open(REF, changed, "content")


def test_an_envelope_belongs_to_its_node_and_field(shared: DataKeyring) -> None:
    envelopes = Envelopes(shared, "alice")
    text = envelopes.make(REF, "content", "the locker word", ids(shared, "bea"))
    for ref, field in ((f"{REF}0", "content"), (REF, "key")):
        with pytest.raises(KeyUnusable, match="changed behind"):
            envelopes.open(ref, text, field)
    renamed = text.replace(":content:", ":key:")
    with pytest.raises(KeyUnusable):
        envelopes.open(REF, renamed, "key")


@pytest.mark.parametrize("vector", ["Zm9vYmE=", "", "Zm9v YmE=", "Zm9vYmF=", "AAAA=AAAA=", '"x"', "\0"])
def test_which_model_made_a_vector_shows_and_nothing_else(shared: DataKeyring, vector: str) -> None:
    envelopes, keys = Envelopes(shared, "alice"), ids(shared, "bea")
    text = envelopes.make(REF, "embedding", f"ab12cd:{vector}", keys)
    assert text.startswith(beginning("embedding", "ab12cd:"))
    assert envelopes.open(REF, text, "embedding") == f"ab12cd:{vector}"
    assert len(vector) < 4 or vector not in text
    for other in (
        text.replace(":ab12cd:", ":ab12ce:"),
        text.replace(":ab12cd:", ":"),
        text.replace("embedding", "content"),
    ):
        with pytest.raises(KeyUnusable, match="changed behind"):
            envelopes.open(REF, other)
    assert not envelopes.make(REF, "content", f"ab12cd:{vector}", keys).startswith(beginning("content", "ab12cd"))


def test_a_key_outlives_the_process_and_others_see_it(tmp_path: Path) -> None:
    first = DataKeyring.make(tmp_path / "v", "alice")
    second = DataKeyring(tmp_path / "v", "alice")
    text = Envelopes(first, "alice").make(REF, "content", "told", ids(first, "bea", "carl"))
    assert Envelopes(second, "alice").open(REF, text) == "told"
    assert ids(second, "bea") == ids(first, "bea"), "made once"
    assert Envelopes(DataKeyring(tmp_path / "v", "alice"), "alice").open(REF, text) == "told"


@pytest.mark.parametrize("gone", ["bea", "carl"])
def test_what_is_shared_goes_with_either(tmp_path: Path, gone: str) -> None:
    keyring = DataKeyring.make(tmp_path / "v", "alice")
    other = DataKeyring(tmp_path / "v", "alice")
    envelopes = Envelopes(keyring, "alice")
    both = envelopes.make(REF, "content", "both", ids(keyring, "bea", "carl"))
    alone = {name: envelopes.make(REF, "content", name, ids(keyring, name)) for name in ("bea", "carl")}
    Envelopes(other, "alice").open(REF, both)  # it has the keys at hand
    left = ({"bea", "carl"} - {gone}).pop()
    data = (tmp_path / "v" / "data.keys").read_bytes()
    key = own(keyring, gone)
    keyring.destroy([key])
    for one in (keyring, DataKeyring(tmp_path / "v", "alice")):
        for text in (both, alone[gone]):
            with pytest.raises(KeyUnusable, match="destroyed by an erasure"):
                Envelopes(one, "alice").open(REF, text)
        assert Envelopes(one, "alice").open(REF, alone[left]) == left
    after = (tmp_path / "v" / "data.keys").read_bytes()
    assert key.wrapped in data
    assert key.wrapped not in after, "overwritten where it lay"
    assert len(after) == len(data)
    assert ids(other, gone) != (key.id,), "another process makes a new one, and does not go on with what it has at hand"
    keyring.destroy([key])  # once more changes nothing
    assert own(keyring, gone).id != key.id


def test_a_key_works_until_it_is_destroyed(tmp_path: Path) -> None:
    keyring = DataKeyring.make(tmp_path / "v", "alice")
    text = Envelopes(keyring, "alice").make(REF, "content", "told", ids(keyring, "bea"))
    keyring.schedule_destruction([own(keyring, "bea")])
    again = DataKeyring(tmp_path / "v", "alice")
    assert [key.owner for key in again.scheduled()] == [again.subject("bea")]
    assert Envelopes(again, "alice").open(REF, text) == "told"
    again.cancel_destruction(again.scheduled())
    assert keyring.scheduled() == ()


@pytest.mark.parametrize("cut", [1, 40, 95])
def test_what_a_crash_left_half_written_is_no_key(tmp_path: Path, cut: int) -> None:
    keyring = DataKeyring.make(tmp_path / "v", "alice")
    ids(keyring, "bea")
    path = tmp_path / "v" / "data.keys"
    whole = path.read_bytes()
    path.write_bytes(whole + whole[-96:][:cut])
    again = DataKeyring(tmp_path / "v", "alice")
    assert ids(again, "bea") == ids(keyring, "bea")
    ids(again, "carl")
    assert ids(DataKeyring(tmp_path / "v", "alice"), "carl") == ids(again, "carl")
    path.write_bytes(whole + b"L" + bytes(range(95)))
    assert ids(DataKeyring(tmp_path / "v", "alice"), "bea") == ids(keyring, "bea")


@pytest.mark.parametrize("cut", [1, 3, 6])
def test_a_key_that_lost_what_fills_its_place_is_whole_and_keeps_it(tmp_path: Path, cut: int) -> None:
    keyring = DataKeyring.make(tmp_path / "v", "alice")
    before = ids(keyring, "bea")
    path = tmp_path / "v" / "data.keys"
    path.write_bytes(path.read_bytes()[:-cut])
    again = DataKeyring(tmp_path / "v", "alice")
    assert ids(again, "bea") == before
    other = ids(again, "carl")
    last = DataKeyring(tmp_path / "v", "alice")
    assert (ids(last, "bea"), ids(last, "carl")) == (before, other)


def test_a_disk_that_is_full_says_so_and_makes_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = DataKeyring.make(tmp_path / "v", "alice")
    before = ids(keyring, "bea")
    room, write = [100], os.pwrite

    def full(file: int, data: bytes, place: int) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        done = write(file, data[: room[0]], place)
        room[0] -= done
        return done

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(StoreUnwritable, match="free space"):
        ids(keyring, "carl", "dora")
    monkeypatch.undo()
    assert ids(keyring, "bea") == before
    later = ids(keyring, "carl", "dora")
    again = DataKeyring(tmp_path / "v", "alice")
    assert (ids(again, "bea"), ids(again, "carl", "dora")) == (before, later)


def test_a_pipe_in_the_place_of_the_keys_is_not_waited_for(tmp_path: Path) -> None:
    keyring = DataKeyring.make(tmp_path / "v", "alice")
    (tmp_path / "v" / "data.keys").unlink()
    os.mkfifo(tmp_path / "v" / "data.keys")
    for use in (lambda: DataKeyring(tmp_path / "v", "alice"), lambda: ids(keyring, "bea")):
        with pytest.raises(KeyUnusable, match="is not a regular file"):
            use()


def test_the_folder_of_keys_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MARS_VAULTS", "MARS_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    home = tmp_path / ".local" / "share" / "marskg" / "vaults"
    assert module.keyrings_folder() == home
    for unset in ("", "data"):
        monkeypatch.setenv("XDG_DATA_HOME", unset)
        assert module.keyrings_folder() == home, "what is relative would be another folder in each place"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert module.keyrings_folder() == tmp_path / "data" / "marskg" / "vaults"

    def nobody() -> Path:
        msg = "Could not determine home directory."
        raise RuntimeError(msg)

    monkeypatch.setattr(Path, "home", nobody)
    assert module.keyrings_folder() == tmp_path / "data" / "marskg" / "vaults"
    monkeypatch.delenv("XDG_DATA_HOME")
    with pytest.raises(InvalidConfig, match="MARS_HOME"):
        module.keyrings_folder()


def test_a_passphrase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_COST", 16)
    keyring = DataKeyring.make(tmp_path / "v", "alice", b"correct horse")
    text = Envelopes(keyring, "alice").make(REF, "content", "told", ids(keyring, "bea"))
    assert Envelopes(DataKeyring(tmp_path / "v", "alice", b"correct horse"), "alice").open(REF, text) == "told"
    with pytest.raises(KeyUnusable, match="MARS_PASSPHRASE"):
        DataKeyring(tmp_path / "v", "alice")
    with pytest.raises(KeyUnusable, match="passphrase is another one"):
        DataKeyring(tmp_path / "v", "alice", b"battery staple")


def test_bad_files_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "v"
    with pytest.raises(KeyUnusable, match="no key file"):
        DataKeyring(folder, "alice")
    ids(DataKeyring.make(folder, "alice"), "bea")
    data, key = (folder / "data.keys").read_bytes(), (folder / "tenant.key").read_bytes()
    os.chmod(folder / "tenant.key", 0o644)  # noqa: PTH101 - what a user does
    with pytest.raises(KeyUnusable, match="chmod 600"):
        DataKeyring(folder, "alice")
    os.chmod(folder / "tenant.key", 0o600)  # noqa: PTH101
    for bad in (b"", key[:-1], b"x" * len(key)):
        (folder / "tenant.key").write_bytes(bad)
        with pytest.raises(KeyUnusable, match="no tenant key"):
            DataKeyring(folder, "alice")
    (folder / "tenant.key").write_bytes(key[:-1] + bytes([key[-1] ^ 1]))
    other = DataKeyring(folder, "alice")
    with pytest.raises(KeyUnusable, match="does not open under"):
        other.cipher(tuple(other._by_id))
    (folder / "tenant.key").write_bytes(key)
    elsewhere = DataKeyring(folder, "bob")
    with pytest.raises(KeyUnusable, match="does not open under"):
        elsewhere.cipher(tuple(elsewhere._by_id))
    (folder / "data.keys").write_bytes(data[:10])
    with pytest.raises(KeyUnusable, match="corrupt"):
        DataKeyring(folder, "alice")
    (folder / "data.keys").unlink()
    with pytest.raises(KeyUnusable, match="restore the folder"):
        DataKeyring(folder, "alice")


def test_no_name_is_in_the_files(tmp_path: Path) -> None:
    keyring = DataKeyring.make(tmp_path / "v", "alice")
    ids(keyring, "beatrice", "carlson")
    keyring.ids_for([(keyring.entity("urn:uuid:01977420-dc7b-72c8-b81f-dc568d631c9d"),)])
    for path in (tmp_path / "v").iterdir():
        assert b"beatrice" not in path.read_bytes()
    assert keyring.subject("beatrice") != DataKeyring.make(tmp_path / "w", "alice").subject("beatrice"), (
        "nor to be guessed"
    )
    assert isinstance(keyring.owners_of(())[0], Owner)
