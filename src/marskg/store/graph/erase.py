"""Erasing memories inside a unit of work: they go whole, with their dependents, and the log forgets what they were.

Guarantees, when a function here returns: of every erased memory no node, edge, salt or audit detail will be left once
the unit is written. With it go all memories that depend on it or derive from it, through any number of steps, and of a
summary the lines that rest on it, the version that held them included (semantics sections 5 and 6). A task that
required one of them is ``blocked`` and requires it no more: an edge to what was erased would keep its id, so there is
no ``lostPrerequisite`` here (ADR 23). What else pointed to it points there no more, with a record. The slots that are
deleted are listed in a signed record of each log, which is the only gap that the verifier accepts (section 8).

It reads the records about what goes and, once, which memories each record of the access log is about: O(n) in what
goes and in the access log, whatever the store holds besides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from marskg.ontology.vocabulary import ACTIVE_STATUSES, EdgeType, Operation, TaskStatus, Tier
from marskg.store.graph import tiers
from marskg.store.graph.imported_items import marks_of
from marskg.store.graph.summaries import settle_lines
from marskg.store.graph.suppression import RESTS
from marskg.store.rows import codec
from marskg.store.rows.paging import pages

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from marskg.records import AuditRecord
    from marskg.store.unit.unit_of_work import Node, Unit

#: Slots that one record of the log lists.
_LISTED: Final = 5_000
_PAGE: Final = 2_000
_IDS: Final = 500
_RULE: Final = "erasure"


@dataclass(frozen=True, slots=True)
class Erased:
    """What one erasure took: ids of memories that were asked for, and of those that went with them; of entities.

    ``shortened`` are new versions of summaries without the lines that left, ``blocked`` tasks that lost a
    prerequisite; ``slots`` counts deleted audit slots, in both logs.
    """

    asked: tuple[str, ...]
    descendants: tuple[str, ...]
    entities: tuple[str, ...]
    shortened: tuple[str, ...]
    blocked: tuple[str, ...]
    slots: int


def erase(
    unit: Unit,
    ids: Iterable[str],
    entities: Iterable[str] = (),
    *,
    preferences: Iterable[str] = (),
    departed: Iterable[str] = (),
    parameters: Sequence[str] = (),
) -> Erased:
    """Erase memories in any tier and entities, with all their dependents, in the caller's unit.

    Args:
        unit: the unit of work; it does nothing else.
        ids: memories of the tenant; those that are not there are passed over.
        entities: entities that go besides those that no memory mentions any more.
        preferences: preferences that go.
        departed: memories that had gone already; the logs forget what they say of them.
        parameters: what the record of the erasure says of the request: words of the product, never a name.
    """
    asked = sorted(set(ids))
    unit.fetch(asked, leaving=True)
    asked = [node_id for node_id in asked if node_id in unit.nodes]
    blocked = _release_tasks(unit, asked)
    order = tiers.with_dependents(unit, asked, RESTS, _goes_too)
    blocked |= _release_tasks(unit, order)
    whole = [node_id for node_id in order if unit.node(node_id).has_content]
    before = set(unit.nodes)
    tiers.evict(unit, [tiers.Departure(node_id, {"rule": _RULE}) for node_id in whole], operation=Operation.ERASE)
    # Their texts are suppressed, or whom they are about, until there is a consent.
    unit.suppressed.difference_update(marks_of(unit.services, unit.state.name, whole))
    unit.leaving.update(order)
    settle_lines(unit)
    gone = _lost(unit) | set(order)
    shortened = sorted(node_id for node_id, node in unit.nodes.items() if node.new and node_id not in before)
    _cut_loose(unit, gone)
    named = sorted(set(entities) - unit.entities.removed)
    for entity_id in named:
        unmention(unit, entity_id, gone)
    if named:
        unit.entities.remove(named, "erased")
    for preference_id in sorted(preferences):
        unit.preferences.remove(preference_id, "erased")
    slots = _forget_details(unit, gone, departed, parameters)
    return Erased(
        asked=tuple(asked),
        descendants=tuple(sorted(gone - set(asked))),
        entities=tuple(sorted(unit.entities.removed)),
        shortened=tuple(shortened),
        blocked=tuple(sorted(blocked - gone)),
        slots=slots,
    )


def unmention(unit: Unit, entity_id: str, going: Collection[str]) -> None:
    """Let what stays mention an entity no more that goes: what was linked to it by a word, and may mean another."""
    rows = unit.read("entity_mentions", {"ref": codec.ref(unit.state.name, entity_id)})
    staying = sorted(str(row["id"]) for row in rows if row["id"] not in going)
    unit.fetch(staying)
    for memory_id in staying:
        node = unit.node(memory_id)
        if (EdgeType.MENTIONS, entity_id) not in node.edges:
            continue
        unit.unlink(node, EdgeType.MENTIONS, entity_id)
        details = {"rule": _RULE, "reason": "an entity that it mentioned was erased"}
        unit.record(Operation.AMEND, node, tier_before=node.memory.tier, details=details)


def _goes_too(node: Node, type_: EdgeType) -> bool:
    """Return whether a node with content goes with what its edge of ``type_`` leads to.

    A summary with lines does not go with a source: its lines leave one by one. With what it depends on it does.
    """
    return type_ is EdgeType.DEPENDS_ON or not node.memory.summary_lines


def _release_tasks(unit: Unit, losing: Iterable[str]) -> set[str]:
    """Let no task require, or remember that it required, what is about to go; returns the active ones, now blocked."""
    blocked: set[str] = set()
    wanted = {EdgeType.REQUIRES, EdgeType.LOST_PREREQUISITE}
    edges = [edge for edge in unit.incoming(losing) if edge[2] in wanted]
    unit.fetch(sorted({source for source, _, _ in edges}))
    for source, target, type_ in edges:
        node = unit.node(source)
        unit.unlink(node, type_, target)
        if type_ is EdgeType.REQUIRES and node.has_content and node.memory.status in ACTIVE_STATUSES:
            blocked.add(source)
    for source in sorted({source for source, _, _ in edges}):
        node = unit.node(source)
        if not node.has_content:
            continue
        if source in blocked:
            unit.change(node, status=TaskStatus.BLOCKED)
        reason = "a prerequisite was erased: the task is blocked" if source in blocked else "a prerequisite was erased"
        unit.record(
            Operation.AMEND, node, tier_before=node.memory.tier, details={"rule": "lost-prerequisite", "reason": reason}
        )
    return blocked


def _lost(unit: Unit) -> set[str]:
    """Return what lost its content in this unit: what was erased, and versions of summaries that held its lines."""
    return {
        node_id
        for node_id, node in unit.nodes.items()
        if not node.has_content and (node.new or node.original.get("content") is not None)
    }


def _cut_loose(unit: Unit, gone: set[str]) -> None:
    """Remove the nodes ``gone``, and every edge to them from what stays."""
    edges = [edge for edge in unit.incoming(gone) if edge[0] not in gone and edge[2] is not EdgeType.TEMPORAL_NEXT]
    unit.fetch(sorted({source for source, _, _ in edges}))
    changed: dict[str, Node] = {}
    for source, target, type_ in edges:
        node = unit.node(source)
        unit.unlink(node, type_, target)
        if node.has_content:
            changed[source] = node
    for node in changed.values():
        details = {"rule": _RULE, "reason": "an edge led to a memory that was erased"}
        unit.record(Operation.AMEND, node, tier_before=node.memory.tier, details=details)
    for node_id in sorted(gone):
        node = unit.nodes[node_id]
        if node.deleted:
            continue
        if node.original.get("tier") == Tier.TOMBSTONE:
            unit.suppressed.update(marks_of(unit.services, unit.state.name, (node_id,)))
            node.delete()
            unit.record(Operation.ERASE, node, tier_before=Tier.TOMBSTONE, details={"rule": _RULE})
        node.delete()


# --- The log --------------------------------------------------------------------------------------------------------


def _forget_details(unit: Unit, memories: set[str], departed: Iterable[str], parameters: Sequence[str]) -> int:
    """Delete the audit slots of all that went, now or before, in both logs, and sign which; returns how many."""
    gone = memories.union(unit.entities.removed, unit.preferences.removed, departed)
    transitions = [*_stored_transitions(unit, gone), *_own_transitions(unit, gone)]
    accesses = _accesses(unit, gone)
    counts = (
        f"memories={len(memories)}",
        f"entities={len(unit.entities.removed)}",
    )
    said = {"parameters": tuple(sorted(parameters)), "counts": tuple(sorted(counts))}
    # An erasure that matched nothing is told as well.
    for listed in _listed(transitions) or [()]:
        unit.audit.note(Operation.ERASE, deleted_slots=listed, **said)
    for listed in _listed(accesses):
        unit.audit.note_access(Operation.ERASE, deleted_slots=listed, **said)
    return len(transitions) + len(accesses)


def _listed(slots: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(sorted(slots[start : start + _LISTED])) for start in range(0, len(slots), _LISTED)]


def _stored_transitions(unit: Unit, gone: set[str]) -> list[str]:
    """Empty the slots of stored records about ``gone``: a node's, and the record's, which is about it alone."""
    ids = sorted(gone)
    low = f"{unit.state.name}|t|"
    found: list[str] = []
    for start in range(0, len(ids), _IDS):
        refs = unit.refs(ids[start : start + _IDS])
        for row in unit.read("transitions_about", {"refs": refs, "low": low}):
            unit.audit.erased_transitions.append(row["ref"])
            found += [f"{row['sequence']}.0", f"{row['sequence']}.1"]
    return found


def _own_transitions(unit: Unit, gone: set[str]) -> list[str]:
    """Empty the slots of this unit's own records about ``gone`` before they are ever written."""
    found = []
    for place, record in enumerate(unit.audit.transitions):
        if record.memories and gone.issuperset(record.memories):
            unit.audit.transitions[place] = _emptied(record)
            found += [f"{record.sequence}.{slot}" for slot in range(len(record.details))]
    return found


