"""Which names stand in what a person asks for in words: *everything about Olivia's languages*, *the card 4111-1111*.

Guarantees: pure; a request without a name has none, and then its words are all there is to go by. An identifier, a
number in whatever grouping, words with a capital side by side, and a run of another script are names; several of them,
as after *aka*, ``/`` or in brackets, are each one. Source: semantics section 5 (whom a name means).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from marskg.kept_texts import keeping_texts
from marskg.language.naming.edges import is_identifier, script
from marskg.language.naming.matcher import NameMatcher
from marskg.language.naming.numbers import number_of
from marskg.language.naming.spellings import name_form
from marskg.language.naming.words import words_of
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_EDGE: Final = ",;:!?\"'“”„«»()[]{}<>"
#: Words with a capital that say of what sort the name is which follows, and are no part of it.
LABELS: Final = words_of(
    "ssn id uid nda ip mac url uri iban bic swift isbn issn vin zip po vat pin sku mrn ein imei gps mr mrs ms am pm "
    "i the a an my our your his her their its user customer client patient account accounts case order ticket "
    "invoice employee vendor record records profile entry entries file files status number address token plate card "
    "applicant student subscriber person people data details info information"
)
#: Words that say, right before a name, what sort of person or thing has it.
_SORTS: Final = words_of(
    "member guest tenant resident neighbour neighbor colleague coworker friend boss manager director doctor nurse "
    "teacher professor engineer developer designer contractor supplier partner owner driver passenger visitor "
    "candidate reviewer author editor athlete player actor singer chef lawyer agent officer company firm team project "
    "product server host"
)
_TITLES: Final = frozenset(["dr", "mr", "mrs", "ms", "prof", "sir", "st"])
_ABOUT: Final = late_regex(
    r"\A(?:(?:all|any|every|the|everything|anything|information|info|details?|data|facts?|memories|records?|notes?)\s+)+"
    r"(?:you (?:know|have)\s+)?(?:about|on|of|regarding|concerning|related to|for)\s+",
    re.IGNORECASE,
)
_JOINS: Final = late_regex(
    r"\s+(?:aka|alias|a\.k\.a\.|also known as|formerly|née|und|and|or|&|/|\|)\s+|[()\[\]|,;]"
    # *in Russian Ольга*: which language the other name is in.
    r"|\s+in [A-Z][a-z]+:? (?=[^\W\u0000-\u024f\u1e00-\u1eff])"
)
#: What says whom a name means, and not what of it: *the patient*, *on the team*.
_WHO: Final = late_regex(r"\s+(?:the|a|an|my|our|on|in|at|from|of|with|who|whom|that|which|as|for)\s.*\Z")
#: What is seen beside a name and is none of its letters: pictures, and what joins them.
_PICTURES: Final = "[\u2600-\u27bf\ufe0f\u200d\U0001f000-\U0001faff]+"
_PICTURED: Final = late_regex(rf"(?<!\S){_PICTURES}|{_PICTURES}(?!\S)")
#: Where a word goes on with a capital, or with a hyphen before one: *WiFi*, *Wi-Fi*.
_INNER: Final = late_regex(r"(?<=[a-z])-?(?=[A-Z])")
_POSSESSIVE: Final = late_regex(r"['’]s?\Z")
#: Labels of numbers that nothing else has, and that differ in nothing but how they are grouped.
_NUMBERED: Final = late_regex(
    r"(?:ssn|iban|isbn|issn|vin|imei|card)[.:]? (?:(?:number|no|nr)[.:]? )?(?P<number>.+)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Asked:
    """The names in a request, and its other words."""

    names: tuple[str, ...]
    others: tuple[str, ...]


@keeping_texts(256)
def names_asked(topic: str) -> Asked:
    """Return the names that ``topic`` has, in their order, and the words that say what of them is meant."""
    names: dict[str, None] = {}
    others: list[str] = []
    for part in _JOINS.split(_ABOUT.sub("", topic.strip())):
        for name, rest in _read(_PICTURED.sub("", part.strip())):
            if name:
                names.update(dict.fromkeys(_spelled(name)))
            others += rest
    signs = [name for name in names if " " not in name and _is_sign(name)]
    if any(letter.isdigit() for name in signs for letter in name):
        # *case_id 12345*: a sign without a digit says of what sort the number is.
        kept = [name for name in names if name not in signs or any(not one.isalpha() and one != "_" for one in name)]
        return Asked(tuple(kept), ())
    return Asked(tuple(names), () if signs else tuple(others))


@keeping_texts(256)
def matcher_of_asked(topic: str) -> NameMatcher | None:
    """Return what finds the names in a request; None where it has none."""
    names = names_asked(topic).names
    return NameMatcher(names) if names else None


def labelled_number(name: str) -> str:
    """Return the number that a name is, without the word before it that says of what sort; "" where it is none.

    An IBAN is the same one without that word; *order 2024-1001* is not *invoice 2024-1001*.
    """
    found = _NUMBERED.fullmatch(name.strip())
    number = found["number"] if found else ""
    return number if number_of(name_form(number)) else ""


def may_be_of_longer(topic: str) -> bool:
    """Return whether ``topic`` has words with which a text may begin a longer name."""
    return bool(_beginnings(topic))


def is_of_longer(topic: str, texts: Iterable[str]) -> bool:
    """Return whether ``texts`` have words of ``topic`` side by side only where the second begins a longer name.

    *The department engineering* is not *the department engineering-platform*; nor is a hyphened word a longer one.
    """
    beginnings = _beginnings(topic)
    known = "|".join(re.escape(word) for one in beginnings for word in one.split())
    said = " \n".join(map(name_form, texts)) if beginnings else ""
    for one in beginnings:
        start = rf"(?<![\w-]){re.escape(one)}"
        if re.search(rf"{start}[-_.](?!(?:{known})(?!\w))\w", said) and not re.search(rf"{start}(?![-_.]?\w)", said):
            return True
    return False


@keeping_texts(256)
def _beginnings(topic: str) -> tuple[str, ...]:
    """Return the words of a request with which a text may begin a longer name."""
    words = [word.strip(f"{_EDGE}.") for word in name_form(topic).split()]
    pairs = [f"{one} {two}" for one, two in pairwise(words) if one.isalpha() and two.isalpha()]
    return (*pairs, *(word for word in words if word.replace("-", "").isalpha() and not word.isalpha()))


def _read(part: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the names of one part, each with the words that stand beside it."""
    words = [word for word in part.split() if word.strip(_EDGE + ".")]
    if number_of(name_form(part)):
        yield part, []
        return
    place = 0
    before: list[str] = []
    after: list[str] = []
    found = False
    while place < len(words):
        size = _size(words, place)
        if size:
            yield _name(words[place : place + size]), []
            if not found and before and before[-1].casefold() in _SORTS:
                del before[-1]
            found = True
        else:
            (after if found else before).append(words[place].strip(_EDGE))
        place += size or 1
    # *Aiden the patient*: what comes after an article or a preposition says who, not what.
    said = [*before, *_WHO.sub("", f"x {' '.join(after)} ").split()[1:]]
    yield "", [word for word in said if word.casefold() not in LABELS] if found else said


