"""From the memories that a reader may see to a ranked list: searches, features, one score.

Guarantees: every number that orders is computed here, in float64 and row by row, so that it depends on the memory and
the query alone, and is kept as an integer of 1e-6; ties go to the earlier sequence (semantics I9). Each candidate comes
with each of its numbers. Sources: MemoryArchitect II.C.2 (weighted sum); Cormack et al. 2009 (reciprocal ranks).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from marskg.language.answering.kinds import kind_asked, without_answer
from marskg.language.en.diets import WARNINGS
from marskg.language.en.topics import is_derived, topics_of
from marskg.language.en.wording import about, asks_advice, asks_by_time
from marskg.ontology.vocabulary import RELIABILITY, SourceType, Tier
from marskg.retrieval.access.visibility import Sight
from marskg.retrieval.index.memory_index import CLASSES, MICRO, SOURCES, TIERS
from marskg.retrieval.index.nearest import cosines
from marskg.retrieval.query.crowded import uncrowded
from marskg.retrieval.query.document_evidence import BELOW, WRITTEN, Bearing, Order, ordered
from marskg.retrieval.query.in_context import nearer_in_context
from marskg.retrieval.query.intent import Intent, infer
from marskg.retrieval.query.newer import LOOKED_AT, Asked, adding, carried, newer_of, weights_of
from marskg.retrieval.query.outlived import inherited, lifted
from marskg.retrieval.query.question_parts import QuestionParts, Visible
from marskg.retrieval.query.relevance import BESIDE_BEST, COVERAGE, EARLY, FILLING, OWN_EVIDENCE, STANDING, Among
from marskg.retrieval.query.relevance import WORDS as UNCALIBRATED
from marskg.retrieval.query.respelled import respelled, with_spellings
from marskg.retrieval.query.soft_match import Said, soft_match
from marskg.store.rows.score_decay import Fading
from marskg.text import term_set, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy.typing as npt

    from marskg.language.spans import Part
    from marskg.language.times import Period
    from marskg.retrieval.index.lexical import Respelled
    from marskg.retrieval.index.memory_index import MemoryIndex
    from marskg.retrieval.index.nearest import Nearest
    from marskg.retrieval.query.newer import Newer, Weights
    from marskg.retrieval.query.outlived import Outlived
    from marskg.retrieval.query.profile import Profile
    from marskg.retrieval.query.relevance import Calibration

#: What the rank of a memory in the latent tier is multiplied with.
_LATENT: Final = 0.5
#: Nearest memories that vote on the query's topic.
_VOTERS: Final = 20
_FADING: Final = Fading()
#: Of the walk from what the query names. An entity of so many memories that each gets less than this says no more of
#: one of them than of the others.
_TOLERANCE: Final = 1e-3
#: The nearness to active tasks, and the number of edges, at which each makes half of what it can of importance.
_HALF_NEAR: Final = 0.01
_HALF_DEGREE: Final = 8
#: The mark of what fills a budget without clearing the floor by itself: not using it teaches nothing.
WEAK: Final[Mapping[str, int]] = MappingProxyType({"relevant": 0})
#: The share of a question's words that is all of them, but for rounding.
_ALL: Final = 1 - 1e-9
#: What an id or a key in the question is worth, in shares of its words: no doubt is left.
_SURE: Final = 10.0
#: What being an entry of the ledger that a sum is asked of is worth, in keys that the question says whole.
_MEANT: Final = 3.0
#: The first part of the keys that hold what people like.
_TASTES: Final = ("preference", "preferences")
#: One in so many rows tells roughly how high the highest are.
_SAMPLED: Final = 16
_SIMILAR: Final = ("similarity", "lexical", "graph")
#: What the scale of the vectors' model multiplies.
_COSINES: Final = ("similarity", "context")
#: What it adds to the similarity of a text that the name of whom it is about, and who is asked about, stands not in it:
#: as much as texts are nearer that begin with "Name:".
_NAME: Final = 0.15
#: The share of what was learned from a turn that the turn's own scores are at least (ADR 63).
_SPOKEN: Final = 0.5
#: Where the sum of weighed features stands for one in two, and how many units of it for a change by the factor e.
_EVEN: Final = 4.0
_UNIT: Final = 3.0
#: The topic in which what somebody must not have counts, whoever it is.
_FOOD: Final = "topic:food"
_OWN: Final = SOURCES.index(SourceType.CHAT_USER)
_OWN_WORD: Final = round(RELIABILITY[SourceType.CHAT_USER] * MICRO)
#: How likely the user's own words bear on the question where they go before what is less reliable; and how many of them
#: are looked at whatever else there is.
_BEARS: Final = 0.5
_HEARD: Final = 50
#: Points above the score of what is proven that would count as much as the whole way from 0 to 100 did: few wrong words
#: of praise come so far, and what was only shown in vain is no worse than what was never shown (ADR 79).
_WHOLE: Final = 200.0
#: A name that tells one memory from the others less than this (by its idf, at most 1) is not walked from.
_TELLING: Final = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """What is asked: the text, its terms, its vector if there is one, when, and how scores fade until then.

    ``periods`` are the times that it names; ``early`` is its vector by what stands for vectors that take long.
    """

    text: str
    terms: tuple[str, ...]
    vector: npt.NDArray[np.float32] | None
    now: int
    fading: Fading = _FADING
    periods: tuple[Period, ...] = ()
    early: npt.NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """One candidate: its row, its score and each number behind it, as integers of 1e-6.

    ``certain`` is whether it is sure enough to bear on the query.
    """

    row: int
    score: int
    why: Mapping[str, int]
    certain: bool = True


_NOWHERE: Final = Among(0)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best of ``total`` candidates, best first, and what was understood of the query.

    ``answers`` has the row of the turn right before one of them in its session, as far as it is seen, where that asks.
    """

    found: tuple[Ranked, ...]
    total: int
    intent: Intent
    entities: tuple[str, ...]
    answers: Mapping[int, int]
    #: Of each of them that has several passages, the number of the one that says most.
    passages: Mapping[int, int]
    #: Of each candidate that says what holds no longer, the parts of its text that do.
    cuts: Mapping[int, tuple[Part, ...]]
    #: Of each of them that another outdates perhaps, which other.
    newer: Mapping[int, Newer]
    #: How likely it is that something here bears on the query, from 0 to 1; the evidence of the best, and among what.
    confidence: float = 0.0
    evidence: float = 0.0
    among: Among = _NOWHERE


