"""Whether a text that a model wrote says only what the texts behind it say, as far as its words tell.

Guarantees: pure functions, no model. Every number and every name must stand in the texts behind it, and most words;
marks that make a heading, a tag or a message of a text are only its own where a text behind it has them. Whether it
takes their side is :mod:`marskg.models.consistency`'s matter.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

from marskg.language.en.lexicon import Is, flags, guessed
from marskg.language.identifiers.table import without_kinds
from marskg.late_regex import late_regex
from marskg.text import terms, words

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Share of a text's words that the texts behind it must use.
GROUNDED: Final = 0.5
#: Characters that make a heading, a quotation, a tag, a table or code of a text.
_MARKS: Final = frozenset("#<>|`*_~{}[]\\")
#: What would make a line look like somebody's message.
_SPEAKER: Final = late_regex(r"\W*(?:system|developer|assistant|user|human|tool)\s*:", re.IGNORECASE)


def grounded(text: str, behind: Sequence[str]) -> bool:
    """Return whether the texts behind a line say what it says: its numbers, its names, most of its words."""
    known = {term for source in behind for term in terms(source)}
    plain = without_kinds(text)
    found = terms(plain)
    if not found:
        return False
    if sum(term in known for term in found) < GROUNDED * len(found):
        return False
    return all(
        set(terms(word.text)) <= known or _common(word.text, first=not place) for place, word in enumerate(words(plain))
    )


def unadorned(text: str, behind: Sequence[str]) -> bool:
    """Return whether a line has no mark-up, no speaker and no invisible character that no text behind it has.

    Whoever reads it is a model too: it must not take a line for a heading, a tag or a message of the system.
    """
    known = {character for source in behind for character in source}
    unknown = {one for one in text if one in _MARKS or unicodedata.category(one) in {"Cc", "Cf", "Cs"}} - known
    speaker = _SPEAKER.match(text)
    return not unknown and (
        speaker is None or any(source.casefold().startswith(speaker[0].casefold()) for source in behind)
    )


def _common(word: str, *, first: bool) -> bool:
    """Return whether a word that no text has is one of the language: no number, no name, no secret."""
    small = word.islower() or (first and word[1:].islower())
    folded_word = word.lower()
    known = flags().get(folded_word, 0) | guessed(folded_word)
    return word.isalpha() and small and bool(known & Is.COMMON)
