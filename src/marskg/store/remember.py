"""Admitting a draft into the graph inside a unit of work: slots, links, entities, chain and the write gate.

Guarantees: what is linked exists in the same tenant and has the content that its edge needs (I2-I4); one keyed slot
has one cardinality, and of a single one exactly one current value (section 1); an episode stands in its session in the
order of ``validFrom``, then sequence (I6); an expiry never outlives what the memory depends on (I5).
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from marskg.clock import uuid7
from marskg.errors import ClosureViolation, CycleError, DuplicateId, InvalidMemory, TaskSafetyViolation
from marskg.ontology.mapping import quantise
from marskg.ontology.vocabulary import (
    ACTIVE_STATUSES,
    ACYCLIC,
    Cardinality,
    EdgeType,
    Kind,
    MemoryClass,
    Operation,
    TaskStatus,
)
from marskg.records import Edge, Entity, Memory
from marskg.store import codec
from marskg.store.admission import cardinality_of, check_payload, check_set, class_of, default_status
from marskg.store.fading import score_at_birth
from marskg.store.governing import check_draft_allowed, govern
from marskg.store.sensed import Sensed, inherited, pass_on, with_sources
from marskg.store.sensed import record as record_sensitivity
from marskg.store.suppression import check
from marskg.store.usage import COMPLAINT
from marskg.text import normalised

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from marskg.drafts import Draft, EntityRef
    from marskg.store.unit import Node, Unit
    from marskg.store.vectors import MadeBy

#: Told to the caller, and the reason in the record.
#: Edges to what a memory rests on.
_GROUNDS = (EdgeType.DERIVES_FROM, EdgeType.DEPENDS_ON)
KEPT_PRIVATE = "it is as sensitive as the class private is for, and lives no longer than that class; see its reasons"
CLAMPED = "expires_at was brought forward to that of a memory it depends on"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A checked draft with what was worked out before the transaction."""

    draft: Draft
    weight: int
    ttl: int | None
    id: str | None = None
    #: The packed vector of the content, and what made it.
    embedding: str | None = None
    made_by: MadeBy | None = None
    #: Where it stands among the drafts that came with it, from 1; None where it came alone.
    place: int | None = None


def admit(unit: Unit, prepared: Prepared, resolve: Mapping[str, str]) -> Memory:
    """Write one draft into ``unit``; ``resolve`` turns the refs of earlier drafts into ids.

    Returns the new memory, or the one that it was merged into.

    Raises:
        ClosureViolation, TaskSafetyViolation, CycleError, DuplicateId, InvalidMemory: the write gate refuses it.
        ConsentRequired, ErasedContentRefused: it was erased once.
        PreferenceRefused, ConsentRequired: a preference does not allow it, or not without consent.
    """
    draft = prepared.draft
    check(unit, draft.content, prepared.weight, draft.subjects, draft.purpose)
    check_draft_allowed(unit, draft)
    links = [(type_, resolve.get(name, name)) for type_, name in draft.links()]
    _gate(unit, links, active=draft.kind is Kind.TASK and default_status(draft) in ACTIVE_STATUSES)
    memory = govern(unit, _new_memory(unit, prepared), draft, links)
    slot = _Slot(unit, memory) if memory.key is not None else None
    if slot is not None:
        equal = slot.equal(memory)
        if equal is not None:
            return _merge(unit, equal, links, draft)
        memory = slot.place(memory)
    memory = _clamp(unit, _no_less_than_sources(unit, memory, links), links)
    node = unit.create(memory, prepared.embedding if unit.keeps(prepared.made_by) else None)
    for type_, target in links:
        unit.link(node, Edge(memory.id, type_, target, memory.created))
    entity_ids = mention(unit, node, draft.mentions)
    relate_entities(unit, draft, entity_ids)
    if memory.kind is Kind.EPISODIC:
        append_to_session(unit, node)
    if slot is not None:
        slot.supersede(node)
    if memory.pinned:
        unit.guard(node, 1)
    unit.settle_activity(node)
    # The sequence is the record's, which may follow those of entities; superseding comes after it.
    if node.memory.sequence != unit.next_sequence:
        unit.change(node, sequence=unit.next_sequence)
    unit.record(
        Operation.REMEMBER,
        node,
        budget=unit.state.budget,
        weight_before=unit.running_weight - node.memory.weight,
        weight_after=unit.running_weight,
    )
    if slot is not None:
        slot.record_superseded()
    if COMPLAINT in memory.intent_tags:
        unit.state = replace(unit.state, usage=unit.state.usage.complained())
    return node.memory


