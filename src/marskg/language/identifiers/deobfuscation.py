"""A text in the forms in which a hidden identifier is seen again, each with its way back into the text as given.

Guarantees: pure functions; a plain ASCII text without spelled-out digits and encoded parts has no other form than
itself; every character of a form belongs to a span of the original, so that what is found there can be pointed at.
What is undone: characters that are not seen, letters of other widths and alphabets that look like Latin ones, digits
of other scripts, letters of scripts without blanks beside it, digits in words, base64, hexadecimal and percent encoding, also one inside the other once.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote_to_bytes

from marskg.language.en.personal.spelled_digits import DIGITS, JOINTS, SPELLED, TIMES, TOKEN, TWO_IN_A_ROW
from marskg.late_regex import late_regex
from marskg.text import LOOKALIKES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Letters and signs that a reader takes for one of ASCII.
_LOOKALIKES: Final = LOOKALIKES | str.maketrans("ıƖǀ‐‑‒–—−․。．＠﹫﹒", "ill------...@@.")
#: Drawn over other characters or not drawn at all.
_UNSEEN: Final = frozenset({"Cf", "Mn", "Me", "Cc"})
_KEPT_CONTROLS: Final = frozenset("\n\t\r")

#: Those of ASCII that are not drawn; ends of lines and tabs are.
_CONTROL: Final = late_regex(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_WORDS: Final = late_regex(r"\w+")
#: Letters that stand beside a number or an address without a blank: Han, kana, Hangul, Thai, Lao, Burmese, Khmer.
_UNSPACED: Final = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_BESIDE: Final = late_regex(rf"(?<=[A-Za-z0-9]){_UNSPACED}|{_UNSPACED}(?=[A-Za-z0-9@+])")
#: Digits in words that are a number to dial rather than a count.
_FEWEST_SPELLED: Final = 4

_BASE64: Final = late_regex(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{16,8192}={0,2}(?![\w+/=])")
_HEX: Final = late_regex(r"(?<!\w)(?:0x)?((?:[0-9a-fA-F]{2}[ :]?){8,4096})(?!\w)")
_PERCENT: Final = late_regex(r"(?:[\w.+-]*%[0-9a-fA-F]{2})+[\w.+-]*")
#: The least that a decoded part must say, and how much of it must be seen.
_FEWEST_DECODED: Final = 6
_MOSTLY: Final = 0.95


@dataclass(frozen=True, slots=True)
class View:
    """A form of a text. Character ``i`` of ``text`` stands for ``[starts[i], ends[i])`` of the original.

    ``hides``: what is seen in this form alone was hidden, and did not only stand without a blank.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    hides: bool = True

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where the characters ``[start, end)`` of this form come from."""
        return self.starts[start], self.ends[end - 1]


def views(text: str) -> Iterator[View]:
    """Yield the forms of ``text`` besides itself that differ from it."""
    shown = _shown(text)
    if shown.text != text:
        yield shown
    for one in (_itself(text), *((shown,) if shown.text != text else ())):
        divided = _BESIDE.sub(" ", one.text)
        if divided != one.text:
            yield View(divided, one.starts, one.ends, hides=one.text != text)
    if TWO_IN_A_ROW.search(shown.text):
        spelled = _digits(shown)
        if spelled is not None:
            yield spelled
    yield from _decoded(shown)


def reworded(text: str) -> Iterator[View]:
    """Yield those forms of ``text`` that say other words than it does, for what goes by its words.

    A dash or a quote in another width says none, nor does a number in digits.
    """
    shown = _shown(text)
    if shown.text != text and _WORDS.findall(shown.text) != _WORDS.findall(text):
        yield shown
    yield from _decoded(shown)


def _shown(text: str) -> View:
    """Return the plain form of ``text``; at no cost where nothing can hide in it."""
    if text.isascii() and not _CONTROL.search(text):
        return _itself(text)
    return plain(text)


def _itself(text: str) -> View:
    return View(text, range(len(text)), range(1, len(text) + 1))


def plain(text: str) -> View:
    """Return ``text`` in Latin letters and digits of one width, as far as it looks like them, without unseen signs."""
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for place, character in enumerate(text):
        if character.isascii():
            shown = "" if _CONTROL.match(character) else character
        elif unicodedata.category(character) in _UNSEEN:
            shown = ""
        else:
            shown = _plain_character(character)
        for one in shown:
            out.append(one)
            starts.append(place)
            ends.append(place + 1)
    return View("".join(out), starts, ends)


def _plain_character(character: str) -> str:
    value = unicodedata.decimal(character, None)
    if value is not None:
        return str(value)
    folded = unicodedata.normalize("NFKC", character.translate(_LOOKALIKES)).translate(_LOOKALIKES)
    return folded or character


def _digits(view: View) -> View | None:
    """Return the form in which runs of spelled-out digits are digits, None if there are none."""
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done, changed = 0, False

    def keep(first: int, last: int) -> None:
        out.extend(view.text[first:last])
        starts.extend(view.starts[first:last])
        ends.extend(view.ends[first:last])

    for match in SPELLED.finditer(view.text):
        digits, words = _read(match[0])
        if words and sum(one.isdigit() for one in digits) >= _FEWEST_SPELLED:
            changed = True
            keep(done, match.start())
            start, end = view.span(match.start(), match.end())
            out.extend(digits)
            starts.extend([start] * len(digits))
            ends.extend([end] * len(digits))
            done = match.end()
    if not changed:
        return None
    keep(done, len(view.text))
    return View("".join(out), starts, ends)


def _read(run: str) -> tuple[str, int]:
    """Return the digits and joints that a run of words says, and how many of the words were digits in letters."""
    found, times, words = [], 1, 0
    for match in TOKEN.finditer(run):
        token = match[0].casefold()
        if token in TIMES:
            times = TIMES[token]
        elif token in JOINTS:
            found.append(JOINTS[token])
        else:
            words += token in DIGITS
            found.append(DIGITS.get(token, token) * times)
            times = 1
    return "".join(found), words


def _decoded(view: View) -> Iterator[View]:
    """Yield what stands behind each encoded part, which all of the part's characters stand for."""
    for match, words in _encoded(view.text):
        start, end = view.span(match.start(), match.end())
        shown = plain(words).text
        inner = next((again for _, again in _encoded(shown)), None)
        for said in (shown, inner):
            if said:
                yield View(said, [start] * len(said), [end] * len(said))


def _encoded(text: str) -> Iterator[tuple[re.Match[str], str]]:
    for match in _BASE64.finditer(text):
        words = _text_of(_from_base64(match[0]))
        if words is not None:
            yield match, words
    for match in _HEX.finditer(text):
        digits = re.sub(r"[ :]", "", match[1])
        words = _text_of(bytes.fromhex(digits)) if len(digits) % 2 == 0 else None
        if words is not None:
            yield match, words
    if "%" in text:
        for match in _PERCENT.finditer(text):
            words = _text_of(unquote_to_bytes(match[0]))
            if words is not None and words != match[0]:
                yield match, words


def _from_base64(token: str) -> bytes:
    body = token.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(body + "=" * (-len(body) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _text_of(data: bytes) -> str | None:
    """Return the text that bytes are, None if they are no text that somebody would write."""
    try:
        words = data.decode()
    except UnicodeDecodeError:
        return None
    seen = sum(one.isprintable() or one in _KEPT_CONTROLS for one in words)
    return words if len(words) >= _FEWEST_DECODED and seen >= _MOSTLY * len(words) else None
