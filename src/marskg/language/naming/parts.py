"""By which parts of a name somebody may be called, besides its first and its last word.

Guarantees: pure. Each of them may be others' as well, so whatever has one is near and never taken: the words between
the first and the last (two family names of Spanish and Portuguese), the halves of a hyphenated one, what an elision
hangs on, a family name together with its particle; of Chinese, Japanese and Korean names, which have no blank, the
given name, and the family name with a form of address; of Vietnamese ones the given name, however short. The words are
data: ``called.tsv``. Source: semantics section 5.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from marskg.language.naming.words import HAN_COMPOUNDS, HAN_SURNAMES, HANGUL_SURNAMES, rows_of
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ELIDED: Final = late_regex(r"[dlo]['’](?=\w)")
_HAN: Final = late_regex("[\u3400-\u9fff\uf900-\ufaff]{2,5}")
_KANJI: Final = late_regex("[\u3400-\u9fff々]{2,3}[\u3041-\u30ff]{2,4}")
_HANGUL: Final = late_regex("[\uac00-\ud7af]{3}")
_KANA: Final = late_regex("[\u3041-\u30ff]")
#: Words of a person's name at most; letters of a part at least.
_MOST: Final = 4
_FEWEST: Final = 3
#: Signs of a family name of Japanese as a guess, and of names of the two languages.
_FAMILY: Final = 2
_CHINESE: Final = (2, 4)


@cache
def _lists() -> Mapping[tuple[str, str], tuple[str, ...]]:
    return {(kind, language): words for kind, language, words in rows_of("called.tsv")}


def further_parts(name: str) -> tuple[str, ...]:
    """Return what a person of this name may be called besides its first and its last word; none of a thing's."""
    words = name.replace(",", " ").split()
    if not words:
        return ()
    if len(words) == 1:
        return tuple(dict.fromkeys((*_unspaced(name.strip()), *_halves(words))))
    if len(words) > _MOST or any(map(str.isdigit, name)):
        return ()
    found = (*_middle(words), *_halves(words), *_joined(words), *_vietnamese(words))
    return tuple(dict.fromkeys(found))


def _middle(words: list[str]) -> Iterator[str]:
    for word in words[1:-1]:
        if word[0].isupper() and len(word.rstrip(".")) >= _FEWEST:
            yield word
    if _ELIDED.match(words[-1].lower()) and words[-1][2:3].isupper():
        yield words[-1][2:]


def _halves(words: list[str]) -> Iterator[str]:
    """Yield the halves of a hyphenated name, each of a capital; none of a name that is one word."""
    for word in words if len(words) > 1 else ():
        halves = word.split("-")
        if len(halves) > 1:
            yield from (half for half in halves if half[:1].isupper() and len(half) >= _FEWEST)


def _joined(words: list[str]) -> Iterator[str]:
    particles = _lists()["particle", "any"]
    for before, word in pairwise(words):
        if before.lower() in particles and word[0].isupper():
            yield f"{before.title()}{word.lower()}"


def _vietnamese(words: list[str]) -> Iterator[str]:
    if words[0].lower() not in _lists()["family", "vi"] or not words[-1][0].isupper():
        return
    yield words[-1]
    if len(words) > _FAMILY:
        yield " ".join(words[-2:])


def _unspaced(name: str) -> Iterator[str]:
    if _HANGUL.fullmatch(name) and name[0] in HANGUL_SURNAMES:
        yield name[1:]
        yield from (name[0] + after for after in _lists()["after", "ko"])
    elif _KANJI.fullmatch(name):
        given = _KANA.search(name)
        yield from _japanese(name, given.start() if given else _FAMILY)
    elif _HAN.fullmatch(name):
        yield from _of_han(name)


def _of_han(name: str) -> Iterator[str]:
    """Yield what somebody is called whose name is of Han letters alone, which may be Chinese or Japanese."""
    least, most = _CHINESE
    size = _FAMILY if name[:2] in HAN_COMPOUNDS else 1
    if (size > 1 or name[0] in HAN_SURNAMES) and size < len(name) <= most and least <= len(name):
        yield from _chinese(name[:size], name[size:])
    if len(name) > _FAMILY and size == 1:
        yield from _japanese(name, _FAMILY)


def _chinese(family: str, given: str) -> Iterator[str]:
    after, before = _lists()["after", "zh"], _lists()["before", "zh"]
    yield from (family + one for one in after)
    yield from (one + family for one in before)
    if len(given) > 1:
        yield given
    yield given[-1] * 2
    yield from (one + given[-1] for one in before)


def _japanese(name: str, size: int) -> Iterator[str]:
    family, given = name[:size], name[size:]
    after = _lists()["after", "ja"]
    yield from (family + one for one in after)
    yield from (given + one for one in after)
    if len(given) > 1:
        yield given
