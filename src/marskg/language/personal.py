"""What a language calls the particulars of people by, and how it says what is nobody else's business.

Guarantees: plain tables and patterns, made once; what they find is judged by who reads them
(:mod:`marskg.privacy.sensing`), which knows the forms of numbers, codes and tokens and no language. Beside a pattern
stand words, in small letters, one of which is in every text that it finds something in: none for a pattern that has to
be tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import re

#: A pattern, and words one of which is in whatever it finds.
Hinted: TypeAlias = "tuple[re.Pattern[str], tuple[str, ...]]"


@dataclass(frozen=True, slots=True)
class Attributes:
    """Statements about people: what names a protected attribute, with its hints, and words of medicine."""

    protected: Hinted
    health: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Particulars:
    """Words beside numbers and dates that say whose they are, and the ways to introduce somebody.

    ``introductions`` have the name in their last group; ``no_names`` are words that no name begins with. ``amount``
    stands behind a number that is none to dial; ``birth_date`` is a date as it is written where ``born`` stands by.
    """

    account: re.Pattern[str]
    phone: re.Pattern[str]
    amount: re.Pattern[str]
    introductions: tuple[Hinted, ...]
    no_names: frozenset[str]
    born: re.Pattern[str]
    date: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Addresses:
    """The forms of postal addresses.

    ``no_street`` are words that no street's name has between its number and its kind, in addresses of the form
    ``street``; ``postcode`` is a code alone;
    ``town`` is what may follow; ``lives`` says in its first group where somebody lives.
    """

    forms: tuple[Hinted, ...]
    street: re.Pattern[str]
    postcode: re.Pattern[str]
    no_street: frozenset[str]
    town: re.Pattern[str]
    lives: Hinted


@dataclass(frozen=True, slots=True)
class LabelWords:
    """Words in names, such as keys and sessions, that say what a number in them is."""

    card: re.Pattern[str]
    iban: re.Pattern[str]
    dial: re.Pattern[str]
    born: re.Pattern[str]
    national_id: re.Pattern[str]