def _new_memory(unit: Unit, prepared: Prepared) -> Memory:
    draft = prepared.draft
    sensitivity = quantise(draft.sensitivity or 0.0)
    memory_class = class_of(draft, sensitivity)
    settings = unit.state.settings
    life = prepared.ttl if prepared.ttl is not None else settings.life(memory_class)
    expires = draft.expires_at if draft.expires_at is not None else None if life is None else unit.now + life
    return Memory(
        id=prepared.id or uuid7(unit.now, unit.services.source),
        tenant=unit.state.name,
        kind=draft.kind,
        content=draft.content,
        created=unit.now,
        sequence=unit.next_sequence,
        payload=check_payload(draft.kind, draft.payload),
        key=draft.key,
        cardinality=cardinality_of(draft),
        valid_from=draft.at,
        valid_to=draft.valid_to,
        sensitivity=sensitivity,
        sensitivity_reasons=draft.sensitivity_reasons or Sensed(0).at_least(sensitivity).reasons,
        weight=prepared.weight,
        source_type=draft.source_type,
        source_ref=draft.source_ref,
        reliability=1.0 if draft.reliability is None else quantise(draft.reliability),
        session=draft.session,
        memory_class=memory_class,
        intent_tags=check_set("intent_tags", draft.intent_tags),
        subjects=check_set("subjects", draft.subjects),
        purpose=check_set("purpose", draft.purpose),
        jurisdiction=draft.jurisdiction,
        use_bound=draft.use_bound,
        session_bound=draft.session_bound,
        expires_at=expires,
        pinned=draft.pin,
        status=default_status(draft),
        priority=draft.priority,
        deadline=draft.deadline,
        last_access=unit.now,
        score=score_at_birth(settings, draft.kind, draft.source_type) if draft.score is None else draft.score,
        notices=(KEPT_PRIVATE,) if memory_class is MemoryClass.PRIVATE and draft.memory_class is None else (),
    )


# --- The write gate (I2-I4, acyclicity) -----------------------------------------------------------------------


def _gate(unit: Unit, links: Iterable[tuple[EdgeType, str]], *, active: bool) -> None:
    """Check that what a new node links to may be linked to."""
    wanted = list(links)
    if not wanted:
        return
    unit.fetch(sorted({target for _, target in wanted}))
    for type_, target in wanted:
        check_target(unit, type_, target, active=active)


def check_target(unit: Unit, type_: EdgeType, target: str, *, active: bool) -> None:
    """Check one edge to ``target`` from a node with content.

    Raises:
        ClosureViolation: the target does not exist in this tenant, or has lost the content that the edge needs.
        TaskSafetyViolation: an active task would require missing content.
    """
    node = unit.nodes.get(target)
    if node is None or node.deleted:
        msg = (
            f"{type_} points to {target[:60]}, which is no memory of tenant {unit.state.name!r} (I2); "
            "store it first, or leave the edge out"
        )
        raise ClosureViolation(msg)
    if node.has_content:
        if type_ is EdgeType.ATTACHES_TO_GOAL and node.memory.kind is not Kind.TASK:
            msg = f"attachesToGoal points to {target}, which is {node.memory.kind}; it must point to a task"
            raise ClosureViolation(msg)
        return
    if type_ is EdgeType.DEPENDS_ON:
        msg = f"dependsOn points to {target}, whose content is gone (I3); depend on its successor or store it anew"
        raise ClosureViolation(msg)
    if type_ is EdgeType.REQUIRES and active:
        msg = f"requires points to {target}, whose content is gone (I4); require its successor or close the task"
        raise TaskSafetyViolation(msg)
    if type_ is not EdgeType.DERIVES_FROM:
        msg = f"{type_} points to {target}, whose content is gone; link to a memory that has content"
        raise ClosureViolation(msg)


