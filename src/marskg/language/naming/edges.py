"""Where a name ends: what the characters beside it say of an occurrence, script by script.

Guarantees: pure functions. An edge is *open*, where the name ends; *other*, where what stands there is surely another
name; or *near*, where the language leaves it open and a person has to look. A letter or a mark that goes on with the
same script closes an edge, unless the script has no blanks between words or attaches particles to them. Sources:
Unicode UAX 24 (scripts) and UAX 29 (clusters); semantics section 5.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from marskg.language.naming import beside, words
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Callable

#: What belongs to an identifier between two letters or digits of it.
JOINTS: Final = ".-@+:_/"
LONGER: Final = "part of a longer identifier"
HYPHENED: Final = "part of a hyphened name, which is a name of its own"
ATTACHED: Final = "letters are attached: an ending of the language, or another name"
UNBROKEN: Final = "the script has no blanks: it may be part of a longer name"
OWN: Final = "part of another name"


class Verdict(Enum):
    """What an occurrence, or a text, is."""

    NONE = 0
    OTHER = 1
    NEAR = 2
    IS = 3


@dataclass(frozen=True, slots=True)
class Edge:
    """One side of an occurrence, or both: the weaker of the two, with the reason that a person is told."""

    verdict: Verdict
    reason: str = ""

    def and_(self, other: Edge) -> Edge:
        """Return the weaker of two sides."""
        return self if self.verdict.value <= other.verdict.value else other


OPEN: Final = Edge(Verdict.IS)
CLOSED: Final = Edge(Verdict.NONE)
#: A few letters are attached that are a case of some language, if what has them is written as a name.
CASED: Final = Edge(Verdict.NEAR, ATTACHED)
#: Letters that such an ending has at most, and letters of a name that may have it at least.
CASE: Final = 4
#: Small letters of Latin; and those of Greek, Cyrillic and Georgian, whose languages change the ends of names.
LATIN: Final = "a-z\u00df-\u00f6\u00f8-\u024f\u1e00-\u1eff"
INFLECTED: Final = "\u0370-\u03ff\u0400-\u052f\u10d0-\u10ff\u1f00-\u1fff"
_CASE: Final = late_regex(rf"[{LATIN}]{{1,{CASE}}}")
_SCRIPTS: Final = (
    ("han", late_regex("[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")),
    ("hiragana", late_regex("[\u3041-\u309f]")),
    ("katakana", late_regex("[\u30a1-\u30ff\u31f0-\u31ff]")),
    ("hangul", late_regex("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")),
    ("southeast", late_regex("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\uaa60-\uaa7f]")),
    ("arabic", late_regex("[\u0600-\u06ff\u0750-\u077f]")),
    ("hebrew", late_regex("[\u0590-\u05ff]")),
    ("ethiopic", late_regex("[\u1200-\u139f]")),
    ("latin", late_regex("[a-z\u00c0-\u024f\u1e00-\u1eff]", re.IGNORECASE)),
)
#: Vowels that Thai and Lao write after a consonant, and those that they write before one, with signs of subscripts.
_FOLLOWING: Final = "\u0e30\u0e32\u0e33\u0e45\u0eb0\u0eb2\u0eb3\u0ebd"
#: What takes the vowel from the consonant before it, and so ends a syllable: of Burmese, of Khmer, of Thai.
_FINAL: Final = frozenset("\u1039\u103a\u17d2\u17cb\u0e4c")
_OPENING: Final = late_regex("[\u0e40-\u0e44\u0ec0-\u0ec4\u1039\u17d2]")
_SITE: Final = late_regex(r"(?<![\w.-])www\.\Z")
_LETTERS: Final = 3
_KANA: Final = frozenset({"hiragana", "katakana"})
#: The scripts of which letters and digits make up one identifier; "" is that of digits.
_SPELLED: Final = frozenset({"", "latin", "other"})


def script(letter: str) -> str:
    """Return the script of a letter as far as edges differ by it, ``other`` for the alphabets that are not listed."""
    if not letter.isalpha() and not is_mark(letter):
        return ""
    return next((name for name, letters in _SCRIPTS if letters.match(letter)), "other")


def is_mark(letter: str) -> bool:
    """Return whether a character belongs to the letter before it."""
    return unicodedata.category(letter)[0] == "M"


def is_identifier(form: str) -> bool:
    """Return whether a name is an identifier: no blank, and a digit, or a sign between its letters or before them."""
    if " " in form:
        return False
    if any(one.isdigit() for one in form) or any(one in form for one in "@_/:\\#+"):
        return True
    return "." in form.strip(".") and len(form) > _LETTERS


def edges(text: str, start: int, end: int) -> Edge:
    """Return what stands at ``[start, end)`` of ``text``, both in the form in which names are compared."""
    name = text[start:end]
    identifier = is_identifier(name)
    left = _left(text, start, name, identifier=identifier)
    if left is CLOSED:
        return CLOSED
    right = _right(text, end, name, identifier=identifier)
    if ATTACHED in {left.reason, right.reason} and left is not OPEN and right is not OPEN:
        # Something on both sides is a longer word and no ending.
        return CLOSED
    if left is OPEN and right is OPEN and _is_word_of_han(text, start, end):
        return Edge(Verdict.NEAR, UNBROKEN)
    return left.and_(right)


def _is_word_of_han(text: str, start: int, end: int) -> bool:
    """Return whether two letters of Han inside a text have nothing of a name, nor what stands beside people."""
    name, before, follows = text[start:end], text[start - 1 : start], text[end : end + 1]
    if len(name) != words.SHORT_NAME or not before or not follows:
        return False
    if any(script(one) != "han" for one in (*name, before, follows)):
        return False
    named = name[0] in words.HAN_SURNAMES or name[0] == name[1] or not beside.HAN_GIVEN.isdisjoint(name)
    people = beside.AFTER_HAN_PEOPLE.match(text, end) or _ends_with(beside.BEFORE_HAN_PEOPLE, text, start)
    return not named and not people


# --- To the right ---------------------------------------------------------------------------------------------------


def _right(text: str, end: int, name: str, *, identifier: bool) -> Edge:
    follows = text[end : end + 1]
    if not follows or follows.isspace():
        return OPEN
    signed = _signed(text, end, name)
    if signed is not None:
        return signed
    if follows in JOINTS:
        return _joint_after(text, end, name, identifier=identifier)
    if is_mark(follows):
        return CLOSED
    last = _last_letter(name)
    if not follows.isalnum() or (not name[-1].isalnum() and not is_mark(name[-1])):
        return OPEN
    if not last or follows.isdigit():
        return Edge(Verdict.OTHER, LONGER) if last in _SPELLED else OPEN
    if script(follows) != last:
        return _after_another(text, end, last, script(follows))
    return Edge(Verdict.OTHER, LONGER) if identifier else _AFTER.get(last, _after_other)(text, end, name)


def _signed(text: str, end: int, name: str) -> Edge | None:
    """Return the edge where a sign belongs to what a name is part of: C++ and C# are not C, nor is R&D R."""
    sign, beyond = text[end], text[end + 1 : end + 2]
    if sign in "+#" and not beyond.isalnum():
        return Edge(Verdict.OTHER if len(name) <= words.SHORT_NAME and name.isalpha() else Verdict.NEAR, LONGER)
    if sign == "'" and beyond.isalpha():
        rest = _rest(text, end + 1)
        return OPEN if rest in words.AFTER_APOSTROPHE else Edge(Verdict.NEAR, OWN)
    return Edge(Verdict.NEAR, LONGER) if sign == "&" and len(name) == 1 and beyond.isalnum() else None


