"""Things: noun phrases that English itself marks as what a sentence is about, found without a model of grammar.

Guarantees: a phrase holds one to four common words without a verb, a function word or a time, is found in at most
linear time, and is named in small letters with its head noun in the singular, so that ``my tomatoes`` and ``a tomato``
are one thing.

Accepted are: two or more words after a determiner, a number or a possessive (``the raised bed``); one word after
``my`` or ``our`` (``my garden``), since what somebody owns lasts; a bare plural after a verb, a preposition or another
one (``planted tomatoes and peppers``), since English refers to kinds by bare plurals (Carlson 1977); both ends of ``is
a kind of``. Nothing else: ``the garden`` alone points at something said before, and is found where it is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from marskg.entities.lexicon import Is, flags
from marskg.entities.tokens import NUMBER, PUNCTUATION, WORD, Tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_WORDS: Final = 4
_MIN_LETTERS: Final = 3
_OWN: Final = frozenset({"my", "our"})
_KINDS: Final = frozenset({"kind", "type", "breed", "species", "form", "variety", "sort"})
_AND: Final = frozenset({"and", "or", ","})
_STOP: Final = int(Is.CLOSED | Is.VERB | Is.TIME)
_NO_HEAD: Final = int(Is.LIGHT | Is.ROLE | Is.KIN | Is.TIME | Is.DEMONYM | Is.CLOSED | Is.TITLE)
_AUXILIARY: Final = frozenset(
    "is are was were be been being am do does did will would can could should may might must shall seems seem "  # noqa: SIM905 - a list of words
    "please".split()
)
#: Endings of adjectives that no noun shares.
_ADJECTIVE_ENDS: Final = ("ous", "ful", "less", "able", "ible", "iest", "ish", "ially")
_ADJECTIVES: Final = frozenset(
    "favourite favorite best new old big small good bad great long short high low recent main key whole entire "  # noqa: SIM905 - a list of words
    "same different better worse large little huge nice fun easy hard real true false full empty open free busy happy "
    "sad sick late early young current own usual special important interesting amazing incredible fantastic daily "
    "weekly monthly major minor previous upcoming final initial total own overall single double sure ready right "
    "wrong left original creative specific particular certain classic modern traditional personal".split()
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase at the words ``[first, end)``, with its name and the form that the text has."""

    first: int
    end: int
    name: str
    said: str


def find_phrases(tokens: Tokens, taken: frozenset[int] | set[int], limit: int) -> list[Phrase]:
    """Return at most ``limit`` phrases outside the words ``taken``, in order, without overlap, each name once."""
    found: dict[str, Phrase] = {}
    for phrase in _phrases(tokens, taken):
        if len(found) == limit:
            break
        found.setdefault(phrase.name, phrase)
    return list(found.values())


def singular(word: str) -> str:
    """Return the singular of a regular English plural; a common word without a common singular stays as it is."""
    common = flags()
    if not word.endswith("s") or word.endswith(("ss", "us", "is", "ics", "news")) or len(word) <= _MIN_LETTERS:
        return word
    if word.endswith("ies") and (word[:-3] + "y" in common or word not in common):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zzes", "oes")) and word[:-1] not in common:
        return word[:-2]
    return word[:-1] if word[:-1] in common or word not in common else word


def _phrases(tokens: Tokens, taken: frozenset[int] | set[int]) -> Iterator[Phrase]:
    place, size = 0, len(tokens)
    plural_end = -1
    while place < size:
        end = _end(tokens, place, taken)
        if end == place:
            place += 1
            continue
        first, last = _trimmed(tokens, place, end, plural_end)
        if last > first:
            yield _phrase(tokens, first, last)
            if tokens.stems[last - 1] != singular(tokens.stems[last - 1]):
                plural_end = last
        place = end


def _end(tokens: Tokens, place: int, taken: frozenset[int] | set[int]) -> int:
    """Return where the run of nouns and adjectives that begins at ``place`` ends."""
    end, size = place, len(tokens)
    while end < size and tokens.sorts[end] == WORD and end not in taken and not tokens.classes[end] & _STOP:
        stem = tokens.stems[end]
        if tokens.capital[end] and not tokens.opens[end]:
            break
        if (
            stem.endswith("ly")
            or (end > place and (stem.endswith("ing") or _is_participle(stem)))
            or len(stem) < _MIN_LETTERS
        ):
            break
        end += 1
        if tokens.owns[end - 1]:
            break
    return end


