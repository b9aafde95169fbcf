"""Which of the turns that are ranked tell the older value of something that another of them tells anew.

Guarantees: goes by turns that the reader's mask shows, that say something rather than ask, and that are about the same
people as far as both name them; of two, the one that is valid from later is the newer. What is stored as a statement
is not a turn: whoever keeps statements gives those that change a key.
It goes by the first :data:`LOOKED_AT` of the ranking alone, whatever number is asked for, and by nothing that depends
on a language. Nothing is stored. The weights are found by ``scripts/newer.py`` on the lives of invented people, for
each bundled model. Source: semantics section 13 (current before stale); ADR 100.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import numpy as np

from marskg.language.past_asked import asks_of_before
from marskg.ontology.vocabulary import KINDS, Kind, SourceType
from marskg.retrieval.index.memory_index import SOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy.typing as npt

    from marskg.language.times import Period
    from marskg.retrieval.index.memory_index import MemoryIndex

N = TypeVar("N", bound=np.generic)
#: Of a ranking, how many of the best are looked at.
LOOKED_AT: Final = 60
#: How likely one is to tell a newer value where the older one is marked.
MARKED: Final = 0.9
#: How many of the nearest tell how near others are to a text anyway.
_NEAREST: Final = 5
#: What says so much more of the question's words than another, as a share of them, is not outdated by that, unless they
#: are nearer to each other, by so much, than others are to either. Where lives change, a question has mostly no word of
#: either.
_SAYS_MORE: Final = 0.5
_ALIKE: Final = 0.2
_DAY: Final = 86_400_000
_SAID: Final = [SOURCES.index(SourceType.CHAT_USER), SOURCES.index(SourceType.CHAT_ASSISTANT)]
_USER: Final = SOURCES.index(SourceType.CHAT_USER)
_EPISODE: Final = KINDS.index(Kind.EPISODIC)

#: What is known of a pair, in the order of the weights: how much nearer the two are to each other than others are to
#: either; the logarithm of the days between them; whether both are of one session; whether the user said the older, and
#: the newer; how near the older, and the newer, is to the question, in deviations from the mean of what is ranked.
FEATURES: Final = ("nearer", "days", "session", "older by user", "newer by user", "older asked", "newer asked")


class Turns(NamedTuple):
    """Turns side by side: unit vectors ``[n, d]``, nearness to the question, and when, in which session, whose."""

    vectors: npt.NDArray[np.float64]
    near: npt.NDArray[np.float64]
    times: npt.NDArray[np.int64]
    sequences: npt.NDArray[np.int64]
    sessions: npt.NDArray[np.int64]
    by_user: npt.NDArray[np.bool_]


class Pairs(NamedTuple):
    """Pairs of turns by their places: the older, the newer, and ``[pairs, features]`` what is known of each pair.

    ``farther`` is ``[pairs]``, how much less near to the question the newer is than the older.
    """

    older: npt.NDArray[np.intp]
    newer: npt.NDArray[np.intp]
    features: npt.NDArray[np.float64]
    farther: npt.NDArray[np.float64]


class Limits(NamedTuple):
    """Where the newer of a pair goes first: from a chance of ``before`` on, at most ``farther`` from the question.

    And where the two are nearer to each other, by ``nearer``, than others are to either. Without these what is newer
    and beside the point goes before what answers a question about something that never changed.
    """

    before: float
    farther: float
    nearer: float


class Newer(NamedTuple):
    """Who tells a newer value: its row or id, and whether that is likely enough for the older one to be marked."""

    row: int
    marked: bool


@dataclass(frozen=True, slots=True)
class Weights:
    """A logistic regression over :data:`FEATURES`: what each unit adds to the logarithm of the odds, and ``even``."""

    of_features: tuple[float, ...]
    even: float
    limits: Limits

    def chances(self, features: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return, for each pair, how likely the newer tells the value that is asked for, and the older did."""
        # Summed up one after another, so that it comes out the same on every machine.
        total = np.full(len(features), self.even)
        for place, weight in enumerate(self.of_features):
            total += weight * features[:, place]
        found: npt.NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.clip(total, -60.0, 60.0)))
        return found

    def goes_first(self, found: Pairs) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """Return, for each pair, the chance of it, and whether the newer goes before the older."""
        chances = self.chances(found.features)
        alike = found.features[:, FEATURES.index("nearer")] >= self.limits.nearer
        return chances, (chances >= self.limits.before) & (found.farther <= self.limits.farther) & alike


