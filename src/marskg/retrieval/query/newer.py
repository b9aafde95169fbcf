"""Which of the turns that are ranked tell the older value of something that another of them tells anew.

Guarantees: goes by turns that the reader's mask shows, that say something rather than ask, and that are about the same
people as far as both name them; of two, the one that is valid from later is the newer. What is stored as a statement
is not a turn: whoever keeps statements gives those that change a key.
It goes by the first :data:`LOOKED_AT` of the ranking alone, whatever number is asked for, and by no list of words.
Nothing is stored. The weights, ``newer.json``, are found by ``scripts/newer.py`` on the lives of invented people and on
conversations of others, for each bundled model. Turns whose vectors are not made yet are compared by what stands for
these. Source: semantics section 13 (current before stale); ADR 100.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import numpy as np

from marskg.language.past_asked import asks_of_before
from marskg.ontology.vocabulary import KINDS, Cardinality, Kind, SourceType
from marskg.retrieval.index.memory_index import CARDINALITIES, SOURCES
from marskg.retrieval.query.one_value import ALONE, FIRST, OneValue, one_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from marskg.language.times import Period
    from marskg.retrieval.index.memory_index import MemoryIndex

N = TypeVar("N", bound=np.generic)
#: Of a ranking, how many of the best are looked at.
LOOKED_AT: Final = 60
#: How likely one is to tell a newer value where it goes before the older one, and where that one is marked as well.
BEFORE: Final = 0.75
MARKED: Final = 0.985
#: How many deviations nearer to the question the older one may be where the two are no nearer to each other than others
#: are: what has the very words that are asked for is no older value of whatever came later.
_FARTHER: Final = 1.5
#: … unless the newer is as likely as this to tell a newer value.
_SURELY: Final = 0.95
#: How many deviations nearer to the question the older one may be where the newer is shown alone.
_BESIDE: Final = 1.0
#: What says so much more of the question's words is no older value of what is nearer to it by less than this.
_SAYS_MORE: Final = 0.7
_NEARER: Final = 0.2
#: How many of the nearest tell how near others are to a text anyway.
NEAREST: Final = 5
#: As how many turns what is usual counts beside those that are looked at, so that a store of three is judged as one of
#: thousands is; and in what share of turns a word is that no more than two of them have.
_USUAL: Final = 10
_RARE: Final = 0.02
_DAY: Final = 86_400_000
_SAID: Final = [SOURCES.index(SourceType.CHAT_USER), SOURCES.index(SourceType.CHAT_ASSISTANT)]
_USER: Final = SOURCES.index(SourceType.CHAT_USER)
_APPEND: Final = CARDINALITIES.index(Cardinality.APPEND)
_EPISODE: Final = KINDS.index(Kind.EPISODIC)

#: What is known of a pair, in the order of the weights: how much nearer the two are to each other than others are to
#: either; the logarithm of the days between them; whether both are of one session; whether the user said the older, and
#: the newer; how near the older, and the newer, is to the question, in deviations from the mean of what is looked at;
#: how rare among that the rarest word is that both have.
FEATURES: Final = (
    "nearer",
    "days",
    "session",
    "older by user",
    "newer by user",
    "older asked",
    "newer asked",
    "shared",
)


class Turns(NamedTuple):
    """Turns side by side: unit vectors ``[n, d]``, nearness to the question, and when, in which session, whose.

    ``says`` is the share of the question's words that each has; ``terms`` has the numbers of each one's terms.
    """

    vectors: npt.NDArray[np.float64]
    near: npt.NDArray[np.float64]
    times: npt.NDArray[np.int64]
    sequences: npt.NDArray[np.int64]
    sessions: npt.NDArray[np.int64]
    by_user: npt.NDArray[np.bool_]
    says: npt.NDArray[np.float64]
    terms: Sequence[npt.NDArray[np.uint32]]


class Pairs(NamedTuple):
    """Pairs of turns by their places: the older, the newer, and ``[pairs, features]`` what is known of each pair.

    ``says_more`` is how much more of the question's words the older has than the newer.
    """

    older: npt.NDArray[np.intp]
    newer: npt.NDArray[np.intp]
    features: npt.NDArray[np.float64]
    says_more: npt.NDArray[np.float64]


class Usual(NamedTuple):
    """What is usual of a model's vectors.

    ``near`` is how near turns are to a question, ``spread`` the deviation of that, and ``alike`` how near the nearest
    few turns are to one.
    """

    near: float
    spread: float
    alike: float


class Newer(NamedTuple):
    """Who tells a newer value: its row, how likely that is, and whether it is the value of the very same thing."""

    row: int
    chance: float
    alone: bool

    @property
    def marked(self) -> bool:
        """Return whether it is likely enough for the older one to be marked."""
        return self.chance >= MARKED


@dataclass(frozen=True, slots=True)
class Weights:
    """A logistic regression: what each unit of :data:`FEATURES` adds to the logarithm of the odds, and ``even``.

    ``older`` and ``newer`` are ``[d]``: what their products with the vectors of the two turns add, as texts that tell
    what may change, and texts that tell a change, are alike in any language. Pairs are measured by what is ``usual``;
    ``one_value`` tells of a pair that is found whether both tell the value of one thing.
    """

    usual: Usual
    of_features: tuple[float, ...]
    even: float
    older: npt.NDArray[np.float64]
    newer: npt.NDArray[np.float64]
    one_value: OneValue | None = None

    def chances(self, turns: Turns, found: Pairs) -> npt.NDArray[np.float64]:
        """Return, for each pair, how likely the newer tells the value that is asked for, and the older did."""
        told = np.vecdot(turns.vectors, self.older)[found.older] + np.vecdot(turns.vectors, self.newer)[found.newer]
        total = self.even + told
        # Summed up one after another, so that it comes out the same on every machine.
        for place, weight in enumerate(self.of_features):
            total += weight * found.features[:, place]
        chances: npt.NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.clip(total, -60.0, 60.0)))
        return chances


class Asked(NamedTuple):
    """A question's vector by one model, the weights for what that makes, and what of its words each row has."""

    vector: npt.NDArray[np.float32]
    weights: Weights
    says: npt.NDArray[np.float64]

    def turns(self, index: MemoryIndex, rows: npt.NDArray[np.intp], vectors: npt.NDArray[np.float32]) -> Turns:
        """Return what is known of ``rows`` whose texts have ``vectors``."""
        return turns_of(index, rows, vectors, self.vector, self.says)


