"""Admitting a draft into the graph inside a unit of work: slots, links, entities and chain.

Guarantees: a caller draws no edge that is the store's own, and none to a memory that lost its content but for evidence;
whatever else the graph forbids is refused when the unit is closed (:mod:`marskg.store.unit.write_gate`). One keyed slot
has one cardinality, and of a single one exactly one current value (section 1); an episode stands in its session in the
order of ``validFrom``, then sequence (I6); an expiry never outlives what the memory depends on (I5).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from marskg.clock import later, uuid7
from marskg.entities import folded_name
from marskg.errors import DuplicateId, InvalidMemory
from marskg.language.facts import BY_THEN
from marskg.language.naming.caution import is_anothers
from marskg.language.spans import characters, parts_of, says_more
from marskg.ontology.mapping import quantise
from marskg.ontology.vocabulary import (
    RELIABILITY,
    Cardinality,
    EdgeType,
    Kind,
    Operation,
    TaskStatus,
    Word,
    Worth,
    counts_against,
    is_higher,
)
from marskg.records import Edge, Entity, Memory, held_at
from marskg.store.graph.name_questions import ask_whether_one, ask_which
from marskg.store.graph.preference_enforcement import check_draft_allowed, govern, named_by, preferences_of
from marskg.store.graph.suppression import check
from marskg.store.graph.validation import cardinality_of, check_payload, check_set, default_status, given
from marskg.store.rows import codec
from marskg.store.rows.name_cache import fitting
from marskg.store.rows.names_given import Given, gives_of, with_given
from marskg.store.rows.read_statistics import COMPLAINT
from marskg.store.rows.score_decay import score_at_birth
from marskg.store.unit.edge_rules import check_drawn, leads
from marskg.store.unit.entity_changes import ID_PREFIX
from marskg.store.unit.retention_classes import class_of, told_end
from marskg.store.unit.sensitivity import Sensed, inherited, pass_on, with_sources
from marskg.store.unit.sensitivity import record as record_sensitivity
from marskg.text import normalised, terms

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from marskg.drafts import Draft, EntityRef
    from marskg.store.graph.recognition import Foreseen
    from marskg.store.graph.suppression import TextDigests
    from marskg.store.unit.unit_of_work import Node, Unit
    from marskg.store.unit.vectors import MadeBy

#: Edges to what a memory rests on.
_GROUNDS = (EdgeType.DERIVES_FROM, EdgeType.DEPENDS_ON)
#: Told to the caller; the third is the reason in the record, too.
MERGED = "an equal value was already stored: the two were merged"
MERGED_ENDED = "an equal value was stored and holds no longer: the two were merged, and it stays so"
CLAMPED = "expires_at was brought forward to that of a memory it depends on"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A checked draft with what was worked out before the transaction."""

    draft: Draft
    weight: int
    ttl: int | None
    #: The topics that its words name, where it brings no tags of its own.
    topics: tuple[str, ...] = ()
    id: str | None = None
    #: The packed vector of the content, and what made it.
    embedding: str | None = None
    made_by: MadeBy | None = None
    #: What its text and payload name, where that was worked out before.
    foreseen: Foreseen | None = None
    #: The digests by which its text would be refused, where anything was ever erased.
    digests: TextDigests | None = None
    #: Where it stands among the drafts that came with it, from 1; None where it came alone.
    place: int | None = None


