"""The ways out of the live tier inside a unit of work: eviction, archiving, expiry, and what they pull along.

Guarantees, when a function here returns: whatever a node with content depends on still has content (I3); whatever an
active task requires has content, or the edge became ``lostPrerequisite`` and the task ``blocked`` (I4, I5); no node
with content refers to something that is gone (I2); neighbours in a session are linked again (I6); each transition has
its record (I7). Source: semantics sections 3, 4 and 5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from marskg.clock import later
from marskg.errors import NotPermitted
from marskg.ontology.mapping import time_lexical
from marskg.ontology.vocabulary import (
    ACTIVE_STATUSES,
    EdgeType,
    Operation,
    TaskStatus,
    Tier,
)
from marskg.records import Edge, Memory
from marskg.store.graph.imported_items import marks_of
from marskg.store.graph.orphan_entities import drop_unmentioned
from marskg.store.graph.suppression import note_forgotten
from marskg.store.unit.provenance_handles import origins_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from marskg.store.unit.unit_of_work import Node, Unit

#: Names of entities that a text is found by: what an index holds has an end.
_MOST_NAMES: Final = 100


@dataclass(frozen=True, slots=True)
class Departure:
    """One memory that is to lose its content, and what its record says."""

    id: str
    details: Mapping[str, Any]


def history(unit: Unit, memory: Memory, tier: Tier) -> tuple[str, ...]:
    """Return the memory's tier history with its step into ``tier``."""
    return tuple(sorted({*memory.tier_history, f"{time_lexical(unit.now)} {tier}"}))


def archive(
    unit: Unit, departures: Iterable[Departure], *, grace: int | None, operation: Operation = Operation.ARCHIVE
) -> None:
    """Move memories to the latent tier; with ``grace`` (ms) they become tombstones when it ends."""
    for departure in departures:
        node = unit.node(departure.id)
        memory = node.memory
        until = None if grace is None else later(unit.now, grace)
        steps = history(unit, memory, Tier.LATENT)
        unit.become(node, replace(memory, tier=Tier.LATENT, tier_history=steps, grace_until=until))
        unit.record(operation, node, tier_before=memory.tier, details=departure.details)


def evict(unit: Unit, departures: Iterable[Departure], *, operation: Operation = Operation.EVICT) -> None:
    """Take the content of memories that nothing with content depends on, dependents before their bases."""
    ordered = list(departures)
    unit.fetch([departure.id for departure in ordered], leaving=True)
    _release_tasks(unit, {departure.id for departure in ordered})
    nodes = [unit.node(departure.id) for departure in ordered]
    before = [(node.memory.tier, node.memory.weight) for node in nodes]
    names: dict[str, list[str]] = {}
    if operation is not Operation.ERASE:
        names = _names_mentioned(unit, nodes)
        note_forgotten(unit, ((node.memory, names[node.memory.id]) for node in nodes))
    # Before stripping: a tombstone may have been kept by an edge that goes with the content.
    candidates = {target for node in nodes for type_, target in node.edges if type_ is not EdgeType.MENTIONS}
    lost = [_strip(unit, node, names.get(node.memory.id, ())) for node in nodes]
    unreferenced = _unreferenced(unit, [node.memory.id for node in nodes])
    for departure, node, (tier, weight) in zip(ordered, nodes, before, strict=True):
        if node.memory.id in unreferenced:
            _remove(unit, node)
        unit.record(operation, node, tier_before=tier, details={"weight": weight, **departure.details})
    _purge(unit, candidates)
    drop_unmentioned(unit, lost)


def expire(unit: Unit, ids: Iterable[str], *, reason: str) -> list[str]:
    """Expire memories with all that depends on them; returns the ids that lost their content, in order.

    The lines of summaries that rest on them leave in the same transaction (semantics section 6).
    """
    order = lose(unit, ids, reason=reason)
    unit.leaving.update(order)
    return order


def lose(unit: Unit, ids: Iterable[str], *, reason: str) -> list[str]:
    """Take the content of memories and of all that depends on them; returns their ids in order."""
    order = _with_dependents(unit, ids)
    evict(
        unit,
        [Departure(node_id, {"rule": "expiry", "reason": reason}) for node_id in order],
        operation=Operation.EXPIRE,
    )
    return order


def release(unit: Unit, node: Node, type_: EdgeType, target: str) -> None:
    """Remove what the edge of ``type_`` from ``node`` to ``target``, just removed, was the last to keep (section 3)."""
    if type_ is EdgeType.MENTIONS:
        drop_unmentioned(unit, ((target, *node.targets(EdgeType.MENTIONS)),))
    else:
        _purge(unit, {target})


def _names_mentioned(unit: Unit, nodes: list[Node]) -> dict[str, list[str]]:
    """Return by the ids of nodes the ids and the names of the entities that each mentions."""
    mentioned = {node.memory.id: node.targets(EdgeType.MENTIONS) for node in nodes}
    unit.entities.fetch(entity_id for targets in mentioned.values() for entity_id in targets)
    found: dict[str, list[str]] = {}
    for ident, targets in mentioned.items():
        entities = filter(None, map(unit.entities.get, targets))
        names = [name for entity in entities for name in (entity.id, entity.name, *entity.aliases)]
        found[ident] = names[:_MOST_NAMES]
    return found


def _strip(unit: Unit, node: Node, names: Sequence[str]) -> list[str]:
    """Turn a node into a tombstone, which knows of ``names`` that it mentioned them; returns these entities."""
    memory = node.memory
    entities = node.targets(EdgeType.MENTIONS)
    tombstone = Memory(
        id=memory.id,
        tenant=memory.tenant,
        kind=memory.kind,
        content=None,
        created=memory.created,
        sequence=memory.sequence,
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
        superseded_at=memory.superseded_at,
        tier=Tier.TOMBSTONE,
        tier_history=history(unit, memory, Tier.TOMBSTONE),
        subject_handles=tuple(sorted(unit.services.handle(unit.state.name, subject) for subject in memory.subjects)),
        origin_handles=origins_of(unit, memory, names),
    )
    unit.strip(node, tombstone)
    return entities