#: The scores of a search, by row, and the rows of the highest.
_Top: TypeAlias = "tuple[npt.NDArray[Any], npt.NDArray[np.intp]]"


class _Best(NamedTuple):
    """The best rows, best first: their places among the candidates, the rows, and their scores in 1e-6."""

    order: npt.NDArray[np.intp]
    rows: npt.NDArray[np.intp]
    scores: npt.NDArray[np.int64]


def make_query(
    text: str,
    vector: npt.NDArray[np.float32] | None,
    now: int,
    fading: Fading = _FADING,
    periods: tuple[Period, ...] = (),
    *,
    early: npt.NDArray[np.float32] | None = None,
) -> Query:
    """Return what is asked by ``text``."""
    return Query(text, tuple(dict.fromkeys(terms(text))), vector, now, fading, periods, early)


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
        calibration: Calibration = UNCALIBRATED,
        floor: float = 0.0,
        strict: bool = False,
        outlived: Outlived | None = None,
        newer: Weights | None = None,
        meant: npt.NDArray[np.intp] | None = None,
    ) -> None:
        """Rank the rows of ``mask`` for ``query`` by ``profile``; ``percents`` of each row's score count.

        A ``restricted`` reader must not learn whether there is more than they see, and one who is ``bound`` as little
        from what was read out of texts (:class:`~marskg.retrieval.access.visibility.Sight`). Without ``nearest`` all
        vectors are compared. ``calibration`` is that of the model that made the vectors; where there is a ``floor``
        of confidence, what is below it stands after what is not, and is marked; a ``strict`` one leaves it out. Turns
        that are ``outlived`` give way to their facts. ``meant`` are the rows of the entries that a sum is asked of, and
        of the goals that it is compared with.
        """
        self._restricted = restricted
        self._bound = bound
        self._percents = percents
        self._nearest = nearest
        self._index = index
        self._mask = mask
        self._query = query
        self._profile = profile
        self._calibration = UNCALIBRATED if query.vector is None else calibration
        self._scale = self._calibration.scale
        self._floor = floor
        self._strict = strict
        self._outlived = outlived
        self._newer = newer
        self._meant = np.zeros(0, dtype=np.intp) if meant is None else meant
        self._among = _NOWHERE
        # What is looked up of the query.
        self._terms: tuple[str, ...] = ()
        self._spelled: Respelled = {}
        self._heard = Said(np.zeros(0), np.zeros(0), np.zeros(0))
        self._see()
        # However few a filter leaves later, how near they are stays.
        self._early = self._provisional()
        self._asked_of: dict[str, npt.NDArray[np.float64]] = {}
        # What was learned from turns that are ranked: its row, and theirs.
        self._spoken: dict[int, list[int]] = {}

    def _see(self) -> None:
        """Look at what the mask shows now."""
        query, profile = self._query, self._profile
        self._visible = Visible(self._index, self._mask, self._index.turns.beside(self._mask))
        held = self._index.columns
        # What asks says nothing that another could contradict.
        self._own = self._mask & (held["sourceType"] == _OWN) & held["states"]
        self._yields = self._mask & (held["sourceType"] != _OWN) & (held["reliability"] < _OWN_WORD)
        self._parts = QuestionParts(self._visible, query.text, profile.weights, query.periods, unsaid=profile.linear)
        # A fact that was learned from a turn says what that says.
        learned = self._mask & held["learned"]
        self._among = max(self._sought(learned), self._sought(self._mask & ~learned))

    def _provisional(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
        """Return the rows whose vectors are not made yet, and how similar they are by what stands for these."""
        early, held = self._query.early, self._index.provisional
        if early is None or not len(held) or not self._calibration.vectors:
            return np.zeros(0, dtype=np.intp), np.zeros(0)
        rows, similar = held.similarities(early)
        return rows, self._calibration.bridged(similar, EARLY, self._among)

    def rank(self, limit: int) -> Ranking:
        """Return up to ``limit`` candidates."""
        similar = self._similarities()
        intent = self._intent(similar)
        if self._profile.intent == "filter" and intent.tags:
            tagged = self._index.facet("tag", self._index.facets["tag"])
            self._mask = self._mask & (self._index.facet("tag", intent.tags) | ~tagged)
            self._see()
        asked = self._query.terms if not self._profile.linear else about(self._query.text, self._query.terms)
        self._terms = () if "lexical" in self._profile.without and similar is not None else asked
        self._heard = self._said()
        self._asked_of = self._parts.of_rows(self._terms, self._spelled)
        lexical = self._heard.rows
        sight = Sight(self._index, self._mask, bound=self._bound)
        found_by = sight.found_by(restricted=self._restricted)
        entities = self._index.entities.with_guesses(self._index.entities.find(self._query.text, found_by), found_by)
        near = self._near(entities, sight)
        most = max(limit, self._profile.candidates)
        tops = self._summed_tops(similar, lexical, most) if self._profile.linear else self._tops(similar, lexical, most)
        rows = self._candidates(tops, near, most)
        if not len(rows):
            return Ranking((), 0, intent, tuple(entities), {}, {}, {}, {})
        lexical = lifted(lexical, self._spoken, _SPOKEN) if self._spoken else lexical
        # In whose place others stand: what is over of turns.
        left = {} if self._outlived is None else self._outlived.left(rows)
        heirs = {row: one.heirs for row, one in left.items()} if left else {}
        gone = [row for row, one in left.items() if not one.cut] if left else []
        if heirs:
            rows = np.union1d(rows, [fact for facts in heirs.values() for fact in facts]).astype(np.intp)
        features = self._features(rows, self._similarity(rows), lexical, near, intent)
        if len(self._meant):
            features["key"] = self._key_of_meant(rows, features["key"])
        said = self._evidence(rows, features)
        evidence = np.maximum(
            said,
            self._learned_evidence(lexical, near, intent)[rows] if self._spoken else -np.inf,
        )
        total = inherited(self._scored(rows, features), rows, heirs)
        evidence = inherited(evidence, rows, heirs)
        stay = ~np.isin(rows, gone)
        likely = np.where(stay, self._likely(rows, evidence), 0.0)
        total, written = self._yielding(rows, total, np.where(stay, said, -np.inf), intent)
        confidence = _highest(likely)
        sure = confidence >= self._floor or not self._calibration.vectors
        certain = (self._fills(rows, features, evidence, intent) | written) & sure
        newer = self._newer_of(rows[stay], _after(total, certain)[stay])
        # Whoever outdates another bears on the question as much as that does.
        certain, likely = carried(certain, rows, newer), carried(likely, rows, newer)
        # Who asks for precision gets nothing that is less likely to bear than the best has to be.
        kept = certain & stay & (likely >= self._floor) if self._strict else stay
        features = {name: values[kept] for name, values in features.items()}
        best = self._best(rows[kept], _after(total[kept], certain[kept]), limit)
        marks = self._marks(likely[kept], certain[kept])
        found = _numbered(best, features, marks)
        cuts = {row: one.cut for row, one in left.items() if one.cut} if left else {}
        held = min(limit, len(rows)), intent, tuple(entities), self._asked_before(best.rows), self._telling(found)
        return Ranking(found, *held, cuts, newer, confidence, _highest(evidence[stay]), self._among)

    def _newer_of(self, rows: npt.NDArray[np.intp], total: npt.NDArray[np.float64]) -> dict[int, Newer]:
        """Return those of ``rows`` that another of the best by ``total`` outdates perhaps, with that one."""
        vector = self._query.vector
        if self._newer is None or vector is None or not self._index.dimension:
            return {}
        early, standing = self._query.early, weights_of(STANDING)
        says = self._heard.covered
        standing_for = None if early is None or standing is None else Asked(early, standing, says)
        best = self._best(rows, total, LOOKED_AT).rows
        best = best[~adding(self._index, best, self._mask)]
        return newer_of(self._index, best, Asked(vector, self._newer, says), standing_for)

    def _marks(self, likely: npt.NDArray[np.float64], certain: npt.NDArray[np.bool_]) -> _Marks:
        """Return what is said of candidates that are so ``likely`` to bear: what is not certain is weak as well."""
        return _Marks(~certain | ((likely < self._floor) & self._calibration.vectors), certain)

    def _asked_before(self, rows: npt.NDArray[np.intp]) -> dict[int, int]:
        """Return the row of the turn that asks, for each of ``rows`` that stands right after one."""
        before = self._visible.beside.before[rows]
        asks = (before >= 0) & self._index.columns["asks"][before]
        return dict(zip(rows[asks].tolist(), before[asks].tolist(), strict=True))

    def _telling(self, ranked: Iterable[Ranked]) -> dict[int, int]:
        """Return, by row, the passage that says most of each of ``ranked`` that has several."""
        passages, vector, weights = self._index.passages, self._query.vector, self._profile.weights
        found = {}
        for row in (one.row for one in ranked):
            first, end = passages.spans.get(row, (0, 0))
            if first == end or not self._profile.linear:
                continue
            total = weights["lexical"] * self._heard.passages[first:end]
            if vector is not None and passages.columns["vectored"][first]:
                total = total + weights["similarity"] * self._scale * np.vecdot(
                    passages.vectors["vector"][first:end], vector
                )
            found[row] = int(np.argmax(total))
        return found

    def _sought(self, mask: npt.NDArray[np.bool_]) -> Among:
        """Return among what the best of the rows of ``mask`` is sought: their passages, or they themselves."""
        owner = self._index.passages.columns["row"]
        parts = mask[owner] & (owner >= 0)
        of_long = int(parts.sum())
        # The passages of a row stand one after another.
        long = int((parts & (np.diff(owner, prepend=-1) != 0)).sum())
        passages = int(mask.sum()) - long + of_long
        return Among(passages, of_long / max(1, passages))

    def _evidence(
        self, rows: npt.NDArray[np.intp], features: Mapping[str, npt.NDArray[np.float64]]
    ) -> npt.NDArray[np.float64]:
        """Return what each of ``rows`` says for the query: similarity, its words, and whether it is asked for."""
        covered = self._heard.covered[rows]
        # Who looks for words finds what has them all, however little it is like them.
        said = covered + (covered > _ALL if len(self._terms) > 1 else 0) + _asked_for(features)
        said += _SURE * features.get("exact", 0.0)
        if "period" in features and asks_by_time(self._terms):
            said += _SURE * features["period"]
        if not self._calibration.vectors:
            return said
        evidence: npt.NDArray[np.float64] = features["similarity"] + COVERAGE * said
        return evidence

    def _similarity(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        """Return the similarity of ``rows`` with what a name adds, turns no lower than a share of what they taught."""
        if not self._profile.linear or not self._spoken:
            return self._exact_by_row(rows)[rows]
        return lifted(self._exact_by_row(np.union1d(rows, [*self._spoken])), self._spoken, _SPOKEN)[rows]

    def _learned_evidence(
        self,
        lexical: npt.NDArray[np.float64],
        near: Mapping[int, float],
        intent: Intent,
    ) -> npt.NDArray[np.float64]:
        """Return, by row, what a turn says for the query in the words of what was learned from it."""
        found = np.full(len(self._mask), -np.inf)
        facts = np.array(sorted(self._spoken), dtype=np.intp)
        features = self._features(facts, self._exact_by_row(facts)[facts], lexical, near, intent)
        found[facts] = self._evidence(facts, features)
        return lifted(found, self._spoken, 1.0)

    def _likely(self, rows: npt.NDArray[np.intp], evidence: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return how likely it is that each of ``rows``, as the best of all, bears on the query.

        Where it asks for something to somebody's taste, the best of their tastes is sought among these alone.
        """
        likely = self._calibration.confidence(evidence, self._among)
        tastes = np.isin(rows, self._tastes())
        if tastes.any():
            likely[tastes] = self._calibration.confidence(evidence[tastes], Among(int(tastes.sum())))
        return likely

    def _yielding(
        self,
        rows: npt.NDArray[np.intp],
        total: npt.NDArray[np.float64],
        evidence: npt.NDArray[np.float64],
        intent: Intent,
    ) -> Order:
        """Return ``total`` with what is less reliable below the user's own words that bear on the question (ADR 73).

        What others wrote, and nobody vouched for, may be made to be found: its order stays, its scores shrink. What the
        question asks for by its source does not yield, and a document yields to what answers alone (ADR 103).
        """
        held = self._index.columns
        yields = self._yields[rows] & ~np.isin(held["sourceType"][rows], [*map(SOURCES.index, intent.sources)])
        if not yields.any():
            return Order(total, np.zeros(len(rows), dtype=np.bool_))
        # As the best of the user's words alone: what others write is not to make them less likely.
        written = yields & np.isin(held["sourceType"][rows], WRITTEN)
        likely = np.where(
            written,
            self._calibration.confidence(evidence, self._sought(self._yields)),
            self._calibration.confidence(evidence, self._sought(self._own & ~held["learned"])),
        )
        bears = likely >= max(self._floor, _BEARS)
        kind = kind_asked(self._query.text)
        empty = without_answer(kind, held["tells"][rows])
        said = Bearing(evidence, self._own[rows], bears, empty, self._heard.covered[rows] > _ALL, kind != 0)
        return ordered(total, said, yields, written)

    def _fills(
        self,
        rows: npt.NDArray[np.intp],
        features: Mapping[str, npt.NDArray[np.float64]],
        evidence: npt.NDArray[np.float64],
        intent: Intent,
    ) -> npt.NDArray[np.bool_]:
        """Return which rows may fill a budget: what the question asks for by name, and what bears on it enough.

        A turn has some evidence of its own, or stands right beside one of the best, as it means little without what was
        said around it. What stands alone has enough of what the best has, comes from something that has, or warns.
        """
        if not self._floor or not self._calibration.vectors or not self._profile.linear:
            return np.ones(len(evidence), dtype=np.bool_)
        best = evidence >= BESIDE_BEST * evidence.max(initial=0.0)
        turns = self._index.turns.are(rows)
        enough = np.zeros(len(self._mask), dtype=np.bool_)
        stands = (turns & self._beside_best(rows, evidence, best)) | best
        # Who passes anyway need not warn, and to look costs as much as a long question.
        enough[rows] = stands if stands.all() else stands | self._warns(rows)
        if derived := self._index.facets["source"]:
            for row in rows[best].tolist():
                enough[[*derived.get(self._index.ids[row], ())]] = True
        evidence = self._with_neighbours(rows, evidence)
        fills: npt.NDArray[np.bool_] = enough[rows] & (self._calibration.confidence(evidence, self._among) >= FILLING)
        # A topic that only the nearest have was not asked for.
        by_name = {**features, "intent": self._wanted(rows, replace(intent, tags=()))} if intent.voted else features
        return fills | (_asked_for(by_name) > 0) | (features["graph"] > 0)

    def _beside_best(
        self, rows: npt.NDArray[np.intp], evidence: npt.NDArray[np.float64], best: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.bool_]:
        """Return which rows have evidence of their own beside the best, or stand right before or after one of them."""
        there = np.zeros(len(self._mask) + 1, dtype=np.bool_)
        there[rows[best]] = True
        found: npt.NDArray[np.bool_] = evidence >= OWN_EVIDENCE * evidence.max(initial=0.0)
        for beside in (self._visible.beside.before, self._visible.beside.after):
            found |= there[beside[rows]]  # -1 for none is the last place, where nothing is
        return found

    def _with_neighbours(
        self, rows: npt.NDArray[np.intp], evidence: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Return the evidence of each row or of a neighbour, whichever is more."""
        there, most = np.zeros(len(self._mask)), evidence
        there[rows] = evidence
        for beside in (self._visible.beside.before, self._visible.beside.after):
            row = beside[rows]
            most = np.maximum(most, np.where(row >= 0, there[row], 0.0))
        return most

    def _warns(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Return which rows tell of an allergy and the like, and have a word of the question, such as who it is about.

        Whoever cooks for two is not told of the one alone because a third memory names both, and whoever cooks for all
        of them is told of each.
        """
        warns = np.zeros(len(self._mask), dtype=np.bool_)
        for term in term_set(WARNINGS):
            warns[self._index.lexical.rows(term)] = True
        found: npt.NDArray[np.bool_] = warns[rows]
        named = found & (self._heard.covered[rows] > 0)
        return found if not named.any() and _FOOD in topics_of(self._query.text) else named

    # --- Searches -------------------------------------------------------------------------------------------------

    def _similarities(self) -> npt.NDArray[np.float32] | None:
        """Return ``[rows]``: float32 similarities that choose candidates; the scores are computed anew."""
        vector = self._query.vector
        if vector is None or not self._index.dimension or not vector.any():
            return None
        wanted = self._mask & self._index.columns["vectored"]
        if self._nearest is not None:
            found = self._nearest.similarities(self._index, self._mask, vector, max(_VOTERS, self._profile.candidates))
        else:
            found = cosines(self._index.vectors["vector"], vector, wanted)
        best = self._best_passages(found, vector, wanted)
        rows, similar = self._early
        best[rows] = np.where(self._mask[rows], similar, -np.inf)
        return best

    def _best_passages(
        self, found: npt.NDArray[np.float32], vector: npt.NDArray[np.float32], wanted: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.float32]:
        """Return ``found`` with the similarity of its best passage for each long row of those ``wanted``."""
        passages = self._index.passages
        if not len(passages) or not self._profile.linear:
            return found
        owner = passages.columns["row"]
        there = passages.columns["vectored"] & wanted[owner]
        near = np.where(there, cosines(passages.vectors["vector"], vector, there), found[owner])
        near[owner < 0] = -np.inf
        return passages.best(near, found)

    def _intent(self, similar: npt.NDArray[np.float32] | None) -> Intent:
        filters = self._profile.intent == "filter"
        tags = {tag: rows for tag, rows in self._index.facets["tag"].items() if filters or not is_derived(tag)}
        # A topic of all that is seen, such as one that was filtered for, tells none of it from the rest.
        every = int(self._mask.sum())
        visible = {
            tag
            for tag, rows in tags.items()
            if any(self._mask[row] for row in rows) and (len(rows) < every or self._mask[[*rows]].sum() < every)
        }
        nearest = []
        if similar is not None and visible:
            rows = _top(similar, _VOTERS, self._index.columns["sequence"])
            exact = self._exact(rows)
            order = np.lexsort((self._index.columns["sequence"][rows], -exact))
            nearest = [
                (float(exact[place]), sorted(visible.intersection(self._index.facets_of(int(rows[place]), "tag"))))
                for place in order.tolist()
            ]
        return infer(self._query.text, visible, nearest)

    def _near(self, entities: list[str], sight: Sight) -> dict[int, float]:
        """Return the rows around the entities that the query names, with the walk's scores."""
        if not entities or "graph" in self._profile.without or not self._profile.weights["graph"]:
            return {}
        starts = dict.fromkeys(entities, 1.0)
        if self._profile.linear:
            rare = {entity: self._visible.rarity(self._index.facet("entity", (entity,))) for entity in entities}
            starts = {entity: amount for entity, amount in rare.items() if amount >= _TELLING}
        if not starts:
            return {}
        walk = self._index.graph.walk(self._mask, sight)
        found = walk.near(starts, _TOLERANCE)
        rows = self._index.rows
        return {rows[node]: amount for node, amount in found.items() if node in rows}

    def _tops(self, similar: npt.NDArray[np.float32] | None, lexical: npt.NDArray[np.float64], most: int) -> list[_Top]:
        """Return the best rows by words and by meaning, up to ``most`` each."""
        sequence = self._index.columns["sequence"]
        found: list[_Top] = [(lexical, _top(lexical, most, sequence, above=0.0))]
        if similar is not None:
            found.append((similar, _top(similar, most, sequence)))
        return found

    def _said(self) -> Said:
        """Look up in which spellings the question's words stand; returns how much of it each row says."""
        self._spelled = respelled(self._index, self._mask, self._query.text, self._terms)
        named = self._parts.people.terms
        if self._profile.linear:
            return soft_match(
                self._index, self._visible.beside, self._mask, self._terms, also=named, spelled=self._spelled
            )
        lexical = self._index.lexical
        spelled = with_spellings(self._index, self._spelled, {})
        scores = lexical.scores(self._terms, self._mask, self._index.columns["length"], spelled)
        covered = lexical.coverage(self._terms, self._mask, with_spellings(self._index, self._spelled, named))
        return Said(scores, np.zeros(0), covered)

    def _other_terms(self) -> frozenset[str]:
        """Return the terms that those of the query are spelled as."""
        return frozenset(other for others in self._spelled.values() for _, other in others)

    def _summed_tops(
        self,
        similar: npt.NDArray[np.float32] | None,
        lexical: npt.NDArray[np.float64],
        most: int,
    ) -> list[_Top]:
        """Return the best rows by the sum of what costs little to know of every row."""
        weights = self._profile.weights
        total = weights["lexical"] * lexical
        if similar is not None:
            total += weights["similarity"] * self._scale * np.maximum(0.0, similar)
            if self._parts.people.rows:
                total += weights["similarity"] * self._scale * _NAME * self._parts.people.unsaid
        features = self._asked_of
        for name, values in features.items():
            total += weights[name] * values
        if similar is None:  # Words alone say what bears on it, or that it is what is asked for.
            silent = (features.get(name, lexical) <= 0 for name in ("period", "exact"))
            total[(lexical <= 0) & np.logical_and.reduce([*silent])] = -np.inf
        total[~self._mask] = -np.inf
        total = uncrowded(total, self._index.columns)
        sequence = self._index.columns["sequence"]
        tops = [(total, _top(total, most, sequence))]
        if self._yields.any():  # However much of it there is, the user's own words are not crowded out.
            own = np.where(self._own, total, -np.inf)
            tops.append((own, _top(own, _HEARD, sequence)))
        return tops

    def _candidates(self, tops: Iterable[_Top], near: Mapping[int, float], limit: int) -> npt.NDArray[np.intp]:
        """Return the rows that one of the searches found, up to ``limit`` of each of ``tops``, in index order."""
        sequence = self._index.columns["sequence"]
        found = [np.fromiter(near, dtype=np.intp, count=len(near)), self._tastes()]
        if len(self._meant):
            found += [self._meant, self._told_by()]
        found += [top[_top(values[top], limit, sequence[top])] for values, top in tops]
        rows: npt.NDArray[np.intp] = np.unique(np.concatenate(found))
        visible: npt.NDArray[np.intp] = rows[self._mask[rows]]
        if self._outlived is None:
            return visible
        spoken = self._outlived.spoken(visible)
        self._spoken = self._spoken or spoken
        return visible[~np.isin(visible, [*spoken])] if spoken else visible

    def _told_by(self) -> npt.NDArray[np.intp]:
        """Return the rows of the turns that say what is meant."""
        index = self._index
        turns = (index.rows.get(one, -1) for row in self._meant.tolist() for one in index.facets_of(row, "source"))
        return np.array(sorted({row for row in turns if row >= 0}), dtype=np.intp)

    def _key_of_meant(self, rows: npt.NDArray[np.intp], keys: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return ``keys``, how much of each key of ``rows`` the query says, with what is meant by its family instead.

        The turn that an entry was learned from is meant as the entry is.
        """
        found = np.zeros(len(self._mask))
        found[rows] = keys
        found[self._meant] = _MEANT
        return lifted(found, self._spoken, 1.0)[rows]

    def _tastes(self) -> npt.NDArray[np.intp]:
        """Return the rows of what people like, where the query asks for something to their taste."""
        if not self._profile.linear or not asks_advice(self._query.text):
            return np.zeros(0, dtype=np.intp)
        keys = self._index.facets["key"]
        rows = [row for key, held in keys.items() if key.partition("/")[0] in _TASTES for row in held]
        return np.array(sorted(rows), dtype=np.intp)

    def _exact_by_row(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        """Return, by row of the index, the similarity of ``rows`` with what a name adds; 0 of all others."""
        found = np.zeros(len(self._mask))
        found[rows] = self._exact(rows) + _NAME * self._parts.people.unsaid[rows]
        return found

    def _exact(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        """Return the similarity of ``rows``, each worked out alone, so that its neighbours in memory do not matter."""
        vector = self._query.vector
        if vector is None or not self._index.dimension:
            return np.zeros(len(rows))
        asked, passages = vector.astype(np.float64), self._index.passages
        total: npt.NDArray[np.float64] = np.vecdot(self._index.vectors["vector"][rows], asked)
        early, similar = self._early
        if len(early):
            there = np.isin(rows, early)
            total[there] = similar[np.searchsorted(early, rows[there])]
        if not self._profile.linear or not len(passages):
            return total
        for place, row in enumerate(rows.tolist()):
            first, end = passages.spans.get(row, (0, 0))
            if first < end and passages.columns["vectored"][first]:
                best = float(np.vecdot(passages.vectors["vector"][first:end], asked).max())
                total[place] = best - self._calibration.chance * float(np.log(end - first))
        return total

    # --- Features -------------------------------------------------------------------------------------------------

    def _features(
        self,
        rows: npt.NDArray[np.intp],
        exact: npt.NDArray[np.float64],
        lexical: npt.NDArray[np.float64],
        near: Mapping[int, float],
        intent: Intent,
    ) -> dict[str, npt.NDArray[np.float64]]:
        """Return each feature of each candidate, from 0 to 1 but for what adds up idfs, which has no upper end.

        ``exact`` are the similarities of ``rows``.
        """
        found = {
            "similarity": np.maximum(0.0, exact),
            "lexical": lexical[rows],
            "graph": _spread(near, len(self._mask))[rows],
            **{name: values[rows] for name, values in self._asked_of.items()},
            **self._known(rows, intent),
        }
        if self._profile.weights.get("context") and self._query.vector is not None and self._index.dimension:
            found["context"] = nearer_in_context(
                self._index, self._visible.beside, rows, self._query.vector, found["similarity"]
            )
        return {name: found[name] for name in found if name in _SIMILAR or self._profile.weights.get(name)}

    def _known(self, rows: npt.NDArray[np.intp], intent: Intent) -> dict[str, npt.NDArray[np.float64]]:
        """Return the features, from 0 to 1, that no search gives."""
        held, profile = self._index.columns, self._profile
        age = np.maximum(0, self._query.now - held["validFrom"][rows]).astype(np.float64)
        boosts = np.array([profile.classes[item] for item in CLASSES])
        worth = self._scores(rows)
        found = {
            "key": self._keys(rows),
            "score": np.maximum(0.0, worth - self._query.fading.proven) / _WHOLE if profile.linear else worth / 100.0,
            "class": boosts[held["memoryClass"][rows]],
            "recency": np.exp2(-age / profile.half_life),
            "intent": self._wanted(rows, intent),
        }
        if profile.weights["importance"]:
            found["importance"] = self._importance(rows)
        return found

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
        """Return the scores (0..100) as they are worth now (:mod:`marskg.store.rows.score_decay`)."""
        held, fading = self._index.columns, self._query.fading
        idle = np.maximum(0, self._query.now - held["lastAccess"][rows] - fading.grace_ms).astype(np.float64)
        worth: npt.NDArray[np.float64] = np.floor(held["score"][rows] * np.exp2(-idle / fading.half_life_ms) + 0.5)
        return worth

    def _keys(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        """Return how much of each candidate's key the query says."""
        asked = self._other_terms().union(self._query.terms)
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
        found |= np.isin(rows, self._tastes())
        return found.astype(np.float64)

    # --- Scores ---------------------------------------------------------------------------------------------------

    def _scored(
        self, rows: npt.NDArray[np.intp], features: Mapping[str, npt.NDArray[np.float64]]
    ) -> npt.NDArray[np.float64]:
        if self._profile.linear:
            return self._summed(rows, features)
        micro = {name: np.rint(values * MICRO).astype(np.int64) for name, values in features.items()}
        sequence = self._index.columns["sequence"][rows]
        total = np.zeros(len(rows))
        for name, weight in self._profile.weights.items():
            if weight and name in micro:
                total += weight * self._part(name, micro[name], sequence)
        return total

    def _best(self, rows: npt.NDArray[np.intp], total: npt.NDArray[np.float64], limit: int) -> _Best:
        """Return the first ``limit`` of ``rows`` by ``total``."""
        sequence = self._index.columns["sequence"][rows]
        total = total * np.where(self._index.columns["tier"][rows] == TIERS.index(Tier.LATENT), _LATENT, 1.0)
        score = np.rint(total * MICRO).astype(np.int64)
        if self._percents is not None:
            score = score * self._percents[rows] // 100
        order = np.lexsort((sequence, -score))[:limit]
        return _Best(order, rows[order], score[order])

    def _summed(
        self, rows: npt.NDArray[np.intp], features: Mapping[str, npt.NDArray[np.float64]]
    ) -> npt.NDArray[np.float64]:
        """Return the sum of weighed features as a number between 0 and 1 that grows with it."""
        total = np.zeros(len(rows))
        for name in sorted(features):
            total += self._profile.weights[name] * (self._scale if name in _COSINES else 1.0) * features[name]
        found: npt.NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.clip((total - _EVEN) / _UNIT, -60.0, 60.0)))
        return found

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


class _Marks(NamedTuple):
    """What is said of candidates: which are below the floor by themselves, and which are sure enough to bear."""

    weak: npt.NDArray[np.bool_]
    certain: npt.NDArray[np.bool_]


def _after(total: npt.NDArray[np.float64], certain: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Return ``total`` with what is not ``certain`` below all that is: its order stays, its scores shrink."""
    if certain.all() or not certain.any():
        return total
    highest = total[~certain].max()
    share = total[certain].min() / highest if highest > 0 else 1.0
    return total if share > 1 else np.where(certain, total, total * share * BELOW)


def _numbered(best: _Best, features: Mapping[str, npt.NDArray[np.float64]], marks: _Marks) -> tuple[Ranked, ...]:
    """Return ``best``, with what each score was made of, and with their ``marks``."""
    order = best.order
    numbers = np.rint(np.stack([*features.values()], axis=1)[order] * MICRO).astype(np.int64)
    rows, scores = best.rows.tolist(), best.scores.tolist()
    return tuple(
        Ranked(row, score, {**dict(zip(features, values, strict=True)), **(WEAK if below else {})}, certain)
        for row, score, values, below, certain in zip(
            rows, scores, numbers.tolist(), marks.weak[order].tolist(), marks.certain[order].tolist(), strict=True
        )
    )


def _highest(values: npt.NDArray[np.float64]) -> float:
    """Return the highest of ``values`` to six digits, 0 of none."""
    return round(float(values.max(initial=0.0)), 6)


@lru_cache(maxsize=10_000)
def _parts(key: str) -> tuple[str, ...]:
    """Return the index terms of the parts of a key."""
    return tuple(terms(key.replace("/", " ").replace("_", " ")))


def _asked_for(features: Mapping[str, npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """Return 1 for candidates whose key, topic, source or kind the query asks for."""
    there = np.zeros(len(features["similarity"]), dtype=np.bool_)
    for name in ("key", "intent"):
        if name in features:
            there |= features[name] > 0
    return there.astype(np.float64)


def _spread(near: Mapping[int, float], size: int) -> npt.NDArray[np.float64]:
    """Return what ``near`` says of each of ``size`` rows, 0 where it says nothing."""
    found = np.zeros(size)
    found[list(near)] = list(near.values())
    return found


def _top(
    values: npt.NDArray[np.float32] | npt.NDArray[np.float64],
    limit: int,
    sequence: npt.NDArray[np.int64],
    *,
    above: float = -np.inf,
) -> npt.NDArray[np.intp]:
    """Return the rows of the ``limit`` highest values that are higher than ``above``, the earlier of equal ones."""
    # Of a sample twice as many as are wanted are above what most of the rows need not be compared with further.
    sample = values[::_SAMPLED]
    wanted = 2 * (limit // _SAMPLED + 1)
    rows = np.zeros(0, dtype=np.intp)
    if wanted < len(sample) and (least := np.partition(sample, -wanted)[-wanted]) > above:
        rows = np.flatnonzero(values >= least)
    if len(rows) <= limit:
        rows = np.flatnonzero(values > above)
    if len(rows) <= limit:
        return rows
    there = values[rows]
    last = np.partition(there, len(there) - limit)[len(there) - limit]
    chosen, equal = rows[there > last], rows[there == last]
    earliest = equal[np.argsort(sequence[equal], kind="stable")[: limit - len(chosen)]]
    return np.concatenate([chosen, earliest])