def admit(unit: Unit, prepared: Prepared, resolve: Mapping[str, str]) -> Memory:
    """Write one draft into ``unit``; ``resolve`` turns the refs of earlier drafts into ids.

    Returns the new memory, or the one that it was merged into.

    Raises:
        ClosureViolation: an edge leads to a memory that lost its content.
        InvalidMemory: an edge is one that only the store draws, or the key holds values of another cardinality.
        ConsentRequired, ErasedContentRefused: it was erased once.
        PreferenceRefused, ConsentRequired: a preference does not allow it, or not without consent.
    """
    draft = prepared.draft
    names = named_by(unit, draft) if unit.state.suppressing else ()
    check(unit, draft, prepared.weight, names, prepared.digests)
    check_draft_allowed(unit, draft)
    links = [(type_, resolve.get(name, name)) for type_, name in draft.links()]
    check_drawn(unit, prepared.id, links)
    _check_spans(unit, draft, links)
    memory = govern(unit, _new_memory(unit, prepared), draft, links)
    slot = _Slot(unit, memory) if memory.key is not None else None
    if slot is not None:
        equal = slot.equal(memory, ended=True)
        if equal is not None:
            return _merge(unit, equal, links, draft)
        memory = slot.place(memory)
    # What was read from a text is there for no longer than the text is.
    grounds = _GROUNDS if draft.made_by else (EdgeType.DEPENDS_ON,)
    memory = _clamp(unit, _no_less_than_sources(unit, memory, links), links, grounds)
    memory = replace(memory, notices=(*memory.notices, *told_end(memory, draft)))
    node = unit.create(memory, prepared.embedding if unit.keeps(prepared.made_by) else None)
    for type_, target in links:
        unit.link(node, Edge(memory.id, type_, target, memory.created))
    entity_ids = mention(unit, node, draft.mentions)
    relate_entities(unit, draft, entity_ids)
    if memory.kind is Kind.EPISODIC:
        unit.chain.enter(memory, unit.audit.next_sequence)
    if slot is not None:
        slot.supersede(node)
    if memory.pinned:
        unit.guard(node, 1)
    unit.settle_activity(node)
    # The sequence is the record's, which may follow those of entities; superseding comes after it.
    if node.memory.sequence != unit.audit.next_sequence:
        unit.change(node, sequence=unit.audit.next_sequence)
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
        unit.update_tenant(usage=unit.state.usage.complained())
    return node.memory


def _new_memory(unit: Unit, prepared: Prepared) -> Memory:
    draft = prepared.draft
    sensitivity = quantise(draft.sensitivity or 0.0)
    memory_class = class_of(draft)
    settings = unit.state.settings
    life = prepared.ttl if prepared.ttl is not None else settings.life(memory_class)
    expires = draft.expires_at if draft.expires_at is not None else None if life is None else later(unit.now, life)
    # What is stored otherwise than it was given, or worked out.
    special: dict[str, Any] = {
        "cardinality": cardinality_of(draft),
        "sensitivity": sensitivity,
        "sensitivity_reasons": draft.sensitivity_reasons or Sensed(0).at_least(sensitivity).reasons,
        "memory_class": memory_class,
        "expires_at": expires,
        "pinned": draft.pin,
        "status": default_status(draft),
    }
    stated = {
        "score": score_at_birth(settings, draft.kind, draft.source_type),
        "reliability": RELIABILITY[draft.source_type],
        **given(draft),
    }
    stated["intent_tags"] = stated["intent_tags"] or prepared.topics
    return Memory(
        id=prepared.id or uuid7(unit.now, unit.services.source),
        tenant=unit.state.name,
        kind=draft.kind,
        content=draft.content,
        created=unit.now,
        sequence=unit.audit.next_sequence,
        payload=check_payload(draft.kind, draft.payload),
        valid_from=draft.at,
        weight=prepared.weight,
        last_access=unit.now,
        **stated | special,
    )


# --- What the caller names ------------------------------------------------------------------------------------


def check_new_ids(unit: Unit, ids: Iterable[str], instead: str) -> None:
    """Check that ids which somebody gave are free; the message ends with what to do ``instead``.

    Raises:
        DuplicateId: the tenant has a memory, an entity or a preference of that id.
    """
    wanted = list(ids)
    unit.fetch(wanted)
    unit.entities.fetch(wanted)
    rules = {preference.id for preference in preferences_of(unit).preferences}
    for node_id in wanted:
        if node_id in unit.nodes or node_id in unit.entities.known or node_id in rules:
            msg = f"{node_id} already exists in tenant {unit.state.name!r}; {instead}"
            raise DuplicateId(msg)


