"""Random memories, entities, edges and whole stores for property-based tests.

Guarantees: what is drawn is what a store could hold: decimals are multiples of 1e-6, sets are sorted tuples without
repeats, tombstones have kept only what semantics section 3 leaves them, edges end at a node of the same store, and the
union of the acyclic edges runs from later to earlier. Texts are nasty on purpose: control characters, quotes,
backslashes, line separators, combining marks, characters outside the basic plane, things that look like syntax.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from marskg.clock import MAX_MS
from marskg.json_object import JsonObject
from marskg.ontology.fields import (
    ACCESS_FIELDS,
    ENTITY_FIELDS,
    GOVERNED_FIELDS,
    PAYLOAD_FIELDS,
    TOMBSTONE_FIELDS,
    Field,
)
from marskg.ontology.vocabulary import (
    ACYCLIC,
    ENTITY_EDGES,
    TOMBSTONE_EDGES,
    Cardinality,
    Datatype,
    EdgeType,
    Kind,
    MemoryClass,
    SourceType,
    TaskStatus,
    Tier,
)
from marskg.records import Edge, Entity, Memory

TENANT = "alice"
_MIN_MS = -62_135_596_800_000
_DECIMAL_MAX = 9_000_000_000 * 1_000_000
_NASTY = (
    '"',
    "'",
    "\\",
    '\\"',
    "\\u0041",
    "\x00",
    "\x1f\x7f\x80\x9f",
    "\t\n\r\b\f\x0b",
    "\u2028\u2029\ufeff\u200b",
    "e\u0301é",
    "🌱\U0001d518",
    "\ufffe\uffff",
    '"^^<http://www.w3.org/2001/XMLSchema#integer>',
    '"@en',
    "<script>",
    "}],\n{",
    "@id",
    "_:b0",
    " .\n",
    "http://example.org/a b",
)
_IRIS = ("https://example.org/people#al%20ice", "http://dbpedia.org/resource/Tomäte", "tag:x,2026:y")
_TERMS: dict[str, type[Cardinality | SourceType | MemoryClass | Tier | TaskStatus]] = {
    "cardinality": Cardinality,
    "source_type": SourceType,
    "memory_class": MemoryClass,
    "status": TaskStatus,
}


@cache
def texts(min_size: int = 0) -> st.SearchStrategy[str]:
    """Return texts without lone surrogates, often with characters that break naive writers."""
    plain = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    return st.lists(st.sampled_from(_NASTY) | plain, max_size=4).map("".join).filter(lambda text: len(text) >= min_size)


def times() -> st.SearchStrategy[int]:
    """Return epoch milliseconds from the year 1 to the year 9999, mostly in our days."""
    return st.integers(1_700_000_000_000, 1_800_000_000_000) | st.integers(_MIN_MS, MAX_MS)


@cache
def decimals(low: int, high: int) -> st.SearchStrategy[float]:
    """Return multiples of 1e-6 between ``low`` and ``high``."""
    least, most = max(low * 1_000_000, -_DECIMAL_MAX), min(high * 1_000_000, _DECIMAL_MAX)
    return st.integers(least, most).map(lambda micro: micro / 1_000_000)


def uuids() -> st.SearchStrategy[str]:
    """Return ``urn:uuid:`` IRIs of time-ordered UUIDs."""
    head = st.integers(0, 2**48 - 1)
    tail = st.integers(0, 2**74 - 1)
    return st.tuples(head, tail).map(lambda parts: f"urn:uuid:{UUID(int=_uuid7(*parts))}")


def _uuid7(time: int, tail: int) -> int:
    return time << 80 | 0x7 << 76 | (tail >> 62) << 64 | 0b10 << 62 | tail & (2**62 - 1)


_ALL_IDS = uuids()


def json_objects() -> st.SearchStrategy[JsonObject]:
    """Return JSON objects with names of any kind and values in one another."""
    said = texts().map(lambda text: text.replace("\x00", ""))
    leaves = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e6, 1e6) | said
    inner = st.recursive(
        leaves, lambda one: st.lists(one, max_size=3) | st.dictionaries(said, one, max_size=3), max_leaves=5
    )
    return st.dictionaries(said, inner, min_size=1, max_size=3).map(JsonObject.of)


@cache
def values(field: Field) -> st.SearchStrategy[Any]:
    """Return values of ``field`` as a record holds them, never None."""
    if field.many:
        return st.lists(_one(field), min_size=1, max_size=3, unique=True).map(lambda items: tuple(sorted(items)))
    return _one(field)


def _one(field: Field) -> st.SearchStrategy[Any]:
    if field.datatype is Datatype.STRING:
        return texts(min_size=1)
    if field.datatype is Datatype.INTEGER:
        return st.integers(field.low, field.high)
    if field.datatype is Datatype.DECIMAL:
        return decimals(field.low, field.high)
    if field.datatype is Datatype.DATETIME:
        return times()
    if field.datatype is Datatype.BOOLEAN:
        return st.just(value=True)
    if field.datatype is Datatype.JSON:
        return json_objects()
    if field.datatype is Datatype.IRI:
        return st.sampled_from(
            ["https://example.org/people#al%20ice", "http://dbpedia.org/resource/Tomäte", "tag:x,2026:y"]
        )
    return st.sampled_from(list(_TERMS[field.name]))


@st.composite
def _some(draw: st.DrawFn, fields: tuple[Field, ...], always: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return values of the ``always`` fields and of some of the others: drawing each would make examples slow."""
    names = always | draw(st.sets(st.sampled_from(sorted(field.name for field in fields)), max_size=8))
    return {field.name: draw(values(field)) for field in fields if field.name in names}


