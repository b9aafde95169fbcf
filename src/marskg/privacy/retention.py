"""Showing that what was to go is gone: memories of a class that are older than they may be.

Guarantees: looks at every node with content in every tier, superseded and expired ones included; what the log says of
removals, of whatever class and since it began, is counted beside it. Nothing is changed. Source: MemoryArchitect I.C
("show me all data older than 30 days that was deleted").
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from marskg.answer import Answer
from marskg.ontology.mapping import time_lexical
from marskg.ontology.vocabulary import Operation
from marskg.records import Finding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.ontology.vocabulary import MemoryClass
    from marskg.store.unit.reader import GraphReader

_WAYS_OUT: Final = frozenset({Operation.EVICT, Operation.EXPIRE, Operation.ERASE, Operation.CONSOLIDATE})


@dataclass(frozen=True, slots=True)
class Retention(Answer, rows="findings"):
    """What is left of a class from before a moment, and how memories of that time left the store.

    ``findings`` name each memory with content that was said or became true before ``before``; ``checked`` counts the
    memories of the class that were looked at; ``removed_of_any_class`` counts removals by operation since the log
    began, of all classes, because which class a memory had goes with its content.
    """

    memory_class: MemoryClass
    before: int
    checked: int
    findings: tuple[Finding, ...]
    removed_of_any_class: Mapping[str, int]

    @property
    def ok(self) -> bool:
        """Return whether nothing is left."""
        return not self.findings


def check_retention(reader: GraphReader, memory_class: MemoryClass, before: int) -> Retention:
    """Return what the tenant still holds of ``memory_class`` from before ``before`` (epoch milliseconds)."""
    findings = []
    checked = 0
    for memory, _, _ in reader.memories():
        if memory.content is None or memory.memory_class is not memory_class:
            continue
        checked += 1
        if memory.valid_from < before:
            message = (
                f"it is {memory.tier}, from {time_lexical(memory.valid_from)}; expire it with a life of its class, "
                "or forget it"
            )
            findings.append(Finding("too-old", memory.id, message))
    removed: Counter[str] = Counter()
    for record in reader.records("t"):
        if record.operation in _WAYS_OUT:
            removed[record.operation.value] += 1
    return Retention(memory_class, before, checked, tuple(findings), dict(sorted(removed.items())))
