"""Changes of governed metadata and edges inside a unit of work: pins, task states, links, new versions.

Guarantees: nothing here changes content (section 1): a new text is a
new node that supersedes the old one.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from marskg.clock import uuid7
from marskg.entities import folded_name
from marskg.errors import InvalidMemory, NotPermitted, TaskSafetyViolation
from marskg.language.en.topics import renewed_topics
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import ACTIVE_STATUSES, DERIVED_EDGES, EdgeType, Kind, Operation, TaskStatus, Tier
from marskg.records import Edge, Memory, held_at
from marskg.store.graph.admit import (
    CLAMPED,
    as_sensitive,
    bring_forward,
    equal_value,
    mention,
    merge_changed,
    record_brought_forward,
    record_followers,
    record_superseded,
    relate_entities,
    supersede,
)
from marskg.store.graph.measured_sensitivity import changes_of
from marskg.store.graph.preference_enforcement import check_memory_allowed
from marskg.store.graph.suppression import check
from marskg.store.graph.tiers import Departure, archive, release
from marskg.store.graph.validation import check_number
from marskg.store.rows.summary_lines import reattributed
from marskg.store.unit.edge_rules import check_drawn
from marskg.store.unit.sensitivity import Sensed, record
from marskg.weight import RULE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.drafts import Draft
    from marskg.store.graph.suppression import TextDigests
    from marskg.store.unit.unit_of_work import Node, Unit


#: What stands between words when names are looked for in a text.
_NO_WORD = late_regex(r"[^\w]+")
_WEIGHED = "it was weighed by a former rule, by which a run that the vocabulary does not know was one token"
SHORTENED = "shortened to an excerpt: long, and of low score"


def whole(node: Node) -> Memory:
    """Return the node's memory.

    Raises:
        NotPermitted: its content is gone.
    """
    if not node.has_content:
        msg = f"{node.memory.id} is a {node.memory.tier}: its content is gone and it cannot be changed"
        raise NotPermitted(msg)
    return node.memory


def pin(unit: Unit, node_id: str, *, pinned: bool) -> Memory:
    """Protect a memory, and what it depends on, from every policy; or stop protecting it."""
    node = unit.node(node_id)
    memory = whole(node)
    if memory.pinned == pinned:
        return memory
    if pinned and memory.tier is not Tier.LIVE:
        msg = f"{node_id} is {memory.tier}; restore it before pinning it"
        raise NotPermitted(msg)
    unit.set_pinned(node, pinned=pinned)
    reason = "pinned by request" if pinned else "unpinned by request"
    unit.record(Operation.AMEND, node, tier_before=memory.tier, details={"rule": "pin", "reason": reason})
    return node.memory


def amend_task(unit: Unit, node_id: str, **changes: Any) -> Memory:
    """Change a task's status, priority or deadline; ``ended_by`` is the reading that gives it the status, if one does.

    Raises:
        InvalidMemory: the memory is no task.
        TaskSafetyViolation: reopened onto missing content (I4).
    """
    node = unit.node(node_id)
    memory = whole(node)
    wanted = {name: value for name, value in changes.items() if value is not None and getattr(memory, name) != value}
    if changes.get("status") is not None and memory.ended_by != changes.get("ended_by"):
        # A status that somebody gave by hand is nobody's reading any more.
        wanted["ended_by"] = changes.get("ended_by")
    if not wanted:
        return memory
    unit.change(node, **wanted)
    lost = node.targets(EdgeType.LOST_PREREQUISITE)
    if lost and wanted.get("status") in ACTIVE_STATUSES - {TaskStatus.BLOCKED}:
        msg = f"{node_id} cannot become active: it requires {lost[0]}, whose content is gone (I4); unlink that first"
        raise TaskSafetyViolation(msg)
    unit.settle_activity(node)
    details = {"rule": "task", "reason": f"task changed: {', '.join(sorted(wanted))}"}
    unit.record(Operation.AMEND, node, tier_before=memory.tier, details=details)
    return node.memory


def affirm(unit: Unit, node_id: str) -> Memory:
    """Confirm a memory whose base was superseded, so that it is retrieved by default again."""
    node = unit.node(node_id)
    memory = whole(node)
    if memory.unaffirmed_since is not None:
        unit.change(node, unaffirmed_since=None)
        details = {"rule": "affirm", "reason": "affirmed by request after its base was superseded"}
        unit.record(Operation.AMEND, node, tier_before=memory.tier, details=details)
    return node.memory


def add_edge(unit: Unit, source: str, type_: EdgeType, target: str, weight: float | None = None) -> Memory:
    """Link two memories.

    Raises:
        ClosureViolation: the target lost its content.
        InvalidMemory: only the store draws such an edge, or it would lead to where it begins.
    """
    node = unit.node(source)
    memory = whole(node)
    weight = None if weight is None else check_number("weight", weight)
    check_drawn(unit, source, ((type_, target),))
    if (type_, target) in node.edges:
        return memory
    unit.link(node, Edge(source, type_, target, unit.now, weight))
    base = unit.find_node(target)
    more = as_sensitive(unit, node) if type_ is EdgeType.DERIVES_FROM else []
    limit = base.memory.expires_at if base is not None and type_ is EdgeType.DEPENDS_ON else None
    hurried = bring_forward(unit, node, limit)
    unit.record(
        Operation.LINK, node, tier_before=memory.tier, details={"rule": "link", "reason": f"{type_} edge added"}
    )
    record_brought_forward(unit, hurried[1:])
    record(unit, more[1:], "what it derives from is more sensitive")
    return replace(node.memory, notices=(CLAMPED,)) if hurried else node.memory


def remove_edge(unit: Unit, source: str, type_: EdgeType, target: str) -> Memory:
    """Remove an edge between two memories; that they are compatible goes from whichever of the two it was drawn."""
    node = unit.node(source)
    if type_ is EdgeType.COMPATIBLE_WITH and (type_, target) not in node.edges:
        node, target = unit.node(target), source
    memory = whole(node)
    if type_ in DERIVED_EDGES:
        msg = f"{type_} edges are drawn by the store itself and cannot be removed by hand"
        raise InvalidMemory(msg)
    if (type_, target) in node.edges:
        unit.unlink(node, type_, target)
        details = {"rule": "link", "reason": f"{type_} edge removed"}
        unit.record(Operation.UNLINK, node, tier_before=memory.tier, details=details)
        release(unit, node, type_, target)
    return node.memory


def shorten(unit: Unit, node_id: str, content: str, weight: int, embedding: str | None = None) -> Memory:
    """Give a memory a shorter text from the same time on, and move the long one to the latent tier.

    Raises:
        NotPermitted: it is not current any more.
    """
    old = unit.node(node_id)
    memory = new_version(unit, node_id, content, weight, embedding, since=old.memory.valid_from, reason=SHORTENED)
    if old.memory.tier is Tier.LIVE:
        archive(unit, [Departure(node_id, {"rule": "compression", "reason": SHORTENED})], grace=None)
    return memory


def _keep_edges(unit: Unit, old: Node, new: Node, unnamed: set[str]) -> None:
    """Let the new version have the old one's edges, besides what is decided anew and what its text names no more."""
    for (type_, target), edge in sorted(old.edges.items()):
        kept = type_ not in {EdgeType.SUPERSEDES, EdgeType.ATTACHES_TO_GOAL} and target not in unnamed
        if kept and type_ is not EdgeType.COMPATIBLE_WITH and unit.node_has_content(type_, target):
            unit.link(new, Edge(new.memory.id, type_, target, unit.now, edge.weight))


