"""What a sentence says as a fact, before anything is known of a store: the words that a language hands to a reader.

Guarantees: plain values. A fact points into its text by ``start`` and ``end``; its ``content`` stands by itself. How a
language says it is its own module's matter (:mod:`marskg.language.en.facts.facts_said`); times stay the words in which
they were said, since only the reader knows the clock.
Source: issue 17 (from talk to facts).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from marskg.ontology.vocabulary import Cardinality, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.ontology.vocabulary import EdgeType

#: Families of keys whose values were right when they were said: how far somebody had come by then.
BY_THEN: Final = ("count/", "measure/")
#: What a payload holds: a text, texts, or an amount.
PayloadValue: TypeAlias = "str | float | tuple[str, ...]"
#: The slots of a person that hold several values at once; all others of ``profile`` hold one.
SEVERAL: Final = frozenset(
    {
        "allergies",
        "avoids",
        "diet",
        "fears",
        "given up",
        "habits",
        "health",
        "hobbies",
        "languages",
        "learning",
        "medication",
    }
    | {"pets", "possessions"}
)
_NONE: Final[Mapping[str, PayloadValue]] = MappingProxyType({})


class Said(StrEnum):
    """What a sentence does to what is known."""

    ADD = "add"
    UPDATE = "update"
    END = "end"
    CLOSE = "close"
    WISH = "wish"
    RULE = "rule"
    REVIEW = "review"


def cardinality_of(key: str) -> Cardinality:
    """Return how the values of a key live together: those of ledgers add up, some of a person stand side by side."""
    family, _, slot = key.partition("/")
    if family == "ledger":
        return Cardinality.APPEND
    several = family == "person" or (family == "profile" and slot in SEVERAL)
    return Cardinality.SET if several else Cardinality.SINGLE


@dataclass(frozen=True, slots=True)
class Voice:
    """Who speaks, and to whom: the names that stand for "I" and "you", None where they are not known."""

    name: str | None = None
    other: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing that a text says at ``[start, end)``.

    ``old`` is a value that holds no longer. ``when`` are the words of its time, ``due`` says that it lies ahead and
    ends the fact, ``begins`` that the fact may begin only then. ``about`` names whom it is about where that is not the
    speaker.
    """

    rule: str
    start: int
    end: int
    content: str
    confidence: float
    does: Said = Said.ADD
    kind: Kind = Kind.SEMANTIC
    key: str | None = None
    cardinality: Cardinality | None = Cardinality.SINGLE
    payload: Mapping[str, PayloadValue] = field(default_factory=lambda: _NONE)
    mentions: tuple[str, ...] = ()
    relations: tuple[tuple[str, EdgeType, str], ...] = ()
    old: str | None = None
    when: str | None = None
    due: bool = False
    begins: bool = False
    about: tuple[str, ...] = ()
