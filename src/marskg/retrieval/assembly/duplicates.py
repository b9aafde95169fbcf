"""Memories that say the same are shown once.

Guarantees: of two that say the same, the one that does not come from outside stays, then the newer valid one, then the
more reliable, then the better ranked; who stays is itself never dropped; the result does not depend on the order of
the input. Two memories say the same when

- their texts are equal but for case, white space and closing punctuation, or
- every index term of one is a term of the other, at least ``jaccard`` of all terms are common, the common ones come in
  the same order, numbers, negations, names and symbols are equal, and the cosine of their vectors, where both have one,
  is at least ``cosine``.

The second rule is narrow on purpose: what changes one word (a city, an amount, a *not*) is another statement, and a
static embedding cannot tell *Ann manages Bob* from *Bob manages Ann*. A duplicate that is missed costs tokens, a
statement that is dropped costs an answer. Values of different keys, about different subjects, and entries of a ledger
(``append``) are never duplicates: two equal expenses are two expenses.
Source: MemoryArchitect II.E; prefix filtering after Bayardo, Ma and Srikant 2007.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from marskg.config import AssemblySettings
from marskg.ontology.vocabulary import Cardinality
from marskg.retrieval.assembly.candidate import precedence, rank_order
from marskg.retrieval.assembly.similarity import UNIT_BITS
from marskg.text import folded, terms, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from marskg.retrieval.assembly.candidate import Candidate
    from marskg.retrieval.assembly.similarity import Similarities

_USUAL = AssemblySettings()
MICRO = 1_000_000
_NEGATIONS = frozenset({"no", "not", "never", "none", "nor", "cannot", "without", "nobody", "nothing", "neither"})
#: Words that are looked up by nobody and tell a time from another.
_HALVES = frozenset({"am", "pm", "before", "after", "over", "under", "above", "below", "up", "down", "on", "off"})
#: After these a sentence begins.
_BEGINS = frozenset(".!?:\n")
_CLOSING = " \t\n.!?…。！？"
_MINUS = frozenset("-\N{MINUS SIGN}")


@dataclass(frozen=True, slots=True)
class Duplicate:
    """``loser`` says the same as ``winner``, both ids; ``rule`` is ``equal text`` or ``near duplicate``."""

    loser: str
    winner: str
    rule: str


def normalised(text: str) -> str:
    """Return the form in which texts are equal: folded, one blank between words, no closing punctuation."""
    return " ".join(folded(text).split()).strip(_CLOSING)


def without_duplicates(
    candidates: Sequence[Candidate], table: Similarities, settings: AssemblySettings = _USUAL
) -> tuple[list[Candidate], list[Duplicate]]:
    """Return those of ``candidates`` that stay, in rank order, and who was dropped for whom.

    ``table`` are the similarities of ``candidates`` in their order; ``settings`` has the thresholds.
    """
    order = sorted(range(len(candidates)), key=lambda place: precedence(candidates[place]), reverse=True)
    texts: dict[str, list[int]] = {}
    near = _Near(candidates, table, settings.jaccard, settings.cosine)
    kept: list[int] = []
    dropped: list[Duplicate] = []
    for place in order:
        one = candidates[place]
        same = texts.setdefault(normalised(one.content), [])
        winner = next((other for other in same if _comparable(candidates[other], one)), None)
        rule = "equal text"
        if winner is None:
            winner, rule = near.find(place), "near duplicate"
        if winner is None:
            kept.append(place)
            same.append(place)
            near.add(place)
        else:
            dropped.append(Duplicate(one.id, candidates[winner].id, rule))
    return rank_order(candidates[place] for place in kept), dropped


class _Near:
    """Finds a near duplicate among those that stay: the best of them by precedence."""

    def __init__(self, candidates: Sequence[Candidate], table: Similarities, jaccard: float, cosine: float) -> None:
        self._candidates = candidates
        self._table = table
        self._jaccard = jaccard
        self._least: int = round(cosine * 2**UNIT_BITS)
        #: Who may resemble another by vectors, and who has none and is compared with everybody by terms alone.
        without = np.array([one.vector is None for one in candidates], dtype=np.bool_)
        self._suspects = table.resembling(self._least) | without.any()
        #: The index terms of those alone: few memories resemble another, and stemming is not cheap.
        self._terms = {
            place: frozenset(terms(candidates[place].content)) for place in np.flatnonzero(self._suspects).tolist()
        }
        self._prefixes = _Prefixes(self._terms, jaccard)
        self._kept: dict[int, int] = {}
        self._fingerprints: dict[int, _Fingerprint] = {}

    def add(self, place: int) -> None:
        """Let later ones find the candidate at ``place``."""
        if self._suspects[place]:
            self._kept[place] = len(self._kept)
            self._prefixes.add(place)

    def find(self, place: int) -> int | None:
        """Return who says the same as the candidate at ``place``, None if nobody does."""
        if not self._suspects[place]:
            return None
        others = sorted(self._prefixes.alike(place), key=self._kept.__getitem__)
        return next(
            (other for other in others if self._alike(other, place) and self._same_terms(other, place)),
            None,
        )

    def _same_terms(self, first: int, second: int) -> bool:
        """Return whether two say the same by the second rule, their vectors aside."""
        smaller, larger = sorted((self._terms[first], self._terms[second]), key=len)
        if not smaller or not smaller <= larger or len(smaller) < self._jaccard * len(larger):
            return False
        if not _comparable(self._candidates[first], self._candidates[second]):
            return False
        mine, others = self._fingerprint(first), self._fingerprint(second)
        return mine.figures == others.figures and (
            [term for term in mine.order if term in smaller] == [term for term in others.order if term in smaller]
        )

    def _fingerprint(self, place: int) -> _Fingerprint:
        found = self._fingerprints.get(place)
        if found is None:
            found = self._fingerprints[place] = _fingerprint(self._candidates[place])
        return found

    def _alike(self, first: int, second: int) -> bool:
        """Return whether the vectors of two say the same; where one of them has none, the terms decide alone."""
        if self._candidates[first].vector is None or self._candidates[second].vector is None:
            return True
        return self._table.between(first, second) >= self._least


def _comparable(first: Candidate, second: Candidate) -> bool:
    one, other = first.memory, second.memory
    if Cardinality.APPEND in {one.cardinality, other.cardinality} or one.subjects != other.subjects:
        return False
    return one.key is None or other.key is None or one.key == other.key


class _Fingerprint(NamedTuple):
    """What must be equal in near duplicates: how often each number, negation, name and symbol occurs, and the order."""

    figures: Counter[str]
    order: tuple[str, ...]


def _fingerprint(candidate: Candidate) -> _Fingerprint:
    text = candidate.content
    return _Fingerprint(Counter(_figures(text)), tuple(dict.fromkeys(terms(text))))


def _figures(text: str) -> Iterator[str]:
    end = 0
    for word in words(text):
        between = text[end : word.start]
        yield from _symbols(between)
        said = folded(word.text)
        if said[0].isdigit():
            # The sign is no part of the word: -5 and 5 are two amounts.
            sign = text[word.start - 1 : word.start]
            yield f"{sign if sign in _MINUS else ''}{said}"
        elif said in _NEGATIONS or said.endswith("n't"):
            yield "not"
        # The first word of a sentence has a capital whatever it is.
        elif said in _HALVES or (word.text[0].isupper() and end and _BEGINS.isdisjoint(between)):
            yield said
        end = word.end
    yield from _symbols(text[end:])


def _symbols(between: str) -> Iterator[str]:
    """Yield what is between two words and no punctuation: a sign, a currency, a picture."""
    return (one for one in between if unicodedata.category(one)[0] == "S")


class _Prefixes:
    """Finds candidates that share a rare term, which near duplicates must.

    Of two sets with ``jaccard`` of their terms in common, the first ``size - ceil(jaccard * size) + 1`` terms by one
    common order have at least one in common; rare terms come first in it, so the lists are short.
    """

    def __init__(self, wanted: Mapping[int, frozenset[str]], jaccard: float) -> None:
        spread = Counter(term for given in wanted.values() for term in given)
        self._prefixes: dict[int, list[str]] = {}
        for place, given in wanted.items():
            rare = sorted(given, key=lambda term: (spread[term], term))
            self._prefixes[place] = rare[: _prefix(len(given), jaccard)]
        self._postings: dict[str, list[int]] = {}

    def alike(self, place: int) -> set[int]:
        """Return those added so far that share a term of the prefix."""
        return {other for term in self._prefixes[place] for other in self._postings.get(term, ())}

    def add(self, place: int) -> None:
        """Let later ones find this one."""
        for term in self._prefixes[place]:
            self._postings.setdefault(term, []).append(place)


def _prefix(size: int, jaccard: float) -> int:
    # In integers of 1e-6, rounded so that the prefix is never too short.
    return size - (round(jaccard * MICRO) * size + MICRO - 1) // MICRO + 1 if size else 0
