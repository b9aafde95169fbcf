"""Sentences as people say them to an assistant, as many as wanted: what the latency of retrieval is measured on.

Guarantees: the same seed gives the same sentences and questions; no two questions are equal. The words are made of
syllables and drawn so that few are frequent and most are rare, as in a language: an index is then as long-tailed as on
real text. Nothing is copied from a benchmark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.clock import SeededSource

if TYPE_CHECKING:
    from collections.abc import Iterator

_TEMPLATES: Final = (
    "I spent ${price} on {meal} at {Name}, {day}, which was more than I meant to.",
    "Please put '{verb} the {word} {word2}' on my list of tasks for {day}.",
    "I used to like {word} {thing}, but lately I am drawn to {word2} {thing} instead.",
    "{Name} {Name2} is the new head of {word} and asked for the {word2} report by {day}.",
    "For the {word} project the budget is now {number} and the lead is {Name} {Name2}.",
    "I took {number} steps, {day}, mostly on the way to the {word} {place}.",
    "Add the meeting about {word} {thing} with {Name} to my calendar, {day} at {hour}.",
    "My {relation} {Name} has moved to {Place} and works on {word2} {thing} there.",
)
_QUESTIONS: Final = (
    "How much did I spend on {meal} at {Name}?",
    "What do I still have to do about the {word} {word2}?",
    "Which {thing} do I like, {word} or {word2}?",
    "What did {Name} {Name2} ask for?",
    "Who leads the {word} project and what is its budget?",
    "When do I meet {Name} about {word} {thing}?",
    "Where does my {relation} {Name} live now?",
)
_FIXED: Final = {
    "meal": ("breakfast", "lunch", "dinner", "coffee", "groceries"),
    "day": ("today", "tomorrow", "Monday", "Wednesday", "Friday", "next week", "the weekend"),
    "verb": ("review", "call about", "prepare", "finish", "send", "order", "clean"),
    "thing": ("films", "books", "music", "gardens", "recipes", "journeys", "tools", "designs"),
    "place": ("market", "station", "library", "office", "harbour", "park"),
    "relation": ("sister", "manager", "neighbour", "colleague", "brother", "friend"),
}
_SYLLABLES: Final = tuple(first + last for first in "bdfgklmnprstvz" for last in ("a", "e", "i", "o", "u", "an", "el"))
_WORDS: Final = 20_000
_NAMES: Final = 2_000


class Sentences:
    """An endless stream of sentences; :meth:`questions` come from the same words."""

    def __init__(self, seed: int) -> None:
        """Start the stream of ``seed``."""
        self._source = SeededSource(f"sentences-{seed}")

    def take(self, count: int) -> list[str]:
        """Return the next ``count`` sentences."""
        return [self._filled(_TEMPLATES[self._below(len(_TEMPLATES))]) for _ in range(count)]

    def questions(self, count: int) -> list[str]:
        """Return ``count`` different questions."""
        found: dict[str, None] = {}
        while len(found) < count:
            found[self._filled(_QUESTIONS[len(found) % len(_QUESTIONS)])] = None
        return list(found)

    def _filled(self, template: str) -> str:
        return template.format_map(dict(self._values()))

    def _values(self) -> Iterator[tuple[str, str]]:
        for name, words in _FIXED.items():
            yield name, words[self._below(len(words))]
        for name in ("word", "word2"):
            yield name, _word(self._rare(_WORDS))
        for name in ("Name", "Name2", "Place"):
            yield name, _word(_WORDS + self._rare(_NAMES)).capitalize()
        yield "price", f"{1 + self._below(90)}.{self._below(100):02}"
        yield "number", f"{100 * (1 + self._below(300)):,}"
        yield "hour", f"{8 + self._below(11)}:00"

    def _below(self, limit: int) -> int:
        return int.from_bytes(self._source.token(8), "big") % limit

    def _rare(self, limit: int) -> int:
        """Return a number below ``limit``, the smaller the more often, as words are by their rank."""
        part = self._below(1 << 32) / (1 << 32)
        return int(limit**part) - 1


def _word(number: int) -> str:
    """Return the word of ``number``: its digits in syllables, two at least."""
    base = len(_SYLLABLES)
    made = _SYLLABLES[number * 37 % base]
    number += base
    while number:
        made += _SYLLABLES[number % base]
        number //= base
    return made
