"""The process that opened a store, which a child that is forked from it cannot use.

A forked child has one thread of all that its parent had: the runtime of the embedded engine waits for its own for ever,
and so does whoever waits for a lock that another thread held. The connections to a server are the parent's as well.
"""

from __future__ import annotations

import os
from pathlib import Path

from marskg.errors import EngineUnavailable, ForkedProcess


class Opener:
    """The process that opened something."""

    def __init__(self) -> None:
        """Take this process for it."""
        self._pid = os.getpid()

    def check(self) -> None:
        """Refuse to go on in a process that was forked since.

        Raises:
            ForkedProcess: this is another process than the one that opened it.
        """
        if os.getpid() != self._pid:
            msg = (
                f"the memory was opened by process {self._pid}, from which this one was forked; open a memory here, "
                "after the fork, or start processes with the method spawn. Two of them share a Neo4j server, no folder"
            )
            raise ForkedProcess(msg)


def check_folder() -> None:
    """Refuse to start an engine where it would end the process.

    Raises:
        EngineUnavailable: the folder in which the process works was deleted.
    """
    try:
        Path.cwd()
    except OSError as error:
        msg = "the folder in which this process works was deleted; go to another one, and open the store there"
        raise EngineUnavailable(msg) from error