def weights_of(model: str | None) -> Weights | None:
    """Return the weights for what the store calls ``model``, name and dimension; None where there are none."""
    return None if model is None else _weights().get(model.rpartition("/")[0])


@cache
def _weights() -> Mapping[str, Weights]:
    read = json.loads((files("marskg.retrieval.query") / "newer.json").read_text(encoding="utf-8"))
    return {
        model: Weights(
            Usual(**held["usual"]),
            tuple(held["features"]),
            held["even"],
            np.array(held["older"]),
            np.array(held["newer"]),
            one_value().get(model),
        )
        for model, held in read.items()
    }


def pairs(turns: Turns, usual: Usual) -> Pairs:
    """Return every pair of ``turns`` of which one is older, with what is known of it."""
    times, sequences = turns.times, turns.sequences
    later = (times[:, None] < times) | ((times[:, None] == times) & (sequences[:, None] < sequences))
    older, newer = np.nonzero(later)
    alike = np.vecdot(turns.vectors[:, None], turns.vectors[None])
    np.fill_diagonal(alike, -1.0)
    count = len(alike)
    anyway = np.sort(alike, axis=1)[:, ::-1][:, : min(NEAREST, count - 1)].mean(axis=1)
    anyway = (count * anyway + _USUAL * usual.alike) / (count + _USUAL)
    asked = _deviations(turns.near, usual)
    features = np.stack(
        [
            2 * alike[older, newer] - anyway[older] - anyway[newer],
            np.log1p((times[newer] - times[older]) / _DAY),
            (turns.sessions[older] == turns.sessions[newer]) & (turns.sessions[older] >= 0),
            turns.by_user[older],
            turns.by_user[newer],
            asked[older],
            asked[newer],
            _shared(turns.terms)[older, newer],
        ],
        axis=1,
    )
    return Pairs(older, newer, features, turns.says[older] - turns.says[newer])


