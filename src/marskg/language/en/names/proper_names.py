"""Names: runs of capitalised words, cut where English cuts them, and titles in quotation marks.

Guarantees: a name holds a letter and begins and ends with a word; a capital that a sentence's start explains is no
evidence unless the word is no common one, or stands with a capital in mid-sentence too; offices (``Head of Marketing``)
and nationalities alone are no names. Nothing here is a list of names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.language.en.lexicon import (
    OF_HEADS,
    ORGANISATION_ENDS,
    PLACE_ENDS,
    PLACE_STARTS,
    Is,
    flags,
    holidays,
    listed,
)
from marskg.language.en.names.name_types import Name, near, share_types_in_lists, type_by_words, type_of
from marskg.language.en.tokens import NUMBER, PUNCTUATION, WORD, Tokens, is_name_like
from marskg.language.mentions import EntityType
from marskg.language.naming.familiar import familiar_to
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Words of a full name at least.
_FULL: Final = 2
#: Longest name in words; what is longer is a heading.
_MAX_WORDS: Final = 8
#: Quotation marks and the emphasis of Markdown; an apostrophe inside a word ends no quotation.
_QUOTED: Final = late_regex(
    r"[\"“]([^\"“”\n]{2,100})[\"”]|(?<!\w)[‘']((?:[^'‘’\n]|(?<=\w)['’](?=\w)){2,100})['’](?!\w)"
    r"|(?<![*\w])\*{1,2}([^*\n]{2,100})\*{1,2}(?![*\w])"
)
_WORKS: Final = listed("work works worked working job interned employed joined join")
#: An apostrophe after a letter begins no quotation.
_QUOTES: Final = ('"', "“", "‘", "*", " '", "('")
_OFFICES: Final = frozenset({"vp", "svp", "evp", "ceo", "cfo", "cto", "head", "chief", "director"})
#: Marks that no title has; NUL stands for an address that was blanked out.
_NO_TITLE: Final = frozenset({"(", ")", "\0"})
_ARTICLES: Final = frozenset({"the", "a", "an"})
#: Particles inside a family name that join two people as well: *Ortega y Gasset*.
_ANDS: Final = frozenset({"y"})


def find_names(tokens: Tokens) -> list[Name]:
    """Return the names in ``tokens`` in order, without overlap."""
    quoted = [] if tokens.shouted else list(_quoted_titles(tokens))
    taken = {place for name in quoted for place in range(name.first, name.end)}
    found = quoted
    if not tokens.shouted:
        for name in _runs(tokens, taken):
            found += _cleaned(tokens, name)
    found.sort(key=lambda name: name.first)
    for name in found:
        if name.type is None:
            name.give_type(type_of(tokens, name))
    share_types_in_lists(tokens, found)
    return found


# --- Where a name begins and ends -----------------------------------------------------------------------------------


def _quoted_titles(tokens: Tokens) -> Iterator[Name]:
    """Yield what stands in quotation marks with a title's capitals, such as ``"Crime and Punishment"``."""
    text = tokens.text
    if not any(mark in text for mark in _QUOTES) and not text.startswith("'"):
        return
    place = 0
    for match in _QUOTED.finditer(text):
        start, end = next(match.span(group) for group in (1, 2, 3) if match[group] is not None)
        while place < len(tokens) and tokens.starts[place] < start:
            place += 1
        first = place
        while place < len(tokens) and tokens.starts[place] < end:
            place += 1
        last = place
        while last > first and tokens.sorts[last - 1] == PUNCTUATION:
            last -= 1
        if _is_title(tokens, first, last):
            name = Name(first, last)
            plain = not any(tokens.classes[inside] & Is.CLOSED for inside in range(first, last))
            said = type_by_words(tokens, name)
            # "In the Aeroplane Over the Sea" is no sea.
            name.type = said if said is not None and (plain or said is not EntityType.PLACE) else EntityType.WORK
            yield name


