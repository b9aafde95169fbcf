"""What a summariser is to the rest of the product.

Guarantees: a summariser proposes lines and decides nothing: attribution, identifiers, length, distortion and
sensitivity are checked on what it returns, whatever it is (:mod:`marskg.reflection.gates`).
Source: semantics section 6; MaRS section 5.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from marskg.records import SummaryLine
from marskg.reflection.passages import sentences_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.reflection.passages import Constituent, Sensing, Sentence


class Counter(Protocol):
    """Counts the tokens of a text."""

    def count(self, text: str) -> int:
        """Return how many tokens ``text`` has."""
        ...


@dataclass(frozen=True, slots=True)
class Request:
    """What a summary is asked for.

    ``tokens``: the most that it may weigh; ``ceiling``: the sensitivity above which nothing is said; ``sensing``
    measures what is rewritten, which is as sensitive as what it rests on where there is none; ``opening`` is what the
    summary says already, before the lines that are asked for: a summariser has nothing to repeat of it.
    """

    constituents: tuple[Constituent, ...]
    tokens: int
    ceiling: float = 1.0
    sensing: Sensing | None = None
    opening: tuple[Sentence, ...] = ()

    def said(self) -> list[Sentence]:
        """Return what may be said, each sentence at most as sensitive as ``ceiling``."""
        return sentences_of(self.constituents, self.ceiling, self.sensing)


@dataclass(frozen=True, slots=True)
class Proposal:
    """The lines that a summariser proposes, in the order in which they are shown; none where it finds nothing to say.

    ``notes`` say what the caller should know, such as that a model's answer could not be used.
    """

    lines: tuple[SummaryLine, ...]
    notes: tuple[str, ...] = ()
    #: Whether the summariser's model, where it has one, was asked at all.
    asked: bool = True


class Summariser(Protocol):
    """Says in few lines what several memories say."""

    @property
    def name(self) -> str:
        """Return what the audit calls it, such as ``extractive``."""
        ...

    @property
    def calls(self) -> int:
        """Return how many requests to a model one summary takes: 0 where there is none."""
        ...

    @property
    def rests(self) -> bool:
        """Return whether its model failed so often that it is left alone now."""
        ...

    def summarise(self, request: Request) -> Proposal:
        """Return lines for ``request``; never raises because a model fails."""
        ...


def line_of(sentence: Sentence) -> SummaryLine:
    """Return a sentence as the line of a summary."""
    return SummaryLine(sentence.text, sentence.sources, sentence.verbatim, sentence.sensitivity, sentence.expires_at)


def text_of(lines: Sequence[SummaryLine]) -> str:
    """Return the text of a summary."""
    return "\n".join(line.text for line in lines)
