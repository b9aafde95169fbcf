"""What goes when memories no longer mention it: entities, names of theirs, and relations that were read from a text.

Guarantees: an entity goes with the last memory that mentions it, a name being personal data too, and a name or IRI
of an entity that stays with the last memory that gave it, unless a person gave it by hand; a relation without
weight, which was read from a text, goes with the last memory with content that mentions both its ends; one with a
weight, which a person drew, stays while its ends do. What counts is what the unit will leave in the store. Each
entity that changes has its record. The statements are at most four, whatever the number of memories, and one where
none of the entities has a relation or a second name.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from marskg.entities import folded_name
from marskg.ontology.vocabulary import EdgeType, Operation
from marskg.store.rows import codec
from marskg.store.rows.names_given import gives_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from marskg.records import Edge, Entity
    from marskg.store.engine.protocol import Row
    from marskg.store.rows.names_given import Given
    from marskg.store.unit.unit_of_work import Node, Unit

#: Two entities, in order.
Pair: TypeAlias = tuple[str, str]


def drop_unmentioned(unit: Unit, lost: Iterable[Collection[str]]) -> None:
    """Remove the entities, and the relations between them, that no memory holds any more.

    Args:
        unit: where memories have lost content or mentions already.
        lost: for each such memory the ids of the entities that it mentioned before.
    """
    together = [frozenset(entities) for entities in lost]
    wanted = sorted(frozenset().union(*together))
    if not wanted:
        return
    prefix = len(unit.state.name) + 1
    stored = {row["ref"][prefix:]: row for row in unit.read("entity_uses", {"refs": unit.refs(wanted)})}
    _drop_entities(unit, wanted, stored)
    _drop_names(unit, wanted)
    related = [
        entity_id
        for entity_id in wanted
        if entity_id not in unit.entities.removed
        and (unit.entities.edges_of(entity_id) or (entity_id in stored and stored[entity_id]["relations"]))
    ]
    if related:
        _drop_relations(unit, related, together, stored)


def _drop_entities(unit: Unit, wanted: list[str], stored: dict[str, Row]) -> None:
    removed = Counter(target for type_, _, target in unit.removed_edges if type_ is EdgeType.MENTIONS)
    added = Counter(edge.target for edge in unit.new_edges())
    lost = [
        entity_id
        for entity_id in wanted
        if entity_id in stored and stored[entity_id]["uses"] - removed[entity_id] + added[entity_id] <= 0
    ]
    if lost:
        unit.entities.remove(lost, "entity removed: no memory mentions it any more")


def _drop_names(unit: Unit, wanted: list[str]) -> None:
    """Take the names and IRIs from ``wanted``, which stay, that no memory gives any more.

    Where the name of its own is one of them, the entity has the name that its eldest memory gives.
    """
    unit.entities.fetch(wanted)
    found = (unit.entities.get(ident) for ident in wanted if ident not in unit.entities.removed)
    several = {one.id: one for one in found if one is not None and (one.aliases or one.same_as)}
    if not several:
        return
    giving = _giving(unit, several)
    for ident, entity in several.items():
        left = _left(entity, giving[ident])
        if left != entity:
            unit.entities.put(left, operation=Operation.UPDATE_ENTITY)


def _giving(unit: Unit, several: Mapping[str, Entity]) -> dict[str, list[tuple[int, Given]]]:
    """Return what each memory gives of each entity that it will mention, with the memory's sequence."""
    found: dict[str, list[tuple[int, Given]]] = {ident: [] for ident in several}
    prefix = len(unit.state.name) + 1
    for row in unit.read("names_given", {"refs": unit.refs(several)}):
        if row["id"] not in unit.nodes:
            entity = several[row["entity"][prefix:]]
            found[entity.id].append((row["sequence"], gives_of(row["namesGiven"] or (), entity)))
    for node in unit.nodes.values():
        for ident in several.keys() & _mentions(node):
            found[ident].append((node.memory.sequence, gives_of(node.memory.names_given, several[ident])))
    return found