def check_acyclic(unit: Unit, source: str, type_: EdgeType, target: str) -> None:
    """Check that a new edge closes no cycle (section 2).

    Raises:
        CycleError: derivesFrom, dependsOn, supersedes and requires would form a cycle.
    """
    if type_ in ACYCLIC and leads(unit, target, source):
        msg = (
            f"{type_} from {source} to {target} would close a cycle; derive, depend, supersede and require one way only"
        )
        raise CycleError(msg)


def leads(unit: Unit, source: str, target: str) -> bool:
    """Return whether a path of edges that must stay acyclic leads from ``source`` to ``target``, or they are the same.

    It may go through what is stored and through what this unit draws.
    """
    drawn = [node_id for node_id, node in unit.nodes.items() if _acyclic(set(node.edges) - node.stored_edges)]
    seen: set[str] = set()
    pending = {source}
    while pending:
        stored = _walk(unit, pending, seen)
        if target in seen or not stored:
            return target in seen
        # Where the stored edges lead back into what this unit knows better.
        pending = {end for end in (target, *drawn) if end not in seen and _leads_in_store(unit, stored, end)}
    return False


def _walk(unit: Unit, pending: set[str], seen: set[str]) -> list[str]:
    """Follow the edges of the unit's own nodes into ``seen``; returns the ids at which they leave the unit."""
    stored = []
    while pending:
        node_id = pending.pop()
        if node_id in seen:
            continue
        seen.add(node_id)
        if node_id in unit.nodes:
            pending |= _acyclic(unit.nodes[node_id].edges)
        else:
            stored.append(node_id)
    return stored


def _acyclic(edges: Iterable[tuple[EdgeType, str]]) -> set[str]:
    """Return the targets of those edges that must stay acyclic."""
    return {target for type_, target in edges if type_ in ACYCLIC}


def _leads_in_store(unit: Unit, sources: Iterable[str], target: str) -> bool:
    ends = {"refs": unit.refs(sources), "source": codec.ref(unit.state.name, target)}
    return bool(unit.read("reaches", ends))


def check_new_id(unit: Unit, node_id: str) -> None:
    """Check that an id given by the caller is free.

    Raises:
        DuplicateId: the tenant already has it.
    """
    unit.fetch((node_id,))
    if node_id in unit.nodes:
        msg = f"{node_id} already exists in tenant {unit.state.name!r}; use update to give it a new version"
        raise DuplicateId(msg)


def _clamp(unit: Unit, memory: Memory, links: Iterable[tuple[EdgeType, str]]) -> Memory:
    """Let the expiry not outlive what the memory depends on, and say so (I5)."""
    limits = [
        limit
        for type_, target in links
        if type_ is EdgeType.DEPENDS_ON and (limit := unit.node(target).memory.expires_at) is not None
    ]
    if not limits or (memory.expires_at is not None and memory.expires_at <= min(limits)):
        return memory
    return replace(memory, expires_at=min(limits), notices=(*memory.notices, CLAMPED))


def _no_less_than_sources(unit: Unit, memory: Memory, links: Iterable[tuple[EdgeType, str]]) -> Memory:
    """Let a memory be at least as sensitive as what it derives from (section 6)."""
    sources = inherited(unit, (target for type_, target in links if type_ is EdgeType.DERIVES_FROM))
    if sources <= memory.sensitivity:
        return memory
    found = with_sources(Sensed(memory.sensitivity, memory.sensitivity_reasons), sources)
    return replace(memory, sensitivity=found.value, sensitivity_reasons=found.reasons)


