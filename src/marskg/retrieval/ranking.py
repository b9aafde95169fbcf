"""From the memories that a reader may see to a ranked list: searches, features, one score.

Guarantees: every number that orders is computed here, in float64 and row by row, so that it depends on the memory and
the query alone, and is kept as an integer of 1e-6; ties go to the earlier sequence (semantics I9). Each candidate comes
with each of its numbers. Sources: MemoryArchitect II.C.2 (weighted sum); Cormack et al. 2009 (reciprocal ranks).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.ontology.vocabulary import Tier
from marskg.retrieval.index import CLASSES, MICRO, SOURCES, TIERS
from marskg.retrieval.intent import Intent, infer
from marskg.retrieval.sight import Sight
from marskg.store.fading import Fading
from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from marskg.retrieval.index import MemoryIndex
    from marskg.retrieval.nearest import Nearest
    from marskg.retrieval.profile import Profile

#: What the rank of a memory in the latent tier is multiplied with.
_LATENT: Final = 0.5
#: Nearest memories that vote on the query's topic.
_VOTERS: Final = 20
#: Where the reader sees fewer than one row in this many, their vectors are copied out before they are compared.
_FEW: Final = 3
_FADING: Final = Fading()
#: Of the walk from what the query names. An entity of so many memories that each gets less than this says no more of
#: one of them than of the others.
_TOLERANCE: Final = 1e-3
#: The nearness to active tasks, and the number of edges, at which each makes half of what it can of importance.
_HALF_NEAR: Final = 0.01
_HALF_DEGREE: Final = 8
_SIMILAR: Final = ("similarity", "lexical", "graph")


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """What is asked: the text, its terms, its vector if there is one, when, and how scores fade until then."""

    text: str
    terms: tuple[str, ...]
    vector: npt.NDArray[np.float32] | None
    now: int
    fading: Fading = _FADING


@dataclass(frozen=True, slots=True)
class Ranked:
    """One candidate: its row, its score and each number behind it, as integers of 1e-6."""

    row: int
    score: int
    why: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best of ``total`` candidates, best first, and what was understood of the query."""

    found: tuple[Ranked, ...]
    total: int
    intent: Intent
    entities: tuple[str, ...]


def make_query(text: str, vector: npt.NDArray[np.float32] | None, now: int, fading: Fading = _FADING) -> Query:
    """Return what is asked by ``text``."""
    return Query(text, tuple(dict.fromkeys(terms(text))), vector, now, fading)


