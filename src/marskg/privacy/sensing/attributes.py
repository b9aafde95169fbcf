"""Statements about people that name a protected attribute, and words of medicine that leave no doubt.

Guarantees: pure functions; the word for an origin, a religion, a party, an orientation or an identity is no finding by
itself, since a restaurant and a film have an origin too: it has to be said of a person. Words: the special categories
of GDPR article 9 and the protected classes of US law.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.language.en.personal.particulars import ATTRIBUTES
from marskg.privacy.sensing.model import Category, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator


def find(text: str) -> Iterator[Finding]:
    """Yield what ``text`` says of people's protected attributes."""
    said, hints = ATTRIBUTES.protected
    if any(hint in text for hint in hints):
        for match in said.finditer(text):
            yield Finding(match.start(), match.end(), Category.PROTECTED, "said")
    for match in ATTRIBUTES.health.finditer(text):
        yield Finding(match.start(), match.end(), Category.HEALTH, "said")