def _joint_after(text: str, end: int, name: str, *, identifier: bool) -> Edge:
    joint, follows = text[end], text[end + 1 : end + 2]
    if not follows.isalnum() or (not name[-1].isalnum() and not is_mark(name[-1])):
        return OPEN
    if identifier:
        return Edge(Verdict.NEAR, LONGER) if joint in "/:+" else Edge(Verdict.OTHER, LONGER)
    return _joined(text, end, joint)


def _joined(text: str, place: int, joint: str) -> Edge:
    if joint == "-":
        return Edge(Verdict.NEAR, HYPHENED)
    if joint in "/:" and _run(text, place).replace("/", "").replace(":", "").isalpha():
        return OPEN
    return Edge(Verdict.NEAR, LONGER)


def _run(text: str, place: int) -> str:
    """Return the characters around ``place`` up to blanks, without the punctuation at their ends."""
    start = text.rfind(" ", 0, place) + 1
    end = text.find(" ", place)
    return text[start : len(text) if end < 0 else end].strip(".,;:!?\"'()[]{}«»„“”")


def _rest(text: str, end: int) -> str:
    """Return the letters and marks that go on from ``end``."""
    stop = end
    while stop < len(text) and (text[stop].isalpha() or is_mark(text[stop])):
        stop += 1
    return text[end:stop]


