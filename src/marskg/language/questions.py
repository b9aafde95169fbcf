"""What a question asks for that ranking cannot give: a sum, a count, a list, a comparison with a goal, or a time.

Guarantees: pure; a question that may as well ask for something else asks for nothing here. How a language asks is its
own module's matter: see :class:`Asks`. Source: the reasoning errors of the Memora paper (line 197); semantics section
13.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from datetime import tzinfo

    from marskg.language.times import Times, Unit

#: Words in the keys of goals, and words for tasks as such, as index terms.
GOALS: Final = "goal target budget limit quota allowance objective"
TASKS: Final = "task todo assignment chore deadline appointment"


class Wanted(StrEnum):
    """What is asked for."""

    SUM = "sum"
    COUNT = "count"
    LIST = "list"
    COMPARE = "comparison with a goal"
    WHEN = "time"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for, of what.

    ``topics`` are alternatives ("coffee and tea"), each the index terms that say of what, in order; ``generic`` are
    terms of which one stands in the keys that are meant where no topic does ("spend" means expenses), ``never`` those
    that do not then; ``names`` are the index terms of names, which what is meant has to mention; ``by`` is the unit
    that the sum is divided by ("which week").
    """

    wanted: Wanted
    topics: tuple[tuple[str, ...], ...] = ()
    generic: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    by: Unit | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question that complete reading answers: what it asks for, of which times, in whose time zone and weeks."""

    asked: Asked
    times: Times
    zone: tzinfo
    week_start: int


class Asks(Protocol):
    """A language: finds what a question surely asks for."""

    def __call__(self, question: str) -> Asked | None:
        """Return what ``question`` asks for, None for anything that ranking answers."""
        ...
