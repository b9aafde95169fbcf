"""Entities and relations that a memory's typed payload names outright (MaRS sections 3.2.1-3.2.3).

Guarantees: a value becomes an entity only if it has a letter, is short, and holds no address, URL or account; a value
of another type than its field's is left to the payload's own check.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from marskg.drafts import EntityRef, EntityRelation
from marskg.language.en.lexicon import KIN
from marskg.language.en.tokens import masked
from marskg.language.mentions import EntityType, folded_name
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import ENTITY_EDGES, EdgeType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: Longest name of an entity.
MAX_LETTERS: Final = 120
#: Who a participant or the other end of a relation is when it is nobody in particular.
_NOBODY: Final = frozenset(
    {"i", "me", "myself", "you", "we", "us", "user", "the user", "assistant", "the assistant", "agent", "self", "ai"}
)
_BETWEEN_PEOPLE: Final = (
    (late_regex(r"friend|buddy|pal\b"), EdgeType.FRIEND_OF),
    (late_regex(r"colleague|co-?worker|team-?mate"), EdgeType.COLLEAGUE_OF),
    (late_regex(r"manager|boss|supervisor|reports to|reportsto"), EdgeType.REPORTS_TO),
    (late_regex(r"employer|works at|worksat"), EdgeType.WORKS_AT),
)
_EDGES: Final = {edge.value.lower(): edge for edge in ENTITY_EDGES}
_EDGE: Final = late_regex(r"\s*([A-Za-z]+(?:[ _][a-z]+)?)\s*[: ]\s*(.+)", re.DOTALL)


def is_admissible(name: str) -> bool:
    """Return whether ``name`` may be an entity's: a letter in it, short, no address and no number of an account."""
    return (
        0 < len(name) <= MAX_LETTERS
        and any(map(str.isalpha, name))
        and "\0" not in name
        and masked(name) == name
        and folded_name(name) not in _NOBODY
    )


def from_payload(payload: Mapping[str, object], speaker: str | None) -> tuple[list[EntityRef], list[EntityRelation]]:
    """Return the entities that ``payload`` names, and their relations to each other and to the ``speaker``."""
    entities = [EntityRef(name, EntityType.PERSON) for name in _texts(payload.get("participants"))]
    relations: list[EntityRelation] = []
    for name in _texts(payload.get("entity")):
        bond = " ".join(_texts(payload.get("relationship_type"))).lower()
        entities.append(EntityRef(name, _type_of(bond)))
        for edge in _between(bond):
            if speaker is not None and is_admissible(speaker):
                entities.append(EntityRef(speaker, EntityType.PERSON))
                relations.append(EntityRelation(speaker, edge, name))
    for concept in _texts(payload.get("concept")):
        entities.append(EntityRef(concept))
        for edge, target in _stated(payload.get("relations")):
            entities.append(EntityRef(target))
            relations.append(EntityRelation(concept, edge, target))
    return entities, relations


def names_alone(payload: Mapping[str, object]) -> dict[str, object]:
    """Return a payload with the names that it has, and nothing of what they are or are to each other."""
    named = (payload.get(field) for field in ("participants", "entity", "concept"))
    found = tuple(dict.fromkeys(name for value in named for name in _texts(value)))
    return {"concept": found} if found else {}


def _texts(value: object) -> Iterator[str]:
    values = value if isinstance(value, (tuple, list)) else (value,)
    for item in values:
        if isinstance(item, str) and is_admissible(name := " ".join(item.split())):
            yield name


def _type_of(bond: str) -> EntityType | None:
    """Return what a relationship says about its other end: people have friends, firms have staff."""
    if "employer" in bond or "works" in bond:
        return EntityType.ORGANISATION
    kin = any(word in KIN for word in bond.split())
    return EntityType.PERSON if kin or _between(bond) else None


def _between(bond: str) -> list[EdgeType]:
    if re.search(r"\b(?:ex|former|not|no longer)\b", bond):
        return []
    return [edge for pattern, edge in _BETWEEN_PEOPLE if pattern.search(bond)][:1]


def _stated(value: object) -> Iterator[tuple[EdgeType, str]]:
    """Yield the relations written as ``isA vegetable`` or ``part of: garden``; others are only words."""
    values = value if isinstance(value, (tuple, list)) else (value,)
    for item in values:
        match = _EDGE.fullmatch(item) if isinstance(item, str) else None
        if match is None:
            continue
        edge = _EDGES.get(re.sub(r"[ _]", "", match[1]).lower())
        target = " ".join(match[2].split())
        if edge is not None and is_admissible(target):
            yield edge, target
