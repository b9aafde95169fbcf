"""A conversation with questions about it, and the turns that answer each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The category of questions about what is not there.
ADVERSARIAL: Final = "adversarial"
#: Who answers in a talk of a user with an assistant.
ASSISTANT: Final = "assistant"


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said, at ``at`` in epoch milliseconds; ``text`` is as it is told and shown.

    ``role`` is user or assistant, empty where people talk with one another.
    """

    speaker: str
    text: str
    session: str
    at: int
    #: The bare words, without the name and the picture.
    said: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its category and the positions of the turns that answer it."""

    text: str
    category: str
    evidence: frozenset[int]


@dataclass(frozen=True, slots=True)
class Observation:
    """A fact that the benchmark's authors note about a speaker, with the positions of the turns that say it."""

    text: str
    evidence: frozenset[int]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation with its questions, and with what is noted about it where the file has that."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]
    observations: tuple[Observation, ...] = ()


def answerable(one: Conversation) -> Sequence[Question]:
    """Return the questions that have an answer in their conversation."""
    return [asked for asked in one.questions if asked.category != ADVERSARIAL]
