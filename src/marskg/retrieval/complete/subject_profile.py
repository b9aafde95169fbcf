"""Who somebody is: what holds of them now, by sections, as text within a budget and as data.

Guarantees: the text weighs at most the budget by the counter's own count; a smaller budget shows the beginning of what
a larger one shows, by importance; each entry is one line, which can fake neither a heading nor another entry
(:mod:`marskg.retrieval.assembly.rendering`); what was not shown is named by id. Source: semantics section 13; ADR 99.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from marskg.answer import Answer
from marskg.clock import MAX_MS, MIN_MS
from marskg.retrieval.assembly.excerpt import excerpt
from marskg.retrieval.assembly.rendering import INTRODUCTION, mark, one_line, origin
from marskg.retrieval.complete.profile_sections import sections

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from marskg.records import Memory
    from marskg.weight import TokenCounter

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
#: Tokens of an entry: who somebody is takes a sentence or three, and not a page.
_LONGEST: Final = 96
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True)
class ProfileEntry(Answer, brief=("text", "id")):
    """One thing that holds of somebody.

    ``text`` is what is shown, an excerpt where ``shortened``; ``id`` is its memory, ``key`` the slot whose value it is,
    None for a turn; ``since`` when it was said or became true, epoch milliseconds; ``sources`` are the ids of the
    memories that say it, as far as the reader may see them; ``tokens`` is what the text weighs.
    """

    id: str
    text: str
    key: str | None
    since: int
    sources: tuple[str, ...]
    tokens: int
    shortened: bool
    memory: Memory = field(repr=False)


@dataclass(frozen=True, slots=True)
class ProfileSection(Answer, rows="entries"):
    """A part of somebody's life: its ``name``, its ``title`` and what is known, facts with a key first."""

    name: str
    title: str
    entries: tuple[ProfileEntry, ...]


@dataclass(frozen=True, slots=True)
class SubjectProfile(Answer, rows="sections"):
    """What holds of a person: sections in the order in which a reader expects them.

    ``subject`` is the name, None where who speaks has none here; ``id`` names the access record, and is what
    ``feedback`` takes; ``tokens`` is what the text weighs, at most ``budget``; ``cut`` are the ids of what there was no
    room for, as far as it was read; ``notices`` tell what the caller should know.
    """

    id: str | None
    subject: str | None
    sections: tuple[ProfileSection, ...]
    tokens: int
    budget: int
    cut: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    #: Without headings and days, as there was no room for them.
    plain: bool = field(default=False, repr=False)

    def __iter__(self) -> Iterator[ProfileSection]:
        """Yield the sections."""
        return iter(self.sections)

    def __len__(self) -> int:
        """Return how many sections there are."""
        return len(self.sections)

    @property
    def entries(self) -> tuple[ProfileEntry, ...]:
        """Return the entries of all sections, in the order in which they are shown."""
        return tuple(entry for section in self.sections for entry in section.entries)

    def as_text(self) -> str:
        """Return the profile as one text for a prompt; empty where nothing is shown."""
        return _text(self.sections, plain=self.plain)

    def as_dict(self) -> dict[str, Any]:
        """Return the profile as plain data: its text, and the sections with their entries."""
        return {
            "id": self.id,
            "subject": self.subject,
            "text": self.as_text(),
            "tokens": self.tokens,
            "budget": self.budget,
            "sections": [
                {
                    "name": section.name,
                    "title": section.title,
                    "entries": [
                        {
                            "id": entry.id,
                            "text": entry.text,
                            "key": entry.key,
                            "since": entry.since,
                            "sources": list(entry.sources),
                            "tokens": entry.tokens,
                            "shortened": entry.shortened,
                        }
                        for entry in section.entries
                    ],
                }
                for section in self.sections
            ],
            "cut": list(self.cut),
            "notices": list(self.notices),
        }


@dataclass(frozen=True, slots=True)
class Piece:
    """A memory that may be shown: below which section, how important it is, the lowest first, and what says it.

    ``memory`` has the text as shown, an excerpt where ``shortened``.
    """

    memory: Memory
    section: str
    place: tuple[int, int]
    sources: tuple[str, ...]
    shortened: bool = False


