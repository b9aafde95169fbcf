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
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.language.en.lexicon import Is, flags
from marskg.language.naming.neighbours import is_known_beside, is_ordinary
from marskg.language.naming.spellings import name_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Where a clause ends: not at the stop of an initial.
_ENDS: Final = re.compile(r"[!?;\n]|(?<!\b[^\W\d_])\.(?=\s|$)")
#: A word, or initials with their stops.
_WORD: Final = re.compile(r"(?:[^\W\d_]\.){2,}|[^\W\d_][\w'’-]*")
_POSSESSIVE: Final = re.compile(r"['’]s?$")
#: Words between a word of naming, or a name, and the name that it is about.
_NEAR: Final = 4
_BESIDE: Final = 3
#: Runs beside a word of naming, or a name, that are looked at.
_NEXT: Final = 3
#: Letters in which two forms of a name agree.
_STEM: Final = 4
#: Letters of a name that is sought: fewer stand in too many words.
_FEWEST: Final = 2


class _Run(NamedTuple):
    """Words with a capital side by side: the numbers of the first and of the one behind the last, and the name."""

    first: int
    end: int
    name: str

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(name_form(self.name).split())


class _Far(NamedTuple):
    """A run, and how many words stand between it and what is looked at before."""

    run: _Run
    between: int


@cache
def _words(kind: str) -> frozenset[str]:
    source = files("marskg").joinpath("language", "naming", "told_names.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in source.splitlines() if line and line[0] != "#")
    return frozenset(word.replace("_", " ") for sort, _, words in rows if sort == kind for word in words.split())


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    words = sorted(_words(kind), key=len, reverse=True)
    return re.compile(rf"(?:(?<!\w)|(?=[,(]))(?:{'|'.join(map(re.escape, words))})(?!\w)", re.IGNORECASE)


def may_be_called(text: str, forms: Iterable[str]) -> frozenset[str]:
    """Return the other names that ``text`` may say has who goes by ``forms``, whose whole name it has."""
    own = [tuple(name_form(form).split()) for form in forms]
    return frozenset(name for clause in _clauses(text) for name in _Clause(clause, own).others())


def may_call_another(text: str, short: str, forms: Iterable[str]) -> bool:
    """Return whether ``text`` may say that ``short``, one of ``forms``, is also a name of who has a whole other one."""
    own = {word for form in forms for word in name_form(form).split()}
    sought = [tuple(name_form(short).split())]
    found = (name for clause in _clauses(text) for name in _Clause(clause, sought).bearers())
    return any(len(words := name_form(name).split()) > 1 and own.isdisjoint(words) for name in found)


def _clauses(text: str) -> Iterator[str]:
    """Yield the clauses of a text that may say a name."""
    if (
        _pattern("nick").search(text)
        or _pattern("noun").search(text)
        or _pattern("verb").search(text)
        or _pattern("copula").search(text)
    ):
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
        self._mine = [self._is_own(run) for run in self._runs]

    def others(self) -> Iterator[str]:
        """Yield the names that may be another one's of whom the clause names; none where it names nobody."""
        if not any(self._mine):
            return
        for kind in ("nick", "noun", "verb"):
            for match in _pattern(kind).finditer(self._text):
                behind, ahead = self._around(match)
                yield from self._nearest(ahead, _BESIDE - 1 if kind == "verb" else _NEAR)
                yield from self._nearest(behind, 0 if kind == "verb" else _NEAR)
        for place, is_mine in enumerate(self._mine):
            if is_mine:
                beside = self._runs[max(0, place - _NEXT) : place + _NEXT + 1]
                yield from (one.name for one in beside if self._is_set_beside(self._runs[place], one))

    def bearers(self) -> Iterator[str]:
        """Yield the names of whom the clause says that the known one is theirs: before it, or behind *nickname of*."""
        for kind in ("nick", "noun", "verb"):
            for match in _pattern(kind).finditer(self._text):
                behind, ahead = (next(one, None) for one in self._around(match))
                if behind is None or ahead is None or behind[1] + ahead[1] > _NEAR:
                    continue
                mine = self._is_own(behind[0]), self._is_own(ahead[0])
                if mine == (False, True) and ahead[1] < _BESIDE:
                    yield behind[0].name
                elif mine == (True, False) and kind == "nick":
                    yield ahead[0].name

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
        return _Run(first, end, _POSSESSIVE.sub("", self._text[start : self._places[end - 1].end()]))

    def _is_named(self, place: int) -> bool:
        return self._places[place][0][0].isupper()

    def _is_joined(self, place: int) -> bool:
        """Return whether nothing but a blank stands before a word, and the one before it is nobody's: *Ann's Tom*."""
        before = self._places[place - 1]
        between = self._text[before.end() : self._places[place].start()]
        return between in {" ", ". "} and not _POSSESSIVE.search(before[0])

    def _is_no_name(self, place: int) -> bool:
        plain = name_form(self._places[place][0])
        if (
            plain in _words("noun") | _words("nick")
            or flags().get(plain, 0) & (Is.TIME | Is.CLOSED)
            or is_known_beside(plain)
        ):
            return True
        return place == 0 and is_ordinary(plain)

    def _is_own(self, run: _Run) -> bool:
        return any(len(words) == len(run.words) and all(map(_is_form, run.words, words)) for words in self._own)

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
            if not self._is_own(run):
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
        if said & _words("joins"):
            return False
        if run.words[0] == own.words[0] and len(run.words) > 1:
            return True
        return run is early and len(between) == 1 and bool(said & _words("copula"))