def _is_title(tokens: Tokens, first: int, last: int) -> bool:
    words = [place for place in range(first, last) if tokens.sorts[place] == WORD]
    if not words or len(words) > _MAX_WORDS or tokens.sorts[last - 1] == PUNCTUATION:
        return False
    if any(tokens.stems[place] in _NO_TITLE for place in range(first, last)):
        return False
    content = [place for place in words if not tokens.classes[place] & Is.CLOSED or place == words[0]]
    if not all(tokens.capital[place] for place in content):
        return False
    if tokens.classes[first] & Is.TITLE or any(_is_role(tokens, *part) for part in _parts(tokens, first, last)):
        return False
    # One word in single quotation marks is rather a word that is talked about.
    double = tokens.text[tokens.starts[first] - 1] in '"“*'
    return len(words) > 1 or (double and not tokens.classes[words[0]] & (Is.CLOSED | Is.VERB | Is.TIME))


def _parts(tokens: Tokens, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of ``[first, last)`` between commas, without empty ones."""
    start = first
    for place in range(first, last + 1):
        if place == last or tokens.stems[place] == ",":
            if place > start:
                yield start, place
            start = place + 1


def _runs(tokens: Tokens, taken: set[int]) -> Iterator[Name]:
    """Yield the longest runs of capitalised words, joined by particles, initials and ``of``."""
    done = 0
    for place, capital in enumerate(tokens.capital):
        if not capital or place < done or place in taken or tokens.sorts[place] == NUMBER or tokens.stems[place] == "i":
            continue
        end = place + 1
        while (step := _step(tokens, place, end, taken)) > 0:
            end += step
        yield Name(place, end)
        done = end


def _step(tokens: Tokens, first: int, end: int, taken: set[int]) -> int:
    """Return by how many words the name ``[first, end)`` goes on."""
    if end >= len(tokens) or end in taken or tokens.owns[end - 1] or tokens.sorts[end] == PUNCTUATION:
        ampersand = end + 1 < len(tokens) and tokens.stems[end] == "&" and tokens.capital[end + 1]
        ampersand = ampersand and not _are_two(tokens, first, end)
        return 2 if ampersand and not tokens.owns[end - 1] else 0
    if tokens.capital[end] and tokens.stems[end] != "i":
        return 1
    ahead = end + 1
    if tokens.classes[end] & Is.PARTICLE and not (tokens.stems[end] in _ANDS and _are_two(tokens, first, end)):
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


def _are_two(tokens: Tokens, first: int, end: int) -> bool:
    """Return whether the word at ``end`` joins two full names, of two words each at least: two people, no firm."""
    after = range(end + 1, min(end + 3, len(tokens)))
    return end - first > 1 and len(after) > 1 and all(tokens.capital[place] for place in after)


def _joins_of(tokens: Tokens, first: int, end: int) -> bool:
    head = end - 1
    return tokens.stems[head] in OF_HEADS or bool(
        tokens.classes[head] & Is.ROLE or (tokens.classes[head] & Is.COMMON and not tokens.opens[first])
    )


def _cleaned(tokens: Tokens, name: Name) -> Iterator[Name]:
    """Yield what is left of a run without sentence openers, titles, roles and times; nothing for mere nouns."""
    first, end = name.first, name.end
    if tokens.opens[first] and name.long and _is_opener(tokens, first):
        first += 1
    while first < end and _is_edge(tokens, first) and not _starts_title(tokens, first, end):
        first += 1
    while end > first and _is_edge(tokens, end - 1):
        end -= 1
    if first >= end or _is_role(tokens, first, end):
        return
    bare = _without_titles(tokens, first, end)
    titled = bare > first or (first > 0 and _after_dotted_title(tokens, first))
    words = [place for place in range(bare, end) if tokens.sorts[place] == WORD]
    if not words or end - bare > _MAX_WORDS or (end - bare == 1 and len(tokens.word(bare)) == 1):
        return
    if titled or _is_name(tokens, bare, end):
        yield Name(bare, end, EntityType.PERSON if titled else None)


def _without_titles(tokens: Tokens, first: int, end: int) -> int:
    """Return where a person's name begins after titles and offices: ``Marketing Lead Ann Lee``, ``Aunt Ann``."""
    classes = tokens.classes
    while first < end - 1 and classes[first] & Is.TITLE and _before_person(tokens, first, end):
        first += 1
        if tokens.sorts[first] == PUNCTUATION:
            first += 1
    for place in range(end - 2, first - 1, -1):
        office = classes[place] & (Is.ROLE | Is.KIN) and _before_person(tokens, place, end)
        if office and not any(is_name_like(classes[earlier]) for earlier in range(first, place)):
            return place + 1
    return first


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
    return tokens.stems[place] in _ARTICLES and not tokens.opens[place] and end - place > 1


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


def _is_name(tokens: Tokens, first: int, end: int) -> bool:
    """Return whether a run of capitalised words is more than the start of a sentence, a role or a nationality."""
    classes, stems = tokens.classes, tokens.stems
    if all(classes[place] & (Is.TIME | Is.DEMONYM | Is.CLOSED) for place in range(first, end)):
        return any(stems[place] in holidays() for place in range(first, end))
    if _is_role(tokens, first, end) or _is_adjective(tokens, first, end):
        return False
    if end - first > 1:
        return any(len(tokens.word(place)) > 1 for place in range(first, end))
    return _is_one_word_name(tokens, first)


def _is_one_word_name(tokens: Tokens, place: int) -> bool:
    """Return whether one capitalised word is a name; acronyms are where somebody works only."""
    classes, stems = tokens.classes[place], tokens.stems
    after = place + 1
    if after < len(tokens) and tokens.sorts[after] == NUMBER and classes & Is.COMMON:
        return False  # Phase 2, Chapter 3
    if tokens.word(place).removesuffix("s").isupper():
        return place > 0 and (near(tokens, place, _WORKS) or stems[place - 1] == "at")
    if not classes & Is.COMMON:
        return not classes & Is.TITLE
    if classes & (Is.CLOSED | Is.ROLE | Is.KIN | Is.TITLE | Is.TIME):
        return False
    return not tokens.opens[place] or (tokens.is_capital_elsewhere(stems[place]) and not classes & Is.VERB)


def _is_role(tokens: Tokens, first: int, end: int) -> bool:
    """Return whether the run is an office such as ``Head of Marketing`` or ``Lead Content Strategist``."""
    classes = tokens.classes
    for place in range(first + 1, end):
        if tokens.stems[place] == "of":
            return bool(classes[place - 1] & Is.ROLE)
    last = tokens.stems[end - 1]
    if tokens.stems[first] in _OFFICES and end - first > 1:
        return True
    many = last.endswith("s") and flags().get(last.removesuffix("s"), 0) & Is.ROLE
    return last not in ORGANISATION_ENDS and bool(classes[end - 1] & Is.ROLE or many)


def _is_adjective(tokens: Tokens, first: int, end: int) -> bool:
    """Return whether the run is a nationality with more before it: ``North American``, ``AI-powered European``."""
    if not tokens.classes[end - 1] & Is.DEMONYM:
        return False
    return all(
        tokens.classes[place] & (Is.COMMON | Is.DEMONYM) or tokens.stems[place] in PLACE_STARTS
        for place in range(first, end)
    )


def after_particles(tokens: Tokens, place: int) -> int:
    """Return where the particles in small letters end that stand at ``place``."""
    while place < len(tokens) and tokens.classes[place] & Is.PARTICLE and not tokens.capital[place]:
        place += 1
    return place


def without_first(tokens: Tokens, name: Name) -> Name | None:
    """Return a name that begins a sentence without its first word, and particles after it; None where no two are left.

    *Kennst du Lars Vogel* has such particles.
    """
    first = after_particles(tokens, name.first + 1)
    if not tokens.opens[name.first] or name.end - first < _FULL:
        return None
    return Name(first, name.end, name.type)


def is_supported(tokens: Tokens, name: Name) -> bool:
    """Return whether there is more for the first word of a sentence as a part of a name than where it stands.

    It is a first name, has its capital elsewhere, or belongs to what is no person's name, or to no name without it; a
    particle follows it.
    """
    first = tokens.stems[name.first]
    rest = range(name.first + 1, name.end)
    return (
        name.type not in {None, EntityType.PERSON}
        or bool(familiar_to(first))
        or tokens.is_capital_elsewhere(first)
        or not all(tokens.capital[place] and is_name_like(tokens.classes[place]) for place in rest)
    )
