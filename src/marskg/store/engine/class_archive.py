"""The classes of the embedded engine in one file that the JVM maps: a cache, which makes each start faster.

Guarantees: the JVM is given only a file that nobody but this user and root can have written, as it runs what is in it;
one that is missing, damaged, or of other classes changes nothing but the time, and says nothing. It holds classes and
no memory: the JVM that writes it opens no store.

It lies in ``marskg/classes`` in ``$XDG_CACHE_HOME``, else in ``~/.cache``, under a name that tells what it was made of.
Whoever sets ``-Xshare``, an archive or a cache of their own in ``ARCADEDB_JVM_ARGS`` has that instead. Source: ADR 83.
"""

from __future__ import annotations

import glob
import hashlib
import os
import platform
import re
import shlex
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

#: What the engine loads; ``scripts/engine_classes.py`` writes it.
_CLASSES: Final = Path(__file__).with_name("classes.txt")
_OWN_CHOICE: Final = re.compile(r"-Xshare|SharedArchiveFile|AOT")
#: Arguments of a JVM that do not decide which archive it can map.
_WHATEVER: Final = ("-Xmx", "-Xlog", "-XX:ErrorFile")
#: Those that belong to one run, and not to the one that writes the archive.
_OF_A_RUN: Final = (*_WHATEVER, "-Xshare", "-XX:SharedArchiveFile", "-XX:+VerifySharedSpaces", "-Djava.class.path")
#: What would have a JVM load other classes, or speak.
_VARIABLES: Final = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
#: How many archives are kept, each of 45 MB: one for each environment that is in use.
_KEPT: Final = 3
_HANGS_S: Final = 120
#: Bytes that an archive has at least; it has forty million.
_LEAST: Final = 1 << 20
_MAKING: Final = "making-"


def options(arguments: Sequence[str], jvm: Any, jpype: Any) -> list[str]:
    """Return what has a JVM with these arguments map its archive; nothing where there is none that can be trusted.

    ``jvm`` is what starts it, a module of the engine's bindings, and ``jpype`` the bridge to it.
    """
    place = _place(arguments, jvm, jpype)
    if place is None or not _is_own(place):
        return []
    # Without the check of its sums a damaged file ends the process. What is wrong with it is nobody's business.
    return [f"-XX:SharedArchiveFile={place}", "-Xshare:auto", "-XX:+VerifySharedSpaces", "-Xlog:cds*=off,aot*=off"]


def make(arguments: Sequence[str], jvm: Any, jpype: Any) -> Path | None:
    """Write the archive for the JVM that runs, which was started with these arguments; it takes some seconds.

    Returns where it lies; None where it was there, is not wanted, or cannot be written.
    """
    place = _place(arguments, jvm, jpype)
    if place is None or _is_own(place):
        return None
    system = jpype.JClass("java.lang.System")
    given = jpype.JClass("java.lang.management.ManagementFactory").getRuntimeMXBean().getInputArguments()
    kept = [text for text in map(str, given) if not text.startswith(_OF_A_RUN)]
    command = [f"{system.getProperty('java.home')}/bin/java", *kept, "-cp", str(system.getProperty("java.class.path"))]
    try:
        # Before anything is made: root, with the home of somebody else, is to leave nothing there.
        if not _is_out_of_reach(next(one for one in place.parents if one.exists())):
            return None
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_private(place.parent):
            return None
        _drop_old(place.parent)
        with tempfile.TemporaryDirectory(prefix=_MAKING, dir=place.parent) as folder:
            made = Path(folder) / "classes"
            _dump(command, made)
            made.chmod(0o600)
            made.replace(place)
    except (OSError, subprocess.SubprocessError):
        return None
    return place


def _dump(command: Sequence[str], made: Path) -> None:
    """Have a JVM of its own load the classes and write them to the file ``made``."""
    wanted = ("-Xmx512m", "-XX:ErrorFile=/dev/null", "-Xlog:disable", "-Xshare:dump")
    files = (f"-XX:SharedClassListFile={_CLASSES}", f"-XX:SharedArchiveFile={made}")
    subprocess.run(  # noqa: S603 - the JVM in the wheel, with the arguments that this process has started it with
        [command[0], *wanted, *files, *command[1:]],
        cwd=made.parent,
        env={name: text for name, text in os.environ.items() if name not in _VARIABLES},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=_HANGS_S,
        check=True,
    )


def _place(arguments: Sequence[str], jvm: Any, jpype: Any) -> Path | None:
    """Return where the archive of a JVM with these arguments lies; None where none is wanted or can be."""
    own = os.environ.get("ARCADEDB_JVM_ARGS", "")
    cache = os.environ.get("XDG_CACHE_HOME", "")
    try:
        # What is relative is to be ignored (XDG Base Directory Specification). The JVM is told of no link.
        root = Path(cache) if os.path.isabs(cache) else Path.home() / ".cache"  # noqa: PTH117
        folder = (root / "marskg" / "classes").resolve()
        if _OWN_CHOICE.search(own) or os.pathsep in str(folder):
            return None
        return folder / f"{_digest([*shlex.split(own), *arguments], jvm, jpype)}.jsa"
    except (OSError, RuntimeError, ValueError):  # no home, a circle of links, a quotation without its end
        return None


def _digest(arguments: Sequence[str], jvm: Any, jpype: Any) -> str:
    """Return what tells a JVM from those with other classes or arguments."""
    # In the order of the class path, which is the folder's own.
    jars = glob.glob(os.path.join(jvm.get_jar_path(), "*.jar"))  # noqa: PTH118, PTH207 - as the bindings do
    bridge = Path(jpype.__file__).parents[1] / "org.jpype.jar"
    files = [jvm.get_bundled_jre_lib_path(), jvm.__file__, str(bridge), str(_CLASSES), *jars]
    found = [(path, os.stat(path)) for path in files]  # noqa: PTH116 - no objects for seventy names
    lines = [platform.machine(), *(text for text in arguments if not text.startswith(_WHATEVER))]
    lines += [f"{path} {one.st_size} {one.st_mtime_ns}" for path, one in found]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _is_own(place: Path) -> bool:
    """Return whether the file is there, and nobody but this user and root can have written or replaced it."""
    try:
        found = place.lstat()
        # One that was cut off is no archive, and is written anew.
        whole = stat.S_ISREG(found.st_mode) and found.st_size >= _LEAST
        own = whole and found.st_uid == os.geteuid() and not found.st_mode & 0o022
        return own and _is_private(place.parent)
    except OSError:
        return False


def _is_private(folder: Path) -> bool:
    """Return whether nobody but this user and root can put a file into the folder, or another one in its place."""
    return not folder.lstat().st_mode & 0o022 and _is_out_of_reach(folder)


def _is_out_of_reach(folder: Path) -> bool:
    """Return whether nobody but this user and root can put another folder in the place of this one."""
    for place in (folder, *folder.parents):
        found = place.lstat()
        # In a sticky folder, such as that for temporary files, others cannot move what is ours.
        open_to_others = found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX
        if open_to_others or found.st_uid not in {os.geteuid(), 0} or not stat.S_ISDIR(found.st_mode):
            return False
    return True


def _drop_old(folder: Path) -> None:
    """Leave room for one archive more, and remove what an end in the midst of one has left."""
    found = sorted(folder.glob("*.jsa"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in found[_KEPT - 1 :]:
        path.unlink(missing_ok=True)
    for path in folder.glob(f"{_MAKING}*"):
        shutil.rmtree(path, ignore_errors=True)
