"""Measuring the sensitivity of what is stored anew, after the settings or what a user prefers have changed.

Guarantees: each change is one signed transition; what a caller gave is never undercut, and nothing ends below what it
derives from; a memory that is found to hold a secret, and was not when it was stored, becomes private, and lives no
longer than that class does; none leaves it. Texts are measured outside of transactions, and a memory whose text is gone
by then is left alone. After an interruption what was done is kept, and the next run finds the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.ontology.vocabulary import EdgeType
from marskg.store.graph.admit import bring_forward, record_brought_forward
from marskg.store.graph.measured_sensitivity import changes_of
from marskg.store.unit.sensitivity import pass_on, record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from marskg.records import Memory
    from marskg.store.commit.writer import Writer
    from marskg.store.unit.reader import GraphReader
    from marskg.store.unit.sensitivity import Sensed
    from marskg.store.unit.unit_of_work import Node, Unit

_MEASURED: Final = "its sensitivity was measured anew"
_PASSED_ON: Final = "what it derives from became more sensitive"


def rescore(
    writer: Writer,
    reader: GraphReader,
    measure: Callable[[Memory], Sensed | None],
    progress: Callable[[int], None] | None = None,
) -> int:
    """Measure all memories with content anew; returns how many changed. ``progress`` hears how many were looked at."""
    everything: set[str] = set()
    while True:
        changed = _pass(writer, reader, measure, progress)
        everything |= changed
        # What derives from something may come before it in a store's order, and was held against the old value then.
        if not changed:
            return len(everything)


def _pass(
    writer: Writer,
    reader: GraphReader,
    measure: Callable[[Memory], Sensed | None],
    progress: Callable[[int], None] | None,
) -> set[str]:
    """Go once through all memories; returns the ids of those that changed."""
    looked = 0
    changed: set[str] = set()
    for page in reader.memory_pages():
        measured = {
            memory.id: (memory.content, found)
            for memory, _, _ in sorted(reader.nodes(page), key=lambda one: one[0].sequence)
            # A summary is as sensitive as its lines, each of which has its own.
            if memory.content is not None and not memory.summary_lines and (found := measure(memory)) is not None
        }
        if measured:
            changed |= writer.run(lambda unit, measured=measured: _settle(unit, measured))  # type: ignore[misc]  # bound now
        looked += len(page)
        if progress is not None:
            progress(looked)
    return changed


def _settle(unit: Unit, measured: Mapping[str, tuple[str | None, Sensed]]) -> set[str]:
    """Give the memories of a page what was measured of them; returns the ids of those that changed."""
    unit.fetch(measured)
    changed: set[str] = set()
    for node_id, (content, found) in measured.items():
        node = unit.nodes.get(node_id)
        if node is None or not node.has_content or node.memory.content != content:
            continue
        changed |= set(amend(unit, node, found))
    return changed


def amend(unit: Unit, node: Node, measured: Sensed) -> list[str]:
    """Give a memory what was measured of it, and record it; returns the ids of all that changed."""
    memory = node.memory
    changes = changes_of(unit, memory, node.targets(EdgeType.DERIVES_FROM), measured)
    changes = {name: value for name, value in changes.items() if getattr(memory, name) != value}
    if not changes:
        return []
    before = memory.sensitivity
    unit.change(node, **{name: value for name, value in changes.items() if name != "expires_at"})
    hurried = bring_forward(unit, node, changes["expires_at"]) if "expires_at" in changes else []
    record(unit, (node,), _MEASURED)
    record_brought_forward(unit, (one for one in hurried if one is not node))
    raised = pass_on(unit, node) if node.memory.sensitivity > before else []
    record(unit, raised, _PASSED_ON)
    return [node.memory.id, *(one.memory.id for one in raised)]
