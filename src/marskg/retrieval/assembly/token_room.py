"""The tokens that are left of a budget, and what one more passage takes of them, with the headings that it needs.

Guarantees: a line is counted once, however often its price is asked; what is taken adds up to the tokens of the whole
text for a counter whose tokens run neither across lines nor across the blank behind a number, as the bundled one's do
not. Adding one of a session that is there already costs its line, and two tokens where another speaker begins.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.retrieval.assembly.rendering import (
    INTRODUCTION,
    Section,
    group_of,
    heading,
    mark,
    one_line,
    section_heading,
    speaker,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from marskg.ontology.vocabulary import SourceType
    from marskg.retrieval.assembly.context_window import Counter
    from marskg.retrieval.assembly.rendering import Group, Passage

#: Numbers of the widths that most have, for what a line costs before its own is known, and up to which one they stand.
_NUMBERS = (99, 999, 9_999)


class _Place(NamedTuple):
    """Where a line stands below its heading."""

    valid_from: int
    sequence: int
    source: SourceType


class _Line(NamedTuple):
    """What one passage takes by itself, below which heading, and where; lines made of several have no place."""

    tokens: int
    group: Group
    place: _Place | None


class _Group(NamedTuple):
    """What stands below one heading in the order of time, who says it, and the tokens of its headings."""

    places: Sequence[_Place]
    sources: frozenset[SourceType]
    tokens: int


_NOBODY: Final = _Group((), frozenset(), 0)


class Room:
    """What is left of ``budget`` tokens, besides the passages that were taken in."""

    def __init__(self, budget: int, counter: Counter, *, plain: bool, weighed: bool, most: int = _NUMBERS[0]) -> None:
        """Begin with nothing taken; ``most`` passages may come.

        ``plain`` leaves headings out, and marks who is not the user. ``weighed`` says that a memory's ``weight``, where
        it has one, is what ``counter`` counts of its content; that spares counting again.
        """
        self.counter = counter
        self.plain = plain
        self.left = budget
        self._weighed = weighed
        #: The tokens of a line's number.
        self.mark = counter.count(f"{mark(next((n for n in _NUMBERS if most <= n), most))} ")
        self._lines: dict[tuple[tuple[str, ...], Section, str], _Line] = {}
        self._counted: dict[str, int] = {}
        self._begun: dict[tuple[Group, SourceType], int] = {}
        self._groups: dict[Group, _Group] = {}
        self._sections: set[Section] = set()
        self._years: set[tuple[Section, str]] = set()

    def price(self, shown: Sequence[Passage]) -> int:
        """Return the tokens that ``shown`` would take together: their lines, and the headings not there yet."""
        lines = [self._line(one) for one in shown]
        total = sum(one.tokens for one in lines)
        if self.plain or not lines:
            return total
        if not self._sections:
            total += self._count(INTRODUCTION)
        for section in {one.group.section for one in lines} - self._sections - {Section.MEMORY}:
            total += self._count(section_heading(section))
        total += sum(self._count(year) for _, year in _years(lines) - self._years)
        for group, places in _grouped(lines).items():
            there = self._groups.get(group, _NOBODY)
            sources = {place.source for place in places}
            if sources != there.sources or len(sources) > 1:
                total += self._headings(group, sorted([*there.places, *places])) - there.tokens
        return total

    def take(self, shown: Sequence[Passage], price: int | None = None) -> None:
        """Take ``shown`` in, at the ``price`` that was said of it last, if it was."""
        self.left -= self.price(shown) if price is None else price
        for _, group, place in map(self._line, shown):
            self._sections.add(group.section)
            if group.year is not None:
                self._years.add((group.section, group.year))
            if place is not None:
                there = sorted([*self._groups.get(group, _NOBODY).places, place])
                sources = frozenset(one.source for one in there)
                self._groups[group] = _Group(there, sources, self._headings(group, there))

    def exchange(self, shown: Passage, longer: Passage) -> bool:
        """Take ``longer`` in the place of ``shown`` of the same memory, if it is; return whether."""
        more = self.text(longer) - self.text(shown)
        if more <= 0:
            return False
        self.left -= more
        return True

    def text(self, shown: Passage) -> int:
        """Return the tokens of what one passage says."""
        return self._line(shown).tokens - self.mark

    def said(self, shown: Passage) -> int:
        """Return the tokens of what one passage says, as it was said and not folded into a line."""
        memory = shown.memory
        if self._weighed and memory is not None and memory.weight and memory.content == shown.text:
            return memory.weight
        return self.counter.count(shown.text)

    def around(self, shown: Passage) -> int:
        """Return what of the price of one passage is not its text."""
        return self.price((shown,)) - self.text(shown)

    def _line(self, shown: Passage) -> _Line:
        key = (shown.ids, shown.section, shown.text)
        known = self._lines.get(key)
        if known is None:
            memory = shown.memory
            place = None if memory is None else _Place(memory.valid_from, memory.sequence, memory.source_type)
            known = self._lines[key] = _Line(self._tokens(shown), group_of(shown), place)
        return known

    def _tokens(self, shown: Passage) -> int:
        """Return the tokens of one line, or of its text as it was said where these are more."""
        folded = one_line(shown.text)
        memory = shown.memory
        said = shown.origin if self.plain else shown.caution
        begins = self.mark + (self._count(said) if said else 0)
        if self._weighed and memory is not None and memory.weight and memory.content == shown.text == folded:
            return begins + memory.weight
        tokens = begins + self.counter.count(f"{folded}\n")
        return tokens if folded == shown.text else max(tokens, self.said(shown))

    def _headings(self, group: Group, places: Sequence[_Place]) -> int:
        total = self._begin(group, places[0].source)
        if len(places) == 1:
            return total
        changed = (below.source for above, below in pairwise(places) if above.source is not below.source)
        return total + sum(self._count(speaker(source)) for source in changed)

    def _begin(self, group: Group, source: SourceType) -> int:
        """Return the tokens of the heading of ``group`` without its year: it is asked for again and again."""
        known = self._begun.get((group, source))
        if known is None:
            known = self._begun[group, source] = self._count(heading(group, source, year=False))
        return known

    def _count(self, line: str) -> int:
        """Return the tokens of a heading or a year: they repeat."""
        known = self._counted.get(line)
        if known is None:
            known = self._counted[line] = self.counter.count(f"{line}\n")
        return known


def _grouped(lines: Iterable[_Line]) -> dict[Group, list[_Place]]:
    found: dict[Group, list[_Place]] = {}
    for one in lines:
        if one.place is not None:
            found.setdefault(one.group, []).append(one.place)
    return found


def _years(lines: Iterable[_Line]) -> set[tuple[Section, str]]:
    """Return the years that headings have to name once in each section."""
    return {(one.group.section, one.group.year) for one in lines if one.group.year is not None}
