"""What a reader that asks a model found: proposals, what they cost, what was left out, and what a person should know.

Guarantees: plain values. Counts and digests stand for themselves; no notice repeats what somebody said.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from marskg.extraction.proposal import Proposal

_NOTHING: Final[Mapping[str, int]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Shown:
    """What a model may see of a turn; no ``text`` where it may see nothing of it, and ``why``."""

    text: str | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """One question about the turn of a number: its digest, tokens, cost and milliseconds.

    One that was answered from what is kept has cost nothing, and its ``content`` is what is kept: it belongs to the
    turn, and goes with it.
    """

    turn: int
    digest: str
    content: str
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    lasted_ms: int = 0
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """The proposals of some turns in their order, and how they came about.

    ``dropped`` counts proposals of the model that were not taken, by why. ``unanswered`` are the numbers of the turns
    that the model may still read another time: it failed, or a limit of the day is reached.
    """

    proposals: tuple[Proposal, ...] = ()
    notices: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=lambda: _NOTHING)
    unanswered: tuple[int, ...] = ()

    def __iter__(self) -> Iterator[Proposal]:
        """Yield the proposals."""
        return iter(self.proposals)
