"""Memories, entities and audit records as the properties of graph nodes, and back.

Guarantees: ``decode(encode(x)) == x``; None and empty sets are absent properties; the physical properties that only
the store knows (references, order keys, counters, salt) never leak into a record.
"""

from __future__ import annotations

import hashlib
import math
import re
from decimal import Decimal
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

from marskg.audit.record import core_of
from marskg.clock import MAX_MS, MIN_MS
from marskg.errors import StoreDamaged
from marskg.json_object import JsonObject
from marskg.late_regex import late_regex
from marskg.ontology.fields import (
    ENTITY_FIELDS,
    MEMORY_FIELDS,
    ORDER,
    PAYLOAD_FIELDS,
    PREFERENCE_FIELDS,
    STORE_FIELDS,
    TOMBSTONE_FIELDS,
    Field,
)
from marskg.ontology.mapping import decimal_lexical, time_lexical
from marskg.ontology.vocabulary import (
    NS,
    Datatype,
    EdgeType,
    Kind,
    Operation,
    PreferenceRule,
)
from marskg.records import AuditRecord, Edge, Entity, Memory, Preference, TreeHead
from marskg.shapes.gate import is_iri
from marskg.text import as_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from marskg.store.engine.protocol import Row


class _Terms(dict[str, Any]):
    """The members of an enumeration by their values: calling it takes three times as long."""

    def __init__(self, enum: Iterable[Any]) -> None:
        super().__init__((item.value, item) for item in enum)

    def __missing__(self, value: str) -> NoReturn:
        """Refuse a value that no member has.

        Raises:
            ValueError: always.
        """
        raise ValueError


_KINDS = _Terms(Kind)


def _reads(field: Field) -> Callable[[Any], Any] | None:
    """Return what makes a value of a property; None where they are the same."""
    if field.datatype is Datatype.JSON:
        return JsonObject.read
    return None if field.term is None else _Terms(field.term).__getitem__


def _writes(field: Field) -> Callable[[Any], Any] | None:
    """Return what makes a property of a value; None where they are the same."""
    if field.datatype is Datatype.JSON:
        return attrgetter("text")
    return None if field.term is None else attrgetter("value")


