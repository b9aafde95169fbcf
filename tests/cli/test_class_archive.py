"""The archive of the engine's classes: made by ``mars init``, mapped by what comes after, and never a way in."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

MARS = (sys.executable, "-c", "from marskg.cli.main import main; main()")
FAST = "-XX:TieredStopAtLevel=1"
#: Others may write to neither the file, nor the folder that it is in, nor one above.
OPEN = {"file": 0, "folder": 1, "above": 2}


class User:
    """Somebody with a home, a store and a folder of caches."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"

    def mars(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a command as the user does; it must be done."""
        own = {"XDG_CACHE_HOME": str(self.cache), "MARS_HOME": str(self.folder), "ARCADEDB_JVM_ARGS": FAST}
        command = [*MARS, "--store", str(self.folder / "store"), "--tenant", "zwiebelkuchen", *arguments]
        done = subprocess.run(command, env=os.environ | own | variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done

    def mapped(self, jvm: str = FAST) -> float:
        """Return the share of classes that a command has from an archive; it says nothing but its answer."""
        listed = self.folder / "classes.log"
        said = self.mars("stats", ARCADEDB_JVM_ARGS=f"{jvm} -Xlog:class+load:file={listed}")
        assert said.stderr == ""
        assert said.stdout.startswith("tenant 'zwiebelkuchen'")
        lines = [line for line in listed.read_text(encoding="utf-8").splitlines() if "source: " in line]
        return sum("shared objects file" in line for line in lines) / len(lines)

    @property
    def archive(self) -> Path:
        (found,) = (self.cache / "marskg" / "classes").iterdir()
        return found


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> User:
    """Return a user who has made a store, and with it the archive."""
    made = User(tmp_path_factory.mktemp("user"))
    assert "later commands start faster" in made.mars("init").stderr
    return made


@pytest.fixture
def kept(user: User) -> Iterator[bytes]:
    """Return the archive's bytes, and put it back as it was afterwards."""
    path, whole = user.archive, user.archive.read_bytes()
    yield whole
    path.unlink()
    path.write_bytes(whole)
    path.chmod(0o600)


def test_what_comes_after_init_has_nearly_all_classes_from_the_archive(user: User) -> None:
    assert user.mapped() > 0.95, "run: python scripts/engine_classes.py > src/marskg/store/engine/classes.txt"


def test_it_is_the_users_alone_and_holds_nothing_of_the_store(user: User) -> None:
    assert stat.S_IMODE(user.archive.stat().st_mode) == 0o600
    assert stat.S_IMODE(user.archive.parent.stat().st_mode) == 0o700
    held = user.archive.read_bytes()
    assert b"zwiebelkuchen" not in held
    assert str(user.folder).encode() not in held


def test_a_second_init_makes_no_other(user: User) -> None:
    before = user.archive.stat()
    assert user.mars("init").stderr == ""
    assert user.archive.stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda whole: whole[:0], id="empty"),
        pytest.param(lambda whole: whole[: len(whole) // 2], id="cut-off"),
        pytest.param(lambda whole: whole[:100] + b"\xff\xff" + whole[102:], id="header"),
        pytest.param(lambda whole: whole.replace(b"HotSpot", b"hOTsPOT"), id="another-jvm"),
        pytest.param(lambda whole: whole[:9_000_000] + b"\xff" * 4096 + whole[9_004_096:], id="inside"),
    ],
)
def test_a_damaged_one_is_left_out(user: User, kept: bytes, damage: Callable[[bytes], bytes]) -> None:
    broken = damage(kept)
    assert broken != kept
    user.archive.write_bytes(broken)
    assert user.mapped() == 0


@pytest.mark.parametrize("where", OPEN)
def test_one_that_others_can_write_is_left_out(user: User, where: str) -> None:
    place = (user.archive, *user.archive.parents)[OPEN[where]]
    before = stat.S_IMODE(place.stat().st_mode)
    place.chmod(before | 0o022)
    try:
        assert user.mapped() == 0
    finally:
        place.chmod(before)


def test_a_link_to_one_is_left_out(user: User, kept: bytes) -> None:
    elsewhere = user.folder / "elsewhere.jsa"
    elsewhere.write_bytes(kept)
    place = user.archive
    place.unlink()
    place.symlink_to(elsewhere)
    assert user.mapped() == 0


def test_a_jvm_with_other_arguments_or_its_own_choice_has_none(user: User) -> None:
    assert user.mapped(f"{FAST} -Dother=1") == 0
    assert user.mapped(f"{FAST} -Xshare:off") == 0


def test_without_a_folder_for_it_init_does_without(user: User) -> None:
    assert user.mars("init", XDG_CACHE_HOME=os.devnull).stderr == ""


def test_few_are_kept(user: User, kept: bytes) -> None:
    folder, place = user.archive.parent, user.archive
    for age in range(4):
        other = folder / f"{age}.jsa"
        other.touch(0o600)
        os.utime(other, (age, age))
    (folder / "making-cut-off").mkdir()
    place.unlink()
    assert "later commands start faster" in user.mars("init").stderr
    try:
        assert {path.name for path in folder.iterdir()} == {place.name, "2.jsa", "3.jsa"}
    finally:
        for path in (folder / "2.jsa", folder / "3.jsa"):
            path.unlink()
    assert len(kept) > 1_000_000
