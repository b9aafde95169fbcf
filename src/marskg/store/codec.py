"""Memories, entities and audit records as the properties of graph nodes, and back.

Guarantees: ``decode(encode(x)) == x``; None and empty sets are absent properties; the physical properties that only
the store knows (references, order keys, counters, salt) never leak into a record.
"""

from __future__ import annotations

import hashlib
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from marskg.ontology.vocabulary import (
    ENTITY_FIELDS,
    MEMORY_FIELDS,
    PAYLOAD_FIELDS,
    PREFERENCE_FIELDS,
    TOMBSTONE_FIELDS,
    Cardinality,
    EdgeType,
    Field,
    Kind,
    MemoryClass,
    Operation,
    PreferenceRule,
    SourceType,
    TaskStatus,
    Tier,
)
from marskg.records import AuditRecord, Edge, Entity, Memory, Preference, TreeHead
from marskg.store.order import KEY_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from marskg.store.engine import Row

_ENUMS: dict[str, Any] = {
    "cardinality": Cardinality,
    "source_type": SourceType,
    "memory_class": MemoryClass,
    "tier": Tier,
    "status": TaskStatus,
}
_MEMORY_SPECS = tuple((field.name, field.local, field.many, _ENUMS.get(field.name)) for field in MEMORY_FIELDS)
_MEMORY_BY_LOCAL = {local: (name, many, enum) for name, local, many, enum in _MEMORY_SPECS}
_TOMBSTONE_SPECS = tuple((field.name, field.local, field.many, _ENUMS.get(field.name)) for field in TOMBSTONE_FIELDS)
_MEMORY_VALUES = attrgetter(*(name for name, *_ in _MEMORY_SPECS))
_TOMBSTONE_VALUES = attrgetter(*(name for name, *_ in _TOMBSTONE_SPECS))
_PAYLOAD_SPECS = {
    kind: tuple((field.name, field.local, field.many) for field in fields) for kind, fields in PAYLOAD_FIELDS.items()
}
_PREFERENCE_SPECS = tuple((field.name, field.local, field.many) for field in PREFERENCE_FIELDS)
#: What the store itself keeps at a memory with content, beside what is governed (:mod:`marskg.ontology.physical`).
_KEPT = (
    "salt",
    "embedding",
    "guards",
    "blockers",
    "guarding",
    "slotKey",
    "sessionKey",
    "dueKey",
    "eligibleAccess",
    "eligibleCount",
    "sourceDigest",
    *KEY_NAMES,
)
#: All properties that a record may have.
RECORD_PROPERTIES = (
    "ref",
    "tenant",
    "log",
    "sequence",
    "operation",
    "recordedAt",
    "signingKey",
    "core",
    "proofValue",
    "proofCreated",
    "leaf",
    "details",
    "salts",
    "memories",
    "memory",
)
_ENTITY_SPECS = tuple((field.name, field.local, field.many) for field in ENTITY_FIELDS)


def memory_properties(kind: Kind) -> tuple[str, ...]:
    """Return the names of all properties that a memory of ``kind`` may have, those of the store itself among them."""
    own = (*(local for _, local, *_ in _MEMORY_SPECS), *(local for _, local, _ in _PAYLOAD_SPECS[kind]))
    return ("ref", "id", "tenant", "kind", "sequence", *own, *_KEPT)


def ref(tenant: str, node_id: str) -> str:
    """Return the reference of a node, unique in the store: its tenant and its id."""
    return f"{tenant}|{node_id}"


def audit_ref(tenant: str, log: str, sequence: int) -> str:
    """Return the reference of a record: ``log`` is ``t`` for transitions or ``a`` for accesses."""
    return f"{tenant}|{log}|{sequence:012d}"


