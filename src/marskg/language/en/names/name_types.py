"""What a name is the name of: a person, a place, an organisation, an event, a work, or unknown.

Guarantees: a name's own words decide first (``River``, ``Ltd``), then the words around it (kin, roles, verbs of motion,
prepositions), then its shape; None where none of them says anything. A name of common words only, such as ``Data
Privacy``, is nobody's unless kin, a role or a title stands before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from marskg.language.en.lexicon import (
    CONTINENTS,
    EVENT_ENDS,
    ORGANISATION_ENDS,
    PLACE_ENDS,
    PLACE_STARTS,
    Is,
    holidays,
    listed,
)
from marskg.language.en.morphology import Form
from marskg.language.en.tokens import INITIAL, PUNCTUATION, WORD, Tokens, is_name_like
from marskg.language.mentions import EntityType
from marskg.late_regex import late_regex

_TRAVEL: Final = listed(
    "move moved moving go going went gone travel travelled traveled travelling traveling fly flew flying drive drove "
    "driving trip trips flight flights visit visited visiting return returned returning relocate relocated "
    "relocating come came journey vacation holiday holidays been"
)
_VISITS: Final = listed("visit visits visited visiting explore exploring explored")
_IN: Final = listed("in near throughout across around outside inside")
_ORIGIN: Final = listed("am is are i'm i was come comes came live family back") | _TRAVEL
_EMPLOY: Final = listed("work works worked working job position interned intern employed joined join")
_MEETING: Final = listed(
    "with met meet meeting call called email emailed text texted ask asked tell told thank thanked phone phoned "
    "married hugged by know knows miss"
)
_BE: Final = listed("is are was were")
_SAYING: Final = listed(
    "said says told tells called calls asked asks thinks thought loves hates likes wants wanted who who's told texted "
    "emailed replied suggested recommended mentioned promised agreed lives lived studies studied writes wrote plays "
    "played works manages reports joined sang sings directed directs acted acts"
)
_CREATIONS: Final = listed(
    "film films movie movies book books novel novels music song songs album albums work works poem poems performance "
    "performances writing style character characters storytelling voice birthday house party"
)
_WHOSE: Final = listed("her his my their")
#: Endings that surnames do not share with common nouns.
_NOUN_ENDS: Final = ("s", "tion", "ment", "ing", "ity", "ware", "tech", "ship")
_STATE_LETTERS: Final = 2
_FULL_NAME_WORDS: Final = 3
_INNER_CAPITAL: Final = late_regex(r"[^\W\d_A-Z][A-Z]")
_SCOTTISH: Final = ("Mc", "Mac", "De", "La", "Di", "O")


@dataclass(slots=True)
class Name:
    """A name at the words ``[first, end)`` of a text."""

    first: int
    end: int
    type: EntityType | None = None

    def give_type(self, type_: EntityType | None) -> None:
        """Be of ``type_``, where nothing else was known before."""
        self.type = self.type or type_

    @property
    def long(self) -> bool:
        """Return whether the name has more than one word."""
        return self.end - self.first > 1


def type_of(tokens: Tokens, name: Name) -> EntityType | None:
    """Return what ``name`` names; None where the text does not say."""
    return type_by_words(tokens, name) or _type_by_context(tokens, name) or _type_by_shape(tokens, name)


def type_by_words(tokens: Tokens, name: Name) -> EntityType | None:
    """Return what the words of ``name`` say by themselves."""
    stems = tokens.stems
    if any(stems[place] in holidays() for place in range(name.first, name.end)):
        return EntityType.TIME
    last, first = stems[name.end - 1], stems[name.first]
    if last in CONTINENTS:
        return EntityType.PLACE
    if not name.long:
        return None
    head = next((stems[place - 1] for place in range(name.first + 1, name.end) if stems[place] == "of"), last)
    for ends, type_ in (
        (EVENT_ENDS, EntityType.EVENT),
        (ORGANISATION_ENDS, EntityType.ORGANISATION),
        (PLACE_ENDS, EntityType.PLACE),
    ):
        if head in ends:
            return type_
    starts_place = first in PLACE_STARTS and is_name_like(tokens.classes[name.end - 1])
    return EntityType.PLACE if starts_place or head in {"isle", "gulf"} else None


def share_types_in_lists(tokens: Tokens, found: list[Name]) -> None:
    """Give a name without a type the type of its neighbour in a list: ``Ann, Priya and Tom``."""
    pairs = list(pairwise(found))
    for left, right in [*pairs, *reversed(pairs)]:
        between = tokens.stems[left.end : right.first]
        if between in {("and",), (",",), (",", "and"), ("or",)} and not _begins_clause(tokens, right):
            if not _is_mundane(tokens, left):
                left.give_type(right.type)
            if not _is_mundane(tokens, right):
                right.give_type(left.type)


def _begins_clause(tokens: Tokens, name: Name) -> bool:
    """Return whether a verb follows, so that what stands before is no list: ``in Paris, and Ann loved it``."""
    if name.end >= len(tokens):
        return False
    return bool(tokens.classes[name.end] & Is.VERB or tokens.forms[name.end] & Form.VERBAL)


# --- By what stands around it ----------------------------------------------------------------------------------------


def _type_by_context(tokens: Tokens, name: Name) -> EntityType | None:
    before = tokens.stems[name.first - 1] if name.first else ""
    after = tokens.stems[name.end] if name.end < len(tokens) else ""
    if _after_kin_or_role(tokens, name.first) or _is_introduced(tokens, name.first):
        return EntityType.PERSON
    if before in {"joined", "join"} or (before in {"at", "for"} and near(tokens, name.first, _EMPLOY)):
        boss = before == "for" and _type_by_shape(tokens, name) is EntityType.PERSON
        return EntityType.PERSON if boss else EntityType.ORGANISATION
    related = name.end < len(tokens) and tokens.classes[name.end] & (Is.KIN | Is.ROLE)
    if tokens.owns[name.end - 1] and (after in _CREATIONS or related):
        return EntityType.PERSON
    if _is_mundane(tokens, name):
        return None
    if _has_role_after(tokens, name):
        return EntityType.PERSON
    if _is_placed(tokens, name, before):
        return EntityType.PLACE
    met = before in _MEETING and not near(tokens, name.first, _BE)
    return EntityType.PERSON if met or after in _SAYING else None


def _is_mundane(tokens: Tokens, name: Name) -> bool:
    """Return whether all words of a name are common ones."""
    return all(
        tokens.classes[place] & Is.COMMON or tokens.sorts[place] != WORD for place in range(name.first, name.end)
    )


def _after_kin_or_role(tokens: Tokens, first: int) -> bool:
    """Return whether ``my sister`` or ``the author`` stands before, in small letters."""
    before = first - 1
    if before > 0 and tokens.stems[before] == ",":
        return bool(tokens.classes[before - 1] & Is.KIN) and not tokens.owns[before - 1]
    if before < 0 or not tokens.classes[before] & (Is.KIN | Is.ROLE) or tokens.owns[before]:
        return False
    return tokens.stems[before] not in {"team", "member", "members", "client", "band"} and not tokens.capital[before]


def _is_introduced(tokens: Tokens, first: int) -> bool:
    """Return whether ``her name is`` stands before, or ``my sister is called``."""
    before = tokens.stems[max(0, first - 4) : first]
    if before[-2:] == ("name", "is"):
        return bool(_WHOSE.intersection(before[-3:-2]))
    if not before or before[-1] not in {"called", "named"}:
        return False
    return any(tokens.classes[place] & (Is.KIN | Is.ROLE) for place in range(max(0, first - 4), first))


def _is_placed(tokens: Tokens, name: Name, before: str) -> bool:
    """Return whether a preposition or a verb of motion makes the name a place's."""
    start = name.first
    if before == "the" and start > 1:
        start -= 1
        before = tokens.stems[start - 1]
    earlier = tokens.stems[start - 2] if start > 1 else ""
    if before in _IN or before in _VISITS or before == "based":
        return True
    if before == "of":
        return earlier in {"city", "town", "village"}
    if before == "to":
        return near(tokens, start, _TRAVEL)
    return (before == "from" and earlier in _ORIGIN) or _before_region(tokens, name)


