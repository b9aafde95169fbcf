"""Things: noun phrases that English itself marks as what a sentence is about, found without a model of grammar.

Guarantees: a phrase holds one to four common words without a verb, a function word or a time, is found in linear
time, and is named in small letters with its head noun in the singular, so that ``my tomatoes`` and ``a tomato``
are one thing.

Accepted are: two or more words, or a plural, after a determiner, a number or a possessive (``the raised bed``); one
word after ``my`` or ``our`` (``my garden``), since what somebody owns lasts; a bare plural after a verb, a preposition
or another one (``planted tomatoes and peppers``), since English refers to kinds by bare plurals (Carlson 1977); both
ends of ``is a kind of``. ``New`` and ``favourite`` and their like are left out of a name. Nothing else: ``the garden``
alone points at something said before, and is found where it is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from marskg.language.en.lexicon import Is
from marskg.language.en.morphology import Form, singular
from marskg.language.en.tokens import NUMBER, PUNCTUATION, Tokens

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
    kinds = bool(tokens.union & Is.CUE) and "of" in tokens.stems
    for place, form in enumerate(tokens.forms):
        if form & Form.OUTSIDE or place < done or place in taken:
            continue
        if form & Form.VERBAL and not _is_introduced(tokens, place):
            continue
        done = _end(tokens, place, taken)
        if done == place:
            continue
        last = _trimmed(tokens, place, done, plural_end)
        if last == place and kinds and _has_kind(tokens, place, done):
            last = min(done, place + _MAX_WORDS)
        if last > place:
            yield _phrase(tokens, _without_passing(tokens, place, last), last)
            if tokens.forms[last - 1] & Form.PLURAL:
                plural_end = last


def _end(tokens: Tokens, place: int, taken: AbstractSet[int]) -> int:
    """Return where the run of nouns and adjectives that begins at ``place`` ends."""
    end, size, forms = place, len(tokens), tokens.forms
    beyond = Form.OUTSIDE
    while end < size and not forms[end] & beyond and end not in taken:
        if tokens.capital[end] and not tokens.opens[end]:
            break
        end += 1
        if tokens.owns[end - 1]:
            break
        beyond = Form.OUTSIDE | Form.VERBAL
    return end


def _trimmed(tokens: Tokens, first: int, end: int, plural_end: int) -> int:
    """Return where the thing that begins at ``first`` ends; ``first`` where the run up to ``end`` holds none."""
    if tokens.owns[end - 1]:
        return first
    introduced = _is_introduced(tokens, first)
    if introduced and end - first > 1 and tokens.forms[end - 1] & Form.PREDICATE:
        end -= 1
    end = min(end, first + _MAX_WORDS)
    if not tokens.forms[end - 1] & Form.HEAD or tokens.classes[first] & Is.LIGHT:
        return first
    if introduced:
        lone = end - _without_passing(tokens, first, end) == 1
        if not lone or tokens.stems[first - 1] in _OWN or tokens.forms[end - 1] & Form.PLURAL:
            return end
    return end if _is_bare_plural(tokens, first, end, plural_end) else first


def _without_passing(tokens: Tokens, first: int, end: int) -> int:
    """Return where ``[first, end)`` begins without adjectives of age and worth."""
    while first < end - 1 and tokens.forms[first] & Form.PASSING:
        first += 1
    return first


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
        # Nothing is listed before the first word: a text that begins with "and" goes on with no list.
        return 0 < plural_end == (before - 1 if before and tokens.stems[before - 1] in _AND else before)
    if tokens.sorts[before] == PUNCTUATION or tokens.stems[before] in _AUXILIARY:
        return False
    return bool(tokens.classes[before] & Is.VERB or tokens.forms[before] & Form.VERBAL)


def _has_kind(tokens: Tokens, first: int, end: int) -> bool:
    """Return whether ``is a kind of`` stands before the run ``[first, end)``, or follows it."""
    if not tokens.forms[end - 1] & Form.HEAD or tokens.owns[end - 1]:
        return False
    before, after = tokens.stems[max(0, first - 5) : first], tokens.stems[end : end + 4]
    if after[:1] in {("is",), ("are",)} and "of" in after:
        return singular(after[after.index("of") - 1]) in _KINDS
    if before[-1:] in {("a",), ("an",)}:
        before = before[:-1]
    if len(before) < len(("kind", "of")) or before[-1] != "of":
        return False
    return singular(before[-2]) in _KINDS and not {"is", "are"}.isdisjoint(before[:-2])


def _phrase(tokens: Tokens, first: int, end: int) -> Phrase:
    said = " ".join(tokens.stems[first:end])
    name = " ".join((*tokens.stems[first : end - 1], singular(tokens.stems[end - 1])))
    return Phrase(first, end, name, said)
