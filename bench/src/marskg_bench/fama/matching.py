"""Whether a text says a value: the model-free judge of the retrieval bench.

Guarantees: a pure function of text and value. A value is said where the text holds its words in their order, or at
least 70 % of its stems that are no stop words; so a value of one word must be there, in some form. A number is said
only by a variant of itself: ``1100000``, ``1,100,000``, ``1.1 million``, ``$1.1M``. The 0.7 is frozen: it was chosen
before anything was measured with it, and is not to be tuned.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final, TypeAlias

from marskg.text import folded, terms

#: A value of the trace.
Value: TypeAlias = str | int | float

#: The share of a value's stems that a text must hold.
COVERAGE: Final = 0.7

_GROUPS: Final = re.compile(r"(?<=\d)[,\u202f\u00a0'](?=\d{3}(?!\d))")
_NO_WORD: Final = re.compile(r"[\W_]+")
_NUMBER: Final = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?)(?:[\s-]?(hundred|thousand|million|billion|bn|mm|[kmb]))?(?![\w])(?!\.\d)"
)
_SCALES: Final = {
    "hundred": 100,
    "k": 1000,
    "thousand": 1000,
    "m": 1_000_000,
    "mm": 1_000_000,
    "million": 1_000_000,
    "b": 1_000_000_000,
    "bn": 1_000_000_000,
    "billion": 1_000_000_000,
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What is compared of a text: its words between single blanks, its stems, its numbers."""

    words: str
    stems: frozenset[str]
    numbers: frozenset[Decimal]


def says(text: str, value: Value) -> bool:
    """Return whether ``text`` says ``value``; a number by a variant of it only, a value without words never."""
    if not isinstance(value, str):
        return Decimal(str(value)) in reading(text).numbers
    wanted, found = reading(value), reading(text)
    if wanted.words and f" {wanted.words} " in f" {found.words} ":
        return True
    return bool(wanted.stems) and len(wanted.stems & found.stems) >= COVERAGE * len(wanted.stems)


@lru_cache(maxsize=100_000)
def reading(text: str) -> Reading:
    """Return what is compared of ``text``; kept, because each text is asked for every value."""
    joined = _GROUPS.sub("", folded(text))
    return Reading(
        words=_NO_WORD.sub(" ", joined).strip(),
        stems=frozenset(terms(joined)),
        numbers=frozenset(Decimal(match[1]) * _SCALES.get(match[2], 1) for match in _NUMBER.finditer(joined)),
    )
