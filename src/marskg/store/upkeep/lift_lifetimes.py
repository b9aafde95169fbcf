"""Lifting the lives that former defaults gave: only what is private has a life by default now.

Guarantees: what was stored while ``factual``, ``intent_bound`` and ``ephemeral`` had default lives does not end by
them; a private memory, an end that its caller gave and a life that the owner chose stay as they are, and so does what a
retention preference allows at most. What was over when the store was last written to stays over. Each change is one
signed transition; a cut off pass is taken up by the next one.

Whose end a former default gave is read from the graph: the moment is the memory's, or its earlier version's, creation
plus that life, or what a proven use made of it. What depends on such a memory, and was clamped to its end, follows it.
Source: semantics section 1; docs/adr/0044-lives.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from marskg.clock import later
from marskg.config import FORMER_DEFAULTS
from marskg.errors import KeyUnusable
from marskg.ontology.vocabulary import EdgeType, MemoryClass, Operation
from marskg.store.rows.summary_lines import decode, encode, first_expiry
from marskg.store.unit.reader import GraphReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from marskg.records import AuditRecord, Edge, Memory, SummaryLine
    from marskg.store.commit.writer import Writer
    from marskg.store.unit.unit_of_work import Unit

_REASON: Final = "its end was that of a former default, by which only private memories end now"
_LIVES: Final = {name: life for name in MemoryClass if (life := FORMER_DEFAULTS.get(f"lives.{name.value}")) is not None}
#: A wish to remember more of a topic doubled the lives of what was stored about it.
_WISHED: Final = 2
_PAGE: Final = 200


@dataclass(slots=True)
class _Lift:
    """A memory whose end goes: the end that it has, the one that it gets, and the lines that a summary gets."""

    memory: Memory
    bases: tuple[str, ...]
    lines: tuple[str, ...]
    #: What else limits it: a retention preference, a life that the owner chose, the lines that still end.
    limit: int | None
    end: int | None = None


def lift(writer: Writer, chosen: Mapping[MemoryClass, int | None] | None = None) -> None:
    """Lift the lives of former defaults from a tenant's memories, where the key is at hand.

    ``chosen`` are the lives that whoever opens the tenant gives it from now on: a class that has one keeps its ends.
    """
    lives = {name: writer.state.settings.life(name) or (chosen or {}).get(name) for name in MemoryClass}
    found = _Search(writer, lives).found()
    pages = [found[start : start + _PAGE] for start in range(0, len(found), _PAGE)] or [[]]
    try:
        for place, page in enumerate(pages, start=1):
            writer.run(partial(_apply, page=page, last=place == len(pages)))
    except KeyUnusable:
        writer.forget_half_built()  # nothing is swept without the key either; who has it lifts them
    writer.shared.expect_due(0)


def _apply(unit: Unit, page: Sequence[_Lift], *, last: bool) -> None:
    unit.fetch([one.memory.id for one in page])
    for one in page:
        node = unit.nodes.get(one.memory.id)
        if node is None or not node.has_content or node.memory.expires_at != one.memory.expires_at:
            continue
        unit.change(node, expires_at=one.end, summary_lines=one.lines)
        unit.record(Operation.AMEND, node, tier_before=node.memory.tier, details={"rule": "lives", "reason": _REASON})
    if last:
        unit.update_tenant(lifting=False)
        unit.audit.note(Operation.MIGRATE, parameters=unit.state.settings.to_parameters())


class _Search:
    """Looks through what has an end for ends that a former default gave."""

    def __init__(self, writer: Writer, lives: Mapping[MemoryClass, int | None]) -> None:
        self._writer = writer
        self._reader = GraphReader(writer.engine, writer.tenant)
        self._preference_set = writer.preference_set()
        self._lives = lives

    def found(self) -> list[_Lift]:
        """Return what is lifted, in the order of creation."""
        lifted: dict[str, _Lift] = {}
        clamped: list[tuple[Memory, tuple[Edge, ...]]] = []
        for memory, edges in self._ending():
            if self._lives[memory.memory_class] is None and (one := self._lifted(memory, edges)) is not None:
                lifted[memory.id] = one
            elif _targets(edges, EdgeType.DEPENDS_ON):
                clamped.append((memory, edges))
        while more := [
            (memory, edges)
            for memory, edges in clamped
            if memory.id not in lifted and self._follows(memory, edges, lifted)
        ]:
            lifted |= {memory.id: self._lift(memory, edges, memory.summary_lines) for memory, edges in more}
        return self._clamped(lifted)

    def _ending(self) -> Iterator[tuple[Memory, tuple[Edge, ...]]]:
        """Yield the memories with content that have an end still and are not private, with their edges."""
        over = self._writer.state.last_time
        for memory, edges, _ in self._reader.memories():
            ends = memory.content is not None and memory.expires_at is not None and memory.expires_at > over
            if ends and memory.memory_class is not MemoryClass.PRIVATE:
                yield memory, edges

    def _lifted(self, memory: Memory, edges: tuple[Edge, ...]) -> _Lift | None:
        """Return what is lifted of a memory whose end, or that of some lines, a former default gave; else None."""
        if memory.summary_lines:
            lines = self._freed(memory)
            return None if lines == memory.summary_lines else self._lift(memory, edges, lines)
        former = {_LIVES[memory.memory_class]} if memory.memory_class in _LIVES else set()
        by_default = _ends(memory, former) or self._moved(memory, edges) or self._proven(memory, former)
        return self._lift(memory, edges, ()) if by_default else None

    def _moved(self, memory: Memory, edges: tuple[Edge, ...]) -> bool:
        """Return whether the end came with what the memory superseded."""
        seen: set[str] = set()
        pending = _targets(edges, EdgeType.SUPERSEDES)
        while pending := [one for one in pending if one not in seen]:
            seen.update(pending)
            older = self._reader.nodes(pending)
            if any(_ends(replace(memory, created=one.created), _LIVES.values()) for one, _, _ in older):
                return True
            pending = [target for _, drawn, _ in older for target in _targets(drawn, EdgeType.SUPERSEDES)]
        return False

    def _proven(self, memory: Memory, former: Iterable[int]) -> bool:
        """Return whether the end is what a proven use made of a life: the last record that moved it says so."""
        if not any((memory.expires_at or 0) > later(memory.created, life) for life in former):
            return False
        moves = [
            rule
            for record in self._reader.records_of(memory.id)
            for rule in ("proven", "expiry", "preference")
            if _says(record, rule)
        ]
        return moves[-1:] == ["proven"]

    def _freed(self, summary: Memory) -> tuple[str, ...]:
        """Return the lines of a summary without the ends that former defaults gave their sources."""
        lines = decode(summary.summary_lines)
        sources = sorted({source for line in lines if line.expires_at is not None for source in line.sources})
        born = {memory.id: memory for memory, _, _ in self._reader.nodes(sources)}

        def freed(line: SummaryLine) -> SummaryLine:
            behind = [replace(born[one], expires_at=line.expires_at) for one in line.sources if one in born]
            if not any(_ends(one, _LIVES.values()) for one in behind):
                return line
            kept = [self._preference_set.horizon(one.kind, summary.subjects) for one in behind]
            limits = [later(one.created, span) for one, span in zip(behind, kept, strict=True) if span is not None]
            return replace(line, expires_at=min(limits, default=None))

        return encode(freed(line) for line in lines)

    def _lift(self, memory: Memory, edges: tuple[Edge, ...], lines: tuple[str, ...]) -> _Lift:
        spans = (self._lives[memory.memory_class], self._preference_set.horizon(memory.kind, memory.subjects))
        limits = [later(memory.created, span) for span in spans if span is not None]
        limits += [] if (first := first_expiry(decode(lines))) is None else [first]
        return _Lift(memory, tuple(_targets(edges, EdgeType.DEPENDS_ON)), lines, min(limits, default=None))

    @staticmethod
    def _follows(memory: Memory, edges: tuple[Edge, ...], lifted: Mapping[str, _Lift]) -> bool:
        """Return whether a memory ends when something lifted that it depends on did."""
        bases = [lifted[one] for one in _targets(edges, EdgeType.DEPENDS_ON) if one in lifted]
        return any(base.memory.expires_at == memory.expires_at for base in bases)

    def _clamped(self, lifted: dict[str, _Lift]) -> list[_Lift]:
        """Give each its end: what limits it, and the ends of what it depends on (I5)."""
        ordered = sorted(lifted.values(), key=lambda one: one.memory.sequence)
        others = sorted({base for one in ordered for base in one.bases if base not in lifted})
        ends = {memory.id: memory.expires_at for memory, _, _ in self._reader.nodes(others)}
        ends |= {one.memory.id: one.limit for one in ordered}
        moved = True
        while moved:
            moved = False
            for one in ordered:
                limits = [end for name in (one.memory.id, *one.bases) if (end := ends.get(name)) is not None]
                wanted = min(limits, default=None)
                moved = moved or wanted != ends[one.memory.id]
                ends[one.memory.id] = one.end = wanted
        return ordered


def _targets(edges: Iterable[Edge], type_: EdgeType) -> list[str]:
    return [edge.target for edge in edges if edge.type is type_]


def _ends(memory: Memory, lives: Iterable[int]) -> bool:
    """Return whether a memory ends when one of ``lives``, from its creation on, does."""
    return any(memory.expires_at == later(memory.created, life * times) for life in lives for times in (1, _WISHED))


def _says(record: AuditRecord, rule: str) -> bool:
    return any(f'"{rule}"' in text for text in record.details)
