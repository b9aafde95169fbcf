"""The retrieval index: what is needed of each memory to decide whether, and how high, it comes back.

Guarantees: a pure function of the memories put into it: two indexes that were given the same memories in whatever
order of events answer alike, and one that was kept up event by event answers like one built from scratch. It holds no
content, only terms, vectors and metadata; what is removed is hidden at once and its bytes are overwritten at the next
:meth:`MemoryIndex.compact`. Source: MaRS section 3.2.5 (temporal, access, importance, entity and embedding indices).
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from marskg.json_object import JsonObject
from marskg.language.answering.kinds import kinds_told
from marskg.language.en.wording import asks_and_states, says_time
from marskg.ontology.vocabulary import (
    ACTIVE_STATUSES,
    KINDS,
    Cardinality,
    EdgeType,
    MemoryClass,
    SourceType,
    TaskStatus,
    Tier,
)
from marskg.retrieval.graph.entity_graph import RelationGraph
from marskg.retrieval.graph.entity_names import Aspect, EntityNames, names_of
from marskg.retrieval.index.columns import Columns
from marskg.retrieval.index.feature_columns import FeatureColumns
from marskg.retrieval.index.lexical import Lexical
from marskg.retrieval.index.metadata_filter import words_of
from marskg.retrieval.index.passage_index import Passages
from marskg.retrieval.index.provisional import Provisional
from marskg.retrieval.index.row_terms import RowTerms
from marskg.retrieval.index.similar_words import Vocabulary
from marskg.retrieval.index.spellings import Spellings
from marskg.retrieval.index.turns import Turns
from marskg.store.rows.order_keys import CURRENT
from marskg.text import PASSAGE, passages, terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

#: A time that never comes, and the unit of decimals.
FOREVER: Final = np.iinfo(np.int64).max
MICRO: Final = 1_000_000

TIERS: Final = tuple(Tier)
CLASSES: Final = tuple(MemoryClass)
SOURCES: Final = tuple(SourceType)
CARDINALITIES: Final = tuple(Cardinality)
STATUSES: Final = tuple(TaskStatus)
_CODES: Final = {
    "kind": {item.value: place for place, item in enumerate(KINDS)},
    "tier": {item.value: place for place, item in enumerate(TIERS)},
    "memoryClass": {item.value: place for place, item in enumerate(CLASSES)},
    "sourceType": {item.value: place for place, item in enumerate(SOURCES)},
    "cardinality": {item.value: place for place, item in enumerate(CARDINALITIES)},
    "status": {item.value: place for place, item in enumerate(STATUSES)},
}
_Pair: TypeAlias = "tuple[str, str]"
#: For each code of a status, and -1 for none at the end: whether a task of it is active.
_ACTIVE: Final = (*(status in ACTIVE_STATUSES for status in STATUSES), False)
_TIMES: Final = {"created": 0, "validFrom": 0, "lastAccess": 0}
_LIMITS: Final = ("validTo", "supersededAt", "unaffirmedSince", "expiresAt", "deadline")
_DECIMALS: Final = {"sensitivity": 0, "reliability": MICRO, "generalityScore": 0}
_NUMBERS: Final = {"accessCount": 0, "score": 50, "weight": 0}
_COLUMNS: Final[Mapping[str, tuple[Any, Any]]] = {
    "alive": (np.bool_, False),
    "sequence": (np.int64, 0),
    "length": (np.int32, 0),
    "vectored": (np.bool_, False),
    "pointed": (np.bool_, False),
    "pinned": (np.bool_, False),
    "novelty": (np.int32, 0),
    "judged": (np.bool_, False),
    "asks": (np.bool_, False),
    "states": (np.bool_, False),
    "timed": (np.bool_, False),
    "tells": (np.int64, 0),
    "learned": (np.bool_, False),
    "about": (np.bool_, False),
    "evictionRank": (np.int8, int(CURRENT)),
    "size": (np.int32, 0),
    **dict.fromkeys(_CODES, (np.int8, -1)),
    **{name: (np.int64, default) for name, default in _TIMES.items()},
    **dict.fromkeys(_LIMITS, (np.int64, FOREVER)),
    **{name: (np.int32, default) for name, default in _DECIMALS.items()},
    **{name: (np.int64, default) for name, default in _NUMBERS.items()},
    "jurisdiction": (np.int32, -1),
    "session": (np.int32, -1),
    "key": (np.int32, -1),
}
#: Facets by which rows are found, and which are sets of words.
_LINKS: Final[Mapping[str, str]] = {
    EdgeType.ATTACHES_TO_GOAL: "goal",
    EdgeType.REQUIRES: "requires",
    EdgeType.DEPENDS_ON: "base",
    EdgeType.CONTRADICTS: "contradicts",
    EdgeType.DERIVES_FROM: "source",
    EdgeType.SUPERSEDES: "replaced",
}
_SETS: Final = {
    "subjects": "subject",
    "intentTags": "tag",
    "purpose": "purpose",
    "sensitivityReasons": "reason",
    "spans": "span",
    "namesGiven": "named",
}
#: Edges that relate what is meant and who knows whom (MaRS section 3.2.5), besides mentions.
RELATIONS: Final = frozenset(
    {EdgeType.IS_A, EdgeType.PART_OF, EdgeType.WORKS_AT, EdgeType.FRIEND_OF, EdgeType.COLLEAGUE_OF, EdgeType.REPORTS_TO}
)
_TIES: Final = RELATIONS | {EdgeType.MENTIONS}


class MemoryIndex:
    """One tenant's memories as columns, postings and vectors."""

    def __init__(self, dimension: int) -> None:
        """Hold nothing; vectors have ``dimension`` components, 0 for an index without vectors."""
        self.dimension = dimension
        #: What stands for a word of free JSON, where that is not to be held in clear: a keyed digest.
        self.hides: Callable[[str], str] | None = None
        self.columns = Columns(_COLUMNS)
        self.vectors = Columns({"vector": (np.float32, 0)}, {"vector": dimension})
        self.lexical = Lexical()
        self.terms = RowTerms()
        self.passages = Passages(dimension)
        #: What stands for vectors that take long.
        self.provisional = Provisional()
        #: The words of all texts, for what is like them.
        self.vocabulary = Vocabulary(self.lexical)
        self.spellings = Spellings(self.lexical)
        self.ids: list[str] = []
        self.rows: dict[str, int] = {}
        self.words: list[str] = []
        self._codes: dict[str, int] = {}
        #: facet → word → rows: subject, tag, purpose, reason, span, named, session, key, metadata, entity, goal,
        #: requires, base, contradicts, source, replaced. The rows are keys of a dict, and not in a set, as the
        #: collector of garbage does not look into dicts of numbers.
        self.facets: dict[str, dict[str, dict[int, None]]] = {
            name: {} for name in (*_SETS.values(), "session", "key", "metadata", "entity", *_LINKS.values())
        }
        self._facets_of: dict[int, tuple[_Pair, ...]] = {}
        #: Each pair once, for all rows that have it.
        self._pairs: dict[_Pair, _Pair] = {}
        self.graph = RelationGraph()
        self.entities = EntityNames()
        #: The names of the people that memories are about; each stands for itself.
        self.subjects = EntityNames()
        self.turns = Turns(self.columns)
        #: What policies go by besides the columns.
        self.features = FeatureColumns(self)
        self.dead = 0

    def __len__(self) -> int:
        """Return the number of memories with content."""
        return len(self.rows)

    # --- Events ---------------------------------------------------------------------------------------------------

    def put(
        self,
        row: Mapping[str, Any],
        edges: Iterable[tuple[str, str]],
        vector: npt.NDArray[np.float32] | None,
        passages: npt.NDArray[np.float32] | None = None,
        early: npt.NDArray[np.float32] | None = None,
    ) -> None:
        """Take in a memory with content as it stands now: new, or with changed metadata, edges or vector.

        Args:
            row: the columns of the statement ``index_rows``.
            edges: ``(type, target id)`` of its edges.
            vector: ``[dimension]``, or None if it has none yet.
            passages: ``[n, dimension]``, those of its passages where it has several.
            early: what stands for both as long as there is no ``vector``, and beside it where others have none.
        """
        ident = row["id"]
        place = self.rows.get(ident)
        before = None if place is None else self.turns.place_of(place)
        if place is None:
            place = self._new(ident, row)
        self._set(place, row)
        if self.turns.place_of(place) != before:
            self.turns.moved(place)
        leading = list(edges)
        self._set_facets(place, row, leading)
        self.graph.put(ident, [edge for edge in leading if edge[0] in _TIES])
        self.graph.importance.start(ident, active=bool(_ACTIVE[self.columns["status"][place]]))
        if vector is not None and self.dimension:
            self.vectors["vector"][place] = vector
            self.columns["vectored"][place] = True
            if passages is not None and place in self.passages.spans:
                self.passages.set_vectors(place, passages)
            if early is None:
                self.provisional.made(place)
            else:
                self.provisional.put_made(place, early)
        elif early is not None:
            self.provisional.put(place, early)
        self.features.changed(ident)

    def _new(self, ident: str, row: Mapping[str, Any]) -> int:
        place = self.columns.append()
        self.vectors.append()
        self.ids.append(ident)
        self.rows[ident] = place
        self.columns["alive"][place] = True
        found = terms(row["content"])
        asks, states = asks_and_states(row["content"])
        told = {"timed": says_time(found), "tells": kinds_told(row["content"]), "size": len(row["content"])}
        self.columns.fill(place, {"asks": asks, "states": states, **told})
        held = set(found)
        # A fact's text often leaves out what its slot says.
        slot = terms((row["key"] or "").replace("/", " ").replace("_", " "))
        unsaid = [term for term in slot if term not in held]
        self.columns["length"][place] = self.lexical.add(place, found + unsaid)
        self.terms.put(place, found + unsaid)
        if len(row["content"]) > PASSAGE and len(parts := passages(row["content"])) > 1:
            self.passages.add(place, [terms(part) + unsaid for part in parts])
        return place

    def _set(self, place: int, row: Mapping[str, Any]) -> None:
        values: dict[str, Any] = {
            "sequence": row["sequence"],
            "pinned": bool(row["pinned"]),
            "learned": bool(row.get("spans")),
            "about": bool(row.get("subjects")),
            "evictionRank": int(row.get("evictionRank") or CURRENT),
        }
        for name, codes in _CODES.items():
            values[name] = codes.get(row[name], -1)
        for name, default in _TIMES.items():
            values[name] = row[name] if row[name] is not None else default
        for name in _LIMITS:
            values[name] = row[name] if row[name] is not None else FOREVER
        for name, default in _DECIMALS.items():
            values[name] = default if row[name] is None else round(row[name] * MICRO)
        for name, default in _NUMBERS.items():
            values[name] = row[name] if row[name] is not None else default
        for name in ("jurisdiction", "session", "key"):
            values[name] = -1 if row[name] is None else self.code(row[name])
        self.columns.fill(place, values)

    def code(self, word: str) -> int:
        """Return the number that stands for ``word`` in the columns."""
        found = self._codes.get(word)
        if found is None:
            found = self._codes[word] = len(self.words)
            self.words.append(word)
        return found

    def known_code(self, word: str) -> int | None:
        """Return the number of ``word``, or None if no memory has it."""
        return self._codes.get(word)

    def _set_facets(self, place: int, row: Mapping[str, Any], edges: Iterable[tuple[str, str]]) -> None:
        wanted = [(facet, word) for name, facet in _SETS.items() for word in row.get(name) or ()]
        wanted += [(name, row[name]) for name in ("session", "key") if row[name] is not None]
        if row.get("metadata") is not None:
            wanted += [("metadata", self.hidden(word)) for word in words_of(JsonObject(row["metadata"]))]
        for type_, target in edges:
            if type_ == EdgeType.MENTIONS:
                wanted.append(("entity", target))
            elif type_ in _LINKS:
                wanted.append((_LINKS[type_], target))
        if tuple(wanted) == self._facets_of.get(place, ()):
            return
        self._drop_facets(place)
        for facet, word in wanted:
            self._add_facet(facet, word, place)
            if facet == "base":
                self.features.moved(word)
        if wanted:
            self._facets_of[place] = tuple(self._pairs.setdefault(pair, pair) for pair in wanted)

    def hidden(self, word: str) -> str:
        """Return what the index has in the place of a word of free JSON."""
        return word if self.hides is None else self.hides(word)

    def _add_facet(self, facet: str, word: str, place: int) -> None:
        rows = self.facets[facet].setdefault(word, {})
        if facet == "subject" and not rows:
            self.subjects.put(word, names_of(word))
        rows[place] = None

    def _drop_facets(self, place: int) -> None:
        for facet, word in self._facets_of.pop(place, ()):
            rows = self.facets[facet][word]
            rows.pop(place, None)
            if facet == "base":
                self.features.moved(word)
            if not rows:
                del self.facets[facet][word], self._pairs[facet, word]
                if facet == "subject":
                    self.subjects.remove(word)

    def sources(self, ids: Iterable[str]) -> set[str]:
        """Return what those of ``ids`` that are here derive from."""
        pairs = (pair for ident in ids if ident in self.rows for pair in self._facets_of.get(self.rows[ident], ()))
        return {word for facet, word in pairs if facet == "source"}

    def access(self, ident: str, last: int, count: int, score: int) -> None:
        """Take in the access statistics of a memory."""
        place = self.rows.get(ident)
        if place is not None:
            self.columns["lastAccess"][place] = last
            self.columns["accessCount"][place] = count
            self.columns["score"][place] = score

    def remove(self, ident: str) -> None:
        """Forget a memory: its content is gone."""
        place = self.rows.pop(ident, None)
        if place is None:
            return
        self.columns["alive"][place] = False
        self.columns["vectored"][place] = False
        if self.dimension:
            self.vectors["vector"][place] = 0
        self.terms.remove(place)
        self.passages.remove(place)
        self.provisional.remove(place)
        self._drop_facets(place)
        self.graph.remove(ident)
        self.graph.importance.start(ident, active=False)
        self.features.changed(ident)
        self.ids[place] = ""
        self.dead += 1

    def compact(self) -> None:
        """Drop the rows of what was removed, with their postings and words that nothing uses any more."""
        kept = np.flatnonzero(self.columns["alive"])
        places = np.full(self.columns.rows, -1, dtype=np.int64)
        places[kept] = np.arange(len(kept))
        self.features.keep(kept)
        self.columns.keep(kept)
        self.turns.forget()
        self.vectors.keep(kept)
        self.lexical.renumber(places)
        self.terms.renumber(places)
        self.passages.renumber(places)
        self.provisional.renumber(places)
        self.vocabulary = Vocabulary(self.lexical)
        self.spellings = Spellings(self.lexical)
        self.ids = [self.ids[row] for row in kept.tolist()]
        self.rows = {ident: row for row, ident in enumerate(self.ids)}
        self._facets_of = {int(places[row]): wanted for row, wanted in self._facets_of.items()}
        for facet in self.facets.values():
            for word, rows in facet.items():
                facet[word] = dict.fromkeys(int(places[row]) for row in rows)
        self._recode()
        self.graph.forget_walk()
        self.dead = 0

    def _recode(self) -> None:
        """Number the words of the columns anew: a session's or a key's name is content, too."""
        old, self.words, self._codes = self.words, [], {}
        for name in ("jurisdiction", "session", "key"):
            column = self.columns[name]
            column[:] = [-1 if code < 0 else self.code(old[code]) for code in column.tolist()]

    def without_vector(self, limit: int) -> list[str]:
        """Return up to ``limit`` ids of memories that have no vector."""
        if not self.dimension:
            return []
        lacking = self.columns["alive"] & ~self.columns["vectored"]
        lacking[self.passages.without_vectors()] = True
        rows = np.flatnonzero(lacking)[:limit]
        return [self.ids[row] for row in rows.tolist()]

    def dump_facets(self) -> tuple[list[_Pair], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Return all facets and words, how many of them each row has, and which, by their places, row by row."""
        pairs = list(self._pairs)
        places = {pair: place for place, pair in enumerate(pairs)}
        held = [self._facets_of.get(row, ()) for row in range(self.columns.rows)]
        sizes = np.array([len(found) for found in held], dtype=np.int32)
        return pairs, sizes, np.array([places[pair] for found in held for pair in found], dtype=np.int32)

    def restore(
        self,
        ids: list[str],
        words: list[str],
        pairs: Iterable[tuple[str, str]],
        sizes: npt.NDArray[np.int32],
        places: npt.NDArray[np.int32],
    ) -> None:
        """Take in the ids, words and facets of rows whose columns are there already.

        Raises:
            ValueError: they are not as many as the rows.
        """
        if not len(ids) == len(sizes) == self.columns.rows or int(sizes.sum()) != len(places):
            message = "ids that do not go with the rows"
            raise ValueError(message)
        self.ids, self.rows = ids, {ident: row for row, ident in enumerate(ids)}
        self.features.restored()
        self.turns.forget()
        self.words, self._codes = words, {word: code for code, word in enumerate(words)}
        # What a memory points to has the id of another: one text for both.
        own = {ident: ident for ident in ids}
        known = [(facet, own.get(word, word)) for facet, word in pairs]
        self._pairs = {pair: pair for pair in known}
        for facet, word in known:
            if facet == "subject":
                self.subjects.put(word, names_of(word))
        rows_of: list[dict[int, None]] = [self.facets[facet].setdefault(word, {}) for facet, word in known]
        end, flat = 0, places.tolist()
        for row, size in enumerate(sizes.tolist()):
            start, end = end, end + size
            if size:
                self._facets_of[row] = tuple([known[place] for place in flat[start:end]])
                for place in flat[start:end]:
                    rows_of[place][row] = None

    def start_tasks(self) -> None:
        """Let importance start from the active tasks of rows that are there already."""
        active = np.array(_ACTIVE)[self.columns["status"]]
        for row in np.flatnonzero(active).tolist():
            self.graph.importance.start(self.ids[row], active=True)

    # --- Rows -----------------------------------------------------------------------------------------------------

    def facet(self, name: str, words: Iterable[str]) -> npt.NDArray[np.bool_]:
        """Return ``[rows]``: which have one of ``words`` in the facet ``name``."""
        found = np.zeros(self.columns.rows, dtype=np.bool_)
        for word in words:
            rows = self.facets[name].get(word)
            if rows:
                found[list(rows)] = True
        return found

    def word(self, name: str, place: int) -> str | None:
        """Return the word that the column ``name`` (session, key or jurisdiction) has for a row."""
        code = int(self.columns[name][place])
        return None if code < 0 else self.words[code]

    def facets_of(self, place: int, name: str) -> list[str]:
        """Return the words of one facet of a row."""
        return [word for facet, word in self._facets_of.get(place, ()) if facet == name]

    def divided(self, aspects: Mapping[str, Sequence[Aspect]]) -> MemoryIndex:
        """Return this index with each of some entities taken apart, to be read only; nothing changes here."""
        ends = {
            entity: [(one.id, [self.ids[row] for row in one.rows], one.own) for one in parts]
            for entity, parts in aspects.items()
        }
        facets_of = dict(self._facets_of)
        words = {word: rows for word, rows in self.facets["entity"].items() if word not in aspects}
        for entity, parts in aspects.items():
            for one in parts:
                words[one.id] = dict.fromkeys(one.rows)
                for row in one.rows:
                    facets_of[row] = tuple(
                        ("entity", one.id) if pair == ("entity", entity) else pair for pair in facets_of[row]
                    )
        view = copy(self)
        view.entities, view.graph = self.entities.divided(aspects), self.graph.divided(ends)
        view.facets = {**self.facets, "entity": words}
        vars(view).update(_facets_of=facets_of)
        return view

    def all_facets_of(self, place: int) -> Sequence[tuple[str, str]]:
        """Return every ``(facet, word)`` of a row."""
        return self._facets_of.get(place, ())
