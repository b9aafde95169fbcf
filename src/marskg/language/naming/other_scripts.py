"""A name in one script, and what may be the same name in another: *ليلى البرغوثي* and *Layla al-Barghouti*.

Guarantees: pure functions, O(text). What is found so is near. A name of two words or more, or of Han letters or Hangul
that have their blanks nowhere, has keys (:func:`script_keys`) that a text in another script has where it may be written
(:class:`Written`); :func:`is_alike` then says of the words whether they agree, all of them, with their vowels where
these are written. One of the two is in Latin letters. A single word is not compared, nor are names of few consonants:
they would be somebody else's too often. Japanese names are not, since nobody knows how their Han letters are read;
neither are Chinese ones that are written by another system than Pinyin or read in another language than Mandarin.
Cyrillic and Greek are compared in :mod:`marskg.language.naming.kindred`. Source: semantics section 5.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property
from itertools import chain, pairwise, product, zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.language.naming.romanised import (
    consonants,
    is_written,
    korean_pattern,
    korean_skeleton,
    korean_skeletons,
    latin_skeleton,
    latin_word,
    pinyin,
    skeletons,
)
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

#: Letters of the alphabets that are compared with Latin ones here, of Chinese and of Korean.
_ALPHABETS: Final = (
    "\u0531-\u0587\u05d0-\u05ea\u0620-\u063f\u0641-\u064a\u0671-\u06d5\u0750-\u077f\u0900-\u0963\u0980-\u09e3\u0a01-\u0a75"
    "\u0a80-\u0ae3\u0b00-\u0b63\u0b80-\u0bcd\u0c00-\u0c63\u0c80-\u0ce3\u0d00-\u0d7f\u0d80-\u0df3\u0e01-\u0e4e\u10d0-\u10ff"
    "\u1200-\u135a"
)
_HAN: Final = "\u3400-\u9fff\uf900-\ufaff"
_HANGUL: Final = "\uac00-\ud7a3"
_OTHER: Final = late_regex(f"[{_ALPHABETS}{_HAN}{_HANGUL}]")
_WORD: Final = late_regex(f"[{_ALPHABETS}]+")
_THAI: Final = late_regex("[\u0e01-\u0e4e]+")
#: Where a Thai name may begin or end: at a consonant, with the vowel that is written before it.
_CUT: Final = late_regex("(?<![\u0e40-\u0e44])(?=[\u0e40-\u0e44]?[\u0e01-\u0e2e](?!\u0e4c))")
_HAN_RUN: Final = late_regex(f"[{_HAN}]+(?: [{_HAN}]+)?")
_HANGUL_RUN: Final = late_regex(f"(?<![{_HANGUL}])[{_HANGUL}]+")
_LATIN: Final = late_regex(r"[^\W\d_\u0370-\u1dff\u1f00-\uffff]+(?:['’‘`ʿʾ-][^\W\d_\u0370-\u1dff\u1f00-\uffff]+)*")
_LATIN_LETTER: Final = late_regex("[a-z]")
#: What stands before a name or inside it, and may be left out; and what belongs to the word after it.
_PARTICLE: Final = late_regex(r"(?:[ae]l|bin|ibn|ben|bint|bar|ha|[ae](?:[drzns]|sh|th))", re.IGNORECASE)
_ARTICLE: Final = late_regex(r"\A(?:[ae](?:[ldrzns]|sh|th)|ha|b[ei]n|bar)[-'’](?=\w{2})", re.IGNORECASE)
_JOINED_ARTICLE: Final = late_regex(r"\A(?:[aei]l(?=[^aeiou].{3})|ha(?=.{4}))")
_SERVANT: Final = late_regex(r"abd(?:[aeu]l)?", re.IGNORECASE)
_SONS: Final = frozenset({"بن", "ابن", "بنت", "בן", "בר", "בת"})
_ABD: Final = "عبد"
#: Letters of Arabic and Hebrew that are written together with the word after them.
_ATTACHED: Final = late_regex("[وفبكل](?=[\u0600-\u06ff]{4})|[ובלמכשה](?=[\u05d0-\u05ea]{3})")
_FOR: Final = late_regex("لل(?=...)")
#: Scripts of languages whose last word of a name may have an ending, and its letters at most.
_ENDED: Final = late_regex("[\u0531-\u0587\u0980-\u09ff\u0b80-\u0df3\u10d0-\u10ff]")
_ENDING: Final = 3
_FEWEST_LEFT: Final = 3
_MOST_WORDS: Final = 4
_FEWEST_CONSONANTS: Final = 4
_FEWEST_LETTERS: Final = 6
_FEWEST_SYLLABLES: Final = 2
_MOST_SYLLABLES: Final = 4
_LONGEST_FAMILY: Final = 2
#: Runs of letters that a Thai name has, which is the least number of words.
_SPACED: Final = 2
#: Consonants of a Thai word at most that begins or ends inside a run of letters.
_MOST_CUTS: Final = 8
_WAYS: Final = 32
#: Blanks between the words of a name.
_BETWEEN: Final = frozenset({" ", ", ", "-", "\u200c", "·"})
#: Keys of names in Latin letters and of names in others: in alphabets, in Chinese, in Korean.
_IN_LATIN: Final = ">l", ">h", ">k"
_IN_OTHERS: Final = ">L", ">H", ">K"

Words = tuple[str, ...]


class _Found(NamedTuple):
    """Words, and the skeleton or the letters by which they are found."""

    key: str
    words: Words


def is_in_other(form: str) -> bool:
    """Return whether a name is in letters that are compared with Latin ones."""
    return _OTHER.search(form) is not None


def script_keys(form: str) -> frozenset[str]:
    """Return the keys by which a name is found in another script, a text in Latin letters if it is in others."""
    if form.isascii() or not _OTHER.search(form):
        if "@" in form or any(map(str.isdigit, form)):
            return frozenset()
        words = _plain_words(form)
        return frozenset(found.key for found in _of_latin(words, _IN_OTHERS)) if words else frozenset()
    if _LATIN_LETTER.search(form):
        return frozenset()
    return frozenset(found.key for found in _of_other(form, _IN_LATIN))


def is_alike(name: str, words: Words) -> bool:
    """Return whether the words of a text may be a name in another script that has a key in common with them."""
    if _OTHER.search(name):
        return any(_agree(found.words, words) for found in _of_other(name, _IN_LATIN))
    latin = _plain_words(name)
    return any(_agree(words, order) for order in (_orders(latin) if _WORD.match(words[0]) else [latin]))


def _agree(other: Words, latin: Words) -> bool:
    if _HAN_RUN.match(other[0]):
        return True
    if _HANGUL_RUN.match(other[0]):
        whole = "".join(other)
        orders = {"".join(order) for order in _orders(latin)}
        return any(
            korean_pattern(whole[:size], whole[size:]).fullmatch(order)
            for size in range(1, len(whole))
            if size <= _LONGEST_FAMILY
            for order in orders
        )
    return (
        len(other) == len(latin)
        and sum(map(consonants, other)) >= _FEWEST_CONSONANTS
        and all(map(is_written, other, latin))
    )


def _orders(words: Words) -> list[Words]:
    """Return the orders of names: as they are, the last of them first, the first of them last."""
    return list(dict.fromkeys((words, (words[-1], *words[:-1]), (*words[1:], words[0]))))


# --- Latin words ----------------------------------------------------------------------------------------------------


def _plain_words(form: str) -> Words:
    """Return the words of a name in Latin letters as they are compared; none where it has too few or too many."""
    runs = list(_latin_runs(form, small=True))
    return tuple(runs[0]) if len(runs) == 1 and 1 < len(runs[0]) <= _MOST_WORDS else ()


def _of_latin(words: Words, marks: Sequence[str], only: str = "") -> Iterator[_Found]:
    """Yield the keys of words in Latin letters, ``only`` with this mark; in all orders where they are a name's."""
    alphabet, chinese, korean = marks
    for order in _orders(words) if marks == _IN_OTHERS else [words]:
        joined = "".join(order)
        if only in {"", alphabet}:
            ways = product(*map(_latin_skeletons, order))
            yield from (_Found(alphabet + " ".join(chosen), words) for chosen in ways)
        if only in {"", chinese} and len(joined) >= _FEWEST_LETTERS:
            yield _Found(chinese + joined, words)
        if only in {"", korean}:
            yield _Found(korean + korean_skeleton(joined), words)