def _trimmed(tokens: Tokens, first: int, end: int, plural_end: int) -> tuple[int, int]:
    """Return the words of ``[first, end)`` that make a thing, none (``first == end``) where they do not."""
    nothing = (first, first)
    if tokens.owns[end - 1] or first == 0:
        return _kind_subject(tokens, first, end) if first == 0 else nothing
    before = first - 1
    introduced = bool(tokens.classes[before] & Is.DETERMINER) or tokens.owns[before] or tokens.sorts[before] == NUMBER
    if introduced and end - first > 1 and _is_verb_like(tokens, end - 1):
        end -= 1
    end = min(end, first + _MAX_WORDS)
    if not _is_noun(tokens, end - 1) or tokens.classes[first] & Is.LIGHT:
        return nothing
    if introduced and (end - first > 1 or tokens.stems[before] in _OWN):
        return first, end
    if _after_kind_of(tokens, first) or _kind_subject(tokens, first, end)[1] > first:
        return first, end
    return (first, end) if _is_bare_plural(tokens, first, end, plural_end) else nothing


def _is_noun(tokens: Tokens, place: int) -> bool:
    stem = tokens.stems[place]
    if tokens.classes[place] & _NO_HEAD or stem in _ADJECTIVES or stem.endswith(_ADJECTIVE_ENDS):
        return False
    return len(stem) >= _MIN_LETTERS and stem.isalpha() and not _is_participle(stem)


def _is_participle(stem: str) -> bool:
    """Return whether a word in ``-ed`` is a verb's form: ``planted``, but no ``bed`` and no ``seed``."""
    if not stem.endswith("ed") or stem.endswith("eed"):
        return False
    return any(base in flags() for base in (stem[:-2], stem[:-1], stem[:-3]) if len(base) >= _MIN_LETTERS)


def _is_verb_like(tokens: Tokens, place: int) -> bool:
    """Return whether a word in ``-s`` after a noun is rather its verb: ``the garden smells``."""
    stem = tokens.stems[place]
    base = stem[:-1]
    return stem.endswith("s") and not stem.endswith("ss") and (base + "ing" in flags() or base[:-1] + "ing" in flags())


def _is_bare_plural(tokens: Tokens, first: int, end: int, plural_end: int) -> bool:
    head, before = tokens.stems[end - 1], first - 1
    if singular(head) == head or end - first > _MAX_WORDS - 1 or tokens.opens[first]:
        return False
    if tokens.sorts[before] == NUMBER or tokens.classes[before] & Is.PREPOSITION:
        return True
    if tokens.stems[before] in _AND:
        earlier = before - 1 if tokens.stems[before - 1] in _AND else before
        return earlier == plural_end
    if tokens.sorts[before] == PUNCTUATION or tokens.stems[before] in _AUXILIARY:
        return False
    return bool(tokens.classes[before] & Is.VERB) or tokens.stems[before].endswith(("ing", "ed"))


def _after_kind_of(tokens: Tokens, first: int) -> bool:
    return (
        first > 3  # noqa: PLR2004 - noun, is, kind, of
        and tokens.stems[first - 1] == "of"
        and singular(tokens.stems[first - 2]) in _KINDS
        and any(tokens.stems[place] in {"is", "are"} for place in range(first - 4, first - 2))
    )


def _kind_subject(tokens: Tokens, first: int, end: int) -> tuple[int, int]:
    """Return the words if ``is a kind of`` follows them, else none."""
    ahead = tokens.stems[end : end + 4]
    kinds = [singular(stem) in _KINDS for stem in ahead[:-1]]
    if not ahead or ahead[0] not in {"is", "are"} or not any(kinds) or not _is_noun(tokens, end - 1):
        return first, first
    return (first, end) if ahead[kinds.index(True) + 1] == "of" else (first, first)


def _phrase(tokens: Tokens, first: int, end: int) -> Phrase:
    said = " ".join(tokens.stems[first:end])
    name = " ".join((*tokens.stems[first : end - 1], singular(tokens.stems[end - 1])))
    return Phrase(first, end, name, said)