def slot_key(tenant: str, subjects: Iterable[str], key: str) -> str:
    """Return the fixed-size index key of the slot (tenant, subjects, key)."""
    text = "\x1f".join((*sorted(subjects), "", key))
    return f"{tenant}|{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def session_key(tenant: str, session: str | None) -> str:
    """Return the index key of a session; memories without one share the empty session."""
    return f"{tenant}|{session or ''}"


def name_key(tenant: str, name: str) -> str:
    """Return the index key of an entity's name: case and outer blanks do not matter."""
    return f"{tenant}|{' '.join(name.split()).casefold()[:400]}"


def encode_memory(memory: Memory) -> dict[str, Any]:
    """Return the governed and access properties of ``memory``, its payload flattened beside them."""
    node: dict[str, Any] = {
        "ref": ref(memory.tenant, memory.id),
        "id": memory.id,
        "tenant": memory.tenant,
        "kind": memory.kind.value,
        "sequence": memory.sequence,
    }
    specs, values = (_TOMBSTONE_SPECS, _TOMBSTONE_VALUES) if memory.content is None else (_MEMORY_SPECS, _MEMORY_VALUES)
    for (_, local, many, enum), value in zip(specs, values(memory), strict=True):
        if value is None or value is False or value == ():
            continue
        if many:
            node[local] = list(value)
        else:
            node[local] = value if enum is None else value.value
    for name, local, _ in _PAYLOAD_SPECS[memory.kind] if memory.payload else ():
        item = memory.payload.get(name)
        if item is not None and item != ():
            node[local] = list(item) if isinstance(item, tuple) else item
    return node


def decode_memory(node: Row) -> Memory:
    """Return the memory that the properties ``node`` describe."""
    kind = Kind(node["kind"])
    values: dict[str, Any] = {}
    for local, value in node.items():
        spec = _MEMORY_BY_LOCAL.get(local)
        if spec is None or value is None:
            continue
        name, many, enum = spec
        values[name] = tuple(value) if many else enum(value) if enum is not None else value
    for name in ("sensitivity", "reliability", "strength"):
        if name in values:
            values[name] = float(values[name])
    payload: dict[str, Any] = {}
    for field in PAYLOAD_FIELDS[kind]:
        value = node.get(field.local)
        if value is not None:
            payload[field.name] = _payload_value(field, value)
    return Memory(
        id=node["id"],
        tenant=node["tenant"],
        kind=kind,
        sequence=node["sequence"],
        content=values.pop("content", None),
        created=values.pop("created"),
        payload=payload,
        **values,
    )


def _payload_value(field: Field, value: Any) -> Any:
    if field.many:
        return tuple(value)
    return float(value) if field.datatype.value == "decimal" else value


def encode_entity(entity: Entity) -> dict[str, Any]:
    """Return the properties of ``entity``."""
    node: dict[str, Any] = {
        "ref": ref(entity.tenant, entity.id),
        "id": entity.id,
        "tenant": entity.tenant,
        "sequence": entity.sequence,
        "nameKey": name_key(entity.tenant, entity.name),
    }
    for name, local, many in _ENTITY_SPECS:
        value = getattr(entity, name)
        if value is not None and value != ():
            node[local] = list(value) if many else value
    return node


def decode_entity(node: Row) -> Entity:
    """Return the entity that the properties ``node`` describe."""
    values: dict[str, Any] = {
        name: tuple(node[local]) if many else node[local]
        for name, local, many in _ENTITY_SPECS
        if node.get(local) is not None
    }
    return Entity(id=node["id"], tenant=node["tenant"], sequence=node["sequence"], **values)


def encode_preference(preference: Preference) -> dict[str, Any]:
    """Return the properties of ``preference``."""
    node: dict[str, Any] = {
        "ref": ref(preference.tenant, preference.id),
        "id": preference.id,
        "tenant": preference.tenant,
        "sequence": preference.sequence,
    }
    for name, local, many in _PREFERENCE_SPECS:
        value = getattr(preference, name)
        if value is not None and value != ():
            node[local] = list(value) if many else value
    node["preferenceRule"] = preference.preference_rule.value
    return node


