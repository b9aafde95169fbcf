"""Whether a rewritten line says what its sources say, as far as rules can tell.

Guarantees: pure functions, no model. A line passes only if for each of its clauses one sentence behind it has most of
its words, all of its numbers and names, in the same order, and takes the same side: a denial, an opposite ("hates" for
"likes"), something that was or that may be instead of something that is, and an exchanged pair ("before" for "after")
are told. What is not told: whose each thing is where the order is kept, and irony. A line that is refused costs
nothing but the model's wording, so that in doubt it is refused. English, as :mod:`marskg.language.en.opposites`.
Source: MaRS section 5.3 (a summary may not say what its constituents do not).
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from marskg.language.en.lexicon import Is, flags, guessed, time_words
from marskg.language.en.opposites import NEGATIONS, side
from marskg.late_regex import late_regex
from marskg.text import folded, terms, words

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Share of a clause's terms that one sentence must have.
SUPPORTED: Final = 0.5
#: Where what is said takes another turn.
_TURNS: Final = late_regex(
    r"[;:]\s|\s[-–—]\s|,?\s(?:but|although|though|whereas|while|however|because|until|so that)\s", re.IGNORECASE
)
#: Where another thing is said that may come from another sentence.
_JOINTS: Final = late_regex(r"[,;:]\s|\s[-–—]\s|\s(?:and|or|then)\s", re.IGNORECASE)
_DENYING: Final = NEGATIONS | frozenset({"without", "unable", "lack", "lacks", "except", "instead", "rather"})
_PAST: Final = frozenset({"former", "formerly", "previously", "anymore", "once"})
_USED_TO: Final = late_regex(r"\bused to\b|\bno longer\b", re.IGNORECASE)
_UNSURE: Final = frozenset(
    (  # noqa: SIM905 - a list of short words is not read any better
        "might maybe perhaps possibly probably likely if unless would could should consider considers considering "
        "think thinks thinking plan plans planned planning want wants wanted hope hopes hoping wish wishes may"
    ).split()
)
_EXCHANGED: Final = tuple(
    (frozenset(one.split()), frozenset(other.split()))
    for one, other in (
        ("before", "after"),
        ("more", "less fewer"),
        ("older", "younger"),
        ("first", "last"),
        ("buy buys bought", "sell sells sold"),
        ("lend lends lent", "borrow borrows borrowed"),
        ("arrive arrives arrived", "leave leaves left depart departs departed"),
        ("up", "down"),
        ("always", "never sometimes rarely seldom"),
        ("all every everybody everyone", "some few"),
        ("morning", "evening"),
        ("higher above over", "lower below under"),
    )
)
_NUMBERS: Final = frozenset(
    (  # noqa: SIM905 - as above
        "two three four five six seven eight nine ten eleven twelve dozen twenty thirty forty fifty hundred thousand "
        "million half twice"
    ).split()
)


def consistent(line: str, sources: Sequence[str]) -> bool:
    """Return whether each clause of ``line`` says what one of ``sources``, sentences, says."""
    said = [part for source in sources for part in (source, *_split(source, _TURNS))]
    stated = all(_stated(part, said) for part in _split(line, _JOINTS))
    return stated and all(_sided(part, sources) for part in _split(line, _TURNS))


def nearest(line: str, sources: Sequence[str]) -> int:
    """Return the place of the source that has most of the words of ``line``, the first of several."""
    wanted = set(terms(line))
    return max(range(len(sources)), key=lambda place: (len(wanted & set(terms(sources[place]))), -place))


def _split(text: str, at: re.Pattern[str]) -> list[str]:
    return [part for part in at.split(text) if part.strip(" .,!?")] or [text]


def _stated(part: str, said: Sequence[str]) -> bool:
    """Return whether one sentence has most of the words of a part, with its numbers and names in their order."""
    particulars = _particulars(part)
    # They are asked for each by itself: two things of one person share no more than the name.
    wanted = set(terms(part)) - set(particulars)
    return any(
        len(wanted & set(terms(source))) >= SUPPORTED * len(wanted) and _in_order(particulars, source)
        for source in said
    )


def _in_order(particulars: Sequence[str], source: str) -> bool:
    said = [term for word in words(source) for term in _forms(word.text)]
    # When something was is said before it or after it alike.
    following = iter(said)
    return all(one in said if one in _times() else one in following for one in particulars)


def _particulars(text: str) -> list[str]:
    """Return the numbers and the names of a text in their order."""
    found: list[str] = []
    for place, word in enumerate(words(text)):
        number = any(one.isdigit() for one in word.text) or word.text.casefold() in _NUMBERS
        if number or (word.text[0].isupper() and (place or not _is_common(word.text))):
            found += _forms(word.text)[:1]
    return found


@cache
def _times() -> frozenset[str]:
    return frozenset(term for word in time_words() for term in _forms(word))


@cache
def _forms(word: str) -> tuple[str, ...]:
    """Return the term of a word, its folded form where it has none."""
    return tuple(terms(word)) or (folded(word),)


def _is_common(word: str) -> bool:
    folded_word = folded(word)
    return bool((flags().get(folded_word, 0) | guessed(folded_word)) & Is.COMMON)


def _sided(part: str, sources: Sequence[str]) -> bool:
    """Return whether a part takes the side of the clause of a source that it is nearest to."""
    wanted = set(terms(part))
    clauses = [clause for source in sources for clause in _split(source, _TURNS)]
    shared = [len(wanted & set(terms(clause))) for clause in clauses]
    best = max(shared, default=0)
    return any(
        count == best and _side(part) == _side(clause) and not _exchanged(part, clause)
        for count, clause in zip(shared, clauses, strict=True)
    )


def _side(text: str) -> tuple[bool, bool, bool]:
    """Return whether a text denies, whether it is about what was, and whether it is unsure."""
    found = [word.text for word in words(text.replace("’", "'"))]
    low = [word.casefold() for word in found]
    # A month is written with a capital.
    unsure = any(word in _UNSURE for word in found) or any(word in _UNSURE - {"may"} for word in low)
    denials = sum(word in _DENYING or word.endswith("n't") for word in low)
    against = any((taken := side(term)) is not None and taken[1] < 0 for term in terms(text))
    past = any(word in _PAST for word in low) or _USED_TO.search(text) is not None
    return (denials + against) % 2 == 1, past, unsure


def _exchanged(part: str, clause: str) -> bool:
    """Return whether a part has one word of a pair where the clause has the other."""
    here, there = ({word.text.casefold() for word in words(text)} for text in (part, clause))
    return any(
        (here & one and there & other and not there & one) or (here & other and there & one and not there & other)
        for one, other in _EXCHANGED
    )
