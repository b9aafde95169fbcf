"""Names: runs of capitalised words, cut where English cuts them, and typed by what stands around them.

Guarantees: a name holds a letter and begins and ends with a word; a capital that a sentence's start explains is no
evidence unless the word is no common one, or stands with a capital in mid-sentence too. Nothing here is a list of
names: types come from titles, kin, roles, prepositions and the words that end the names of firms and places.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from marskg.entities.lexicon import (
    CONTINENTS,
    EVENT_ENDS,
    OF_HEADS,
    ORGANISATION_ENDS,
    PLACE_ENDS,
    PLACE_STARTS,
    Is,
    holidays,
)
from marskg.entities.model import EntityType
from marskg.entities.tokens import INITIAL, NUMBER, PUNCTUATION, WORD, Tokens, is_name_like

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Longest name in words; what is longer is a heading.
_MAX_WORDS: Final = 8
_QUOTED: Final = re.compile(r"[\"“]([^\"“”\n]{2,100})[\"”]|(?<![\w])[‘']([^'‘’\n]{2,100})['’](?!\w)")
_TRAVEL: Final = frozenset(
    "move moved moving go going went gone travel travelled traveled travelling traveling fly flew flying drive drove "  # noqa: SIM905 - a list of words
    "driving trip trips flight flights visit visited visiting return returned returning relocate relocated "
    "relocating come came drive journey vacation holiday holidays been".split()
)
_VISITS: Final = frozenset({"visit", "visits", "visited", "visiting", "explore", "exploring", "explored"})
_IN: Final = frozenset({"in", "near", "throughout", "across", "around", "outside", "inside"})
_ORIGIN: Final = frozenset({"am", "is", "are", "i'm", "i", "was", "come", "comes", "came", "live", "family", "back"})
_EMPLOY: Final = frozenset(
    {"work", "works", "worked", "working", "job", "position", "interned", "intern", "employed", "joined", "join"}
)
_MEETING: Final = frozenset(
    "with met meet meeting call called email emailed text texted ask asked tell told thank thanked phone phoned "  # noqa: SIM905 - a list of words
    "married hugged by know knows miss".split()
)
_BE: Final = frozenset({"is", "are", "was", "were"})
_SAYING: Final = frozenset(
    "said says told tells called calls asked asks thinks thought loves hates likes wants wanted who who's told texted "  # noqa: SIM905 - a list of words
    "emailed replied suggested recommended mentioned promised agreed lives lived studies studied writes wrote plays "
    "played works manages reports joined sang sings directed directs acted acts".split()
)
_CREATIONS: Final = frozenset(
    "film films movie movies book books novel novels music song songs album albums work works poem poems performance "  # noqa: SIM905 - a list of words
    "performances writing style character characters storytelling voice birthday house party".split()
)


@dataclass(slots=True)
class Name:
    """A name at the words ``[first, end)``; ``by_title`` that a title or a quotation vouches for it."""

    first: int
    end: int
    type: EntityType | None = None
    quoted: bool = False


def find_names(tokens: Tokens) -> list[Name]:
    """Return the names in ``tokens`` in order, without overlap."""
    quoted = [] if tokens.shouted else list(_quoted_titles(tokens))
    taken = {place for name in quoted for place in range(name.first, name.end)}
    found = quoted
    if not tokens.shouted:
        mid_sentence = _mid_sentence_words(tokens)
        for name in _runs(tokens, taken):
            found += _cleaned(tokens, name, mid_sentence)
    found.sort(key=lambda name: name.first)
    for name in found:
        if name.type is None:
            name.type = _type(tokens, name)
    _share_types_in_lists(tokens, found)
    return found


# --- Where a name begins and ends -----------------------------------------------------------------------------------


def _quoted_titles(tokens: Tokens) -> Iterator[Name]:
    """Yield what stands in quotation marks with a title's capitals, such as ``"Crime and Punishment"``."""
    text = tokens.text
    if '"' not in text and "“" not in text and "'" not in text and "‘" not in text:
        return
    place = 0
    for match in _QUOTED.finditer(text):
        start, end = match.span(1) if match[1] is not None else match.span(2)
        while place < len(tokens) and tokens.starts[place] < start:
            place += 1
        first = place
        while place < len(tokens) and tokens.starts[place] < end:
            place += 1
        last = place
        while last > first and tokens.sorts[last - 1] == PUNCTUATION:
            last -= 1
        if _is_title(tokens, first, last):
            yield Name(first, last, EntityType.WORK, quoted=True)