@dataclass(frozen=True, slots=True)
class Laid:
    """What there was room for, by sections, with its tokens, and the ids of the rest."""

    sections: tuple[ProfileSection, ...]
    tokens: int
    cut: tuple[str, ...]
    plain: bool


def lay(pieces: Sequence[Piece], counter: TokenCounter, *, budget: int, plain_below: int) -> Laid:
    """Return the first of ``pieces``, the most important first, that have room in ``budget`` tokens.

    Below ``plain_below`` tokens there are neither headings nor days, and above it not until what is shown without them
    has room with them.
    """
    plain = _lay(pieces, counter, min(budget, max(0, plain_below - 1)), plain=True)
    headed = None if budget < plain_below else _lay(pieces, counter, budget, plain=False)
    return plain if headed is None or len(headed.cut) > len(plain.cut) else headed


def fitted(piece: Piece, counter: TokenCounter, minimum: int) -> Piece | None:
    """Return ``piece`` with as much of its text as an entry has, None where that would be less than ``minimum`` tokens.

    How much that is goes by no budget: a smaller answer is the beginning of a larger one.
    """
    found = excerpt(piece.memory.content or "", _LONGEST, counter, minimum=minimum, source=piece.memory.source_type)
    if found is None or not found.shortened:
        return None if found is None else piece
    return replace(piece, memory=replace(piece.memory, content=found.text), shortened=True)


def _lay(pieces: Sequence[Piece], counter: TokenCounter, budget: int, *, plain: bool) -> Laid:
    taken, tokens, there = 0, 0 if plain else counter.count(INTRODUCTION), set[str]()
    for piece in pieces:
        line = counter.count(_line(taken + 1, piece.memory, plain=plain))
        title = 0 if plain or piece.section in there else counter.count(_title(_heading(piece.section)))
        if tokens + line + title > budget:
            break
        taken, tokens = taken + 1, tokens + line + title
        there.add(piece.section)
    while True:
        found = _sections(pieces[:taken], counter)
        whole = counter.count(_text(found, plain=plain))
        if whole <= budget:
            return Laid(found, whole, tuple(piece.memory.id for piece in pieces[taken:]), plain)
        taken -= 1  # a counter whose tokens run across lines


def _sections(pieces: Sequence[Piece], counter: TokenCounter) -> tuple[ProfileSection, ...]:
    found = []
    for heading in sections().headings.values():
        own = sorted((one for one in pieces if one.section == heading.name), key=lambda one: one.place)
        entries = tuple(
            ProfileEntry(
                id=one.memory.id,
                text=one.memory.content or "",
                key=one.memory.key,
                since=one.memory.valid_from,
                sources=one.sources,
                tokens=counter.count(one.memory.content or ""),
                shortened=one.shortened,
                memory=one.memory,
            )
            for one in own
        )
        if entries:
            found.append(ProfileSection(heading.name, heading.title, entries))
    return tuple(found)


def _text(found: Sequence[ProfileSection], *, plain: bool) -> str:
    lines = [INTRODUCTION] if found and not plain else []
    number = 0
    for section in found:
        lines += [] if plain else [_title(section.title)]
        for entry in section.entries:
            number += 1
            lines.append(_line(number, entry.memory, plain=plain))
    return "\n".join(lines)


def _title(title: str) -> str:
    return f"# {title}"


def _heading(section: str) -> str:
    return sections().headings[section].title


def _line(number: int, memory: Memory, *, plain: bool) -> str:
    """Return the line of one entry: its number, who says it where that is not the user, and since which day."""
    day = "" if plain else _since(memory.valid_from)
    return f"{mark(number)} {origin(memory.source_type)}{one_line(memory.content or '')}{day}"


def _since(time: int) -> str:
    if not MIN_MS <= time <= MAX_MS:
        return ""
    date = _EPOCH + timedelta(milliseconds=time)
    return f" ({date.day} {_MONTHS[date.month - 1]} {date.year})"