def _left(entity: Entity, giving: list[tuple[int, Given]]) -> Entity:
    """Return an entity with those of its names and IRIs alone that are given."""
    hand = {folded_name(one) for one in entity.by_hand}
    names = {folded_name(name) for _, gives in giving for name in gives.names} | hand
    iris = {iri for _, gives in giving for iri in gives.iris} | {*entity.by_hand}
    aliases = [alias for alias in entity.aliases if folded_name(alias) in names]
    name = entity.name
    if giving and folded_name(name) not in names:
        _, eldest = min(giving, key=lambda one: (one[0], sorted(one[1].names)))
        name = min(eldest.names or {name}, key=lambda one: (-len(one), one))
        aliases = [alias for alias in aliases if folded_name(alias) != folded_name(name)]
    same_as = tuple(iri for iri in entity.same_as if iri in iris)
    return replace(entity, name=name, aliases=tuple(aliases), same_as=same_as)


def _drop_relations(unit: Unit, related: list[str], together: list[frozenset[str]], stored: dict[str, Row]) -> None:
    """Cut the relations that leave ``related``, were read from a text, and that no memory holds any more."""
    unit.entities.fetch(related)
    doubtful: dict[str, list[Edge]] = {}
    for source in related:
        beside = frozenset().union(*(entities for entities in together if source in entities))
        edges = [edge for edge in unit.entities.edges_of(source) if edge.weight is None and edge.target in beside]
        if edges:
            doubtful[source] = edges
    if not doubtful:
        return
    pairs = {_pair(edge) for edges in doubtful.values() for edge in edges}
    held = _mentioned_together(unit, pairs, stored)
    for source, edges in doubtful.items():
        gone = [edge for edge in edges if _pair(edge) not in held]
        if gone:
            unit.entities.cut(source, gone)
            unit.entities.put(unit.entities.entity(source), operation=Operation.UPDATE_ENTITY)


def _pair(edge: Edge) -> Pair:
    return (edge.source, edge.target) if edge.source < edge.target else (edge.target, edge.source)


def _mentioned_together(unit: Unit, pairs: Iterable[Pair], stored: dict[str, Row]) -> set[Pair]:
    """Return those of ``pairs`` that one memory mentions both of when the unit is written."""
    wanted = sorted(pairs)
    counts = dict.fromkeys(wanted, 0)
    prefix = len(unit.state.name) + 1
    for row in unit.read("mentioned_together", {"rows": [_from_fewer(unit, pair, stored) for pair in wanted]}):
        first, second = sorted((row["fewer"][prefix:], row["other"][prefix:]))
        counts[first, second] += row["uses"]
    ends = {end for pair in wanted for end in pair}
    for before, after in _changed_mentions(unit, ends):
        for first, second in wanted:
            counts[first, second] += ({first, second} <= after) - ({first, second} <= before)
    return {pair for pair, count in counts.items() if count > 0}


def _from_fewer(unit: Unit, pair: Pair, stored: dict[str, Row]) -> dict[str, str]:
    """Return the pair with the end first that fewer memories mention: its mentions are the ones gone through."""
    fewer, other = sorted(pair, key=lambda end: stored[end]["uses"] if end in stored else 0)
    return {"fewer": codec.ref(unit.state.name, fewer), "other": codec.ref(unit.state.name, other)}


def _changed_mentions(unit: Unit, ends: set[str]) -> list[tuple[set[str], set[str]]]:
    """Return which of ``ends`` each memory that the unit changes in this mentions in the store, and from now on."""
    found = ((_stored_mentions(node) & ends, _mentions(node) & ends) for node in unit.nodes.values())
    return [(before, after) for before, after in found if before != after]


def _stored_mentions(node: Node) -> set[str]:
    return {target for type_, target in node.stored_edges if type_ is EdgeType.MENTIONS}


def _mentions(node: Node) -> set[str]:
    return set() if node.deleted else set(node.targets(EdgeType.MENTIONS))
