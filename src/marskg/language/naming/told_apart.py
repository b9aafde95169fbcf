"""What tells somebody apart from another of the same name, or leaves open whether it does.

Guarantees: pure functions of the form in which names are compared and of what is written, as in
:mod:`marskg.language.naming.neighbours`. Told apart is who has a word of a generation after the name (*the younger*,
*Jr.*), or another half of a family name behind a sign or a joint (*Silva e Costa*, *Silva - Costa*). What is called
after somebody (*rue Victor Hugo*) is not they. Where a script has no capitals, any word beside a name may be another
part of it that is not known as a plain one. A name over the end of a line is one only within running text. The words
are data: ``told_apart.tsv``. Source: semantics section 5.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from marskg.language.en.lexicon import Is, flags
from marskg.language.naming.familiar import is_given
from marskg.language.naming.neighbours import is_common, is_known_beside, is_ordinary
from marskg.language.naming.spellings import name_form
from marskg.language.naming.words import words_by_kind
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Scripts that have blanks between words and no capitals: Hebrew, Arabic, those of India, Georgian, Ethiopic.
_BARE: Final = late_regex("[\u0590-\u06ff\u0750-\u077f\u0900-\u0dff\u10d0-\u10ff\u1200-\u139f]")
_WORD: Final = r"[^\s,;:!?.()\[\]{}«»\"“”„।؟،؛…*/|_–—-]+"
_RIGHT: Final = late_regex(rf" ({_WORD})")
_LEFT: Final = late_regex(rf"(?<![^\s(«\"“„])({_WORD}) \Z")
#: A capital may follow a sign that is none of a name: *Maria Silva - Costa*, *Marks & Spencer*.
_SIGNED: Final = late_regex(r" [-&] ([^\W\d_][\w'’]*)")
_AND_BEFORE: Final = late_regex(r"(?<![^\s(])([^\W\d_][\w'’]*) & \Z")
#: What begins family names of Dutch with the article in short.
_DUTCH: Final = late_regex(r" (?:in|op|uit|aan|van|over) '[tn] ([^\W\d_])")
#: The Dutch *and* behind another name, which is *in* elsewhere.
_NAMED_AND: Final = late_regex(r"(?<![\w'’-])([^\W\d_])[\w'’-]* en \Z")
#: Quotation marks around a name behind a word, or at the start of a text, and before a word: it is no field's value.
_OPENED: Final = late_regex(r"(?:(?<=[^\W\d_]) |\A)[\"'“„«‘‚»]\Z")
_CLOSED: Final = late_regex(r"[\"'”“»’«] [^\W\d_]")
#: An article of English that is a preposition before people elsewhere.
_A: Final = late_regex(r"(?<!\w)(?:(\w+) )?a \Z")
_HOUSE: Final = late_regex(r",? \d")
#: Signs before a name that are looked at.
_BEFORE: Final = 48
#: Words of a line of running text at least, which somebody's name may go over the end of.
_RUNNING: Final = 5


@cache
def _lists() -> Mapping[str, frozenset[str]]:
    return {kind: frozenset(map(name_form, words)) for kind, words in words_by_kind("told_apart.tsv").items()}


@cache
def _generation() -> re.Pattern[str]:
    short, long = _any("short"), _any("generation")
    return re.compile(rf"(?:,? \(?| - )(?:{short})(?!\w)| \(?(?:{long})(?!\w)|, (?:{long})\.?(?=[.,;:!?)]|\Z)")


@cache
def _thing() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_any('thing')})\.? (?:(?:of|de|da|do|di|del|della|van|von) )?['\"]?\Z")


@cache
def _before_things() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_any('where')}|{_any('one')}) \Z")


@cache
def _numbered() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_any('numbered')}) \Z")


@cache
def _joint() -> re.Pattern[str]:
    return re.compile(rf" (?:{_any('joint')}) ([^\W\d_][\w'’]*)")


def _any(kind: str) -> str:
    return "|".join(map(re.escape, sorted(_lists()[kind], key=lambda word: (-len(word), word))))


def is_told_apart(compared: str, written: str, text: str, start: int, end: int) -> bool:
    """Return whether who is named at ``[start, end)`` may be another of the name, by what stands beside it."""
    if _BARE.match(compared, start):
        return _has_unknown_beside(written, start, end) or _is_over_lines(written, text, start, end)
    return (
        (written[end : end + 1] != "\n" and _generation().match(compared, end) is not None)
        or _is_called_after(compared, start, end)
        or _is_joined(compared, written, start, end)
        or _is_over_lines(written, text, start, end)
    )


def may_be_a_thing(compared: str, written: str, start: int, end: int) -> bool:
    """Return whether a place or a thing may be meant at ``[start, end)``, of which a person has the name.

    It stands where people hardly do, behind *in* or an article, before a noun, or alone between quotation marks in a
    sentence: *a Hugo Boss suit*, *the "Nora Berg" leaks*.
    """
    if compared.startswith(("'s ", "s' "), end):
        return False
    if _OPENED.search(written, max(0, start - _BEFORE), start) and _CLOSED.match(written, end):
        return True
    before = _before_things().search(compared, max(0, start - _BEFORE), start)
    named = _NAMED_AND.search(written, max(0, start - _BEFORE), start)
    if before is not None and (named is None or named[1].islower()):
        return True
    noun = _RIGHT.match(written, end)
    article = _A.search(compared, max(0, start - _BEFORE), start)
    if article is None or noun is None or not noun[1][0].islower():
        return False
    return is_common(noun[1]) or bool(flags().get(article[1] or "", 0) & (Is.VERB | Is.PREPOSITION | Is.CLOSED))


def _is_called_after(compared: str, start: int, end: int) -> bool:
    """Return whether the word of a thing stands before a name."""
    place = max(0, start - _BEFORE)
    if _thing().search(compared, place, start) is not None:
        return True
    return _HOUSE.match(compared, end) is not None and _numbered().search(compared, place, start) is not None


def _is_joined(compared: str, written: str, start: int, end: int) -> bool:
    """Return whether another half of a family name may stand behind a joint or a sign."""
    dutch = _DUTCH.match(written, end)
    if dutch is not None and dutch[1].isupper():
        return True
    before = _AND_BEFORE.search(written, max(0, start - _BEFORE), start)
    if before is not None and _may_be_half(before[1]):
        return True
    joint = _joint().match(written, end)
    if joint is not None and _may_be_half(joint[1], small=compared == written):
        return True
    signed = _SIGNED.match(written, end)
    return signed is not None and _may_be_half(signed[1])


def _may_be_half(word: str, *, small: bool = False) -> bool:
    plain = word.lower()
    if is_given(word) or is_known_beside(plain):
        return False
    return (word[0].isupper() or small) and not is_ordinary(plain)


def _has_unknown_beside(written: str, start: int, end: int) -> bool:
    """Return whether a word beside a name may be a part of it, in a script that does not say so by a capital."""
    beside = (_LEFT.search(written, max(0, start - _BEFORE), start), _RIGHT.match(written, end))
    return any(found is not None and _BARE.match(found[1]) and not _is_plain(found[1]) for found in beside)


def _is_plain(word: str) -> bool:
    """Return whether a word is no name: one of the lists, also behind a particle of one letter."""
    plain = _lists()["plain"]
    return word in plain or word[1:] in plain


def _is_over_lines(written: str, text: str, start: int, end: int) -> bool:
    """Return whether a name stands over the end of a line that is none of running text."""
    if "\n" not in written[start:end]:
        return False
    lines = [line.split() for line in text.splitlines()]
    first = _words_before(written, start)
    places = [place for place, line in enumerate(lines) for _ in line]
    held = places[first : first + _words_before(written, end) - first + 1]
    if len(held) == 0 or held[-1] - held[0] > 1:
        return True
    return len(lines[held[0]]) < _RUNNING


def _words_before(written: str, place: int) -> int:
    return sum(written.count(blank, 0, place) for blank in " \n")
