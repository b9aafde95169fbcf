"""Which of the memories that were shown did the answer use, which not, and which does it contradict?

Guarantees: pure and deterministic; needs no model; every verdict has its numbers (integers of 1e-6) and the place of
the answer's sentence. What the question already said is no evidence: its terms do not count, and a sentence of the
answer that says nothing beyond the question is passed over, so an echo uses nothing.

How: a memory is compared sentence by sentence with every two sentences of the answer that stand together. The overlap
is the share of the memory's terms that the answer has, each weighted by its rarity among the memories shown, ``ln(1 + n
/ df)``; numbers weigh twice and names half as much again, since they are what an answer does not say by chance; a
number alone counts only where it is one of the same thing. Where vectors are given, a sentence may be use as well (a
paraphrase): it must be closer to the memory than to any other that was shown by a margin, those that say nearly the
same set aside, and closer than the question is. A memory is contradicted where :mod:`marskg.learning.rules.rebuttal`
finds that the answer goes against it; not by a sentence that asks or supposes, nor by one that comes from another
memory shown which does not. Limits: the first 400 sentences of an answer are looked at, and the first 100 of a memory.
Source: MemoryArchitect II.D step 1 (string overlap, unique keywords, embedding similarity, contradiction).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.config import LearningSettings
from marskg.errors import InvalidInput
from marskg.language.en.quantities import quantities
from marskg.late_regex import late_regex
from marskg.learning.rules.conflict_detection import MIN_CONFIDENCE, UNIT
from marskg.learning.rules.rebuttal import counted_terms, differs, rebuts
from marskg.learning.rules.score import Outcome
from marskg.text import folded, sentences, terms, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from marskg.embedding.model import Vectors
    from marskg.language.statements import Quantity

_NUMBER_WEIGHT: Final = 2.0
_NAME_WEIGHT: Final = 1.5
_MAX_SAID: Final = 400
_MAX_SENTENCES: Final = 100
#: The two cosines by model, calibrated by scripts/usage_quality.py, and those of a model that nobody calibrated.
_CLOSE: Final = {"static": (600_000, 350_000), "minilm": (600_000, 400_000), "e5": (600_000, 400_000)}
_CLOSE_OF_ANY: Final = (750_000, 750_000)
#: By how much a paraphrase is closer to its memory than to others, where the question is farther, and where it is not.
_AHEAD: Final = 100_000
_FAR_AHEAD: Final = 200_000
#: Cosine from which two memories say nearly the same, so that a paraphrase of one is one of the other.
_ALIKE: Final = 0.85
#: What asks; and an "if" that begins a sentence, which is never one of politeness in an answer.
_ASKS: Final = late_regex(r"\?[\"')\]]*$|^(?:(?:but|and|so|or|then),? )?if\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class UsageRules:
    """From when on a memory counts as used; all are integers of 1e-6.

    ``overlap_from``: weighted share of a memory's sentence in the answer. ``similarity_from``: cosine of a sentence of
    the answer with the memory, None for what is calibrated for the model. ``contradicted_from``: confidence of a
    contradiction.
    """

    overlap_from: int
    similarity_from: int | None
    contradicted_from: int

    @classmethod
    def of(cls, learning: LearningSettings) -> UsageRules:
        """Return the rules that a tenant's settings give."""
        close = learning.similarity_from
        return cls(
            overlap_from=round(learning.overlap_from * UNIT),
            similarity_from=None if close is None else round(close * UNIT),
            contradicted_from=round(learning.contradicted_from * UNIT),
        )

    def close(self, model: str) -> tuple[int, int]:
        """Return the cosine that is enough by itself, and that which is where the question is farther."""
        if self.similarity_from is not None:
            return self.similarity_from, self.similarity_from
        return _CLOSE.get(model.partition(":")[0], _CLOSE_OF_ANY)


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

    def holds(self, sentence: int) -> bool:
        """Return whether a sentence is among the two that it was found in."""
        return 0 <= self.sentence <= sentence <= self.sentence + 1


_DEFAULT: Final = UsageRules.of(LearningSettings())
#: "Ann: " before what Ann says.
_SPEAKER: Final = late_regex(r"^\w[\w .'-]{0,40}: ")


@dataclass(frozen=True, slots=True)
class Meaning:
    """Unit rows: of :func:`marskg.text.sentences` of the answer, of the memories, and of the question.

    ``model`` is the name of the model that made them all, as the store records it.
    """

    answer: Vectors
    memories: Vectors
    question: Vectors | None = None
    model: str = ""