def _latin_skeletons(plain: str) -> list[str]:
    """Return the skeletons of a word with what may be an article and without it."""
    bare = _JOINED_ARTICLE.sub("", plain)
    return [latin_skeleton(plain)] if bare == plain else [latin_skeleton(plain), latin_skeleton(bare)]


def _latin_runs(text: str, *, small: bool) -> Iterator[list[str]]:
    """Yield the words, as they are compared, that follow each other with capitals, or in small letters as well."""
    run: list[str] = []
    stop, pending = -1, ""
    for found in _LATIN.finditer(text):
        word = found[0].removesuffix("'s").removesuffix("’s")
        if stop < 0 or text[stop : found.start()] not in _BETWEEN:
            yield from _whole(run)
            run, pending = [], ""
        stop = found.end()
        if _PARTICLE.fullmatch(word):
            continue
        if _SERVANT.fullmatch(word):
            pending = latin_word(word)
            continue
        bare = _ARTICLE.sub("", word)
        plain = pending + latin_word(bare)
        pending = ""
        if (small or bare[0].isupper() or word[0].isupper()) and len(plain) > 1:
            run.append(plain)
        else:
            yield from _whole(run)
            run = []
    yield from _whole(run)


def _whole(run: list[str]) -> Iterator[list[str]]:
    if len(run) > 1:
        yield run


