"""Memories and entities as JSON-LD nodes of the packaged context, built by hand because this is the hot path.

Guarantees: a node means exactly the lines that :mod:`marskg.ontology.mapping` gives for the same record; each node is
one line of text; its first two members are ``@type`` and ``@id``, so that a streaming processor needs no look-ahead.
Numbers are JSON strings, because a JSON number with a fraction becomes an ``xsd:double`` and a large one loses digits.
Source: W3C JSON-LD 1.1 section 4; the companion note on streaming JSON-LD.
"""

from __future__ import annotations

import json
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from marskg.ontology.documents import packaged
from marskg.ontology.fields import (
    ACCESS_FIELDS,
    ENTITY_FIELDS,
    GOVERNED_FIELDS,
    PAYLOAD_FIELDS,
    PREFERENCE_FIELDS,
    TOMBSTONE_FIELDS,
    Field,
)
from marskg.ontology.mapping import decimal_lexical, time_lexical
from marskg.ontology.vocabulary import DERIVED_EDGES, Datatype, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from marskg.records import Edge, Entity, Memory, Preference

Encoder: TypeAlias = "Callable[[Any], str]"
#: Name in Python, ``,"name":`` as written, how its value is written.
Column: TypeAlias = "tuple[str, str, Encoder]"

_CACHED = 4096


def packaged_context() -> dict[str, Any]:
    """Return the value of ``@context`` in every export."""
    context: dict[str, Any] = json.loads(packaged())["@context"]
    return context


def compact_json(value: object) -> str:
    """Return ``value`` as JSON without spaces, characters outside ASCII as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class NodeWriter:
    """Turns records into lines of a ``@graph`` array."""

    def __init__(self) -> None:
        """Compile the vocabulary's tables into writers of one field each."""
        self._quote: Encoder = json.JSONEncoder(ensure_ascii=False).encode
        # Neighbouring memories share their days, sensitivities and reliabilities; formatting them dominates otherwise.
        self._time = lru_cache(_CACHED)(time_lexical)
        self._decimal = lru_cache(_CACHED, typed=True)(decimal_lexical)
        self._memory = self._columns(GOVERNED_FIELDS + ACCESS_FIELDS)
        self._tombstone = self._columns(TOMBSTONE_FIELDS)
        self._entity = self._columns(ENTITY_FIELDS)
        self._preference = self._columns(PREFERENCE_FIELDS)
        self._payload = {kind: self._columns(fields) for kind, fields in PAYLOAD_FIELDS.items()}
        self._types = {kind: f'{{"@type":["Memory","{kind.label}"],"@id":"' for kind in Kind}

    def memory(self, memory: Memory, edges: Iterable[Edge]) -> str:
        """Return the node of ``memory`` and, each on a line of its own, those of its edges that need one."""
        out = [self._types[memory.kind], memory.id, '"']
        has_content = memory.content is not None
        for name, key, encode in self._memory if has_content else self._tombstone:
            value = getattr(memory, name)
            if value is not None and value is not False and value != ():
                out += (key, encode(value))
        if has_content:
            get = memory.payload.get
            for name, key, encode in self._payload[memory.kind]:
                value = get(name)
                if value is not None and value is not False and value != ():
                    out += (key, encode(value))
        return self._closed(out, edges, memory.created)

    def entity(self, entity: Entity, edges: Iterable[Edge]) -> str:
        """Return the node of ``entity`` and of those of its edges that need one."""
        out = ['{"@type":["Entity"],"@id":"', entity.id, '"']
        for name, key, encode in self._entity:
            value = getattr(entity, name)
            if value is not None and value != ():
                out += (key, encode(value))
        return self._closed(out, edges, entity.created)

    def preference(self, preference: Preference) -> str:
        """Return the node of ``preference``."""
        out = ['{"@type":["Preference"],"@id":"', preference.id, '"']
        for name, key, encode in self._preference:
            value = getattr(preference, name)
            if value is not None and value != ():
                out += (key, encode(value))
        return self._closed(out, (), preference.created)

    def _closed(self, out: list[str], edges: Iterable[Edge], created: int) -> str:
        """Return the node in ``out`` with its ``edges``, followed by the nodes of edges with properties."""
        targets: dict[str, list[str]] = {}
        nodes = []
        for edge in edges:
            targets.setdefault(edge.type, []).append(edge.target)
            if edge.type not in DERIVED_EDGES and (edge.created != created or edge.weight is not None):
                nodes.append(self._edge(edge))
        for name, ids in targets.items():
            out += (f',"{name}":["', '","'.join(ids), '"]')
        out.append("}")
        return ",\n".join(["".join(out), *nodes])

    def _edge(self, edge: Edge) -> str:
        """Return the node of an edge that was created later than its source, or has a weight."""
        weight = "" if edge.weight is None else f',"edgeWeight":"{self._decimal(edge.weight)}"'
        return (
            f'{{"@type":["Edge"],"@id":"{edge.iri}","edgeSource":"{edge.source}","edgeType":"{edge.type}",'
            f'"edgeTarget":"{edge.target}","created":"{self._time(edge.created)}"{weight}}}'
        )

    def _columns(self, fields: Iterable[Field]) -> tuple[Column, ...]:
        return tuple((field.name, f',"{field.local}":', self._encoder(field)) for field in fields)

    def _encoder(self, field: Field) -> Encoder:
        """Return the function that writes a value of ``field``."""
        one = self._scalar(field.datatype)
        if not field.many:
            return one
        return lambda values: f"[{','.join(map(one, values))}]"

    def _scalar(self, datatype: Datatype) -> Encoder:
        """Return the function that writes one value of ``datatype``."""
        time, decimal = self._time, self._decimal
        if datatype in {Datatype.STRING, Datatype.IRI}:
            return self._quote
        if datatype is Datatype.BOOLEAN:
            return lambda value: "true" if value else "false"
        if datatype is Datatype.JSON:
            return attrgetter("text")
        if datatype is Datatype.DATETIME:
            return lambda value: f'"{time(value)}"'
        if datatype is Datatype.DECIMAL:
            return lambda value: f'"{decimal(value)}"'
        return lambda value: f'"{value}"'
