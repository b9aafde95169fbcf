"""How alike two index terms are, by the vectors of the default model: a rise is like an increase.

Guarantees: a vector is a function of its term alone, whatever else a store holds; only terms that are one word of the
model's vocabulary have one: codes, numbers, most names and other scripts are like nothing but themselves. Works without
network and key; without the model's files no term is like another. Source: Wieting et al. 2016.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.embedding import static
from marskg.errors import EmbeddingUnavailable
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

#: What a term is made of that can be a word of the model's.
_WORD: Final = late_regex("[a-z\u00df-\u00f6\u00f8-\u024f]{2,32}")
#: A stem is the beginning of a word: what may follow, the likeliest first.
_ENDINGS: Final = ("", "e", "s", "ing", "ed", "er", "ion", "ation", "y")


def word_vectors(terms: Sequence[str]) -> npt.NDArray[np.float32]:
    """Return ``[n, 256]``: the vectors of index terms, of unit length, zero where a term is no word of the model's."""
    found = np.zeros((len(terms), static.DIMENSION), dtype=np.float32)
    try:
        rows, pieces = static.word_table()
    except EmbeddingUnavailable:
        return found
    for place, term in enumerate(terms):
        tried = map(pieces.whole, _spelled(term)) if _WORD.fullmatch(term) else ()
        piece = next((one for one in tried if one is not None), None)
        if piece is not None:
            found[place] = rows[piece]
    lengths = np.sqrt(np.vecdot(found, found))
    found /= np.where(lengths, lengths, 1.0)[:, None]
    return found


def _spelled(stem: str) -> list[str]:
    """Return the words that ``stem`` may be the stem of, the likeliest first."""
    first = [f"{stem[:-1]}y"] if stem.endswith("i") else []
    return first + [stem + ending for ending in _ENDINGS]