def _deviations(near: npt.NDArray[np.float64], usual: Usual) -> npt.NDArray[np.float64]:
    """Return how many deviations each of ``near`` is above the mean, of them and of what is usual."""
    count = len(near)
    mean = (near.sum() + _USUAL * usual.near) / (count + _USUAL)
    squares = ((near - mean) ** 2).sum() + _USUAL * (usual.spread**2 + (usual.near - mean) ** 2)
    above: npt.NDArray[np.float64] = (near - mean) / np.sqrt(squares / (count + _USUAL))
    return above


def goes_before(found: Pairs, chances: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return, for each pair, whether the newer is shown before the older."""
    known = dict(zip(FEATURES, found.features.T, strict=True))
    near = (known["older asked"] - known["newer asked"] <= _FARTHER) | (known["nearer"] >= 0) | (chances >= _SURELY)
    of_another = (found.says_more >= _SAYS_MORE) & (known["nearer"] < _NEARER)
    before: npt.NDArray[np.bool_] = (chances >= BEFORE) & near & ~of_another
    return before


def _shared(held: Sequence[npt.NDArray[np.uint32]]) -> npt.NDArray[np.float64]:
    """Return ``[n, n]``: how rare, by its idf among all of ``held``, the rarest term is that two of them have."""
    count = len(held)
    found, which = np.unique(np.concatenate(held), return_inverse=True)
    has = np.zeros((len(found), count), dtype=np.bool_)
    has[which, np.repeat(np.arange(count), [len(one) for one in held])] = True
    often = has.sum(axis=1)
    shared = np.zeros((count, count))
    # The commonest first: what is rarer takes its place.
    for term in np.argsort(-often, kind="stable").tolist():
        if often[term] > 1:
            rows = np.flatnonzero(has[term])
            shared[rows[:, None], rows] = np.log((count + _USUAL + 1) / (often[term] + _USUAL * _RARE + 0.5))
    return shared


def newer_of(index: MemoryIndex, rows: npt.NDArray[np.intp], asked: Asked, early: Asked | None) -> dict[int, Newer]:
    """Return those of ``rows``, best first, that another of them outdates perhaps, each with who most likely does.

    ``early`` is the question by what stands for vectors that are not made yet.
    """
    rows = telling(index, rows[:LOOKED_AT])
    made = rows[index.columns["vectored"][rows]]
    found = _outdated(index, made, index.vectors["vector"][made], asked)
    if early is None or len(made) == len(rows):
        return found
    held, vectors = index.provisional.whole(rows)
    standing = _outdated(index, held, vectors, early)
    return {
        row: max((one for one in (found.get(row), standing.get(row)) if one is not None), key=lambda one: one.chance)
        for row in [*found, *(row for row in standing if row not in found)]
    }


def _outdated(
    index: MemoryIndex, rows: npt.NDArray[np.intp], vectors: npt.NDArray[np.float32], asked: Asked
) -> dict[int, Newer]:
    if len(rows) < 2:  # noqa: PLR2004 - one is no pair
        return {}
    turns, weights = asked.turns(index, rows, vectors), asked.weights
    found_pairs = pairs(turns, weights.usual)
    older, newer, chances = found_pairs.older, found_pairs.newer, weights.chances(turns, found_pairs)
    likely = np.flatnonzero(goes_before(found_pairs, chances))
    found: dict[int, Newer] = {}
    # The most likely first; of those alike, the newest.
    for place in likely[np.lexsort((-turns.times[newer[likely]], -chances[likely]))].tolist():
        one, other = int(rows[older[place]]), int(rows[newer[place]])
        if one not in found and _about_same(index, one, other):
            found[one] = Newer(other, float(chances[place]), _alone(turns, found_pairs, place, asked))
    return found


def _alone(turns: Turns, found: Pairs, place: int, asked: Asked) -> bool:
    """Return whether the newer at ``place`` is enough: both are among the first ranked and likely tell one value."""
    pair = [int(found.older[place]), int(found.newer[place])]
    if asked.weights.one_value is None or max(pair) >= FIRST or not beside(found, place):
        return False
    older, newer = turns.vectors[pair]
    return bool(asked.weights.one_value.chances(asked.vector.astype(np.float64), older, newer) >= ALONE)


def beside(found: Pairs, place: int) -> bool:
    """Return whether the two at ``place`` are as near to each other as others are, and to the question about alike."""
    known = dict(zip(FEATURES, found.features[place].tolist(), strict=True))
    return bool(known["nearer"] >= 0 and known["older asked"] - known["newer asked"] <= _BESIDE)


def turns_of(
    index: MemoryIndex,
    rows: npt.NDArray[np.intp],
    vectors: npt.NDArray[np.float32],
    asked: npt.NDArray[np.float32],
    says: npt.NDArray[np.float64],
) -> Turns:
    """Return what is known of ``rows`` whose texts have ``vectors``; ``asked`` and ``says`` as in :class:`Asked`."""
    held, exact = index.columns, vectors.astype(np.float64)
    return Turns(
        exact,
        np.vecdot(exact, asked.astype(np.float64)) if len(rows) else np.zeros(0),
        held["validFrom"][rows],
        held["sequence"][rows],
        held["session"][rows].astype(np.int64),
        held["sourceType"][rows] == _USER,
        says[rows],
        [index.terms.of(row) for row in rows.tolist()],
    )


def telling(index: MemoryIndex, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Return those of ``rows`` that are turns and say something."""
    held = index.columns
    tells = held["states"][rows] & (held["key"][rows] < 0) & (held["kind"][rows] == _EPISODE)
    told: npt.NDArray[np.intp] = rows[tells & np.isin(held["sourceType"][rows], _SAID)]
    return told


def adding(index: MemoryIndex, rows: npt.NDArray[np.intp], mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return, for each of ``rows``, whether an entry of a ledger that ``mask`` shows was learned from it.

    What is spent today is no newer value of what was spent yesterday.
    """
    derived = index.facets["source"]
    if not derived:
        return np.zeros(len(rows), dtype=np.bool_)
    ledgers = mask & (index.columns["cardinality"] == _APPEND)
    return np.array(
        [any(ledgers[fact] for fact in derived.get(index.ids[row], ())) for row in rows.tolist()], dtype=np.bool_
    )


def _about_same(index: MemoryIndex, one: int, other: int) -> bool:
    """Return whether two rows may be about the same people: one of them names nobody, or both name somebody."""
    mine, others = index.facets_of(one, "subject"), index.facets_of(other, "subject")
    return not mine or not others or not set(mine).isdisjoint(others)


def carried(values: npt.NDArray[N], rows: npt.NDArray[np.intp], newer: Mapping[int, Newer]) -> npt.NDArray[N]:
    """Return ``values`` of ``rows``, each newer one at least as high as what it outdates, through any number."""
    if not newer:
        return values
    made = dict(zip(rows.tolist(), values.tolist(), strict=True))
    queue = [*newer]
    while queue:
        one = queue.pop()
        other = newer[one].row
        if made[other] < made[one]:
            made[other] = made[one]
            queue += [other] if other in newer else []
    return np.array([made[row] for row in rows.tolist()], dtype=values.dtype)


def asks_of_past(text: str, periods: Iterable[Period], now: int) -> bool:
    """Return whether a question asks for what held before: in words, or by a time that was over ``now``, in ms."""
    over = any(one.until is not None and one.until <= now for one in periods)
    return over or asks_of_before(text)