def _remove(unit: Unit, node: Node) -> None:
    """Remove a node; an import goes on to know what it stored once."""
    node.delete()
    unit.suppressed.update(marks_of(unit.services, unit.state.name, (node.memory.id,)))


def _unreferenced(unit: Unit, ids: Iterable[str]) -> set[str]:
    """Return those of ``ids`` that no node with content refers to."""
    wanted = set(ids)
    edges = [edge for edge in unit.incoming(wanted) if edge[2] is not EdgeType.TEMPORAL_NEXT]
    return wanted - {target for source, target, _ in edges if unit.keeps_content(source)}


def _purge(unit: Unit, candidates: set[str]) -> None:
    """Remove the tombstones among ``candidates`` that nothing with content refers to, and so on downwards."""
    while candidates:
        # Most of what was referred to has content: only tombstones are read whole.
        unit.fetch(sorted(one for one in candidates if unit.tier_of(one) in {None, Tier.TOMBSTONE}))
        tombstones = [
            node_id
            for node_id in sorted(candidates)
            if (node := unit.nodes.get(node_id)) is not None and not node.deleted and not node.has_content
        ]
        candidates = set()
        for node_id in sorted(_unreferenced(unit, tombstones)):
            node = unit.node(node_id)
            candidates |= {target for _, target in node.edges}
            _remove(unit, node)
            details = {"rule": "unreferenced", "reason": "tombstone removed: nothing with content refers to it"}
            unit.record(Operation.PURGE, node, tier_before=Tier.TOMBSTONE, details=details)


def _with_dependents(unit: Unit, ids: Iterable[str]) -> list[str]:
    """Return ``ids`` and all nodes with content that depend on them, dependents before bases."""
    order = with_dependents(unit, ids, frozenset({EdgeType.DEPENDS_ON}))
    return [node_id for node_id in order if unit.node(node_id).has_content]


def with_dependents(
    unit: Unit,
    ids: Iterable[str],
    types: frozenset[EdgeType],
    rests: Callable[[Node, EdgeType], bool] = lambda _source, _type: True,
) -> list[str]:
    """Return ``ids`` and all their dependents with content, through any number of steps, these first.

    Only edges of ``types`` count; ``rests`` says of a node and one of them whether it goes with what that leads to.
    """
    order: list[str] = []
    done: set[str] = set()
    pending = sorted(set(ids))
    found = set(pending)
    dependents: dict[str, list[str]] = {}
    while pending:
        edges = [edge for edge in unit.incoming(pending) if edge[2] in types]
        unit.fetch(sorted({source for source, _, _ in edges}))
        pending = []
        for source, target, type_ in edges:
            node = unit.node(source)
            if node.has_content and rests(node, type_):
                dependents.setdefault(target, []).append(source)
                if source not in found:
                    found.add(source)
                    pending.append(source)
    # An edge that the write gate will refuse may have closed a cycle: each node is expanded once.
    entered: set[str] = set()
    stack = [(node_id, False) for node_id in sorted(found, reverse=True)]
    while stack:
        node_id, expanded = stack.pop()
        if node_id in done:
            continue
        if expanded:
            done.add(node_id)
            order.append(node_id)
            continue
        if node_id in entered:
            continue
        entered.add(node_id)
        stack.append((node_id, True))
        stack += [(source, False) for source in dependents.get(node_id, ()) if source not in done]
    return order


def _release_tasks(unit: Unit, losing: set[str]) -> None:
    """Turn ``requires`` edges onto what is about to go into ``lostPrerequisite`` and block their open tasks (I5).

    A policy reaches this only for tasks whose deadline and grace have passed: they protect nothing any more, and a
    task that says open although what it requires is gone would mislead whoever reads it (I4).
    """
    tasks: dict[str, list[str]] = {}
    for source, target, type_ in unit.incoming(losing):
        if type_ is EdgeType.REQUIRES and source not in losing:
            tasks.setdefault(source, []).append(target)
    for task_id, targets in sorted(tasks.items()):
        node = unit.node(task_id)
        if not node.has_content or node.memory.status not in ACTIVE_STATUSES:
            continue
        for target in targets:
            unit.unlink(node, EdgeType.REQUIRES, target)
            unit.link(node, Edge(task_id, EdgeType.LOST_PREREQUISITE, target, unit.now))
        unit.change(node, status=TaskStatus.BLOCKED)
        unit.record(
            Operation.AMEND,
            node,
            tier_before=node.memory.tier,
            details={"rule": "lost-prerequisite", "reason": "a prerequisite is gone: the task is blocked"},
        )


def restore(unit: Unit, node: Node, *, reason: str = "restored to the live tier on request") -> Memory:
    """Make a latent memory live again, for ``reason``; the budget is the caller's to check.

    Raises:
        NotPermitted: the memory is not latent.
    """
    memory = node.memory
    if memory.tier is not Tier.LATENT:
        msg = f"{memory.id} is {memory.tier}, and only a latent memory can be restored"
        raise NotPermitted(msg)
    unit.keep.add(memory.id)
    steps = history(unit, memory, Tier.LIVE)
    unit.become(node, replace(memory, tier=Tier.LIVE, tier_history=steps, grace_until=None))
    unit.record(
        Operation.RESTORE,
        node,
        tier_before=Tier.LATENT,
        details={"rule": "restore", "reason": reason},
    )
    return node.memory
