"""Statements about one subject as the memory, entity or edge that they describe: the inverse of the mapping.

Guarantees: ``build(lines(x)) == x`` for all that :mod:`marskg.ontology.mapping` writes; every statement ends up in a
field or is refused by name, none is dropped; values are checked for type, range and vocabulary, so that what the
write gate still has to judge is the graph and not the syntax. Decimals are rounded to 1e-6 and times to milliseconds,
the resolutions of the store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from marskg.clock import MAX_MS, MIN_MS
from marskg.errors import InvalidDocument
from marskg.exporters.rdf.triples import IRI
from marskg.json_object import JsonObject, UnfitJsonError
from marskg.late_regex import late_regex
from marskg.ontology.fields import (
    ACCESS_FIELDS,
    EDGE_FIELDS,
    ENTITY_FIELDS,
    GOVERNED_FIELDS,
    PAYLOAD_FIELDS,
    PREFERENCE_FIELDS,
    TOMBSTONE_FIELDS,
    Field,
)
from marskg.ontology.mapping import exactly, quantise, time_value
from marskg.ontology.vocabulary import (
    DERIVED_EDGES,
    NS,
    RDF_JSON,
    RDF_TYPE,
    XSD,
    Datatype,
    EdgeType,
    Kind,
    Tier,
)
from marskg.records import Edge, Entity, Memory, Preference
from marskg.shapes.gate import NODE_ID

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from decimal import Decimal
    from enum import StrEnum

    from marskg.exporters.rdf.spool import Group

Lookup: TypeAlias = "Callable[[str], Group | None]"

_NUMBERS = (Datatype.INTEGER, Datatype.DECIMAL)
_INTEGER = late_regex(r"[+-]?[0-9]{1,40}\Z")
_NUMBER = late_regex(r"[+-]?([0-9]{1,400}(\.[0-9]{0,400})?|\.[0-9]{1,400})([eE][+-]?[0-9]{1,4})?\Z")
_DATATYPES = {
    Datatype.STRING: {f"{XSD}string"},
    Datatype.INTEGER: {XSD + name for name in ("integer", "long", "int", "nonNegativeInteger")},
    Datatype.DECIMAL: {XSD + name for name in ("decimal", "integer", "double", "float")},
    Datatype.DATETIME: {f"{XSD}dateTime", f"{XSD}dateTimeStamp"},
    Datatype.BOOLEAN: {f"{XSD}boolean"},
    Datatype.TERM: {IRI},
    Datatype.IRI: {IRI},
    Datatype.JSON: {RDF_JSON},
}
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_KINDS = {NS + kind.label: kind for kind in Kind}
_EDGES = {NS + edge.value: edge for edge in EdgeType}


def _by_iri(fields: Iterable[Field]) -> dict[str, Field]:
    return {field.iri: field for field in fields}


_MEMORY = _by_iri(GOVERNED_FIELDS + ACCESS_FIELDS)
_TOMBSTONE = _by_iri(TOMBSTONE_FIELDS)
_PAYLOAD = {kind: _by_iri(fields) for kind, fields in PAYLOAD_FIELDS.items()}
_ENTITY = _by_iri(ENTITY_FIELDS)
_PREFERENCE = _by_iri(PREFERENCE_FIELDS)
_EDGE = _by_iri(EDGE_FIELDS)
_EDGE_PARTS = tuple(NS + name for name in ("edgeSource", "edgeType", "edgeTarget"))


def kind_of(group: Group) -> Kind | None:
    """Return the kind of the memory that ``group`` describes; None if it describes no memory."""
    types = _types(group)
    if not types & {f"{NS}Memory", *_KINDS}:
        return None
    kinds = types & _KINDS.keys()
    unknown = types - {f"{NS}Memory", *_KINDS}
    if unknown:
        raise refused(group, f"the type {min(unknown)}, which is not one of the ontology's memories", "remove it")
    if len(kinds) != 1:
        raise refused(group, "no kind, or several", "type it as exactly one of Episodic, Semantic, Social, Task")
    return _KINDS[kinds.pop()]


def is_entity(group: Group) -> bool:
    """Return whether ``group`` describes an entity."""
    return _types(group) == {f"{NS}Entity"}


def is_preference(group: Group) -> bool:
    """Return whether ``group`` describes a preference."""
    return _types(group) == {f"{NS}Preference"}


def is_edge(group: Group) -> bool:
    """Return whether ``group`` describes an edge."""
    return _types(group) == {f"{NS}Edge"}


def build_memory(
    group: Group, kind: Kind, lookup: Lookup, *, tenant: str, sequence: int
) -> tuple[Memory, tuple[Edge, ...]]:
    """Return the memory that ``group`` describes and its outgoing edges, whose nodes ``lookup`` finds.

    Raises:
        InvalidDocument: a statement has no place in a memory of ``kind``, or a value is out of range.
    """
    _check_id(group)
    payload_fields = _PAYLOAD[kind]
    values, targets = _values(group, _MEMORY | payload_fields)
    is_stone = values.get("tier") == Tier.TOMBSTONE
    if is_stone:
        extra = values.keys() - {field.name for field in _TOMBSTONE.values()}
        if extra:
            raise refused(group, f"the field {min(extra)}, which a tombstone cannot keep", "remove it, or its tier")
    elif "content" not in values:
        raise refused(group, "no content although it is no tombstone", "add its content, or type its tier tombstone")
    created = _required(group, values, "created")
    payload = {field.name: values.pop(field.name) for field in payload_fields.values() if field.name in values}
    memory = Memory(
        id=group.subject,
        tenant=tenant,
        kind=kind,
        content=values.pop("content", None),
        created=created,
        sequence=sequence,
        payload=payload,
        valid_from=values.pop("valid_from", created),
        **values,
    )
    return memory, _edges(group, targets, created, lookup)


def build_entity(group: Group, lookup: Lookup, *, tenant: str, sequence: int) -> tuple[Entity, tuple[Edge, ...]]:
    """Return the entity that ``group`` describes and its outgoing edges.

    Raises:
        InvalidDocument: a statement has no place in an entity.
    """
    _check_id(group)
    values, targets = _values(group, _ENTITY)
    created = _required(group, values, "created")
    name = _required(group, values, "name")
    entity = Entity(id=group.subject, tenant=tenant, name=name, created=created, sequence=sequence, **values)
    return entity, _edges(group, targets, created, lookup)


def build_preference(group: Group, *, tenant: str, sequence: int) -> Preference:
    """Return the preference that ``group`` describes.

    Raises:
        InvalidDocument: a statement has no place in a preference.
    """
    _check_id(group)
    values, targets = _values(group, _PREFERENCE)
    if targets:
        raise refused(group, f"an edge {targets[0][0]}, which a preference cannot have", "remove it")
    created = _required(group, values, "created")
    rule = _required(group, values, "preference_rule")
    return Preference(
        id=group.subject, tenant=tenant, created=created, sequence=sequence, preference_rule=rule, **values
    )


def check_edge(group: Group, lookup: Lookup) -> None:
    """Refuse the node of an edge that its source does not have, or that does not say which edge it is of.

    Raises:
        InvalidDocument: either is the case.
    """
    edge = _edge(group)
    source = lookup(edge.source)
    found = source is not None and any(
        item.predicate == NS + edge.type and item.value == edge.target and item.datatype == IRI
        for item in source.statements
    )
    if not found or edge.type in DERIVED_EDGES:
        raise refused(group, "properties of an edge that its source does not have", "add the edge, or remove its node")


def refused(group: Group, what: str, way_out: str) -> InvalidDocument:
    """Return the error for something in ``group``; the reader adds the document's name."""
    return InvalidDocument(f"{group.subject} has {what}; {way_out}")


