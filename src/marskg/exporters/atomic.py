"""Writing a file whole or not at all: the one place of this layer that makes bytes durable.

Guarantees: the target either keeps its old content or has all of the new; a full disk, a read-only folder, an
exception or Ctrl-C leaves no part behind, and no kill does where there are files without a name (Linux, on its usual
file systems). Order of the steps: write such a file in the target's folder, flush and fsync it, give it a name beside
the target, rename it over the target, fsync the folder; without the last step a power cut may undo the rename. The file
is readable by its owner alone, because exports and snapshots hold everything that the store holds.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

from marskg.errors import InvalidMemory, StoreUnwritable

if TYPE_CHECKING:
    from types import TracebackType

_BUFFER = 1 << 18
_SUFFIX = ".part"
#: Opens a file without a name in a folder; None where the system has none.
_NAMELESS: int | None = getattr(os, "O_TMPFILE", None)
#: By which such a file is given a name.
_OPENED = Path("/proc/self/fd")


class AtomicFile:
    """A file being written beside its target; leaving the block cleanly puts it in place."""

    def __init__(self, target: Path) -> None:
        """Open a part file in the folder of ``target``.

        Raises:
            StoreUnwritable: the folder cannot be written, or the target is no regular file.
        """
        # A symbolic link keeps pointing where it points; replacing /dev/stdout or a folder would be a surprise.
        self._target = Path(os.path.realpath(target))
        if self._target.exists() and not self._target.is_file():
            msg = f"{target} is not a regular file; name a file that may be replaced"
            raise StoreUnwritable(msg)
        #: Where it has a name; None until the end where it can do without one.
        self._part: Path | None = None
        try:
            descriptor = self._open()
        except OSError as error:
            raise self._unwritable(error) from error
        self._file = os.fdopen(descriptor, "wb", buffering=_BUFFER)
        self.size = 0

    def _open(self) -> int:
        if _NAMELESS is not None and _OPENED.is_dir():
            with contextlib.suppress(OSError):  # not every file system has them: the other way says what is wrong
                return os.open(self._target.parent, os.O_WRONLY | _NAMELESS, 0o600)
        descriptor, part = tempfile.mkstemp(dir=self._target.parent, prefix=self._prefix, suffix=_SUFFIX)
        self._part = Path(part)
        return descriptor

    @property
    def _prefix(self) -> str:
        return f".{self._target.name}."

    def write(self, data: bytes) -> None:
        """Append ``data``.

        Raises:
            StoreUnwritable: the disk is full or has failed.
        """
        try:
            self._file.write(data)
        except OSError as error:
            raise self._unwritable(error) from error
        self.size += len(data)

    def write_text(self, text: str, owner: str = "the document") -> None:
        """Append ``text`` as UTF-8; ``owner`` is named if it cannot be encoded.

        Raises:
            InvalidMemory: the text holds a lone surrogate, which no RDF syntax can carry.
            StoreUnwritable: the disk is full or has failed.
        """
        try:
            data = text.encode()
        except UnicodeEncodeError as error:
            msg = f"{owner} holds a lone surrogate, which is no Unicode text; replace that text before exporting"
            raise InvalidMemory(msg) from error
        self.write(data)

    def __enter__(self) -> Self:
        """Return the file itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Put the file in place, or remove it after an exception."""
        if kind is not None:
            self._discard()
            return
        try:
            self._commit()
        except OSError as failure:
            self._discard()
            raise self._unwritable(failure) from failure
        except BaseException:  # Ctrl-C between two steps must not leave the part behind
            self._discard()
            raise

    def _commit(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        part = self._part = self._part or self._named()
        self._file.close()
        part.replace(self._target)
        folder = os.open(self._target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _named(self) -> Path:
        """Give the file, which is whole by now, a name that nothing has."""
        # A link never takes the place of what has the name already.
        free = Path(tempfile.mktemp(dir=self._target.parent, prefix=self._prefix, suffix=_SUFFIX))  # noqa: S306
        opened = os.open(_OPENED, os.O_RDONLY)
        try:
            # Only with a folder given the link is to the file, and not to the link that stands for it (open(2)).
            os.link(str(self._file.fileno()), free, src_dir_fd=opened, follow_symlinks=True)
        finally:
            os.close(opened)
        return free

    def _discard(self) -> None:
        # Closing flushes what is buffered, which fails again on a full disk: the first error is the one to show.
        with contextlib.suppress(OSError):
            self._file.close()
        if self._part is not None:
            self._part.unlink(missing_ok=True)

    def _unwritable(self, error: OSError) -> StoreUnwritable:
        reason = error.strerror or str(error)
        return StoreUnwritable(f"cannot write {self._target}: {reason}; free some space or choose another folder")