def bring_forward(unit: Unit, node: Node, limit: int | None) -> list[Node]:
    """Let neither a stored memory nor what depends on it outlive ``limit`` (I5).

    Returns the nodes that changed; the caller records them.
    """
    changed: list[Node] = []
    pending = [node] if limit is not None else []
    while pending:
        current = pending.pop()
        memory = current.memory
        if limit is None or (memory.expires_at is not None and memory.expires_at <= limit):
            continue
        unit.change(current, expires_at=limit)
        changed.append(current)
        sources = {source for source, _, type_ in unit.incoming((memory.id,)) if type_ is EdgeType.DEPENDS_ON}
        unit.fetch(sorted(sources))
        pending += [unit.node(source) for source in sorted(sources) if unit.node(source).has_content]
    return changed


def record_brought_forward(unit: Unit, nodes: Iterable[Node]) -> None:
    """Record that memories expire earlier than they did."""
    for node in nodes:
        details = {"rule": "expiry", "reason": CLAMPED}
        unit.record(Operation.AMEND, node, tier_before=node.memory.tier, details=details)


# --- Keyed slots ------------------------------------------------------------------------------------------------


class _Slot:
    """The values of one (tenant, subjects, key), and where a new one belongs among them."""

    def __init__(self, unit: Unit, memory: Memory) -> None:
        self._unit = unit
        self._key = codec.slot_key(memory.tenant, memory.subjects, memory.key or "")
        self._old: list[Node] = []
        self._followers: list[Node] = []
        self.members = (
            unit.slot(self._key) if memory.cardinality is not Cardinality.APPEND else unit.slot_head(self._key)
        )
        other = next((node for node in self.members if node.memory.cardinality is not memory.cardinality), None)
        if other is not None:
            msg = (
                f"key {memory.key!r} already holds values of cardinality {other.memory.cardinality}, "
                f"this one is {memory.cardinality}; use the same, or another key"
            )
            raise InvalidMemory(msg)

    def _current(self) -> list[Node]:
        return [node for node in self.members if node.has_content and node.memory.current]

    def equal(self, memory: Memory) -> Node | None:
        """Return the current value that says the same, or None."""
        if memory.cardinality is Cardinality.APPEND:
            return None
        text = normalised(memory.content or "")
        for node in self._current():
            same = normalised(node.memory.content or "") == text and dict(node.memory.payload) == dict(memory.payload)
            # A task that is taken up again after it was closed, or due at another time, is a new value of its slot.
            again = memory.active and (not node.memory.active or node.memory.deadline != memory.deadline)
            # What a single slot said later is another value; a set has each value once, whenever it was heard of.
            late = memory.cardinality is Cardinality.SINGLE and node.memory.valid_from > memory.valid_from
            if same and not again and not late and node.memory.kind is memory.kind:
                return node
        return None

    def place(self, memory: Memory) -> Memory:
        """Return the memory with its place in valid time: a late-arriving older value enters already closed."""
        if memory.cardinality is not Cardinality.SINGLE:
            return memory
        values = [node for node in self.members if node.has_content]
        later = [node for node in values if node.memory.valid_from > memory.valid_from]
        if later:
            closes = min(node.memory.valid_from for node in later)
            notice = "a later value of this key is known: this one entered already superseded"
            status = TaskStatus.DONE if memory.active else memory.status
            return replace(
                memory,
                valid_to=closes,
                superseded_at=memory.created,
                status=status,
                notices=(*memory.notices, notice),
            )
        self._old = self._current()
        return memory

    def supersede(self, node: Node) -> None:
        """Close the older value and move to the new one what belongs to the slot (section 5)."""
        for old in self._old:
            self._followers += supersede(self._unit, old, node)

    def record_superseded(self) -> None:
        """Record the closing of the older value, after the record of the new one."""
        for old in self._old:
            record_superseded(self._unit, old)
        record_followers(self._unit, self._followers)


