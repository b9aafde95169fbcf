"""Reading a whole tenant page by page, in the order of its references.

Guarantees: every row that stays in the store while it is read comes once, whatever else is written meanwhile; a page is
one bounded read inside an index, so neither the engine nor the process holds more than one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marskg.store.rows.order_keys import key_range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from marskg.store.engine.protocol import Row

#: Comes after a reference and before every longer one.
_NEXT = "\x01"


def pages(
    read: Callable[[dict[str, Any]], Sequence[Row]], tenant: str, size: int, **more: object
) -> Iterator[Sequence[Row]]:
    """Yield the rows of a statement that takes ``low``, ``high``, ``limit`` and ``more``, up to ``size`` at once.

    Each row has its ``ref``, by which the statement orders them.
    """
    low, high = key_range(tenant)
    while True:
        rows = read({"low": low, "high": high, "limit": size, **more})
        if rows:
            yield rows
        if len(rows) < size:
            return
        low = f"{rows[-1]['ref']}{_NEXT}"