def _stay_compatible(unit: Unit, old: Node, new: Node) -> None:
    """Let what a person decided about a text hold for its shorter form; about another text nothing was decided."""
    found = set(old.targets(EdgeType.COMPATIBLE_WITH))
    found |= {source for source, _, type_ in unit.incoming((old.memory.id,)) if type_ is EdgeType.COMPATIBLE_WITH}
    for other in sorted(found):
        if unit.node_has_content(EdgeType.COMPATIBLE_WITH, other):
            unit.link(new, Edge(new.memory.id, EdgeType.COMPATIBLE_WITH, other, unit.now))


def new_version(
    unit: Unit,
    node_id: str,
    content: str,
    weight: int,
    embedding: str | None = None,
    *,
    named: Draft | None = None,
    since: int | None = None,
    reason: str | None = None,
    sensed: Sensed | None = None,
    tags: tuple[str, ...] | None = None,
    changes: Mapping[str, Any] = MappingProxyType({}),
    digests: TextDigests | None = None,
    words: tuple[str, str] | None = None,
) -> Memory:
    """Give a memory a new text, with its packed vector: a new node with the same metadata supersedes it.

    ``named`` has the entities and relations that the new text names; with it, those that the old text named and the new
    one does not are left out, and what was linked by hand stays. The new one is valid from ``since`` on, from now if
    left out; ``changes`` are other fields that change with it; ``reason`` goes into the audit. ``sensed`` says how
    sensitive the new text is; it is as sensitive as the old one if left out. ``tags`` are those of the new text,
    ``digests`` would refuse it, ``words`` are :func:`words_of` the old text and it; worked out here if left out.

    Raises:
        NotPermitted: it is not current any more.
        ConsentRequired, ErasedContentRefused: the new text was erased once.
        PreferenceRefused: a preference does not allow the new text.
    """
    old = unit.node(node_id)
    memory = replace(whole(old), **changes)
    if not memory.current:
        msg = f"{node_id} was superseded already; update its newest version: mars history {node_id}"
        raise NotPermitted(msg)
    check(unit, replace(memory, content=content), weight, _names(named), digests)
    check_memory_allowed(unit, replace(memory, content=content), _names(named))
    if memory.content == content and memory == old.memory:
        return memory
    begins = max(unit.now, memory.valid_from) if since is None else since
    # What is over is corrected for the time when it held.
    begins = begins if held_at(memory, begins) else memory.valid_from
    equal = equal_value(unit, replace(memory, content=content, valid_from=begins))
    if equal is not None:
        return merge_changed(unit, old, equal, () if named is None else named.mentions)
    values = {
        name: getattr(memory, name)
        for name in memory.__dataclass_fields__
        if name
        not in {"id", "content", "weight", "created", "sequence", "pinned", "tier", "tier_history", "grace_until"}
        and name not in {"last_access", "access_count", "strength", "unaffirmed_since", "valid_from", "summary_lines"}
        # A new text is nobody's reading of a turn; one that waited to be read still does.
        and name not in {"names_given", "spans", "made_by", "ended_by"}
    }
    values["intent_tags"] = renewed_topics(memory.intent_tags, memory.content or "", content) if tags is None else tags
    if sensed is not None:
        values |= changes_of(unit, memory, old.targets(EdgeType.DERIVES_FROM), sensed)
    new = unit.create(
        Memory(
            id=uuid7(unit.now, unit.services.source),
            content=content,
            weight=weight,
            created=unit.now,
            valid_from=begins,
            last_access=unit.now,
            sequence=unit.audit.next_sequence,
            summary_lines=reattributed(memory.summary_lines, content),
            **values,
        ),
        embedding,
    )
    unnamed = set() if named is None else _no_longer_named(unit, old, content, words)
    _keep_edges(unit, old, new, unnamed)
    if reason == SHORTENED:
        _stay_compatible(unit, old, new)
    if named is not None:
        relate_entities(unit, named, mention(unit, new, named.mentions))
    if new.memory.kind is Kind.EPISODIC:
        unit.chain.enter(new.memory, unit.audit.next_sequence)
    followers = supersede(unit, old, new)
    unit.settle_activity(new)
    # The sequence is the record's, which may follow those of entities.
    if new.memory.sequence != unit.audit.next_sequence:
        unit.change(new, sequence=unit.audit.next_sequence)
    details = None if reason is None else {"reason": reason}
    unit.record(Operation.REMEMBER, new, weight_after=unit.running_weight, details=details)
    record_superseded(unit, old)
    record_followers(unit, followers)
    return new.memory