_MEMORY_SPECS = tuple((field.name, field.local, field.many, _writes(field)) for field in MEMORY_FIELDS)
_MEMORY_BY_LOCAL = {field.local: (field.name, field.many, _reads(field)) for field in MEMORY_FIELDS}
_TOMBSTONE_SPECS = tuple((field.name, field.local, field.many, _writes(field)) for field in TOMBSTONE_FIELDS)
#: An engine may return a decimal that is whole as an integer.
_DECIMALS = tuple(field.name for field in MEMORY_FIELDS if field.datatype is Datatype.DECIMAL)
_MEMORY_VALUES = attrgetter(*(name for name, *_ in _MEMORY_SPECS))
_TOMBSTONE_VALUES = attrgetter(*(name for name, *_ in _TOMBSTONE_SPECS))
_PAYLOAD_SPECS = {
    kind: tuple((field.name, field.local, field.digits) for field in fields) for kind, fields in PAYLOAD_FIELDS.items()
}
_PREFERENCE_SPECS = tuple((field.name, field.local, field.many) for field in PREFERENCE_FIELDS)
_DIGITS = late_regex(r"-?[0-9]{1,21}(\.[0-9]{1,18})?", re.ASCII)
#: The commitment to a slot in the core of a record.
_COMMITMENT = late_regex(rf'\.([0-9]+)> <{re.escape(NS)}commitment> "([^"]*)" \.')
#: The end of a statement in N-Quads.
_END = " ."
#: Of what types the properties are that each record, and each head, has.
_SIGNED = {"tenant": str, "log": str, "recordedAt": int, "signingKey": str, "core": str, "proofValue": str}
_RECORD_TYPES = {**_SIGNED, "sequence": int, "operation": str, "proofCreated": str, "leaf": str}
_HEAD_TYPES = {**_SIGNED, "size": int, "root": str, "proofCreated": str}
#: All properties that a record may have when it is written.
RECORD_PROPERTIES = (
    "ref",
    "tenant",
    "log",
    "sequence",
    "operation",
    "recordedAt",
    "signingKey",
    "core",
    "commitments",
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
    payload = (name for _, *names in _PAYLOAD_SPECS[kind] for name in names if name is not None)
    own = (*(local for _, local, *_ in _MEMORY_SPECS), *payload)
    return ("ref", "id", "tenant", "kind", "sequence", *own, *(field.local for field in STORE_FIELDS))


def ref(tenant: str, node_id: str) -> str:
    """Return the reference of a node, unique in the store: its tenant and its id."""
    return f"{tenant}|{node_id}"


def audit_ref(tenant: str, log: str, sequence: int) -> str:
    """Return the reference of a record: ``log`` is ``t`` for transitions or ``a`` for accesses."""
    return f"{tenant}|{log}|{sequence:012d}"


def slot_key(tenant: str, subjects: Iterable[str], key: str) -> str:
    """Return the fixed-size index key of the slot (tenant, subjects, key), which look-alike keys share."""
    text = "\x1f".join((*sorted(subjects), "", as_key(key)))
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
    for (_, local, many, write), value in zip(specs, values(memory), strict=True):
        if value is None or value is False or value == ():
            continue
        if many:
            node[local] = list(value)
        else:
            node[local] = value if write is None else write(value)
    for name, local, digits in _PAYLOAD_SPECS[memory.kind] if memory.payload else ():
        item = memory.payload.get(name)
        if digits is not None and isinstance(item, Decimal):
            node[local], node[digits] = float(item), decimal_lexical(item)
        elif item is not None and item != ():
            node[local] = list(item) if isinstance(item, tuple) else item
    return node


def decode_memory(node: Row) -> Memory:
    """Return the memory that the properties ``node`` describe.

    Raises:
        StoreDamaged: a property that each memory has is missing, or one has a value that none has.
    """
    try:
        return _memory(node)
    except DAMAGE as error:
        raise damaged(node.get("id"), _cause(error)) from error


def _memory(node: Row) -> Memory:
    kind = _KINDS[node["kind"]]
    values: dict[str, Any] = {}
    for local, value in node.items():
        spec = _MEMORY_BY_LOCAL.get(local)
        if spec is None or value is None:
            continue
        name, many, read = spec
        values[name] = tuple(value) if many else value if read is None else read(value)
    for name in _DECIMALS:
        if name in values:
            values[name] = float(values[name])
    payload: dict[str, Any] = {}
    for field in PAYLOAD_FIELDS[kind]:
        value = node.get(field.local)
        if value is not None:
            payload[field.name] = _payload_value(field, value, field.digits and node.get(field.digits))
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


def _payload_value(field: Field, value: Any, digits: str | None) -> Any:
    if field.many:
        return tuple(value)
    if digits is None:
        return float(value) if field.datatype.value == "decimal" else value
    exact = Decimal(digits) if _DIGITS.fullmatch(digits) else None
    if exact is None or float(exact) != value:
        raise ValueError
    return exact


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
    """Return the entity that the properties ``node`` describe.

    Raises:
        StoreDamaged: as :func:`decode_memory`.
    """
    try:
        values: dict[str, Any] = {
            name: tuple(node[local]) if many else node[local]
            for name, local, many in _ENTITY_SPECS
            if node.get(local) is not None
        }
        return Entity(id=node["id"], tenant=node["tenant"], sequence=node["sequence"], **values)
    except DAMAGE as error:
        raise damaged(node.get("id"), _cause(error)) from error


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
    """Return the preference that the properties ``node`` describe.

    Raises:
        StoreDamaged: as :func:`decode_memory`.
    """
    try:
        values: dict[str, Any] = {
            name: tuple(node[local]) if many else node[local]
            for name, local, many in _PREFERENCE_SPECS
            if node.get(local) is not None
        }
        values["preference_rule"] = PreferenceRule(values["preference_rule"])
        if "level" in values:
            values["level"] = float(values["level"])
        return Preference(id=node["id"], tenant=node["tenant"], sequence=node["sequence"], **values)
    except DAMAGE as error:
        raise damaged(node.get("id"), _cause(error)) from error


def decode_edge(source: str, row: Row) -> Edge:
    """Return the edge of a row with ``type``, ``target``, ``created`` and ``weight``.

    Raises:
        StoreDamaged: it is of no type of the ontology, or has no target, no time of creation or no number as weight.
    """
    created, target, weight = row["created"], row["target"], row["weight"]
    if not isinstance(created, int) or isinstance(created, bool):
        raise damaged(source, f"created of an edge {str(row['type'])[:40]!r}")
    if not isinstance(target, str):
        raise damaged(source, f"target of an edge {str(row['type'])[:40]!r}")
    try:
        return Edge(source, EdgeType(row["type"]), target, created, None if weight is None else float(weight))
    except DAMAGE as error:
        raise damaged(source, f"type or weight of an edge {str(row['type'])[:40]!r}") from error


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
        **_packed(record),
        "proofValue": record.proof_value,
        "proofCreated": record.proof_created,
        "leaf": record.leaf,
        "details": [
            _shortened(text, _slot(record.log, record.sequence, number)) for number, text in enumerate(record.details)
        ],
        "salts": list(record.salts),
    }
    if record.memories:
        node["memories"] = list(record.memories)
        # A slot that was deleted names nothing any more.
        if len(record.memories) == 1 and record.memories[0]:
            node["memory"] = ref(record.tenant, record.memories[0])
    return node


