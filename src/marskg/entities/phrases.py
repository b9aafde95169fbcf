"""Things: noun phrases that English itself marks as what a sentence is about, found without a model of grammar.

Guarantees: a phrase holds one to four common words without a verb, a function word or a time, is found in linear
time, and is named in small letters with its head noun in the singular, so that ``my tomatoes`` and ``a tomato``
are one thing.

Accepted are: two or more words after a determiner, a number or a possessive (``the raised bed``); one word after
``my`` or ``our`` (``my garden``), since what somebody owns lasts; a bare plural after a verb, a preposition or another
one (``planted tomatoes and peppers``), since English refers to kinds by bare plurals (Carlson 1977); both ends of ``is
a kind of``. Nothing else: ``the garden`` alone points at something said before, and is found where it is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from marskg.entities.lexicon import Is
from marskg.entities.morphology import Form, singular
from marskg.entities.tokens import NUMBER, PUNCTUATION, WORD, Tokens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

_MAX_WORDS: Final = 4
_OWN: Final = frozenset({"my", "our"})
_KINDS: Final = frozenset({"kind", "type", "breed", "species", "form", "variety", "sort"})
_AND: Final = frozenset({"and", "or", ","})
_AUXILIARY: Final = frozenset(
    {"is", "are", "was", "were", "be", "been", "being", "am", "do", "does", "did", "will", "would", "can", "could"}
    | {"should", "may", "might", "must", "shall", "seems", "seem", "please"}
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase at the words ``[first, end)``, with its name and the form that the text has."""

    first: int
    end: int
    name: str
    said: str


def find_phrases(tokens: Tokens, taken: AbstractSet[int], limit: int) -> list[Phrase]:
    """Return at most ``limit`` phrases outside the words ``taken``, in order, without overlap, each name once."""
    found: dict[str, Phrase] = {}
    for phrase in _phrases(tokens, taken):
        if len(found) == limit:
            break
        found.setdefault(phrase.name, phrase)
    return list(found.values())


def _phrases(tokens: Tokens, taken: AbstractSet[int]) -> Iterator[Phrase]:
    done, plural_end = 0, -1
    for place, form in enumerate(tokens.forms):
        if place < done or form & Form.OUTSIDE or tokens.sorts[place] != WORD or place in taken:
            continue
        if form & Form.VERBAL and not _is_introduced(tokens, place):
            continue
        done = _end(tokens, place, taken)
        if done == place:
            continue
        first, last = _trimmed(tokens, place, done, plural_end)
        if last > first:
            yield _phrase(tokens, first, last)
            if tokens.forms[last - 1] & Form.PLURAL:
                plural_end = last


def _end(tokens: Tokens, place: int, taken: AbstractSet[int]) -> int:
    """Return where the run of nouns and adjectives that begins at ``place`` ends."""
    end, size = place, len(tokens)
    while end < size and tokens.sorts[end] == WORD and end not in taken:
        form = tokens.forms[end]
        if form & Form.OUTSIDE or (end > place and form & Form.VERBAL):
            break
        if tokens.capital[end] and not tokens.opens[end]:
            break
        end += 1
        if tokens.owns[end - 1]:
            break
    return end


def _trimmed(tokens: Tokens, first: int, end: int, plural_end: int) -> tuple[int, int]:
    """Return the words of ``[first, end)`` that make a thing, none (``first == end``) where they do not."""
    nothing = (first, first)
    if tokens.owns[end - 1]:
        return nothing
    introduced = _is_introduced(tokens, first)
    if introduced and end - first > 1 and tokens.forms[end - 1] & Form.PREDICATE:
        end -= 1
    end = min(end, first + _MAX_WORDS)
    if not tokens.forms[end - 1] & Form.HEAD or tokens.classes[first] & Is.LIGHT:
        return nothing
    if introduced and (end - first > 1 or tokens.stems[first - 1] in _OWN):
        return first, end
    if _is_kind(tokens, first, end) or _has_kind(tokens, first):
        return first, end
    return (first, end) if _is_bare_plural(tokens, first, end, plural_end) else nothing


def _is_introduced(tokens: Tokens, first: int) -> bool:
    """Return whether a determiner, a possessive or a number stands before."""
    before = first - 1
    if before < 0:
        return False
    return bool(tokens.classes[before] & Is.DETERMINER) or tokens.owns[before] or tokens.sorts[before] == NUMBER


def _is_bare_plural(tokens: Tokens, first: int, end: int, plural_end: int) -> bool:
    before = first - 1
    if before < 0 or not tokens.forms[end - 1] & Form.PLURAL or end - first >= _MAX_WORDS or tokens.opens[first]:
        return False
    if tokens.sorts[before] == NUMBER or tokens.classes[before] & Is.PREPOSITION:
        return True
    if tokens.stems[before] in _AND:
        return plural_end == (before - 1 if tokens.stems[before - 1] in _AND else before)
    if tokens.sorts[before] == PUNCTUATION or tokens.stems[before] in _AUXILIARY:
        return False
    return bool(tokens.classes[before] & Is.VERB or tokens.forms[before] & Form.VERBAL)


def _has_kind(tokens: Tokens, first: int) -> bool:
    """Return whether ``is a kind of`` stands before the word at ``first``."""
    earlier = tokens.stems[max(0, first - 5) : first]
    if len(earlier) < len(("is", "kind", "of")) or earlier[-1] not in {"of", "a", "an"}:
        return False
    of = len(earlier) - 1 - (earlier[-1] != "of")
    return earlier[of] == "of" and singular(earlier[of - 1]) in _KINDS and not {"is", "are"}.isdisjoint(earlier[:of])


def _is_kind(tokens: Tokens, first: int, end: int) -> bool:
    """Return whether ``is a kind of`` follows the words at ``[first, end)``, which begin their sentence."""
    ahead = tokens.stems[end : end + 4]
    if not ahead or ahead[0] not in {"is", "are"} or "of" not in ahead:
        return False
    return singular(ahead[ahead.index("of") - 1]) in _KINDS and first <= end


def _phrase(tokens: Tokens, first: int, end: int) -> Phrase:
    said = " ".join(tokens.stems[first:end])
    name = " ".join((*tokens.stems[first : end - 1], singular(tokens.stems[end - 1])))
    return Phrase(first, end, name, said)
