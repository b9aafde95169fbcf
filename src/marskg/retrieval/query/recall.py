"""Recall: what surrounds an entity or a goal in the semantic and social graph, nearest to the goal first.

Guarantees: the ball holds only what the gate lets through, and grows along visible nodes only; what is said of people
is left out unless an active task involves them or they are the anchor itself (MaRS section 4.3, purpose restriction);
the order is by nearness to the anchor and similarity to the goal, as integers of 1e-6.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.ontology.vocabulary import ACTIVE_STATUSES, KINDS, Kind
from marskg.retrieval.access.visibility import Sight
from marskg.retrieval.index.memory_index import MICRO, STATUSES
from marskg.retrieval.query.ranking import Ranked
from marskg.text import folded

if TYPE_CHECKING:
    import numpy.typing as npt

    from marskg.retrieval.index.memory_index import MemoryIndex

#: What of the order is nearness to the anchor; the rest is similarity to the goal.
_NEARNESS: Final = 0.5
SOCIAL: Final = ("task", "all", "none")


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a recall starts: entities, and tasks as goals."""

    entities: tuple[str, ...] = ()
    goals: tuple[str, ...] = ()


class Recall:
    """Recalls around one anchor in one index."""

    def __init__(
        self, index: MemoryIndex, mask: npt.NDArray[np.bool_], *, social: str = "task", bound: bool = False
    ) -> None:
        """Recall among the rows of ``mask``; ``social`` is which relations between people may come: see ``SOCIAL``.

        Who is ``bound`` is not led along what was read out of texts
        (:class:`~marskg.retrieval.access.visibility.Sight`).
        """
        self._bound = bound
        self._index = index
        self._mask = mask
        self._social = social

    def around(self, anchor: Anchor, vector: npt.NDArray[np.float32] | None, limit: int) -> tuple[Ranked, ...]:
        """Return up to ``limit`` memories of the ball around ``anchor``; ``vector`` is the goal's."""
        near = self._near(anchor)
        rows = np.array(sorted(row for row in near if self._may(row, anchor)), dtype=np.intp)
        if not len(rows):
            return ()
        nearness = np.array([near[row] for row in rows.tolist()])
        nearness /= nearness.max()
        similarity = self._similarity(rows, vector)
        total = nearness if vector is None else _NEARNESS * nearness + (1 - _NEARNESS) * similarity
        score = np.rint(total * MICRO).astype(np.int64)
        order = np.lexsort((self._index.columns["sequence"][rows], -score))[:limit]
        return tuple(
            Ranked(
                int(rows[place]),
                int(score[place]),
                {
                    "nearness": int(np.rint(nearness[place] * MICRO)),
                    "similarity": int(np.rint(similarity[place] * MICRO)),
                },
            )
            for place in order.tolist()
        )

    def _near(self, anchor: Anchor) -> dict[int, float]:
        """Return the visible rows of the ball with their scores; what serves a goal is next to it."""
        rows, facets = self._index.rows, self._index.facets
        starts = dict.fromkeys((*anchor.entities, *anchor.goals), 1.0)
        for goal in anchor.goals:
            beside = {*facets["goal"].get(goal, ())} | {rows[ident] for ident in self._required(goal) if ident in rows}
            starts |= {self._index.ids[row]: 0.5 for row in sorted(beside) if self._mask[row]}
        if not starts:
            return {}
        found = self._index.graph.near(starts, Sight(self._index, self._mask, bound=self._bound))
        return {rows[node]: amount for node, amount in found.items() if node in rows and amount > 0}

    def _required(self, goal: str) -> list[str]:
        row = self._index.rows.get(goal)
        return [] if row is None else self._index.facets_of(row, "requires")

    def _may(self, row: int, anchor: Anchor) -> bool:
        """Return whether a memory may be recalled: others' relations only as a task or the caller needs them."""
        if self._social == "all" or self._index.columns["kind"][row] != KINDS.index(Kind.SOCIAL):
            return True
        if self._social == "none":
            return False
        mentioned = set(self._index.facets_of(row, "entity"))
        return bool(mentioned & ({*anchor.entities} | self.involved())) or bool(
            set(self._index.facets_of(row, "goal")) & self._active()
        )

    def _active(self) -> set[str]:
        held = self._index.columns
        active = np.isin(held["status"], [STATUSES.index(status) for status in ACTIVE_STATUSES]) & self._mask
        return {self._index.ids[row] for row in np.flatnonzero(active).tolist()}

    def involved(self) -> set[str]:
        """Return the entities that active tasks mention, or what they require or are served by mentions."""
        rows: set[int] = set()
        for task in self._active():
            row = self._index.rows[task]
            rows.add(row)
            rows.update(self._index.facets["goal"].get(task, ()))
            rows |= {self._index.rows[ident] for ident in self._required(task) if ident in self._index.rows}
        return {entity for row in rows if self._mask[row] for entity in self._index.facets_of(row, "entity")}

    def _similarity(
        self, rows: npt.NDArray[np.intp], vector: npt.NDArray[np.float32] | None
    ) -> npt.NDArray[np.float64]:
        if vector is None or not self._index.dimension:
            return np.zeros(len(rows))
        products: npt.NDArray[np.float64] = self._index.vectors["vector"][rows].astype(np.float64) * vector
        found: npt.NDArray[np.float64] = np.maximum(0.0, products.sum(axis=1))
        return found


@dataclass(frozen=True, slots=True)
class Named:
    """The entities that a reader finds by a name; ``several`` are those of them of which it does not say which."""

    ids: tuple[str, ...]
    several: tuple[str, ...] = ()

    @property
    def clear(self) -> tuple[str, ...]:
        """Return the entities to start at: none, where the name alone has to ask which of several is meant."""
        return () if self.several else self.ids


def named_entities(
    index: MemoryIndex, mask: npt.NDArray[np.bool_], name: str, *, restricted: bool, bound: bool
) -> Named:
    """Return the entities that the reader of ``mask`` finds by ``name``, an id or an IRI, or that are named in it.

    A name of its own goes before an alias, and with it come those whom it may mean besides: a person by the first
    or the last name alone, if it may be no other's. A ``restricted`` reader finds an entity only by a name that a
    memory lets them read, and by no IRI. To who is ``bound`` all that bear a name are one: what tells them apart is
    not theirs.
    """
    names, sight = index.entities, Sight(index, mask)
    found_by = sight.found_by(restricted=restricted)
    if bound:
        found = names.named(name, found_by) or names.guessed(name, found_by) or names.find(name, found_by)
        return Named(tuple(names.with_guesses(found, found_by)))
    asked = [one for one in names.with_id(name) if sight.sees(one)]
    if asked:
        return Named(tuple(asked))
    found = names.named(name, found_by)
    found = [one for one in found if names.is_called(one, name)] or found
    if not found and not restricted:
        found = [one for one in names.having(name) if sight.sees(one)]
    found = found or names.guessed(name, found_by)
    if len(found) > 1:
        return Named(tuple(found), tuple(found))
    if found:
        return Named(tuple(names.with_guesses(found, found_by)))
    found = names.find(name, found_by)
    alike = Counter(folded(names.name(one) or "") for one in found)
    found = names.with_guesses(found, found_by)
    return Named(tuple(found), tuple(one for one in found if alike[folded(names.name(one) or "")] > 1))