def _after_another(text: str, end: int, last: str, follows: str) -> Edge:
    """Return the edge between two scripts: of Japanese, which writes one name in several of them, a person decides."""
    if last in _KANA and follows == "han":
        return OPEN if beside.TITLES_AFTER_KANA.match(text, end) else Edge(Verdict.NEAR, UNBROKEN)
    longer = (follows == "katakana" and last == "han") or (
        follows == "hiragana" and last == "han" and beside.GIVEN_HIRAGANA.match(text, end)
    )
    return Edge(Verdict.NEAR, UNBROKEN) if longer else OPEN


def _before_another(text: str, start: int, first: str, before: str) -> Edge:
    if first in _KANA and before == "han":
        return OPEN if _ends_with(beside.BEFORE_HAN, text, start) else Edge(Verdict.NEAR, UNBROKEN)
    return Edge(Verdict.NEAR, UNBROKEN) if first == "han" and before == "katakana" else OPEN


def _after_latin(text: str, end: int, name: str) -> Edge:
    rest = _rest(text, end)
    if len(name) >= _LETTERS and rest in words.ENDINGS:
        return OPEN if words.is_ending(name, rest, text) else Edge(Verdict.NEAR, ATTACHED)
    return CASED if len(name) >= CASE and _CASE.fullmatch(rest) else CLOSED


def _after_arabic(text: str, end: int, _name: str) -> Edge:
    return Edge(Verdict.NEAR, ATTACHED) if _rest(text, end) in words.PERSIAN else CLOSED


def _after_other(text: str, end: int, name: str) -> Edge:
    """Return the edge where an alphabet without rules of its own goes on: a short ending may be one of its cases."""
    rest = _rest(text, end)
    short = len(name) >= _LETTERS and len(rest) <= words.LONGEST_ENDING
    return Edge(Verdict.NEAR, ATTACHED) if short else CLOSED


def _after_han(text: str, end: int, name: str) -> Edge:
    follows = text[end]
    if len(name) == 1 or follows in {name[-1], "々"}:
        return Edge(Verdict.NEAR, UNBROKEN)
    return OPEN if beside.AFTER_HAN.match(text, end) else Edge(Verdict.NEAR, UNBROKEN)


def _after_kana(text: str, end: int, name: str) -> Edge:
    if script(text[end]) == "hiragana" and len(name) > 1 and beside.AFTER_HIRAGANA.match(text, end):
        return OPEN
    return Edge(Verdict.NEAR, UNBROKEN)


def _after_hangul(text: str, end: int, name: str) -> Edge:
    rest = _rest(text, end)
    if len(name) == 1 or rest not in words.HANGUL_PARTICLES:
        return Edge(Verdict.NEAR, UNBROKEN)
    short = len(name) == words.SHORT_NAME and name[0] in words.HANGUL_SURNAMES and rest in words.HANGUL_GIVEN
    return Edge(Verdict.NEAR, UNBROKEN) if short else OPEN


def _after_southeast(text: str, end: int, name: str) -> Edge:
    if text[end] in _FOLLOWING:
        return CLOSED
    if text[end + 1 : end + 2] in _FINAL:
        # The letter that follows ends the syllable that the name ends with.
        return Edge(Verdict.NEAR, UNBROKEN)
    ends = len(name) > _LETTERS and beside.AFTER_SOUTHEAST.match(text, end)
    return OPEN if ends else Edge(Verdict.NEAR, UNBROKEN)


_AFTER: Final[dict[str, Callable[[str, int, str], Edge]]] = {
    "latin": _after_latin,
    "han": _after_han,
    "hiragana": _after_kana,
    "katakana": _after_kana,
    "hangul": _after_hangul,
    "southeast": _after_southeast,
    "arabic": _after_arabic,
    "hebrew": lambda _text, _end, _name: CLOSED,
}


# --- To the left ----------------------------------------------------------------------------------------------------


