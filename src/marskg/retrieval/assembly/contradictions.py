"""Contradictions among what would be shown are settled before it is shown, and named.

Guarantees: of two that contradict each other the one that does not come from outside stays, then the newest valid one,
then the more reliable, then the better ranked; a memory loses only to one that stays, so an overruled memory overrules
nothing; the result does not depend on the order of the input; a reason never says what a memory says, nor its key. Two
memories contradict each other when

- both are the value of one ``single`` key about the same subjects, and their texts differ,
- a ``contradicts`` edge joins them, in either direction, or
- the ranking found that one perhaps tells a newer value than the other, and the caller's ``differ`` says that they
  cannot both hold; it is told whether they likely tell the value of one thing.

Source: MemoryArchitect II.C and II.D; issue 4 item 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from marskg.ontology.vocabulary import Cardinality
from marskg.retrieval.assembly.candidate import Candidate, from_outside, precedence, rank_order
from marskg.retrieval.assembly.duplicates import normalised

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from marskg.records import Memory


class Differ(Protocol):
    """Whether, by their words, a newer memory and an older one cannot both hold."""

    def __call__(self, newer: Memory, older: Memory, *, likely: bool = False) -> bool:
        """Return it; ``likely`` is whether the ranking found that both tell the value of one thing."""
        ...


@dataclass(frozen=True, slots=True)
class Resolution:
    """``loser`` was not shown because it contradicts ``winner``, both ids.

    ``rule`` says how the contradiction was found: ``same key``, ``contradicts`` or ``newer value``. ``reason`` says in
    words why the winner stays.
    """

    loser: str
    winner: str
    rule: str
    reason: str


def resolve(
    candidates: Sequence[Candidate],
    *,
    contradicts: Iterable[tuple[str, str]] = (),
    differ: Differ | None = None,
) -> tuple[list[Candidate], list[Resolution]]:
    """Return those of ``candidates`` that stay, in rank order, and who lost to whom and why.

    ``contradicts`` are pairs of ids joined by an edge; ids that are not among the candidates are passed over.
    """
    found = _Contradictions(contradicts, differ)
    lost: list[Resolution] = []
    for one in _newer_first(sorted(candidates, key=precedence, reverse=True)):
        against = found.against(one)
        if against is None:
            found.keep(one)
        else:
            winner, rule = against
            lost.append(Resolution(one.id, winner.id, rule, _reason(winner, one)))
    return rank_order(found.kept), lost


def _newer_first(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield ``candidates`` in their order, but each after what perhaps tells a newer value."""
    by_id = {one.id: one for one in candidates}
    for one in candidates:
        chain = [by_id.pop(one.id, None)]
        while (last := chain[-1]) is not None:
            chain.append(None if last.outdated is None else by_id.pop(last.outdated.by, None))
        yield from (each for each in reversed(chain) if each is not None)


class _Contradictions:
    """What has been kept so far, the best first, and how to find what contradicts it."""

    def __init__(self, contradicts: Iterable[tuple[str, str]], differ: Differ | None) -> None:
        self.kept: list[Candidate] = []
        self._differ = differ
        self._edges: dict[str, set[str]] = {}
        for first, second in contradicts:
            self._edges.setdefault(first, set()).add(second)
            self._edges.setdefault(second, set()).add(first)
        self._slots: dict[tuple[str, tuple[str, ...]], Candidate] = {}
        self._by_id: dict[str, int] = {}

    def keep(self, one: Candidate) -> None:
        """Let ``one`` stay."""
        place = len(self.kept)
        self.kept.append(one)
        self._by_id[one.id] = place
        slot = _slot(one)
        if slot is not None:
            self._slots.setdefault(slot, one)

    def against(self, one: Candidate) -> tuple[Candidate, str] | None:
        """Return the best of what was kept that contradicts ``one``, with the rule; None if nothing does."""
        slot = _slot(one)
        holder = None if slot is None else self._slots.get(slot)
        if holder is not None and normalised(holder.content) != normalised(one.content):
            return holder, "same key"
        joined = [self._by_id[other] for other in self._edges.get(one.id, ()) if other in self._by_id]
        if joined:
            return self.kept[min(joined)], "contradicts"
        if one.outdated is not None and one.outdated.by in self._by_id:
            newer = self.kept[self._by_id[one.outdated.by]]
            if self._differ is not None and self._differ(newer.memory, one.memory, likely=one.outdated.alone):
                return newer, "newer value"
        return None


def _slot(one: Candidate) -> tuple[str, tuple[str, ...]] | None:
    """Return the slot that ``one`` is the single value of, None if there is none."""
    memory = one.memory
    # A key without a cardinality is single, as at write (semantics section 1).
    if memory.key is None or memory.cardinality not in {None, Cardinality.SINGLE}:
        return None
    return (memory.key, memory.subjects)


def _reason(winner: Candidate, loser: Candidate) -> str:
    if from_outside(loser.memory) and not from_outside(winner.memory):
        return "it comes from a document or a tool, and the other does not"
    if winner.among != loser.among:
        return "the other ranks higher"
    if winner.memory.valid_from != loser.memory.valid_from:
        return "the other is valid from a later time"
    if winner.memory.reliability != loser.memory.reliability:
        return "valid from the same time; the other is more reliable"
    if winner.score != loser.score:
        return "valid from the same time and equally reliable; the other ranks higher"
    return "valid from the same time, equally reliable and ranked; the other was stored later"
