"""What is said again and again leaves room for what else there is.

Guarantees: of texts without a key or a subject that are equally near to a question, a few are looked at, the newest,
however many there are, as all of them would be shown as one; what is looked at does not depend on how much is asked
for. Source: ``retrieval/assembly/duplicates.py`` (of equal texts the newest is shown).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from marskg.retrieval.index.columns import Columns

#: How many of them are looked at, and of how many best ones they are at least half where they crowd out others.
_FEW: Final = 8
_BEST: Final = 100


def uncrowded(total: npt.NDArray[np.float64], columns: Columns) -> npt.NDArray[np.float64]:
    """Return ``total``, what is known of each row, with -inf for all but the newest few of those that say the same.

    Args:
        total: ``[rows]``, -inf for what is not sought.
        columns: those of the index.
    """
    if len(total) <= _BEST:
        return total
    best = np.partition(total, -_BEST)[-_BEST:]
    if len(np.unique(best)) > _BEST // 2:
        return total
    # What has a key or a subject says something of its own.
    open_rows = np.flatnonzero(np.isfinite(total) & (columns["key"] < 0) & ~columns["about"])
    # Of equal totals and lengths, the newest first.
    newest = open_rows[np.lexsort((-columns["sequence"][open_rows], columns["size"][open_rows], total[open_rows]))]
    new = (np.diff(total[newest], prepend=np.nan) != 0) | (np.diff(columns["size"][newest], prepend=-1) != 0)
    starts = np.flatnonzero(new)
    place = np.arange(len(newest)) - np.repeat(starts, np.diff(starts, append=len(newest)))
    found = total.copy()
    found[newest[place >= _FEW]] = -np.inf
    return found
