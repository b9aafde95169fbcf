"""What is current about a person, in the order in which it is worth telling: facts with a key, then turns.

Guarantees: taken from the rows that the reader may see; nothing that is over, in whole or in part, as
:mod:`marskg.retrieval.query.outlived` has it; no question that states nothing, and no turn all of which its facts say.
Facts come by section and, there, by the table's order of keys, the newest first; turns come in rounds, the newest of
each section, then the second of each, so that no section fills a small budget alone. Asked for one part of their life,
turns come by how near they are to the question. Source: semantics section 13 (who somebody is); ADR 99.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.language.profile_words import section_terms
from marskg.language.spans import parts_of, says_more
from marskg.ontology.vocabulary import KINDS, Cardinality
from marskg.retrieval.complete.profile_sections import NOT_SHOWN, sections
from marskg.retrieval.index.memory_index import CARDINALITIES, MICRO
from marskg.retrieval.query.outlived import Outlived
from marskg.retrieval.query.ranking import Ranked
from marskg.retrieval.query.whom import somebody, speaker, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from marskg.language.broad_questions import Broad
    from marskg.language.spans import Part
    from marskg.retrieval.access.read_gate import Gate
    from marskg.retrieval.index.memory_index import MemoryIndex
    from marskg.retrieval.query.whom import Whom

    Mask = npt.NDArray[np.bool_]
    Vector = npt.NDArray[np.float32]
    _Key = Callable[[int], tuple[int, int]]

_APPEND: Final = CARDINALITIES.index(Cardinality.APPEND)
#: Index terms of a turn that tells something.
_TELLING: Final = 2
#: How many are ordered at most.
MOST: Final = 400
#: The scores of the first and of the last, as parts of the best that is ranked below them.
_FIRST, _LAST = 2.5, 1.05


@dataclass(frozen=True, slots=True)
class Told:
    """The rows about a person, the most telling first, and by id: their sections with their places there, and sources.

    ``cuts`` are the parts of a turn that hold no longer, by id; ``said`` are the rows of turns all of which facts say.
    """

    rows: Sequence[int] = ()
    placed: Mapping[str, tuple[str, tuple[int, int]]] = field(default_factory=dict)
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cuts: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)
    said: frozenset[int] = frozenset()

    def ranked(self, top: int = MICRO) -> tuple[Ranked, ...]:
        """Return the rows with scores that put them above ``top``, each clearly above the next."""
        scores = np.linspace(_FIRST * top, _LAST * top, max(2, len(self.rows)))
        return tuple(
            Ranked(row, round(score), {"profile": round(score)})
            for row, score in zip(self.rows, scores.tolist(), strict=False)
        )


_NOTHING: Final = Told()


def told_of(
    index: MemoryIndex,
    gate: Gate,
    mask: Mask,
    whom: Whom,
    *,
    part: str | None = None,
    vector: Vector | None = None,
) -> Told:
    """Return what the rows of ``mask`` tell of a person.

    Args:
        index: the index.
        gate: the reader's gate.
        mask: ``[rows]``, what the reader may see.
        whom: the person.
        part: one section alone; all of them if left out.
        vector: ``[dimension]`` of the question, by which the turns of one part are put in order.
    """
    facts, turns, said = _Material(index, gate, mask, whom).parted()
    order, table = sections(), sections().headings
    placed: dict[int, tuple[str, tuple[int, int]]] = {}
    for row in facts:
        section, place = order.of(_key(index, row), KINDS[index.columns["kind"][row]])
        placed[row] = section, (0, place)
    kept = [row for row in facts if placed[row][0] != NOT_SHOWN and part in {None, placed[row][0]}]
    newest = _newest(index)
    kept.sort(key=lambda row: (table[placed[row][0]].place, placed[row][1], newest(row)))
    sorted_turns = _Sorted(index, turns)
    if part is None:
        chosen = sorted_turns.in_rounds(newest)
    else:
        near = _nearness(index, vector)
        chosen = sorted(sorted_turns.of(part), key=lambda row: (near(row), newest(row)))
    placed |= {row: (part or sorted_turns.section[row], (1, 0)) for row in chosen}
    rows = [*kept, *chosen][:MOST]
    sources = _sources(index, gate, rows)
    behind = {index.rows[one] for listed in sources.values() for one in listed}
    return Told(
        rows,
        {index.ids[row]: (placed[row][0], (placed[row][1][0], place)) for place, row in enumerate(rows)},
        sources,
        {index.ids[row]: cut for row, cut in turns.items() if cut},
        said & behind,
    )


def lead(index: MemoryIndex, gate: Gate, mask: Mask, asked: Broad, vector: Vector | None) -> Told:
    """Return what answers a question about a person as a whole: nothing where nothing here is about them."""
    who = speaker(index, mask, gate) if asked.person is None else somebody(index, mask, asked.person, gate)
    return _NOTHING if who is None else told_of(index, gate, mask, who, part=asked.part, vector=vector)


def above(told: Told, ranked: Sequence[Ranked]) -> tuple[Ranked, ...]:
    """Return what is told of a person, and below it what was ranked besides, best first, which perhaps does not bear.

    A turn all of which facts say that stand above it is not there twice.
    """
    if not told.rows:
        return tuple(ranked)
    there = told.said.union(told.rows)
    top = max((one.score for one in ranked), default=0)
    besides = (replace(one, certain=False) for one in ranked if one.row not in there)
    return (*told.ranked(top if top > 0 else MICRO), *besides)


class _Material:
    """The facts and the turns about a person."""

    def __init__(self, index: MemoryIndex, gate: Gate, mask: Mask, whom: Whom) -> None:
        self._index = index
        self._outlived = Outlived(index, gate, mask)
        self._about = whom.own | whom.near

    def parted(self) -> tuple[list[int], dict[int, tuple[Part, ...]], frozenset[int]]:
        """Return the rows of facts with a key, those of turns, each with the parts of it that are over, and others.

        The others are the turns all of which the facts say.
        """
        index, held = self._index, self._index.columns
        rows = np.flatnonzero(self._about)
        keyed = (held["key"] >= 0) & (held["cardinality"] != _APPEND)
        facts = rows[keyed[rows]].tolist()
        tells = told(index, held["states"] & (held["length"] >= _TELLING) & (held["key"] < 0))
        spoken = self._outlived.spoken(rows)
        turns = np.array([row for row in rows[tells[rows]].tolist() if row not in spoken], dtype=np.intp)
        left = self._outlived.left(turns)
        known = {*facts}
        standing = [row for row in turns.tolist() if row not in left or left[row].cut]
        said = frozenset(row for row in standing if self._is_said(row, known))
        return facts, {row: left[row].cut if row in left else () for row in standing if row not in said}, said

    def _is_said(self, turn: int, facts: set[int]) -> bool:
        """Return whether ``facts`` say all of a turn."""
        index = self._index
        derived = [row for row in index.facets["source"].get(index.ids[turn], ()) if row in facts]
        spans = [parts_of(index.facets_of(row, "span"), index.ids[turn]) for row in derived]
        whole = int(index.columns["size"][turn])
        return any(spans) and not says_more(whole, chain.from_iterable(spans))


class _Sorted:
    """Turns by the sections of which they have most words; ``section`` has that of each."""

    def __init__(self, index: MemoryIndex, turns: Iterable[int]) -> None:
        self._turns = [*turns]
        wanted = np.array(self._turns, dtype=np.intp)
        self._hits: dict[str, npt.NDArray[np.int32]] = {}
        for name, words in section_terms().items():
            counts = np.zeros(index.columns.rows, dtype=np.int32)
            for word in words:
                counts[index.lexical.rows(word)] += 1
            self._hits[name] = counts[wanted]
        self.section = {row: self._best(place) for place, row in enumerate(self._turns)}

    def _best(self, place: int) -> str:
        best, found = 0, sections().rest
        for name in sections().headings:
            hits = int(self._hits[name][place]) if name in self._hits else 0
            if hits > best:
                best, found = hits, name
        return found

    def of(self, section: str) -> list[int]:
        """Return the turns that have a word of ``section``."""
        if section not in self._hits:
            return []
        return [row for row, hits in zip(self._turns, self._hits[section].tolist(), strict=True) if hits]

    def in_rounds(self, newest: _Key) -> list[int]:
        """Return the newest turn of each section, then the second of each, and what has no section last."""
        rest = sections().rest
        lists = [
            sorted((row for row in self._turns if self.section[row] == name), key=newest)
            for name in sections().headings
            if name != rest
        ]
        rounds = [row for one in zip_longest(*lists) for row in one if row is not None]
        return rounds + sorted((row for row in self._turns if self.section[row] == rest), key=newest)


def _key(index: MemoryIndex, row: int) -> str | None:
    code = int(index.columns["key"][row])
    return None if code < 0 else index.words[code]


def _newest(index: MemoryIndex) -> _Key:
    held = index.columns
    return lambda row: (-int(held["validFrom"][row]), -int(held["sequence"][row]))


def _nearness(index: MemoryIndex, vector: Vector | None) -> Callable[[int], int]:
    """Return how far a row is from a question, in 1e-6; all are as far where there are no vectors."""
    if vector is None or not index.dimension:
        return lambda row: 0  # noqa: ARG005 - as the other has it
    held = index.vectors["vector"]
    return lambda row: -round(float(np.dot(held[row].astype(np.float64), vector)) * MICRO)


def _sources(index: MemoryIndex, gate: Gate, rows: Iterable[int]) -> dict[str, tuple[str, ...]]:
    """Return the ids of what each row was derived from, as far as the reader may know of it."""
    seen = gate.known().mask(index)
    found = {}
    for row in rows:
        listed = [one for one in index.facets_of(row, "source") if one in index.rows]
        found[index.ids[row]] = tuple(one for one in listed if seen[index.rows[one]])
    return found
