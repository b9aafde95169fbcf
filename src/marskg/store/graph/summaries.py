"""Summaries inside a unit of work: taking the place of their constituents, and losing lines with their sources.

Guarantees, when a function here returns: a summary has the subjects, the purpose and the jurisdiction of all its
constituents, which were neither pinned, keyed, superseded nor needed by anything with content; it derives from each of
them, weighs less than they did, and names for each line the original memories behind it, also through summaries of
summaries. A task that requires a constituent requires the summary instead where it is marked equivalent, or the
summary is refused (I4).
No line outlives one of its sources, nor a fact of one that it says: a summary with lines that left is a new version
without them, whose older one has lost its content in the same transaction; without lines it is gone. Each node that
changes has one record (I7). Source: semantics sections 4 (I2-I4), 5 and 6.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from marskg.clock import uuid7
from marskg.entities import folded_name
from marskg.errors import InvariantError
from marskg.ontology.mapping import quantise
from marskg.ontology.vocabulary import EdgeType, Kind, Operation, SourceType, Tier
from marskg.records import Edge, Memory
from marskg.store.graph import tiers
from marskg.store.graph.admit import record_followers, says, supersede
from marskg.store.graph.preference_enforcement import inherit_floor
from marskg.store.rows.summary_lines import MAX_LINES, decode, encode, first_expiry, sources_of, without
from marskg.store.unit.edge_rules import leads
from marskg.store.unit.preference_rules import forced_of, without_forced
from marskg.store.unit.retention_classes import class_of_summary
from marskg.store.unit.sensitivity import weight_of
from marskg.store.unit.vectors import MadeBy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from marskg.records import Consolidation, SummaryLine
    from marskg.store.unit.unit_of_work import Node, Unit

RULE = "consolidation"
LEFT = "lines left with the memories behind them: the lines that stay are a new version"
NOTHING_LEFT = "none of its lines is left: the memories behind them expired, were superseded or erased"


# --- Consolidating ------------------------------------------------------------------------------------------------


def consolidate(
    unit: Unit,
    summary: Consolidation,
    *,
    details: Mapping[str, Mapping[str, Any]] | None = None,
    keep_latent: bool = False,
    grace: int | None = None,
) -> Memory:
    """Let a summary take the place of its constituents, in the caller's unit; returns the summary.

    Args:
        unit: the unit of work.
        summary: what passed the gates (:mod:`marskg.reflection.gates`); they are not asked again but for the cost.
        details: for a constituent's id, what its record says besides.
        keep_latent: constituents move to the latent tier, and become tombstones otherwise.
        grace: with ``keep_latent``, after how many milliseconds they become tombstones; never if left out.

    Raises:
        InvariantError: a constituent may not be summarised, or the summary is not what it claims to be; the message
            names the constituent and the rule.
    """
    (made,) = consolidate_all(unit, [summary], details=details, keep_latent=keep_latent, grace=grace)
    return made


def consolidate_all(
    unit: Unit,
    summaries: Sequence[Consolidation],
    *,
    details: Mapping[str, Mapping[str, Any]] | None = None,
    keep_latent: bool = False,
    grace: int | None = None,
) -> list[Memory]:
    """Do what :func:`consolidate` does for several summaries, with the reads and the leaving of all at once."""
    ids = [node_id for summary in summaries for node_id in summary.constituents]
    if len(set(ids)) < len(ids):
        _refuse("a memory", "is in one summary only")
    unit.fetch(ids, leaving=True)
    # Of what else points to them, whether it has content is enough.
    unit.fetch(sorted({source for source, _, type_ in unit.incoming(ids) if type_ is EdgeType.REQUIRES}))
    unit.entities.fetch({entity for node_id in ids for entity in unit.node(node_id).targets(EdgeType.MENTIONS)})
    made = [_place(unit, summary) for summary in summaries]
    departures = [
        tiers.Departure(node_id, {"rule": RULE, "reason": "part of a summary", **(details or {}).get(node_id, {})})
        for node_id in ids
    ]
    if keep_latent:
        tiers.archive(unit, departures, grace=grace, operation=Operation.CONSOLIDATE)
    else:
        tiers.evict(unit, departures, operation=Operation.CONSOLIDATE)
    return made


def _place(unit: Unit, summary: Consolidation) -> Memory:
    """Create one summary beside its constituents, and record it."""
    ids = list(summary.constituents)
    nodes = [unit.node(node_id) for node_id in ids]
    _check(unit, nodes, summary)
    before = unit.running_weight
    node = unit.create(_new_memory(unit, summary, nodes), _vector(unit, summary))
    _link(unit, node, nodes)
    inherit_floor(unit, node, ids)
    tasks = _repoint(unit, node, ids) if summary.equivalent else []
    reason = f"summary of {len(ids)} memories, distortion {summary.realised:.6f}"
    if node.memory.sequence != unit.audit.next_sequence:
        unit.change(node, sequence=unit.audit.next_sequence)
    unit.record(
        Operation.REMEMBER,
        node,
        budget=unit.state.budget,
        weight_before=before,
        weight_after=unit.running_weight,
        details={
            "rule": RULE,
            "reason": reason,
            "features": (f"distortion={summary.realised:.6f}", f"distortion_predicted={summary.predicted:.6f}"),
        },
    )
    for task in tasks:
        found = {"rule": RULE, "reason": "what it requires was summarised: it requires the equivalent summary now"}
        unit.record(Operation.AMEND, task, tier_before=task.memory.tier, details=found)
    return node.memory


def _check(unit: Unit, nodes: Sequence[Node], summary: Consolidation) -> None:
    ids = {node.memory.id for node in nodes}
    if not 1 < len(ids) == len(nodes):
        _refuse("a summary", "has two constituents or more, each once")
    first = nodes[0].memory
    for node in nodes:
        memory = node.memory
        if memory.tier is not Tier.LIVE:
            _refuse(memory.id, "is not live")
        if memory.pinned or memory.key is not None or not memory.current:
            _refuse(memory.id, "is pinned, keyed or superseded, which no summary may take the place of")
        if (memory.subjects, memory.purpose, memory.jurisdiction) != (
            first.subjects,
            first.purpose,
            first.jurisdiction,
        ):
            _refuse(
                memory.id, "has other subjects, another purpose or another jurisdiction than the rest of its cluster"
            )
    for source, target, type_ in unit.incoming(ids):
        if type_ is EdgeType.DEPENDS_ON and source not in ids and unit.keeps_content(source):
            _refuse(target, "still has a dependent with content (I3)")
    for node in nodes:
        if node.guards > (_guarding_tasks(unit, node.memory.id) if summary.equivalent else 0):
            _refuse(node.memory.id, "is protected by an active task, and the summary is not marked equivalent (K, I4)")
    _check_lines(unit, nodes, summary)


def _check_lines(unit: Unit, nodes: Sequence[Node], summary: Consolidation) -> None:
    originals = _originals(nodes)
    foreign = sorted(sources_of(summary.lines) - originals)
    if foreign:
        _refuse(foreign[0], "is named by a line, and is behind none of the constituents")
    if not summary.lines or len(summary.lines) > MAX_LINES or any("\n" in line.text for line in summary.lines):
        _refuse("a summary", f"has from one to {MAX_LINES:,} lines without line breaks")
    if unit.services.counter.count(summary.content) > summary.weight:
        _refuse("a summary", "weighs as many tokens as its text has")
    if summary.weight >= sum(node.memory.weight for node in nodes):
        _refuse("a summary", "is strictly cheaper than its constituents")


def _refuse(what: str, rule: str) -> None:
    msg = f"{what} {rule}; nothing was changed: leave it out of the cluster, or plan again"
    raise InvariantError(msg)


def _originals(nodes: Iterable[Node]) -> frozenset[str]:
    """Return the ids of the original memories that ``nodes`` stand for."""
    found: set[str] = set()
    for node in nodes:
        found |= sources_of(decode(node.memory.summary_lines)) or {node.memory.id}
    return frozenset(found)


def _guarding_tasks(unit: Unit, node_id: str) -> int:
    """Return how many active tasks require a memory."""
    sources = [source for source, _, type_ in unit.incoming((node_id,)) if type_ is EdgeType.REQUIRES]
    return sum(1 for source in sources if unit.node(source).guarding)


def _new_memory(unit: Unit, summary: Consolidation, nodes: Sequence[Node]) -> Memory:
    members = [node.memory for node in nodes]
    first = members[0]
    everything = tuple(sorted(_originals(nodes)))
    # A line without attribution carries them all (section 6).
    lines = tuple(line if line.sources else replace(line, sources=everything) for line in summary.lines)
    sessions = {member.session for member in members}
    reasons = {reason for member in members for reason in member.sensitivity_reasons}
    ends = [first_expiry(lines), *(unit.node(base).memory.expires_at for base in _bases(nodes))]
    return Memory(
        id=uuid7(unit.now, unit.services.source),
        tenant=unit.state.name,
        kind=Kind.SEMANTIC,
        content=summary.content,
        created=unit.now,
        sequence=unit.audit.next_sequence,
        valid_from=max(member.valid_from for member in members),
        sensitivity=quantise(summary.sensitivity),
        sensitivity_reasons=_explaining(summary, reasons) if summary.sensitivity else (),
        weight=summary.weight,
        source_type=SourceType.REFLECTION,
        reliability=min(member.reliability for member in members),
        session=first.session if len(sessions) == 1 else None,
        memory_class=class_of_summary({member.memory_class for member in members}, durable=summary.durable),
        intent_tags=tuple(sorted({tag for member in members for tag in member.intent_tags})),
        subjects=first.subjects,
        purpose=first.purpose,
        jurisdiction=first.jurisdiction,
        # The end of its first line; it goes on with the others (``settle_lines``).
        expires_at=min((end for end in ends if end is not None), default=None),
        summary_lines=encode(lines),
        last_access=unit.now,
        score=max(member.score for member in members),
    )


def _explaining(summary: Consolidation, reasons: Iterable[str]) -> tuple[str, ...]:
    """Return those reasons of the constituents that may be the summary's: what was left unsaid is none of them.

    What a private entity forces is added by its own rule, which forces it on the whole.
    """
    own = without_forced(reasons)
    return tuple(sorted(reason for reason in own if weight_of(reason) <= summary.sensitivity))


def _vector(unit: Unit, summary: Consolidation) -> str | None:
    made_by = None if summary.made_by is None else MadeBy(*summary.made_by)
    return summary.embedding if unit.keeps(made_by) else None


def _bases(nodes: Sequence[Node]) -> list[str]:
    """Return what the constituents depend on beside each other."""
    ids = {node.memory.id for node in nodes}
    return sorted({base for node in nodes for base in node.targets(EdgeType.DEPENDS_ON)} - ids)


def _link(unit: Unit, node: Node, nodes: Sequence[Node]) -> None:
    """Link a summary to its constituents, to what they make no sense without, to their goals and to whom it names."""
    ids = {other.memory.id for other in nodes}
    goals = {goal for other in nodes for goal in other.targets(EdgeType.ATTACHES_TO_GOAL)} - ids
    entities = {entity for other in nodes for entity in other.targets(EdgeType.MENTIONS)}
    wanted = [
        *((EdgeType.DERIVES_FROM, target) for target in sorted(ids)),
        *((EdgeType.DEPENDS_ON, target) for target in _bases(nodes)),
        *((EdgeType.ATTACHES_TO_GOAL, target) for target in sorted(goals) if unit.node(target).has_content),
        *((EdgeType.MENTIONS, target) for target in _named(unit, node.memory, entities)),
    ]
    for type_, target in wanted:
        unit.link(node, Edge(node.memory.id, type_, target, unit.now))


def _named(unit: Unit, memory: Memory, entities: Iterable[str]) -> list[str]:
    """Return those of ``entities`` whose name the text still holds: whom it does not name, it does not mention."""
    wanted = sorted(set(entities))
    unit.entities.fetch(wanted)
    text = f" {folded_name(memory.content or '')} "
    found = []
    for entity_id in wanted:
        entity = unit.entities.entity(entity_id)
        if any(folded_name(name) in text for name in (entity.name, *entity.aliases)):
            found.append(entity_id)
    return found


def _repoint(unit: Unit, summary: Node, ids: Sequence[str]) -> list[Node]:
    """Let what requires one of ``ids`` require the summary, which says the same (I4).

    A closed task on which another of the constituents rests keeps its edge: it would lie on a cycle.
    """
    tasks: dict[str, Node] = {}
    for source, target, type_ in unit.incoming(ids):
        if type_ is EdgeType.REQUIRES and unit.node(source).has_content:
            task = unit.node(source)
            if leads(unit, summary.memory.id, source):
                if task.guarding:
                    _refuse(target, "is required by an active task on which another constituent rests")
                continue
            tasks[source] = task
            unit.unlink(task, EdgeType.REQUIRES, target)
            unit.link(task, Edge(source, EdgeType.REQUIRES, summary.memory.id, unit.now))
    return [tasks[task_id] for task_id in sorted(tasks)]


# --- Lines that leave -----------------------------------------------------------------------------------------------


def settle_lines(unit: Unit) -> None:
    """Take the lines that rest on what left in this unit, and those whose time is over, out of every summary."""
    while unit.leaving or unit.lapsed:
        leaving, lapsed = frozenset(unit.leaving), set(unit.lapsed)
        unit.leaving.clear()
        unit.lapsed.clear()
        ended: dict[str, list[Memory]] = {}
        for node_id in sorted(leaving):
            if node_id in unit.nodes and unit.nodes[node_id].memory.spans:
                _note_ended(unit.nodes[node_id], ended)
        for node_id in sorted(_resting_on(unit, leaving.union(ended)) | lapsed):
            node = unit.nodes[node_id]
            if node.has_content:
                _shed(unit, node, leaving, ended)


def _note_ended(node: Node, ended: dict[str, list[Memory]]) -> None:
    """Note what was read from a text and holds no longer, by the memories whose words said it.

    What was shortened is said still, and its long form set aside: it has not ended. What somebody derived by hand, and
    has no spans, may be no part of the words.
    """
    memory = node.memory
    if node.has_content and memory.superseded_at is not None and memory.tier is Tier.LIVE:
        for source in node.targets(EdgeType.DERIVES_FROM):
            ended.setdefault(source, []).append(memory)


def _resting_on(unit: Unit, sources: frozenset[str]) -> set[str]:
    """Return the summaries with content that rest on one of ``sources``, also through summaries that are gone."""
    found: set[str] = set()
    seen = set(sources)
    pending = set(sources)
    while pending:
        edges = [(source, target) for source, target, type_ in unit.incoming(pending) if type_ is EdgeType.DERIVES_FROM]
        unit.fetch(sorted({source for source, _ in edges}))
        pending = set()
        for source, _ in edges:
            node = unit.node(source)
            if node.has_content and node.memory.summary_lines:
                found.add(source)
            if source not in seen and (not node.has_content or node.memory.summary_lines):
                seen.add(source)
                pending.add(source)
    return found


def _shed(unit: Unit, old: Node, leaving: frozenset[str], ended: Mapping[str, Sequence[Memory]]) -> None:
    """Give a summary a new version without the lines that leave, or let it go where none stays.

    Of what ``ended``, the lines leave that say it after the same memory.
    """
    lines = decode(old.memory.summary_lines)
    kept = tuple(
        line
        for line in without(lines, leaving, unit.now)
        if not any(says(line.text, fact) for source in line.sources for fact in ended.get(source, ()))
    )
    if not kept:
        tiers.expire(unit, [old.memory.id], reason=NOTHING_LEFT)
        return
    if kept == lines:
        return
    new = unit.create(_shorter(unit, old.memory, kept))
    for (type_, target), edge in sorted(old.edges.items()):
        if _stays(type_, target, lines, kept, leaving):
            unit.link(new, Edge(new.memory.id, type_, target, unit.now, edge.weight))
    for target in _named(unit, new.memory, old.targets(EdgeType.MENTIONS)):
        unit.link(new, Edge(new.memory.id, EdgeType.MENTIONS, target, unit.now))
    followers = [*supersede(unit, old, new), *_rest_on_new(unit, old, new)]
    # What moved from the old version is not its end: that was its first line's.
    ends = [first_expiry(kept), *(unit.node(base).memory.expires_at for base in new.targets(EdgeType.DEPENDS_ON))]
    unit.change(new, expires_at=min((end for end in ends if end is not None), default=None))
    unit.record(Operation.REMEMBER, new, weight_after=unit.running_weight, details={"rule": RULE, "reason": LEFT})
    record_followers(unit, followers)
    departure = tiers.Departure(old.memory.id, {"rule": RULE, "reason": LEFT})
    tiers.evict(unit, [departure], operation=Operation.EXPIRE)


def _stays(
    type_: EdgeType, target: str, lines: Sequence[SummaryLine], kept: Sequence[SummaryLine], leaving: frozenset[str]
) -> bool:
    """Return whether an edge of the old version is the new one's as well."""
    if type_ in {EdgeType.SUPERSEDES, EdgeType.ATTACHES_TO_GOAL, EdgeType.MENTIONS}:
        return False
    gone = sources_of(lines) - sources_of(kept)
    return type_ is not EdgeType.DERIVES_FROM or target not in gone | leaving


