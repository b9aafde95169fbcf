"""What has a form of its own: e-mail and postal addresses, numbers of all sorts, introduced names, dates of birth.

Guarantees: pure functions; a card and an IBAN are only found with the right check digits; a date is a date of birth,
and a bare number an account or a telephone number, only where a word beside it says so; dates, times, amounts and
versions are no telephone numbers. A name in running text that nobody introduces is not found.
"""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, Final

from marskg.language.en.personal.addresses import ADDRESSES
from marskg.language.en.personal.particulars import PARTICULARS
from marskg.privacy.sensing import check_digits
from marskg.privacy.sensing.model import Category, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

_EMAIL: Final = re.compile(
    r"(?<![\w.+-])[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*"
    r"\s?(?:@|[\[({]\s?(?:at|@)\s?[\])}]|\sat\s(?=[\w-]+(?:\s?[\[({]\s?dot|\sdot\s)))\s?"
    r"(?:[\w-]+(?:\.|\s?[\[({]\s?(?:dot|\.)\s?[\])}]\s?|\sdot\s))+[^\W\d_]{2,24}(?![\w-])",
    re.IGNORECASE,
)

_CARD: Final = re.compile(r"(?<![\w.,])(?:\d{4}(?:\s?/\s?\d{4}){3}|\d(?:[ \u00a0._-]{0,3}\d){11,18})(?![\w]|[.,]\d)")
#: As issuers give them out.
_CARD_DIGITS: Final = frozenset({12, 13, 14, 15, 16, 19})
_IBAN: Final = re.compile(r"(?<![\w])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){10,30}(?![\w])", re.IGNORECASE)
_ACCOUNT: Final = re.compile(r"(?<![\w.,$€£/-])\d{6,17}(?![\w]|[.,/-]\d)|(?<![\w-])\d{2}-\d{2}-\d{2}(?![\w-])")

_IPV4: Final = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\d)")
_IPV6: Final = re.compile(r"(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])", re.IGNORECASE)
_MAC: Final = re.compile(r"(?<![\w:-])(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}(?![\w:-])", re.IGNORECASE)

_PHONE: Final = re.compile(
    r"(?<![\w.,$€£¥₹#/-])(?:\+|00|\(\+)?\(?\d{1,4}\)?(?:[ \u00a0./-]{0,2}\(?\d{1,5}\)?){1,7}"
    r"(?:\s?(?:x|ext\.?|extension|poste)\s?\d{1,6})?(?![\w]|[.,/:-]\d)",
    re.IGNORECASE,
)
_NO_PHONE: Final = re.compile(
    r"\d{4}[-./]\d{1,2}[-./]\d{1,2}(?:\s\d{1,2})?|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}(?:\s\d{1,2})?|(?:19|20)\d{2}\s?-\s?(?:19|20)\d{2}"
    r"|\d{1,3}(?:\.\d{3})+|(?:\d{1,2} ){3,}\d{1,2}"
)
_PHONE_DIGITS: Final = range(7, 16)
#: From so many digits on, or with a country's code, separators alone make a telephone number.
_SURE_DIGITS: Final = 9
_BESIDE: Final = 40


_HAS_DIGIT: Final = re.compile(r"\d")
#: Colons of the shortest IPv6 address, hyphens of a hardware address.
_FEWEST_COLONS: Final = 2
_FEWEST_HYPHENS: Final = 5


def find(text: str) -> Iterator[Finding]:
    """Yield what has a form of its own in ``text``."""
    lower = text.casefold()
    if "@" in text or ("at" in lower and "dot" in lower):
        for match in _EMAIL.finditer(text):
            yield Finding(match.start(), match.end(), Category.EMAIL, "email")
    yield from _names(text, lower)
    if text.count(":") >= _FEWEST_COLONS or text.count("-") >= _FEWEST_HYPHENS:
        yield from _hardware(text)
    if _HAS_DIGIT.search(text):
        yield from _numbers(text)
        yield from _addresses(text, lower)
        yield from _births(text)


def _has(lower: str, words: tuple[str, ...]) -> bool:
    """Return whether one of ``words`` is in a text in small letters: far cheaper than a pattern that finds nothing."""
    return any(word in lower for word in words)


