"""The form in which two texts are one, where in a longer text another may begin and end, and what is off before that.

Guarantees: pure functions, in time that grows with the text. The form has no blanks, punctuation, quotation marks,
emoji, accents nor case; a letter of Cyrillic or Greek that reads as a Latin one is that one, wherever it stands; the
sign and the point of a number stay. What programs put around a text and into it is off in one of the wordings that a
text is read in: tags and entities of HTML, marks of Markdown and of lists, escapes of JSON and of addresses, and what
stands before a colon at the beginning of a line, as the name of who speaks and *Re:* do. A text of punctuation alone
is compared as it stands.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from marskg.language.naming.spellings import without_accents
from marskg.text import LOOKALIKES, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Signs of a form by which it is looked for: about two words.
HEAD: Final = 8
#: Rounds in which what is quoted in what is quoted is undone.
_ROUNDS: Final = 3
#: Marks that are part of no letter: which picture an emoji is, and what surrounds one.
_MARKS: Final = re.compile("[\ufe00-\ufe0f\u20d0-\u20ff\U000e0100-\U000e01ef]")
#: A sign before a number, a word or number with its points, and signs that stand for themselves.
_PIECE: Final = re.compile(r"(?:(?<![^\s.-])-(?=\d))?[^\s.<>=-]+(?:\.(?<=\d\.)(?=\d)[^\s.<>=-]+)*|[<>=]")
#: Letters of scripts without blanks between words: a text may begin and end at each.
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]{0,2000}>|<!--.{0,2000}?-->", re.DOTALL)
_QUOTED: Final = re.compile("%[0-9A-Fa-f]{2}")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_LINK: Final = re.compile(r"\]\([^()\s]{0,2000}\)")
#: What a line of a list, a quotation or a heading begins with.
_BULLET: Final = "[-*+\u2022\u2023\u25e6\u25aa\u2013\u2014]"
_LINE_MARKS: Final = re.compile(
    rf"^[ \t]*(?:(?:>|{_BULLET}|#{{1,6}}|\(?(?:\d{{1,3}}|[A-Za-z])[.)]|\[[ xX]?\])[ \t]+|>)+", re.MULTILINE
)
#: Who speaks, *Re:*, the name of a field; also after a time in brackets.
_LABEL: Final = re.compile(
    r"^[ \t]*(?:[\[(][\d:., /-]{1,40}[\])][ \t]*)?(?:[^\W\d_][\w .'\u2019()&+-]{0,40}?[ \t]?:[ \t]+)+", re.MULTILINE
)


class _Signs(dict[int, str | None]):
    """What each sign is compared as: a blank where it says nothing."""

    def __missing__(self, code: int) -> str | None:
        """Return what a sign is compared as, from now on without asking again."""
        sign = chr(code)
        sort = unicodedata.category(sign)
        found: str | None = sign
        if sign in "-.":
            found = sign
        elif sign == "\u2212":
            found = "-"
        elif sort[0] in "PZC" or sort in {"So", "Sk"} or sign in "|~":
            found = " "
        elif _MARKS.match(sign):
            found = None
        self[code] = found
        return found


_SIGNS: Final = _Signs()


@dataclass(frozen=True, slots=True)
class Form:
    """A text as it is compared: its signs, and at which of them another text may begin and end in it."""

    signs: str
    starts: tuple[int, ...]
    ends: frozenset[int]


def form_of(text: str) -> Form:
    """Return the form of a text."""
    plainer = plain(text).translate(LOOKALIKES)
    parts: list[str] = []
    starts: list[int] = []
    ends: set[int] = set()
    size = 0
    for match in _PIECE.finditer(without_accents(plainer).translate(_SIGNS)):
        starts.append(size)
        parts.append(match[0])
        size += len(match[0])
        ends.add(size)
    signs = "".join(parts)
    if not signs:
        signs = plainer.replace(" ", "")
        return Form(signs, (0,), frozenset({len(signs)}))
    if not signs.isascii():
        places = [match.start() for match in _UNSPACED.finditer(signs)]
        ends.update(place for one in places for place in (one, one + 1))
        starts = sorted({*starts, *places, *(one + 1 for one in places if one + 1 < size)})
    return Form(signs, tuple(starts), frozenset(ends))


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
        if text == before:
            break
    if "](" in text:
        text = _LINK.sub(" ", text)
    return _LINE_MARKS.sub("", text)


def _unescaped(found: re.Match[str]) -> str:
    if found[1]:
        return chr(int(found[1], 16))
    return " " if found[2] in "nrtbf" else found[2]
