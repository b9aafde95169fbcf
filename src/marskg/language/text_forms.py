"""The form in which two texts are one, where in a longer text another may begin and end, and what is off before that.

Guarantees: pure functions, in time that grows with the text. The form has no blanks, punctuation, quotation marks,
emoji, accents, vowel points nor case; a letter that reads as a Latin one, as a capital or as a small letter, is that
one, wherever it stands, and digits of all scripts are one; the sign and the point of a number stay. What programs put
around a text and into it is off in one of the wordings that a text is read in: tags and entities of HTML, marks of
Markdown and of lists, escapes of JSON and of addresses, however often one stands in another, and what stands before a
colon at the beginning of a line, as the name of who speaks and *Re:* do. A text of punctuation alone is compared as it
stands.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from marskg.late_regex import late_regex
from marskg.text import LOOKALIKES, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Signs of a form by which it is looked for: about two words.
HEAD: Final = 8
#: Rounds in which what is quoted in what is quoted is undone. Of one sort all is undone in one round.
_ROUNDS: Final = 48
#: Marks that are part of no letter: what surrounds an emoji. And the stroke that fills a line of Arabic.
_MARKS: Final = late_regex("[\u20d0-\u20ff\u0640]")
#: Combining classes (Unicode UAX 44) of marks that a letter is read without: accents, points of Hebrew and Arabic, dots
#: below, strokes. Others are vowels, or make another letter.
_ACCENTS: Final = frozenset({1, 7, *range(10, 37), *range(200, 241)})
#: Signs of letters that stand apart and are written for an apostrophe or a stress, and dashes by another name.
_MODIFIERS: Final = late_regex("[\u02b9-\u02c1\u02c6-\u02cf\u02ec\u02ee\ua788\ua78b\ua78c]")
_DASHES: Final = "\u2212\u02d7\u2043"
#: Letters with a stroke, or without a dot, that no normal form takes apart.
_STROKES: Final = dict(zip("\u00f8\u0142\u0111\u0127\u0167\u0180\u0268\u0131\u0237", "oldhtbiij", strict=True))
#: A sign before a number, a word or number with its points, and signs that stand for themselves.
_PIECE: Final = late_regex(r"(?:(?<![^\s.-])-(?=\d))?[^\s.<>=-]+(?:\.(?<=\d\.)(?=\d)[^\s.<>=-]+)*|[<>=]")
#: Letters of scripts without blanks between words: a text may begin and end at each.
UNSPACED: Final = late_regex(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
#: A tag, in whose quoted values another may begin or end, and what is between the tags of a style sheet.
_TAG: Final = late_regex(
    r"<style\b[^<>]{0,500}>[^<]{0,20000}</style\s*>"
    r"|</?[A-Za-z](?:[^<>\"']{1,2000}+|\"[^\"]{0,400}\"|'[^']{0,400}'){0,40}+>"
    r"|</?[A-Za-z][^<>]{0,2000}>|<!--.{0,2000}?-->",
    re.DOTALL | re.IGNORECASE,
)
_QUOTED: Final = late_regex("%[0-9A-Fa-f]{2}")
#: What is quoted again and again: all of it is undone at once.
_AGAIN: Final = late_regex(r"(%(?:25)+(?=[0-9A-Fa-f]{2})|&(?:(?:amp|#0{0,7}38|#[xX]0{0,7}26);)+(?=\#?\w)|\\{3,})")
_ESCAPE: Final = late_regex(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
#: Where a link of Markdown leads, with its title; the number or name of one that is told elsewhere; a footnote's.
_LINK: Final = late_regex(
    r"\]\([^()\n]{0,2000}(?:\([^()\n]{0,400}\)[^()\n]{0,400}){0,4}\)|(?<=\])\[[^\[\]\n]{0,200}\]|\[\^[^\[\]\s]{1,100}\]"
)
#: What a line of a list, a quotation or a heading begins with.
_BULLET: Final = "[-*+\u2022\u2023\u25e6\u25aa\u2013\u2014]"
_LINE_MARKS: Final = late_regex(
    rf"^[ \t]*(?:(?:>|{_BULLET}|#{{1,6}}|\(?(?:\d{{1,3}}|[A-Za-z])[.)]|\[[ xX]?\])[ \t]+|>)+", re.MULTILINE
)
#: Who speaks, *Re:*, the name of a field; also after a time in brackets.
_LABEL: Final = late_regex(
    r"^[ \t]*(?:[\[(][\d:., /-]{1,40}[\])][ \t]*)?(?:[^\W\d_][\w .'\u2019()&+-]{0,40}?[ \t]?:[ \t]+)+", re.MULTILINE
)


def _one_of_each() -> dict[str, str]:
    """Return what letters that may be taken for each other are compared as.

    A capital may look like another letter than its small one does, as the Greek N and v: then all of these are one.
    """
    one_of: dict[str, str] = {}
    for code, latin in LOOKALIKES.items():
        letters = {one_of.get(letter, letter) for letter in (chr(code).casefold(), chr(latin).casefold())}
        if all(map(str.isalpha, letters)):
            least = min(letters)
            one_of |= dict.fromkeys(letters, least)
            one_of = {letter: least if one in letters else one for letter, one in one_of.items()}
    return {letter: one for letter, one in one_of.items() if letter != one}


_ONE_OF_EACH: Final = _one_of_each()


class _Signs(dict[int, str | None]):
    """What each sign is compared as: a blank where it says nothing."""

    def __missing__(self, code: int) -> str | None:
        """Return what a sign is compared as, from now on without asking again."""
        found = self[code] = _compared(chr(code))
        return found


def _compared(sign: str) -> str | None:
    sort = unicodedata.category(sign)
    if sort == "Pd" or sign in _DASHES:
        return "-"
    if sign == ".":
        return sign
    if sort[0] in "PZC" or sort in {"So", "Sk"} or sign in "|~" or _MODIFIERS.match(sign):
        return " "
    if unicodedata.combining(sign) in _ACCENTS or _MARKS.match(sign):
        return None
    if sort == "Nd":
        return str(unicodedata.decimal(sign))
    plainer = _STROKES.get(sign, sign)
    return _ONE_OF_EACH.get(plainer, plainer)


_SIGNS: Final = _Signs()


@dataclass(frozen=True, slots=True)
class Form:
    """A text as it is compared: its signs, and at which of them another text may begin and end in it."""

    signs: str
    starts: tuple[int, ...]
    ends: frozenset[int]


def form_of(text: str) -> Form:
    """Return the form of a text."""
    plainer = plain(text)
    parts: list[str] = []
    starts: list[int] = []
    ends: set[int] = set()
    size = 0
    for match in _PIECE.finditer(_signs_of(plainer)):
        starts.append(size)
        parts.append(match[0])
        size += len(match[0])
        ends.add(size)
    signs = "".join(parts)
    if not signs:
        signs = plainer.replace(" ", "")
        return Form(signs, (0,), frozenset({len(signs)}))
    if not signs.isascii():
        places = [match.start() for match in UNSPACED.finditer(signs)]
        ends.update(place for one in places for place in (one, one + 1))
        starts = sorted({*starts, *places, *(one + 1 for one in places if one + 1 < size)})
    return Form(signs, tuple(starts), frozenset(ends))


def signs_of(text: str) -> str:
    """Return the signs alone of the form of a text."""
    plainer = plain(text)
    return "".join(_PIECE.findall(_signs_of(plainer))) or plainer.replace(" ", "")


def _signs_of(plainer: str) -> str:
    if plainer.isascii():
        return plainer.translate(_SIGNS)
    # What is taken apart and has no accents, such as Hangul, is whole again.
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", plainer).translate(_SIGNS))


def wordings(text: str) -> tuple[str, ...]:
    """Return a text as it stands, without markup and escapes, and without labels besides: those that differ."""
    bare = _without_markup(text)
    return tuple(dict.fromkeys((text, bare, _LABEL.sub("", bare))))


def forms_of(text: str) -> Iterator[tuple[Form, bool]]:
    """Yield the forms of the :func:`wordings` of a text, and of each whether another text is to be looked for in it.

    In what stands whole at the end of another one it need not be.
    """
    last = ""
    for one in wordings(text):
        yield form_of(one), not last.endswith(one)
        last = one


def _without_markup(text: str) -> str:
    for _ in range(_ROUNDS):
        before = text
        text = _unquoted(text)
        if text == before:
            break
    if "](" in text or "][" in text or "[^" in text:
        text = _LINK.sub(" ", text)
    return _LINE_MARKS.sub("", text)


def _unquoted(text: str) -> str:
    """Return a text without one layer of tags and escapes, and without those of one sort within each other."""
    if "%25" in text or "&" in text or "\\\\" in text:
        text = _AGAIN.sub(lambda found: found[0][0], text)
    if "&" in text:
        text = unescape(text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "%" in text and _QUOTED.search(text):
        text = unquote(text)
    if "\\" in text:
        text = _ESCAPE.sub(_unescaped, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if "+" in text and " " not in text:
        text = text.replace("+", " ")
    return text


def _unescaped(found: re.Match[str]) -> str:
    if found[1]:
        return chr(int(found[1], 16))
    return " " if found[2] in "nrtbf" else found[2]
