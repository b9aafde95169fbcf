"""Whether words may name somebody of whom nothing is to be told: for what goes out, where in doubt nothing does.

Guarantees: pure; whoever :mod:`marskg.language.naming.matcher` finds, or calls near, may be named; and so may a person
of several names by the first or the last of them alone, in the plural, with an ending, joined to the other, with
accents or without. Who bears a part of the name too makes no difference: which of them is meant, nobody can tell. A
name that is a word of the language as well is not looked for in small letters; nor is somebody of a longer name, who
is told apart where names stand alone. Nothing is ever taken or erased by it. Source: semantics section 5.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from marskg.kept_texts import keeping_texts
from marskg.language.naming.asked import LABELS
from marskg.language.naming.edges import Verdict
from marskg.language.naming.matcher import COMMON_WORD, LONGER_NAME, NameMatcher
from marskg.language.naming.parts import further_parts
from marskg.language.naming.spellings import loose_form, name_form, without_accents
from marskg.language.naming.words import SHORTENED
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.language.naming.matcher import Reading

#: Words of a person's name of which the first and the last may stand for all.
_MOST_PARTS: Final = 4
_SHORTENED: Final = late_regex(rf"(?:{SHORTENED}|phd|md|esq|i{{1,3}}|iv)\.?")
#: Letters with which one of the words of a name begins, wherever the name is found in plain letters.
_BEGINNING: Final = 3
_FEWEST_INITIALS: Final = 2
#: In plain letters two vowels may be one, which is no beginning then.
_DOUBLED: Final = "aa"


def parts_of(name: str) -> tuple[str, ...]:
    """Return the first and the last word of a person's name of two to four words, which may stand for all of it.

    A title or an initial is none of them, nor a word that says of what sort somebody is, such as *user*; a name with a
    sign or a digit in it has no parts.
    """
    words = [word for word in name.replace(",", " ").split() if not _SHORTENED.fullmatch(name_form(word))]
    if len(name.split()) not in range(2, _MOST_PARTS + 1) or not all(word[:1].isalpha() for word in words):
        return ()
    small = all(word == word.lower() for word in words)
    # What hangs on a family name may be small, and left out: al-Fayed.
    bare = [word.rpartition("-")[2] if word[:1].islower() and not small else word for word in words]
    if any(word[:1].islower() for word in (bare[:1] + bare[-1:] if not small else ())):
        return ()
    ends = dict.fromkeys(word.title() if small else word for word in (*words[:1], *words[-1:], *bare[:1], *bare[-1:]))
    return tuple(word for word in ends if name_form(word) not in LABELS and not any(map(str.isdigit, word)))


def is_anothers(short: str, name: str, others: Iterable[str]) -> bool:
    """Return whether ``short``, by which ``name`` is called, is that of somebody with another whole name in ``others``.

    One that is much like it may be a relative's. A whole name is nobody else's: it may be given to who had another.
    """
    if parts_of(short) or " " not in name.strip():
        return False
    form = name_form(name)
    return any(parts_of(one) and name_form(one) != form for one in others)


@keeping_texts(64)
def initials_of(name: str) -> re.Pattern[str] | None:
    """Return what finds the initials of a person's name of several words; None of other names.

    Each but the last has a stop, and they are all, those of the first words, or the outermost two: *C. D.*, *C.A.D.* of
    Cornelius Abel Drost.
    """
    words = [word for word in name.replace(",", " ").split() if word[:1].isupper()]
    if not parts_of(name) or len(words) < _FEWEST_INITIALS:
        return None
    letters = [re.escape(word[0]) for word in words]
    ways = dict.fromkeys((*letters,) for letters in (letters, letters[:-1], [letters[0], letters[-1]]))
    found = "|".join(r"\.[ -]?".join(way) for way in ways if len(way) >= _FEWEST_INITIALS)
    return re.compile(rf"(?<![\w.])(?:{found})(?![\w])(?!\.\w)")


def parts_alone(name: str) -> tuple[str, ...]:
    """Return all parts of a person's name that may stand alone for it, its first and last word outermost."""
    first, *last = parts_of(name) or ("",)
    return tuple(dict.fromkeys(filter(None, (first, *further_parts(name), *last))))


def may_name(forms: tuple[str, ...], names: Iterable[str], text: str) -> bool:
    """Return whether a text, or one of ``names`` as a whole, may be about who goes by ``forms``."""
    return any(_is_one(forms, name) for name in names) or _has(forms, text)


def _is_one(forms: tuple[str, ...], name: str) -> bool:
    parts = _parts_matcher(forms)
    return _counts(_matcher(forms).compare(name)) or (
        parts is not None and any(parts.is_one(one) for one in {name, without_accents(name)})
    )


def _has(forms: tuple[str, ...], text: str) -> bool:
    starts = _beginnings(forms)
    if starts and not any(map(_letters(text).__contains__, starts)):
        return False
    parts = _parts_matcher(forms)
    return any(
        _counts(matcher.read(one))
        for one in {text, without_accents(text)}
        for matcher in (_matcher(forms), *(() if parts is None else (parts,)))
    )


def _counts(found: Reading) -> bool:
    return found.verdict is Verdict.IS or (
        found.verdict is Verdict.NEAR and found.reason not in {COMMON_WORD, LONGER_NAME}
    )


@keeping_texts(1_024)
def _matcher(forms: tuple[str, ...]) -> NameMatcher:
    joined = {"".join(form.split()) for form in forms if parts_of(form)}
    return NameMatcher({one for form in (*forms, *joined) for one in (form, without_accents(form))})


@keeping_texts(1_024)
def _parts_matcher(forms: tuple[str, ...]) -> NameMatcher | None:
    parts = {part for form in forms for part in parts_alone(form)}
    return NameMatcher({*parts, *map(without_accents, parts)}) if parts else None


@keeping_texts(16_384)
def _beginnings(forms: tuple[str, ...]) -> frozenset[str]:
    """Return beginnings of words of which a text that may have one of ``forms`` has one; none where that is not so."""
    words = {word for form in forms for word in loose_form(name_form(form)).split()}
    if any(not (word.isascii() and word.isalpha()) or _DOUBLED in word for word in words):
        return frozenset()
    return frozenset(word[:_BEGINNING] for word in words)


@keeping_texts(4)
def _letters(text: str) -> str:
    """Return the letters of a text in the loose form, without what stands between them."""
    return "".join(filter(str.isalnum, loose_form(name_form(text))))
