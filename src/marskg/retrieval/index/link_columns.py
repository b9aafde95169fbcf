"""What memories cover and depend on, as columns of pairs that are kept up event by event.

Guarantees: the pairs are a function of the memories in the index, equal to those of an index built anew from them; an
event costs a note, and the next reading takes in what was noted by one pass over the columns. Nothing is held before
somebody asks, and what was dropped from the index is dropped here when the index is compacted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from marskg.policies.core.features import SORTS, Links

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from marskg.policies.core.features import Integers
    from marskg.retrieval.index.columns import Columns

_SORT: Final = {name: place for place, name in enumerate(SORTS)}
#: The facet of what a memory depends on; those of the same name as a sort are covered.
_BASE: Final = "base"
_COVERED: Final = frozenset(SORTS) - {"key"}


class FacetRows(Protocol):
    """The rows of an index with what they say of others (:class:`marskg.retrieval.index.memory_index.MemoryIndex`)."""

    columns: Columns
    rows: dict[str, int]
    facets: dict[str, dict[str, dict[int, None]]]

    def all_facets_of(self, place: int) -> Sequence[tuple[str, str]]:
        """Return every ``(facet, word)`` of a row."""
        ...


class LinkColumns:
    """The pairs of one index."""

    def __init__(self, index: FacetRows) -> None:
        """Follow ``index``, which tells of every change by :meth:`changed`."""
        self._index = index
        self._known = False
        self._noted: set[str] = set()
        self.forget()

    def changed(self, ident: str) -> None:
        """Note that a memory was put into the index or removed."""
        if self._known:
            self._noted.add(ident)

    def forget(self) -> None:
        """Drop everything: the rows have other numbers now, and words that nothing uses any more are not kept."""
        self._known = False
        self._noted.clear()
        self._codes: dict[str, int] = {}
        self._sorts: list[int] = []
        self._names: dict[str, int] = {}
        #: Pairs of a row and an element, and of a row and the number of a base's id.
        self._covers: Integers = np.zeros((0, 2), dtype=np.int64)
        self._needs: Integers = np.zeros((0, 2), dtype=np.int64)

    def pairs(self, live: npt.NDArray[np.intp], active: npt.NDArray[np.bool_], dependents: Integers) -> Links:
        """Return the pairs of the rows ``live``, which become the rows of the answer.

        ``active`` says of each row whether it is an active task; ``dependents``, how many memories with content depend
        on it.
        """
        self._settle()
        rows = self._index.columns.rows
        places = np.full(rows, -1, dtype=np.int64)
        places[live] = np.arange(len(live))
        by_name = np.array([self._index.rows.get(name, -1) for name in self._names], dtype=np.int64)
        needs = self._needs
        based = np.stack((needs[:, 0], by_name[needs[:, 1]] if len(needs) else needs[:, 1]), axis=1)
        based = based[(based[:, 1] >= 0) & self._index.columns["alive"][based[:, 0]]]
        guarded = self._guarded(active, based)
        covers = self._covers[places[self._covers[:, 0]] >= 0]
        based = based[(places[based[:, 0]] >= 0) & (places[based[:, 1]] >= 0)]
        return Links(
            rows=places[covers[:, 0]],
            elements=covers[:, 1].copy(),
            sorts=np.array(self._sorts, dtype=np.int64),
            dependents=places[based[:, 0]],
            bases=places[based[:, 1]],
            guarded=guarded[live],
            blockers=dependents[live].astype(np.int64),
        )

    def _guarded(self, active: npt.NDArray[np.bool_], based: Integers) -> npt.NDArray[np.bool_]:
        """Return which rows are protected: by a pin, an active task, or by what needs them and is protected."""
        index = self._index
        found: npt.NDArray[np.bool_] = index.columns["alive"] & (index.columns["pinned"] | active)
        for ident, tasks in index.facets["requires"].items():
            if ident in index.rows and any(active[row] for row in tasks):
                found[index.rows[ident]] = True
        while True:
            needed = based[found[based[:, 0]], 1]
            fresh = needed[~found[needed]]
            if not len(fresh):
                return found
            found[fresh] = True

    def _settle(self) -> None:
        """Take in what was noted since."""
        index = self._index
        if not self._known:
            self._known = True
            noted: Iterable[str] = index.rows
        else:
            noted, self._noted = self._noted, set()
        rows = [index.rows[ident] for ident in noted if ident in index.rows]
        if not rows:
            return
        stale = np.zeros(index.columns.rows, dtype=np.bool_)
        stale[rows] = True
        stale |= ~index.columns["alive"]
        covers: list[tuple[int, int]] = []
        needs: list[tuple[int, int]] = []
        for row in rows:
            self._read(row, covers, needs)
        self._covers = _joined(self._covers, covers, stale)
        self._needs = _joined(self._needs, needs, stale)

    def _read(self, row: int, covers: list[tuple[int, int]], needs: list[tuple[int, int]]) -> None:
        """Add the pairs of one row."""
        found = self._index.all_facets_of(row)
        key, subjects = None, []
        elements: set[int] = set()
        for facet, word in found:
            if facet == _BASE:
                needs.append((row, self._names.setdefault(word, len(self._names))))
            elif facet == "key":
                key = word
            elif facet in _COVERED:
                elements.add(self._code(facet, word))
                if facet == "subject":
                    subjects.append(word)
        if key is not None:
            # A key belongs to its subjects: the same key of another person is another thing.
            elements.add(self._code("key", f"{key} {sorted(subjects)}"))
        covers.extend((row, element) for element in sorted(elements))

    def _code(self, sort: str, word: str) -> int:
        name = f"{sort} {word}"
        code = self._codes.get(name)
        if code is None:
            code = self._codes[name] = len(self._sorts)
            self._sorts.append(_SORT[sort])
        return code


def _joined(held: Integers, fresh: list[tuple[int, int]], stale: npt.NDArray[np.bool_]) -> Integers:
    """Return the pairs that are ``held`` without those of rows that are ``stale``, and the ``fresh`` ones."""
    kept = held[~stale[held[:, 0]]]
    added = np.array(fresh, dtype=np.int64).reshape(-1, 2)
    joined: Integers = np.concatenate((kept, added))
    return joined