def find_usage(
    answer: str,
    shown: Sequence[tuple[str, str]],
    question: str = "",
    *,
    meaning: Meaning | None = None,
    rules: UsageRules = _DEFAULT,
) -> list[Usage]:
    """Return what became of each of the ``shown`` memories, in their order.

    Args:
        answer: what the agent said.
        shown: (id, content) of each memory that was shown.
        question: what it was asked; its terms are no evidence.
        meaning: vectors of all of these; None for no vectors.
        rules: thresholds.

    Raises:
        InvalidInput: the vectors do not fit the sentences, the memories or each other.
    """
    said = sentences(answer)
    asked = frozenset(counted_terms(question))
    new = [frozenset(counted_terms(sentence)) - asked for sentence in said[:_MAX_SAID]]
    fresh = [row for row, found in enumerate(new) if found]
    close = None if meaning is None else _Closeness(meaning, len(said), len(shown), fresh)
    enough = (0, 0) if meaning is None else rules.close(meaning.model)
    said = said[:_MAX_SAID]
    numbers = [frozenset(quantities(sentence)) for sentence in said]
    weights = _weights([content for _, content in shown])
    overlaps = [_overlap(content, new, asked, weights, numbers) for _, content in shown]
    asserted = _asserted(said)
    against = [_contradiction(asserted, content, question) for _, content in shown]
    # Asked for the same memory beside each of the others.
    stated = cache(lambda content: _asserted(sentences(content)[:_MAX_SENTENCES]))
    found = []
    for place, (memory_id, content) in enumerate(shown):
        others = [
            stated(other)
            for at, (_, other) in enumerate(shown)
            if at != place and overlaps[at].amount >= rules.overlap_from and overlaps[at].holds(against[place].sentence)
        ]
        # What comes from another memory speaks for that one, and against this one only where the two conflict.
        if others and all(
            _contradiction(other, content, question).amount < rules.contradicted_from for other in others
        ):
            against[place] = _Evidence()
        near = _Near() if close is None else close.to(place)
        rest = overlaps[place].sentence if overlaps[place].amount >= rules.overlap_from else near.sentence
        differing = rest >= 0 and _differs(said[rest : rest + 2], content)
        one = _Found(overlaps[place], near, against[place], differing)
        found.append(one.verdict(memory_id, rules, enough))
    return found


@dataclass(frozen=True, slots=True)
class _Found:
    """All that was found of one memory; ``differs`` says that a use would rest on another time, number or sum."""

    overlap: _Evidence
    near: _Near
    against: _Evidence
    differs: bool

    def verdict(self, memory_id: str, rules: UsageRules, enough: tuple[int, int]) -> Usage:
        """Return what became of the memory; what goes half against it is no use of it either."""
        outcome, place = Outcome.UNUSED, None
        if self.against.amount >= rules.contradicted_from:
            outcome, place = Outcome.CONTRADICTED, self.against.sentence
        elif not self.differs and self.against.amount < MIN_CONFIDENCE:
            if self.overlap.amount >= rules.overlap_from:
                outcome, place = Outcome.USED, self.overlap.sentence
            elif self.near.is_use(enough):
                outcome, place = Outcome.USED, self.near.sentence
        similarity = max(0, self.near.amount)
        return Usage(
            memory_id, outcome, self.overlap.amount, similarity, self.against.amount, place, self.overlap.terms
        )


@dataclass(frozen=True, slots=True)
class _Near:
    """How close the closest sentence is, and by how much closer than to another memory, and than the question is."""

    amount: int = 0
    sentence: int = -1
    lead: int = 0
    gain: int = 0

    def is_use(self, enough: tuple[int, int]) -> bool:
        """Return whether it is close enough for a paraphrase: by itself, or where the question is farther."""
        alone, beyond = enough
        if self.sentence < 0:
            return False
        if self.amount >= alone and self.lead >= _FAR_AHEAD:
            return True
        return self.amount >= beyond and self.lead >= _AHEAD and self.gain > 0