def supersede(unit: Unit, old: Node, new: Node, *, ended: int | None = None) -> list[Node]:
    """Let ``new`` supersede ``old``: pin, requires, goal, expiry and purpose move to it.

    ``old`` stopped being true at ``ended``, where the new one began if left out. Returns the other nodes that changed
    with it: tasks whose requirement moved, dependents that are unaffirmed now, and episodes whose every derived fact is
    superseded; the caller records them.

    Raises:
        CycleError: ``new`` rests on a task that would have to require it.
    """
    check_requirements(unit, old, new)
    unit.link(new, Edge(new.memory.id, EdgeType.SUPERSEDES, old.memory.id, unit.now))
    unit.leaving.add(old.memory.id)
    changes: dict[str, object] = {}
    if old.memory.pinned:
        unit.set_pinned(old, pinned=False)
        unit.set_pinned(new, pinned=True)
    if old.memory.expires_at is not None and new.memory.expires_at is None:
        changes["expires_at"] = old.memory.expires_at
    if old.memory.purpose and not new.memory.purpose:
        changes["purpose"] = old.memory.purpose
    unit.change(new, **changes)
    for goal in old.targets(EdgeType.ATTACHES_TO_GOAL):
        unit.unlink(old, EdgeType.ATTACHES_TO_GOAL, goal)
        unit.link(new, Edge(new.memory.id, EdgeType.ATTACHES_TO_GOAL, goal, unit.now))
    followers = _repoint(unit, old, new)
    unit.change(old, valid_to=new.memory.valid_from if ended is None else ended, superseded_at=unit.now)
    end_task(unit, old, TaskStatus.DONE)
    followers += _unaffirm(unit, old, new)
    return followers + _follow(unit, old)


def end_task(unit: Unit, node: Node, status: TaskStatus) -> None:
    """Let a task that is no longer current protect nothing any more: its successor does, if it has one."""
    if node.memory.active:
        unit.change(node, status=status)
        unit.settle_activity(node)


def record_superseded(unit: Unit, old: Node) -> None:
    """Record that ``old`` was superseded."""
    unit.record(
        Operation.SUPERSEDE,
        old,
        tier_before=old.memory.tier,
        details={"rule": "supersession", "reason": "superseded by a newer value of the same slot"},
    )


def record_followers(unit: Unit, followers: Iterable[Node]) -> None:
    """Record what changed with a superseded memory, each node once."""
    for follower in {node.memory.id: node for node in followers}.values():
        unit.record(
            Operation.SUPERSEDE,
            follower,
            tier_before=follower.memory.tier,
            details={"rule": "supersession", "reason": "re-pointed, unaffirmed or superseded with what it rests on"},
        )


def check_requirements(unit: Unit, old: Node, new: Node) -> None:
    """Check that the tasks that require ``old`` may require ``new`` in its place.

    Raises:
        CycleError: ``new`` derives from one of them, depends on it, supersedes or requires it, directly or not.
    """
    for task in _requiring(unit, old, new):
        if leads(unit, new.memory.id, task.memory.id):
            msg = (
                f"{task.memory.id} requires {old.memory.id} and would require what supersedes it, which itself rests "
                "on that task: a cycle; leave out the edge that leads to the task, or unlink the task first"
            )
            raise CycleError(msg)


def _requiring(unit: Unit, old: Node, new: Node) -> list[Node]:
    """Return the tasks with content that require ``old``, without ``new``."""
    sources = [source for source, _, type_ in unit.incoming((old.memory.id,)) if type_ is EdgeType.REQUIRES]
    tasks = [unit.node(source) for source in sources if source != new.memory.id]
    return [task for task in tasks if task.has_content]