def _emptied(record: AuditRecord) -> AuditRecord:
    blank = ("",) * len(record.details)
    return replace(record, details=blank, salts=blank, memories=blank[1:])


def _accesses(unit: Unit, gone: set[str]) -> list[str]:
    """Empty the slots of ``gone`` in the access log, and the record's own where it was about nothing else."""
    read: Callable[[dict[str, Any]], list[dict[str, Any]]] = partial(unit.read, "access_page")
    touched = [
        (row["ref"], row["sequence"])
        for page in pages(read, f"{unit.state.name}|a", _PAGE)
        for row in page
        if not gone.isdisjoint(row["memories"] or ())
    ]
    sequences = dict(touched)
    found: list[str] = []
    for start in range(0, len(touched), _IDS):
        refs = [ref for ref, _ in touched[start : start + _IDS]]
        for row in unit.read("records_by_ref", {"refs": refs}):
            kept = [bool(memory) and memory not in gone for memory in row["memories"]]
            keep = [any(kept), *kept]
            was = [bool(salt) for salt in row["salts"]]
            found += [
                f"{sequences[row['ref']]}.{slot}"
                for slot, (stays, there) in enumerate(zip(keep, was, strict=True))
                if there and not stays
            ]
            unit.audit.erased_accesses.append(
                {
                    "ref": row["ref"],
                    "details": [text if stays else "" for text, stays in zip(row["details"], keep, strict=True)],
                    "salts": [salt if stays else "" for salt, stays in zip(row["salts"], keep, strict=True)],
                    "memories": [name if stays else "" for name, stays in zip(row["memories"], kept, strict=True)],
                }
            )
    return found