class _Closeness:
    """How close each sentence of an answer is to each memory."""

    def __init__(self, meaning: Meaning, sentence_count: int, memory_count: int, fresh: Sequence[int]) -> None:
        """Compare the rows of ``fresh``, those sentences that say something beyond the question.

        Raises:
            InvalidInput: the vectors do not fit the sentences, the memories or each other.
        """
        answer, memories, question = meaning.answer, meaning.memories, meaning.question
        fit = answer.shape[0] == sentence_count and memories.shape[0] == memory_count
        if not fit or answer.shape[1:] != memories.shape[1:]:
            msg = (
                f"the vectors are {answer.shape} for {sentence_count} sentences and {memories.shape} for "
                f"{memory_count} memories; pass one row for each, all by one model"
            )
            raise InvalidInput(msg)
        held = memories.astype(np.float64)
        self._fresh = list(fresh)
        self._cosines = answer[self._fresh].astype(np.float64) @ held.T
        self._alike = held @ held.T >= _ALIKE
        self._asked = np.zeros(memory_count) if question is None else held @ question.astype(np.float64)

    def to(self, place: int) -> _Near:
        """Return how close the answer comes to one memory."""
        if not self._fresh:
            return _Near()
        row = int(np.argmax(self._cosines[:, place]))
        amount = self._cosines[row, place]
        other = self._cosines[row][~self._alike[place]]
        lead = amount - float(other.max(initial=0.0))
        micro = (round(float(value) * UNIT) for value in (lead, amount - self._asked[place]))
        return _Near(round(float(amount) * UNIT), self._fresh[row], *micro)


def _overlap(
    content: str,
    said: Sequence[frozenset[str]],
    asked: frozenset[str],
    weights: Mapping[str, float],
    numbers: Sequence[frozenset[Quantity]],
) -> _Evidence:
    """Return the best overlap of a sentence of ``content`` with two neighbouring sentences of the answer."""
    best = _Evidence()
    listed = sentences(content)[:_MAX_SENTENCES]
    for sentence in listed:
        wanted = sorted(set(counted_terms(sentence)) - asked)
        names = _names(sentence)
        if len(listed) > 1 and len(wanted) == 1 and not (wanted[0] in names or wanted[0][0].isdigit()):
            continue  # "Awesome!" among other sentences: its word is said by chance.
        worth = {term: _worth(term, names, weights) for term in wanted}
        total = math.fsum(worth.values())
        for place in range(len(said)):
            window = said[place] | (said[place + 1] if place + 1 < len(said) else frozenset())
            shared = [term for term in wanted if term in window]
            if len(shared) == 1 and shared[0][0].isdigit() and not _is_same(shared[0], sentence, numbers[place:][:2]):
                continue
            amount = round(UNIT * math.fsum(worth[term] for term in shared) / total) if shared else 0
            if amount > best.amount:
                best = _Evidence(amount, place, len(shared))
    return best


def _is_same(number: str, sentence: str, said: Iterable[frozenset[Quantity]]) -> bool:
    """Return whether a number that is all that two texts share is one of the same thing: "8 AM" is not "platform 8"."""
    held = [one for one in quantities(sentence) if re.search(rf"(?<!\d)0?{re.escape(number)}(?!\d)", one.value)]
    there = frozenset().union(*said)
    return not held or any(one in there for one in held)


def _worth(term: str, names: frozenset[str], weights: Mapping[str, float]) -> float:
    if term[0].isdigit():
        return _NUMBER_WEIGHT * weights[term]
    return (_NAME_WEIGHT if term in names else 1.0) * weights[term]


def _weights(contents: Iterable[str]) -> dict[str, float]:
    """Return the weight of each term by its rarity among ``contents``."""
    listed = [set(counted_terms(content)) for content in contents]
    counts = Counter(term for found in listed for term in found)
    return {term: math.log1p(len(listed) / count) for term, count in counts.items()}


def _asserted(said: Sequence[str]) -> list[tuple[int, str]]:
    """Return the sentences that neither ask nor suppose, each after its place."""
    from marskg.language.en.clauses import SUPPOSED  # noqa: PLC0415 - as in conflict_detection

    return [(place, one) for place, one in enumerate(said) if not (_ASKS.search(one) or SUPPOSED.search(folded(one)))]


def _contradiction(asserted: Iterable[tuple[int, str]], content: str, question: str) -> _Evidence:
    best = _Evidence()
    parts = sentences(content)[:_MAX_SENTENCES] or [content]
    for place, sentence in asserted:
        sure = max(rebuts(sentence, part, question) for part in parts)
        if sure > best.amount:
            best = _Evidence(sure, place)
    return best


def _differs(said: Sequence[str], content: str) -> bool:
    """Return whether what the evidence rests on names another time, number or sum than the memory does."""
    return all(any(differs(one, part) for part in sentences(content)[:_MAX_SENTENCES]) for one in said)


def _names(sentence: str) -> frozenset[str]:
    """Return the terms of words with a capital that does not come from their place at the start, or after a speaker."""
    said = _SPEAKER.sub("", sentence)
    listed = [*words(sentence[: len(sentence) - len(said)]), *list(words(said))[1:]]
    return frozenset(term for word in listed if word.text[:1].isupper() for term in terms(folded(word.text)))
