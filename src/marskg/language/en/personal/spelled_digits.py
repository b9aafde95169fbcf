"""Digits that are spelled out, as people dictate a number, those of neighbouring languages among them.

Guarantees: plain tables and patterns; :mod:`marskg.language.identifiers.deobfuscation` reads by them.
"""

from __future__ import annotations

import re
from typing import Final

from marskg.late_regex import late_regex

DIGITS: Final = {
    "zero": "0", "oh": "0", "o": "0", "nought": "0", "null": "0", "one": "1", "two": "2", "three": "3", "four": "4",
    "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "niner": "9",
    "eins": "1", "zwei": "2", "zwo": "2", "drei": "3", "vier": "4", "fünf": "5", "sechs": "6", "sieben": "7",
    "acht": "8", "neun": "9",
    "cero": "0", "uno": "1", "dos": "2", "tres": "3", "cuatro": "4", "cinco": "5", "seis": "6", "siete": "7",
    "ocho": "8", "nueve": "9",
    "un": "1", "deux": "2", "trois": "3", "quatre": "4", "cinq": "5", "sept": "7", "huit": "8", "neuf": "9",
}  # fmt: skip
TIMES: Final = {"double": 2, "triple": 3}
JOINTS: Final = {"dash": "-", "hyphen": "-", "minus": "-", "dot": ".", "point": ".", "space": " ", "plus": "+"}
_WORD: Final = "|".join(sorted({*DIGITS, *TIMES, *JOINTS}, key=len, reverse=True))
SPELLED: Final = late_regex(rf"\b(?:{_WORD}|\d)(?:[\s,.-]{{1,3}}(?:{_WORD}|\d))+\b", re.IGNORECASE)
TOKEN: Final = late_regex(rf"{_WORD}|\d", re.IGNORECASE)
#: Two of them in a row; the shortest ones of other languages alone are words of this one.
_DIGIT_WORD: Final = "|".join(word for word in DIGITS if word not in {"o", "un"})
TWO_IN_A_ROW: Final = late_regex(rf"\b(?:{_DIGIT_WORD}|double|triple)[\s,.-]{{1,3}}(?:{_WORD})\b", re.IGNORECASE)