def _repoint(unit: Unit, old: Node, new: Node) -> list[Node]:
    """Point the tasks that require ``old`` to ``new``."""
    tasks = _requiring(unit, old, new)
    for task in tasks:
        unit.unlink(task, EdgeType.REQUIRES, old.memory.id)
        unit.link(task, Edge(task.memory.id, EdgeType.REQUIRES, new.memory.id, unit.now))
    return tasks


def _unaffirm(unit: Unit, old: Node, new: Node) -> list[Node]:
    """Mark what depends on ``old`` as unaffirmed: it leaves default retrieval until somebody affirms it."""
    marked = []
    for source, _, type_ in unit.incoming((old.memory.id,)):
        node = unit.node(source) if type_ is EdgeType.DEPENDS_ON and source != new.memory.id else None
        if node is not None and node.has_content and node.memory.unaffirmed_since is None:
            unit.change(node, unaffirmed_since=unit.now)
            marked.append(node)
    return marked


def _follow(unit: Unit, old: Node) -> list[Node]:
    """Supersede the episodes whose every derived fact is superseded: stale evidence harms like the stale fact.

    What a summary says of an episode that it took the place of leaves with it; the summary itself is no such fact, and
    who corrects its text says nothing of the facts.
    """
    if old.memory.summary_lines:
        return []
    episodes = old.targets(EdgeType.DERIVES_FROM)
    unit.fetch(episodes)
    followed = []
    derived: dict[str, list[str]] = {}
    for source, target, type_ in unit.incoming(episodes):
        if type_ is EdgeType.DERIVES_FROM:
            derived.setdefault(target, []).append(source)
    for episode_id in episodes:
        episode = unit.node(episode_id)
        if episode.memory.kind is not Kind.EPISODIC or not episode.memory.current:
            continue
        unit.fetch(derived.get(episode_id, ()))
        facts = [unit.node(source) for source in derived.get(episode_id, ())]
        facts = [fact for fact in facts if not fact.memory.summary_lines]
        if not facts or not all(fact.memory.superseded_at is not None or not fact.has_content for fact in facts):
            continue
        unit.leaving.add(episode_id)
        if episode.has_content:
            unit.change(episode, valid_to=max(unit.now, episode.memory.valid_from), superseded_at=unit.now)
            followed.append(episode)
    return followed


def _merge(unit: Unit, node: Node, links: Iterable[tuple[EdgeType, str]], draft: Draft) -> Memory:
    """Let an equal value merge into the current one.

    New evidence and entities are linked, an unaffirmed value is affirmed, and a pin is kept. The life of the value
    stays its own: hearing something again does not shorten it.
    """
    before = len(node.edges)
    hurried = _rest_on(unit, node, links)
    mention(unit, node, draft.mentions)
    raised = _as_sensitive(unit, node, draft.sensitivity, draft.sensitivity_reasons)
    changed = node.memory.unaffirmed_since is not None or (draft.pin and not node.memory.pinned) or bool(raised)
    unit.change(node, unaffirmed_since=None)
    if draft.pin:
        unit.set_pinned(node, pinned=True)
    if len(node.edges) != before or changed:
        unit.record(
            Operation.LINK,
            node,
            tier_before=node.memory.tier,
            details={"rule": "merge", "reason": "an equal value of the same slot was merged into this one"},
        )
    record_brought_forward(unit, {other.memory.id: other for other in hurried if other is not node}.values())
    record_sensitivity(unit, raised[1:], "what it derives from became more sensitive")
    notices = ("an equal value was already stored: the two were merged", *((CLAMPED,) if hurried else ()))
    return replace(node.memory, notices=notices)


def equal_value(unit: Unit, memory: Memory, content: str) -> Node | None:
    """Return the other current value of the memory's slot that says ``content`` already, or None."""
    if memory.key is None:
        return None
    found = _Slot(unit, memory).equal(replace(memory, content=content))
    return None if found is None or found.memory.id == memory.id else found


