"""Which kind of answer a question asks for, and which kinds of answer a text has: the table ``kinds.tsv``.

Guarantees: pure. A question of no known kind asks for none, and a text of a language that is not the question's, or of
more than a passage, may have any: what the table does not know makes a text no worse.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.language.en.lexicon import Is, flags, guessed
from marskg.late_regex import late_regex
from marskg.text import PASSAGE, folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    import numpy.typing as npt

#: Kinds of answers as bits of one language, in the words of the table.
KINDS: Final[Mapping[str, int]] = {
    name: 1 << place
    for place, name in enumerate(("amount", "time", "person", "place", "leave", "means", "reason", "unknown", "common"))
}
_LANGUAGES: Final = ("en", "de", "es", "fr")
#: Bits of a language: those of the next stand above them.
_WIDTH: Final = len(KINDS)
_LEAD: Final = "lead"
#: What stands in the table for any text with a digit.
_DIGIT: Final = "_"
_WORDS: Final = late_regex(r"[^\W_]+(?:['’][^\W_]+)*")
#: Words of the longest row of the table, and how many may stand before a question.
_LONGEST: Final = 5
_BEFORE: Final = 4


class _Table(NamedTuple):
    """The words of questions and of answers, each with the bits of their kinds; what may stand before a question."""

    asks: Mapping[str, int]
    tells: Mapping[str, int]
    leads: frozenset[str]


@lru_cache(maxsize=1_000)
def kind_asked(question: str) -> int:
    """Return the bit of the kind, in its language, that ``question`` asks for, 0 where it may be any."""
    table, said = _table(), _words(question)
    for _ in range(_BEFORE):
        for size in range(min(_LONGEST, len(said)), 0, -1):
            if found := table.asks.get(" ".join(said[:size])):
                return found & -found
        lead = next((size for size in range(min(3, len(said)), 0, -1) if " ".join(said[:size]) in table.leads), 0)
        if not lead:
            break
        said = said[lead:]
    return 0


def kinds_told(text: str) -> int:
    """Return the bits of the kinds of answer that ``text`` has, in each language; of a long one 0: it may have any."""
    if len(text) > PASSAGE:
        return 0
    tells, said = _table().tells, _words(text)
    found = tells[_DIGIT] if any(letter.isdigit() for letter in text) else 0
    for start in range(len(said)):
        for size in range(1, _LONGEST):
            found |= tells.get(" ".join(said[start : start + size]), 0)
    return found | (_in_each("person") if _may_name(text) else 0)


def without_answer(asked: int, told: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Return which texts have no answer to a question of the kind ``asked``, by the kinds ``told`` that they have."""
    spoken = KINDS["common"] << (asked.bit_length() - 1) // _WIDTH * _WIDTH if asked else _in_each("unknown")
    found: npt.NDArray[np.bool_] = ((told & spoken) != 0) & ((told & asked) == 0)
    return found


def _in_each(kind: str) -> int:
    """Return the bits of ``kind`` in every language."""
    return sum(KINDS[kind] << place * _WIDTH for place in range(len(_LANGUAGES)))


def _may_name(text: str) -> bool:
    """Return whether a word with a capital is no common one, or nothing has a capital."""
    if text == text.lower():
        return True
    return any(word[0].isupper() and not _is_common(folded(word)) for word in _WORDS.findall(text))


def _is_common(word: str) -> bool:
    return bool((flags().get(word, 0) | guessed(word)) & Is.COMMON)


def _words(text: str) -> list[str]:
    return _WORDS.findall(folded(text))


@cache
def _table() -> _Table:
    found = _Table({}, {}, frozenset(words for kind, _, _, words in _rows() if kind == _LEAD))
    asks, tells = dict[str, int](), dict[str, int]()
    for kind, way, place, words in _rows():
        if kind != _LEAD:
            held = asks if way == "asks" else tells
            held[words] = held.get(words, 0) | KINDS[kind] << place * _WIDTH
    return found._replace(asks=asks, tells=tells)


def _rows() -> Iterator[tuple[str, str, int, str]]:
    """Yield kind, way, place of the language and folded words of each entry of the table."""
    source = files("marskg").joinpath("language", "answering", "kinds.tsv").read_text(encoding="utf-8")
    for line in source.splitlines():
        if line and line[0] != "#":
            kind, way, language, entries = line.split("\t")
            for one in entries.split(","):
                words = one.strip() if one.strip() == _DIGIT else " ".join(_words(one))
                yield kind, way, _LANGUAGES.index(language), words