def _types(group: Group) -> set[str]:
    return {item.value for item in group.statements if item.predicate == RDF_TYPE}


def _check_id(group: Group) -> None:
    if not NODE_ID.match(group.subject):
        raise refused(group, "an id that is no urn:uuid: IRI in lower case", "give it one, version 7 if it can be")


def _required(group: Group, values: dict[str, Any], name: str) -> Any:  # noqa: ANN401 - the field's own type
    if name not in values:
        raise refused(group, f"no {name}, which every node has", "add it; is the document truncated?")
    return values.pop(name)


def _values(group: Group, fields: dict[str, Field]) -> tuple[dict[str, Any], list[tuple[EdgeType, str]]]:
    """Return the values of ``fields`` by name, and the outgoing edges."""
    values: dict[str, Any] = {}
    targets: list[tuple[EdgeType, str]] = []
    for predicate, text, datatype in group.statements:
        field = fields.get(predicate)
        if field is not None:
            value = _value(group, field, text, datatype)
            if field.many:
                values.setdefault(field.name, []).append(value)
            elif field.name in values:
                raise refused(group, f"two values of {field.local}", "keep one")
            else:
                values[field.name] = value
        elif predicate in _EDGES:
            if datatype != IRI or not NODE_ID.match(text):
                raise refused(
                    group, f"a {_EDGES[predicate]} to something without a urn:uuid: IRI", "name a node by its id"
                )
            targets.append((_EDGES[predicate], text))
        elif predicate != RDF_TYPE:
            raise refused(group, f"the unknown term {predicate}", "remove it; nothing is dropped in silence")
    for name, value in values.items():
        if isinstance(value, list):
            values[name] = tuple(sorted(set(value)))
    return values, targets


