"""What the form of an English word says about the part it can play in a noun phrase.

Guarantees: decided by endings and the lexicon alone, once for each word; a singular that English does not form by rule
stays as it is.
"""

from __future__ import annotations

from typing import Final

from marskg.language.en.lexicon import Is, flags, listed

MIN_LETTERS: Final = 3
#: Endings of adjectives that no noun shares.
_ADJECTIVE_ENDS: Final = ("ous", "ful", "less", "able", "ible", "iest", "ish", "ially")
_ADJECTIVES: Final = listed(
    "favourite favorite best new old big small good bad great long short high low recent main key whole entire "
    "same different better worse large little huge nice fun easy hard real true false full empty open free busy happy "
    "sad sick late early young current own usual special important interesting amazing incredible fantastic daily "
    "weekly monthly major minor previous upcoming final initial total overall single double sure ready right "
    "wrong left original creative specific particular certain classic modern traditional personal"
)
_NO_HEAD: Final = Is.LIGHT | Is.ROLE | Is.KIN | Is.TIME | Is.DEMONYM | Is.CLOSED | Is.TITLE | Is.VERB
#: Pies and ties have an e of their own.
_SHORT_IES: Final = 4
_SIBILANTS: Final = ("ches", "shes", "xes", "sses", "zzes", "oes")


class Form:
    """What a word's form allows: bits of an int."""

    #: It can be the last word of a noun phrase.
    HEAD: Final = 1
    #: It ends a noun phrase unless the phrase begins with it: a participle.
    VERBAL: Final = 2
    #: It is no part of a noun phrase: an adverb, or too short.
    OUTSIDE: Final = 4
    PLURAL: Final = 8
    #: In ``-s`` after a noun it is rather that noun's verb: ``the garden smells``.
    PREDICATE: Final = 16
    #: It says what age or worth a thing has, not which thing it is: my new bike is my bike.
    PASSING: Final = 32


def form_of(stem: str, classes: int) -> int:
    """Return the bits of :class:`Form` for a small word of these classes."""
    participle = _is_participle(stem)
    found = Form.VERBAL if participle or stem.endswith("ing") else 0
    if stem.endswith("ly") or len(stem) < MIN_LETTERS or classes & (Is.CLOSED | Is.VERB | Is.TIME):
        found |= Form.OUTSIDE
    adjective = stem in _ADJECTIVES or stem.endswith(_ADJECTIVE_ENDS)
    if not classes & _NO_HEAD and not adjective and not participle and stem.isalpha() and not found & Form.OUTSIDE:
        found |= Form.HEAD
    if stem in _ADJECTIVES:
        found |= Form.PASSING
    base = singular(stem)
    if base != stem:
        found |= Form.PLURAL
        if any(verb + "ing" in flags() for verb in (base, stem[:-1], stem[:-2])):
            found |= Form.PREDICATE
    return found


def singular(word: str) -> str:
    """Return the singular of a regular English plural; a common word without a common singular stays as it is."""
    common = flags()
    if not word.endswith("s") or word.endswith(("ss", "us", "is", "ics", "news")) or len(word) <= MIN_LETTERS:
        return word
    if word.endswith("ies") and len(word) > _SHORT_IES and (word[:-3] + "y" in common or word not in common):
        return word[:-3] + "y"
    if word.endswith(_SIBILANTS) and word[:-1] not in common:
        return word[:-2]
    return word[:-1] if word[:-1] in common or word not in common else word


def _is_participle(stem: str) -> bool:
    """Return whether a word in ``-ed`` is a verb's form: ``planted``, but no ``bed`` and no ``seed``."""
    if not stem.endswith("ed") or stem.endswith("eed"):
        return False
    return any(base in flags() for base in (stem[:-2], stem[:-1], stem[:-3]) if len(base) >= MIN_LETTERS)