def _is_title(tokens: Tokens, first: int, last: int) -> bool:
    words = [place for place in range(first, last) if tokens.sorts[place] == WORD]
    if not words or len(words) > _MAX_WORDS or first == last or tokens.sorts[last - 1] not in {WORD, NUMBER}:
        return False
    if (
        tokens.ends[last - 1] - tokens.starts[first] > 0
        and "\0" in tokens.text[tokens.starts[first] : tokens.ends[last - 1]]
    ):
        return False
    content = [place for place in words if not tokens.classes[place] & Is.CLOSED or place == words[0]]
    if not all(tokens.capital[place] for place in content):
        return False
    if tokens.classes[words[-1]] & Is.ROLE:
        return False
    return len(words) > 1 or not tokens.classes[words[0]] & (Is.CLOSED | Is.VERB | Is.TIME)


def _mid_sentence_words(tokens: Tokens) -> frozenset[str]:
    """Return the words that have a capital where no sentence begins."""
    return frozenset(
        stem
        for stem, capital, opens in zip(tokens.stems, tokens.capital, tokens.opens, strict=True)
        if capital and not opens
    )


def _runs(tokens: Tokens, taken: set[int]) -> Iterator[Name]:
    """Yield the longest runs of capitalised words, joined by particles, initials and ``of``."""
    place, size = 0, len(tokens)
    while place < size:
        if place in taken or not _can_start(tokens, place):
            place += 1
            continue
        end = place + 1
        while (step := _step(tokens, place, end, taken)) > 0:
            end += step
        yield Name(place, end)
        place = end


def _can_start(tokens: Tokens, place: int) -> bool:
    return tokens.capital[place] and tokens.sorts[place] in {WORD, INITIAL} and tokens.stems[place] != "i"


def _step(tokens: Tokens, first: int, end: int, taken: set[int]) -> int:
    """Return by how many words the name ``[first, end)`` goes on."""
    if end >= len(tokens) or end in taken or tokens.owns[end - 1] or tokens.sorts[end] == PUNCTUATION:
        ampersand = end + 1 < len(tokens) and tokens.stems[end] == "&" and tokens.capital[end + 1]
        return 2 if ampersand and not tokens.owns[end - 1] else 0
    if tokens.capital[end] and tokens.stems[end] != "i":
        return 1
    ahead = end + 1
    if tokens.classes[end] & Is.PARTICLE:
        while ahead < len(tokens) and tokens.classes[ahead] & Is.PARTICLE and not tokens.capital[ahead]:
            ahead += 1
        if ahead < len(tokens) and tokens.capital[ahead] and is_name_like(tokens.classes[end - 1]):
            return ahead - end + 1
    if tokens.stems[end] == "of" and _joins_of(tokens, first, end):
        if ahead < len(tokens) and tokens.stems[ahead] == "the":
            ahead += 1
        if ahead < len(tokens) and tokens.capital[ahead] and tokens.sorts[ahead] == WORD:
            return ahead - end + 1
    return 0


def _joins_of(tokens: Tokens, first: int, end: int) -> bool:
    head = end - 1
    return tokens.stems[head] in OF_HEADS or bool(
        tokens.classes[head] & Is.ROLE or (tokens.classes[head] & Is.COMMON and not tokens.opens[first])
    )


def _cleaned(tokens: Tokens, name: Name, mid_sentence: frozenset[str]) -> Iterator[Name]:
    """Yield what is left of a run without sentence openers, titles, roles and times; nothing for mere nouns."""
    first, end = name.first, name.end
    classes = tokens.classes
    titled = False
    if tokens.opens[first] and end - first > 1 and _is_opener(tokens, first):
        first += 1
    while first < end and _is_edge(tokens, first) and not _starts_title(tokens, first, end):
        first += 1
    while (
        first < end - 1
        and (classes[first] & Is.TITLE or classes[first] & (Is.ROLE | Is.KIN))
        and _before_person(tokens, first, end)
    ):
        titled = True
        first += 1
        if tokens.sorts[first] == PUNCTUATION:
            first += 1
    while end > first and _is_edge(tokens, end - 1):
        end -= 1
    if end - first < 1 or end - first > _MAX_WORDS or tokens.sorts[end - 1] == PUNCTUATION:
        return
    if not titled and first > 0 and _after_dotted_title(tokens, first):
        titled = True
    if not titled and not _is_name(tokens, first, end, mid_sentence):
        return
    yield Name(first, end, EntityType.PERSON if titled else None)


def _is_edge(tokens: Tokens, place: int) -> bool:
    """Return whether a name cannot begin or end with this word."""
    return bool(tokens.classes[place] & (Is.CLOSED | Is.TIME)) and tokens.stems[place] not in holidays()


def _is_opener(tokens: Tokens, place: int) -> bool:
    """Return whether the first word of a sentence is there for the sentence, not for the name after it."""
    classes = tokens.classes[place]
    if classes & (Is.CLOSED | Is.VERB):
        return True
    return bool(classes & Is.COMMON) and tokens.stems[place].endswith(("ing", "ly", "ed"))


