"""What in the words of a text speaks for, or against, that a life depends on it: the table ``vital_words.tsv``.

Guarantees: pure; the words of one language count, that in which most of a text is; case, accents and apostrophes are
no matter. A text without blanks between its words has them by containment. Nothing here decides: what the signs are
worth is learned (:mod:`marskg.extraction.vital`). Source: issue 54 item 8; ADR 104.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from marskg.language.profile_words import table_rows
from marskg.late_regex import late_regex
from marskg.text import folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    #: A language and a sort.
    _Meaning: TypeAlias = "tuple[str, str]"

#: The sorts of words in the table; the last one only tells languages apart.
SORTS: Final = ("sure", "state", "own", "kin", "loss", "who", "other", "talk")
#: Which of them mean more together: somebody's own state, and whom somebody lost.
PAIRS: Final = (("state", "own"), ("sure", "own"), ("state", "kin"), ("sure", "kin"), ("loss", "kin"), ("who", "own"))
#: The signs of a text, in order: its sorts of words, their pairs, the same without a word of what is made up or a joke,
#: a question, and a long number.
SIGNS: Final = (
    *SORTS[:-1],
    *("+".join(pair) for pair in PAIRS),
    *("+".join((*pair, "real")) for pair in PAIRS),
    "asks",
    "number",
)
_JOINED: Final = "zh"
_ACCENTS: Final = late_regex("[\u0300-\u036f]")
_WORD: Final = late_regex(r"[^\W_]+")
_SCRIPT: Final = late_regex("[\u3400-\u9fff]")
_NUMBER: Final = late_regex(r"\d[\d \-./]{3,}\d|\d{4}")
#: How umlauts are typed without them, and without the letter in their place.
_UMLAUTS: Final = (("ae", "a"), ("oe", "o"), ("ue", "u"))


class _Table(NamedTuple):
    """Words of all languages with their languages and sorts: whole ones, what others begin with, and rows of several.

    ``lengths`` are those of beginnings; ``rows`` has the words of each row by its first one, the last of which may be a
    beginning, with a ``*`` behind it.
    """

    whole: Mapping[str, Sequence[_Meaning]]
    begins: Mapping[str, Sequence[_Meaning]]
    lengths: Sequence[int]
    rows: Mapping[str, Sequence[tuple[list[str], _Meaning]]]
    joined: Sequence[tuple[str, str]]


def signs(text: str) -> tuple[float, ...]:
    """Return what of :data:`SIGNS` a text has, each 1.0 or 0.0."""
    found = _sorts_of(text)
    real = "other" not in found
    pairs = [first in found and second in found for first, second in PAIRS]
    has = [sort in found for sort in SORTS[:-1]] + pairs + [pair and real for pair in pairs]
    return tuple(map(float, (*has, "?" in text or "？" in text, _NUMBER.search(text) is not None)))


def _sorts_of(text: str) -> frozenset[str]:
    """Return the sorts of the words that a text has, in its language."""
    plain = _plain(text)
    if _SCRIPT.search(plain):
        return frozenset(sort for word, sort in _table().joined if word in plain)
    found: dict[str, list[str]] = defaultdict(list)
    for language, sort in _met(_WORD.findall(plain)):
        found[language].append(sort)
    best = max(found, key=lambda language: (len(found[language]), language), default=None)
    return frozenset() if best is None else frozenset(found[best])


def _met(said: list[str]) -> Iterator[_Meaning]:
    """Yield what each word, or row of words, of the table means."""
    table = _table()
    for start, word in enumerate(said):
        yield from table.whole.get(word, ())
        for row, meaning in table.rows.get(word, ()):
            here = said[start : start + len(row)]
            if here == row or (
                row[-1][-1] == "*"
                and here[:-1] == row[:-1]
                and len(here) == len(row)
                and here[-1].startswith(row[-1][:-1])
            ):
                yield meaning
        for length in table.lengths:
            if length > len(word):
                break
            yield from table.begins.get(word[:length], ())


def _plain(text: str) -> str:
    """Return a text without case, accents and what only some type."""
    return _ACCENTS.sub("", unicodedata.normalize("NFD", folded(text))).replace("œ", "oe")


@cache
def _table() -> _Table:
    whole: dict[str, list[_Meaning]] = defaultdict(list)
    begins: dict[str, list[_Meaning]] = defaultdict(list)
    rows: dict[str, list[tuple[list[str], _Meaning]]] = defaultdict(list)
    joined: list[tuple[str, str]] = []
    for language, sort, listed in table_rows("vital_words.tsv"):
        for entry in listed.split("|"):
            if language == _JOINED:
                joined.append((_plain(entry), sort))
                continue
            words = _WORD.findall(_plain(entry))
            ways = [words, [_untyped(word) for word in words]] if language == "de" else [words]
            # A word without an umlaut is spelled in one way, and counts once, or its language would win over others.
            for row in ways if ways[0] != ways[-1] else ways[:1]:
                if len(row) > 1:
                    last = f"{row[-1]}*" if entry.endswith("*") else row[-1]
                    rows[row[0]].append(([*row[:-1], last], (language, sort)))
                else:
                    (begins if entry.endswith("*") else whole)[row[0]].append((language, sort))
    return _Table(whole, begins, sorted({len(word) for word in begins}), rows, joined)


def _untyped(word: str) -> str:
    for pair, letter in _UMLAUTS:
        word = word.replace(pair, letter)
    return word
