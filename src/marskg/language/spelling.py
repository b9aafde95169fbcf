"""How a word is typed otherwise: without its accents, with two letters for one, with one letter wrong.

Guarantees: pure functions of folded words (:func:`marskg.text.folded`), so that whether one word is another's other
writing depends on the two alone. Sources: Unicode UAX 15 for what can be taken apart, ``spelling.tsv`` for what
cannot; Damerau 1964, "A technique for computer detection and correction of spelling errors", for the four errors.
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice, product
from typing import TYPE_CHECKING, Final

from marskg.late_regex import late_regex
from marskg.weight import has_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: Accents of Latin, Greek and Cyrillic letters; the marks of other scripts are vowels, or tell letters apart.
_ACCENTS: Final = late_regex("[\u0300-\u036f]")
#: Letters with several writings from which they are all written the same way.
_MIXED: Final = 3
#: Letters at the end of a word of which two may have changed places across the beginning of its ending.
_END: Final = 6
#: Letters that a stem has at least.
_STEM: Final = 3


def plain_writings(word: str) -> tuple[str, ...]:
    """Return how a folded ``word`` is written without accents, the commonest first; nothing for one that has none."""
    if word.isascii():
        return ()
    table = _ways("letter")
    ways = [table.get(letter) or (_bare(letter),) for letter in unicodedata.normalize("NFC", word)]
    several = sum(len(way) > 1 for way in ways)
    if several > _MIXED:
        found = ["".join(way[min(turn, len(way) - 1)] for way in ways) for turn in (0, 1)]
    else:
        found = ["".join(one) for one in islice(product(*ways), 1 << _MIXED)]
    return tuple(one for one in dict.fromkeys(found) if one != word)


def one_error(typed: str, meant: str) -> bool:
    """Return whether one letter of ``meant`` was left out, added, replaced or swapped with the next in ``typed``."""
    if typed == meant or abs(len(typed) - len(meant)) > 1:
        return False
    if len(typed) < len(meant):
        typed, meant = meant, typed
    start = next((place for place, letter in enumerate(meant) if letter != typed[place]), len(meant))
    if len(typed) > len(meant):
        return typed[start + 1 :] == meant[start:]
    rest = start + 2
    swapped = typed[start:rest] == meant[start:rest][::-1] and typed[rest:] == meant[rest:]
    return swapped or typed[start + 1 :] == meant[start + 1 :]


def other_endings(word: str) -> Iterator[str]:
    """Yield the words that a typed ``word`` may be meant for, where the error is in its ending or where that begins.

    Stems do not show it: that of *restaurnat* is the whole word, that of *restaurant* ends before the error.
    """
    for endings in _ways("ending").values():
        for ending in endings:
            for size in range(len(ending) - 1, len(ending) + 2):
                end = len(word) - size
                if end >= _STEM and one_error(word[end:], ending):
                    yield word[:end] + ending
    for place in range(max(_STEM, len(word) - _END), len(word) - 1):
        if word[place] != word[place + 1]:
            yield word[:place] + word[place + 1] + word[place] + word[place + 2 :]


@lru_cache(maxsize=50_000)
def is_known(term: str) -> bool:
    """Return whether a folded word or an index term is one of the common English words and names, or the stem of one.

    Such a word is not another for a letter: who asks of a regard means no reward.
    """
    if not term.isascii():
        return False
    stems = (term, f"{term[:-1]}y") if term.endswith("i") else (term,)
    endings = (ending for endings in _ways("ending").values() for ending in ("e", "y", "s", *endings))
    return any(map(has_word, stems)) or any(has_word(term + ending) for ending in endings)


def _bare(letter: str) -> str:
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", letter))
    return unicodedata.normalize("NFC", bare)


@cache
def _ways(kind: str) -> Mapping[str, tuple[str, ...]]:
    """Return the ways of each row of a ``kind`` in the table."""
    table = files("marskg").joinpath("language", "spelling.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in table.splitlines() if not line.startswith("#"))
    return {what: tuple(ways.split()) for of, what, ways in rows if of == kind}
