"""The shapes as plain Python over records: what the write gate asks before a node and its edges are stored.

The store asks it of every node that a unit of work made or changed, when the unit is closed
(:mod:`marskg.store.unit.write_gate`).

Guarantees: :func:`check_memory`, :func:`check_entity` and :func:`check_preference` find exactly what the SHACL shapes
find on the same node in the graph that :mod:`marskg.ontology.mapping` writes, each under name, code and message of the
shape (a property test holds the three against each other), and besides only what RDF cannot even write, or no SHACL
engine reads: unknown payload fields, numbers that are not finite or beyond 2**53, times and strings without a lexical
form. Of a node without content only what a tombstone keeps is written, so nothing else of it is looked at. They are
pure, ask no database and take some microseconds.

Codes, and the error that the store raises for them: ``closure`` and ``content-closure`` ClosureViolation, as for an
end that is not there or not of the kind that the edge asks for (``EdgeEnd-...``); ``task-safety`` TaskSafetyViolation,
``cycle`` CycleError, all others (``range``, ``kind``, ``tier``, ``payload``, ``key``, ``edge``, ``temporal-chain``,
``entity``, ``preference``) InvalidMemory.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from pyoxigraph import NamedNode

from marskg.clock import MAX_MS, MIN_MS
from marskg.json_object import MOST, JsonObject
from marskg.late_regex import late_regex
from marskg.ontology.fields import (
    ENTITY_FIELDS,
    MEMORY_FIELDS,
    PAYLOAD_FIELDS,
    PREFERENCE_FIELDS,
    TOMBSTONE_FIELDS,
    Field,
)
from marskg.ontology.vocabulary import (
    ACYCLIC,
    CONTENT_TIERS,
    ENTITY_EDGES,
    TOMBSTONE_EDGES,
    Datatype,
    EdgeType,
    Kind,
    TaskStatus,
    Tier,
)
from marskg.records import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from marskg.records import Edge, Entity, Memory, Preference
    from marskg.shapes.catalogue import Breach

#: The one form of the id of a memory, an entity or a preference.
NODE_ID_PATTERN: Final = r"urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
NODE_ID: Final = late_regex(NODE_ID_PATTERN + r"\Z")
_NAME_GIVEN: Final = late_regex(NODE_ID_PATTERN + " (?:name|iri) ")
#: The shape of a memory as such, which states the form of its id.
NODE_SHAPE: Final = "Memory"
_MICRO = 1_000_000


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """What the gate must know about the end of an edge: read by the store in the transaction of the write.

    ``kind`` is None for an entity. ``tenant`` may be left out where the statement that read the facts was bound to the
    memory's own tenant. ``reaches`` says that derivesFrom, dependsOn, supersedes and requires lead from this node back
    to the memory that is written. ``previous`` and ``next`` are the ids of its neighbours by temporalNext, and with
    ``session`` and ``valid_from`` are asked for at the end of a temporalNext only.
    """

    kind: Kind | None
    tier: Tier | None = Tier.LIVE
    has_content: bool = True
    tenant: str | None = None
    reaches: bool = False
    session: str | None = None
    valid_from: int | None = None
    previous: tuple[str, ...] = ()
    next: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Return whether this is a memory that has its content."""
        return self.kind is not None and self.has_content and self.tier in CONTENT_TIERS


def check_memory(memory: Memory, edges: Iterable[Edge], targets: Mapping[str, NodeFacts]) -> list[Finding]:
    """Return what storing ``memory`` with its outgoing ``edges`` would break; an empty list lets it pass.

    Args:
        memory: the node as it would stand after the write.
        edges: all edges that would lead out of it, the old ones too.
        targets: the facts about the ends of the edges by their ids, the memory itself included where an edge leads to
            it. An id that is missing here does not exist; one of another tenant counts as missing.
    """
    broken = _field_rules(memory)
    broken += _tier_rules(memory)
    unknown = _payload_rules(memory, broken)
    found: list[Breach] = []
    outgoing = tuple(edges)
    if outgoing:
        known = _of_tenant(targets, memory.tenant)
        if memory.tier not in CONTENT_TIERS and any(edge.type not in TOMBSTONE_EDGES for edge in outgoing):
            broken.append("TombstoneEdges")
        for edge in outgoing:
            broken += _edge_rules(memory, edge, known.get(edge.target))
            found += _edge_node_rules(edge)
        following = [edge.target for edge in outgoing if edge.type is EdgeType.TEMPORAL_NEXT]
        if following:
            found += _chain_rules(memory.id, facts_of(memory), following, known)
    if not broken and not found and not unknown:
        return []
    return [*_findings([*found, *((memory.id, name) for name in broken)]), *unknown]