class Ranker:
    """Ranks the visible rows of one index for one query."""

    def __init__(
        self,
        index: MemoryIndex,
        mask: npt.NDArray[np.bool_],
        query: Query,
        profile: Profile,
        *,
        restricted: bool,
        bound: bool = False,
        percents: npt.NDArray[np.int64] | None = None,
        nearest: Nearest | None = None,
    ) -> None:
        """Rank the rows of ``mask`` for ``query`` by ``profile``; ``percents`` of each row's score count.

        A ``restricted`` reader must not learn whether there is more than they see, and one who is ``bound`` as little
        from what was read out of texts (:class:`~marskg.retrieval.sight.Sight`). Without ``nearest`` all vectors are
        compared.
        """
        self._restricted = restricted
        self._bound = bound
        self._percents = percents
        self._nearest = nearest
        self._index = index
        self._mask = mask
        self._query = query
        self._profile = profile

    def rank(self, limit: int, keep: int | None = None) -> Ranking:
        """Return up to ``limit`` candidates, with their numbers only the first ``keep``."""
        similar = self._similarities()
        intent = self._intent(similar)
        if self._profile.intent == "filter" and intent.tags:
            tagged = self._index.facet("tag", self._index.facets["tag"])
            self._mask = self._mask & (self._index.facet("tag", intent.tags) | ~tagged)
        left_out = "lexical" in self._profile.without and similar is not None
        asked = () if left_out else self._query.terms
        lexical = self._index.lexical.scores(asked, self._mask, self._index.columns["length"])
        sight = Sight(self._index, self._mask, bound=self._bound)
        entities = self._index.entities.find(self._query.text, sight.found_by(restricted=self._restricted))
        near = self._near(entities, sight)
        rows = self._candidates(similar, lexical, near, max(limit, self._profile.candidates))
        if not len(rows):
            return Ranking((), 0, intent, tuple(entities))
        features = self._features(rows, lexical, near, intent)
        found = self._scored(rows, features, limit if keep is None else min(limit, keep))
        return Ranking(found, min(limit, len(rows)), intent, tuple(entities))

    # --- Searches -------------------------------------------------------------------------------------------------

    def _similarities(self) -> npt.NDArray[np.float32] | None:
        """Return ``[rows]``: float32 similarities that choose candidates; the scores are computed anew."""
        vector = self._query.vector
        if vector is None or not self._index.dimension or not vector.any():
            return None
        if self._nearest is not None:
            return self._nearest.similarities(self._index, self._mask, vector, max(_VOTERS, self._profile.candidates))
        wanted = self._mask & self._index.columns["vectored"]
        held = self._index.vectors["vector"]
        rows = np.flatnonzero(wanted)
        if len(rows) * _FEW > len(held):
            # Not by @: the threads that a linear algebra library wakes for it take longer to meet than the sums take.
            found: npt.NDArray[np.float32] = np.einsum("ij,j->i", held, vector)
            found[~wanted] = -np.inf
            return found
        found = np.full(len(held), -np.inf, dtype=np.float32)
        found[rows] = np.einsum("ij,j->i", held[rows], vector)
        return found

    def _intent(self, similar: npt.NDArray[np.float32] | None) -> Intent:
        tags = self._index.facets["tag"]
        visible = [tag for tag, rows in tags.items() if any(self._mask[row] for row in rows)]
        nearest = []
        if similar is not None and visible:
            rows = _top(similar, _VOTERS)
            exact = self._exact(rows)
            order = np.lexsort((self._index.columns["sequence"][rows], -exact))
            nearest = [
                (float(exact[place]), self._index.facets_of(int(rows[place]), "tag")) for place in order.tolist()
            ]
        return infer(self._query.text, visible, nearest)

    def _near(self, entities: list[str], sight: Sight) -> dict[int, float]:
        """Return the rows around the entities that the query names, with the walk's scores."""
        if not entities or "graph" in self._profile.without:
            return {}
        walk = self._index.graph.walk(self._mask, sight)
        found = walk.near(dict.fromkeys(entities, 1.0), _TOLERANCE)
        rows = self._index.rows
        return {rows[node]: amount for node, amount in found.items() if node in rows}

    def _candidates(
        self,
        similar: npt.NDArray[np.float32] | None,
        lexical: npt.NDArray[np.float64],
        near: Mapping[int, float],
        limit: int,
    ) -> npt.NDArray[np.intp]:
        """Return the rows that one of the searches found, in the order of the index."""
        found = [np.fromiter(near, dtype=np.intp, count=len(near)), _top(lexical, limit, above=0.0)]
        if similar is not None:
            found.append(_top(similar, limit))
        rows: npt.NDArray[np.intp] = np.unique(np.concatenate(found))
        visible: npt.NDArray[np.intp] = rows[self._mask[rows]]
        return visible

    def _exact(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        """Return the similarity of ``rows``, each worked out alone, so that its neighbours in memory do not matter."""
        vector = self._query.vector
        if vector is None or not self._index.dimension:
            return np.zeros(len(rows))
        products: npt.NDArray[np.float64] = self._index.vectors["vector"][rows].astype(np.float64) * vector
        total: npt.NDArray[np.float64] = products.sum(axis=1)
        return total

    # --- Features -------------------------------------------------------------------------------------------------

    def _features(
        self,
        rows: npt.NDArray[np.intp],
        lexical: npt.NDArray[np.float64],
        near: Mapping[int, float],
        intent: Intent,
    ) -> dict[str, npt.NDArray[np.float64]]:
        """Return each feature of each candidate, from 0 to 1 but for BM25, which has no upper end."""
        held, profile = self._index.columns, self._profile
        age = np.maximum(0, self._query.now - held["validFrom"][rows]).astype(np.float64)
        boosts = np.array([profile.classes[item] for item in CLASSES])
        found = {
            "similarity": np.maximum(0.0, self._exact(rows)),
            "lexical": lexical[rows],
            "graph": _spread(near, rows),
            "key": self._keys(rows),
            "score": self._scores(rows) / 100.0,
            "class": boosts[held["memoryClass"][rows]],
            "recency": np.exp2(-age / profile.half_life),
            "intent": self._wanted(rows, intent),
        }
        if profile.weights.get("importance"):
            found["importance"] = self._importance(rows)
        return {name: found[name] for name in found if name in _SIMILAR or self._profile.weights.get(name)}

    def _importance(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        """Return the mean of how near each candidate is to active tasks, its degree, and the generality it states.

        The index of nearness is of the whole graph: who does not see all of it gets a walk through what he sees, and so
        does a restricted reader who happens to see all: the two differ within their tolerances, which would tell.
        """
        index, graph = self._index, self._index.graph
        sight = Sight(index, self._mask, bound=self._bound)
        ids = [index.ids[row] for row in rows.tolist()]
        if not self._restricted and self._mask[index.columns["alive"]].all():
            near = [graph.importance.of(ident) for ident in ids]
        else:
            starts = dict.fromkeys(filter(sight.sees, graph.importance.starts), 1.0)
            walked = graph.near(starts, sight) if starts else {}
            near = [walked.get(ident, 0.0) for ident in ids]
        degrees = [sum(count for other, count in graph.neighbours(ident).items() if sight.sees(other)) for ident in ids]
        nearness, degree = np.array(near), np.array(degrees, dtype=np.float64)
        general = index.columns["generalityScore"][rows] / MICRO
        total: npt.NDArray[np.float64] = (
            nearness / (nearness + _HALF_NEAR) + degree / (degree + _HALF_DEGREE) + general
        ) / 3
        return total

    def _scores(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        """Return the scores (0..100) as they are worth now: :meth:`marskg.store.fading.Fading.worth` of each."""
        held, fading = self._index.columns, self._query.fading
        idle = np.maximum(0, self._query.now - held["lastAccess"][rows] - fading.grace_ms).astype(np.float64)
        worth: npt.NDArray[np.float64] = np.floor(held["score"][rows] * np.exp2(-idle / fading.half_life_ms) + 0.5)
        return worth

    def _keys(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        """Return how much of each candidate's key the query says."""
        asked = set(self._query.terms)
        codes = self._index.columns["key"][rows]
        found = np.zeros(len(rows))
        for place in np.flatnonzero(codes >= 0).tolist():
            parts = _parts(self._index.words[codes[place]])
            found[place] = sum(part in asked for part in parts) / max(1, len(parts))
        return found

    def _wanted(self, rows: npt.NDArray[np.intp], intent: Intent) -> npt.NDArray[np.float64]:
        """Return 1 for candidates of the topics and sources that the query asks for."""
        found = self._index.facet("tag", intent.tags)[rows]
        if intent.sources:
            found |= np.isin(self._index.columns["sourceType"][rows], [SOURCES.index(item) for item in intent.sources])
        return found.astype(np.float64)

    # --- Scores ---------------------------------------------------------------------------------------------------

    def _scored(
        self, rows: npt.NDArray[np.intp], features: Mapping[str, npt.NDArray[np.float64]], limit: int
    ) -> tuple[Ranked, ...]:
        micro = {name: np.rint(values * MICRO).astype(np.int64) for name, values in features.items()}
        sequence = self._index.columns["sequence"][rows]
        total = np.zeros(len(rows))
        for name, weight in self._profile.weights.items():
            if weight and name in micro:
                total += weight * self._part(name, micro[name], sequence)
        total *= np.where(self._index.columns["tier"][rows] == TIERS.index(Tier.LATENT), _LATENT, 1.0)
        score = np.rint(total * MICRO).astype(np.int64)
        if self._percents is not None:
            score = score * self._percents[rows] // 100
        order = np.lexsort((sequence, -score))[:limit]
        names, numbers = tuple(micro), np.stack(list(micro.values()), axis=1)[order].tolist()
        return tuple(
            Ranked(row, points, dict(zip(names, values, strict=True)))
            for row, points, values in zip(rows[order].tolist(), score[order].tolist(), numbers, strict=True)
        )

    def _part(
        self, name: str, values: npt.NDArray[np.int64], sequence: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """Return what one feature adds before its weight, from 0 to 1."""
        if self._profile.fusion == "reciprocal" and name in _SIMILAR:
            order = np.lexsort((sequence, -values))
            rank = np.empty(len(values), dtype=np.int64)
            rank[order] = np.arange(len(values))
            constant = self._profile.constant
            part: npt.NDArray[np.float64] = np.where(values > 0, (constant + 1) / (constant + 1 + rank), 0.0)
            return part
        if name == "lexical":
            return values / max(1, int(values.max()))
        return values / MICRO


@lru_cache(maxsize=10_000)
def _parts(key: str) -> tuple[str, ...]:
    """Return the index terms of the parts of a key."""
    return tuple(terms(key.replace("/", " ").replace("_", " ")))


def _spread(near: Mapping[int, float], rows: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """Return what ``near`` says of each of ``rows``, 0 where it says nothing."""
    return np.array([near.get(row, 0.0) for row in rows.tolist()]) if near else np.zeros(len(rows))


def _top(
    values: npt.NDArray[np.float32] | npt.NDArray[np.float64], limit: int, *, above: float = -np.inf
) -> npt.NDArray[np.intp]:
    """Return the rows of the ``limit`` highest values that are higher than ``above``, in no order."""
    rows = np.flatnonzero(values > above)
    if len(rows) <= limit:
        return rows
    chosen: npt.NDArray[np.intp] = rows[np.argpartition(-values[rows], limit - 1)[:limit]]
    return chosen