def decode_record(node: Row) -> AuditRecord:
    """Return the record that the properties ``node`` describe.

    Raises:
        StoreDamaged: a property that each record has is missing, or of another type.
    """
    try:
        return _record(node)
    except UNMADE as error:
        raise damaged(node.get("ref"), _cause(error)) from error


def _packed(record: AuditRecord) -> dict[str, Any]:
    """Return a record's core: its commitments, of which it is made again with what else the record has.

    The core itself, where it is not the one that this package makes.
    """
    slots = sorted((int(slot), value) for slot, value in _COMMITMENT.findall(record.core))
    commitments = [value for _, value in slots]
    made = core_of(
        record.log,
        record.sequence,
        operation=record.operation,
        recorded_at=time_lexical(record.recorded_at),
        signing_key=record.signing_key,
        commitments=commitments,
    )
    return {"core": "", "commitments": commitments} if made == record.core else {"core": record.core}


def _core(node: Row) -> str:
    return node["core"] or core_of(
        node["log"],
        node["sequence"],
        operation=_operation(node["operation"]),
        recorded_at=time_lexical(node["recordedAt"]),
        signing_key=node["signingKey"],
        commitments=node["commitments"],
    )


def _slot(log: str, sequence: int, number: int) -> str:
    """Return what each line of the details of a slot begins with."""
    return f"<{log}#{sequence}.{number}> <{NS}"


def _shortened(text: str, start: str) -> str:
    """Return details without what each line begins and ends with, and without a term that the line before has.

    As they are, where a line does not.
    """
    *lines, rest = text.split("\n")
    if rest or not all(line.startswith(start) and line.endswith(_END) for line in lines):
        return text
    short, before = "", ""
    for line in lines:
        term, _, value = line[len(start) : -len(_END)].partition("> ")
        short += f"{'' if term == before else term}> {value}\n"
        before = term
    return short


def _whole(text: str, start: str) -> str:
    """Return details as they were signed."""
    if not text or text[0] == "<":
        return text
    whole, term = "", ""
    for line in text.removesuffix("\n").split("\n"):
        own, _, value = line.partition("> ")
        term = own or term
        whole += f"{start}{term}> {value}{_END}\n"
    return whole


def _record(node: Row) -> AuditRecord:
    _refuse_types(node, _RECORD_TYPES)
    log, sequence = node["log"], node["sequence"]
    return AuditRecord(
        tenant=node["tenant"],
        log=log,
        sequence=sequence,
        operation=_operation(node["operation"]),
        recorded_at=node["recordedAt"],
        signing_key=node["signingKey"],
        core=_core(node),
        proof_value=node["proofValue"],
        proof_created=node["proofCreated"],
        leaf=node["leaf"],
        memories=_texts(node.get("memories")),
        details=tuple(
            _whole(text, _slot(log, sequence, number)) for number, text in enumerate(_texts(node.get("details")))
        ),
        salts=_texts(node.get("salts")),
    )


def _operation(value: Any) -> Operation:
    """Return the operation, or what stands in its place: a record that was tampered with is the verifier's to judge."""
    try:
        return Operation(value)
    except ValueError:
        return value  # type: ignore[no-any-return]  # see the docstring


def _refuse_types(node: Mapping[str, Any], types: Mapping[str, type]) -> None:
    for name, kind in types.items():
        if type(node[name]) is not kind:
            raise KeyError(name)


def refuse_row(node: Row, types: Mapping[str, type]) -> None:
    """Refuse the row of a tenant that has not these properties, each of its type.

    Raises:
        StoreDamaged: names the first.
    """
    try:
        _refuse_types(node, types)
    except KeyError as error:
        raise damaged_row(node.get("ref"), _cause(error)) from error


def damaged_row(tenant: object, what: str) -> StoreDamaged:
    """Return the error that names a tenant without whose row nothing of it can be read, a check neither."""
    return StoreDamaged(
        f"the row of tenant {str(tenant)[:80]!r} has no value that it could have as {what}: this package did not write "
        "it; put back a copy of the store, or a snapshot with: mars snapshot load FILE"
    )


def refuse_id(reference: str, node: Row) -> None:
    """Refuse a node whose id is not the one in the reference that it is found by.

    Raises:
        StoreDamaged: it is not.
    """
    if node.get("id") != reference.partition("|")[2]:
        raise damaged(reference.partition("|")[2], "id")


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
    """Return the tree head that the properties ``node`` describe.

    Raises:
        StoreDamaged: a property that each head has is missing, or of another type.
    """
    try:
        return _head(node)
    except UNMADE as error:
        raise damaged(node.get("ref"), _cause(error)) from error


