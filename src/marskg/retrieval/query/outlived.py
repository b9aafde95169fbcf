"""Turns that say something which holds no longer, as the facts that were derived from them tell.

Beside them, facts that were learned from a turn that stands: both say the same, and the turn ranks by either.

Guarantees: a question about the present is not answered by a turn that its own facts have left behind: one of them was
replaced or retracted, its task is closed, or its day is past. Those of its facts that hold still stand where it stood.
Facts that the reader may not know of decide nothing. A turn says what its facts say only where these make up much of
it, by tokens: of a long story with one fact the rest may be found nowhere else. Who corrects a fact from the same turn
leaves it its evidence. Source: semantics section 5 (stale evidence harms like the stale fact).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.ontology.vocabulary import KINDS, Kind, SourceType
from marskg.retrieval.access.read_gate import ENDED
from marskg.retrieval.index.memory_index import SOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy.typing as npt

    from marskg.retrieval.access.read_gate import Gate
    from marskg.retrieval.index.memory_index import MemoryIndex

#: The part of a turn's tokens that its facts must have, for them to stand for it.
_TOLD: Final = 1 / 3
_EPISODIC: Final = KINDS.index(Kind.EPISODIC)
_SUMMARY: Final = SOURCES.index(SourceType.REFLECTION)


class Outlived:
    """The outlived turns of an index, for one reader."""

    def __init__(self, index: MemoryIndex, gate: Gate, seen: npt.NDArray[np.bool_]) -> None:
        """Look at ``index`` through ``gate``, which shows the rows ``seen``.

        Who asks for what was, or for what is superseded too, gets every turn.
        """
        self._index = index
        self._gate = gate
        self._seen = seen
        self._asks_for_past = gate.superseded or gate.as_of is not None

    def heirs(self, rows: npt.NDArray[np.intp]) -> dict[int, list[int]]:
        """Return those of ``rows`` that are outlived, each with the rows of its facts that hold still."""
        derived = self._index.facets["source"]
        if not derived or self._asks_for_past:
            return {}
        found = {}
        for row in rows.tolist():
            facts = self._facts(row, derived.get(self._index.ids[row], ()))
            if any(self._is_over(fact, row) for fact in facts):
                found[row] = [fact for fact in facts if self._seen[fact]]
        return found

    def spoken(self, rows: npt.NDArray[np.intp]) -> dict[int, list[int]]:
        """Return those of ``rows`` that were learned from turns which are among them and not outlived, with the turns.

        What a turn says is shown once, in the words in which it was said.
        """
        learned = rows[self._index.columns["learned"][rows]]
        if not len(learned):
            return {}
        there = {*rows.tolist()}
        standing = {}
        for fact in learned.tolist():
            turns = (self._index.rows.get(one, -1) for one in self._index.facets_of(fact, "source"))
            standing[fact] = [row for row in turns if row in there]
        outlived = self.heirs(np.array(sorted({row for turns in standing.values() for row in turns}), dtype=np.intp))
        return {fact: turns for fact, turns in standing.items() if turns and outlived.keys().isdisjoint(turns)}

    @cached_property
    def _known(self) -> npt.NDArray[np.bool_]:
        """Return ``[rows]``: what the reader may know of."""
        return self._gate.known().mask(self._index)

    def _facts(self, row: int, derived: Iterable[int]) -> list[int]:
        """Return the facts of a turn that they make up much of; none of anything else."""
        held = self._index.columns
        if not derived or held["kind"][row] != _EPISODIC:
            return []
        facts = [fact for fact in derived if self._known[fact] and held["sourceType"][fact] != _SUMMARY]
        told = sum(int(held["weight"][fact]) for fact in facts)
        return facts if told >= _TOLD * int(held["weight"][row]) else []

    def _is_over(self, fact: int, turn: int) -> bool:
        """Return whether ``fact`` holds no longer, and nothing that took its place rests on ``turn``."""
        held, gate = self._index.columns, self._gate
        # A day that rules read in somebody's words may be past, and the words say what they said.
        past = held["deadline"][fact] <= gate.now - gate.task_grace and not held["learned"][fact]
        ended = held["status"][fact] in ENDED or past
        if ended and not gate.closed:
            return True
        if held["supersededAt"][fact] > gate.now and held["validTo"][fact] > gate.now:
            return False
        newer = self._index.facets["replaced"].get(self._index.ids[fact], ())
        named = self._index.ids[turn]
        return not any(self._known[one] and named in self._index.facets_of(one, "source") for one in newer)


def inherited(
    values: npt.NDArray[np.float64], rows: npt.NDArray[np.intp], heirs: Mapping[int, Iterable[int]]
) -> npt.NDArray[np.float64]:
    """Return ``values`` of ``rows``, rising, with each heir at least as high as the turn in whose place it stands."""
    made = values.copy()
    places = {row: place for place, row in enumerate(rows.tolist())} if heirs else {}
    for turn, facts in heirs.items():
        for fact in facts:
            if fact in places:
                made[places[fact]] = max(made[places[fact]], values[places[turn]])
    return made


def lifted(values: npt.NDArray[np.float64], spoken: Mapping[int, list[int]], share: float) -> npt.NDArray[np.float64]:
    """Return ``values`` by row, each turn at least as high as a ``share`` of what was learned from it."""
    made = values.copy()
    for fact, turns in spoken.items():
        made[turns] = np.maximum(made[turns], share * values[fact])
    return made