#: Fields that every memory with content has a value of.
_ALWAYS = frozenset(
    {"created", "valid_from", "sensitivity", "weight", "source_type", "reliability", "memory_class"}
    | {field.name for field in ACCESS_FIELDS}
)
_TASK_FIELDS = frozenset({"status", "priority", "deadline"})
_DRAWN_APART = _TASK_FIELDS | {"content", "tier"}
_LIVE = tuple(field for field in (*GOVERNED_FIELDS, *ACCESS_FIELDS) if field.name not in _DRAWN_APART)
_TASK = tuple(field for field in GOVERNED_FIELDS if field.name in _TASK_FIELDS)
_STONE = tuple(field for field in TOMBSTONE_FIELDS if field.name not in {"tier", "weight"})
_CONTENT = texts().map(lambda text: text if text.strip() else f"{text}x")


def payloads(kind: Kind) -> st.SearchStrategy[dict[str, Any]]:
    """Return payloads of ``kind`` with any of its fields."""
    return _some(PAYLOAD_FIELDS[kind])


@st.composite
def memories(
    draw: st.DrawFn, ids: st.SearchStrategy[str] | None = None, sequence: int = 1, *, tombstones: bool = True
) -> Memory:
    """Return a memory of any kind; ``tombstones`` says whether it may have lost its content."""
    kind = draw(st.sampled_from(list(Kind)))
    head: dict[str, Any] = {
        "id": draw(_ALL_IDS if ids is None else ids),
        "tenant": TENANT,
        "kind": kind,
        "sequence": sequence,
    }
    if tombstones and draw(st.integers(0, 4)) == 0:
        kept = draw(_some(_STONE, frozenset({"created", "valid_from"})))
        return Memory(**head, content=None, tier=Tier.TOMBSTONE, **kept)
    fields = draw(_some(_LIVE, _ALWAYS))
    if kind is Kind.TASK:
        fields |= draw(_some(_TASK, frozenset({"status"})))
    tier = draw(st.sampled_from([Tier.LIVE, Tier.LATENT]))
    return Memory(**head, content=draw(_CONTENT), tier=tier, payload=draw(payloads(kind)), **fields)


@st.composite
def entities(draw: st.DrawFn, ids: st.SearchStrategy[str] | None = None, sequence: int = 1) -> Entity:
    """Return an entity with any of its fields."""
    fields = draw(_some(ENTITY_FIELDS, frozenset({"name", "created"})))
    return Entity(id=draw(_ALL_IDS if ids is None else ids), tenant=TENANT, sequence=sequence, **fields)


@dataclass(frozen=True, slots=True)
class StoreContent:
    """All nodes of one tenant with their outgoing edges, each list in the order of creation."""

    memories: tuple[tuple[Memory, tuple[Edge, ...]], ...]
    entities: tuple[tuple[Entity, tuple[Edge, ...]], ...]


@st.composite
def stores(draw: st.DrawFn, max_memories: int = 6, max_entities: int = 3) -> StoreContent:
    """Return a small store whose edges all end inside it."""
    ids = draw(st.lists(uuids(), max_size=max_memories + max_entities, unique=True))
    split = draw(st.integers(max(0, len(ids) - max_entities), min(len(ids), max_memories)))
    nodes = [draw(memories(st.just(ident), position + 1)) for position, ident in enumerate(ids[:split])]
    things = [draw(entities(st.just(ident), position + 1)) for position, ident in enumerate(ids[split:])]
    thing_ids = ids[split:]
    return StoreContent(
        tuple((node, draw(_memory_edges(node, position, nodes, thing_ids))) for position, node in enumerate(nodes)),
        tuple((thing, draw(_entity_edges(thing, thing_ids))) for thing in things),
    )


@st.composite
def _memory_edges(
    draw: st.DrawFn, node: Memory, position: int, nodes: list[Memory], things: list[str]
) -> tuple[Edge, ...]:
    """Return outgoing edges of the memory at ``position``."""
    earlier = [other.id for other in nodes[:position]]
    others = [other.id for other in nodes if other.id != node.id]
    choices = []
    for kind in EdgeType:
        targets = things if kind is EdgeType.MENTIONS else earlier if kind in ACYCLIC else others
        if node.content is not None or kind in TOMBSTONE_EDGES:
            choices += [(kind, target) for target in targets]
    return draw(_edges(node.id, node.created, choices))


@st.composite
def _entity_edges(draw: st.DrawFn, thing: Entity, things: list[str]) -> tuple[Edge, ...]:
    """Return outgoing edges of an entity."""
    choices = [(kind, target) for kind in sorted(ENTITY_EDGES) for target in things if target != thing.id]
    return draw(_edges(thing.id, thing.created, choices))


@st.composite
def _edges(draw: st.DrawFn, source: str, created: int, choices: list[tuple[EdgeType, str]]) -> tuple[Edge, ...]:
    """Return edges from ``source`` along some of ``choices``, sorted."""
    if not choices:
        return ()
    drawn = []
    for kind, target in draw(st.lists(st.sampled_from(choices), max_size=4, unique=True)):
        derived = kind is EdgeType.TEMPORAL_NEXT
        when = created if derived else draw(st.just(created) | times())
        weight = None if derived else draw(st.none() | decimals(0, 1))
        drawn.append(Edge(source, kind, target, when, weight))
    return tuple(sorted(drawn, key=lambda edge: (edge.type, edge.target)))
