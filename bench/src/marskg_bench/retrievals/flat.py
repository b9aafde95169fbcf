"""Flat rankings of a conversation's turns, which know no governance and no graph: BM25, vectors, and both together.

Guarantees: deterministic; each turn has a number, the higher the better, and ties go to the earlier turn. These are
what somebody would build in an afternoon, so the product has to find at least as much.

Sources: BM25 as in :mod:`marskg_bench.retrievals.rankers`; sums of standard scores as in Lee 1997 (combination by
normalised scores); smoothing over neighbours as in Hearst and Plaunt 1993 (a passage is scored with those around it).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from marskg_bench.retrievals.rankers import Bm25

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from marskg.embedding.model import EmbeddingModel
    from marskg_bench.common.conversation import Turn

BM25, VECTORS, BOTH, SMOOTHED = "bm25", "vectors", "both", "smoothed"
#: The flat rankings in the order in which they are shown.
FLAT: Final = (BM25, VECTORS, BOTH, SMOOTHED)
#: Share of each neighbour's score that a turn gets.
_SIDE: Final = 0.3


class Order(NamedTuple):
    """Positions of turns, best first, and the number of the best."""

    places: Sequence[int]
    best: float


class FlatRankings:
    """All flat rankings of one conversation's turns, on the same words and vectors."""

    def __init__(self, turns: Sequence[Turn], model: EmbeddingModel) -> None:
        """Index ``turns``; ``model`` makes their vectors."""
        texts = [turn.text for turn in turns]
        self._model = model
        self._bm25 = Bm25(texts)
        self._vectors = model.embed(texts).astype(np.float64)
        sessions = [turn.session for turn in turns]
        #: Whether a turn and the one after it are of one session.
        self._joined = np.array([one == other for one, other in pairwise(sessions)], dtype=float)

        self._last: tuple[str, Mapping[str, Order]] | None = None

    def orders(self, question: str) -> Mapping[str, Order]:
        """Return each ranking's order for ``question``; that of the last question is kept."""
        if self._last is None or self._last[0] != question:
            self._last = question, self._orders(question)
        return self._last[1]

    def _orders(self, question: str) -> Mapping[str, Order]:
        words = self._bm25.scores(question)
        meaning: npt.NDArray[np.float64] = self._vectors @ self._model.embed([question])[0].astype(np.float64)
        both = _standard(words) + _standard(meaning)
        scores = {BM25: words, VECTORS: meaning, BOTH: both, SMOOTHED: self._smoothed(both)}
        return {name: _order(values) for name, values in scores.items()}

    def _smoothed(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        made = scores.copy()
        made[1:] += _SIDE * self._joined * scores[:-1]
        made[:-1] += _SIDE * self._joined * scores[1:]
        return made


def _standard(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return how many standard deviations each score is above the mean; zeros where all are alike."""
    spread = float(scores.std())
    made: npt.NDArray[np.float64] = (scores - scores.mean()) / (spread or 1.0)
    return made


def _order(scores: npt.NDArray[np.float64]) -> Order:
    places = np.argsort(-scores, kind="stable")
    return Order(places.tolist(), float(scores[places[0]]))