def _spelled(name: str) -> Iterator[str]:
    """Yield a name; and one word of two parts also as it is written with a hyphen, and without."""
    yield name
    if name.replace("-", "").isalpha() and len(_INNER.findall(name)) == 1:
        yield from {_INNER.sub("", name), _INNER.sub("-", name)} - {name}


def _name(words: list[str]) -> str:
    name = " ".join(words).strip(_EDGE)
    return _POSSESSIVE.sub("", name).removesuffix(".")


def _size(words: list[str], start: int) -> int:
    """Return of how many words the name is that begins at ``start``; 0 where none does."""
    digits = _digits(words, start)
    if digits:
        return digits
    if _is_sign(words[start]):
        return 1
    end = start
    while end < len(words) and _is_named(words[end], first=end == start):
        if end > start and _alphabet(words[end]) != _alphabet(words[start]):
            break
        end += 1
        if words[end - 1][-1] in _EDGE and not words[end - 1].endswith("."):
            return end - start
    numbered = words[end].strip(f"{_EDGE}.") if start < end < len(words) else ""
    if numbered.isalnum() and any(letter.isdigit() for letter in numbered):
        # *Flight 123* is one name, and not whatever is called Flight.
        return end + 1 - start
    if end - start == 1 and name_form(words[start]).strip(f"{_EDGE}.") in _TITLES:
        return 0
    return end - start


def _digits(words: list[str], start: int) -> int:
    """Return over how many words a number goes on that is written in groups."""
    for end in range(len(words), start + 1, -1):
        if number_of(name_form(" ".join(words[start:end]).strip(_EDGE))):
            return end - start
    return 0


def _is_sign(word: str) -> bool:
    bare = word.strip(_EDGE).rstrip(".")
    return is_identifier(name_form(bare)) and not bare.isalpha()


def _is_named(word: str, *, first: bool) -> bool:
    bare = word.strip(_EDGE)
    plain = name_form(bare).rstrip(".")
    letter = bare[:1]
    numbered = not first and len(bare) == 1 and letter.isupper()  # Book A
    if not letter.isalpha() or (plain in LABELS - _TITLES and not numbered) or _is_sign(word):
        return False
    return _is_caseless(bare) or letter.isupper() or (plain in _TITLES and first)


def _alphabet(word: str) -> str:
    """Return the alphabet of a word; scripts without capitals are one, as a name may be written in several."""
    return "" if _is_caseless(word) else script(word.strip(_EDGE)[:1])


def _is_caseless(word: str) -> bool:
    letter = word.strip(_EDGE)[:1]
    return letter.upper() == letter.lower()
