"""Direct identifiers in a text, put in words that say only what kind of thing stood there.

Guarantees: pure functions; what is returned holds no e-mail address, telephone number, IBAN, card number, long number,
national insurance or passport number, UUID, key of an API, network address or link with a path, as far as the patterns
below see them; generalising twice changes nothing; a text without any of these is returned as it is. Letters of other
widths and invisible characters between letters hide nothing. Amounts with a currency or grouping commas, dates and
times stay: they are what a summary is for. What needs understanding, such as a name or a street, is not found here.
Source: MaRS section 5.3 (abstraction of identifiers).
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

#: The most of one text that is looked at; a line of a summary is a sentence.
MOST_CHARACTERS: Final = 20_000

_DATE: Final = re.compile(
    r"(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4})(?:[T ]\d{1,2}(?::\d{2}){0,2}Z?)?"
    r"|\d{4}\s?[-–]\s?\d{4}"
)
_MONEY_BEFORE: Final = re.compile(r"[$€£¥₹]\s?$")
_MONEY_AFTER: Final = re.compile(
    r"\s?(?:[$€£¥₹%]|(?:USD|EUR|GBP|CHF|JPY|dollars?|euros?|pounds?|yen)\b)", re.IGNORECASE
)
#: Digits that a part of a compound word may have and be a year or a count.
_YEAR_DIGITS: Final = 4


class _Rule(NamedTuple):
    """A pattern and the words that take the place of what it matches, unless ``keeps`` says that it is harmless."""

    pattern: re.Pattern[str]
    words: str
    keeps: Callable[[re.Match[str]], bool] | None = None


def _no_number(match: re.Match[str]) -> bool:
    """Return whether a run of digits and separators is a date, a span of years or an amount."""
    text = match[0].strip()
    if _DATE.fullmatch(text):
        return True
    before = match.string[max(0, match.start() - 2) : match.start()]
    return bool(_MONEY_BEFORE.search(before) or _MONEY_AFTER.match(match.string, match.end()))


def _bare_host(match: re.Match[str]) -> bool:
    """Return whether a link is only the address of a site, which many know."""
    rest = re.sub(r"^[a-z][a-z0-9+.-]*://", "", match[0], flags=re.IGNORECASE).rstrip("/.,;")
    return not re.search(r"[/?#@\d]", rest)


def _few_digits(match: re.Match[str]) -> bool:
    """Return whether a run has too few digits for a telephone number, has nothing between them, or is a date."""
    return match[0].isdigit() or sum(character.isdigit() for character in match[0]) < _PHONE_DIGITS or _no_number(match)


def _no_key(match: re.Match[str]) -> bool:
    """Return whether a long run of letters is a word, or words joined by hyphens: keys mix letters with digits."""
    parts = re.split(r"[-_]", match[0])
    return all(part.isalpha() or (part.isdigit() and len(part) <= _YEAR_DIGITS) for part in parts if part)


_PHONE_DIGITS: Final = 9

#: In the order in which they are tried: what holds another comes first.
_RULES: Final = (
    _Rule(re.compile(r"\b(?:[a-z][a-z0-9+.-]{1,20}://|www\.)[^\s<>\"')\]]+", re.IGNORECASE), "(link)", _bare_host),
    _Rule(re.compile(r"[\w.!#$%&*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)*\.\w{2,}"), "(e-mail address)"),
    _Rule(
        re.compile(
            r"[\w.+-]+\s*(?:\(at\)|\[at\]|\s+at\s+)\s*[\w-]+\s*(?:\(dot\)|\[dot\]|\s+dot\s+)\s*\w{2,}", re.IGNORECASE
        ),
        "(e-mail address)",
    ),
    _Rule(re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE), "(identifier)"),
    _Rule(re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b"), "(account number)"),
    _Rule(re.compile(r"\b(?:[A-Za-z]{2,6}[-_])?[A-Za-z0-9_-]{20,}\b"), "(secret)", _no_key),
    _Rule(re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])"), "(number)"),
    _Rule(re.compile(r"(?<![\w.,])(?:\d[ -]?){12,18}\d(?![\w])"), "(card number)", _no_number),
    _Rule(re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])"), "(network address)"),
    _Rule(re.compile(r"(?<![\w.,$€£¥₹])\+?\(?\d(?:[\s().-]{0,2}\d){8,16}(?![\w])"), "(phone number)", _few_digits),
    _Rule(re.compile(r"(?<![\w.,-])\d{3}[-. ]\d{4}(?![\w-])"), "(phone number)", _no_number),
    _Rule(re.compile(r"\b(?=[A-Z0-9-]*\d{5})[A-Z]{1,3}-?\d{5,12}[A-Z]?\b"), "(identifier)"),
    _Rule(re.compile(r"(?<![\w.,])\d{7,}(?![\w,])"), "(number)", _no_number),
)


#: Some of this is in whatever a rule replaces; most sentences have none of it.
_SUSPECT: Final = re.compile(r"[\d@]|://|www\.|dot", re.IGNORECASE)

#: What takes the place of identifiers.
KINDS: Final = tuple(sorted({rule.words for rule in _RULES}))


def without_kinds(text: str) -> str:
    """Return a text without the words that took the place of identifiers: nobody said them."""
    for kind in KINDS:
        text = text.replace(kind, " ")
    return text


def generalised(text: str) -> tuple[str, int]:
    """Return ``text`` without direct identifiers, and how many there were."""
    text = text[:MOST_CHARACTERS]
    shown, found = _replaced(text)
    plain = _plain(text)
    if plain != text:
        other, more = _replaced(plain)
        if more > found:
            return other, more
    return shown, found


def _plain(text: str) -> str:
    """Return ``text`` in one width of letters, without invisible characters."""
    if text.isascii():
        return text
    kept = "".join(character for character in text if unicodedata.category(character) != "Cf")
    return unicodedata.normalize("NFKC", kept)


def _replaced(text: str) -> tuple[str, int]:
    return _tried(text) if _SUSPECT.search(text) else (text, 0)


def _tried(text: str) -> tuple[str, int]:
    """Return what every rule makes of ``text``, and how many identifiers there were."""
    found = 0

    def put(rule: _Rule, match: re.Match[str]) -> str:
        nonlocal found
        if rule.keeps is not None and rule.keeps(match):
            return match[0]
        found += 1
        return rule.words

    for rule in _RULES:
        text = rule.pattern.sub(lambda match, rule=rule: put(rule, match), text)  # type: ignore[misc]  # bound now
    return text, found
