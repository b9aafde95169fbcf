"""The gate over a whole graph that comes from elsewhere, such as a snapshot: every node, and what lies between them.

Guarantees: the verdict on each node is that of :mod:`marskg.shapes.gate` with the facts about the ends of its edges
taken from the graph itself, cycles of any length included; what is held of a memory meanwhile is its id and these
facts, and of the edges those that must stay acyclic and those of the chain. The graph is read twice.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from marskg.ontology.vocabulary import ACYCLIC, EdgeType
from marskg.shapes.cycles import cyclic_edges
from marskg.shapes.gate import NodeFacts, check_entity, check_memory, check_preference, facts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from marskg.records import Edge, Entity, Finding, Memory, Preference


def check_graph(
    memories: Callable[[], Iterable[tuple[Memory, Iterable[Edge]]]],
    entities: Callable[[], Iterable[tuple[Entity, Iterable[Edge]]]],
    preferences: Iterable[Preference] = (),
    around: Mapping[str, NodeFacts] = MappingProxyType({}),
) -> Iterator[Finding]:
    """Yield what is wrong with a graph, node by node in its order.

    Args:
        memories: gives all memories with their outgoing edges, from the beginning at each call.
        entities: gives all entities with theirs, likewise.
        preferences: all preferences.
        around: the facts about what edges lead to and is no part of the graph; no edge leads from there into it.
    """
    facts = {**around} | {entity.id: NodeFacts(None, None, has_content=False) for entity, _ in entities()}
    named = frozenset(facts)
    closing = _learn(facts, memories())
    for memory, edges in memories():
        outgoing = tuple(edges)
        ends = {edge.target: facts[edge.target] for edge in outgoing if edge.target in facts}
        back = [target for target in ends if (memory.id, target) in closing]
        ends |= {target: replace(ends[target], reaches=True) for target in back}
        yield from check_memory(memory, outgoing, ends)
        if memory.id in named:
            from marskg.shapes.catalogue import findings  # noqa: PLC0415 - brings rdflib, as in gate

            yield from findings([(memory.id, "Kind")])
    for entity, edges in entities():
        yield from check_entity(entity, edges, facts)
    for preference in preferences:
        yield from check_preference(preference)


def _learn(
    facts: dict[str, NodeFacts], memories: Iterable[tuple[Memory, Iterable[Edge]]]
) -> frozenset[tuple[str, str]]:
    """Add the facts about memories to ``facts``; returns ``(source, target)`` of the edges that lie on a cycle."""
    acyclic: list[tuple[str, str, str]] = []
    before: dict[str, list[str]] = {}
    after: dict[str, list[str]] = {}
    for memory, edges in memories:
        facts[memory.id] = facts_of(memory)
        for edge in edges:
            if edge.type in ACYCLIC:
                acyclic.append((edge.source, edge.type, edge.target))
            elif edge.type is EdgeType.TEMPORAL_NEXT:
                after.setdefault(edge.source, []).append(edge.target)
                before.setdefault(edge.target, []).append(edge.source)
    for node in (before.keys() | after.keys()) & facts.keys():
        facts[node] = replace(facts[node], previous=tuple(before.get(node, ())), next=tuple(after.get(node, ())))
    return frozenset((source, target) for source, _, target in cyclic_edges(acyclic))
