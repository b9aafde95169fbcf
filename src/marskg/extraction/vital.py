"""Whether a life may depend on what somebody says: their health, whom to call, who they are, whom they lost.

Guarantees: deterministic; needs no network and no encoder but the table of static vectors, and goes by words alone
where that is missing; a text costs some 0.1 ms, a long one no more than its first sentences. What a sentence is worth
is a logistic function of its static vector and of the signs in its words (:mod:`marskg.language.vital_words`); the
weights are learned by ``scripts/vital_weights.py`` from sentences that were written for it, those that only look like
one (a phone that died, an allergy to meetings, the deaf character of a film) among them. Source: issue 54 item 8;
ADR 104.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.embedding.static import DIMENSION, StaticEmbedding
from marskg.errors import EmbeddingUnavailable
from marskg.language.vital_words import SIGNS, signs
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]

_FILE: Final = Path(__file__).with_name("vital.f32")
#: Numbers of one sentence: its vector, its signs, and 1 for the intercept.
WIDTH: Final = DIMENSION + len(SIGNS) + 1
_SENTENCE: Final = late_regex(r"[^.!?\n。！？]+(?:[.](?=\d)[^.!?\n。！？]*)*[.!?。！？]*")
#: Of one text, and of one sentence, no more is looked at.
_MOST_SENTENCES: Final = 40
_LONGEST: Final = 400
#: From these log odds on a sentence is taken for one: one that is kept in vain costs less than one that is lost.
LEAST: Final = -0.5


def says_vital(text: str) -> bool:
    """Return whether a life may depend on what a sentence of ``text`` says."""
    return bool((features(sentences(text)) @ _weights() > LEAST).any())


def sentences(text: str) -> list[str]:
    """Return the first sentences of a text, each cut where it is long."""
    found = (match[0].strip()[:_LONGEST] for match in _SENTENCE.finditer(text[: _LONGEST * _MOST_SENTENCES]))
    return [sentence for sentence in found if sentence][:_MOST_SENTENCES]


def features(said: Sequence[str]) -> Floats:
    """Return ``[n, WIDTH]``: what the weights are of, for each sentence; vectors are zero where there are none."""
    found = np.zeros((len(said), WIDTH), dtype=np.float32)
    with suppress(EmbeddingUnavailable):
        found[:, :DIMENSION] = _model().embed(said)
    for row, sentence in zip(found, said, strict=True):
        row[DIMENSION:-1] = signs(sentence)
    found[:, -1] = 1.0
    return found


@cache
def _model() -> StaticEmbedding:
    return StaticEmbedding()


@cache
def _weights() -> Floats:
    """Return ``[WIDTH]``, read once and never written to."""
    found = np.fromfile(_FILE, dtype="<f4").astype(np.float32)
    found.setflags(write=False)
    return found