def _edges(group: Group, targets: list[tuple[EdgeType, str]], created: int, lookup: Lookup) -> tuple[Edge, ...]:
    """Return the edges to ``targets`` with the properties that their own nodes give them."""
    edges = []
    for kind, target in sorted(targets):
        plain = Edge(group.subject, kind, target, created)
        node = None if kind in DERIVED_EDGES else lookup(plain.iri)
        edges.append(plain if node is None else _edge(node))
    return tuple(edges)


def _edge(group: Group) -> Edge:
    """Return the edge whose node ``group`` is."""
    parts = {item.predicate: item.value for item in group.statements if item.predicate in _EDGE_PARTS}
    rest = [item for item in group.statements if item.predicate not in _EDGE_PARTS]
    values, targets = _values(group._replace(statements=rest), _EDGE)
    source, kind, target = (parts.get(name, "") for name in _EDGE_PARTS)
    if targets or kind not in _EDGES or len(group.statements) - len(rest) != len(_EDGE_PARTS):
        raise refused(group, "not one edgeSource, one edgeType and one edgeTarget", "correct the edge's node")
    edge = Edge(source, _EDGES[kind], target, _required(group, values, "created"), values.get("edge_weight"))
    if edge.iri != group.subject:
        raise refused(group, "parts that do not make up its id", "name the node SOURCE#TYPE-TARGET, without urn:uuid:")
    return edge


def _value(group: Group, field: Field, text: str, datatype: str) -> Any:  # noqa: ANN401 - the field's own type
    """Return the value of ``field`` that a term stands for."""
    if datatype not in _DATATYPES[field.datatype]:
        raise refused(group, f"a {field.local} that is no {field.datatype}", f"write it as {field.datatype}")
    try:
        value = _READERS[field.datatype](field, text)
        in_range = field.datatype not in _NUMBERS or field.low <= value <= field.high
    except (ValueError, OverflowError) as error:
        if field.digits or isinstance(error, UnfitJsonError):
            rule, _, way = str(error).partition("; ")
            raise refused(group, f"a {field.local} that {rule}", way or "correct it") from None
        in_range = False
    if not in_range:
        # The value itself is not shown: it may be somebody's.
        limits = f" from {field.low} to {field.high}" if field.datatype in _NUMBERS else ""
        raise refused(group, f"a {field.local} that is no {field.datatype}{limits}", "correct it")
    return value


def _integer(_field: Field, text: str) -> int:
    if not _INTEGER.match(text):
        raise ValueError
    return int(text)


def _decimal(field: Field, text: str) -> float | Decimal:
    if field.digits:
        return exactly(text)
    if not _NUMBER.match(text):
        raise ValueError
    return quantise(float(text))


def _time(_field: Field, text: str) -> int:
    value = time_value(text)
    if not MIN_MS <= value <= MAX_MS:
        raise ValueError
    return value


def _boolean(_field: Field, text: str) -> bool:
    if text not in _BOOLEANS:
        raise ValueError
    return _BOOLEANS[text]


def _term(field: Field, text: str) -> StrEnum:
    if field.term is None or not text.startswith(NS):
        raise ValueError
    return field.term(text.removeprefix(NS))


def _json(_field: Field, text: str) -> JsonObject | None:
    return JsonObject.read(text) or None


def _text(_field: Field, text: str) -> str:
    return text


_READERS: dict[Datatype, Callable[[Field, str], Any]] = {
    Datatype.STRING: _text,
    Datatype.IRI: _text,
    Datatype.INTEGER: _integer,
    Datatype.DECIMAL: _decimal,
    Datatype.DATETIME: _time,
    Datatype.BOOLEAN: _boolean,
    Datatype.TERM: _term,
    Datatype.JSON: _json,
}
