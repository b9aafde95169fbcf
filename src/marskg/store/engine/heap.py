"""How much memory the embedded engine may take for its objects, whichever build of it is loaded."""

from __future__ import annotations

import os
import re
from typing import Final

from marskg.errors import EngineUnavailable, InvalidConfig

#: Names another size, such as ``2g``.
HEAP_VARIABLE: Final = "MARS_ENGINE_HEAP"
#: What all stores of a process may take together, in megabytes: a quarter of the memory within these bounds. The engine
#: takes what it needs, and a large trigger needs more than a write.
_LEAST, _MOST = 768, 4096
#: Megabytes below which the engine does not open a store.
_SMALLEST = 32


def heap_mb(beside: int, share: int) -> int:
    """Return how many megabytes the engine may take.

    A build reserves ``share`` times that in addresses, and ``beside`` megabytes of them for other things.

    Raises:
        InvalidConfig: ``MARS_ENGINE_HEAP`` is no size, or one that cannot be had.
        EngineUnavailable: the limit of the process leaves no room for the engine.
    """
    room = _room(beside, share)
    named = os.environ.get(HEAP_VARIABLE)
    if named is None:
        return min(max(_memory() // 4, _LEAST), _MOST, room)
    if re.fullmatch(r"[1-9][0-9]{0,6}[mMgG]", named) is None:
        msg = f"{HEAP_VARIABLE} is {named[:40]!r}; write a size such as 768m or 2g, or unset it"
        raise InvalidConfig(msg)
    wanted = int(named[:-1]) * (1 if named[-1] in "mM" else 1024)
    if not _SMALLEST <= wanted <= room:
        msg = f"{HEAP_VARIABLE} is {named}; write a size from {_SMALLEST}m to the {room}m that can be had here"
        raise InvalidConfig(msg)
    return wanted


def addresses_mb() -> int | None:
    """Return the megabytes of addresses that this process may have; None where there is no limit, or no way to ask."""
    try:
        import resource  # noqa: PLC0415 - not on Windows, where no such limit is
    except ImportError:
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else int(limit // 2**20)


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    except (AttributeError, ValueError):  # not on Windows
        return 4 * _LEAST


def _room(beside: int, share: int) -> int:
    """Return the megabytes that there can be: those of the machine, or what the limit of the process leaves.

    Raises:
        EngineUnavailable: the limit leaves too few.
    """
    limit = addresses_mb()
    if limit is None:
        return _memory()
    if (limit - beside) // share < _SMALLEST:
        msg = (
            f"the embedded engine needs {beside:,} MB of addresses beside its memory, and this process may have "
            f"{limit:,} MB: raise the limit (ulimit -v), or use a Neo4j server"
        )
        raise EngineUnavailable(msg)
    return min(_memory(), (limit - beside) // share)
