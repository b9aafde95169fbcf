"""The ways out of the live tier inside a unit of work: eviction, archiving, expiry, and what they pull along.

Guarantees, when a function here returns: whatever a node with content depends on still has content (I3); whatever an
active task requires has content, or the edge became ``lostPrerequisite`` and the task ``blocked`` (I4, I5); no node
with content refers to something that is gone (I2); neighbours in a session are linked again (I6); each transition has
its record (I7). Source: semantics sections 3, 4 and 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from marskg.errors import NotPermitted
from marskg.ontology.mapping import time_lexical
from marskg.ontology.vocabulary import ACTIVE_STATUSES, TOMBSTONE_EDGES, EdgeType, Kind, Operation, TaskStatus, Tier
from marskg.records import Edge, Memory
from marskg.store.lines import decode, without
from marskg.store.origins import origins_of
from marskg.store.unmentioned import drop_unmentioned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from marskg.store.unit import Node, Unit


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
        unit.running_weight -= memory.weight
        unit.change(
            node,
            tier=Tier.LATENT,
            tier_history=history(unit, memory, Tier.LATENT),
            grace_until=None if grace is None else unit.now + grace,
        )
        unit.record(operation, node, tier_before=memory.tier, details=departure.details)


def evict(unit: Unit, departures: Iterable[Departure], *, operation: Operation = Operation.EVICT) -> None:
    """Take the content of memories that nothing with content depends on, dependents before their bases."""
    ordered = list(departures)
    unit.fetch([departure.id for departure in ordered], leaving=True)
    _release_tasks(unit, {departure.id for departure in ordered})
    nodes = [unit.node(departure.id) for departure in ordered]
    before = [(node.memory.tier, node.memory.weight) for node in nodes]
    # Before stripping: a tombstone may have been kept by an edge that goes with the content.
    candidates = {target for node in nodes for type_, target in node.edges if type_ is not EdgeType.MENTIONS}
    lost = [_strip(unit, node) for node in nodes]
    unreferenced = _unreferenced(unit, [node.memory.id for node in nodes])
    for departure, node, (tier, weight) in zip(ordered, nodes, before, strict=True):
        node.deleted = node.memory.id in unreferenced
        unit.record(operation, node, tier_before=tier, details={"weight": weight, **departure.details})
    _purge(unit, candidates)
    drop_unmentioned(unit, lost)


def expire(unit: Unit, ids: Iterable[str], *, reason: str) -> list[str]:
    """Expire memories with all that depends on them; returns the ids that lost their content, in order.

    The lines of summaries that rest on them leave in the same transaction (semantics section 6).
    """
    order = _lose(unit, ids, reason=reason)
    unit.leaving.update(order)
    return order


def _lose(unit: Unit, ids: Iterable[str], *, reason: str) -> list[str]:
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


def _strip(unit: Unit, node: Node) -> list[str]:
    """Turn a node into a tombstone; returns the entities that it mentioned."""
    memory = node.memory
    if memory.tier is Tier.LIVE:
        unit.running_weight -= memory.weight
    if memory.kind is Kind.EPISODIC:
        unit.take_out_of_chain(memory.id)
        unit.leave_session(memory)
    entities = node.targets(EdgeType.MENTIONS)
    if memory.pinned:
        unit.set_pinned(node, pinned=False)
    if node.guarding:
        node.guarding = False
        unit.guard(node, -1)
        for target in node.targets(EdgeType.REQUIRES):
            unit.guard(unit.node(target), -1)
    for base in node.targets(EdgeType.DEPENDS_ON):
        unit.node(base).blockers -= 1
    for type_, target in list(node.edges):
        if type_ not in TOMBSTONE_EDGES:
            del node.edges[type_, target]
            unit.removed_edges.add((type_, memory.id, target))
    node.salt = None
    node.memory = Memory(
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
        origin_handles=origins_of(unit, memory),
    )
    return entities


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
            node.deleted = True
            details = {"rule": "unreferenced", "reason": "tombstone removed: nothing with content refers to it"}
            unit.record(Operation.PURGE, node, tier_before=Tier.TOMBSTONE, details=details)


def _with_dependents(unit: Unit, ids: Iterable[str]) -> list[str]:
    """Return ``ids`` and all nodes with content that depend on them, dependents before bases."""
    order = with_what_rests(unit, ids, frozenset({EdgeType.DEPENDS_ON}))
    return [node_id for node_id in order if unit.node(node_id).has_content]


def with_what_rests(
    unit: Unit,
    ids: Iterable[str],
    types: frozenset[EdgeType],
    rests: Callable[[Node, EdgeType], bool] = lambda _source, _type: True,
) -> list[str]:
    """Return ``ids`` and all nodes with content that rest on them, through any number of steps, these first.

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
    stack = [(node_id, False) for node_id in sorted(found, reverse=True)]
    while stack:
        node_id, expanded = stack.pop()
        if node_id in done:
            continue
        if expanded:
            done.add(node_id)
            order.append(node_id)
            continue
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
    unit.running_weight += memory.weight
    unit.keep.add(memory.id)
    unit.change(node, tier=Tier.LIVE, tier_history=history(unit, memory, Tier.LIVE), grace_until=None)
    unit.record(
        Operation.RESTORE,
        node,
        tier_before=Tier.LATENT,
        details={"rule": "restore", "reason": reason},
    )
    return node.memory


