"""Taking a reading back: what one call, one rule or one model made ends, and what it had ended holds again.

Guarantees: only what the store's own history says is undone: a memory that others read as well, or that a person stored
too, stays; an older value comes back only where nothing newer took its place since. Several calls may be taken back in
any order: what was taken back never holds again, and what took its place stands in the place of what was before it. The
turns stay as they were said. Nothing is deleted, and each step has its signed record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from marskg.answer import Answer
from marskg.learning.from_text.makers import made_by
from marskg.learning.from_text.waiting import drop, is_waiting
from marskg.ontology.vocabulary import Cardinality, EdgeType, Kind, Operation, TaskStatus
from marskg.records import Edge
from marskg.store.graph.admit import end
from marskg.store.rows import codec

if TYPE_CHECKING:
    from marskg.records import Memory
    from marskg.store.unit.unit_of_work import Node, Unit

_REASON: Final = "what was read from a text was taken back"


@dataclass(frozen=True, slots=True)
class Undone(Answer):
    """What was taken back: ids of what ended, of what holds again, and of what stays as others read it too."""

    call: str
    ended: tuple[str, ...]
    restored: tuple[str, ...]
    kept: tuple[str, ...]


def undo(unit: Unit, call: str, ids: list[str]) -> Undone:
    """Take back what ``call`` did to the memories ``ids``."""
    unit.fetch(ids)
    nodes = [unit.node(one) for one in ids if unit.node(one).has_content]
    ended, kept, restored = [], [], []
    # The newest first: what came back for a while gives way to what was there before it.
    for node in sorted(nodes, key=lambda one: -one.memory.sequence):
        memory = node.memory
        mine = [one for one in memory.made_by if made_by(one, call)]
        if mine and len(mine) < len(memory.made_by):
            unit.change(node, made_by=tuple(one for one in memory.made_by if one not in mine))
            _record(unit, node, Operation.AMEND)
            kept.append(memory.id)
        elif mine and is_waiting(memory):
            drop(unit, memory.id, _REASON)
            ended.append(memory.id)
        elif mine and memory.current:
            restored += _give_way(unit, node, mine[0])
            ended.append(memory.id)
        elif mine and not taken_back(memory):
            restored += _leave_history(unit, node, mine[0])
            ended.append(memory.id)
        elif not mine and memory.ended_by is not None and made_by(memory.ended_by, call) and _reopen(unit, node):
            restored.append(memory.id)
    again = tuple(dict.fromkeys(one for one in restored if one not in ended))
    return Undone(call, tuple(ended), again, tuple(kept))


def taken_back(memory: Memory) -> bool:
    """Return whether what made a memory was taken back: a reading that made it ended it, for all the time it held."""
    never = memory.valid_to is not None and memory.valid_to <= memory.valid_from
    return never and memory.ended_by is not None and memory.ended_by in memory.made_by


def _leave_history(unit: Unit, node: Node, maker: str) -> list[str]:
    """Let what was read never have held: what took its place took that of what was before it.

    Returns the ids of what holds again, as nothing took its place.
    """
    memory = node.memory
    newer = [unit.node(source) for source, _, type_ in unit.incoming((memory.id,)) if type_ is EdgeType.SUPERSEDES]
    newer = [one for one in newer if one.has_content]
    older = [unit.node(target) for target in node.targets(EdgeType.SUPERSEDES)]
    older = [one for one in older if one.has_content]
    for old in older:
        unit.unlink(node, EdgeType.SUPERSEDES, old.memory.id)
        for new in newer:
            unit.link(new, Edge(new.memory.id, EdgeType.SUPERSEDES, old.memory.id, unit.now))
        if newer and old.memory.valid_to == memory.valid_from:
            unit.change(old, valid_to=memory.valid_to)
            _record(unit, old, Operation.AMEND)
    for new in newer:
        unit.unlink(new, EdgeType.SUPERSEDES, memory.id)
        _record(unit, new, Operation.AMEND)
    by_text = memory.ended_by is not None
    unit.change(node, valid_to=memory.valid_from, ended_by=maker)
    _record(unit, node, Operation.AMEND)
    if memory.ended_by in memory.made_by:  # Read as what it was, and ended at once, with the turns that said no more.
        _wake(unit, node, memory.superseded_at)
    # What a person ended, not knowing what a text had put in its place, stays so.
    return [old.memory.id for old in older if not newer and by_text and _reopen(unit, old)]


def _give_way(unit: Unit, node: Node, maker: str) -> list[str]:
    """End what was read, and let what it superseded hold again; returns the ids of what does."""
    pinned = node.memory.pinned
    older = [unit.node(target) for target in node.targets(EdgeType.SUPERSEDES)]
    older = [one for one in older if one.has_content and not one.memory.current and not taken_back(one.memory)]
    incoming = [(source, type_) for source, _, type_ in unit.incoming((node.memory.id,))]
    for old in older:
        unit.unlink(node, EdgeType.SUPERSEDES, old.memory.id)
    end(unit, node, _REASON, at=node.memory.valid_from, by=maker, follow=False)
    for old in older:
        since = old.memory.superseded_at
        unit.change(old, valid_to=None, superseded_at=None)
        if pinned:
            unit.set_pinned(old, pinned=True)
        _take_over(unit, node, old, [source for source, type_ in incoming if type_ is EdgeType.REQUIRES])
        _record(unit, old, Operation.AMEND)
        _wake(unit, old, since)
    return [old.memory.id for old in older]


def _take_over(unit: Unit, new: Node, old: Node, tasks: list[str]) -> None:
    """Give back what moved to the newer value: the goals that it serves, and the tasks that require it."""
    for goal in new.targets(EdgeType.ATTACHES_TO_GOAL):
        unit.link(old, Edge(old.memory.id, EdgeType.ATTACHES_TO_GOAL, goal, unit.now))
    for task in map(unit.node, tasks):
        if task.has_content:
            unit.unlink(task, EdgeType.REQUIRES, new.memory.id)
            unit.link(task, Edge(task.memory.id, EdgeType.REQUIRES, old.memory.id, unit.now))
            _record(unit, task, Operation.AMEND)
    _take_up(unit, old)


def _reopen(unit: Unit, node: Node) -> bool:
    """Let what a text ended hold again, unless its key has another value now; returns whether it does."""
    memory = node.memory
    if memory.current and memory.kind is not Kind.TASK:
        return False
    if memory.key is not None and memory.cardinality is Cardinality.SINGLE and not memory.current:
        slot = unit.slot(codec.slot_key(memory.tenant, memory.subjects, memory.key))
        if any(other.has_content and other.memory.current for other in slot if other is not node):
            return False
    since = memory.superseded_at
    ended = {} if since is None else {"valid_to": None, "superseded_at": None}
    unit.change(node, ended_by=None, **ended)
    _take_up(unit, node)
    _record(unit, node, Operation.AMEND)
    _wake(unit, node, since)
    return True


def _take_up(unit: Unit, node: Node) -> None:
    """Let a task be open again, blocked where it requires what is gone (I4)."""
    if node.memory.kind is Kind.TASK:
        lost = node.targets(EdgeType.LOST_PREREQUISITE)
        unit.change(node, status=TaskStatus.BLOCKED if lost else TaskStatus.OPEN)
        unit.settle_activity(node)


def _wake(unit: Unit, node: Node, since: int | None) -> None:
    """Let the episodes hold again that were superseded with ``node``, at ``since``."""
    episodes = node.targets(EdgeType.DERIVES_FROM)
    unit.fetch(episodes)
    for episode in (unit.nodes[one] for one in episodes if one in unit.nodes):
        memory = episode.memory
        if episode.has_content and memory.kind is Kind.EPISODIC and since is not None and memory.superseded_at == since:
            unit.change(episode, valid_to=None, superseded_at=None)
            _record(unit, episode, Operation.AMEND)


def _record(unit: Unit, node: Node, operation: Operation) -> None:
    unit.record(operation, node, tier_before=node.memory.tier, details={"rule": "undo", "reason": _REASON})
