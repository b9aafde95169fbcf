"""What of a tenant's graph and names a reader may see, given the memories that they may see.

Guarantees: every answer follows from the visible memories alone, so that what only a hidden memory says does not exist:
an entity that it alone mentions, a relation that was read from it, a name that it gave (semantics section 9).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from marskg.retrieval.graph.entity_names import called
from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    import numpy.typing as npt

    from marskg.retrieval.index.memory_index import MemoryIndex


class Sight:
    """What the reader of some rows of an index may see; knows the nodes that it was asked about once."""

    def __init__(self, index: MemoryIndex, mask: npt.NDArray[np.bool_], *, bound: bool = False) -> None:
        """See the rows of ``mask``, and what they show.

        Who is ``bound`` sees no relation that was read from a text: which text that was is not kept, and a hidden one
        may say what two visible ones only touch.
        """
        self._bound = bound
        self._index = index
        self._mask = mask
        self._known: dict[str, bool] = {}

    def sees(self, node: str) -> bool:
        """Return whether a node of the graph may be seen: a row of the mask, or an entity that one of them mentions."""
        found = self._known.get(node)
        if found is None:
            row = self._index.rows.get(node)
            rows = self._mentioning(node) if row is None else (row,)
            found = self._known[node] = any(self._mask[item] for item in rows)
        return found

    def sees_both(self, entity: str, other: str) -> bool:
        """Return whether one visible memory mentions both of two entities."""
        if self._bound:
            return False
        fewer, more = sorted((self._mentioning(entity), self._mentioning(other)), key=len)
        return any(row in more and self._mask[row] for row in fewer)

    def found_by(self, *, restricted: bool) -> Callable[[str, str], bool]:
        """Return whether an entity is found by a name: by any, if it is seen, unless the reader is ``restricted``."""
        return self._reads if restricted else lambda entity, _: self.sees(entity)

    def _reads(self, entity: str, name: str) -> bool:
        """Return whether a visible memory calls ``entity`` so, and one has all terms of ``name`` or is about them.

        The index holds no places of terms: they count in whatever order they stand. A name without terms, all stop
        words, is read nowhere.
        """
        wanted = set(terms(name))
        rows = np.array(sorted(row for row in self._mentioning(entity) if self._mask[row]), dtype=np.int32)
        if not wanted or not len(rows) or not self._gives(rows.tolist(), entity, name):
            return False
        if any(wanted <= set(terms(subject)) for row in rows.tolist() for subject in self._subjects(row)):
            return True
        for term in sorted(wanted):
            rows = rows[self._index.lexical.have(term, rows)]
        return bool(len(rows))

    def _gives(self, rows: list[int], entity: str, name: str) -> bool:
        """Return whether somebody by hand, or a memory in ``rows``, gives ``entity`` the ``name``, in folded words."""
        names = self._index.entities
        if names.is_by_hand(entity, name):
            return True
        # What an entity is taken apart into is called by its id (``Aspect``).
        ident = entity.partition("#")[0]
        own, prefix = names.is_called(entity, name), f"{ident} name "
        for row in rows:
            entries = [one for one in self._index.facets_of(row, "named") if one.startswith(f"{ident} ")]
            if own if not entries else any(called(one.removeprefix(prefix), name) for one in entries):
                return True
        return False

    def _mentioning(self, entity: str) -> Collection[int]:
        return self._index.facets["entity"].get(entity, ())

    def _subjects(self, row: int) -> list[str]:
        return self._index.facets_of(row, "subject")
