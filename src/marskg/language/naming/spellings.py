"""The forms in which two spellings of a name are one, and the looser ones in which they may be.

Guarantees: pure functions. Canonically and compatibly equal spellings (Unicode UAX 15) are one, and so are those that
differ in case, blanks, what is not seen, typographic signs, the points of Arabic and Hebrew, which are left out as a
rule, the dot of a Turkish i, and the digits of another script. The loose form also forgets accents and the ways to
write without them; what is equal in it only is for a person to decide.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

from marskg.text import LOOKALIKES, as_cased_name, as_name, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Points that a reader supplies, and the stroke that fills a line of Arabic.
_POINTS: Final = re.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0640]|(?<=i)\u0307"
)
_SIGNS: Final = str.maketrans(
    {
        "\u2010": "-",
        "\u2011": "-",
        "\u2212": "-",
        "\u2019": "'",
        "\u02bc": "'",
        "\u02b9": "'",
        "`": "'",
        "\u00b4": "'",
        "\u0131": "i",
        "\u30fb": " ",
    }
)
#: What ASCII has of punctuation and blanks; its other signs mean something.
_PUNCTUATION: Final = re.compile(r"[\s!-#%-*,-/:;?@\[-\]_{}]")
_FOREIGN_DIGIT: Final = re.compile(r"[^\D0-9]")
#: Letters that have no accent to take away, and what stands for them where there is no key for them.
_PLAINER: Final = str.maketrans(
    {
        "ø": "o",
        "œ": "o",
        "æ": "a",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ħ": "h",
        "أ": "ا",
        "إ": "ا",
        "آ": "ا",
        "ٱ": "ا",
        "ى": "ي",
        "ة": "ه",
        "-": " ",
        "'": " ",
        ".": " ",
        "_": " ",
        ",": " ",
    }
)
#: Accents of Latin, Greek and Cyrillic letters; marks of other scripts are vowels.
_ACCENTS: Final = re.compile("[\u0300-\u036f]")


def name_form(text: str) -> str:
    """Return a name, or a text in which names are sought, as they are compared."""
    return as_name(text).replace("`", "'") if text.isascii() else _told(as_name(text))


def cased_form(text: str) -> str:
    """Return :func:`name_form` before letters are made small: of the same length, but where case changes it."""
    found = as_cased_name(text)
    return found.replace("`", "'") if text.isascii() else _told(found)


def loose_form(form: str) -> str:
    """Return the loose form of a :func:`name_form`: without accents and signs, single blanks."""
    if not form.isascii():
        form = _ACCENTS.sub("", unicodedata.normalize("NFD", form))
        # What was taken apart and has no accents, such as Hangul, is whole again.
        form = unicodedata.normalize("NFC", form)
    plainer = " ".join(form.translate(_PLAINER).split())
    return plainer.replace("ae", "a").replace("oe", "o").replace("ue", "u")


def text_form(text: str) -> str:
    """Return the normal form in which two texts are the same: no blanks, punctuation or quotation marks, small letters.

    A letter of Cyrillic or Greek that reads as a Latin one is that one, wherever it stands; the sign and the point of a
    number stay. A text of punctuation alone is compared as it stands.
    """
    plainer = plain(text).translate(LOOKALIKES)
    bare = _PUNCTUATION.sub(_number_sign, plainer) if plainer.isascii() else "".join(_kept(plainer))
    return bare or plainer


def _kept(text: str) -> Iterator[str]:
    for place, letter in enumerate(text):
        if unicodedata.category(letter)[0] not in "PZC" or _is_number_sign(text, place):
            yield letter


def _number_sign(found: re.Match[str]) -> str:
    return found[0] if _is_number_sign(found.string, found.start()) else ""


def _is_number_sign(text: str, place: int) -> bool:
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    return after.isdigit() and (before.isdigit() if text[place] == "." else text[place] == "-" and not before.isalnum())


def _told(text: str) -> str:
    return _FOREIGN_DIGIT.sub(lambda found: str(unicodedata.digit(found[0])), _POINTS.sub("", text).translate(_SIGNS))