def check_chain(
    episode: str, facts: NodeFacts, following: Sequence[str], targets: Mapping[str, NodeFacts]
) -> list[Finding]:
    """Return what ``temporalNext`` from an episode to ``following`` would break; only facts about it are known."""
    return _findings(found) if (found := _chain_rules(episode, facts, following, targets)) else []


def facts_of(memory: Memory) -> NodeFacts:
    """Return the facts about a memory as the end of an edge, besides what others' edges make of it."""
    has_content = memory.content is not None
    return NodeFacts(
        kind=memory.kind,
        tier=memory.tier,
        has_content=has_content,
        session=memory.session if has_content else None,
        valid_from=memory.valid_from,
    )


def check_entity(entity: Entity, edges: Iterable[Edge], targets: Mapping[str, NodeFacts]) -> list[Finding]:
    """Return what storing ``entity`` with its outgoing ``edges`` would break; see :func:`check_memory`."""
    broken = [] if NODE_ID.match(entity.id) else ["Entity"]
    broken += [rule.shape for rule in _ENTITY_RULES if rule.broken_by(getattr(entity, rule.name))]
    known = _of_tenant(targets, entity.tenant)
    found: list[Breach] = []
    for edge in edges:
        facts = known.get(edge.target)
        if edge.type not in ENTITY_EDGES:
            broken.append("TaskEdges" if edge.type in _TASK_EDGES else "EdgeStart")
        elif facts is None or facts.kind is not None:
            broken.append(f"EdgeEnd-{edge.type}")
        found += _edge_node_rules(edge)
    return _findings([*found, *((entity.id, name) for name in broken)]) if broken or found else []


def check_preference(preference: Preference) -> list[Finding]:
    """Return what storing ``preference`` would break; an empty list lets it pass."""
    broken = [] if NODE_ID.match(preference.id) else ["Preference"]
    broken += [rule.shape for rule in _PREFERENCE_RULES if rule.broken_by(getattr(preference, rule.name))]
    return _findings((preference.id, name) for name in broken) if broken else []


# --- Fields -----------------------------------------------------------------------------------------------------


def _absent(value: object) -> bool:
    """Return whether a field with ``value`` is not written at all."""
    return value is None or value is False or value == ()