def _before_region(tokens: Tokens, name: Name) -> bool:
    """Return whether a state follows, as in ``Austin, TX``."""
    place = name.end + 1
    if place >= len(tokens) or tokens.stems[name.end] != "," or not tokens.capital[place]:
        return False
    word = tokens.word(place)
    return len(word) == _STATE_LETTERS and word.isupper()


def near(tokens: Tokens, place: int, words: frozenset[str]) -> bool:
    """Return whether one of the four words before ``place`` is among ``words``."""
    return any(tokens.stems[earlier] in words for earlier in range(max(0, place - 4), place))


def _has_role_after(tokens: Tokens, name: Name) -> bool:
    """Return whether a role follows: ``Ann Lee, our Senior Analyst``, ``Ann (Analyst)``, ``Ann is my sister``."""
    place, size = name.end, len(tokens)
    if place >= size or tokens.stems[place] not in {",", "(", "is", "was"}:
        return False
    for ahead in range(place + 1, min(place + 6, size)):
        if tokens.classes[ahead] & (Is.ROLE | Is.KIN):
            return tokens.stems[ahead] not in {"team", "members"}
        verb = tokens.classes[ahead] & Is.VERB and not tokens.capital[ahead] and tokens.stems[ahead] not in _BE
        if tokens.sorts[ahead] == PUNCTUATION or verb:
            return False
    return False


# --- By its shape ----------------------------------------------------------------------------------------------------


def _type_by_shape(tokens: Tokens, name: Name) -> EntityType | None:
    """Return what a name without context looks like: two or three words, the first uncommon, are a person's."""
    words = [place for place in range(name.first, name.end) if tokens.sorts[place] in {WORD, INITIAL}]
    if len(words) <= 1:
        return None
    if any(_is_technical(tokens, place) for place in words):
        return EntityType.THING
    common = [bool(tokens.classes[place] & (Is.COMMON | Is.DEMONYM)) for place in words]
    particles = any(tokens.classes[place] & Is.PARTICLE for place in words[1:-1])
    if len(words) > _FULL_NAME_WORDS and not particles:
        return EntityType.THING
    if common[-1]:
        surname = len(words) == _FULL_NAME_WORDS - 1 and not tokens.stems[words[-1]].endswith(_NOUN_ENDS)
        return EntityType.PERSON if surname and not common[0] else EntityType.THING
    return EntityType.THING if common[0] and len(words) == _FULL_NAME_WORDS else EntityType.PERSON


def _is_technical(tokens: Tokens, place: int) -> bool:
    """Return whether a word is in capitals (``KPI``) or has one inside (``DataSphere``), but for ``McCartney``."""
    word = tokens.word(place)
    if word.isupper() and tokens.sorts[place] == WORD and len(word) > 1:
        return True
    return _INNER_CAPITAL.search(word) is not None and not word.startswith(_SCOTTISH)
