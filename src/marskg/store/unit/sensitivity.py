"""What was measured of a memory's sensitivity, and what follows for what derives from it.

Guarantees: the sensitivity that a caller gave is a floor that stays readable in the reasons; nothing is less sensitive
than what it derives from (semantics section 6), through any number of steps; each change is recorded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import EdgeType, Operation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.records import Memory
    from marskg.store.unit.unit_of_work import Node, Unit

GIVEN: Final = "given by the caller"
#: The words of reasons for what whoever has it may use in somebody's name: credentials, and numbers that pass for them.
SECRETS: Final = ("a secret or credential", "a payment card", "a national identifier")
INHERITED: Final = "inherited from what it derives from"
_FLOOR: Final = late_regex(rf"{GIVEN}: ([0-9.]+(?:e-[0-9]+)?)")
_WEIGHT: Final = late_regex(r": ([0-9.]+(?:e-[0-9]+)?)$")
_SOURCED: Final = late_regex(rf"{INHERITED}: .*")


@dataclass(frozen=True, slots=True)
class Sensed:
    """A sensitivity from 0 to 1, and the reasons for it, each with its weight: a set, as RDF has it, in order."""

    value: float
    reasons: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Put the reasons into the order in which an export gives them back."""
        object.__setattr__(self, "reasons", tuple(sorted(set(self.reasons))))

    def at_least(self, floor: float | None, words: str = GIVEN) -> Sensed:
        """Return this with a floor, which is named among the reasons."""
        if not floor:
            return self
        return Sensed(max(self.value, floor), (f"{words}: {floor:g}", *self.reasons))


def given(memory: Memory) -> float:
    """Return the floor under a memory's sensitivity: what its caller gave, or all of it where nobody says why."""
    floors = [float(match[1]) for reason in memory.sensitivity_reasons if (match := _FLOOR.fullmatch(reason))]
    if floors:
        return max(floors)
    return memory.sensitivity if not memory.sensitivity_reasons or GIVEN in memory.sensitivity_reasons else 0.0


def inherited_level(reasons: Iterable[str]) -> float:
    """Return the sensitivity that ``reasons`` say was inherited, 0 where none was."""
    found = (_WEIGHT.search(reason) for reason in reasons if _SOURCED.fullmatch(reason))
    return max((float(match[1]) for match in found if match is not None), default=0.0)


def weight_of(reason: str) -> float:
    """Return the weight that a reason names, 0 where it names none."""
    match = _WEIGHT.search(reason)
    return 0.0 if match is None else float(match[1])


def inherited(unit: Unit, sources: Iterable[str]) -> float:
    """Return the highest sensitivity of what something derives from, as far as that is there."""
    wanted = list(sources)
    unit.fetch(wanted)
    return max((unit.nodes[source].memory.sensitivity for source in wanted if source in unit.nodes), default=0.0)


def with_sources(sensed: Sensed, sources: float) -> Sensed:
    """Return what was measured of a memory, no less than what it derives from."""
    if sources <= sensed.value:
        return sensed
    own = (reason for reason in sensed.reasons if not _SOURCED.fullmatch(reason))
    return Sensed(sources, (*own, f"{INHERITED}: {sources:g}"))


def pass_on(unit: Unit, node: Node) -> list[Node]:
    """Let nothing that derives from ``node`` be less sensitive than it; returns what was raised, for the record."""
    raised: list[Node] = []
    pending = [node]
    while pending:
        current = pending.pop()
        sources = {source for source, _, type_ in unit.incoming((current.memory.id,)) if type_ is EdgeType.DERIVES_FROM}
        unit.fetch(sorted(sources))
        for source in sorted(sources):
            derived = unit.node(source)
            if derived.has_content and derived.memory.sensitivity < current.memory.sensitivity:
                was = Sensed(derived.memory.sensitivity, derived.memory.sensitivity_reasons)
                found = with_sources(was, current.memory.sensitivity)
                unit.change(derived, sensitivity=found.value, sensitivity_reasons=found.reasons)
                raised.append(derived)
                pending.append(derived)
    return raised


def record(unit: Unit, nodes: Iterable[Node], reason: str) -> None:
    """Record that the sensitivity of memories changed."""
    for node in nodes:
        details = {"rule": "sensitivity", "reason": reason}
        unit.record(Operation.AMEND, node, tier_before=node.memory.tier, details=details)