def merge_changed(unit: Unit, old: Node, node: Node, mentions: Iterable[EntityRef]) -> Memory:
    """Let ``old``, which was changed to say what ``node`` says already, be superseded by it: a set has a value once.

    What the old value rested on, and the entities that the new text names, are linked to the one that stays.

    Raises:
        CycleError: the one that stays is itself ground of what the old one rested on.
    """
    grounds = [(type_, target) for type_, target in sorted(old.edges) if type_ in _GROUNDS]
    grounds = [(type_, target) for type_, target in grounds if unit.node_has_content(type_, target)]
    hurried = _rest_on(unit, node, grounds)
    mention(unit, node, mentions)
    raised = _as_sensitive(unit, node, None, ())
    unit.change(node, unaffirmed_since=None)
    followers = supersede(unit, old, node, ended=max(unit.now, old.memory.valid_from))
    details = {"rule": "merge", "reason": "another value of the slot was changed to what this one says"}
    unit.record(Operation.LINK, node, tier_before=node.memory.tier, details=details)
    record_brought_forward(unit, {other.memory.id: other for other in hurried if other is not node}.values())
    record_sensitivity(unit, raised[1:], "what it derives from became more sensitive")
    record_superseded(unit, old)
    record_followers(unit, followers)
    notices = ("an equal value was already stored: this one was merged into it", *((CLAMPED,) if hurried else ()))
    return replace(node.memory, notices=notices)


def _rest_on(unit: Unit, node: Node, links: Iterable[tuple[EdgeType, str]]) -> list[Node]:
    """Link ``node`` to what it is not linked to yet; returns what expires earlier for it."""
    hurried: list[Node] = []
    for type_, target in links:
        if (type_, target) not in node.edges and target != node.memory.id:
            check_acyclic(unit, node.memory.id, type_, target)
            unit.link(node, Edge(node.memory.id, type_, target, unit.now))
            if type_ is EdgeType.DEPENDS_ON:
                hurried += bring_forward(unit, node, unit.node(target).memory.expires_at)
    return hurried


def _as_sensitive(unit: Unit, node: Node, least: float | None, reasons: tuple[str, ...]) -> list[Node]:
    """Let the current value be no less sensitive than an equal one that merges into it, and than what that rests on.

    Returns what became more sensitive, the value itself first.
    """
    memory = node.memory
    own = Sensed(memory.sensitivity, memory.sensitivity_reasons)
    if (least or 0) > own.value:
        own = Sensed(quantise(least or 0), reasons or own.at_least(least).reasons)
    found = with_sources(own, inherited(unit, node.targets(EdgeType.DERIVES_FROM)))
    if found.value == memory.sensitivity:
        return []
    unit.change(node, sensitivity=found.value, sensitivity_reasons=found.reasons)
    return [node, *pass_on(unit, node)]


def retract(unit: Unit, key: str, subjects: tuple[str, ...], content: str | None) -> list[Memory]:
    """Close the current value of a key, of a ``set`` the one that equals ``content``.

    Returns the memories that were closed; empty when there was none.
    """
    slot = codec.slot_key(unit.state.name, subjects, key)
    closed = []
    for node in unit.slot(slot):
        memory = node.memory
        if not node.has_content or not memory.current:
            continue
        if memory.cardinality is not Cardinality.SINGLE and content is not None:
            if normalised(memory.content or "") != normalised(content):
                continue
        elif memory.cardinality is not Cardinality.SINGLE:
            msg = f"key {key!r} holds several values; say which one to retract by its content"
            raise InvalidMemory(msg)
        if memory.pinned:
            unit.set_pinned(node, pinned=False)
        unit.change(node, valid_to=max(unit.now, memory.valid_from), superseded_at=unit.now)
        unit.leaving.add(memory.id)
        end_task(unit, node, TaskStatus.CANCELLED)
        details = {"rule": "retraction", "reason": "retracted by its source: no longer current"}
        unit.record(Operation.RETRACT, node, tier_before=memory.tier, details=details)
        for follower in _follow(unit, node):
            unit.record(Operation.SUPERSEDE, follower, tier_before=follower.memory.tier, details=details)
        closed.append(node.memory)
    return closed