def _starts_title(tokens: Tokens, place: int, end: int) -> bool:
    """Return whether ``The`` belongs to the name, as in the middle of a sentence: ``saw The Godfather``."""
    return tokens.stems[place] in {"the", "a", "an"} and not tokens.opens[place] and end - place > 1


def _before_person(tokens: Tokens, place: int, end: int) -> bool:
    """Return whether a title or role at ``place`` is followed by a person's name and not by more of a role."""
    after = place + 1
    if tokens.stems[place] in {"st", "saint", "lake", "king", "queen", "president"} and end - after > 1:
        return tokens.stems[place] not in {"st", "saint"}
    return is_name_like(tokens.classes[after]) and tokens.stems[end - 1] not in PLACE_ENDS | ORGANISATION_ENDS


def _after_dotted_title(tokens: Tokens, first: int) -> bool:
    """Return whether ``Dr.`` stands before ``first``; the full stop cut it from the name."""
    before = first - 1
    if tokens.stems[before] == "." and before > 0:
        before -= 1
    return bool(tokens.classes[before] & Is.TITLE) and tokens.capital[before]


def _is_name(tokens: Tokens, first: int, end: int, mid_sentence: frozenset[str]) -> bool:
    """Return whether a run of capitalised words is more than the start of a sentence, a role or a lone noun."""
    classes, stems = tokens.classes, tokens.stems
    if all(classes[place] & (Is.TIME | Is.DEMONYM | Is.CLOSED) for place in range(first, end)):
        return any(stems[place] in holidays() for place in range(first, end))
    if _is_role(tokens, first, end):
        return False
    if end - first > 1:
        return True
    word = tokens.word(first)
    if len(word) < 2 or tokens.sorts[first] != WORD:  # noqa: PLR2004 - one letter is an initial
        return False
    if word.isupper() and len(word) > 1:
        return _near(tokens, first, _EMPLOY) or stems[first - 1] == "at" if first else False
    if not classes[first] & Is.COMMON:
        return not classes[first] & Is.TITLE
    if classes[first] & (Is.CLOSED | Is.ROLE | Is.KIN | Is.TITLE | Is.TIME):
        return False
    if not tokens.opens[first]:
        return True
    return stems[first] in mid_sentence and not classes[first] & Is.VERB


def _is_role(tokens: Tokens, first: int, end: int) -> bool:
    """Return whether the run is an office such as ``Head of Marketing`` or ``Lead Content Strategist``."""
    classes = tokens.classes
    for place in range(first, end):
        if tokens.stems[place] == "of":
            return bool(classes[place - 1] & Is.ROLE)
    if not classes[end - 1] & Is.ROLE or tokens.stems[end - 1] in ORGANISATION_ENDS:
        return False
    return all(classes[place] & Is.COMMON or tokens.word(place).isupper() for place in range(first, end))


# --- What a name is the name of --------------------------------------------------------------------------------------


def _type(tokens: Tokens, name: Name) -> EntityType | None:
    """Return the type of a name: by its own words first, then by what stands before and after it."""
    return _type_by_words(tokens, name) or _type_by_context(tokens, name) or _type_by_shape(tokens, name)


def _type_by_words(tokens: Tokens, name: Name) -> EntityType | None:
    stems = tokens.stems
    last, first = stems[name.end - 1], stems[name.first]
    if any(stems[place] in holidays() for place in range(name.first, name.end)):
        return EntityType.TIME
    head = next((stems[p - 1] for p in range(name.first + 1, name.end) if stems[p] == "of"), last)
    long = name.end - name.first > 1
    for ends, type_ in (
        (EVENT_ENDS, EntityType.EVENT),
        (ORGANISATION_ENDS, EntityType.ORGANISATION),
        (PLACE_ENDS, EntityType.PLACE),
    ):
        if long and head in ends:
            return type_
    if long and head in {"isle", "gulf"}:
        return EntityType.PLACE
    if last in CONTINENTS or (long and first in PLACE_STARTS and not tokens.classes[name.first] & Is.ROLE):
        return EntityType.PLACE
    return None


