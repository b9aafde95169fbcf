"""The write gate: the rules of the shapes, asked of all that a unit of work made or changed before it is written.

Guarantees: every path that writes memories closes its unit through :func:`check_unit`, so that what passes it is what
``validate`` accepts: each memory that is new or changed with all its outgoing edges, each that points to something
which lost its content or goes, each link of a session's chain, each entity and each preference. A refusal names the
input, the rule and the way out, and nothing of the unit is written.

What a stored node broke before, and this unit does not mend, is not held against it: an id in another form, which an
earlier version took, can neither be changed nor stay in the way of erasing the memory.

The unit knows nearly all that the gate asks: of the ends of edges that were read, kind and tier came with them. The
database is read for ends that are named for the first time, and for cycles through what is stored.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marskg.errors import ClosureViolation, CycleError, InvalidMemory, TaskSafetyViolation
from marskg.ontology.vocabulary import CONTENT_TIERS, EdgeType, Kind
from marskg.shapes.gate import (
    NODE_ID,
    NODE_SHAPE,
    NodeFacts,
    check_chain,
    check_entity,
    check_memory,
    check_preference,
    facts_of,
)
from marskg.store.unit.edge_rules import closing_edges

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from marskg.errors import MarsError
    from marskg.records import Edge, Finding
    from marskg.store.unit.unit_of_work import Node, Unit

_ENTITY: Final = NodeFacts(None, None, has_content=False)
#: Edges whose end must keep its content.
NEEDING: Final = frozenset({EdgeType.DEPENDS_ON, EdgeType.REQUIRES})
#: The error for each sort of finding that is not about a memory's own fields.
ERRORS: Final[Mapping[str, type[MarsError]]] = {
    "closure": ClosureViolation,
    "content-closure": ClosureViolation,
    "task-safety": TaskSafetyViolation,
    "cycle": CycleError,
}
#: Characters of an id that a message repeats: what was given may be no id at all.
_SHOWN: Final = 60


def check_unit(unit: Unit) -> None:
    """Check all that ``unit`` would write.

    Raises:
        ClosureViolation: an edge would lead to what does not exist, or to what lost the content that the edge needs.
        TaskSafetyViolation: an active task would require something whose content is gone.
        CycleError: derivesFrom, dependsOn, supersedes and requires would form a cycle.
        InvalidMemory: a memory, an entity or a preference would break another rule of the shapes.
    """
    nodes = _changed(unit)
    _fetch_ends(unit, nodes)
    closing = closing_edges(unit)
    for node in nodes:
        edges = _edges(unit, node)
        ends = _ends(unit, node.memory.id, edges, closing)
        if check_memory(node.memory, edges, ends):
            _refuse_memory(unit, node, edges, ends)
    _check_chains(unit)
    for entity_id in unit.entities.put_ids:
        if entity_id not in unit.entities.removed:
            _check_entity(unit, entity_id)
    for preference, _ in unit.preferences.put_items.values():
        for finding in check_preference(preference):
            raise InvalidMemory(_named(f"the preference {preference.id[:_SHOWN]}", finding))


def _changed(unit: Unit) -> list[Node]:
    """Return the nodes that are new or changed, and those with content that point to what lost its own or goes."""
    found = {
        node_id: node
        for node_id, node in unit.nodes.items()
        if not node.deleted
        and (node.new or node.memory is not node.stored or node.edges.keys() != node.stored_edges.keys())
    }
    lost = [node_id for node_id, node in unit.nodes.items() if not node.has_content and _went(node)]
    for source, target, type_ in unit.incoming(lost):
        if type_ is EdgeType.TEMPORAL_NEXT or not unit.keeps_content(source):
            continue
        if source in unit.nodes or type_ in NEEDING or unit.nodes[target].deleted:
            found[source] = unit.node(source)
    return list(found.values())


def _went(node: Node) -> bool:
    """Return whether a node has content in the store, or is there and goes."""
    return node.stored is not None and (node.deleted or node.stored.content is not None)


def _edges(unit: Unit, node: Node) -> list[Edge]:
    """Return the edges that will lead out of a node; those of a tombstone to a node that goes, go with that."""
    if node.has_content:
        return list(node.edges.values())
    return [edge for edge in node.edges.values() if (end := unit.nodes.get(edge.target)) is None or not end.deleted]


def _fetch_ends(unit: Unit, nodes: Iterable[Node]) -> None:
    """Read in one statement what new edges lead to, as far as nothing is known of it."""
    unit.fetch(
        sorted(
            {
                target
                for node in nodes
                for type_, target in node.edges
                if type_ is not EdgeType.MENTIONS
                and (type_, target) not in node.stored_edges
                and target not in unit.nodes
                and unit.stored_end(target) is None
            }
        )
    )


def _ends(unit: Unit, source: str, edges: Iterable[Edge], closing: frozenset[tuple[str, str]]) -> dict[str, NodeFacts]:
    """Return the facts about the ends of edges, as they will be."""
    ends: dict[str, NodeFacts] = {}
    for edge in edges:
        facts = _end(unit, edge)
        if facts is not None:
            ends[edge.target] = replace(facts, reaches=True) if (source, edge.target) in closing else facts
    return ends


def _end(unit: Unit, edge: Edge) -> NodeFacts | None:
    node = unit.nodes.get(edge.target)
    if node is not None:
        return None if node.deleted else facts_of(node.memory)
    known = unit.stored_end(edge.target)
    if known is not None:
        return NodeFacts(*known, has_content=known[1] in CONTENT_TIERS)
    return _ENTITY if edge.type is EdgeType.MENTIONS and unit.has_entity(edge.target) else None


# --- Refusing -------------------------------------------------------------------------------------------------------


def _refuse_memory(unit: Unit, node: Node, edges: Sequence[Edge], ends: Mapping[str, NodeFacts]) -> None:
    """Raise what the first finding asks for that the memory as it is stored does not give as well."""
    memory = node.memory
    plain = check_memory(memory, (), {})
    before = [] if node.stored is None else check_memory(node.stored, (), {})
    for finding in plain:
        if finding not in before:
            raise InvalidMemory(_of_draft(unit, node) + _field_message(node, finding))
    for edge in edges:
        found = [finding for finding in check_memory(memory, (edge,), ends) if finding not in plain]
        stood = _stored_findings(unit, node, edge) if found and (edge.type, edge.target) in node.stored_edges else []
        for finding in sorted(found, key=_gravity):
            if finding not in stood:
                raise _edge_error(unit, node, edge, finding, ends.get(edge.target))


def _stored_findings(unit: Unit, node: Node, edge: Edge) -> list[Finding]:
    """Return what was wrong with a stored edge before this unit."""
    if node.stored is None:
        return []
    end = unit.nodes.get(edge.target)
    facts = _end(unit, edge) if end is None else None if end.stored is None else facts_of(end.stored)
    return check_memory(node.stored, (edge,), {} if facts is None else {edge.target: facts})


def _gravity(finding: Finding) -> bool:
    """Sort what tells that an end does not exist, or lost its content, before what follows from it."""
    return finding.code == "task-safety"


def _shape(finding: Finding) -> str:
    return finding.message.partition(":")[0]


def _edge_error(unit: Unit, node: Node, edge: Edge, finding: Finding, end: NodeFacts | None) -> MarsError:
    """Return the error for an edge that breaks a rule."""
    shape, target = _shape(finding), unit.drafts.get(edge.target) or edge.target[:_SHOWN]
    error = ClosureViolation if shape.startswith("EdgeEnd") else ERRORS.get(finding.code, InvalidMemory)
    if error is CycleError:
        words = (
            f"{edge.type} from {_name(node)} to {target} would close a cycle of derivesFrom, dependsOn, supersedes and "
            "requires; leave out the edge that leads back, or unlink another of the cycle first"
        )
    elif error is TaskSafetyViolation:
        words = f"requires points to {target}, whose content is gone (I4); require its successor or close the task"
    elif error is ClosureViolation:
        words = _end_message(unit, edge, end, target)
    elif shape == "TaskEdges":
        words = f"{edge.type} starts at a task; {_name(node)} is {node.memory.kind}: use dependsOn"
    else:
        words = _named(f"the {edge.type} edge from {_name(node)} to {target}", finding)
    return error(_of_draft(unit, node) + words)


def _of_draft(unit: Unit, node: Node) -> str:
    """Return what begins a message about a memory that was one of many drafts."""
    return f"{unit.drafts[node.memory.id]}: " if node.memory.id in unit.drafts else ""


def _end_message(unit: Unit, edge: Edge, end: NodeFacts | None, target: str) -> str:
    if end is None and not NODE_ID.match(edge.target):
        return (
            f"{edge.type} points to {target!r}, which is no id, nor the name of an earlier draft (I2); give that draft "
            "before the one that names it, or leave the edge out"
        )
    if end is None:
        what = "entity" if edge.type is EdgeType.MENTIONS else "memory"
        return (
            f"{edge.type} points to {target}, which is no {what} of tenant {unit.state.name!r} (I2); store it first, "
            "or leave the edge out"
        )
    if edge.type is EdgeType.ATTACHES_TO_GOAL:
        return f"attachesToGoal points to {target}, which is {end.kind}; it must point to a task"
    if edge.type is EdgeType.DEPENDS_ON:
        return f"dependsOn points to {target}, whose content is gone (I3); depend on its successor or store it anew"
    return f"{edge.type} points to {target}, which is {end.kind or 'an entity'}; it cannot lead there"


def _field_message(node: Node, finding: Finding) -> str:
    memory = node.memory
    shape = _shape(finding)
    if shape == NODE_SHAPE:
        return (
            f"{memory.id[:_SHOWN]!r} is no id of a memory: write urn:uuid: and a UUID in small letters, such as "
            "urn:uuid:01234567-89ab-7cde-8f01-23456789abcd, or leave id out"
        )
    if shape == Kind.TASK.label and memory.kind is not Kind.TASK:
        return (
            f"{_name(node)} is {memory.kind}, and status, priority, deadline, goal and dependencies belong to tasks: "
            "leave them out, or make it a task"
        )
    return _named(_name(node), finding)


def _name(node: Node) -> str:
    return "the new memory" if node.new else node.memory.id[:_SHOWN]


def _named(what: str, finding: Finding) -> str:
    return f"{what} breaks a rule: {finding.message}"


# --- Chains and entities --------------------------------------------------------------------------------------------


def _check_chains(unit: Unit) -> None:
    """Check each new link of a session's chain, and that what lost its content is in none (I6)."""
    links: dict[str, list[str]] = {}
    before: dict[str, list[str]] = {}
    for first, second in unit.chain.added:
        links.setdefault(first, []).append(second)
        before.setdefault(second, []).append(first)
    for node_id, node in unit.nodes.items():
        _, after = unit.chain.neighbours(node_id)
        if after is not None and not node.has_content:
            links.setdefault(node_id, [after])
    for first, following in links.items():
        _check_link(unit, first, following, before)