# --- Words in other scripts -----------------------------------------------------------------------------------------


def _of_other(form: str, marks: Sequence[str]) -> Iterator[_Found]:
    """Yield the keys of a whole name in another script."""
    alphabet, chinese, korean = marks
    letters = form.replace(" ", "").replace("·", "")
    if _HAN_RUN.fullmatch(letters):
        yield from _of_han(letters, chinese, orders=True)
    elif _HANGUL_RUN.fullmatch(letters):
        if _FEWEST_SYLLABLES <= len(letters) <= _MOST_SYLLABLES:
            yield from _of_hangul(letters, korean, orders=True)
    else:
        words = _kept(_WORD.findall(form))
        if 1 < len(words) <= _MOST_WORDS:
            for order in _orders(words):
                yield from _of_words(order, alphabet)


def _of_words(words: Words, mark: str) -> Iterator[_Found]:
    if sum(map(consonants, words)) >= _FEWEST_CONSONANTS:
        ways = list(product(*map(skeletons, words)))[:_WAYS]
        yield from (_Found(mark + " ".join(chosen), words) for chosen in ways)


def _of_han(signs: str, mark: str, *, orders: bool = False) -> Iterator[_Found]:
    if not _FEWEST_SYLLABLES <= len(signs) <= _MOST_SYLLABLES:
        return
    for size in range(1, min(len(signs), _LONGEST_FAMILY + 1)) if orders else (1,):
        family, given = pinyin(signs[:size], signs[size:])
        if len(family + given) >= _FEWEST_LETTERS:
            yield from (
                _Found(mark + way, (signs,))
                for way in ((family + given, given + family) if orders else (family + given,))
            )


def _of_hangul(syllables: str, mark: str, *, orders: bool = False) -> Iterator[_Found]:
    # The letter that a family name may begin with is of the first syllable, wherever that stands.
    for size in (0, 1, 2) if orders else (0,):
        family, given = (korean_skeletons(part) if part else {""} for part in (syllables[:size], syllables[size:]))
        for one, other in product(family, given):
            yield _Found(mark + _joined(other, one), (syllables,))


def _joined(one: str, other: str) -> str:
    """Return two skeletons as one, in which no class follows itself and *ng* is one sound."""
    return re.sub(r"(.)\1+", r"\1", re.sub(r"(.)\1+", r"\1", one + other).replace("NK", "N"))


def _kept(words: Iterable[str]) -> Words:
    """Return words without those for sons and daughters, and *abd* together with what follows."""
    found: list[str] = []
    for word in words:
        if word in _SONS:
            continue
        if found and found[-1] == _ABD:
            found[-1] += word
        else:
            found.append(word)
    return tuple(found)


