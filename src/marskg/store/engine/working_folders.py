"""Folders for the moment, for what one answer is made from and is deleted with it: plain copies of what is stored.

Guarantees: they are closed to others (0700) and lie where an erasure with cleaning and the next opening look; what a
process that was killed left is deleted by the next opening, what another process is using is left alone.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from marskg.host import lock

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def passing_folder(parent: Path) -> Iterator[Path]:
    """Give an empty folder in ``parent``, which is made if it is missing."""
    for missing in reversed([path for path in (parent, *parent.parents) if not path.exists()]):
        missing.mkdir(exist_ok=True, mode=0o700)
    with _locked(parent):
        folder = Path(tempfile.mkdtemp(prefix="marskg-copy-", dir=parent))
        handle = _held(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if handle is not None:
            os.close(handle)


def sweep(parent: Path) -> None:
    """Delete the folders in ``parent`` that no process is using."""
    if not parent.is_dir():
        return
    with _locked(parent):
        for folder in parent.iterdir():
            handle = _held(folder)
            if handle is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(handle)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep others from making, or sweeping, folders in ``folder``."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        lock(handle)
        yield
    finally:
        os.close(handle)


def _held(folder: Path) -> int | None:
    """Return a handle that keeps ``folder`` from being swept until it is closed; None if somebody has one."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        lock(handle, wait=False)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle
