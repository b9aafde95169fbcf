"""An index as a reader has it for whom some entities are several: those whose names a hidden memory alone joined.

Guarantees: two visible memories that call one entity by different names are about one thing for a reader if memories
that they may see, or a person by hand, say so; what only a hidden memory joined is as many things as without it. What
no memory joins at all was joined by a person who merged two entities, and stays one. Where nothing is hidden the index
is the one that was given. Source: semantics sections 1 and 9; ADR 92, ADR 27.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.language.mentions import may_be_person
from marskg.language.naming.caution import parts_of
from marskg.retrieval.graph.entity_names import Aspect, key_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np
    import numpy.typing as npt

    from marskg.retrieval.access.read_gate import Gate
    from marskg.retrieval.index.memory_index import MemoryIndex

    Mask = npt.NDArray[np.bool_]

_NAME: Final = "name"


def divided(index: MemoryIndex, gate: Gate) -> MemoryIndex:
    """Return ``index`` with each entity taken apart into as many things as the reader of ``gate`` may know them for."""
    if not gate.restricted or not index.facets["named"]:
        return index
    seen: Mask | None = None
    aspects: dict[str, list[Aspect]] = {}
    for entity, called in _called(index).items():
        if seen is None:
            seen = gate.known().mask(index)
        found = _aspects(index, entity, called, seen)
        if len(found) > 1:
            aspects[entity] = found
    return index.divided(aspects) if aspects else index


def _called(index: MemoryIndex) -> dict[str, dict[int, list[str]]]:
    """Return by entity, and by row, the names that memories give where they keep what they call it."""
    found: dict[str, dict[int, list[str]]] = {}
    for entry, rows in index.facets["named"].items():
        entity, sort, name = entry.split(" ", 2)
        if sort == _NAME:
            for row in rows:
                found.setdefault(entity, {}).setdefault(row, []).append(name)
    return found


def _aspects(index: MemoryIndex, entity: str, called: Mapping[int, list[str]], seen: Mask) -> list[Aspect]:
    """Return the things that an entity is for who sees the rows ``seen``: one or none where nothing hidden joins it."""
    rows = sorted(index.facets["entity"].get(entity, ()))
    visible = [row for row in rows if seen[row]]
    own = index.entities.name(entity)
    if own is None or len(visible) == len(rows):
        return []
    gives = {row: called.get(row) or [own] for row in rows}
    hand = index.entities.by_hand(entity)
    by_hand = [{key_of(name) for name in (own, *hand)}] if hand else []
    keys = {row: {key_of(name) for name in names} for row, names in gives.items()}
    parts = _joined([*by_hand, *(keys[row] for row in visible)])
    if len(parts) > 1:
        parts = _merged_by_hand(parts, _joined([*by_hand, *keys.values()]), key_of(own))
    return [
        _aspect(index, entity, number, part, {row: gives[row] for row in visible if keys[row] & part})
        for number, part in enumerate(parts)
    ]


def _joined(groups: Iterable[set[str]]) -> list[set[str]]:
    """Return the names that belong together, as each of ``groups`` says that its names do, in a fixed order."""
    found: list[set[str]] = []
    for group in groups:
        together, rest = set(group), []
        for other in found:
            if other.isdisjoint(together):
                rest.append(other)
            else:
                together |= other
        found = [*rest, together]
    return sorted(found, key=min)


def _merged_by_hand(parts: list[set[str]], whole: list[set[str]], own: str) -> list[set[str]]:
    """Return ``parts`` with those joined that no memory joins, seen or hidden: a person merged these."""
    heads, others = set[str](), []
    for names in whole:
        inside = sorted((part for part in parts if part <= names), key=lambda part: (own not in part, min(part)))
        for part in inside[:1]:
            heads |= part
        others += inside[1:]
    return [heads, *others]


def _aspect(index: MemoryIndex, entity: str, number: int, part: set[str], called: Mapping[int, list[str]]) -> Aspect:
    names = index.entities
    own, hand = names.name(entity) or "", names.by_hand(entity)
    said = dict.fromkeys(name for row in called for name in sorted(called[row]))
    hers = [name for name in (own, *hand) if key_of(name) in part and (hand or name in said)]
    listed = tuple(dict.fromkeys((*hers, *said)))
    person = may_be_person(listed[0], None) or names.is_person(entity)
    return Aspect(
        id=f"{entity}#{number}",
        names=listed,
        parts=parts_of(listed[0]) if person else (),
        by_hand=hand if key_of(own) in part else (),
        rows=tuple(called),
        own=key_of(own) in part,
    )