def weigh(unit: Unit, weights: Mapping[str, int]) -> None:
    """Give memories the weights that they have by the rule of now, each with its record; what went meanwhile is not."""
    unit.fetch(weights)
    for ident, weight in weights.items():
        node = unit.nodes.get(ident)
        if node is not None and node.has_content and node.memory.weight < weight:
            unit.become(node, replace(node.memory, weight=weight))
            details = {"rule": "weight", "reason": _WEIGHED}
            unit.record(Operation.AMEND, node, tier_before=node.memory.tier, details=details)


def end_weighing(unit: Unit, before: int, told: tuple[str, ...]) -> None:
    """Let the tenant's row say that it is weighed by the rule of now; ``told`` are the record's parameters."""
    unit.update_tenant(weighed_by=RULE)
    parameters = (f"weighed_by={RULE}", *told)
    unit.audit.note(Operation.MIGRATE, parameters=parameters, weight_before=before, weight_after=unit.state.weight)


def _names(named: Draft | None) -> list[str]:
    """Return the names that a text was found to mention."""
    return [] if named is None else [name for item in named.mentions for name in (item.name, *item.aliases)]


def words_of(text: str) -> str:
    """Return a text's words as names are looked for in them, between blanks; it takes some time if the text is long."""
    return f" {' '.join(_NO_WORD.split(folded_name(text)))} "


def _no_longer_named(unit: Unit, old: Node, content: str, words: tuple[str, str] | None) -> set[str]:
    """Return the entities that the old text of a memory names and ``content`` does not; ``words`` are those of both."""
    before, after = words or (words_of(old.memory.content or ""), words_of(content))
    found = set()
    for entity_id in old.targets(EdgeType.MENTIONS):
        entity = unit.entities.entity(entity_id)
        names = [words_of(name) for name in (entity.name, *entity.aliases)]
        if any(name in before for name in names) and not any(name in after for name in names):
            found.add(entity_id)
    return found
