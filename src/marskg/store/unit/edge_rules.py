"""Rules of the edges between memories: which a caller may draw, and which of those that are drawn close a cycle.

Guarantees: this is the only place that says which edges the store keeps for itself, and what a new edge may lead to
besides what the graph allows of every edge (:mod:`marskg.shapes.gate`); documents and snapshots are not asked, as what
they hold was drawn by a store. A cycle among derivesFrom, dependsOn, supersedes and requires is found through what is
stored as well as through what the unit draws; the store is read only where a new edge starts at a stored memory, since
no stored edge leads to a new one. Source: semantics section 2.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from marskg.errors import ClosureViolation, InvalidMemory
from marskg.ontology.vocabulary import ACYCLIC, EdgeType
from marskg.shapes.cycles import cyclic_edges
from marskg.store.rows import codec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from marskg.store.unit.unit_of_work import Unit

#: The edges that only the store draws, and what to do instead.
OWN_EDGES: Final[Mapping[EdgeType, str]] = MappingProxyType({
    EdgeType.TEMPORAL_NEXT: "give both episodes the same session",
    EdgeType.SUPERSEDES: "give the memory a new text with update, or both values one key",
    EdgeType.LOST_PREREQUISITE: "link with requires",
    EdgeType.COMPATIBLE_WITH: "reject the conflict in the review",
    EdgeType.MENTIONS: "name the entity with mentions, or with mention",
})  # fmt: skip
#: The edges that a caller may draw, in the vocabulary's order.
DRAWN_EDGES: Final = tuple(edge for edge in EdgeType if edge not in OWN_EDGES)
#: Edges of which the graph itself says when they may lead to a memory without content.
_GRAPH_SAYS: Final = frozenset({EdgeType.DERIVES_FROM, EdgeType.DEPENDS_ON, EdgeType.REQUIRES})


def check_drawn(unit: Unit, source: str | None, links: Iterable[tuple[EdgeType, str]]) -> None:
    """Check that a caller may draw such edges, from ``source`` if it has an id, to what is read in one statement.

    Raises:
        InvalidMemory: only the store draws edges of the type, or one would lead to where it begins.
        ClosureViolation: the memory has lost its content, and the edge is no evidence and no prerequisite.
    """
    wanted = list(links)
    for type_, target in wanted:
        if target == source and type_ not in ACYCLIC:
            msg = f"{type_} would lead from {target[:60]} to itself, which says nothing; name another memory"
            raise InvalidMemory(msg)
        instead = OWN_EDGES.get(type_)
        if instead is not None:
            known = ", ".join(DRAWN_EDGES)
            msg = f"{type_} edges are drawn by the store itself: {instead}; a caller may draw {known}"
            raise InvalidMemory(msg)
    unit.fetch(sorted({target for _, target in wanted}))
    for type_, target in wanted:
        node = unit.find_node(target)
        if node is not None and not node.has_content and type_ not in _GRAPH_SAYS:
            msg = f"{type_} points to {target}, whose content is gone; link to a memory that has content"
            raise ClosureViolation(msg)


def closing_edges(unit: Unit) -> frozenset[tuple[str, str]]:
    """Return ``(source, target)`` of the edges drawn in this unit that lie on a cycle, at least one of each cycle.

    A cycle among new memories is seen in the unit alone. Any other one leaves a stored memory by a drawn edge.
    """
    among_new: list[tuple[str, str, str]] = []
    from_stored: list[tuple[str, str]] = []
    for node_id, node in unit.nodes.items():
        if node.deleted:
            continue
        for type_, target in node.edges:
            if type_ not in ACYCLIC or (type_, target) in node.stored_edges:
                continue
            if not node.new:
                from_stored.append((node_id, target))
            elif target == node_id or (target in unit.nodes and unit.nodes[target].new):
                among_new.append((node_id, type_, target))
    found = {(source, target) for source, _, target in cyclic_edges(among_new)} if among_new else set()
    return frozenset(found | {(source, target) for source, target in from_stored if leads(unit, target, source)})


def leads(unit: Unit, source: str, target: str) -> bool:
    """Return whether a path of edges that must stay acyclic leads from ``source`` to ``target``, or they are the same.

    It may go through what is stored and through what this unit draws.
    """
    drawn = [node_id for node_id, node in unit.nodes.items() if _acyclic(node.edges.keys() - node.stored_edges.keys())]
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
