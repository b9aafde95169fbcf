"""Direct identifiers in a text, put in words that say only what kind of thing stood there.

Guarantees: pure functions; what is returned holds no e-mail address, telephone number, IBAN, card number, long number,
national insurance or passport number, UUID, key of an API, password that is called one, network address, account name,
postal address with a number, postcode, date of birth, coordinates or link with a path, as far as the patterns below see
them; generalising twice changes nothing; a text without any of these is returned as it is. Letters of other
widths and invisible characters between letters hide nothing. Amounts with a currency or grouping commas, dates and
times stay: they are what a summary is for. What needs understanding, such as a name, is not found here.
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


def _already(match: re.Match[str]) -> bool:
    """Return whether what stands there are the words of a rule."""
    return match[0].endswith(")") and "(" in match[0]


_PHONE_DIGITS: Final = 9
#: Parts of postal addresses.
_NAME: Final = r"[A-ZÀ-ÖØ-Þ][\w'’.-]*"
_STREET: Final = (
    "Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Square|Sq|Terrace|Close|Crescent|Highway|Hwy"
)
_FLAT: Final = r"(?:Apt|Apartment|Unit|Suite|Flat)\.? ?#?\w{1,6}"
_WAYS: Final = "Rua|Avenida|Praça|Travessa|Calle|Plaza|Via|Viale|Piazza|Corso|Rue"
_WAYS_SMALL: Final = "rue|avenue|boulevard|chemin|allée|impasse|place"
_OF: Final = r"(?:d[aeo]s?|du|des|del|dell[ae]|di|la|le|les|los|las|d['’]|l['’])"
_ENDS: Final = "straße|strasse|str\\.|platz|allee|gasse|ufer|damm|straat|laan|gracht"

#: In the order in which they are tried: what holds another comes first.
_RULES: Final = (
    _Rule(re.compile(r"\b(?:[a-z][a-z0-9+.-]{1,20}://|www\.)[^\s<>\"')\]]+", re.IGNORECASE), "(link)", _bare_host),
    # A link without its scheme tells as much where it carries a token.
    _Rule(re.compile(r"\b[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}/[^\s<>\"')\]]*[?&=][^\s<>\"')\]]+", re.IGNORECASE), "(link)"),
    _Rule(re.compile(r"[\w.!#$%&*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)*\.\w{2,}"), "(e-mail address)"),
    _Rule(
        re.compile(
            r"[\w.+-]+\s*(?:\(at\)|\[at\]|\s+at\s+)\s*[\w-]+\s*(?:\(dot\)|\[dot\]|\s+dot\s+)\s*\w{2,}", re.IGNORECASE
        ),
        "(e-mail address)",
    ),
    _Rule(
        re.compile(
            r"(?<=password )(?:is |was |: ?)\S+|(?<=passcode )(?:is |was |: ?)\S+|(?<=\bPIN )(?:is |was |: ?)?\d{3,8}\b"
            r"|(?<=password: )\S+|(?<=passcode: )\S+",
            re.IGNORECASE,
        ),
        "(secret)",
        _already,
    ),
    _Rule(re.compile(r"(?<![\w@.])@[A-Za-z]\w{2,30}\b"), "(account name)"),
    _Rule(
        re.compile(rf"\b\d{{1,5}}[A-Za-z]?,? (?:{_NAME} ){{1,4}}(?:{_STREET})\b\.?(?:,? {_FLAT})?"), "(postal address)"
    ),
    _Rule(re.compile(rf"\b\d{{1,4}},? (?:{_WAYS_SMALL}) (?:{_OF} ?)*{_NAME}(?: {_NAME}){{0,3}}"), "(postal address)"),
    _Rule(
        re.compile(rf"\b(?:{_WAYS}) (?:{_OF} ?)*{_NAME}(?: (?:{_OF} )*{_NAME}){{0,3}},? (?:n\.?º? ?)?\d{{1,5}}\b"),
        "(postal address)",
    ),
    _Rule(re.compile(rf"\b[A-ZÄÖÜ][\wäöüß-]*(?:{_ENDS}) \d{{1,4}} ?[a-z]?\b"), "(postal address)"),
    _Rule(re.compile(r"\bP\.? ?O\.? ?Box \d+\b", re.IGNORECASE), "(postal address)"),
    _Rule(re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b|\b[A-Z]{2} \d{5}(?:-\d{4})?\b"), "(postcode)"),
    _Rule(
        re.compile(
            r"(?<=\bborn )(?:on )?(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d{2}-\d{2}"
            r"|\d{1,2}(?:st|nd|rd|th)? [A-Z][a-z]+,? \d{4}"
            r"|[A-Z][a-z]+ \d{1,2},? \d{4})|(?<=\bDOB)[: ]+[\d./-]{6,10}"
        ),
        "(date of birth)",
        _already,
    ),
    _Rule(re.compile(r"\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b", re.IGNORECASE), "(network address)"),
    _Rule(
        re.compile(
            r"(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}(?::|[0-9a-f]{1,4})(?::?[0-9a-f]{1,4}){0,4}(?![\w:])", re.IGNORECASE
        ),
        "(network address)",
    ),
    _Rule(re.compile(r"(?<![\d.])-?\d{1,2}\.\d{4,}, ?-?\d{1,3}\.\d{4,}(?![\d.])"), "(place)"),
    _Rule(re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE), "(identifier)"),
    _Rule(re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b"), "(account number)"),
    # Written small or with hyphens: only with as many digits as no word has.
    _Rule(re.compile(r"\b[A-Za-z]{2}\d{2}(?:[ -]?\d{4}){3,7}(?:[ -]?\d{1,3})?\b"), "(account number)"),
    _Rule(re.compile(r"\b(?:[A-Za-z]{2,6}[-_])?[A-Za-z0-9_-]{20,}\b"), "(secret)", _no_key),
    _Rule(re.compile(r"(?<![\w-])\d{3}[- ]\d{2}[- ]\d{4}(?![\w-])"), "(number)"),
    _Rule(re.compile(r"\b[A-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]\b"), "(number)"),
    _Rule(re.compile(r"\b(?=[A-HJ-NPR-Z0-9]*\d{3})(?=[0-9]*[A-Z])[A-HJ-NPR-Z0-9]{17}\b"), "(identifier)"),
    _Rule(re.compile(r"\b[A-Z]{2,5}-(?:\d{4,}-\d{2,}|\d{2,}-\d{4,}|\d{5,})\b"), "(identifier)"),
    _Rule(re.compile(r"(?<!\w)#\d{4,}\b"), "(identifier)"),
    _Rule(
        re.compile(
            r"(?i:(?<=account )|(?<=customer )|(?<=patient )|(?<=member )|(?<=employee )|(?<=licence )|(?<=license )"
            r"|(?<=booking )|(?<=reference )|(?<=passport ))(?i:(?:no\.?|number|id|code) ?(?:is |: ?)?)"
            r"(?=[A-Z0-9-]*\d{2})[A-Z0-9-]{4,20}\b"
        ),
        "(identifier)",
    ),
    _Rule(re.compile(r"(?<![\w.,])(?:\d[ -]?){12,18}\d(?![\w])"), "(card number)", _no_number),
    _Rule(re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])"), "(network address)"),
    _Rule(re.compile(r"(?<![\w.,$€£¥₹])\+?\(?\d(?:[\s().-]{0,2}\d){8,16}(?![\w])"), "(phone number)", _few_digits),
    _Rule(re.compile(r"(?<![\w.,-])\d{3}[-. ]\d{4}(?![\w-])"), "(phone number)", _no_number),
    _Rule(re.compile(r"\b(?=[A-Z0-9-]*\d{5})[A-Z]{1,3}-?\d{5,12}[A-Z]?\b"), "(identifier)"),
    _Rule(re.compile(r"(?<![\w.,])\d{7,}(?![\w,])"), "(number)", _no_number),
)


#: Some of this is in whatever a rule replaces; most sentences have none of it.
_SUSPECT: Final = re.compile(r"[\d@]|://|www\.|dot|passw|passc|/", re.IGNORECASE)

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
