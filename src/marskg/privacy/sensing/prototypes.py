"""What a passage is about: health, personal finance or a protected attribute, by its nearness to sentences that are.

Guarantees: deterministic; needs no network and no training; a sentence is only taken for one of a category where it is
nearer to that category's sentences than to ordinary ones by a margin. The sentences are in ``prototypes.yaml``.
Source: prototype classification (Snell et al. 2017) over static vectors (:mod:`marskg.embedding.static`).
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.config import read_yaml
from marskg.embedding.static import StaticEmbedding
from marskg.privacy.sensing.model import Category, Finding
from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    Rows = npt.NDArray[np.float32]

_FILE: Final = Path(__file__).with_name("prototypes.yaml")
_ORDINARY: Final = "ordinary"
#: Nearest sentences that count, of a category and of the ordinary ones.
_NEAREST: Final = 3
#: Terms below which a sentence says too little.
_FEWEST_TERMS: Final = 2
#: The nearness, a cosine, below which a sentence is about nothing in particular, and the share of the nearest category's
#: that a second one must have.
_LEAST: Final = 0.2
_BESIDE_RIVALS: Final = 0.8
#: Names of people and places are near to origins, so more is asked for there; what is said of a person has patterns.
_CAUTION: Final = {Category.PROTECTED: 2}
_TOPICS: Final = (Category.HEALTH, Category.PROTECTED, Category.FINANCE)
_SENTENCE: Final = re.compile(r"[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*)*[.!?]*")
#: The most of one text that is looked at.
_MOST_SENTENCES: Final = 400


class Topics:
    """Finds passages about a category. Reads its sentences, and the model's table, at the first text."""

    def __init__(self, margin: float) -> None:
        """Take what is nearer to a category than to ordinary sentences by ``margin`` (a difference of cosines)."""
        self._margin = margin
        self._model = StaticEmbedding()

    def find(self, text: str) -> Iterator[Finding]:
        """Yield the sentences of ``text`` that are about a category."""
        spans = [match.span() for match in _SENTENCE.finditer(text) if len(terms(match[0])) >= _FEWEST_TERMS][
            :_MOST_SENTENCES
        ]
        if not spans:
            return
        vectors = self._model.embed([" ".join(text[start:end].split()) for start, end in spans])
        nearness = _nearness(vectors)
        ordinary = nearness[_ORDINARY]
        for category in _TOPICS:
            near = nearness[category]
            rival = np.max([nearness[other] for other in _TOPICS if other is not category], axis=0)
            margin = self._margin * _CAUTION.get(category, 1)
            chosen = (near - ordinary >= margin) & (near >= _LEAST) & (near >= _BESIDE_RIVALS * rival)
            for place in np.flatnonzero(chosen).tolist():
                start, end = spans[place]
                yield Finding(start + len(text[start:end]) - len(text[start:end].lstrip()), end, category, "topic")


def _nearness(vectors: Rows) -> dict[str, Rows]:
    """Return ``[n]`` mean cosines of each vector to the nearest sentences of each category."""
    found = {}
    for name, rows in _prototypes().items():
        cosines = vectors @ rows.T
        found[name] = np.sort(cosines, axis=1)[:, -_NEAREST:].mean(axis=1)
    return found


@cache
def _prototypes() -> dict[str, Rows]:
    """Return the vectors of the sentences by category, made once for a process and never written to."""
    model = StaticEmbedding()
    found = {}
    for name, sentences in read_yaml(_FILE).items():
        listed: Sequence[str] = sentences
        rows = model.embed(listed)
        rows.setflags(write=False)
        found[name] = rows
    return found
