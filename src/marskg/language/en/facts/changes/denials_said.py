"""The deeds that a fact says were never done: "Ana has never tried tea or coffee" denies either.

Guarantees: pure. A deed is told by the words that carry meaning. The module brings no rules with it, so that what
learns from text can ask it at little cost.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Final

from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The rule whose facts deny deeds.
DENIES: Final = "denial.never"
_NEVER: Final = late_regex(
    r"\bnever (?:actually |really |ever |even |once |before )*(?P<verb>[a-z]+) (?P<what>.+?)"
    r"(?: before| so far| in (?:my|his|her|their) life)?$",
    re.IGNORECASE,
)
#: Verbs that say little beside what is done.
_LIGHT: Final = frozenset({"had", "done", "taken", "made", "got", "gotten", "used", "attended", "gone", "felt"})
#: Words that only join: what stands before and behind them is looked at together.
_JOINS: Final = late_regex(
    r"\b(?:any|related|relating|regarding|about|during|within|sort|kind|other|similar|single|this|my|the|such|as)\b",
    re.IGNORECASE,
)
#: Where alternatives end: "in any shop or market by the sea".
_PARTS: Final = late_regex(r",? (?=(?:related|in|on|at|for|with|through|by|from|to|during|after|about|before)\b)")
_OR: Final = late_regex(r",? (?:or|nor) |, ")
_MOST: Final = 12


def denied(text: str) -> Iterator[str]:
    """Yield each deed that ``text`` says was never done, without the words that only join."""
    match = _NEVER.search(text.rstrip(".! "))
    if match is None:
        return
    verb = "" if match["verb"].lower() in _LIGHT else match["verb"]
    parts = [_OR.split(part) for part in _PARTS.split(match["what"])]
    for number, chosen in enumerate(product(*parts)):
        if number >= _MOST:
            return
        yield _JOINS.sub(" ", f"{verb} {' '.join(chosen)}")