def _check_link(unit: Unit, first: str, following: Sequence[str], before: Mapping[str, Sequence[str]]) -> None:
    session = _session(unit, (first, *following))
    ends = {}
    for second in following:
        previous, after = unit.chain.neighbours(second)
        known = {*before.get(second, ()), *(() if previous is None else (previous,))}
        ends[second] = replace(
            _episode(unit, second, session), previous=tuple(sorted(known)), next=() if after is None else (after,)
        )
    for finding in check_chain(first, _episode(unit, first, session), following, ends):
        raise InvalidMemory(_named(f"the link from {first[:_SHOWN]} to {following[0][:_SHOWN]}", finding))


def _session(unit: Unit, ids: Iterable[str]) -> str | None:
    """Return the session of the episodes ``ids``, by the first of which more than the place is known."""
    return next((unit.nodes[node_id].memory.session for node_id in ids if node_id in unit.nodes), None)


def _episode(unit: Unit, node_id: str, session: str | None) -> NodeFacts:
    """Return the facts about an episode; one that was not read is whole and in its place: it was linked before."""
    node = unit.nodes.get(node_id)
    if node is not None:
        return facts_of(node.memory)
    return NodeFacts(Kind.EPISODIC, session=session, valid_from=unit.chain.times.get(node_id))


def _check_entity(unit: Unit, entity_id: str) -> None:
    entity = unit.entities.known[entity_id]
    edges = unit.entities.edges_of(entity_id)
    ends = {
        edge.target: _ENTITY for edge in edges if unit.entities.is_stored_edge(edge) or unit.has_entity(edge.target)
    }
    found = check_entity(entity, edges, ends)
    if not found:
        return
    original = unit.entities.stored(entity_id)
    before = [] if original is None else check_entity(original, (), {})
    for finding in found:
        if finding not in before:
            raise InvalidMemory(_named(f"the entity {entity_id[:_SHOWN]}", finding))
