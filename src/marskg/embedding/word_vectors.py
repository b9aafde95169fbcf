"""How alike two index terms are, by the vectors of the default model: a rise is like an increase.

Guarantees: a vector is a function of its term alone, whatever else a store holds; only terms that are one word of the
model's vocabulary have one: codes, numbers, most names and other scripts are like nothing but themselves. Works without
network and key; without the model's files no term is like another. Source: Wieting et al. 2016.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.embedding import static
from marskg.errors import EmbeddingUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from marskg.embedding.weights import WordPieces

#: What a term is made of that can be a word of the model's.
_WORD: Final = re.compile("[a-z\u00df-\u00f6\u00f8-\u024f]{2,32}")
#: A stem is the beginning of a word: what may follow, the likeliest first.
_ENDINGS: Final = ("", "e", "s", "ing", "ed", "er", "ion", "ation", "y")


def word_vectors(terms: Sequence[str]) -> npt.NDArray[np.float32]:
    """Return ``[n, 256]``: the vectors of index terms, of unit length, zero where a term is no word of the model's."""
    found = np.zeros((len(terms), static.DIMENSION), dtype=np.float32)
    try:
        rows, pieces = static.word_table()
    except EmbeddingUnavailable:
        return found
    words = [(place, term) for place, term in enumerate(terms) if _WORD.fullmatch(term)]
    for place, piece in _pieces_of(words, pieces):
        found[place] = rows[piece]
    lengths = np.sqrt(np.vecdot(found, found))
    found /= np.where(lengths, lengths, 1.0)[:, None]
    return found


def _pieces_of(words: Sequence[tuple[int, str]], pieces: WordPieces) -> list[tuple[int, int]]:
    """Return the place of each word with its piece, of those that are one piece, as a stem or with an ending."""
    tried = [(place, word) for place, term in words for word in _spelled(term)]
    found: dict[int, int] = {}
    for (place, _), ids in zip(tried, pieces.ids_of_all([word for _, word in tried], framed=False), strict=True):
        if len(ids) == 1:
            found.setdefault(place, ids[0])
    return [*found.items()]


def _spelled(stem: str) -> list[str]:
    """Return the words that ``stem`` may be the stem of, the likeliest first."""
    first = [f"{stem[:-1]}y"] if stem.endswith("i") else []
    return first + [stem + ending for ending in _ENDINGS]