def _numbers(text: str) -> Iterator[Finding]:
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if len(digits) in _CARD_DIGITS and digits[0] in "23456" and len(set(digits)) > 1 and check_digits.luhn(digits):
            yield Finding(match.start(), match.end(), Category.CARD, "card")
    yield from _accounts(text)
    for match in _IPV4.finditer(text):
        if all(int(part) < 256 for part in match[0].split(".")):  # noqa: PLR2004 - an octet
            yield Finding(match.start(), match.end(), Category.NETWORK, "ip")
    for match in _PHONE.finditer(text):
        if _is_phone(text, match):
            yield Finding(match.start(), match.end(), Category.PHONE, "phone")


def _accounts(text: str) -> Iterator[Finding]:
    for match in _IBAN.finditer(text):
        # What follows an IBAN may look like more of it.
        for length in range(len(match[0]), 14, -1):
            compact = re.sub(r"[ -]", "", match[0][:length]).upper()
            if match[0][length - 1].isalnum() and 15 <= len(compact) <= 34 and check_digits.iban(compact):  # noqa: PLR2004 - ISO 13616
                yield Finding(match.start(), match.start() + length, Category.ACCOUNT, "iban")
                break
    if PARTICULARS.account.search(text):
        for match in _ACCOUNT.finditer(text):
            if PARTICULARS.account.search(text, max(0, match.start() - _BESIDE), match.start()):
                yield Finding(match.start(), match.end(), Category.ACCOUNT, "account")


def _hardware(text: str) -> Iterator[Finding]:
    for match in _IPV6.finditer(text):
        try:
            ipaddress.IPv6Address(match[0])
        except ValueError:
            continue
        if _HAS_DIGIT.search(match[0]) and match[0].count(":") > 1:
            yield Finding(match.start(), match.end(), Category.NETWORK, "ip")
    for match in _MAC.finditer(text):
        yield Finding(match.start(), match.end(), Category.NETWORK, "mac")


def _is_phone(text: str, match: re.Match[str]) -> bool:
    """Return whether a run of digits is a number to dial."""
    run = match[0]
    digits = sum(one.isdigit() for one in run)
    if digits not in _PHONE_DIGITS or PARTICULARS.amount.match(text, match.end()) or _IPV4.fullmatch(run):
        return False
    if run.startswith(("+", "00", "(+")):
        return True
    if _NO_PHONE.fullmatch(run):
        return False
    if PARTICULARS.phone.search(text, max(0, match.start() - _BESIDE), match.start()):
        return True
    return digits >= _SURE_DIGITS and re.search(r"\d[^\d]+\d", run) is not None


def _addresses(text: str, lower: str) -> Iterator[Finding]:
    for pattern, words in ADDRESSES.forms:
        if not words or _has(lower, words):
            for match in pattern.finditer(text):
                if pattern is not ADDRESSES.street or ADDRESSES.no_street.isdisjoint(match[0].casefold().split()[1:-1]):
                    rest = ADDRESSES.town.match(text, match.end())
                    yield Finding(match.start(), rest.end() if rest else match.end(), Category.ADDRESS, "address")
    lives, hints = ADDRESSES.lives
    if _has(lower, hints):
        for match in lives.finditer(text):
            yield Finding(match.start(1), match.end(1), Category.ADDRESS, "address")


def _births(text: str) -> Iterator[Finding]:
    if not PARTICULARS.born.search(text):
        return
    for match in PARTICULARS.date.finditer(text):
        before = PARTICULARS.born.search(text, max(0, match.start() - _BESIDE), match.start())
        if before or PARTICULARS.born.search(text, match.end(), match.end() + _BESIDE // 2):
            yield Finding(match.start(), match.end(), Category.BIRTH_DATE, "birth-date")


def _names(text: str, lower: str) -> Iterator[Finding]:
    for pattern, words in PARTICULARS.introductions:
        if not words or _has(lower, words):
            for match in pattern.finditer(text):
                group = match.lastindex or 1
                if match[group].split()[0].rstrip(".") not in PARTICULARS.no_names:
                    yield Finding(match.start(group), match.end(group), Category.NAME, "introduced")
