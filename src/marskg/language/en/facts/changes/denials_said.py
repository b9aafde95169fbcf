"""What English speakers say they have never done: a fact of its own, and the words of a deed that it denies.

Guarantees: pure. "I've never tried tea or coffee" denies either; what is denied is told by the words that carry meaning.
Limits: a denial of something else than a deed of the speaker is none here.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Final

from marskg.language.en.facts.phrasing import Frame, frame
from marskg.language.en.facts.third_person import told
from marskg.language.facts import Fact
from marskg.ontology.vocabulary import Kind
from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.language.en.facts.phrasing import Found

#: The rule whose facts deny deeds.
DENIES: Final = "denial.never"
_NEVER: Final = re.compile(
    r"\bnever (?:actually |really |ever |even |once |before )*(?P<verb>[a-z]+) (?P<what>.+?)(?: before| in my life| so far)?$",
    re.IGNORECASE,
)
#: Verbs that say little beside what is done.
_LIGHT: Final = frozenset({"had", "done", "taken", "made", "got", "gotten", "used", "attended", "gone", "felt"})
#: Words that only join: what stands before and behind them is looked at together.
_JOINS: Final = re.compile(
    r"\b(?:any|related|relating|regarding|about|during|within|sort|kind|other|similar|single|this|my|the|such|as)\b",
    re.IGNORECASE,
)
#: Where alternatives end: "in any shop or market by the sea".
_PARTS: Final = re.compile(r",? (?=(?:related|in|on|at|for|with|through|by|from|to|during|after|about|before)\b)")
_OR: Final = re.compile(r",? (?:or|nor) |, ")
_MOST: Final = 12
_FEWEST: Final = 2


def denied(text: str) -> Iterator[frozenset[str]]:
    """Yield the terms of each deed that ``text`` says was never done; nothing of one of which it says too little."""
    match = _NEVER.search(text.rstrip(".! "))
    if match is None:
        return
    verb = "" if match["verb"].lower() in _LIGHT else match["verb"]
    parts = [_OR.split(part) for part in _PARTS.split(match["what"])]
    for number, chosen in enumerate(product(*parts)):
        if number >= _MOST:
            return
        found = frozenset(terms(_JOINS.sub(" ", f"{verb} {' '.join(chosen)}")))
        if len(found) >= _FEWEST:
            yield found


def _never(found: Found) -> Fact:
    start, end = found.span
    content = told(found.match[0].strip(), found.voice)
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=content,
        confidence=found.confidence,
        kind=Kind.SEMANTIC,
        payload={"concept": content},
    )


FRAMES: Final[tuple[Frame, ...]] = (
    frame(
        DENIES,
        "never",
        r"\bI(?:'ve| have) never (?:actually |really |ever |even |once )?(?!been\b|really\b|again\b|would\b|will\b|could\b|"
        r"thought\b|knew\b|know\b|mind\b)(?=[a-z]+(?:ed|en|n|t|d|k|e|g|m|ne|nt)\b)[a-z]+ [^.!?;()—]{3,120}?"
        r"(?=[.!?;()—]|,? (?:but|so|and|because|since|which|what|how|can|should)\b|, (?:like|such)\b|$)",
        _never,
        0.85,
    ),
)