def decode_preference(node: Row) -> Preference:
    """Return the preference that the properties ``node`` describe."""
    values: dict[str, Any] = {
        name: tuple(node[local]) if many else node[local]
        for name, local, many in _PREFERENCE_SPECS
        if node.get(local) is not None
    }
    values["preference_rule"] = PreferenceRule(values["preference_rule"])
    if "level" in values:
        values["level"] = float(values["level"])
    return Preference(id=node["id"], tenant=node["tenant"], sequence=node["sequence"], **values)


def decode_edge(source: str, row: Row) -> Edge:
    """Return the edge of a row with ``type``, ``target``, ``created`` and ``weight``."""
    weight = row["weight"]
    return Edge(source, EdgeType(row["type"]), row["target"], row["created"], None if weight is None else float(weight))


def encode_edge(edge: Edge) -> dict[str, Any]:
    """Return the properties of ``edge``."""
    return {"created": edge.created} if edge.weight is None else {"created": edge.created, "weight": edge.weight}


def encode_record(record: AuditRecord, log: str) -> dict[str, Any]:
    """Return the properties of ``record``; ``log`` is ``t`` or ``a``."""
    node: dict[str, Any] = {
        "ref": audit_ref(record.tenant, log, record.sequence),
        "tenant": record.tenant,
        "log": record.log,
        "sequence": record.sequence,
        "operation": record.operation.value,
        "recordedAt": record.recorded_at,
        "signingKey": record.signing_key,
        "core": record.core,
        "proofValue": record.proof_value,
        "proofCreated": record.proof_created,
        "leaf": record.leaf,
        "details": list(record.details),
        "salts": list(record.salts),
    }
    if record.memories:
        node["memories"] = list(record.memories)
        # A slot that was deleted names nothing any more.
        if len(record.memories) == 1 and record.memories[0]:
            node["memory"] = ref(record.tenant, record.memories[0])
    return node


def decode_record(node: Row) -> AuditRecord:
    """Return the record that the properties ``node`` describe."""
    return AuditRecord(
        tenant=node["tenant"],
        log=node["log"],
        sequence=node["sequence"],
        operation=_operation(node["operation"]),
        recorded_at=node["recordedAt"],
        signing_key=node["signingKey"],
        core=node["core"],
        proof_value=node["proofValue"],
        proof_created=node["proofCreated"],
        leaf=node["leaf"],
        memories=_texts(node.get("memories")),
        details=_texts(node.get("details")),
        salts=_texts(node.get("salts")),
    )


def _operation(value: Any) -> Operation:
    """Return the operation, or what stands in its place: a record that was tampered with is the verifier's to judge."""
    try:
        return Operation(value)
    except ValueError:
        return value  # type: ignore[no-any-return]  # see the docstring


def _texts(value: Any) -> tuple[str, ...]:
    """Return a list property as strings, whatever somebody may have put there."""
    return tuple(str(item) for item in value) if isinstance(value, list) else ()


def encode_head(head: TreeHead) -> dict[str, Any]:
    """Return the properties of a signed tree head."""
    return {
        "ref": f"{head.tenant}|{head.log}|{head.size:012d}",
        "tenant": head.tenant,
        "log": head.log,
        "size": head.size,
        "root": head.root,
        "recordedAt": head.recorded_at,
        "signingKey": head.signing_key,
        "core": head.core,
        "proofValue": head.proof_value,
        "proofCreated": head.proof_created,
    }


def decode_head(node: Mapping[str, Any]) -> TreeHead:
    """Return the tree head that the properties ``node`` describe."""
    return TreeHead(
        tenant=node["tenant"],
        log=node["log"],
        size=node["size"],
        root=node["root"],
        recorded_at=node["recordedAt"],
        signing_key=node["signingKey"],
        core=node["core"],
        proof_value=node["proofValue"],
        proof_created=node["proofCreated"],
    )