def _head(node: Mapping[str, Any]) -> TreeHead:
    _refuse_types(node, _HEAD_TYPES)
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


# --- What this package did not write ----------------------------------------------------------------------------------

#: What decoding raises on properties that no encoding gives.
DAMAGE: tuple[type[Exception], ...] = (AttributeError, KeyError, TypeError, ValueError)
UNMADE: tuple[type[Exception], ...] = (*DAMAGE, ArithmeticError, IndexError)
_TYPES: dict[Datatype, type | tuple[type, ...]] = {
    Datatype.STRING: str,
    Datatype.INTEGER: int,
    Datatype.DECIMAL: (int, float, Decimal),
    Datatype.DATETIME: int,
    Datatype.BOOLEAN: bool,
    Datatype.TERM: str,
    Datatype.IRI: str,
    Datatype.JSON: (str, JsonObject),
}


_IDENTITY = (Field("id"), Field("kind", Datatype.TERM, term=Kind), Field("sequence", Datatype.INTEGER))
#: What every memory with content has.
_ALWAYS = frozenset(
    {field.local for field in (*_IDENTITY, *MEMORY_FIELDS) if field.required} | {"id", "kind", "sequence"}
) | {"tier", "score", "accessCount"}
_WORDS = {field.term: frozenset(field.term) for field in (*_IDENTITY, *MEMORY_FIELDS, *PREFERENCE_FIELDS) if field.term}
#: The properties of a memory's node by their names, those of every kind and the order keys.
_ROW_FIELDS = {
    field.local: field
    for fields in (MEMORY_FIELDS, *PAYLOAD_FIELDS.values(), _IDENTITY, STORE_FIELDS)
    for field in fields
    if field not in STORE_FIELDS or field.secrecy is ORDER
}
#: The type that a property has of which any value is sound; every other property is looked at more closely.
_ANY_OF: dict[str, type] = {
    local: {Datatype.STRING: str, Datatype.INTEGER: int, Datatype.BOOLEAN: bool}[field.datatype]
    for local, field in _ROW_FIELDS.items()
    if field.datatype in {Datatype.STRING, Datatype.INTEGER, Datatype.BOOLEAN} and not field.many and field.term is None
}


def damaged(ident: object, what: str) -> StoreDamaged:
    """Return the error that names a node and the property that is wrong."""
    return StoreDamaged(
        f"{str(ident)[:80]!r} in the store has no value that it could have as {what}: this package did not write it; "
        "see all of it with: mars verify, and mars validate --full; then restore a snapshot or load an export"
    )


def refuse_damaged(node: Memory | Entity | Preference) -> None:
    """Refuse a node with a field of another type than the table of fields gives it, or a time that is none.

    Raises:
        StoreDamaged: the message names the node and the property.
    """
    fields = MEMORY_FIELDS if isinstance(node, Memory) else ENTITY_FIELDS
    for field in PREFERENCE_FIELDS if isinstance(node, Preference) else fields:
        _refuse_value(node.id, field, getattr(node, field.name))
    if isinstance(node, Memory):
        for field in PAYLOAD_FIELDS[node.kind]:
            _refuse_value(node.id, field, node.payload.get(field.name))


def refuse_damaged_row(row: Row) -> None:
    """Refuse properties of a memory with content that no memory has, as far as ``row`` has them at all.

    Raises:
        StoreDamaged: the message names the node and the property.
    """
    ident = str(row.get("id"))
    for name, value in row.items():
        if value is None:
            if name in _ALWAYS:
                raise damaged(ident, name)
        elif name in _ROW_FIELDS and type(value) is not _ANY_OF.get(name):
            _refuse_value(ident, _ROW_FIELDS[name], value)


def _refuse_value(ident: str, field: Field, value: object) -> None:
    if field.many and value is not None and not isinstance(value, tuple | list):
        raise damaged(ident, field.local)
    for one in value if isinstance(value, tuple | list) and field.many else (value,):
        if one is None:
            continue
        sound = isinstance(one, _TYPES[field.datatype]) and isinstance(one, bool) == (
            field.datatype is Datatype.BOOLEAN
        )
        if isinstance(one, float):
            sound = sound and math.isfinite(one)
        elif sound and field.datatype is Datatype.IRI:
            sound = is_iri(one)
        elif sound and field.datatype is Datatype.DATETIME and isinstance(one, int):
            sound = MIN_MS <= one <= MAX_MS
        elif sound and field.term is not None:
            sound = one in _WORDS[field.term]
        if not sound:
            raise damaged(ident, field.local)


def _cause(error: Exception) -> str:
    """Return what decoding missed, or could not take; never a value."""
    return str(error.args[0])[:40] if isinstance(error, KeyError) and error.args else "one of its properties"
