"""The step between ranking and assembly in which a reranker puts the best candidates in another order.

Guarantees: what it sees passed the gate, is worded as the reader gets it, and is of the tenant that chose the reranker
where texts leave this process; the candidates and the scores that they are assembled by stay the same (but for a
millionth where two were equal), only who has which score changes; equal scores of the reranker keep the order of the
ranking. A reranker that fails changes nothing and says so in a notice; it is left alone for a while after that.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from marskg.errors import RerankerUnavailable
from marskg.models.rest import Rest
from marskg.reranking.registry import load_reranker
from marskg.retrieval.assembly.candidate import rank_order

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from marskg.config import RetrievalSettings
    from marskg.reranking.model import Reranker
    from marskg.retrieval.assembly.candidate import Candidate

#: Characters of a question or a text that are read: more than any cross-encoder reads.
MOST_CHARACTERS: Final = 4_000
_MICRO: Final = 1_000_000
_MOST: Final = 1e9


class Reranking:
    """Reranks for one tenant, with what its settings name now."""

    def __init__(
        self,
        settings: Callable[[], RetrievalSettings],
        now_ms: Callable[[], int],
        tenant: str,
        load: Callable[[str], Reranker | None] = load_reranker,
    ) -> None:
        """Use the reranker that ``settings`` name whenever something is ranked; ``load`` finds one by its name.

        ``now_ms`` tells how long one that failed is left alone.
        """
        self._settings = settings
        self._now_ms = now_ms
        self._tenant = tenant
        self._load = load
        self._lock = threading.Lock()
        self._loaded: tuple[str, Reranker | None] = ("none", None)
        self._rest, self._why = Rest(), ""

    def __call__(self, question: str, candidates: list[Candidate]) -> tuple[list[Candidate], tuple[str, ...]]:
        """Return ``candidates`` with the best of them reranked for ``question``, and what the caller should know."""
        settings = self._settings()
        reranker = self._current(settings.reranker)
        if reranker is None or not question:
            return candidates, ()
        # What no search found is there because something else depends on it, and stays with that.
        ranked = [one for one in rank_order(candidates) if one.why and one.content]
        if reranker.leaves:
            ranked = [one for one in ranked if one.memory.tenant == self._tenant]
        best = ranked[: settings.rerank]
        if len(best) < 2:  # noqa: PLR2004 - one is in order
            return candidates, ()
        try:
            scores = self._scores(reranker, question, best)
        except RerankerUnavailable as error:
            return candidates, (f"ranked without the reranker: {error}",)
        return reordered(candidates, best, scores), ()

    @property
    def reads(self) -> int:
        """Return how many of the best are put in order again, 0 without a reranker."""
        settings = self._settings()
        return 0 if self._current(settings.reranker) is None else settings.rerank

    def _current(self, spec: str) -> Reranker | None:
        with self._lock:
            if self._loaded[0] != spec:
                self._loaded = spec, self._load(spec)
                self._rest.answered()
            return self._loaded[1]

    def _scores(self, reranker: Reranker, question: str, best: Sequence[Candidate]) -> list[float]:
        with self._lock:
            if self._rest.since is not None and self._rest.rests(self._now_ms()):
                raise RerankerUnavailable(self._why)
        try:
            found = reranker.scores(question[:MOST_CHARACTERS], [one.content[:MOST_CHARACTERS] for one in best])
        except RerankerUnavailable as error:
            with self._lock:
                self._rest.failed(self._now_ms())
                self._why = str(error)
            raise
        with self._lock:
            self._rest.answered()
        return found


def reordered(candidates: Sequence[Candidate], best: Sequence[Candidate], scores: Sequence[float]) -> list[Candidate]:
    """Return ``candidates``, of which ``best``, in rank order, change places and scores by ``scores``."""
    order = sorted(range(len(best)), key=lambda place: (-scores[place], place))
    made = {}
    score = best[0].score + 1
    for place, chosen in enumerate(order):
        score = min(score - 1, best[place].score)
        micro = round(max(-_MOST, min(_MOST, scores[chosen])) * _MICRO)
        why = MappingProxyType({**best[chosen].why, "reranker": micro})
        made[best[place].id] = replace(best[chosen], score=score, why=why)
    return [made.get(one.id, one) for one in candidates]