def _shorter(unit: Unit, memory: Memory, kept: Sequence[SummaryLine]) -> Memory:
    content = "\n".join(line.text for line in kept)
    least = forced_of(memory.sensitivity_reasons)
    latent = memory.tier is Tier.LATENT
    return replace(
        memory,
        id=uuid7(unit.now, unit.services.source),
        content=content,
        summary_lines=encode(kept),
        weight=unit.services.counter.count(content),
        # What a private entity forced on the whole stays on what is left of it.
        sensitivity=quantise(max(0.0 if least is None else least[1], *(line.sensitivity for line in kept))),
        created=unit.now,
        # What was superseded stays so, and not before it was made.
        superseded_at=None if memory.current else unit.now,
        sequence=unit.audit.next_sequence,
        tier_history=tiers.history(unit, memory, Tier.LATENT) if latent else memory.tier_history,
        pinned=False,
        expires_at=None,
        unaffirmed_since=None,
        last_access=unit.now,
        access_count=0,
        strength=1.0,
    )


def _rest_on_new(unit: Unit, old: Node, new: Node) -> list[Node]:
    """Let what depends on the old version depend on the new one, which outlives it."""
    found = []
    for source, _, type_ in unit.incoming((old.memory.id,)):
        node = unit.node(source) if type_ is EdgeType.DEPENDS_ON else None
        if node is not None and node.has_content:
            unit.unlink(node, EdgeType.DEPENDS_ON, old.memory.id)
            unit.link(node, Edge(source, EdgeType.DEPENDS_ON, new.memory.id, unit.now))
            found.append(node)
    return found
