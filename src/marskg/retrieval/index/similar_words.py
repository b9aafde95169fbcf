"""Which terms of an index are like a term of a question, so that "kids" finds what was said of children.

Guarantees: how alike two terms are depends on the two alone, so that a term that only hidden memories have changes
nothing; a term that is no plain word, such as a code, a number or a name, is like nothing but itself. What was worked
out is kept until the index is compacted. Source: ``docs/explanation/ranking.md``.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.embedding.static import DIMENSION
from marskg.embedding.word_vectors import word_vectors
from marskg.retrieval.index.columns import Columns

if TYPE_CHECKING:
    import numpy.typing as npt

    from marskg.retrieval.index.lexical import Lexical

#: The similarity from which another word counts for one of the question.
ALIKE: Final = 0.5
#: Questions' terms whose like ones are kept.
_KEPT: Final = 4_096


class Vocabulary:
    """The terms of an index that are words, as vectors."""

    def __init__(self, terms: Lexical) -> None:
        """Follow ``terms``, which gives its terms in the order in which they came and loses none."""
        self._terms = terms
        self._words: list[str] = []
        self._vectors = Columns({"vector": (np.float32, 0)}, {"vector": DIMENSION})
        self._read = 0
        #: By term: its vector, how many words it was compared with, and what is like it, the least first.
        self._known: dict[str, tuple[npt.NDArray[np.float32], int, list[tuple[float, str]]]] = {}

    def like(self, term: str) -> list[tuple[float, str]]:
        """Return the other terms that are like ``term``, with how much, the least alike first."""
        self._catch_up()
        vector, compared, found = self._known.get(term) or (word_vectors([term])[0], 0, [])
        if compared < len(self._words) and vector.any():
            # One by one: how a product of a matrix rounds depends on how many are multiplied at once.
            near = np.vecdot(self._vectors["vector"][compared:], vector)
            found = found + [
                (float(near[place]), self._words[compared + place])
                for place in np.flatnonzero(near >= ALIKE).tolist()
                if self._words[compared + place] != term
            ]
            found.sort()
        if len(self._known) >= _KEPT:
            self._known.clear()
        self._known[term] = (vector, len(self._words), found)
        return found

    def _catch_up(self) -> None:
        """Take in the terms that came since."""
        if len(self._terms) == self._read:
            return
        fresh = [*islice(self._terms, self._read, None)]
        self._read += len(fresh)
        vectors = word_vectors(fresh)
        there = np.flatnonzero(vectors.any(axis=1))
        self._words += [fresh[place] for place in there.tolist()]
        first = self._vectors.append(len(there))
        self._vectors["vector"][first:] = vectors[there]
