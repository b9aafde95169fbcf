"""Who goes first: what the user said, what a document or a tool says, what an assistant said.

Guarantees: pure; a document yields to the user's words that answer the question, and goes before those that have the
question's words and no answer; the order among the rows of one kind stays. Source: semantics section 13 (a document is
evidence); ADR 73, ADR 103.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from marskg.ontology.vocabulary import SourceType
from marskg.retrieval.index.memory_index import SOURCES

if TYPE_CHECKING:
    import numpy.typing as npt

#: The codes of what is written down somewhere: documents, and what tools give back.
WRITTEN: Final = (SOURCES.index(SourceType.DOC), SOURCES.index(SourceType.API_RESULT))
#: What a score is multiplied with to be below another one.
BELOW: Final = 1 - 1e-5
#: The share of the best document's evidence that the user's words have which bear about as strongly.
_ANSWERS: Final = 0.9
#: The share of the best document's evidence that other documents have which go with it, and the user's words that have
#: an answer of the kind that is asked for.
_BESIDE: Final = 0.75


class Bearing(NamedTuple):
    """What bears on a question, by candidate.

    ``evidence`` is what each says for it, ``own`` are the user's statements, ``bears`` is what is as likely as not to
    bear, as the best of those or of what is written, ``empty`` what has no answer of the kind that is asked for,
    ``whole`` what has all of the question's words. ``kind`` is whether the kind that is asked for is known.
    """

    evidence: npt.NDArray[np.float64]
    own: npt.NDArray[np.bool_]
    bears: npt.NDArray[np.bool_]
    empty: npt.NDArray[np.bool_]
    whole: npt.NDArray[np.bool_]
    kind: bool


class Order(NamedTuple):
    """The scores of the candidates, and which are documents that go before the user's words without an answer."""

    total: npt.NDArray[np.float64]
    written: npt.NDArray[np.bool_]


def ordered(
    total: npt.NDArray[np.float64], said: Bearing, yields: npt.NDArray[np.bool_], written: npt.NDArray[np.bool_]
) -> Order:
    """Return ``total`` with what ``yields`` below the user's words, and what is ``written`` below those that answer."""
    total = _below(total, yields & ~written, said.own & said.bears)
    if not written.any():
        return Order(total, written)
    best = said.evidence[written].max()
    answering = _answering(said, best)
    total = _below(total, written, answering)
    less = said.evidence < _ANSWERS * best
    vague = said.own & ~answering & (said.empty | said.bears | less)
    passage = _passages(said, written) & said.bears
    if not vague.any():
        return Order(total, vague)
    return Order(_below(total, vague, passage), passage)


def _answering(said: Bearing, best: float) -> npt.NDArray[np.bool_]:
    """Return which of the user's words answer the question, beside a document whose evidence is the ``best``."""
    if said.kind:
        enough = said.whole | said.bears | (said.evidence >= _BESIDE * best)
    else:
        enough = said.whole | (said.bears & (said.evidence >= _ANSWERS * best))
    found: npt.NDArray[np.bool_] = said.own & ~said.empty & enough
    return found


def _passages(said: Bearing, written: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return which of what is ``written`` says most for the question: of what may answer it, where that says enough."""
    near: npt.NDArray[np.bool_] = written & (said.evidence >= _BESIDE * said.evidence[written].max())
    telling: npt.NDArray[np.bool_] = near & ~said.empty
    return telling if telling.any() else near


def _below(
    total: npt.NDArray[np.float64], lower: npt.NDArray[np.bool_], upper: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """Return ``total`` with ``lower`` below all of ``upper``: their order stays, their scores shrink."""
    if not lower.any() or not upper.any():
        return total
    share = total[upper].min() / total[lower].max()
    return total if share > 1 else np.where(lower, total * share * BELOW, total)
