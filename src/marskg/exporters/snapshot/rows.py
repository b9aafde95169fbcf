"""Records as rows of plain JSON values and back, for snapshots.

Guarantees: ``decode(encode(x)) == x`` for every record; a value that is the field's default is left out, so that a
field added later needs no migration; an unknown or missing name and a term that is not in the vocabulary are a
:class:`ValueError`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from marskg.json_object import JsonObject
from marskg.ontology.fields import MEMORY_FIELDS, PAYLOAD_FIELDS
from marskg.ontology.mapping import exactly, in_json
from marskg.ontology.vocabulary import (
    Cardinality,
    Datatype,
    EdgeType,
    Kind,
    MemoryClass,
    Operation,
    SourceType,
    TaskStatus,
    Tier,
)
from marskg.records import AuditRecord, Edge, Entity, Memory, TreeHead

T = TypeVar("T", Memory, Entity, AuditRecord, TreeHead, Edge)

_TERMS: Mapping[str, Any] = {
    "kind": Kind,
    "cardinality": Cardinality,
    "source_type": SourceType,
    "memory_class": MemoryClass,
    "tier": Tier,
    "status": TaskStatus,
    "operation": Operation,
    "type": EdgeType,
}
#: What the store said while writing is no part of a record.
_PASSING = frozenset({"notices"})
_CLASSES = (Memory, Entity, AuditRecord, TreeHead, Edge)
_FIELDS = {kind: {item.name: item.default for item in fields(kind) if item.name not in _PASSING} for kind in _CLASSES}
_REQUIRED = {kind: {name for name, default in _FIELDS[kind].items() if default is MISSING} for kind in _CLASSES}
#: Fields that are free JSON.
_JSON = frozenset(field.name for field in MEMORY_FIELDS if field.datatype is Datatype.JSON)
#: Payload fields whose digits are a text where no double says them.
_EXACT = frozenset(field.name for kind in PAYLOAD_FIELDS.values() for field in kind if field.digits)
#: ``content`` has no default but may be None; ``payload`` has a factory.
_OPTIONAL = frozenset({"content", "payload"})


def encode(record: Memory | Entity | AuditRecord | TreeHead | Edge) -> dict[str, Any]:
    """Return ``record`` as a row."""
    row: dict[str, Any] = {}
    for name, default in _FIELDS[type(record)].items():
        value = getattr(record, name)
        if value == default or (name in _OPTIONAL and not value and value != ""):
            continue
        row[name] = {key: in_json(item) for key, item in value.items()} if isinstance(value, Mapping) else value
    return row


def encode_node(node: Memory | Entity, edges: tuple[Edge, ...], salt: str | None) -> dict[str, Any]:
    """Return a node with its edges and its salt as one row."""
    row = encode(node)
    if edges:
        row["edges"] = [{name: value for name, value in encode(edge).items() if name != "source"} for edge in edges]
    if salt is not None:
        row["salt"] = salt
    return row


def decode_memory(row: Mapping[str, Any]) -> tuple[Memory, tuple[Edge, ...], str | None]:
    """Return the memory, edges and salt of a row."""
    return _node(Memory, row)


def decode_entity(row: Mapping[str, Any]) -> tuple[Entity, tuple[Edge, ...], str | None]:
    """Return the entity, edges and salt of a row."""
    return _node(Entity, row)


def decode_record(row: Mapping[str, Any]) -> AuditRecord:
    """Return the audit record of a row."""
    return _decoded(AuditRecord, row)


def decode_head(row: Mapping[str, Any]) -> TreeHead:
    """Return the tree head of a row."""
    return _decoded(TreeHead, row)


def _node(kind: type[T], row: Mapping[str, Any]) -> tuple[T, tuple[Edge, ...], str | None]:
    own = {name: value for name, value in row.items() if name not in {"edges", "salt"}}
    node = _decoded(kind, own)
    edges = tuple(_decoded(Edge, {"source": row["id"], **edge}) for edge in row.get("edges", []))
    return node, edges, row.get("salt")


def _decoded(kind: type[T], row: Mapping[str, Any]) -> T:
    """Return the record of ``kind`` that ``row`` describes.

    Raises:
        ValueError: a name is unknown, a required one is missing, or a term is not in the vocabulary.
    """
    unknown = row.keys() - _FIELDS[kind].keys()
    missing = _REQUIRED[kind] - row.keys() - _OPTIONAL
    if unknown or missing:
        msg = f"{kind.__name__} with {'unknown' if unknown else 'missing'} {min(unknown or missing)}"
        raise ValueError(msg)
    values = {name: _value(name, value) for name, value in row.items()}
    if kind is Memory:
        values.setdefault("content", None)
    return kind(**values)


def _exact(name: str, value: Any) -> Any:  # noqa: ANN401 - a payload field's own type
    return exactly(value) if name in _EXACT and isinstance(value, str) else value


def _value(name: str, value: Any) -> Any:  # noqa: ANN401 - the field's own type
    """Return a JSON value as the record holds it."""
    if name in _JSON:
        return JsonObject.of(value)
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        return {key: tuple(item) if isinstance(item, list) else _exact(key, item) for key, item in value.items()}
    return _TERMS[name](value) if name in _TERMS else value
