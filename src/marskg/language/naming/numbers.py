"""Numbers of telephones, cards, accounts, tickets and plates: one in every grouping that people write them in.

Guarantees: pure functions. A number has seven signs or more, most of them digits; a shorter one is an identifier that
is compared as it stands, and so are the four numbers of an address of the internet. Source: semantics section 5.
"""

from __future__ import annotations

import re
from typing import Final

from marskg.language.identifiers import check_digits
from marskg.language.naming.edges import OPEN, Edge, Verdict
from marskg.late_regex import late_regex

GROUPED: Final = "the same digits, and nothing says whether they end here"
#: Signs from which on a number is one in every grouping.
FEWEST_SIGNS: Final = 7
#: What some countries have before a number of their own, and the signs of a Russian one with it.
TRUNKS: Final = "08"
_RUSSIAN: Final = 11
_DOTTED: Final = late_regex(r"\d{1,3}(?:\.\d{1,3}){3}")
_GROUPING: Final = late_regex(r"[\s\-./()+]")
_NUMBER: Final = late_regex(r"(?:\+|00)?(?:[a-z]{1,4}(?=\d))?[\d\s\-./()]+", re.ASCII)
#: Tickets, plates and tokens: letters and digits in groups, of which at least so many are digits.
_MIXED: Final = late_regex(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
_MIXED_DIGITS: Final = 3
#: An account with letters in it, of which the check digits are right: ISO 13616.
_IBAN: Final = late_regex(r"[a-z]{2}\d{2}[a-z0-9]{11,30}", re.ASCII)
_SEPARATED: Final = r"[\s\-./()]{0,3}"
_DASHED: Final = "[-.]?"
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
#: What a longer number has beside a digit, and what another sign may have beside a letter.
_GOES_ON: Final = "-./+,_"
_MAY_GO_ON: Final = "-._@/"
#: Signs that a country takes at most.
_BEFORE: Final = 11
#: The country of a number of North America, which is written without a plus as well, and digits that follow it.
_ONE: Final = late_regex(r"(?<![\w+])1[\s\-./()]{0,3}\Z")
_NATIONAL: Final = 10
AMERICAN: Final = 11
#: Thai, Han, Kana and Hangul come from here on: what they write beside a number is another word.
_UNSPACED: Final = "\u0e00"
_COUNTRY: Final = late_regex(r"(?:\+|(?<!\w)00)[\s\-./()]{0,3}\d{1,3}[\s\-./()]{0,3}\Z")


def is_dotted(form: str) -> bool:
    """Return whether a name is an address of four numbers."""
    return _DOTTED.fullmatch(form) is not None


def dotted_pattern(form: str) -> str:
    """Return the pattern of an address of four numbers, which may be filled up with zeros; "" where it is none."""
    return r"\.".join(f"0*{number}" for number in form.split(".")) if is_dotted(form) else ""


def number_of(form: str) -> str:
    """Return the digits of a number, with letters that belong to it; "" where it is none of seven signs."""
    if is_dotted(form):
        return ""
    bare = _GROUPING.sub("", form)
    if _is_account(bare):
        return bare
    if not _NUMBER.fullmatch(form):
        compact = form.replace("-", "")
        mixed = len(compact) >= FEWEST_SIGNS and sum(one.isdigit() for one in compact) >= _MIXED_DIGITS
        return compact if mixed and _MIXED.fullmatch(form) else ""
    if sum(one.isdigit() for one in bare) < FEWEST_SIGNS:
        return ""
    return f"+{bare}" if form.startswith("+") else f"+{bare[2:]}" if form.startswith("00") else bare


def _is_account(signs: str) -> bool:
    return _IBAN.fullmatch(signs) is not None and check_digits.iban(signs.upper())


def spread(number: str) -> str:
    """Return the pattern of a number in every grouping: among letters outside an account only a dash or a stop."""
    if number.startswith("+"):
        return rf"(?:\+|00){_SEPARATED}{_SEPARATED.join(number[1:])}"
    if _is_account(number):
        return _SEPARATED.join(number)
    digits = number.lstrip(_LETTERS).isdigit()
    between = (_SEPARATED if digits and after.isdigit() else _DASHED for after in number[1:])
    return number[0] + "".join(f"{sep}{after}" for sep, after in zip(between, number[1:], strict=True))


def at_home(number: str) -> tuple[str, ...]:
    """Return what a telephone number with a country may be without it: a country has up to three digits."""
    return tuple(number[cut:] for cut in (2, 3, 4) if number[0] == "+" and len(number) - cut >= FEWEST_SIGNS)


def without_trunk(number: str) -> tuple[str, ...]:
    """Return what may follow the sign of a country of a telephone number that has none."""
    if not number.isdigit():
        return ()
    trunk = (number[1:],) if number[0] == "8" and len(number) == _RUSSIAN else ()
    return tuple(rest for rest in (number.lstrip("0"), *trunk) if len(rest) >= FEWEST_SIGNS)


def abroad(number: str) -> str:
    """Return the pattern of a telephone number with the other of its two beginnings: of the country, or its own."""
    signs = at_home(number) or without_trunk(number)
    if not signs:
        return r"(?!)"
    either = "|".join(_SEPARATED.join(rest) for rest in signs)
    if number[0] == "+":
        return rf"(?<!\w)(?:[{TRUNKS}]{_SEPARATED})?(?:{either})(?!\w)"
    country = rf"(?:\+|00){_SEPARATED}\d{{1,3}}"
    if len(signs[0]) == _NATIONAL:
        country = rf"(?:{country}|(?<!\w)1)"
    return rf"{country}{_SEPARATED}(?:0{_SEPARATED})?(?:{either})(?!\w)"


def number_edges(text: str, start: int, end: int) -> Edge:
    """Return what stands at ``[start, end)`` of ``text``, where the signs of a number were found."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if _COUNTRY.search(text, max(0, start - _BEFORE), start) and not _goes_on(after):
        return Edge(Verdict.NEAR, GROUPED)
    if _ONE.search(text, max(0, start - _BEFORE), start) and sum(map(str.isdigit, text[start:end])) == _NATIONAL:
        return Edge(Verdict.OTHER if _goes_on(after) else Verdict.NEAR, GROUPED)
    if _joins(before[-1:]) or _joins(after[:1]):
        return Edge(Verdict.OTHER, GROUPED)
    sides = [(before[-1:], before[-2:-1]), (after[:1], after[1:2])]
    if any(joint in _GOES_ON and beyond.isdigit() for joint, beyond in sides if joint):
        return Edge(Verdict.OTHER, GROUPED)
    if any(joint in _MAY_GO_ON and beyond.isalnum() for joint, beyond in sides if joint):
        return Edge(Verdict.NEAR, GROUPED)
    if any(joint == " " and beyond.isdigit() for joint, beyond in sides):
        return Edge(Verdict.NEAR, GROUPED)
    return OPEN


def _goes_on(after: str) -> bool:
    return _joins(after[:1]) or (after[:1] in _GOES_ON and after[1:2].isdigit())


def _joins(sign: str) -> bool:
    """Return whether a sign beside a number makes it part of a longer one: not a letter of a script without blanks."""
    return sign.isalnum() and (sign < _UNSPACED or sign.isdigit())
