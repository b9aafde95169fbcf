"""Correcting entities by hand inside a unit of work: names, aliases, types, mentions and relations.

Guarantees: each change has its signed record; no two entities of a tenant get one name that may be one thing
(:func:`~marskg.store.rows.name_cache.may_be_one`); a name alone that several bear is refused; what a correction leaves
without a memory that mentions it goes, as it does when a memory is forgotten; a relation that a person drew holds
while both entities exist; no content of a memory changes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marskg.drafts import EntityRef, enumeration
from marskg.entities import EntityType, folded_name
from marskg.errors import InvalidMemory
from marskg.ontology.vocabulary import ENTITY_EDGES, EdgeType, Operation
from marskg.records import Edge
from marskg.store.graph.admit import mention
from marskg.store.graph.amend import whole
from marskg.store.graph.preference_enforcement import check_entity_allowed, check_memory_allowed
from marskg.store.graph.suppression import check_names
from marskg.store.graph.tiers import release
from marskg.store.graph.validation import check_name, check_text
from marskg.store.rows import codec
from marskg.store.rows.name_cache import WAY_OUT, may_be_one, which
from marskg.store.rows.names_given import moved

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.records import Entity, Memory
    from marskg.store.unit.unit_of_work import Node, Unit

#: The weight of a relation that a person drew. One that was read from a text has none, and goes with the text.
DRAWN: Final = 1.0


def rename(unit: Unit, entity_id: str, name: str) -> Entity:
    """Give an entity another canonical name; the old one stays as an alias.

    Raises:
        InvalidMemory: another entity has the name.
        PreferenceRefused, ConsentRequired: a rule, or an erasure, keeps the name out.
    """
    entity = unit.entities.entity(entity_id)
    wanted = _checked(name)
    _refuse_kept_out(unit, wanted)
    _refuse_taken(unit, entity, wanted)
    aliases = {*entity.aliases, entity.name} - {wanted}
    hand = {*entity.by_hand, wanted, entity.name}
    if folded_name(entity.name) == folded_name(wanted):
        aliases.discard(entity.name)
        hand.discard(entity.name)
    return _put(unit, replace(entity, name=wanted, aliases=tuple(sorted(aliases)), by_hand=tuple(sorted(hand))))


def add_alias(unit: Unit, entity_id: str, alias: str) -> Entity:
    """Let an entity be found by another name.

    Raises:
        InvalidMemory: it is the name of another entity.
        PreferenceRefused, ConsentRequired: a rule, or an erasure, keeps the name out.
    """
    entity = unit.entities.entity(entity_id)
    wanted = _checked(alias)
    _refuse_kept_out(unit, wanted)
    _refuse_taken(unit, entity, wanted)
    hand = tuple(sorted({*entity.by_hand, wanted}))
    if folded_name(wanted) in {folded_name(name) for name in (entity.name, *entity.aliases)}:
        return _put(unit, replace(entity, by_hand=hand))
    return _put(unit, replace(entity, aliases=tuple(sorted({*entity.aliases, wanted})), by_hand=hand))


def _refuse_kept_out(unit: Unit, name: str) -> None:
    check_entity_allowed(unit, (name,))
    check_names(unit, (name,))


def remove_alias(unit: Unit, entity_id: str, alias: str) -> Entity:
    """Let an entity no longer be found by an alias.

    Raises:
        InvalidMemory: it has no such alias.
    """
    entity = unit.entities.entity(entity_id)
    # One that is of characters that are not seen may be there from before such were refused.
    key = folded_name(" ".join(check_text("entity name", alias).split()))
    kept = tuple(name for name in entity.aliases if folded_name(name) != key)
    if len(kept) == len(entity.aliases):
        msg = f"{entity_id} has no such alias; its aliases are listed by: mars entities list"
        raise InvalidMemory(msg)
    hand = tuple(name for name in entity.by_hand if folded_name(name) != key)
    return _put(unit, replace(entity, aliases=kept, by_hand=hand))


def retype(unit: Unit, entity_id: str, type_: str | None) -> Entity:
    """Say what kind of thing an entity is, or with None that it is not known."""
    entity = unit.entities.entity(entity_id)
    wanted = None if type_ is None else str(enumeration(EntityType, "entity type", type_).value)
    return _put(unit, replace(entity, entity_type=wanted))


def merge(unit: Unit, keep: str, other: str) -> Entity:
    """Let ``keep`` take over names, mentions and relations of ``other``, which goes.

    Raises:
        InvalidMemory: they are one entity already.
    """
    if keep == other:
        msg = f"{keep[:80]} cannot be merged with itself; name two entities"
        raise InvalidMemory(msg)
    kept, gone = unit.entities.entity(keep), unit.entities.entity(other)
    for source in unit.entities.pointing_to((other,)):
        _point_to(unit, source, keep, other)
    _move_mentions(unit, kept, gone)
    ends = {keep, other}
    taken = [_onto(edge, keep, edge.target) for edge in unit.entities.edges_of(other) if edge.target not in ends]
    unit.entities.remove((other,), "entity removed: merged with another by request")
    merged = replace(
        kept,
        aliases=tuple(sorted({*kept.aliases, *gone.aliases, gone.name} - {kept.name})),
        entity_type=kept.entity_type or gone.entity_type,
        same_as=tuple(sorted({*kept.same_as, *gone.same_as})),
        by_hand=tuple(sorted({*kept.by_hand, *gone.by_hand})),
    )
    return unit.entities.put(merged, _adding(unit, keep, taken), operation=Operation.UPDATE_ENTITY)


def _point_to(unit: Unit, source: str, keep: str, other: str) -> None:
    """Let the edges from ``source`` to ``other`` lead to ``keep``; one from ``keep`` itself has nowhere to go."""
    moved = [edge for edge in unit.entities.edges_of(source) if edge.target == other]
    unit.entities.cut(source, moved)
    if source != keep:
        new = _adding(unit, source, [_onto(edge, source, keep) for edge in moved])
        unit.entities.put(unit.entities.entity(source), new, operation=Operation.UPDATE_ENTITY)


def _onto(edge: Edge, source: str, target: str) -> Edge:
    return replace(edge, source=source, target=target)


def _move_mentions(unit: Unit, keep: Entity, other: Entity) -> None:
    ref = codec.ref(unit.state.name, other.id)
    mentioning = [str(row["id"]) for row in unit.read("entity_mentions", {"ref": ref})]
    unit.fetch(mentioning)
    for memory_id in mentioning:
        node = unit.node(memory_id)
        entries = node.memory.names_given
        names = moved(entries, other, keep, both=(EdgeType.MENTIONS, keep.id) in node.edges)
        unit.unlink(node, EdgeType.MENTIONS, other.id)
        unit.link(node, Edge(memory_id, EdgeType.MENTIONS, keep.id, unit.now))
        unit.change(node, names_given=names)
        _record(unit, node, Operation.LINK, "mentions an entity that another was merged into")


def add_mention(unit: Unit, memory_id: str, name: str) -> Entity:
    """Say that a memory mentions the entity of this name, id or IRI, which is made where none has the name.

    Raises:
        InvalidMemory: several go by the name.
        NotPermitted: the memory's content is gone.
        PreferenceRefused, ConsentRequired: a rule, or an erasure, keeps the name out.
    """
    node = unit.node(memory_id)
    memory, before = whole(node), len(node.edges)
    wanted = _checked(name)
    found = unit.entities.meant_by(wanted)
    if len(found) > 1:
        msg = f"{which(wanted, found)}; {WAY_OUT}"
        raise InvalidMemory(msg)
    names = [name for one in found for name in (one.name, *one.aliases)] or [wanted]
    check_memory_allowed(unit, memory, names)
    check_names(unit, names)
    ((entity_id,),) = mention(unit, node, (EntityRef(found[0].id if found else wanted),)).values()
    if len(node.edges) != before:
        _record(unit, node, Operation.LINK, "mention added by request")
    return unit.entities.entity(entity_id)


def remove_mention(unit: Unit, memory_id: str, entity_id: str) -> Memory:
    """Say that a memory does not mention an entity, which goes with its last mention, as relations read there do.

    Raises:
        InvalidMemory: the memory does not mention it.
        NotPermitted: the memory's content is gone.
    """
    node = unit.node(memory_id)
    whole(node)
    if (EdgeType.MENTIONS, entity_id) not in node.edges:
        msg = f"{memory_id} does not mention {entity_id[:80]}; list what there is with: mars entities list"
        raise InvalidMemory(msg)
    unit.unlink(node, EdgeType.MENTIONS, entity_id)
    _record(unit, node, Operation.UNLINK, "mention removed by request")
    release(unit, node, EdgeType.MENTIONS, entity_id)
    return node.memory


def relate(unit: Unit, source: str, type_: EdgeType, target: str) -> Entity:
    """Draw a typed edge between two entities, which holds whatever memories mention them.

    Raises:
        InvalidMemory: edges of this type are not between entities, or both ends are one.
    """
    _check_relation(source, type_, target)
    entity, _ = unit.entities.entity(source), unit.entities.entity(target)
    new = _adding(unit, source, [Edge(source, type_, target, unit.now, DRAWN)])
    return unit.entities.put(entity, new, operation=Operation.UPDATE_ENTITY) if new else entity


def _adding(unit: Unit, source: str, edges: Iterable[Edge]) -> list[Edge]:
    """Return those of ``edges`` that say more than what ``source`` has; what it has of them so far is cut."""
    new = []
    for edge in edges:
        held = [
            known for known in unit.entities.edges_of(source) if (known.type, known.target) == (edge.type, edge.target)
        ]
        if all(known.weight is None and edge.weight is not None for known in held):
            unit.entities.cut(source, held)
            new.append(edge)
    return new


def unrelate(unit: Unit, source: str, type_: EdgeType, target: str) -> Entity:
    """Remove a typed edge between two entities.

    Raises:
        InvalidMemory: there is none.
    """
    _check_relation(source, type_, target)
    entity = unit.entities.entity(source)
    found = [edge for edge in unit.entities.edges_of(source) if edge.type is type_ and edge.target == target]
    if not found:
        msg = f"{source[:80]} has no {type_} edge to {target[:80]}; see what there is with: mars entities list"
        raise InvalidMemory(msg)
    unit.entities.cut(source, found)
    return unit.entities.put(entity, operation=Operation.UPDATE_ENTITY)


def _check_relation(source: str, type_: EdgeType, target: str) -> None:
    if type_ not in ENTITY_EDGES:
        msg = f"{type_} edges are not between entities; use {', '.join(sorted(ENTITY_EDGES))}"
        raise InvalidMemory(msg)
    if source == target:
        msg = f"{source[:80]} cannot be related to itself; name two entities"
        raise InvalidMemory(msg)


def _checked(name: str) -> str:
    check_name("entity name", name)
    return " ".join(name.split())


def _refuse_taken(unit: Unit, entity: Entity, name: str) -> None:
    for other in unit.entities.bearers_of((name,))[name]:
        if other.id != entity.id and folded_name(other.name) == folded_name(name) and may_be_one(entity, other):
            msg = f"{other.id} has this name already; merge the two with: mars entities merge {other.id} {entity.id}"
            raise InvalidMemory(msg)


def _put(unit: Unit, entity: Entity) -> Entity:
    if entity == unit.entities.entity(entity.id):
        return entity
    return unit.entities.put(entity, operation=Operation.UPDATE_ENTITY)


def _record(unit: Unit, node: Node, operation: Operation, reason: str) -> None:
    details = {"rule": "entity", "reason": reason}
    unit.record(operation, node, tier_before=node.memory.tier, details=details)
