"""What a passage is about: health, personal finance or a protected attribute, by its nearness to sentences that are.

Guarantees: deterministic; needs no network and no training; a sentence is only taken for one of a category where it is
nearer to that category's sentences than to ordinary ones by a margin. The sentences are in ``prototypes.yaml``.
Source: prototype classification (Snell et al. 2017) over static vectors (:mod:`marskg.embedding.static`).
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.config import read_yaml
from marskg.embedding.static import StaticEmbedding
from marskg.late_regex import late_regex
from marskg.privacy.sensing.model import Category, Finding
from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Sequence

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
#: A word of a language, rather than a letter, a sign or a number; below so many of them nothing is said of anything.
_WORD: Final = late_regex(r"[^\W\d_]{3,}")
_FEWEST_WORDS: Final = 2
_SENTENCE: Final = late_regex(r"[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*)*[.!?]*")
#: The most of one text that is looked at.
_MOST_SENTENCES: Final = 400


class Topics:
    """Finds passages about a category. Reads its sentences, and the model's table, at the first text."""

    def __init__(self, margin: float) -> None:
        """Take what is nearer to a category than to ordinary sentences by ``margin`` (a difference of cosines)."""
        self._margin = margin
        self._model = StaticEmbedding()
        self._ahead: dict[str, list[Finding]] = {}

    def foresee(self, texts: Sequence[str]) -> None:
        """Read many texts at once, which costs far less than one by one; :meth:`find` knows them until the next call."""
        several = list(dict.fromkeys(texts))
        self._ahead = dict(zip(several, self._read(several), strict=True))

    def find(self, text: str) -> list[Finding]:
        """Return the sentences of ``text`` that are about a category."""
        known = self._ahead.get(text)
        return self._read([text])[0] if known is None else known

    def _read(self, texts: Sequence[str]) -> list[list[Finding]]:
        """Return the findings in each of ``texts``."""
        found: list[list[Finding]] = [[] for _ in texts]
        spans = [(number, span) for number, text in enumerate(texts) for span in _sentences(text)]
        if not spans:
            return found
        said = [" ".join(texts[number][start:end].split()) for number, (start, end) in spans]
        nearness = _nearness(self._model.embed(said))
        ordinary = nearness[_ORDINARY]
        for category in _TOPICS:
            near = nearness[category]
            chosen = (near - ordinary >= self._margin * _CAUTION.get(category, 1)) & (near >= _LEAST)
            if not chosen.any():
                continue
            rival = np.max([nearness[other] for other in _TOPICS if other is not category], axis=0)
            chosen &= near >= _BESIDE_RIVALS * rival
            for place in np.flatnonzero(chosen).tolist():
                number, (start, end) = spans[place]
                lead = len(texts[number][start:end]) - len(texts[number][start:end].lstrip())
                found[number].append(Finding(start + lead, end, category, "topic"))
        return found


def _sentences(text: str) -> list[tuple[int, int]]:
    """Return the places of the sentences of ``text`` that say enough to be about something."""
    matches = _SENTENCE.finditer(text)
    return [match.span() for match in matches if _says_enough(match[0])][:_MOST_SENTENCES]


def _says_enough(sentence: str) -> bool:
    return len(_WORD.findall(sentence)) >= _FEWEST_WORDS and len(terms(sentence)) >= _FEWEST_TERMS


def _nearness(vectors: Rows) -> dict[str, Rows]:
    """Return ``[n]`` mean cosines of each vector to the nearest sentences of each category."""
    rows, bounds = _prototypes()
    # One by one: so a sentence has the same cosines in any company, and numpy starts no threads for so little.
    cosines = np.stack([rows @ vector for vector in vectors])
    return {
        name: np.partition(cosines[:, first:last], -_NEAREST, axis=1)[:, -_NEAREST:].mean(axis=1)
        for name, (first, last) in bounds.items()
    }


@cache
def _prototypes() -> tuple[Rows, dict[str, tuple[int, int]]]:
    """Return the vectors of all sentences, and where those of each category are among them.

    Made once for a process and never written to.
    """
    listed: dict[str, list[str]] = read_yaml(_FILE)
    rows = StaticEmbedding().embed([sentence for sentences in listed.values() for sentence in sentences])
    rows.setflags(write=False)
    ends = list(accumulate(len(sentences) for sentences in listed.values()))
    return rows, {name: (end - len(listed[name]), end) for name, end in zip(listed, ends, strict=True)}
