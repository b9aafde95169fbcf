"""What a prompt holds besides long-term memory: the last turns of a session, and a running summary of it.

Guarantees: turns are shown as they were said, newest kept first when room is short; the first that does not fit is
shortened, those before it are dropped, so no gap opens inside a conversation. A summary is extractive: each line is a
sentence of a turn, word for word, with the ids that it came from, so erasing a turn takes its lines with it
(:func:`without`); it never has more tokens than its limit. :func:`updated` is a pure fold over turns: bringing a
summary up to date turn by turn or all at once gives the same, and a turn that was folded in already changes nothing.
Source: MemoryArchitect II.E (recency and long-term mix, summary memory); semantics section 6 (attributed lines).
"""

from __future__ import annotations

from collections import Counter as Tally
from dataclasses import dataclass
from typing import TYPE_CHECKING

from marskg.errors import InvalidInput
from marskg.language.whole_sentences import whole_sentences
from marskg.ontology.vocabulary import SourceType
from marskg.retrieval.assembly.excerpt import excerpt
from marskg.retrieval.assembly.rendering import Passage, Section, passage
from marskg.text import passage_span, terms

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from marskg.records import Memory
    from marskg.retrieval.assembly.context_window import Counter
    from marskg.retrieval.assembly.token_room import Room

#: Of a long turn, the sentences that are looked at.
_SENTENCES = 64


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """One sentence, word for word, with the ids of the turns that it stands for and the index terms in it."""

    text: str
    sources: tuple[str, ...]
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Summary:
    """A session's running summary, oldest line first; ``through`` is the sequence of the last turn folded in."""

    lines: tuple[SummaryLine, ...] = ()
    through: int = -1

    def tokens(self, counter: Counter) -> int:
        """Return the tokens of all lines together."""
        return counter.count("\n".join(one.text for one in self.lines)) if self.lines else 0


def updated(summary: Summary, turns: Iterable[Memory], limit: int, counter: Counter) -> Summary:
    """Return ``summary`` brought up to date with ``turns``, in at most ``limit`` tokens.

    Of each turn later than ``summary.through`` the sentence with the most index terms that the summary lacks is added,
    if it has any. While there are too many tokens, the line goes whose terms are missed least per token: each term
    counts for one over the number of lines that have it; among equal ones the oldest goes.

    Raises:
        InvalidInput: the limit is negative.
    """
    if limit < 0:
        message = f"a summary of at most {limit} tokens: the limit must be at least 0"
        raise InvalidInput(message)
    kept = list(summary.lines)
    through = summary.through
    for turn in sorted(turns, key=lambda one: one.sequence):
        if turn.sequence <= through or turn.content is None:
            continue
        through = turn.sequence
        fresh = _telling(turn, frozenset(term for one in kept for term in one.terms))
        if fresh is not None:
            kept.append(fresh)
        kept = _shrunk(kept, limit, counter)
    return Summary(tuple(_shrunk(kept, limit, counter)), through)


def without(summary: Summary, ids: Collection[str]) -> Summary:
    """Return ``summary`` without the lines that came from any of ``ids``: erased, expired or superseded memories."""
    gone = frozenset(ids)
    return Summary(tuple(one for one in summary.lines if not gone.intersection(one.sources)), summary.through)


def _telling(turn: Memory, known: frozenset[str]) -> SummaryLine | None:
    """Return the sentence of ``turn`` that adds the most terms, None if none adds any."""
    content = turn.content or ""
    spans = whole_sentences(content, lines=turn.source_type is not SourceType.CHAT_USER)[:_SENTENCES]
    found = [(text, frozenset(terms(text))) for text in (content[slice(*span)] for span in spans)]
    text, said = max(found, key=lambda one: len(one[1] - known), default=("", frozenset()))
    return SummaryLine(text, (turn.id,), said) if said - known else None


def _shrunk(kept: list[SummaryLine], limit: int, counter: Counter) -> list[SummaryLine]:
    """Return ``kept`` without the lines missed least, until what is left has at most ``limit`` tokens."""
    while kept and counter.count("\n".join(one.text for one in kept)) > limit:
        spread = Tally(term for one in kept for term in one.terms)
        worth = [
            sum(1_000_000 // spread[term] for term in one.terms) // max(1, counter.count(one.text)) for one in kept
        ]
        kept = [one for place, one in enumerate(kept) if place != worth.index(min(worth))]
    return kept


@dataclass(frozen=True, slots=True)
class Shortener:
    """Shortens what is too long; ``query_terms`` and ``minimum`` are those of :func:`excerpt`."""

    query_terms: frozenset[str]
    minimum: int

    def within(self, shown: Passage, limit: int, room: Room, found: int | None = None) -> Passage | None:
        """Return ``shown`` with as much of its text as costs at most ``limit``, None where that is too little.

        ``found`` is the number of its passage that was found.
        """
        if room.price([shown]) <= limit:
            return shown
        # Folding line breaks may add tokens to an excerpt that fits: each round gives it that many fewer.
        inside = limit - room.around(shown)
        there = None if found is None else passage_span(shown.text, found)
        while inside >= 1:
            piece = excerpt(
                shown.text,
                inside,
                room.counter,
                query_terms=self.query_terms,
                minimum=self.minimum,
                passage=there,
                whole=room.said(shown),
                source=SourceType.CHAT_USER if shown.memory is None else shown.memory.source_type,
            )
            if piece is None:
                return None
            short = Passage(shown.section, piece.text, shown.ids, shown.memory, piece.shortened)
            excess = room.price([short]) - limit
            if excess <= 0:
                return short
            inside = min(inside, piece.tokens) - excess
        return None


def lay_summary(summary: Summary, shown: Collection[str], limit: int, room: Room) -> list[Passage]:
    """Take the lines of ``summary`` that fit into ``limit`` tokens, newest first; return them in their order.

    A line is left out when all that it stands for is among the ids ``shown`` as they were said.
    """
    floor = room.left - min(limit, room.left)
    kept: list[Passage] = []
    for one in reversed(summary.lines):
        found = Passage(Section.SUMMARY, one.text, one.sources)
        if set(one.sources) <= set(shown) or room.left - room.price([found]) < floor:
            continue
        room.take([found])
        kept.append(found)
    return kept[::-1]


def lay_recent(turns: Sequence[Memory], limit: int, room: Room, shortener: Shortener) -> list[Passage]:
    """Take the last of ``turns`` that fit into ``limit`` tokens; return them oldest first."""
    floor = room.left - min(limit, room.left)
    kept: list[Passage] = []
    for turn in sorted(turns, key=lambda one: (one.valid_from, one.sequence), reverse=True):
        whole = passage(turn, turn.content or "", Section.RECENT)
        found = shortener.within(whole, room.left - floor, room)
        if found is not None:
            room.take([found])
            kept.append(found)
        if found is not whole:
            break
    return kept[::-1]
