"""Rankings without governance, for the retrieval bench: the lexical, the vector, and both fused.

Guarantees: deterministic; ties go to the earlier text. Nothing here knows what holds now: that is the point.

Sources: BM25 as in Robertson and Zaragoza 2009, k1 = 1.2, b = 0.75; reciprocal rank fusion as in Cormack, Clarke and
Büttcher 2009, k = 60.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from marskg.embedding.model import EmbeddingModel

_K1: Final = 1.2
_B: Final = 0.75
_FUSION: Final = 60
#: Scores that order things are integers of a millionth.
_MICRO: Final = 1_000_000


class Ranker(Protocol):
    """Orders the texts that it was made for."""

    def rank(self, query: str) -> list[int]:
        """Return the positions of the texts that have a score, best first."""
        ...


class Bm25:
    """Okapi BM25 over the product's index terms."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Index ``texts``."""
        counts = [Counter(terms(text)) for text in texts]
        self._lengths = [sum(count.values()) for count in counts]
        self._mean = max(1.0, sum(self._lengths) / max(1, len(texts)))
        self._postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for position, count in enumerate(counts):
            for term, often in count.items():
                self._postings[term].append((position, often))

    def rank(self, query: str) -> list[int]:
        """Return the positions of the texts that share a term with ``query``, best first."""
        return _order(self._found(query))

    def scores(self, query: str) -> npt.NDArray[np.float64]:
        """Return the score of each text, 0 without a common term."""
        made = np.zeros(len(self._lengths))
        for position, micro in self._found(query).items():
            made[position] = micro / _MICRO
        return made

    def _found(self, query: str) -> Counter[int]:
        """Return the scores of the texts that share a term with ``query``, in millionths."""
        scores: Counter[int] = Counter()
        for term in terms(query):
            postings = self._postings.get(term, [])
            rarity = math.log(1 + (len(self._lengths) - len(postings) + 0.5) / (len(postings) + 0.5))
            for position, often in postings:
                length = _K1 * (1 - _B + _B * self._lengths[position] / self._mean)
                scores[position] += round(_MICRO * rarity * often * (_K1 + 1) / (often + length))
        return scores


class Embedded:
    """A model that makes the vector of a text once: rankers over the same texts are made again and again."""

    def __init__(self, model: EmbeddingModel) -> None:
        """Ask ``model`` for what is new."""
        self._model = model
        self._known: dict[str, npt.NDArray[np.float32]] = {}

    @property
    def name(self) -> str:
        """Return the model's own name."""
        return self._model.name

    @property
    def dimension(self) -> int:
        """Return the number of components of a vector."""
        return self._model.dimension

    @property
    def late(self) -> bool:
        """Return whether the model's vectors are made after the write."""
        return self._model.late

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one row for each text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._model.embed(new), strict=True))
        found = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for place, text in enumerate(texts):
            found[place] = self._known[text]
        return found


class Cosine:
    """The similarity of vectors, all compared."""

    def __init__(self, texts: Sequence[str], model: EmbeddingModel) -> None:
        """Embed ``texts`` by ``model``."""
        self._model = model
        self._vectors = model.embed(texts)

    def rank(self, query: str) -> list[int]:
        """Return the positions of all texts, best first."""
        scores: npt.NDArray[np.float32] = self._vectors @ self._model.embed([query])[0]
        return _order({place: round(float(value) * _MICRO) for place, value in enumerate(scores)})


class Fused:
    """The sum of reciprocal ranks of several rankings of the same texts."""

    def __init__(self, rankers: Sequence[Ranker]) -> None:
        """Fuse ``rankers``."""
        self._rankers = rankers

    def rank(self, query: str) -> list[int]:
        """Return the positions of the texts that one of the rankings has, best first."""
        scores: Counter[int] = Counter()
        for ranker in self._rankers:
            for place, position in enumerate(ranker.rank(query), start=1):
                scores[position] += round(_MICRO / (_FUSION + place))
        return _order(scores)


def _order(scores: Mapping[int, int]) -> list[int]:
    return sorted(scores, key=lambda position: (-scores[position], position))