class Written:
    """What of a text may be names in another script."""

    def __init__(self, cased: str) -> None:
        """Look at a text in the form in which names are compared, with its capitals."""
        self._cased = cased
        self._known: dict[tuple[str, int], dict[str, list[Words]]] = {}

    def keys(self) -> Iterator[str]:
        """Yield all keys of what may be names."""
        for size in range(2, _MOST_WORDS + 1):
            yield from (found.key for found in (*self._latin(size), *self._words(size)))
        yield from (found.key for found in (*self._thai(), *self._han(), *self._hangul()))

    def has(self, name: str, key: str) -> bool:
        """Return whether the text has what may be ``name``, by one of its keys."""
        mark = key[:2]
        # Syllables are written together or apart; words are as many as those of the name.
        sizes = (key.count(" ") + 1,) if mark in {_IN_LATIN[0], _IN_OTHERS[0]} else range(2, _MOST_WORDS + 1)
        return any(is_alike(name, words) for size in sizes for words in self._of(mark, size).get(key, ()))

    def _of(self, mark: str, size: int) -> dict[str, list[Words]]:
        """Return the words of ``size`` that may be names, by the keys with ``mark``."""
        known = self._known.get((mark, size))
        if known is None:
            known = self._known[mark, size] = defaultdict(list)
            for found in self._finder(mark, size):
                known[found.key].append(found.words)
        return known

    def _finder(self, mark: str, size: int) -> Iterator[_Found]:
        if mark in _IN_LATIN:
            return self._latin(size, mark)
        if mark == _IN_OTHERS[0]:
            return chain(self._words(size), self._thai() if size == _SPACED else ())
        syllables = self._han if mark == _IN_OTHERS[1] else self._hangul
        return syllables() if size == _SPACED else iter(())

    @cached_property
    def _latin_words(self) -> list[list[str]]:
        return list(_latin_runs(self._cased, small=self._cased.islower()))

    @cached_property
    def _other_words(self) -> list[Words]:
        """Return runs of words of alphabets with blanks."""
        runs: list[list[str]] = []
        stop = -1
        for found in _WORD.finditer(self._cased):
            if stop < 0 or self._cased[stop : found.start()] not in _BETWEEN:
                runs.append([])
            runs[-1].append(found[0])
            stop = found.end()
        return list(map(_kept, runs))

    def _latin(self, size: int, mark: str = "") -> Iterator[_Found]:
        for run in self._latin_words:
            for words in _windows(run, size):
                yield from _of_latin(words, _IN_LATIN, mark)

    def _words(self, size: int) -> Iterator[_Found]:
        for run in self._other_words:
            for first, *middle, last in _windows(run, size):
                for start, end in product(_beginnings(first), _endings(last)):
                    yield from _of_words((start, *middle, end), _IN_OTHERS[0])

    def _thai(self) -> Iterator[_Found]:
        """Yield what stands before a blank of Thai and after it, which begins and ends inside runs of letters."""
        for one, other in pairwise(_THAI.finditer(self._cased)):
            if self._cased[one.end() : other.start()] == " ":
                ends = [place.start() for place in _CUT.finditer(one[0])][-_MOST_CUTS:]
                stops = [place.start() for place in _CUT.finditer(other[0])][1 : _MOST_CUTS + 1]
                for start, end in product(ends, (*stops, len(other[0]))):
                    yield from _of_words((one[0][start:], other[0][:end]), _IN_OTHERS[0])

    def _han(self) -> Iterator[_Found]:
        for found in _HAN_RUN.finditer(self._cased):
            signs = found[0].replace(" ", "")
            for size in range(_FEWEST_SYLLABLES, _MOST_SYLLABLES + 1):
                for place in range(len(signs) - size + 1):
                    yield from _of_han(signs[place : place + size], _IN_OTHERS[1])

    def _hangul(self) -> Iterator[_Found]:
        """Yield beginnings of Korean words: a particle may follow a name, and its family name may stand apart."""
        runs = list(_HANGUL_RUN.finditer(self._cased))
        for found, after in zip_longest(runs, runs[1:]):
            whole = found[0]
            if after is not None and len(whole) <= _LONGEST_FAMILY and self._cased[found.end() : after.start()] == " ":
                whole += after[0]
            for size in range(_FEWEST_SYLLABLES, min(len(whole), _MOST_SYLLABLES) + 1):
                yield from _of_hangul(whole[:size], _IN_OTHERS[2])


def _windows(run: Sequence[str], size: int) -> Iterator[Words]:
    return (tuple(run[place : place + size]) for place in range(len(run) - size + 1))


def _beginnings(word: str) -> list[str]:
    """Return a word, and it without what is written together with it."""
    found = [word]
    if _FOR.match(word):
        found.append(f"ال{word[2:]}")
    elif _ATTACHED.match(word):
        found.append(word[1:])
    return found


def _endings(word: str) -> list[str]:
    """Return a word, and it without what may be the ending of a case."""
    if not _ENDED.match(word):
        return [word]
    return [word[: len(word) - cut] for cut in range(_ENDING + 1) if not cut or len(word) - cut >= _FEWEST_LEFT]
