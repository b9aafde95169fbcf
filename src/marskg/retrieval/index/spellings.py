"""Which terms of an index are a word of a question in another spelling: *gdansk* is Gdańsk, *resturant* a restaurant.

Guarantees: whether and how much a term counts for a word depends on the two alone, so that a term that only hidden
memories have changes nothing; a code, a number and a word of a script without blanks has no other spelling but that of
its form (:func:`marskg.text.folded`). What was worked out is kept until the index is compacted. Source: ADR 101.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.language.spelling import is_known, one_error, other_endings, plain_writings
from marskg.retrieval.index.columns import Columns
from marskg.text import is_spelled, term_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.retrieval.index.lexical import Lexical

#: What another spelling counts, of the word itself: the same letters with and without their accents; other accents or
#: one error; one error in the first letter, which people get right.
SAME: Final = 0.97
ERROR: Final = 0.8
FIRST: Final = 0.6
#: Letters of a word that may have an error, and of the terms that are compared, at least and at most.
LONG: Final = 6
_STEM: Final = 5
_LONGEST: Final = 64
#: Bits that tell the letters of a word, and how many of them one error changes at most.
_BITS: Final = 63
_CHANGED: Final = 2
#: Words of questions whose errors are kept.
_KEPT: Final = 4_096


class Spellings:
    """The terms of an index that are words of letters, by their writings without accents and by their letters."""

    def __init__(self, terms: Lexical) -> None:
        """Follow ``terms``, which gives its terms in the order in which they came and loses none."""
        self._terms = terms
        self._read = 0
        #: Without accents → the terms with accents that are written so.
        self._accented: dict[str, list[str]] = {}
        self._words: list[str] = []
        self._letters = Columns(
            {"letters": (np.uint64, 0), "size": (np.int16, 0), "begins": (np.int64, 0), "ends": (np.int64, 0)}
        )
        #: By word: how many terms it was compared with, and which of them have an error.
        self._known: dict[str, tuple[int, list[str]]] = {}

    def same(self, term: str, word: str) -> list[tuple[float, str]]:
        """Return the terms that are the ``word`` of a question, and its ``term``, with other accents or without.

        Each comes with how much it counts of the word itself.
        """
        self._catch_up()
        plain = plain_writings(word) + plain_writings(term)
        found = {other: SAME for one in plain for other in (one, term_of(one)) if other in self._terms}
        for one in (word, term):
            found |= dict.fromkeys(self._accented.get(one, ()), SAME)
        if len(word) >= LONG:
            for one in plain:
                for other in self._accented.get(one, ()):
                    found.setdefault(other, ERROR)
        found.pop(term, None)
        return sorted((counts, other) for other, counts in found.items())

    def errors(self, term: str, word: str) -> list[tuple[float, str]]:
        """Return the terms that the ``word`` of a question, and its ``term``, may be with one letter wrong.

        Either may have the error. Each comes with how much it counts of the word itself.
        """
        self._catch_up()
        if len(word) < LONG or not is_spelled(word):
            return []
        found = {other for one in {term, word} if _STEM <= len(one) <= _LONGEST for other in self._near(one)}
        if is_known(word) or is_known(term):  # A word is not another one for a letter, such as a regard for a reward.
            found = {other for other in found if not is_known(other)}
        else:
            found |= {other for one in other_endings(word) if (other := term_of(one)) in self._terms}
        found.discard(term)
        return sorted((ERROR if other[0] == word[0] else FIRST, other) for other in found)

    def _near(self, word: str) -> list[str]:
        """Return the terms that differ from ``word`` by one error."""
        compared, found = self._known.get(word, (0, []))
        if compared < len(self._words):
            fresh = slice(compared, None)
            changed = np.bitwise_count(self._letters["letters"][fresh] ^ np.uint64(_letters(word)))
            longer = np.abs(self._letters["size"][fresh] - len(word))
            # One error leaves the first two letters as they are, or the last two.
            begins, ends = _edges(word)
            edge = (self._letters["begins"][fresh] == begins) | (self._letters["ends"][fresh] == ends)
            places = np.flatnonzero(edge & (changed <= _CHANGED) & (longer <= 1)) + compared
            found = found + [other for place in places.tolist() if one_error(word, other := self._words[place])]
        if len(self._known) >= _KEPT:
            self._known.clear()
        self._known[word] = (len(self._words), found)
        return found

    def _catch_up(self) -> None:
        """Take in the terms that came since."""
        if len(self._terms) == self._read:
            return
        fresh = [*islice(self._terms, self._read, None)]
        self._read += len(fresh)
        for term in fresh:
            for one in _plain(term):
                self._accented.setdefault(one, []).append(term)
        words = [term for term in fresh if _STEM <= len(term) <= _LONGEST and is_spelled(term)]
        first = self._letters.append(len(words))
        self._letters["letters"][first:] = [_letters(word) for word in words]
        self._letters["size"][first:] = [len(word) for word in words]
        edges = np.array([_edges(word) for word in words], dtype=np.int64).reshape(-1, 2)
        self._letters["begins"][first:], self._letters["ends"][first:] = edges.T
        self._words += words


def _plain(term: str) -> Iterator[str]:
    """Yield what a term with accents is written as without, and the terms of that."""
    for one in plain_writings(term):
        yield one
        # Of another alphabet nothing is taken off.
        if one.isascii() and (stem := term_of(one)) != one:
            yield stem


def _edges(word: str) -> tuple[int, int]:
    """Return a number for the first two letters of ``word``, and one for the last two."""
    return ord(word[0]) << 32 | ord(word[1]), ord(word[-2]) << 32 | ord(word[-1])


def _letters(word: str) -> int:
    """Return a bit for each letter of ``word``; letters may share one."""
    found = 0
    for letter in word:
        found |= 1 << ord(letter) % _BITS
    return found
