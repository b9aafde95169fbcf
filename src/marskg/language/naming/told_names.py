"""Which other name a text may say somebody has: a guess, in words of any language, which makes near and never takes.

Guarantees: pure; time linear in the text. Where a word of naming stands in the clause that has the name, the nearest
other words with a capital on either side of it may be another name; so may a name of the same first word that is set
beside it. What a text plainly says is a name is for :mod:`marskg.language.en.names.said_names` to read, and is given;
this sees more, and knows less. The words are data: ``told_names.tsv``. Source: semantics sections 1 and 5.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.language.en.lexicon import Is, flags
from marskg.language.naming.neighbours import is_known_beside, is_ordinary
from marskg.language.naming.spellings import name_form
from marskg.language.naming.words import words_by_kind
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

#: Where a clause ends: not at the stop of an initial.
_ENDS: Final = late_regex(r"[!?;\n]|(?<!\b[^\W\d_])\.(?=\s|$)")
#: A word, or initials with their stops.
_WORD: Final = late_regex(r"(?:[^\W\d_]\.){2,}|[^\W\d_][\w'’-]*")
_POSSESSIVE: Final = late_regex(r"['’]s?$")
#: Words between a word of naming, or a name, and the name that it is about.
_NEAR: Final = 4
_BESIDE: Final = 3
#: Runs beside a word of naming, or a name, that are looked at.
_NEXT: Final = 3
#: Letters in which two forms of a name agree.
_STEM: Final = 4
#: Letters of a name that is sought: fewer stand in too many words.
_FEWEST: Final = 2
#: The kinds of words of naming.
_KINDS: Final = ("nick", "noun", "verb")


class _Run(NamedTuple):
    """Words with a capital side by side: the numbers of the first and of the one behind the last, and the name.

    ``words`` are those of the name as they are compared; ``is_own`` says whether it is a known one.
    """

    first: int
    end: int
    name: str
    words: tuple[str, ...]
    is_own: bool


class _Far(NamedTuple):
    """A run, and how many words stand between it and what is looked at before."""

    run: _Run
    between: int


@cache
def _lists() -> Mapping[str, frozenset[str]]:
    return {kind: frozenset(words) for kind, words in words_by_kind("told_names.tsv").items()}


@cache
def _no_names() -> frozenset[str]:
    """Return the words of naming that may have a capital and are no name."""
    return _lists()["noun"] | _lists()["nick"]


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    words = sorted(_lists()[kind], key=len, reverse=True)
    return re.compile(rf"(?:(?<!\w)|(?=[,(]))(?:{'|'.join(map(re.escape, words))})(?!\w)", re.IGNORECASE)


def may_be_called(text: str, forms: Iterable[str]) -> frozenset[str]:
    """Return the other names that ``text`` may say has who goes by ``forms``, whose whole name it has."""
    own = [tuple(name_form(form).split()) for form in forms]
    clauses = _clauses(text, *_KINDS, "copula")
    return frozenset(name for clause in clauses for name in _Clause(clause, own).others())


def may_call_another(text: str, short: str, forms: Iterable[str]) -> bool:
    """Return whether ``text`` may say that ``short``, one of ``forms``, is also a name of who has a whole other one."""
    own = {word for form in forms for word in name_form(form).split()}
    sought = [tuple(name_form(short).split())]
    found = (name for clause in _clauses(text, *_KINDS) for name in _Clause(clause, sought).bearers())
    return any(len(words := name_form(name).split()) > 1 and own.isdisjoint(words) for name in found)


def _clauses(text: str, *kinds: str) -> Iterator[str]:
    """Yield the clauses of a text that has a word of one of ``kinds``, and so may say a name."""
    if any(_pattern(kind).search(text) for kind in kinds):
        yield from _ENDS.split(text)


def _is_form(said: str, word: str) -> bool:
    """Return whether a word may be ``word`` with another ending."""
    return said == word or (min(len(said), len(word)) >= _STEM and said[:_STEM] == word[:_STEM])


class _Clause:
    """One clause, and where the names stand in it that are known."""

    def __init__(self, text: str, own: list[tuple[str, ...]]) -> None:
        self._text = text
        self._places = list(_WORD.finditer(text))
        self._own = own
        self._known = {word for words in own for word in words}
        self._starts = [one.start() for one in self._places]
        self._ends = [one.end() for one in self._places]
        self._runs = list(self._found())

    def others(self) -> Iterator[str]:
        """Yield the names that may be another one's of whom the clause names; none where it names nobody."""
        if not any(run.is_own for run in self._runs):
            return
        for kind in _KINDS:
            for match in _pattern(kind).finditer(self._text):
                behind, ahead = self._around(match)
                yield from self._nearest(ahead, _BESIDE - 1 if kind == "verb" else _NEAR)
                yield from self._nearest(behind, 0 if kind == "verb" else _NEAR)
        for place, run in enumerate(self._runs):
            if run.is_own:
                beside = self._runs[max(0, place - _NEXT) : place + _NEXT + 1]
                yield from (one.name for one in beside if self._is_set_beside(run, one))

    def bearers(self) -> Iterator[str]:
        """Yield the names of whom the clause says that the known one is theirs: before it, or behind *nickname of*."""
        for kind in _KINDS:
            for match in _pattern(kind).finditer(self._text):
                behind, ahead = (next(one, None) for one in self._around(match))
                if behind is None or ahead is None or behind.between + ahead.between > _NEAR:
                    continue
                own = behind.run.is_own, ahead.run.is_own
                if own == (False, True) and ahead.between < _BESIDE:
                    yield behind.run.name
                elif own == (True, False) and kind == "nick":
                    yield ahead.run.name

    def _found(self) -> Iterator[_Run]:
        """Yield the runs of words with a capital, the known names in them apart."""
        place = 0
        while place < len(self._places):
            end = place
            while end < len(self._places) and self._is_named(end) and (end == place or self._is_joined(end)):
                end += 1
            first, last = self._known_in(place, end)
            runs = (self._stripped(place, first), self._run(first, last), self._stripped(last, end))
            yield from filter(None, runs)
            place = max(end, place + 1)

    def _known_in(self, start: int, end: int) -> tuple[int, int]:
        """Return from where to where a known name stands in a run; from its start to its start where none does."""
        said = [name_form(_POSSESSIVE.sub("", one[0])) for one in self._places[start:end]]
        for words in self._own:
            for place in range(len(said) - len(words) + 1):
                if all(map(_is_form, said[place : place + len(words)], words)):
                    return start + place, start + place + len(words)
        return start, start

    def _stripped(self, first: int, end: int) -> _Run | None:
        """Return a run without the words before it that are no name; None where nothing is left."""
        while first < end and self._is_no_name(first):
            first += 1
        if (
            first
            and end - first == 1
            and len(_POSSESSIVE.sub("", self._places[first][0])) == 1
            and self._is_named(first - 1)
        ):
            first -= 1  # *Mama T* is no T
        return self._run(first, end)

    def _run(self, first: int, end: int) -> _Run | None:
        if first == end:
            return None
        start = self._places[first].start()
        name = _POSSESSIVE.sub("", self._text[start : self._places[end - 1].end()])
        words = tuple(name_form(name).split())
        return _Run(first, end, name, words, self._is_own(words))

    def _is_named(self, place: int) -> bool:
        return self._places[place][0][0].isupper()

    def _is_joined(self, place: int) -> bool:
        """Return whether nothing but a blank stands before a word, and the one before it is nobody's: *Ann's Tom*."""
        before = self._places[place - 1]
        between = self._text[before.end() : self._places[place].start()]
        return between in {" ", ". "} and not _POSSESSIVE.search(before[0])

    def _is_no_name(self, place: int) -> bool:
        plain = name_form(self._places[place][0])
        if plain in _no_names() or flags().get(plain, 0) & (Is.TIME | Is.CLOSED) or is_known_beside(plain):
            return True
        return place == 0 and is_ordinary(plain)

    def _is_own(self, said: tuple[str, ...]) -> bool:
        return any(len(words) == len(said) and all(map(_is_form, said, words)) for words in self._own)

    def _is_other(self, run: _Run) -> bool:
        return not self._known.issuperset(run.words) and len(run.name) >= _FEWEST

    def _around(self, match: re.Match[str]) -> tuple[Iterator[_Far], Iterator[_Far]]:
        """Return the runs behind a word of naming and ahead of it, nearest first, with the words between."""
        first = bisect_right(self._ends, match.start())
        end = bisect_left(self._starts, match.end())
        place = bisect_right(self._runs, first, key=lambda run: run.end)
        return self._behind(place, first), self._ahead(bisect_left(self._runs, end, key=lambda run: run.first), end)

    def _behind(self, place: int, word: int) -> Iterator[_Far]:
        for run in self._runs[max(0, place - _NEXT) : place][::-1]:
            yield _Far(run, word - run.end)
            word = run.first

    def _ahead(self, place: int, word: int) -> Iterator[_Far]:
        for run in self._runs[place : place + _NEXT]:
            yield _Far(run, run.first - word)
            word = run.end

    def _nearest(self, runs: Iterable[_Far], most: int) -> Iterator[str]:
        """Yield the first of ``runs`` that is another name, with at most so many words between; own names are none."""
        for run, between in runs:
            most -= between
            if most < 0:
                return
            if not run.is_own:
                if self._is_other(run):
                    yield run.name
                return

    def _is_set_beside(self, own: _Run, run: _Run) -> bool:
        """Return whether a run stands beside the own name, and neither joined nor far: *Ann Ek, now Ann Moe*."""
        early, late = sorted((own, run))
        if not 0 < late.first - early.end <= _BESIDE or not self._is_other(run):
            return False
        between = self._places[early.end : late.first]
        said = {name_form(one[0]) for one in between}
        if said & _lists()["joins"]:
            return False
        if run.words[0] == own.words[0] and len(run.words) > 1:
            return True
        return run is early and len(between) == 1 and bool(said & _lists()["copula"])
