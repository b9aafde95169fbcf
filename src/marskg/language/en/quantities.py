"""Numbers, sums, shares, dates and times in a text, with the kind that says which may be compared.

Guarantees: a quantity's value is in one spelling (``$1,200.50`` and ``1200.5 dollars`` are ``1200.5``), so equal
quantities are equal strings; only quantities of one kind say different things about one attribute. Spelled numbers up
to twelve, "once" and "twice" count. Dates that depend on today ("next Tuesday") stay as words: nothing reads a clock.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Final

from marskg.language.statements import Quantity
from marskg.late_regex import late_regex
from marskg.text import folded, terms

if TYPE_CHECKING:
    from collections.abc import Mapping

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_NAMES: Final = "zero one two three four five six seven eight nine ten eleven twelve"
_SPELLED: Final = {word: str(number) for number, word in enumerate(_NAMES.split())}
_FREQUENT: Final = {"once": "1", "twice": "2", "thrice": "3"}
_WORDS: Final = f"\\b(?:{'|'.join(list(_SPELLED)[1:])})\\b"
_NUMBER: Final = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_SCALE: Final = {"k": 1_000, "thousand": 1_000, "m": 1_000_000, "million": 1_000_000, "billion": 1_000_000_000}
#: What stands before an hour that is spelled out; one that ends a sentence has no unit.
_HOUR_AFTER: Final = "|".join(rf"(?<=\b{word} )" for word in ["at", "by", "from", "until", "till", "before", "after"])
_CURRENCY: Final = r"usd|eur|gbp|chf|jpy|dollars?|euros?|pounds?|francs?|yen|yuan|bucks"
_PATTERN: Final = late_regex(
    rf"(?P<iso>\b\d{{4}}-\d{{2}}-\d{{2}}\b)"
    rf"|\b(?P<month>{_MONTH})\.? (?P<monthday>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<year>\d{{4}}))?\b"
    rf"|\b(?P<daymonth>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month2>{_MONTH})(?:,? (?P<year2>\d{{4}}))?\b"
    rf"|\b(?P<span>(?:in|within) (?:{_NUMBER}|{_WORDS}|a) (?:day|week|month)s?)\b"
    rf"|\b(?P<weekday>(?:(?:next|this|coming) )?{_DAY})\b|\b(?P<relative>tomorrow|today|tonight)\b"
    rf"|\b(?P<clock>\d{{1,2}}(?::\d{{2}})? ?[ap]\.?m\.?(?![a-z])|\d{{1,2}}:\d{{2}})"
    rf"|[$€£¥] ?(?P<sum>{_NUMBER}) ?(?P<sumscale>k\b|m\b|thousand\b|million\b|billion\b)?"
    rf"|(?<![\w.])(?P<sum2>{_NUMBER}) ?(?P<sumscale2>k\b|m\b|thousand\b|million\b|billion\b)? ?(?:{_CURRENCY})\b"
    rf"|(?<![\w.])(?P<share>{_NUMBER}) ?(?:%|percent\b|per cent\b)"
    rf"|(?<![\w.])(?P<range>(?:{_NUMBER}|{_WORDS}) ?(?:-|–|\bto\b|\bor\b) ?(?:{_NUMBER}|{_WORDS}))(?![\w])"
    rf"|(?<![\w.#])(?P<number>{_NUMBER})(?![\w]|\.\d)"
    rf"|\b(?P<spelled>{_WORDS})(?= [a-z])|(?:{_HOUR_AFTER})(?P<hour>{_WORDS})(?!-)"
    rf"|\b(?P<frequency>{'|'.join(_FREQUENT)})\b"
)
_AFTER: Final = late_regex(r"\s*-?([^\W\d_]+)")
_BEFORE: Final = late_regex(r"([^\W\d_]+) $")
_DIGITS: Final = late_regex(rf"{_NUMBER}|{_WORDS}")


@cache
def numerals() -> Mapping[str, str]:
    """Return the digits of spelled numbers by their index terms."""
    return {term: digits for word, digits in (_SPELLED | _FREQUENT).items() for term in terms(word)}


def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of ``text`` in order."""
    plain = folded(text)
    return tuple(_quantity(match, plain) for match in _PATTERN.finditer(plain) if not _is_name(match, plain))


def without_quantities(text: str) -> str:
    """Return the folded ``text`` with a blank for each quantity; numbers that are names stay."""
    plain = folded(text)
    return _PATTERN.sub(lambda match: match[0] if _is_name(match, plain) else " ", plain)


def _is_name(match: re.Match[str], text: str) -> bool:
    """Return whether a bare number belongs to the noun before it, as in "room 12" or "proposal 1"."""
    if not match["number"] or _unit(match, text):
        return False
    before = _BEFORE.search(text, 0, match.start())
    return before is not None and bool(terms(before[1]))


def _unit(match: re.Match[str], text: str) -> str:
    """Return the term of the word that follows a number, empty for none."""
    unit = _AFTER.match(text, match.end())
    named = terms(unit[1]) if unit else []
    return named[0] if named else ""


def _quantity(match: re.Match[str], text: str) -> Quantity:
    kind = match.lastgroup
    if match["sum"] or match["sum2"]:
        scale = match["sumscale"] or match["sumscale2"]
        return Quantity("money", _plain(match["sum"] or match["sum2"], scale))
    if match["month"] or match["month2"]:
        return Quantity("date", _date(match))
    if kind in {"iso", "span", "weekday", "relative"}:
        return Quantity("date", match[0])
    if kind == "clock":
        return Quantity("clock", _clock(match[0]))
    if kind == "share":
        return Quantity("share", _plain(match["share"], None))
    if kind == "frequency":
        return Quantity(f"number:{''.join(terms('times')) or 'times'}", _FREQUENT[match[0]])
    return Quantity(f"number:{_unit(match, text)}", _number(match))


def _number(match: re.Match[str]) -> str:
    if match["range"]:
        ends = _DIGITS.findall(match["range"])
        return "-".join(_SPELLED.get(end) or _plain(end, None) for end in ends)
    spelled = match["spelled"] or match["hour"]
    return _SPELLED[spelled] if spelled else _plain(match["number"], None)


def _plain(number: str, scale: str | None) -> str:
    value = Decimal(number.replace(",", "")) * (_SCALE[scale] if scale else 1)
    return f"{value.normalize():f}"


def _date(match: re.Match[str]) -> str:
    month = _MONTHS.index((match["month"] or match["month2"])[:3]) + 1
    day = int(match["monthday"] or match["daymonth"])
    year = match["year"] or match["year2"]
    return f"{year}-{month:02}-{day:02}" if year else f"{month:02}-{day:02}"


def _clock(text: str) -> str:
    """Return a time of day as 24-hour HH:MM."""
    hour, _, minute = re.sub(r"[^\d:]", "", text).partition(":")
    shift = 12 if "p" in text and int(hour) < 12 else -12 if "a" in text and int(hour) == 12 else 0  # noqa: PLR2004 - noon
    return f"{int(hour) + shift:02}:{minute or '00'}"
