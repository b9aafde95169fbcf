"""What a statement says, as far as another one can contradict it, in a form that belongs to no language.

Guarantees: plain values. Terms are whatever the language compares by: stems of words, or characters where no blanks
stand between words; they are compared with those of the same language alone.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity; ``kind`` is ``date``, ``clock``, ``money``, ``share``, or ``number`` with its unit's term."""

    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class Denial:
    """What a clause denies: the terms that its negation stands at.

    ``narrowed`` says that something holds but for a time, a place or a case ("never after four", "not without lemon").
    """

    focus: frozenset[str]
    narrowed: bool


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: its topic (index terms, ``core`` without what stands in brackets), stances and quantities.

    ``order`` has the terms of the topic as they come, ``lead`` those before the first word that takes a side or denies,
    which say of whom it is, and ``measured`` those before the first quantity. ``person`` is the pronoun that stands
    there instead, as a class, empty for none. ``named`` is the part of ``core`` that no pronoun stands for; ``scope``
    are terms that say when and where. ``request`` marks "please update ...", ``aim`` a goal or a limit, ``periods`` its
    "per week" and ``aimed`` what is left of it; ``need`` what is to be done, ``done`` that it was or need not be any
    more; ``quoted`` are the terms of what stands in quotation marks, ``task`` those of what is or was to be done,
    ``undone`` the same unquoted. ``stances`` holds (axis, side) pairs with the clause's denial applied. ``replaced``
    holds the terms of a value that the clause says was replaced, ``replaced_numbers`` its numbers. ``event`` is true
    for what happened once, ``added`` for what comes beside something else ("also").
    """

    topic: frozenset[str]
    core: frozenset[str]
    named: frozenset[str]
    order: tuple[str, ...]
    lead: frozenset[str]
    measured: frozenset[str]
    person: str
    scope: frozenset[str]
    stances: frozenset[tuple[str, int]]
    denial: Denial | None
    quantities: tuple[Quantity, ...]
    change: bool
    request: bool
    aim: bool
    periods: frozenset[str]
    aimed: frozenset[str]
    replaced: frozenset[str]
    replaced_numbers: frozenset[str]
    event: bool
    need: bool
    done: bool
    task: frozenset[str]
    undone: frozenset[str]
    quoted: frozenset[str]
    added: bool

    @property
    def negated(self) -> bool:
        """Return whether it denies what it says."""
        return self.denial is not None


@dataclass(frozen=True, slots=True)
class Slot:
    """An attribute with its value, from "attribute: value", "my attribute is value" or "lives in value".

    ``entries`` is true where the label heads a list (a plural, "to do"), so that values stand side by side. ``person``
    is the class of the pronoun whose attribute it is, empty where it has a name.
    """

    attribute: tuple[str, ...]
    value: tuple[str, ...]
    entries: bool
    plural: bool
    person: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """A statement as it is compared; ``terms`` is everything that a cheap test of relatedness needs."""

    clauses: tuple[Clause, ...]
    slot: Slot | None
    terms: frozenset[str]
