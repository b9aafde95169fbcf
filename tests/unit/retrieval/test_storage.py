"""The index file: whole or refused, private, and free of what was removed."""

from __future__ import annotations

import hashlib
import io
import stat
import zipfile
from typing import TYPE_CHECKING

import numpy as np
import pytest

from marskg.retrieval.index import storage
from marskg.retrieval.index.storage import Corrupt, Reached, load, save
from tests.support.indexed import indexed, put, seen, stored

if TYPE_CHECKING:
    from pathlib import Path

REACHED = Reached("alice", None, "urn:log", 3, 4)


def _saved(folder: Path) -> Path:
    index = indexed(stored(1, "Ann likes tea", session="s1"), stored(2, "a secret garden", session="s2"))
    index.remove("m2")
    index.compact()
    path = folder / "deep" / "alice.index"
    save(path, index, REACHED)
    return path


def test_what_was_saved_comes_back(tmp_path: Path) -> None:
    index, reached = load(_saved(tmp_path))
    assert reached == REACHED
    assert (seen(index, sessions=("s1",)), seen(index)) == ({"m1"}, {"m1"})
    put(index, stored(3))
    assert seen(index) == {"m1", "m3"}


def test_the_file_is_the_owners_alone_and_replaces_the_old_one(tmp_path: Path) -> None:
    path = _saved(tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    _saved(tmp_path)
    assert [one.name for one in path.parent.iterdir()] == ["alice.index"]


def test_the_file_has_no_text_and_nothing_of_what_was_removed(tmp_path: Path) -> None:
    data = _saved(tmp_path).read_bytes()
    assert b"Ann likes tea" not in data
    assert b"secret" not in data
    assert b"s2" not in data
    # The session of what is left is there, so that the searches above can fail.
    assert b"s1" in data


@pytest.mark.parametrize("cut", [0, 5, 40, -1])
def test_a_file_that_was_cut_short_is_refused(tmp_path: Path, cut: int) -> None:
    path = _saved(tmp_path)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(Corrupt, match="digest"):
        load(path)


def test_a_changed_byte_is_noticed(tmp_path: Path) -> None:
    path = _saved(tmp_path)
    data = bytearray(path.read_bytes())
    data[-100] ^= 1
    path.write_bytes(data)
    with pytest.raises(Corrupt, match="digest"):
        load(path)


def test_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(storage, "VERSION", 1)
        path = _saved(tmp_path)
    with pytest.raises(Corrupt, match="another version"):
        load(path)


def _archive(name: str, data: bytes) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        archive.writestr(name, data)
    return body.getvalue()


def _array(value: object) -> bytes:
    body = io.BytesIO()
    np.save(body, value)  # type: ignore[arg-type]  # an array of no use to an index
    return body.getvalue()


@pytest.mark.parametrize(
    "body",
    [
        b"no archive at all",
        b"",
        b"PK\x03\x04junk",
        b"\x93NUMPY",
        _array([1, 2]),
        _archive("meta.npy", b"junk"),
        _archive("meta.npy", b""),
        _archive("meta.npy", _array(np.frombuffer(b"[]", dtype=np.uint8))),
        _archive("other", b"junk"),
        _archive("meta.npy", _array([1]))[:-30],
    ],
)
def test_a_whole_file_of_something_else_is_refused(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "some.index"
    path.write_bytes(b"marskg-index\n" + hashlib.sha256(body).digest() + body)
    with pytest.raises(Corrupt, match="another version"):
        load(path)


def test_a_missing_file_is_no_damage(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.index")
