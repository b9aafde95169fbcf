"""A profile of a person: whom it is of, what is read for it, what there is room for, and the record of what was shown.

Guarantees: as of every reading (:mod:`marskg.retrieval.query.search`): through the gate, read anew, recorded before it
is handed out. Source: semantics section 13; ADR 99.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from marskg.retrieval.assembly.assemble import assemble
from marskg.retrieval.assembly.hits import Hit
from marskg.retrieval.complete.subject_profile import Piece, SubjectProfile, fitted, lay
from marskg.retrieval.index.memory_index import MICRO
from marskg.retrieval.query.about_person import told_of
from marskg.retrieval.query.search import as_named, as_read, merged
from marskg.retrieval.query.whom import named, speaker

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    import numpy.typing as npt

    from marskg.language.spans import Part
    from marskg.records import Memory
    from marskg.retrieval.access.read_gate import Gate
    from marskg.retrieval.index.memory_index import MemoryIndex
    from marskg.retrieval.query.about_person import Told
    from marskg.retrieval.query.ranking import Ranked
    from marskg.retrieval.query.search import Request, Search
    from marskg.weight import TokenCounter

    Mask = npt.NDArray[np.bool_]
    Vector = npt.NDArray[np.float32]

#: A budget that nothing reaches.
_ROOMY: Final = 1 << 40


@dataclass(eq=False)
class Person:
    """One profile that is made: whom it is of, and what was found of them in each tenant."""

    name: str | None
    gate: Gate
    told: dict[str, Told] = field(default_factory=dict)
    called: str | None = None
    several: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    cuts: dict[str, tuple[Part, ...]] = field(default_factory=dict)

    def rank(self, index: MemoryIndex, mask: Mask, vector: Vector | None, limit: int) -> tuple[Ranked, ...]:
        """Return what the rows of ``mask`` tell of the person, most telling first."""
        del vector  # nothing is asked
        who = speaker(index, mask, self.gate) if self.name is None else named(index, mask, self.name, self.gate)
        self.called = self.called or who.name
        self.several += who.several
        self.speakers += who.speakers
        found = told_of(index, self.gate, mask, who)
        self.told |= dict.fromkeys(found.placed, found)
        self.cuts.update(found.cuts)
        return found.ranked(MICRO)[:limit]


def profile_of(
    person: Person, request: Request, search: Search, guests: Sequence[Search], counter: TokenCounter
) -> SubjectProfile:
    """Return what holds of ``person``, within the budget of ``request``, and record that it was shown."""
    found = [one.around(request, None, person.rank, person.cuts) for one in (search, *guests)]
    # What says the same, and what is contradicted, goes by all that was read; room is looked for below.
    assembled = assemble(
        merged(found),
        budget=_ROOMY,
        counter=counter,
        settings=request.assembly,
        contradicts=[pair for one in found for pair in one.contradicts],
        horizon=max((one.horizon for one in found if one.horizon is not None), default=None),
    )
    pieces = _pieces([as_read(item.memory, request.gate) for item in assembled.shown], person)
    short = [fitted(piece, counter, request.assembly.minimum_excerpt) for piece in pieces]
    plain_below = request.assembly.plain_below
    laid = lay([one for one in short if one is not None], counter, budget=request.budget, plain_below=plain_below)
    entries = {entry.id: entry for section in laid.sections for entry in section.entries}
    hits = tuple(
        Hit(entries[item.memory.id].memory, item.score / MICRO, entries[item.memory.id].tokens)
        for item in assembled.shown
        if item.memory.id in entries
    )
    record = search.record_hits(request, hits, found[0].known) if hits else None
    return SubjectProfile(
        id=as_named(record, request.gate),
        subject=person.called or person.name,
        sections=laid.sections,
        tokens=laid.tokens,
        budget=request.budget,
        cut=tuple(piece.memory.id for piece in pieces if piece.memory.id not in entries),
        plain=laid.plain,
    )


def _pieces(memories: Iterable[Memory], person: Person) -> list[Piece]:
    """Return what may be shown of a person, the most important first."""
    found = []
    for memory in memories:
        told = person.told.get(memory.id)
        if told is not None:
            section, place = told.placed[memory.id]
            found.append(Piece(memory, section, place, told.sources[memory.id]))
    return sorted(found, key=lambda piece: piece.place)
