"""What is due: lives that end, grace that ends, deadlines that passed.

Guarantees: whose life ended is gone with what depends on it, or, where ``on_expiry`` is ``archive``, put aside whole
into the latent tier without an end of its own; what is private, bound to a use or a session, older than a retention
preference or the legal horizon allows, or a summary whose lines ended, always goes, and so does what the latent tier
has no room for. Nothing put aside outlives what it depends on. Source: semantics sections 1, 3 and 5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.clock import later
from marskg.config import ARCHIVE
from marskg.ontology.vocabulary import EdgeType, MemoryClass, Operation, Tier
from marskg.store.graph.admit import bring_forward
from marskg.store.graph.preference_enforcement import preferences_of
from marskg.store.graph.tiers import Departure, archive, expire, lose, with_dependents
from marskg.store.rows.summary_lines import decode, without
from marskg.store.unit.unit_of_work import is_active

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from marskg.records import Memory
    from marskg.store.unit.unit_of_work import Node, Unit

#: Why a memory expires, as its record says it.
EXPIRED = "expired: its time to live ended"


def settle_due(unit: Unit, limit: int = 200) -> int:
    """Apply what time has brought: expiries, ends of grace, deadlines; returns how many memories it changed."""
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
    end_lives(unit, expired, reason=EXPIRED)
    unit.lapsed.update(lapsing)
    _end_grace(unit, ended)
    return len(lapsed) + len(expired) + len(lapsing) + len(ended)


def end_lives(unit: Unit, ids: Iterable[str], *, reason: str) -> int:
    """End the lives of memories as ``on_expiry`` has it; returns how many left the live tier or lost their content."""
    wanted = list(ids)
    going = [node_id for node_id in wanted if not _may_stay(unit, unit.node(node_id))]
    gone = len(expire(unit, going, reason=reason))
    left = set(wanted) - set(going)
    # Bases before what depends on them, whose ends follow theirs.
    order = [one for one in reversed(with_dependents(unit, left, frozenset({EdgeType.DEPENDS_ON}))) if one in left]
    return gone + sum(_put_aside(unit, unit.node(node_id), reason) for node_id in order)


def _may_stay(unit: Unit, node: Node) -> bool:
    """Return whether a memory whose life ended is put aside, and not removed."""
    memory = node.memory
    bound = memory.use_bound or memory.session_bound or memory.memory_class is MemoryClass.PRIVATE
    if unit.state.settings.on_expiry != ARCHIVE or bound or memory.summary_lines:
        return False
    return all(limit > unit.now for limit in _limits(unit, memory))


def _limits(unit: Unit, memory: Memory) -> list[int]:
    """Return the moments after which nothing may keep a memory: retention preferences, and the legal horizon."""
    spans = (
        preferences_of(unit).horizon(memory.kind, memory.subjects),
        unit.state.settings.learning.legal_horizon,
    )
    return [later(memory.created, span) for span in spans if isinstance(span, int)]


def _put_aside(unit: Unit, node: Node, reason: str) -> int:
    """Put a memory whose life ended into the latent tier, whole; one for which there is no room goes."""
    if not node.has_content:
        return 0  # it went with what it depends on
    room = unit.state.settings.latent_budget
    if node.memory.tier is Tier.LIVE and room is not None and _latent(unit) + node.memory.weight > room:
        return len(expire(unit, [node.memory.id], reason=reason))
    bases = [unit.node(base).memory.expires_at for base in node.targets(EdgeType.DEPENDS_ON)]
    ends = [end for end in (*_limits(unit, node.memory), *bases) if end is not None]
    unit.set_pinned(node, pinned=False)
    unit.change(node, expires_at=min(ends, default=None))
    details = {"rule": "expiry", "reason": f"{reason}; on_expiry puts it aside"}
    if node.memory.tier is Tier.LIVE:
        archive(unit, [Departure(node.memory.id, details)], grace=None)
    else:
        unit.record(Operation.AMEND, node, tier_before=node.memory.tier, details=details)
    return 1


def _latent(unit: Unit) -> int:
    """Return what the latent tier weighs as the unit goes along."""
    moved = 0
    for node in unit.nodes.values():
        was = node.stored.weight if node.stored is not None and node.stored.tier is Tier.LATENT else 0
        moved += (node.memory.weight if node.has_content and node.memory.tier is Tier.LATENT else 0) - was
    return unit.before.latent_weight + moved


def settle_private(unit: Unit, ids: Iterable[str]) -> int:
    """Expire those of ``ids`` that are private and over, which no suspension holds back; returns how many went."""
    unit.fetch(ids)
    memories = [unit.nodes[node_id].memory for node_id in ids if node_id in unit.nodes]
    over = [
        memory.id
        for memory in memories
        if memory.memory_class is MemoryClass.PRIVATE
        and memory.content is not None
        and memory.expires_at is not None
        and memory.expires_at <= unit.now
    ]
    expire(unit, over, reason=EXPIRED)
    return len(over)


def live_on(unit: Unit, ids: Sequence[str], before: int) -> None:
    """Let those of ``ids`` that are private and were created at a wrong time ahead end as long after ``unit.now``.

    Else they would stay until the wrong time has come. ``before`` is what the time was until it was put right: one that
    this happens to once more has what was left of its life.
    """
    unit.fetch(ids)
    found = [unit.nodes[ident] for ident in ids if ident in unit.nodes]
    lives = [
        (node, node.memory.expires_at - min(node.memory.created, before))
        for node in found
        if node.memory.memory_class is MemoryClass.PRIVATE
        and node.memory.expires_at is not None
        and node.memory.created > unit.now
    ]
    details = {"rule": "expiry", "reason": "expires_at was brought forward: it was created at a wrong time ahead"}
    for node, life in lives:
        for changed in bring_forward(unit, node, later(unit.now, max(0, life))):
            unit.record(Operation.AMEND, changed, tier_before=changed.memory.tier, details=details)


def protect_again(unit: Unit, ids: Iterable[str]) -> None:
    """Let those tasks of ``ids`` protect what they require whose deadline, with its grace, lies ahead again.

    So it does where a wrong time ahead was none, or the grace became longer. One that lost what it requires stays as
    it is until somebody amends it.
    """
    wanted = list(ids)
    unit.fetch(wanted)
    for node in [unit.nodes[ident] for ident in wanted if ident in unit.nodes]:
        active = node.has_content and is_active(node.memory, unit.state.settings.task_grace, unit.now)
        if not active or node.guarding or node.targets(EdgeType.LOST_PREREQUISITE):
            continue
        unit.settle_activity(node)
        details = {"rule": "deadline", "reason": "its deadline, with its grace, is ahead again: the task protects"}
        unit.record(Operation.AMEND, node, tier_before=node.memory.tier, details=details)


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
        unit.change(node, grace_until=later(unit.now, grace) if grace else None)
        details = {"rule": "grace", "reason": "its grace ended, but something depends on it or protects it: it stays"}
        unit.record(Operation.AMEND, node, tier_before=node.memory.tier, details=details)
    # No expiry but the end of an eviction: what was evicted is still true, and so are the lines that rest on it.
    lose(unit, going, reason="its grace in the latent tier ended")