def settle_due(unit: Unit, limit: int = 200) -> int:
    """Apply what time has brought: expiries, ends of grace, deadlines; returns how many memories it looked at.

    While expiry is suspended after a jump of the clock, nothing is removed (semantics section 10).
    """
    name = unit.state.name
    high = f"{name}|{unit.now + 1:016x}"
    rows = unit.read("due", {"low": f"{name}|", "high": high, "limit": limit})
    unit.fetch([row["id"] for row in rows])
    lapsed: list[Node] = []
    expired: list[str] = []
    lapsing: list[str] = []
    ended: list[str] = []
    for row in rows:
        node = unit.nodes.get(row["id"])
        if node is None or not node.has_content:
            continue
        memory = node.memory
        if memory.expires_at is not None and memory.expires_at <= unit.now:
            (lapsing if _outlives(unit, node) else expired).append(memory.id)
        elif memory.grace_until is not None and memory.grace_until <= unit.now:
            ended.append(memory.id)
        else:
            lapsed.append(node)
    for node in lapsed:
        unit.settle_activity(node)
        details = {"rule": "deadline", "reason": "deadline and grace passed: the task no longer protects anything"}
        unit.record(Operation.AMEND, node, tier_before=node.memory.tier, details=details)
    if unit.state.suspended_at is not None:
        return len(lapsed)
    expire(unit, expired, reason="expired: its time to live ended")
    unit.lapsed.update(lapsing)
    _end_grace(unit, ended)
    return len(lapsed) + len(expired) + len(lapsing) + len(ended)


def _outlives(unit: Unit, node: Node) -> bool:
    """Return whether this is a summary of which some lines expired, and not all: it ends line by line."""
    lines = decode(node.memory.summary_lines)
    kept = without(lines, frozenset(), unit.now)
    return bool(kept) and len(kept) < len(lines)


def _end_grace(unit: Unit, ids: Iterable[str]) -> None:
    """Take what a policy archived for a time, as far as it might take it now: nothing protected, nothing needed.

    What was restored or linked meanwhile may depend on it; a policy's decision never outranks that (I5).
    """
    ended = {node_id for node_id in ids if unit.nodes[node_id].has_content}
    edges = [(source, target) for source, target, type_ in unit.incoming(ended) if type_ is EdgeType.DEPENDS_ON]
    unit.fetch(sorted({source for source, _ in edges}))
    needed = [(source, target) for source, target in edges if unit.node(source).has_content]
    going = {node_id for node_id in ended if unit.node(node_id).guards == 0}
    while kept := {target for source, target in needed if source not in going} & going:
        going -= kept
    policy = unit.state.settings.policy
    grace = policy.grace if policy.review == "off" else policy.quarantine
    for node_id in sorted(ended - going):
        node = unit.node(node_id)
        unit.change(node, grace_until=unit.now + grace if grace else None)
        details = {"rule": "grace", "reason": "its grace ended, but something depends on it or protects it: it stays"}
        unit.record(Operation.AMEND, node, tier_before=node.memory.tier, details=details)
    # No expiry but the end of an eviction: what was evicted is still true, and so are the lines that rest on it.
    _lose(unit, going, reason="its grace in the latent tier ended")
