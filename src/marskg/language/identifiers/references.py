"""What names a thing and nobody: links, tickets, digests, and long numbers that nobody explains.

Guarantees: pure functions. A reader is kept from none of these, and a summary repeats none: they tell whoever has the
thing more than the sentence does. Amounts with a currency or grouping commas, dates and times are none.
Source: MaRS section 5.3 (abstraction of identifiers).
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.language.identifiers.model import Found, Identifier, Kind
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_DATE: Final = late_regex(
    r"(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4})(?:[T ]\d{1,2}(?::\d{2}){0,2}Z?)?"
    r"|\d{4}\s?[-–]\s?\d{4}"
)
_MONEY_BEFORE: Final = late_regex(r"[$€£¥₹]\s?$")
_MONEY_AFTER: Final = late_regex(
    r"\s?(?:[$€£¥₹%]|(?:USD|EUR|GBP|CHF|JPY|dollars?|euros?|pounds?|yen)\b)", re.IGNORECASE
)
#: Digits that a part of a compound word may have and be a year or a count.
_YEAR_DIGITS: Final = 4
_PHONE_DIGITS: Final = 9


def _no_number(match: re.Match[str]) -> bool:
    """Return whether a run of digits and separators is a date, a span of years or an amount."""
    if _DATE.fullmatch(match[0].strip()):
        return True
    before = match.string[max(0, match.start() - 2) : match.start()]
    return bool(_MONEY_BEFORE.search(before) or _MONEY_AFTER.match(match.string, match.end()))


def _bare_host(match: re.Match[str]) -> bool:
    """Return whether a link is only the address of a site, which many know."""
    rest = re.sub(r"^[a-z][a-z0-9+.-]*://", "", match[0], flags=re.IGNORECASE).rstrip("/.,;")
    return not re.search(r"[/?#@\d]", rest)


def _few_digits(match: re.Match[str]) -> bool:
    """Return whether a run has too few digits for a long number, has nothing between them, or is a date."""
    return match[0].isdigit() or sum(one.isdigit() for one in match[0]) < _PHONE_DIGITS or _no_number(match)


def _no_key(match: re.Match[str]) -> bool:
    """Return whether a long run of letters is a word, or words joined by hyphens: keys mix letters with digits."""
    parts = re.split(r"[-_]", match[0])
    return all(part.isalpha() or (part.isdigit() and len(part) <= _YEAR_DIGITS) for part in parts if part)


class _Form(NamedTuple):
    """A pattern and what a summary says in its place, unless ``keeps`` says that it is harmless."""

    rule: str
    sample: str
    counter: str
    pattern: re.Pattern[str]
    words: str = "(identifier)"
    keeps: Callable[[re.Match[str]], bool] | None = None


_FORMS: Final = (
    _Form(
        "link", "See {https://shop.example.org/order/99812} there", "Read www.example.org before 1 May",
        late_regex(r"\b(?:[a-z][a-z0-9+.-]{1,20}://|www\.)[^\s<>\"')\]]+", re.IGNORECASE), "(link)", _bare_host,
    ),
    # A link without its scheme tells as much where it carries a token.
    _Form(
        "link", "Open {example.org/list?page=a1b2c3} now", "Open example.org now",
        late_regex(r"\b[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}/[^\s<>\"')\]]*[?&=][^\s<>\"')\]]+", re.IGNORECASE), "(link)",
    ),
    _Form("mention", "Ask {@ines} about it", "They meet @ noon", late_regex(r"(?<![\w@.])@[A-Za-z]\w{2,30}\b"), "(account name)"),
    _Form(
        "uuid", "See {0190a6f2-0000-7000-8000-0123456789ab} there", "See 0190-0000 there",
        late_regex(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE),
    ),
    _Form(
        "account-like", "It is {DE89 3704 0044 0532 0130 01} there", "It is DE89 there",
        late_regex(
            r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b|\b[A-Za-z]{2}\d{2}(?:[ -]?\d{4}){3,7}(?:[ -]?\d{1,3})?\b"
        ),
        "(account number)",
    ),
    _Form(
        "digest", "The commit is {3f8a1c9d7b2e60453f8a1c9d7b2e6045}", "An over-the-counter-state-of-the-art-remedy",
        late_regex(r"\b(?:[A-Za-z]{2,6}[-_])?[A-Za-z0-9_-]{20,}\b"), keeps=_no_key,
    ),
    _Form(
        "chassis", "It is {1HGCM82633A004353} there", "It is 1HGCM there",
        late_regex(r"\b(?=[A-HJ-NPR-Z0-9]*\d{3})(?=[0-9]*[A-Z])[A-HJ-NPR-Z0-9]{17}\b"),
    ),
    _Form(
        "ticket", "Invoice {INV-2024-0012} came", "ISO-9001 and RFC-2119 were read",
        late_regex(r"\b[A-Z]{2,5}-(?:\d{4,}-\d{2,}|\d{2,}-\d{4,}|\d{5,})\b"),
    ),
    _Form("ticket", "Order {#48213} came", "We are #1 there", late_regex(r"(?<!\w)#\d{4,}\b")),
    _Form(
        "called", "The reference number is {K48213} there", "The reference is to chapter 4",
        late_regex(
            r"(?i:(?<=account )|(?<=licence )|(?<=license )|(?<=reference )|(?<=passport ))(?i:(?:no\.?|number|id|code) ?(?:is |: ?)?)"
            r"(?=[A-Z0-9-]*\d{2})[A-Z0-9-]{4,20}\b"
        ),
    ),
    _Form(
        "card-like", "It is {4111 1111 1111 1112} there", "It is 4111 there",
        late_regex(r"(?<![\w.,])(?:\d[ -]?){12,18}\d(?![\w])"), "(card number)", _no_number,
    ),
    _Form(
        "network-like", "It is {999.168.17.204} there", "Version 3.11.4 of Python",
        late_regex(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])"), "(network address)",
    ),
    _Form("insured", "It was {QQ 12 34 56 C} there", "It was QQ 12", late_regex(r"\b[A-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]\b"), "(number)"),
    _Form(
        "dial-like", "It is {12 14 16 18 20} there", "They met on 2024-03-15 10:30",
        late_regex(r"(?<![\w.,$€£¥₹])\+?\(?\d(?:[\s().-]{0,2}\d){8,16}(?![\w])"), "(phone number)", _few_digits,
    ),
    _Form(
        "short-number", "It is {555-0199} there", "It is 12-14 there",
        late_regex(r"(?<![\w.,-])\d{3}[-. ]\d{4}(?![\w-])"), "(phone number)", _no_number,
    ),
    _Form("mixed", "The {X1234567} expires", "COVID-19 in 2020", late_regex(r"\b(?=[A-Z0-9-]*\d{5})[A-Z]{1,3}-?\d{5,12}[A-Z]?\b")),
    _Form(
        "long-number", "Reference {20993311882} was given", "It costs 1500000 euros, or $2500000 with taxes",
        late_regex(r"(?<![\w.,])\d{7,}(?![\w,])"), "(number)", _no_number,
    ),
)  # fmt: skip
#: Some of this is in whatever is found here.
_SUSPECT: Final = late_regex(r"[\d@]|://|www\.|/", re.IGNORECASE)


def find(text: str) -> Iterator[Found]:
    """Yield what names a thing in ``text``."""
    if not _SUSPECT.search(text):
        return
    for form in _FORMS:
        for match in form.pattern.finditer(text):
            if form.keeps is None or not form.keeps(match):
                yield Found(match.start(), match.end(), Kind.REFERENCE, form.rule, form.words)


def _has_form(form: _Form, value: str) -> bool:
    match = form.pattern.fullmatch(value)
    return match is not None and (form.keeps is None or not form.keeps(match))


ROWS: Final = tuple(
    # What is called something has its form only beside the word.
    Identifier(form.rule, Kind.REFERENCE, form.sample, form.counter, partial(_has_form, form))
    if _has_form(form, form.sample.partition("{")[2].rpartition("}")[0])
    else Identifier(form.rule, Kind.REFERENCE, form.sample, form.counter)
    for form in _FORMS
)
