"""Which of the memories that were shown did the answer use, which not, and which does it contradict?

Guarantees: pure and deterministic; needs no model; every verdict has its numbers (integers of 1e-6) and the place of
the answer's sentence. What the question already said is no evidence: its terms do not count, and a sentence of the
answer that says nothing beyond the question is passed over, so an echo uses nothing.

How: a memory is compared sentence by sentence with every two sentences of the answer that stand together. The overlap
is the share of the memory's terms that the answer has, each weighted by its rarity among the memories shown,
``ln(1 + n / df)``; numbers weigh twice and names half as much again, since they are what an answer does not say by
chance. Where vectors are given, a sentence close enough to the memory is use as well (a paraphrase). A memory is
contradicted where :func:`marskg.control.conflicts.conflict` finds that the answer's sentence conflicts with it.
Limits: the first 400 sentences of an answer are looked at, and the first 100 of a memory.
Source: MemoryArchitect II.D step 1 (string overlap, unique keywords, embedding similarity, contradiction).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.control.conflicts import UNIT, Statement, conflict
from marskg.control.quantities import NUMERALS
from marskg.control.score import Outcome
from marskg.errors import InvalidConfig, InvalidInput
from marskg.text import folded, sentences, terms, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from marskg.embedding.model import Vectors

_NUMBER_WEIGHT: Final = 2.0
_NAME_WEIGHT: Final = 1.5
_MAX_SAID: Final = 400
_MAX_SENTENCES: Final = 100


@dataclass(frozen=True, slots=True)
class UsageRules:
    """From when on a memory counts as used; all three are integers of 1e-6.

    ``overlap_from``: weighted share of a memory's sentence in the answer. ``similarity_from``: cosine of a sentence of
    the answer with the memory. ``contradicted_from``: confidence of a conflict.
    """

    overlap_from: int = 500_000
    similarity_from: int = 750_000
    contradicted_from: int = 700_000

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            InvalidConfig: a value is out of its range.
        """
        for name in ("overlap_from", "similarity_from", "contradicted_from"):
            if not 0 < getattr(self, name) <= UNIT:
                msg = f"usage.{name} must be an integer from 1 to {UNIT:,}; correct it"
                raise InvalidConfig(msg)


