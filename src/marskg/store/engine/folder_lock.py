"""The lock on a store's folder: at most one process has it open.

Guarantees: it says who holds it, and goes away with the process; a second one is told at once.
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Final

from marskg.errors import StoreLocked, StoreUnwritable
from marskg.host import lock

if TYPE_CHECKING:
    from pathlib import Path

_LOCK_NAME: Final = "mars.lock"


class FolderLock:
    """An advisory lock on the store's folder that ends with the process and says who holds it."""

    def __init__(self, folder: Path) -> None:
        """Take the lock.

        Raises:
            StoreLocked: another process holds it; its pid is in the message and the exception.
            StoreUnwritable: the folder cannot be written.
        """
        path = folder / _LOCK_NAME
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            msg = f"the store folder {folder} cannot be written ({error.strerror}); choose another or change its rights"
            raise StoreUnwritable(msg) from error
        try:
            lock(self._fd, wait=False)
        except OSError as error:
            text = os.pread(self._fd, 32, 0).decode("ascii", "replace").strip()
            os.close(self._fd)
            if error.errno not in {errno.EAGAIN, errno.EACCES}:
                raise
            pid = int(text) if text.isdigit() else None
            msg = (
                f"the store {folder} is open in another process (pid {text or 'unknown'}); "
                "close it there, or serve both from one Bolt server"
            )
            raise StoreLocked(msg, pid) from None
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, str(os.getpid()).encode(), 0)

    def release(self) -> None:
        """Give the lock back; a second call does nothing."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
