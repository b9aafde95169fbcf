"""What a retrieval returns: the memories that were shown, within the budget, with what was left out and why.

Guarantees: ``tokens`` never exceeds the budget that was asked for, and neither does the text; each hit holds its
content as it is shown, which is shorter than the memory's where ``shortened`` says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from marskg.answer import Answer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal

    from marskg.language.questions import Wanted
    from marskg.language.times import Period
    from marskg.records import Memory
    from marskg.retrieval.assembly.assemble import Assembled, LeftOut
    from marskg.retrieval.assembly.contradictions import Resolution
    from marskg.retrieval.assembly.rendering import Message


@dataclass(frozen=True, slots=True)
class Hit(Answer, brief=("score", "memory")):
    """One memory that was shown.

    ``memory.content`` is the text as shown; ``score`` and the numbers of ``why`` are decimals; ``tokens`` is what the
    content weighs. ``certain`` is False where it perhaps does not bear on the question, ``newer`` the id of a memory,
    shown before it, that perhaps tells a newer value of the same; the text says both as well.
    """

    memory: Memory
    score: float
    tokens: int
    why: Mapping[str, float] = field(default_factory=dict)
    shortened: bool = False
    certain: bool = True
    newer: str | None = None


@dataclass(frozen=True, slots=True)
class Sum:
    """The total of one ledger, or of all ledgers below a prefix (``key`` ends in ``/*``), in one unit.

    ``count`` entries have an amount, ``without`` have none. Units and currencies are never mixed.
    """

    key: str
    unit: str
    total: Decimal
    count: int
    without: int = 0


@dataclass(frozen=True, slots=True)
class Complete:
    """A complete reading that stands beside the hits.

    ``text`` is the line; ``keys`` those that were read, ``periods`` the times that the question limits them to;
    ``count`` is of all, ``sums`` of all that have an amount, by unit (``key`` is that of the ledger, or ``*``); ``ids``
    are the memories that it was made of, the oldest first, then the goals; ``cut`` says how many the line does not
    show one by one.
    """

    wanted: Wanted
    text: str
    keys: tuple[str, ...]
    periods: tuple[Period, ...]
    count: int
    sums: tuple[Sum, ...]
    ids: tuple[str, ...]
    cut: int


@dataclass(frozen=True, slots=True)
class Hits(Answer, rows="hits"):
    """The result of one retrieval: a sequence of :class:`Hit`, best first.

    ``id`` names the access record, and is what ``feedback`` takes; ``stages`` counts what each stage let through;
    ``notices`` tell what the caller should know; ``complete`` is the complete reading that stands beside the hits
    where the question sums, counts, lists, compares or asks when; ``confidence``, from 0 to 1 and comparable across
    questions, is how likely it is that something remembered bears on the question, None where none was asked.
    """

    id: str | None
    assembled: Assembled = field(repr=False)
    hits: tuple[Hit, ...]
    stages: Mapping[str, Any] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    complete: Complete | None = None
    confidence: float | None = None

    def __iter__(self) -> Iterator[Hit]:
        """Yield the hits, best first."""
        return iter(self.hits)

    def __len__(self) -> int:
        """Return the number of hits."""
        return len(self.hits)

    def __getitem__(self, place: int) -> Hit:
        """Return one hit."""
        return self.hits[place]

    @property
    def tokens(self) -> int:
        """Return the wordpiece tokens of the longest form of the result, never more than the budget."""
        return self.assembled.tokens

    @property
    def budget(self) -> int:
        """Return the tokens that were allowed."""
        return self.assembled.budget

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Return what was found and not shown, each with its reason."""
        return self.assembled.left_out

    @property
    def resolved(self) -> tuple[Resolution, ...]:
        """Return the contradictions that were settled: who stayed, who went, and why."""
        return self.assembled.resolved

    def as_text(self) -> str:
        """Return the result as one text for a prompt; empty when nothing is shown."""
        return self.assembled.rendered.as_text()

    def as_messages(self) -> list[Message]:
        """Return the result as chat messages: one of the system with what is remembered, then the recent turns."""
        return self.assembled.rendered.as_messages()

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return dict(self.assembled.rendered.as_dict())