def _is_string(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        return value.isascii() or bool(value.encode()) or not value
    except UnicodeEncodeError:
        return False


def _is_text(value: object) -> bool:
    """Return whether ``value`` is a string that is not blank."""
    return _is_string(value) and bool(str(value).strip())


def _is_time(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and MIN_MS <= value <= MAX_MS


def _in_order(first: object, second: object) -> bool:
    """Return whether two times are times, the first not after the second."""
    return _is_time(first) and _is_time(second) and first <= second  # type: ignore[operator]  # both are int by now


def _is_integer(low: int, high: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _is_decimal(low: int, high: int) -> Callable[[object], bool]:
    """Return a check of the value that would be stored: decimals are quantised to 1e-6 where they are not exact."""
    least, most = low * _MICRO, high * _MICRO

    def check(value: object) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or not math.isfinite(value):
            return False
        return least <= round(value * _MICRO) <= most

    return check


def is_iri(value: object) -> bool:
    """Return whether a value is an absolute IRI (RFC 3987, section 2.2): what reads our N-Triples takes no other."""
    if not _is_string(value):
        return False
    try:
        NamedNode(str(value))
    except ValueError:
        return False
    return True


def _each(check: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, tuple) and all(check(item) for item in value)


_TEXTS = frozenset({"content", "key", "name"})


def _value_check(spec: Field) -> Callable[[object], bool]:
    """Return the check of one value of a field."""
    if spec.term is not None:
        terms = frozenset(spec.term)
        return lambda value: value in terms
    checks: dict[Datatype, Callable[[object], bool]] = {
        Datatype.STRING: _is_text if spec.name in _TEXTS else _is_string,
        Datatype.INTEGER: _is_integer(spec.low, spec.high),
        Datatype.DECIMAL: _is_decimal(spec.low, spec.high),
        Datatype.DATETIME: _is_time,
        Datatype.BOOLEAN: lambda value: isinstance(value, bool),
        Datatype.IRI: is_iri,
        Datatype.JSON: lambda value: isinstance(value, JsonObject),
    }
    check = checks[spec.datatype]
    return _each(check) if spec.many else check


@dataclass(frozen=True, slots=True)
class _FieldRule:
    """A field's name, the shape that states its rule, and the check of its value."""

    name: str
    shape: str
    check: Callable[[object], bool]
    required: bool = False

    def broken_by(self, value: object) -> bool:
        """Return whether a record may not have ``value`` here; None, False and the empty set are absent."""
        if _absent(value):
            return self.required
        return not self.check(value)


def _field_rule(owner: str, spec: Field) -> _FieldRule:
    """Return the rule of a field, which the shape named after its owner states."""
    return _FieldRule(spec.name, f"{owner}-{spec.local}", _value_check(spec), required=spec.required)


_MEMORY_RULES = tuple(
    _field_rule(spec.only.label if spec.only else "Memory", spec) for spec in MEMORY_FIELDS if spec.name != "tier"
)
_KEPT_RULES = tuple(rule for rule in _MEMORY_RULES if rule.name in {spec.name for spec in TOMBSTONE_FIELDS})
_ENTITY_RULES = tuple(_field_rule("Entity", spec) for spec in ENTITY_FIELDS)
_PREFERENCE_RULES = tuple(_field_rule("Preference", spec) for spec in PREFERENCE_FIELDS)
_PAYLOAD_RULES = {
    spec.name: (kind, _field_rule(kind.label, spec)) for kind, specs in PAYLOAD_FIELDS.items() for spec in specs
}


def _field_rules(memory: Memory) -> list[str]:
    """Return the shapes of the common fields that are broken; without content, of the fields that are still written."""
    broken = [] if NODE_ID.match(memory.id) else [NODE_SHAPE]
    get = memory.__getattribute__
    for rule in _KEPT_RULES if memory.content is None else _MEMORY_RULES:
        value = get(rule.name)
        # As broken_by, without a call for each of the many absent fields.
        if value is None or value is False or value == ():
            if rule.required:
                broken.append(rule.shape)
        elif not rule.check(value):
            broken.append(rule.shape)
    if memory.valid_to is not None and not _in_order(memory.valid_from, memory.valid_to):
        broken.append("Memory-validity")
    if memory.superseded_at is not None and not _in_order(memory.created, memory.superseded_at):
        broken.append("Memory-supersession")
    if memory.names_given and not all(map(_NAME_GIVEN.match, memory.names_given)):
        broken.append("Memory-namesGiven")
    if memory.content is not None and (memory.key is None) != (memory.cardinality is None):
        broken.append("Key-key" if memory.key is None else "Key-cardinality")
    return broken


def _payload_rules(memory: Memory, broken: list[str]) -> list[Finding]:
    """Add the shapes of the payload that are broken; return findings on fields that no kind has."""
    if memory.content is None:
        return []
    unknown = []
    owners = set()
    for name, value in memory.payload.items():
        if _absent(value):
            continue
        if name not in _PAYLOAD_RULES:
            unknown.append(_unknown_field(memory.id, name))
            continue
        owner, rule = _PAYLOAD_RULES[name]
        owners.add(owner)
        if not rule.check(value):
            broken.append(rule.shape)
    if memory.kind is Kind.TASK:
        if memory.status is None:
            broken.append("TaskState")
    elif memory.status is not None or memory.priority is not None or memory.deadline is not None:
        owners.add(Kind.TASK)
    broken += [owner.label for owner in owners if owner is not memory.kind]
    return unknown


def _unknown_field(node: str, name: str) -> Finding:
    known = ", ".join(_PAYLOAD_RULES)
    return Finding("payload", node, f"Payload: no kind of memory has a field {name!r}. Use one of: {known}.")


# --- Tiers ------------------------------------------------------------------------------------------------------


def _tier_rules(memory: Memory) -> list[str]:
    if memory.tier in CONTENT_TIERS:
        return [] if memory.content is not None and _weighs(memory.weight) else ["Whole"]
    broken = []
    if memory.tier is not Tier.TOMBSTONE:
        broken.append("Tier")
    if memory.tier is not Tier.TOMBSTONE or _weighs(memory.weight):
        broken.append("Whole")
    if memory.content is not None:
        broken.append("TombstoneFields")
    return broken


_weighs = _is_integer(1, MOST)


# --- Edges ------------------------------------------------------------------------------------------------------

_TASK_EDGES = frozenset({EdgeType.REQUIRES, EdgeType.LOST_PREREQUISITE})
_CLOSED = frozenset({TaskStatus.DONE, TaskStatus.CANCELLED})


def _of_tenant(targets: Mapping[str, NodeFacts], tenant: str) -> dict[str, NodeFacts]:
    """Return the facts about nodes of one tenant: those of another do not exist for it (I8)."""
    return {node: facts for node, facts in targets.items() if facts.tenant is None or facts.tenant == tenant}


def _edge_rules(memory: Memory, edge: Edge, facts: NodeFacts | None) -> list[str]:
    """Return the shapes that one edge breaks."""
    broken = []
    if edge.type in ACYCLIC and (edge.target == memory.id or (facts is not None and facts.reaches)):
        broken.append(f"Acyclicity-{edge.type}")
    if not _end_exists(memory, edge.type, facts):
        broken.append(_END_SHAPES.get(edge.type) or f"EdgeEnd-{edge.type}")
    if edge.type in _TASK_EDGES and memory.kind is not Kind.TASK:
        broken.append("TaskEdges")
    active = memory.content is not None and memory.status is not None and memory.status not in _CLOSED
    if active and edge.type is EdgeType.REQUIRES and (facts is None or not facts.whole):
        broken.append("TaskSafety")
    return broken


_END_SHAPES = {EdgeType.DERIVES_FROM: "LinkClosure", EdgeType.DEPENDS_ON: "ContentClosure"}


def _end_exists(memory: Memory, type_: EdgeType, facts: NodeFacts | None) -> bool:
    """Return whether an edge ends at something that exists and is what the edge asks for."""
    if type_ is EdgeType.TEMPORAL_NEXT:
        return True  # the chain's own rules
    if type_ in _END_SHAPES and memory.content is None:
        return True  # a tombstone's sources may be gone
    if facts is None:
        return False
    if type_ is EdgeType.MENTIONS:
        return facts.kind is None
    if type_ is EdgeType.DEPENDS_ON:
        return facts.whole
    if type_ is EdgeType.ATTACHES_TO_GOAL:
        return facts.kind is Kind.TASK
    return facts.kind is not None


def _edge_node_rules(edge: Edge) -> list[Breach]:
    """Return what an edge breaks where it is written as a node of its own."""
    broken = [] if _is_time(edge.created) else [(edge.iri, "Edge-created")]
    if edge.weight is not None and not _is_weight(edge.weight):
        broken.append((edge.iri, "Edge-edgeWeight"))
    return broken


_is_weight = _is_decimal(-MOST, MOST)


def _chain_rules(
    episode: str, facts: NodeFacts, following: Sequence[str], known: Mapping[str, NodeFacts]
) -> list[Breach]:
    """Return what the temporalNext edges of an episode break (I6); an order that is wrong is the successor's."""
    after = {node: known.get(node) for node in following}
    there = {node: end for node, end in after.items() if end is not None}
    rules = {
        "TemporalChain": facts.whole and facts.kind is Kind.EPISODIC,
        "TemporalChain-temporalNext": len(after) == 1
        and all(end is not None and end.whole and end.kind is Kind.EPISODIC for end in after.values()),
        "TemporalChain-predecessor": {node for end in there.values() for node in end.previous} <= {episode},
        "TemporalChain-session": {end.session for end in there.values()} - {None} == {facts.session} - {None},
        "TemporalChain-loop": episode not in after and all(episode not in end.next for end in there.values()),
    }
    return [(episode, name) for name, kept in rules.items() if not kept] + [
        (node, "TemporalChain-order")
        for node, end in there.items()
        if facts.valid_from is not None and end.valid_from is not None and facts.valid_from > end.valid_from
    ]


def _findings(breaches: Iterable[Breach]) -> list[Finding]:
    """Return the findings in the words of the shapes."""
    from marskg.shapes.catalogue import findings  # noqa: PLC0415 - brings rdflib, which a clean write does without

    return list(findings(breaches))
