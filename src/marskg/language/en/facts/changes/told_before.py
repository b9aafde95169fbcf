"""Where a text told a value that ended since, though no rule had read it there.

Guarantees: pure. Only somebody's own statements count: no questions, nothing that others are said to say, and nothing
that takes something out itself. English.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from marskg.language.en.facts.changes.stances import taste_in
from marskg.language.en.facts.phrasing import APOSTROPHES, key_of, sentences_of
from marskg.language.en.withdrawals import withdrawals
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.language.spans import Part

#: The share of an entry's words that a text must say, and how many others may stand between them for each.
SHARE: Final = 0.75
_BETWEEN: Final = 0.6
#: How many words besides those of a thing may tell what is liked of it: "books that delve into war".
_BESIDES: Final = 3
#: Words of an entry from which a comma may stand in it.
_LONG: Final = 6
_CLAUSE: Final = late_regex(r";|,? (?:but|although|though)\b|, (?=(?:and )?I\b)")
_DENIES: Final = late_regex(r"\b(?:never|not|no|without|unless|if|\w+n't)\b", re.IGNORECASE)
_WORD: Final = late_regex(r"[^\W_]+(?:['’][^\W_]+)*", re.UNICODE)


def words_in(text: str) -> frozenset[str]:
    """Return the stems of a text's words, without those that carry no meaning."""
    return frozenset(stem for _, _, stem in _stems(text))


def taste_told(text: str, thing: frozenset[str], stance: str) -> Part | None:
    """Return the words in which somebody tells that they like a thing, or do not; None where there are none."""
    for start, end in () if withdrawals(text) else _clauses(text):
        part = tells(text[start:end].translate(APOSTROPHES), "I", thing, stance)
        if part is not None:
            return start + part[0], start + part[1]
    return None


def tells(clause: str, who: str, thing: frozenset[str], stance: str) -> Part | None:
    """Return the part of a clause in which ``who`` is said to like ``thing``, or not, None where there is none.

    The thing is what all else leads to, "books that delve into war and conflict", or what one likes "how" it does.
    """
    taste = taste_in(clause, who)
    if taste is None or taste.stance != stance:
        return None
    said = [stem for _, _, stem in _stems(taste.what)]
    place = said[: len(thing)] if taste.how else said[-len(thing) :]
    if {*place} != thing or (len(said) > len(thing) + _BESIDES and not taste.how):
        return None
    return (taste.part[0], len(clause)) if taste.how else taste.part


def entry_told(text: str, entry: frozenset[str]) -> Part | None:
    """Return the words that tell an entry of a list; None where there are too few of them, or others part them."""
    clauses = [] if withdrawals(text) else [one for one in _clauses(text) if _DENIES.search(text[slice(*one)]) is None]
    parts = ((start, _window(text[start:end], entry)) for start, end in clauses)
    return next(((start + part[0], start + part[1]) for start, part in parts if part is not None), None)


def _clauses(text: str) -> Iterator[Part]:
    """Yield where each clause of somebody's own statements stands."""
    for sentence in sentences_of(text):
        start, last = sentence.start, sentence.start + len(sentence.text)
        if sentence.asks:
            continue
        for match in (*_CLAUSE.finditer(text, start, last), None):
            end = last if match is None else match.start()
            said = text[start:end].strip().rstrip(".!")
            place = start - sentence.start
            led = sentence.text[:place]
            others = ":" in led or '"' in led or sentence.is_quoted(place + 1) or sentence.is_reported(place)
            others = others or sentence.is_supposed(place)
            if said and not others:
                first = text.index(said, start)
                yield first, first + len(said)
            start = last if match is None else match.end()


def _stems(text: str) -> list[tuple[int, int, str]]:
    return [(match.start(), match.end(), stem) for match in _WORD.finditer(text) for stem in key_of(match[0]).split()]


def _window(clause: str, words: frozenset[str]) -> Part | None:
    """Return the shortest part of ``clause`` with enough of ``words``, None where others part them."""
    said = _stems(clause)
    wanted = [(place, stem) for place, (_, _, stem) in enumerate(said) if stem in words]
    best: Part | None = None
    for number, (first, _) in enumerate(wanted):
        held: set[str] = set()
        for last, stem in wanted[number:]:
            held.add(stem)
            if len(held) >= SHARE * len(words) and (best is None or last - first < best[1] - best[0]):
                best = first, last
    if best is None or best[1] - best[0] + 1 > (1 + _BETWEEN) * len(words):
        return None
    if (
        len(words) < _LONG
        and best[1] - best[0] >= len(words) - 1
        and "," in clause[said[best[0]][0] : said[best[1]][1]]
    ):
        return None  # Of two entries each says a part.
    # What else of it stands right beside that belongs to it.
    first, last = best
    while last + 1 < len(said) and said[last + 1][2] in words:
        last += 1
    while first > 0 and said[first - 1][2] in words:
        first -= 1
    return said[first][0], said[last][1]
