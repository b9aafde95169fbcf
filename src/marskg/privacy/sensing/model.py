"""The kinds of sensitive things, and what a detector says about a text.

Guarantees: a finding points into the text as it was given, never into a form that a detector made of it; it says what
kind of thing stands there and how it was recognised, and holds nothing of the text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from marskg.store.unit.sensitivity import SECRETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from marskg.language.identifiers.model import Found


class Category(StrEnum):
    """A kind of sensitive thing; the value is its name in settings, reasons and reports."""

    SECRET = "secret"  # noqa: S105 - the name of a kind
    CARD = "card"
    NATIONAL_ID = "national_id"
    ACCOUNT = "account"
    ADDRESS = "address"
    BIRTH_DATE = "birth_date"
    EMAIL = "email"
    PHONE = "phone"
    IDENTIFIER = "identifier"
    NETWORK = "network"
    NAME = "name"
    HEALTH = "health"
    PROTECTED = "protected"
    FINANCE = "finance"


#: What is said of a category in a reason.
WORDS: Final = {
    Category.SECRET: SECRETS[0],
    Category.CARD: SECRETS[1],
    Category.NATIONAL_ID: SECRETS[2],
    Category.ACCOUNT: "a bank account",
    Category.ADDRESS: "a postal address",
    Category.BIRTH_DATE: "a date of birth",
    Category.EMAIL: "an e-mail address",
    Category.PHONE: "a telephone number",
    Category.IDENTIFIER: "a handle or a number that stands for somebody",
    Category.NETWORK: "a network address",
    Category.NAME: "a person who is introduced by name",
    Category.HEALTH: "health",
    Category.PROTECTED: "a protected attribute",
    Category.FINANCE: "personal finance",
}

#: What takes the place of a thing in a text that is redacted.
PLACEHOLDERS: Final = {category: f"[{category.name}]" for category in Category}
#: What reads texts only where somebody installed it; it stands in the rule of what it found, before a colon.
OPTIONAL: Final = ("presidio", "spacy", "transformers")
#: Those that a passage is about, instead of a run of characters in it.
TOPICS: Final = frozenset({Category.HEALTH, Category.PROTECTED, Category.FINANCE})


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing that was found at ``[start, end)``.

    ``rule`` is how it was recognised, such as ``iban`` or ``presidio:IT_FISCAL_CODE``; ``hidden`` is set where it was
    only seen after the text was put in plain form.
    """

    start: int
    end: int
    category: Category
    rule: str
    hidden: bool = False

    @property
    def optional(self) -> str | None:
        """Return what found it, where that is not part of every installation; None for the recognisers here."""
        source = self.rule.partition(":")[0]
        return source if source in OPTIONAL else None


def united(findings: Iterable[Finding], order: tuple[Category, ...] = tuple(Category)) -> list[Finding]:
    """Return findings without overlaps, in the order of the text.

    Where two overlap, the one of the category that comes first in ``order`` stands, and covers both.
    """
    rank = {category: place for place, category in enumerate(order)}
    kept: list[Finding] = []
    for finding in sorted(findings, key=lambda one: (one.start, -one.end, rank[one.category], one.rule)):
        if kept and finding.start < kept[-1].end:
            # What is found without it as well is not put down to an optional recogniser.
            first = min(kept[-1], finding, key=lambda one: (rank[one.category], one.optional is not None))
            kept[-1] = replace(first, start=kept[-1].start, end=max(kept[-1].end, finding.end))
        else:
            kept.append(finding)
    return kept


def identifiers_of(found: Iterable[Found]) -> Iterator[Finding]:
    """Yield what the table of identifiers found, by its category here."""
    return (Finding(one.start, one.end, Category(one.kind.value), one.rule) for one in found)