@dataclass(frozen=True, slots=True)
class Usage:
    """What became of one memory.

    ``overlap``, ``similarity`` and ``conflict`` are integers of 1e-6, 0 where there is none. ``sentence`` counts the
    answer's sentences from 0 and says where the evidence begins, None for an unused memory. ``terms`` is how many of
    the memory's terms the answer has there.
    """

    id: str
    outcome: Outcome
    overlap: int
    similarity: int
    conflict: int
    sentence: int | None
    terms: int


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The best of one comparison: how much, where, and how many terms."""

    amount: int = 0
    sentence: int = -1
    terms: int = 0


_DEFAULT: Final = UsageRules()


def find_usage(
    answer: str,
    shown: Sequence[tuple[str, str]],
    question: str = "",
    *,
    answer_vectors: Vectors | None = None,
    memory_vectors: Vectors | None = None,
    rules: UsageRules = _DEFAULT,
) -> list[Usage]:
    """Return what became of each of the ``shown`` memories, in their order.

    Args:
        answer: what the agent said.
        shown: (id, content) of each memory that was shown.
        question: what it was asked; its terms are no evidence.
        answer_vectors: one unit row for each of :func:`marskg.text.sentences` of the answer; None for no vectors.
        memory_vectors: one unit row for each memory, by the same model.
        rules: thresholds.

    Raises:
        InvalidInput: the vectors do not fit the sentences, the memories or each other.
    """
    said = sentences(answer)
    similar = _similarities(answer_vectors, memory_vectors, len(said), len(shown))
    said = said[:_MAX_SAID]
    asked = frozenset(_terms(question))
    new = [frozenset(_terms(sentence)) - asked for sentence in said]
    weights = _weights([content for _, content in shown])
    found = []
    for place, (memory_id, content) in enumerate(shown):
        overlap = _overlap(content, new, asked, weights)
        near = max(
            (
                _Evidence(int(similar[row, place]), row)
                for row, fresh in enumerate(new)
                if fresh and similar is not None
            ),
            key=lambda one: (one.amount, -one.sentence),
            default=_Evidence(),
        )
        against = _contradiction(said, content)
        found.append(_verdict(memory_id, overlap, near, against, rules))
    return found


def _verdict(memory_id: str, overlap: _Evidence, near: _Evidence, against: _Evidence, rules: UsageRules) -> Usage:
    if against.amount >= rules.contradicted_from:
        outcome, place = Outcome.CONTRADICTED, against.sentence
    elif overlap.amount >= rules.overlap_from:
        outcome, place = Outcome.USED, overlap.sentence
    elif near.amount >= rules.similarity_from:
        outcome, place = Outcome.USED, near.sentence
    else:
        return Usage(
            memory_id, Outcome.UNUSED, overlap.amount, max(0, near.amount), against.amount, None, overlap.terms
        )
    return Usage(memory_id, outcome, overlap.amount, max(0, near.amount), against.amount, place, overlap.terms)


def _overlap(
    content: str, said: Sequence[frozenset[str]], asked: frozenset[str], weights: Mapping[str, float]
) -> _Evidence:
    """Return the best overlap of a sentence of ``content`` with two neighbouring sentences of the answer."""
    best = _Evidence()
    for sentence in sentences(content)[:_MAX_SENTENCES]:
        wanted = sorted(set(_terms(sentence)) - asked)
        names = _names(sentence)
        worth = {term: _worth(term, names, weights) for term in wanted}
        total = math.fsum(worth.values())
        for place in range(len(said)):
            window = said[place] | (said[place + 1] if place + 1 < len(said) else frozenset())
            shared = [term for term in wanted if term in window]
            amount = round(UNIT * math.fsum(worth[term] for term in shared) / total) if shared else 0
            if amount > best.amount:
                best = _Evidence(amount, place, len(shared))
    return best


def _worth(term: str, names: frozenset[str], weights: Mapping[str, float]) -> float:
    if term[0].isdigit():
        return _NUMBER_WEIGHT * weights[term]
    return (_NAME_WEIGHT if term in names else 1.0) * weights[term]


def _weights(contents: Iterable[str]) -> dict[str, float]:
    """Return the weight of each term by its rarity among ``contents``."""
    listed = [set(_terms(content)) for content in contents]
    counts = Counter(term for found in listed for term in found)
    return {term: math.log1p(len(listed) / count) for term, count in counts.items()}


def _contradiction(said: Sequence[str], content: str) -> _Evidence:
    best = _Evidence()
    old = Statement(content)
    for place, sentence in enumerate(said):
        found = conflict(Statement(sentence), old)
        if found is not None and found.confidence > best.amount:
            best = _Evidence(found.confidence, place, len(found.attribute))
    return best


def _similarities(
    answer: Vectors | None, memories: Vectors | None, sentence_count: int, memory_count: int
) -> np.ndarray | None:
    """Return the cosines as integers of 1e-6, a row for each sentence of the answer."""
    if answer is None or memories is None:
        return None
    if answer.shape[0] != sentence_count or memories.shape[0] != memory_count or answer.shape[1:] != memories.shape[1:]:
        msg = (
            f"the vectors are {answer.shape} for {sentence_count} sentences and {memories.shape} for {memory_count} "
            "memories; pass one row for each, all by one model"
        )
        raise InvalidInput(msg)
    cosines = answer.astype(np.float64) @ memories.astype(np.float64).T
    return np.rint(cosines * UNIT).astype(np.int64)


def _terms(text: str) -> list[str]:
    """Return the index terms of ``text``, spelled numbers as digits."""
    return [NUMERALS.get(term, term) for term in terms(text)]


def _names(sentence: str) -> frozenset[str]:
    """Return the terms of words with a capital that does not come from their place at the start."""
    listed = list(words(sentence))[1:]
    return frozenset(term for word in listed if word.text[:1].isupper() for term in terms(folded(word.text)))