def _check_spans(unit: Unit, draft: Draft, links: Iterable[tuple[EdgeType, str]]) -> None:
    """Check that the words which a draft names are words of turns that it derives from.

    Raises:
        InvalidMemory: a span is of another memory, or runs out of its turn.
    """
    turns = {target for type_, target in links if type_ is EdgeType.DERIVES_FROM}
    for span in draft.spans:
        ident = span.partition("#")[0]
        node = unit.find_node(ident) if ident in turns else None
        part = characters(span, ident)
        if node is None or part is None or (node.has_content and part[1] > len(node.memory.content or "")):
            msg = (
                "a span names no words of a turn that the draft derives from; give it as ID#char=FIRST,END, counted "
                "from 0 within the turn's text, and the turn's ID in derives_from"
            )
            raise InvalidMemory(msg)


def _clamp(unit: Unit, memory: Memory, links: Iterable[tuple[EdgeType, str]], grounds: Collection[EdgeType]) -> Memory:
    """Let the expiry not outlive what the memory rests on by edges of ``grounds``, and say so (I5)."""
    limits = [
        limit
        for type_, target in links
        if type_ in grounds
        and (base := unit.find_node(target)) is not None
        and (limit := base.memory.expires_at) is not None
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
        self._others: list[Node] = []
        other = next((node for node in self.members if node.memory.cardinality is not memory.cardinality), None)
        if other is not None:
            self._others, self.members = unit.slot(self._key), []
            if any(_binds(node.memory, memory) for node in self._others):
                msg = (
                    f"key {memory.key!r} already holds values of cardinality {other.memory.cardinality}, "
                    f"this one is {memory.cardinality}; use the same, or another key"
                )
                raise InvalidMemory(msg)

    def _current(self) -> list[Node]:
        return [node for node in self.members if node.has_content and node.memory.current]

    def equal(self, memory: Memory, *, ended: bool = False) -> Node | None:
        """Return the current value that says the same, or None.

        With ``ended`` also one that said it then and holds no longer, as to hear of it again changes nothing: so a
        retraction lasts, and what was superseded stays so, also where what superseded it is forgotten.
        """
        if memory.cardinality is Cardinality.APPEND:
            return None
        text = normalised(memory.content or "")
        over: Node | None = None
        for node in self.members:
            held = node.memory
            if not _says(held, memory, text) or _cuts_short(held, memory):
                continue
            if held.current and _is_known(held, memory):
                return node
            if ended and over is None and _held_then(held, memory.valid_from, self._unit.now):
                over = node if _binds(held, memory) else None
        return over

    def place(self, memory: Memory) -> Memory:
        """Return the memory with its place in valid time: a late-arriving older value enters already closed."""
        if memory.cardinality is Cardinality.SET:
            # One that is said to end at another time than before gives way to this one.
            text = normalised(memory.content or "")
            current = [node for node in self._current() if _says(node.memory, memory, text)]
            gives_way = [node for node in current if memory.valid_to is not None or _cuts_short(node.memory, memory)]
            self._old = [node for node in gives_way if _meet(node.memory, memory)]
        if memory.cardinality is not Cardinality.SINGLE:
            return memory
        # What holds on overrules what was said of lower standing, whenever that was; what ended is in its time.
        held = (one.memory for one in self.members if one.has_content)
        later = [
            one
            for one in held
            if one.valid_from > memory.valid_from and (memory.valid_to is not None or _binds(one, memory))
        ]
        retracted = self._retracted(memory) if memory.made_by and not later else []
        if later or retracted:
            closes = min(retracted or (one.valid_from for one in later))
            what = "a later value of this key is known" if later else "this key was retracted later"
            notice = f"{what}: this one entered already superseded"
            status = TaskStatus.DONE if memory.active else memory.status
            return replace(
                memory,
                valid_to=_until(memory, closes),
                superseded_at=memory.created,
                status=status,
                notices=(*memory.notices, notice),
            )
        self._old = self._current()
        return memory

    def _retracted(self, memory: Memory) -> list[int]:
        """Return when somebody retracted the key after the time of what is read from a text: it was read too late."""
        if self._current():
            return []
        over = [node.memory for node in self.members if node.has_content and node.memory.ended_by is None]
        return [
            one.valid_to
            for one in over
            if one.valid_to is not None and held_at(one, memory.valid_from) and _binds(one, memory)
        ]

    def supersede(self, node: Node) -> None:
        """Close the older value and move to the new one what belongs to the slot (section 5)."""
        self._old += [other for other in self._others if other.has_content and other.memory.current]
        for old in self._old:
            self._followers += supersede(self._unit, old, node)
        for other in self._others:
            self._unit.change(other, cardinality=node.memory.cardinality)

    def record_superseded(self) -> None:
        """Record the closing of the older value, after the record of the new one."""
        for old in self._old:
            record_superseded(self._unit, old)
        record_followers(self._unit, self._followers + [one for one in self._others if one not in self._old])


def _binds(held: Memory, memory: Memory) -> bool:
    """Return whether what stands in a slot binds a new value: of the lower standing, none of the higher (ADR 89)."""
    higher = is_higher(memory.source_type, memory.reliability)
    return not higher or is_higher(held.source_type, held.reliability)


def _cuts_short(held: Memory, memory: Memory) -> bool:
    """Return whether an equal value would end a new one that it does not bind sooner, or show it to fewer."""
    if _binds(held, memory):
        return False
    sooner = held.expires_at is not None and (memory.expires_at is None or held.expires_at < memory.expires_at)
    fewer = bool(held.purpose and set(held.purpose) != set(memory.purpose))
    elsewhere = held.jurisdiction not in {None, memory.jurisdiction}
    return sooner or fewer or elsewhere or held.sensitivity > memory.sensitivity


def _says(held: Memory, memory: Memory, text: str) -> bool:
    """Return whether a value says what ``memory`` does, whose normal form is ``text``."""
    return (
        held.kind is memory.kind
        and held.metadata == memory.metadata
        and dict(held.payload) == dict(memory.payload)
        and normalised(held.content or "") == text
    )


def _held_then(memory: Memory, at: int, now: int) -> bool:
    """Return whether a value that holds no longer did at ``at``; one that ends at ``now`` may begin anew with it."""
    ended = memory.superseded_at
    return ended is not None and held_at(memory, at) and ended < now


def _is_known(held: Memory, said: Memory) -> bool:
    """Return whether a current value of a slot held already when it is ``said`` to hold, and no other end is given."""
    # A task that is taken up again after it was closed, or due at another time, is a new value of its slot. One that is
    # heard of again, from the same moment, is not taken up by that.
    closed = not held.active and not (said.made_by and said.valid_from <= held.valid_from)
    again = said.active and (closed or held.deadline != said.deadline)
    # What a single slot said later is another value; a set has each value once, whenever it was heard of.
    late = said.cardinality is Cardinality.SINGLE and held.valid_from > said.valid_from
    return not again and not late and said.valid_to in {None, held.valid_to} and _meet(held, said)


def _meet(held: Memory, said: Memory) -> bool:
    """Return whether there is a time at which both hold."""
    later = max(held.valid_from, said.valid_from)
    return held_at(held, later) and held_at(said, later)


def _until(memory: Memory, at: int) -> int:
    """Return when a memory held last that is ended ``at`` a time: what had ended before keeps its own end."""
    return max(memory.valid_from, at if memory.valid_to is None else min(at, memory.valid_to))


def supersede(unit: Unit, old: Node, new: Node, *, ended: int | None = None) -> list[Node]:
    """Let ``new`` supersede ``old``: pin, requires and goal move to it, and expiry and purpose of what binds it.

    ``old`` stopped being true at ``ended``, where the new one began if left out; what had ended before, then. Returns
    the other nodes that changed with it: tasks whose requirement moved, dependents that are unaffirmed now, and
    episodes whose every derived fact is superseded; the caller records them.
    """
    unit.link(new, Edge(new.memory.id, EdgeType.SUPERSEDES, old.memory.id, unit.now))
    unit.leaving.add(old.memory.id)
    changes: dict[str, object] = {}
    if old.memory.pinned:
        unit.set_pinned(old, pinned=False)
        unit.set_pinned(new, pinned=True)
    if _binds(old.memory, new.memory):
        if old.memory.expires_at is not None and new.memory.expires_at is None:
            changes["expires_at"] = old.memory.expires_at
        if old.memory.purpose and not new.memory.purpose:
            changes["purpose"] = old.memory.purpose
    unit.change(new, **changes)
    for goal in old.targets(EdgeType.ATTACHES_TO_GOAL):
        unit.unlink(old, EdgeType.ATTACHES_TO_GOAL, goal)
        if goal != new.memory.id:
            unit.link(new, Edge(new.memory.id, EdgeType.ATTACHES_TO_GOAL, goal, unit.now))
    followers = _repoint(unit, old, new)
    until = _until(old.memory, new.memory.valid_from if ended is None else ended)
    unit.change(old, valid_to=until, superseded_at=_supersession(unit, old))
    end_task(unit, old, TaskStatus.DONE)
    followers += _unaffirm(unit, old, new)
    return followers + _follow(unit, old)


def _supersession(unit: Unit, node: Node) -> int:
    """Return when a memory is superseded: now, unless it was created at a wrong time that was to come."""
    return max(unit.now, node.memory.created)


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


def may_supersede(unit: Unit, old: Node, new: Node) -> bool:
    """Return whether ``new`` may supersede ``old`` without a cycle of edges, also of the tasks that require ``old``."""
    tasks = _requiring(unit, old, new)
    return not leads(unit, old.memory.id, new.memory.id) and not any(
        leads(unit, new.memory.id, task.memory.id) for task in tasks
    )


def _requiring(unit: Unit, old: Node, new: Node) -> list[Node]:
    """Return the tasks with content that require ``old``, without ``new``."""
    sources = [source for source, _, type_ in unit.incoming((old.memory.id,)) if type_ is EdgeType.REQUIRES]
    return [task for task in map(unit.node, sources) if task.has_content and task is not new]


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


def step_back(unit: Unit, ids: Iterable[str]) -> None:
    """Let the turns step back that say nothing but what holds no longer, such as values ``ids`` that came in so."""
    nodes = [unit.nodes[one] for one in ids if one in unit.nodes and unit.nodes[one].memory.key is not None]
    ended = [node for node in nodes if node.has_content and node.memory.superseded_at is not None]
    record_followers(unit, [follower for node in ended for follower in _follow(unit, node)])


def _follow(unit: Unit, old: Node) -> list[Node]:
    """Supersede the episodes whose every derived fact is superseded: stale evidence harms like the stale fact.

    One that was read, and says more than the words in which its facts were found, stays: readings cut what they end.
    What a summary says of an episode that it took the place of leaves with it; the summary itself is no such fact, and
    who corrects its text says nothing of the facts. Nor is what was derived by somebody whose word is worth less than
    the episode's: an assistant's reading ends no user's word (ADR 73). Nor what somebody may not see who sees the
    episode, which is to tell them nothing: for whoever sees both, it is settled when they read (ADR 89). Nor does a
    turn go that says how far somebody had come by then.
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
        episode = unit.find_node(episode_id)
        if episode is None or episode.memory.kind is not Kind.EPISODIC or not episode.memory.current:
            continue
        unit.fetch(derived.get(episode_id, ()))
        facts = [unit.node(source) for source in derived.get(episode_id, ())]
        facts = [
            one
            for one in facts
            if not one.memory.summary_lines
            and counts_against(_word(one.memory), _word(episode.memory))
            and _is_as_open(one.memory, episode.memory)
        ]
        if not facts or not all(fact.memory.superseded_at is not None or not fact.has_content for fact in facts):
            continue
        if _says_more(episode.memory, facts) or any((fact.memory.key or "").startswith(BY_THEN) for fact in facts):
            continue
        unit.leaving.add(episode_id)
        if episode.has_content:
            until = _until(episode.memory, unit.now)
            unit.change(episode, valid_to=until, superseded_at=_supersession(unit, episode))
            followed.append(episode)
    return followed


def _word(memory: Memory) -> Word:
    return Word(memory.source_type, memory.reliability, read=bool(memory.spans or memory.made_by))


def _is_as_open(fact: Memory, episode: Memory) -> bool:
    """Return whether all who may see an episode may see a fact that was derived from it."""
    return (
        fact.sensitivity <= episode.sensitivity
        and (not fact.purpose or (bool(episode.purpose) and {*episode.purpose} <= {*fact.purpose}))
        and fact.jurisdiction in {None, episode.jurisdiction}
        and {*episode.subjects} <= {*fact.subjects}
    )


def _says_more(episode: Memory, facts: Iterable[Node]) -> bool:
    """Return whether an episode says something beside the words of all its ``facts``, where these are known."""
    spans = [parts_of(fact.memory.spans, episode.id) for fact in facts]
    return all(spans) and says_more(len(episode.content or ""), chain.from_iterable(spans))


def merge(unit: Unit, node: Node, draft: Draft) -> Memory:
    """Let ``draft``, which is not admitted, merge into a memory that says the same; its links are ids."""
    return _merge(unit, node, draft.links(), draft)


def _merge(unit: Unit, node: Node, links: Iterable[tuple[EdgeType, str]], draft: Draft) -> Memory:
    """Let an equal value merge into the one that is there, the current one or one that holds no longer.

    New evidence and entities are linked, an unaffirmed value is affirmed, and a pin is kept. Of two sources it has the
    one that is worth more, so that what the user says as well is the user's word. The life of the value
    stays its own: hearing something again does not shorten it.
    """
    before = len(node.edges)
    hurried = _rest_on(unit, node, links)
    mention(unit, node, draft.mentions)
    raised = as_sensitive(unit, node, draft.sensitivity, draft.sensitivity_reasons)
    spans, makers = (
        tuple(sorted({*had, *new}))
        for had, new in ((node.memory.spans, draft.spans), (node.memory.made_by, draft.made_by))
    )
    # What somebody stored by hand stays theirs: no reader that is taken back takes it along.
    makers = makers if node.memory.made_by and draft.made_by else ()
    pin = draft.pin and node.memory.current
    source = _worthier(node.memory, draft)
    changed = (
        node.memory.unaffirmed_since is not None or bool(source) or (pin and not node.memory.pinned) or bool(raised)
    )
    changed |= (spans, makers) != (node.memory.spans, node.memory.made_by)
    unit.change(node, unaffirmed_since=None, spans=spans, made_by=makers, **source)
    if pin:
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
    merged = MERGED if node.memory.current else MERGED_ENDED
    return replace(node.memory, notices=(merged, *((CLAMPED,) if hurried else ()), *node.memory.notices))


def _worthier(memory: Memory, said: Draft | Memory) -> dict[str, Any]:
    """Return the source of what is said, and its reliability, where it is worth more than that of an equal memory."""
    if Worth.of(said.source_type, said.reliability) <= Worth.of(memory.source_type, memory.reliability):
        return {}
    reliability = RELIABILITY[said.source_type] if said.reliability is None else quantise(said.reliability)
    return {"source_type": said.source_type, "reliability": max(memory.reliability, reliability)}


def equal_value(unit: Unit, memory: Memory) -> Node | None:
    """Return the other current value of the memory's slot that says the same already, or None."""
    if memory.key is None:
        return None
    found = _Slot(unit, memory).equal(memory)
    return None if found is None or found.memory.id == memory.id else found


def merge_changed(unit: Unit, old: Node, node: Node, mentions: Iterable[EntityRef]) -> Memory:
    """Let ``old``, which was changed to say what ``node`` says already, be superseded by it: a set has a value once.

    What the old value rested on, and the entities that the new text names, are linked to the one that stays.
    """
    grounds = [(type_, target) for type_, target in sorted(old.edges) if type_ in _GROUNDS]
    grounds = [(type_, target) for type_, target in grounds if unit.node_has_content(type_, target)]
    hurried = _rest_on(unit, node, grounds)
    mention(unit, node, mentions)
    raised = as_sensitive(unit, node)
    unit.change(node, unaffirmed_since=None, **_worthier(node.memory, old.memory))
    followers = supersede(unit, old, node, ended=unit.now)
    details = {"rule": "merge", "reason": "another value of the slot was changed to what this one says"}
    unit.record(Operation.LINK, node, tier_before=node.memory.tier, details=details)
    record_brought_forward(unit, {other.memory.id: other for other in hurried if other is not node}.values())
    record_sensitivity(unit, raised[1:], "what it derives from became more sensitive")
    record_superseded(unit, old)
    record_followers(unit, followers)
    told = ("an equal value was already stored: this one was merged into it", *((CLAMPED,) if hurried else ()))
    return replace(node.memory, notices=(*told, *node.memory.notices))


def _rest_on(unit: Unit, node: Node, links: Iterable[tuple[EdgeType, str]]) -> list[Node]:
    """Link ``node`` to what it is not linked to yet; returns what expires earlier for it."""
    hurried: list[Node] = []
    for type_, target in links:
        if (type_, target) not in node.edges and target != node.memory.id:
            unit.link(node, Edge(node.memory.id, type_, target, unit.now))
            base = unit.find_node(target) if type_ is EdgeType.DEPENDS_ON else None
            if base is not None:
                hurried += bring_forward(unit, node, base.memory.expires_at)
    return hurried


def as_sensitive(unit: Unit, node: Node, least: float | None = None, reasons: tuple[str, ...] = ()) -> list[Node]:
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


def says(text: str, fact: Memory) -> bool:
    """Return whether a text has all the terms of the value that a fact gives, but for the names of its people."""
    value = terms(str(fact.payload.get("concept") or fact.content))
    wanted = set(value).difference(term for name in fact.subjects for term in terms(name))
    return bool(wanted) and wanted <= {*terms(text)}


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
        end(unit, node, "retracted by its source: no longer current")
        closed.append(node.memory)
    return closed


def end(
    unit: Unit, node: Node, reason: str, *, at: int | None = None, by: str | None = None, follow: bool = True
) -> None:
    """Let a current value hold no longer, from ``at`` on, from now if left out; ``by`` is the reading that says so.

    With ``follow`` the episodes go with it whose every derived fact is superseded.
    """
    memory = node.memory
    if memory.pinned:
        unit.set_pinned(node, pinned=False)
    until = _until(memory, unit.now if at is None else at)
    unit.change(node, valid_to=until, superseded_at=_supersession(unit, node), ended_by=by)
    unit.leaving.add(memory.id)
    end_task(unit, node, TaskStatus.CANCELLED)
    details = {"rule": "retraction", "reason": reason}
    unit.record(Operation.RETRACT, node, tier_before=memory.tier, details=details)
    for follower in _follow(unit, node) if follow else ():
        unit.record(Operation.SUPERSEDE, follower, tier_before=follower.memory.tier, details=details)


# --- Entities ---------------------------------------------------------------------------------------------------


def mention(unit: Unit, node: Node, mentions: Iterable[EntityRef]) -> dict[str, list[str]]:
    """Link a memory to the entities it mentions, making those that are new; returns name key → ids.

    Where several may be meant by what is said of one, none is linked, unless the memory mentions it already: its key
    has no ids, and the memory a notice that asks which.
    """
    wanted = list(mentions)
    if not wanted:
        return {}
    named = unit.entities.bearers_of(item.name for item in wanted)
    bearers: dict[str, list[Entity]] = {}
    ids: dict[str, list[str]] = {}
    unclear: dict[str, tuple[EntityRef, Sequence[Entity]]] = {}
    for item in wanted:
        key = codec.name_key(unit.state.name, item.name)
        ids.setdefault(key, [])
        known = bearers.setdefault(key, named[item.name])
        if not known and ":" in item.name:
            known = bearers[key] = unit.entities.meant_by(item.name)
        found = known if item.name.startswith(ID_PREFIX) else fitting(item, known) if known else _earlier(unit, item)
        if len(found) > 1:
            unclear[key] = item, found
            continue
        entity = _enrich(unit, found[0], item) if found else _create_entity(unit, item)
        if found and found[0] in known:
            known[known.index(found[0])] = entity
        else:
            known.append(entity)
        ids[key].append(entity.id)
        _name(unit, node, entity, item)
        if item.aliases:
            ask_whether_one(unit, node, entity, item, _earlier(unit, item))
    for key, (item, found) in unclear.items():
        there = [one.id for one in found if (EdgeType.MENTIONS, one.id) in node.edges]
        ids[key] += there
        if not there:
            ask_which(unit, node, item, found)
    return ids


def _earlier(unit: Unit, item: EntityRef) -> Sequence[Entity]:
    """Return who bears one of the aliases of ``item`` as their own name: a name that is given later joins them.

    It does not where it is a short one of somebody who has another whole name: two are called so.
    """
    bearers = unit.entities.bearers_of(item.aliases) if item.aliases else {}
    found = {
        one.id: one
        for alias, known in bearers.items()
        for one in fitting(replace(item, name=alias), known)
        if folded_name(one.name) == folded_name(alias) and not is_anothers(alias, item.name, one.aliases)
    }
    return tuple(found.values())


def _said(item: EntityRef, entity: Entity) -> set[str]:
    """Return the names that ``item`` gives ``entity``; an id or an IRI in the place of the name is none."""
    by_name = not item.name.startswith(ID_PREFIX) and item.name not in entity.same_as
    return {" ".join(name.split()) for name in (*item.aliases, *((item.name,) if by_name else ()))}


def _name(unit: Unit, node: Node, entity: Entity, item: EntityRef) -> None:
    """Link a memory to an entity, with the names and IRIs that it gives of it."""
    memory = node.memory
    there = (EdgeType.MENTIONS, entity.id) in node.edges
    gives = Given(frozenset(_said(item, entity) or {entity.name}), frozenset(item.same_as))
    unit.link(node, Edge(memory.id, EdgeType.MENTIONS, entity.id, memory.created))
    if there:
        gives |= gives_of(memory.names_given, entity)
    entries = with_given(memory.names_given, entity, gives)
    if entries != memory.names_given:
        unit.change(node, names_given=entries)


def _create_entity(unit: Unit, mention: EntityRef) -> Entity:
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
    return unit.entities.put(entity, operation=Operation.CREATE_ENTITY)


def _enrich(unit: Unit, entity: Entity, mention: EntityRef) -> Entity:
    """Add what a new mention knows of an entity: other names, a type, the same thing elsewhere."""
    known = {folded_name(name) for name in (entity.name, *entity.aliases)}
    new = {name for name in _said(mention, entity) if folded_name(name) not in known}
    richer = replace(
        entity,
        aliases=tuple(sorted({*entity.aliases, *new} - {entity.name})),
        entity_type=entity.entity_type or mention.entity_type,
        same_as=tuple(sorted({*entity.same_as, *mention.same_as})),
    )
    if richer == entity:
        return entity
    unit.entities.get(entity.id)
    return unit.entities.put(richer, operation=Operation.UPDATE_ENTITY)


def relate_entities(unit: Unit, draft: Draft, entity_ids: Mapping[str, Sequence[str]]) -> None:
    """Draw the typed edges between the entities that a draft mentions; none where an end is unclear or both are one."""
    for relation in draft.relations:
        ends = [entity_ids.get(codec.name_key(unit.state.name, end)) for end in (relation.source, relation.target)]
        if None in ends:
            msg = f"relation {relation.type} names an entity that the draft does not mention; add it to mentions"
            raise InvalidMemory(msg)
        if any(len(set(found or ())) != 1 for found in ends):
            continue
        source, target = (found[0] for found in ends if found)
        entity = None if source == target else unit.entities.get(source)
        edge = Edge(source, relation.type, target, unit.now)
        if entity is not None and not unit.entities.has_edge(edge):
            unit.entities.put(entity, (edge,), operation=Operation.UPDATE_ENTITY)