#: By the name of the model, as ``scripts/newer.py`` prints it.
WEIGHTS: Final[Mapping[str, Weights]] = MappingProxyType({
    "static:l2_supercat_256": Weights(
        (4.544, 0.01, 0.357, 6.585, 7.338, 0.708, 0.535), -16.665, Limits(0.3, 0.3, 0.3)
    ),
    "e5:multilingual-e5-small-q4": Weights(
        (5.854, -0.056, 0.131, 6.358, 6.89, 1.083, 1.066), -16.564, Limits(0.3, 0.12, -2.0)
    ),
})  # fmt: skip


def weights_of(model: str | None) -> Weights | None:
    """Return the weights for what the store calls ``model``, name and dimension; None where there are none."""
    return None if model is None else WEIGHTS.get(model.rpartition("/")[0])


def pairs(turns: Turns) -> Pairs:
    """Return every pair of ``turns`` of which one is older, with what is known of it."""
    times, sequences = turns.times, turns.sequences
    later = (times[:, None] < times) | ((times[:, None] == times) & (sequences[:, None] < sequences))
    older, newer = np.nonzero(later)
    alike = np.vecdot(turns.vectors[:, None], turns.vectors[None])
    np.fill_diagonal(alike, -1.0)
    anyway = np.sort(alike, axis=1)[:, ::-1][:, : min(_NEAREST, len(alike) - 1)].mean(axis=1)
    asked = (turns.near - turns.near.mean()) / (turns.near.std() + 1e-9)
    features = np.stack(
        [
            2 * alike[older, newer] - anyway[older] - anyway[newer],
            np.log1p((times[newer] - times[older]) / _DAY),
            (turns.sessions[older] == turns.sessions[newer]) & (turns.sessions[older] >= 0),
            turns.by_user[older],
            turns.by_user[newer],
            asked[older],
            asked[newer],
        ],
        axis=1,
    )
    return Pairs(older, newer, features, turns.near[older] - turns.near[newer])


def newer_of(
    index: MemoryIndex,
    rows: npt.NDArray[np.intp],
    vector: npt.NDArray[np.float32],
    weights: Weights,
    covered: npt.NDArray[np.float64],
) -> dict[int, Newer]:
    """Return those of ``rows``, best first, that another of them outdates perhaps, each with who most likely does.

    ``vector`` is that of the question, ``covered`` the share of its words that each row of the index says.
    """
    rows, turns = turns_of(index, rows[:LOOKED_AT], vector)
    if len(rows) < 2:  # noqa: PLR2004 - one is no pair
        return {}
    found_pairs = pairs(turns)
    older, newer = found_pairs.older, found_pairs.newer
    chances, first = weights.goes_first(found_pairs)
    says_more = covered[rows[older]] - covered[rows[newer]] > _SAYS_MORE
    apart = found_pairs.features[:, FEATURES.index("nearer")] < _ALIKE
    likely = np.flatnonzero(first & ~(says_more & apart))
    found: dict[int, Newer] = {}
    # The most likely first; of those alike, the newest.
    for place in likely[np.lexsort((-turns.times[newer[likely]], -chances[likely]))].tolist():
        one, other = int(rows[older[place]]), int(rows[newer[place]])
        if one not in found and _about_same(index, one, other):
            found[one] = Newer(other, bool(chances[place] >= MARKED))
    return found


def turns_of(
    index: MemoryIndex, rows: npt.NDArray[np.intp], vector: npt.NDArray[np.float32]
) -> tuple[npt.NDArray[np.intp], Turns]:
    """Return those of ``rows`` of which one may outdate another, and what is known of each."""
    rows, held = _telling(index, rows), index.columns
    vectors = index.vectors["vector"][rows].astype(np.float64)
    return rows, Turns(
        vectors,
        np.vecdot(vectors, vector.astype(np.float64)),
        held["validFrom"][rows],
        held["sequence"][rows],
        held["session"][rows].astype(np.int64),
        held["sourceType"][rows] == _USER,
    )


def _telling(index: MemoryIndex, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Return those of ``rows`` that are turns, say something, and have a vector."""
    held = index.columns
    tells = held["states"][rows] & held["vectored"][rows] & (held["key"][rows] < 0) & (held["kind"][rows] == _EPISODE)
    told: npt.NDArray[np.intp] = rows[tells & np.isin(held["sourceType"][rows], _SAID)]
    return told


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
