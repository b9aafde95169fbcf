"""What only some operating systems have: locks of files, and what is done when a process forks.

Guarantees: where one is missing, importing the package works, and opening a memory says what to do.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from marskg.errors import EngineUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

try:
    import fcntl
except ImportError:  # Windows
    _LOCKS = False
else:
    _LOCKS = True


def check_host() -> None:
    """Refuse to work where files cannot be locked.

    Raises:
        EngineUnavailable: this is such an operating system.
    """
    if not _LOCKS:
        msg = (
            "marskg locks files as Unix does, and this operating system does not: on Windows, run it in WSL 2, which "
            "is Linux, or ask a marskg server on another machine"
        )
        raise EngineUnavailable(msg)


def lock(handle: int, *, wait: bool = True) -> None:
    """Lock an open file or folder, alone among all processes, until ``handle`` is closed.

    Raises:
        BlockingIOError: another process has it, and this one is not to ``wait``.
        EngineUnavailable: see :func:`check_host`.
    """
    check_host()
    fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def at_fork(
    *,
    before: Callable[[], object] | None = None,
    in_parent: Callable[[], object] | None = None,
    in_child: Callable[[], object] | None = None,
) -> None:
    """Have something done whenever this process forks, where processes do."""
    named = {"before": before, "after_in_parent": in_parent, "after_in_child": in_child}
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(**{name: done for name, done in named.items() if done is not None})