def _left(text: str, start: int, name: str, *, identifier: bool) -> Edge:
    before = text[start - 1 : start]
    if not before or before.isspace():
        return OPEN
    if before in f"{JOINTS}#&":
        return _joint_before(text, start, name, identifier=identifier)
    if before == "'" and text[start - 2 : start - 1].isalpha():
        # O'Brien is another name; d'Angelo may be, or is *of Angelo*.
        return Edge(Verdict.NEAR, OWN)
    if not before.isalnum() and not is_mark(before):
        return OPEN
    first = script(name[0])
    if not name[0].isalnum():
        return OPEN
    if not first or before.isdigit():
        return Edge(Verdict.OTHER, LONGER) if first in _SPELLED else OPEN
    if script(before) != first:
        return _before_another(text, start, first, script(before))
    return _BEFORE.get(first, _before_other)(text, start, name)


def _joint_before(text: str, start: int, name: str, *, identifier: bool) -> Edge:
    joint, before = text[start - 1], text[start - 2 : start - 1]
    if not before.isalnum() and not (before and is_mark(before)):
        # A handle, or a name that begins with its stop: .NET.
        other = (joint == "@" and not identifier) or (joint == "." and before != ".")
        return Edge(Verdict.NEAR, LONGER) if other else OPEN
    if joint in "#&":
        return OPEN if joint == "&" and len(name) > 1 else Edge(Verdict.NEAR, LONGER)
    if not identifier:
        return _joined(text, start - 1, joint)
    if (joint == ":" and words.SCHEMES.search(text, 0, start)) or _SITE.search(text, 0, start):
        return OPEN
    if not name[0].isalnum():
        return Edge(Verdict.OTHER, LONGER)
    return Edge(Verdict.NEAR, LONGER) if joint in "/:@" else Edge(Verdict.OTHER, LONGER)


def _before_other(_text: str, _start: int, _name: str) -> Edge:
    return CLOSED


def _before_attached(text: str, start: int, name: str) -> Edge:
    """Return the edge where particles may be attached before a name: of Arabic, Hebrew and Ethiopic."""
    place = start
    while place and (text[place - 1].isalpha() or is_mark(text[place - 1])):
        place -= 1
    rest = text[place:start]
    if rest not in words.PREFIXES:
        return CLOSED
    return OPEN if words.is_prefix(name, rest) else Edge(Verdict.NEAR, ATTACHED)


def _before_han(text: str, start: int, name: str) -> Edge:
    pair = text[start - 1] + name[0]
    if len(name) == 1 or pair in words.HAN_COMPOUNDS or pair in beside.HAN_JOINED:
        return Edge(Verdict.NEAR, UNBROKEN)
    family = name[0] in words.HAN_SURNAMES or name[:2] in words.HAN_COMPOUNDS
    begins = _ends_with(beside.BEFORE_HAN, text, start) or (
        family and _ends_with(beside.BEFORE_HAN_FAMILY, text, start)
    )
    return OPEN if begins else Edge(Verdict.NEAR, UNBROKEN)


def _ends_with(word: re.Pattern[str], text: str, start: int) -> bool:
    """Return whether a word ends right before ``start``, in O(1) of the text."""
    return word.search(text, max(0, start - beside.LONGEST), start) is not None


def _before_kana(text: str, start: int, name: str) -> Edge:
    particle = len(name) > 1 and _ends_with(beside.BEFORE_HIRAGANA, text, start)
    return OPEN if particle else Edge(Verdict.NEAR, UNBROKEN)


def _before_hangul(_text: str, _start: int, _name: str) -> Edge:
    return Edge(Verdict.NEAR, UNBROKEN)


def _before_southeast(text: str, start: int, name: str) -> Edge:
    if _OPENING.match(text[start - 1]):
        return CLOSED
    begins = len(name) > _LETTERS and _ends_with(beside.BEFORE_SOUTHEAST, text, start)
    return OPEN if begins else Edge(Verdict.NEAR, UNBROKEN)


_BEFORE: Final[dict[str, Callable[[str, int, str], Edge]]] = {
    "arabic": _before_attached,
    "hebrew": _before_attached,
    "ethiopic": _before_attached,
    "han": _before_han,
    "hiragana": _before_kana,
    "katakana": _before_kana,
    "hangul": _before_hangul,
    "southeast": _before_southeast,
}


def _last_letter(name: str) -> str:
    """Return the script that a name ends in, the marks of its last letter passed over."""
    return next((script(one) for one in reversed(name) if not is_mark(one)), "")