def _type_by_context(tokens: Tokens, name: Name) -> EntityType | None:
    stems, classes, size = tokens.stems, tokens.classes, len(tokens)
    before = stems[name.first - 1] if name.first else ""
    after = stems[name.end] if name.end < size else ""
    if _appositive_person(tokens, name):
        return EntityType.PERSON
    if name.first and classes[name.first - 1] & Is.KIN:
        return EntityType.PERSON
    if name.first and classes[name.first - 1] & Is.ROLE and before != "team":
        return EntityType.PERSON
    if before in {"at", "for"} and _near(tokens, name.first, _EMPLOY):
        return EntityType.ORGANISATION
    if before in {"joined", "join"}:
        return EntityType.ORGANISATION
    if _is_placed(tokens, name, before):
        return EntityType.PLACE
    if tokens.owns[name.end - 1] and after in _CREATIONS:
        return EntityType.PERSON
    if _is_introduced(tokens, name.first):
        return EntityType.PERSON
    met = before in _MEETING and not _near(tokens, name.first, _BE)
    return EntityType.PERSON if met or after in _SAYING else None


def _is_introduced(tokens: Tokens, first: int) -> bool:
    """Return whether ``her name is`` stands before, or ``my sister is called``."""
    before = tokens.stems[max(0, first - 4) : first]
    if before[-2:] == ["name", "is"]:
        return len(before) > 2 and before[-3] in {"her", "his", "my", "their"}  # noqa: PLR2004 - whose, name, is
    if not before or before[-1] not in {"called", "named"}:
        return False
    return any(tokens.classes[place] & (Is.KIN | Is.ROLE) for place in range(max(0, first - 4), first))


def _is_placed(tokens: Tokens, name: Name, before: str) -> bool:
    """Return whether a preposition or a verb of motion makes the name a place's."""
    start = name.first
    if before == "the" and start > 1:
        start -= 1
        before = tokens.stems[start - 1]
    if (
        before in _IN
        or before in _VISITS
        or (before == "of" and start > 1 and tokens.stems[start - 2] in {"city", "town"})
    ):
        return True
    if before == "to":
        return _near(tokens, start, _TRAVEL)
    if before == "from":
        return start > 1 and tokens.stems[start - 2] in _ORIGIN | _TRAVEL
    return before == "based" or _before_region(tokens, name)


def _before_region(tokens: Tokens, name: Name) -> bool:
    """Return whether a state follows, as in ``Austin, TX``."""
    place = name.end + 1
    if place >= len(tokens) or tokens.stems[name.end] != "," or not tokens.capital[place]:
        return False
    word = tokens.word(place)
    return len(word) == 2 and word.isupper()  # noqa: PLR2004 - the codes of the states have two letters


def _near(tokens: Tokens, place: int, words: frozenset[str]) -> bool:
    """Return whether one of the three words before ``place`` and its preposition is among ``words``."""
    return any(tokens.stems[earlier] in words for earlier in range(max(0, place - 4), place))


def _appositive_person(tokens: Tokens, name: Name) -> bool:
    """Return whether a role follows, as in ``Ann Lee, our Senior Analyst`` or ``Ann (Analyst)``, or ``is my sister``."""
    place, size = name.end, len(tokens)
    if place < size and tokens.stems[place] in {",", "("}:
        place += 1
    elif not (place < size and (tokens.stems[place] in {"is", "was"} or tokens.opens[place])):
        return False
    for ahead in range(place, min(place + 6, size)):
        if tokens.classes[ahead] & (Is.ROLE | Is.KIN):
            return tokens.stems[ahead] not in {"team", "members"}
        if tokens.sorts[ahead] == PUNCTUATION or (tokens.classes[ahead] & Is.VERB and not tokens.capital[ahead]):
            if tokens.stems[ahead] not in {"is", "was"}:
                return False
    return False


def _type_by_shape(tokens: Tokens, name: Name) -> EntityType | None:
    """Return what a name without context looks like: two or three uncommon words are a person's."""
    length = name.end - name.first
    words = [place for place in range(name.first, name.end) if tokens.sorts[place] in {WORD, INITIAL}]
    if length == 1:
        return None
    if any(tokens.word(place).isupper() and tokens.sorts[place] == WORD for place in words):
        return EntityType.THING
    common = [bool(tokens.classes[place] & (Is.COMMON | Is.DEMONYM)) for place in words]
    particles = any(tokens.classes[place] & Is.PARTICLE for place in words[1:-1])
    if length > 3 and not particles:  # noqa: PLR2004 - first, middle and last name
        return EntityType.THING
    if not common[-1] or (not common[0] and length == 2):  # noqa: PLR2004 - first and last name
        return EntityType.PERSON
    return EntityType.THING


def _share_types_in_lists(tokens: Tokens, found: list[Name]) -> None:
    """Give a name without a type the type of its neighbour in a list: ``Ann, Priya and Tom``."""
    for left, right in [*zip(found, found[1:], strict=False), *reversed(list(zip(found, found[1:], strict=False)))]:
        between = tokens.stems[left.end : right.first]
        if between in (["and"], [","], [",", "and"], ["or"]):
            left.type = left.type or right.type
            right.type = right.type or left.type
