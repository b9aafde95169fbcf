"""What whoever writes a memory is asked about the names in it: which of several is meant, and whether two are one.

Guarantees: who may not see all is asked about those alone whom a memory calls so that they may see and read the name
in, and is told neither their ids, which hold the time of the first mention, nor their types and IRIs, of which it is
not kept which memory gave them; where fewer than two are left, nothing is asked, as if the others were not there.
Source: semantics sections 1 and 9; ADR 92.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.entities import folded_name
from marskg.ontology.fields import every_text
from marskg.ontology.vocabulary import EdgeType
from marskg.store.rows.name_cache import UNLINKED, called_alike, which
from marskg.store.rows.names_given import gives_of
from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.drafts import EntityRef
    from marskg.records import Entity, Memory
    from marskg.store.unit.unit_of_work import Node, Unit


def ask_which(unit: Unit, node: Node, item: EntityRef, found: Sequence[Entity]) -> None:
    """Ask which of ``found``, who go by the name of ``item``, is meant: the memory is linked to none of them."""
    if unit.admitting is None:
        asked = (
            f"{which(item.name, found)}; {UNLINKED}: give the type or an IRI with the mention, or say which with: "
            f"mars entities mention {node.memory.id} ID"
        )
    else:
        seen = [one for one in found if _is_seen(unit, node, one, item.name)]
        if len(seen) < 2:  # noqa: PLR2004 - of one nobody is to be asked
            return
        asked = f"{called_alike(item.name, seen)}; {UNLINKED}: give the type or an IRI with the mention"
    unit.change(node, notices=(*node.memory.notices, asked))


def ask_whether_one(unit: Unit, node: Node, entity: Entity, item: EntityRef, others: Sequence[Entity]) -> None:
    """Ask whether ``entity``, whom ``item`` names, is one with ``others``, whose own name is an alias of ``item``."""
    for other in others:
        if other.id == entity.id:
            continue
        if unit.admitting is None:
            told = f"{item.name[:60]!r} is said to be {other.name[:60]!r}, and they are two here"
            asked = f"{told}; if they are one: mars entities merge {other.id} {entity.id}"
        else:
            alias = next(name for name in item.aliases if folded_name(name) == folded_name(other.name))
            if not (_is_seen(unit, node, entity, item.name) and _is_seen(unit, node, other, alias)):
                continue
            # As this memory spells it: how the other is spelled may be known from a hidden memory alone.
            told = f"{item.name[:60]!r} is said to be {alias[:60]!r}, and they are two here"
            asked = f"{told}; if they are one, the operator may merge them"
        unit.change(node, notices=(*node.memory.notices, asked))


def _is_seen(unit: Unit, node: Node, entity: Entity, name: str) -> bool:
    """Return whether the writer finds ``entity`` by ``name`` without the memory ``node``, which is being written.

    A name is found as readers find it: where a memory that they may see gives it and says all its terms.
    """
    if unit.admitting is None:
        return True
    admits, wanted = unit.admitting(), set(terms(name))
    return any(
        _gives(memory, entity, name) and _says(memory, wanted)
        for memory in _mentioning(unit, entity)
        if memory.id != node.memory.id and admits(memory)
    )


def _mentioning(unit: Unit, entity: Entity) -> list[Memory]:
    """Return the memories with content that mention an entity, those that the unit makes among them."""
    stored = [str(row["id"]) for row in unit.read("mentioning", {"refs": unit.refs([entity.id])})]
    unit.fetch(stored)
    there = (unit.nodes[one] for one in dict.fromkeys((*stored, *unit.nodes)) if one in unit.nodes)
    return [one.memory for one in there if one.has_content and (EdgeType.MENTIONS, entity.id) in one.edges]


def _gives(memory: Memory, entity: Entity, name: str) -> bool:
    names = {*gives_of(memory.names_given, entity).names, *entity.by_hand}
    return folded_name(name) in map(folded_name, names)


def _says(memory: Memory, wanted: set[str]) -> bool:
    return bool(wanted) and wanted <= {term for one in every_text(memory) for term in terms(one.whole)}