# --- Entities ---------------------------------------------------------------------------------------------------


def mention(unit: Unit, node: Node, mentions: Iterable[EntityRef]) -> dict[str, str]:
    """Link a memory to the entities it mentions, making those that are new; returns name key → id."""
    wanted = list(mentions)
    if not wanted:
        return {}
    found = unit.entity_ids([mention.name for mention in wanted])
    ids: dict[str, str] = {}
    for item in wanted:
        key = codec.name_key(unit.state.name, item.name)
        entity_id = found.get(key) or ids.get(key)
        if entity_id is None:
            entity_id = _create_entity(unit, item)
        else:
            _enrich(unit, entity_id, item)
        ids[key] = entity_id
        unit.link(node, Edge(node.memory.id, EdgeType.MENTIONS, entity_id, node.memory.created))
    return ids


def _create_entity(unit: Unit, mention: EntityRef) -> str:
    entity = Entity(
        id=uuid7(unit.now, unit.services.source),
        tenant=unit.state.name,
        name=" ".join(mention.name.split()),
        created=unit.now,
        sequence=0,
        aliases=check_set("aliases", mention.aliases),
        entity_type=mention.entity_type,
        same_as=check_set("same_as", mention.same_as),
    )
    return unit.put_entity(entity, operation=Operation.CREATE_ENTITY).id


def _enrich(unit: Unit, entity_id: str, mention: EntityRef) -> None:
    """Add what a new mention knows of an entity: aliases, a type, the same thing elsewhere."""
    entity = unit.names.entity(entity_id)
    richer = replace(
        entity,
        aliases=tuple(sorted({*entity.aliases, *mention.aliases} - {entity.name})),
        entity_type=entity.entity_type or mention.entity_type,
        same_as=tuple(sorted({*entity.same_as, *mention.same_as})),
    )
    if richer != entity:
        unit.fetch_entity(entity_id)
        unit.put_entity(richer, operation=Operation.UPDATE_ENTITY)


def relate_entities(unit: Unit, draft: Draft, entity_ids: Mapping[str, str]) -> None:
    """Draw the typed edges between the entities that the draft mentions."""
    for relation in draft.relations:
        source = entity_ids.get(codec.name_key(unit.state.name, relation.source))
        target = entity_ids.get(codec.name_key(unit.state.name, relation.target))
        if source is None or target is None:
            msg = f"relation {relation.type} names an entity that the draft does not mention; add it to mentions"
            raise InvalidMemory(msg)
        entity = unit.fetch_entity(source)
        edge = Edge(source, relation.type, target, unit.now)
        if entity is not None and not unit.has_entity_edge(edge):
            unit.put_entity(entity, (edge,), operation=Operation.UPDATE_ENTITY)


# --- The narrative chain (I6) -----------------------------------------------------------------------------------


def append_to_session(unit: Unit, node: Node) -> None:
    """Put an episode into its session, nearly always at the end."""
    memory = node.memory
    session = memory.session or ""
    place = (memory.valid_from, unit.next_sequence)
    if session not in unit.tails:
        last = unit.session_order(memory)[-1:]
        unit.tails[session] = (last[0][2], *last[0][:2]) if last else None
    tail = unit.tails[session]
    unit.enter_session(memory, place)
    if tail is None or tail[1:] <= place:
        if tail is not None:
            unit.chain(tail[0], memory.id)
        unit.tails[session] = (memory.id, *place)
        return
    order = unit.session_order(memory)
    position = bisect_left(order, (*place, memory.id))
    before = order[position - 1][2] if position else None
    after = order[position + 1][2] if position + 1 < len(order) else None
    unit.put_into_chain(memory.id, before, after)
