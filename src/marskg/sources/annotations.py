"""Typed facts that a chat line carries beside its text, as drafts.

Guarantees: an annotation is refused if it has a field, payload field, term or type that the vocabulary does not know,
or names a fact that no earlier line defined; what is accepted needs no model to be understood. Every fact derives
from the turn that carries it. The fields are the keyword arguments of ``remember`` (docs/how-to/import.md has a table).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from marskg.drafts import Draft, DraftAction, EntityRef, EntityRelation
from marskg.late_regex import late_regex
from marskg.ontology.fields import PAYLOAD_FIELDS, Field
from marskg.ontology.vocabulary import ENTITY_EDGES, Cardinality, Datatype, EdgeType, Kind, MemoryClass, TaskStatus
from marskg.sources import fields
from marskg.sources.fields import BadField

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from marskg.records import Value

#: The fields that each action takes.
_REMEMBER = frozenset(
    {
        "ref", "action", "kind", "content", "payload", "key", "cardinality", "subjects", "memory_class", "intent_tags",
        "metadata", "sensitivity", "reliability", "ttl", "expires_at", "pin", "status", "priority", "deadline", "at",
        "derives_from", "depends_on", "requires", "attaches_to_goal", "contradicts", "edges", "mentions", "relations",
    }
)  # fmt: skip
_ALLOWED: dict[DraftAction, frozenset[str]] = {
    "remember": _REMEMBER,
    "retract": frozenset({"ref", "action", "key", "content", "subjects"}),
    "close_task": frozenset({"ref", "action", "key", "status", "subjects"}),
}
_CLOSED = frozenset({TaskStatus.DONE, TaskStatus.CANCELLED})
#: Relations between facts that an annotation may state under ``edges``; the others have a field of their own.
_RELATIONS = ENTITY_EDGES
_TTL = late_regex(r"[1-9][0-9]{0,5}[smhdw]", re.ASCII)
_SAME_AS = late_regex(r"[a-z][a-z0-9+.-]*:[^\s<>\"{}|\\^`]+", re.ASCII | re.IGNORECASE)
#: Refs that the reader makes itself, for turns and for facts without a ref of their own.
OWN_PREFIX = "line:"


class Annotations:
    """Turns the annotations of one file's lines into drafts, in order; knows the refs defined so far."""

    def __init__(self) -> None:
        """Start without any ref."""
        self._refs: set[str] = set()

    def drafts(self, values: object, turn: Draft) -> list[Draft]:
        """Return the drafts of a line's annotations, which all derive from ``turn``.

        Raises:
            BadField: an annotation breaks a rule; no ref of this line is defined then.
        """
        made: list[Draft] = []
        known = set(self._refs)
        for number, value in enumerate(fields.as_list(values, "annotations"), 1):
            try:
                draft = _draft(fields.as_object(value, "annotations"), turn, f"{turn.ref}.{number}", known)
            except BadField as error:
                msg = f"annotation {number}: {error}"
                raise BadField(msg) from error
            made.append(draft)
            if draft.action == "remember":
                known.add(draft.ref)
        self._refs = known
        return made


def _draft(values: Mapping[str, Any], turn: Draft, own_ref: str, known: set[str]) -> Draft:
    action = _action(values)
    unknown = sorted(set(values) - _ALLOWED[action])
    if unknown:
        msg = f'"{unknown[0][:40]}" is no field of an annotation that is to {action}; correct or remove it'
        raise BadField(msg)
    ref = own_ref
    if "ref" in values:
        ref = fields.as_text(values["ref"], "ref")
        if ref.startswith((OWN_PREFIX, "urn:")) or ref in known:
            msg = f'"ref" is taken or starts with {OWN_PREFIX} or urn:; choose another name'
            raise BadField(msg)
    if action == "retract":
        return _retraction(values, turn, ref)
    if action == "close_task":
        return _closing(values, turn, ref)
    return _fact(values, turn, ref, known)


def _action(values: Mapping[str, Any]) -> DraftAction:
    given = values.get("action", "remember")
    for action in _ALLOWED:
        if action == given:
            return action
    msg = f'"action" is not one of {", ".join(_ALLOWED)}; use one of these'
    raise BadField(msg)


def _retraction(values: Mapping[str, Any], turn: Draft, ref: str) -> Draft:
    return Draft(
        ref=ref,
        action="retract",
        kind=Kind.SEMANTIC,
        content=_get(values, "content", fields.as_text, ""),
        at=turn.at,
        key=fields.as_text(fields.required(values, "key"), "key"),
        subjects=_get(values, "subjects", fields.as_texts, turn.subjects),
        session=turn.session,
        source_type=turn.source_type,
        source_ref=turn.source_ref,
        derives_from=(turn.ref,),
    )


def _closing(values: Mapping[str, Any], turn: Draft, ref: str) -> Draft:
    status = fields.as_term(values.get("status", TaskStatus.DONE), "status", TaskStatus)
    if status not in _CLOSED:
        msg = '"status" of a task that is closed is done or cancelled; use one of these'
        raise BadField(msg)
    return Draft(
        ref=ref,
        action="close_task",
        kind=Kind.TASK,
        content="",
        at=turn.at,
        status=status,
        key=fields.as_text(fields.required(values, "key"), "key"),
        subjects=_get(values, "subjects", fields.as_texts, turn.subjects),
        session=turn.session,
        source_type=turn.source_type,
        source_ref=turn.source_ref,
        derives_from=(turn.ref,),
    )


def _fact(values: Mapping[str, Any], turn: Draft, ref: str, known: set[str]) -> Draft:
    kind = fields.as_term(fields.required(values, "kind"), "kind", Kind)
    content = fields.as_text(fields.required(values, "content"), "content")
    key = _get(values, "key", fields.as_text, None)
    mentions = _mentions(values.get("mentions", []))
    return Draft(
        ref=ref,
        kind=kind,
        content=content,
        at=_get(values, "at", fields.as_moment, turn.at),
        payload=_payload(fields.as_object(values.get("payload", {}), "payload"), kind),
        key=key,
        cardinality=_cardinality(values, key),
        session=turn.session,
        subjects=_get(values, "subjects", fields.as_texts, turn.subjects),
        source_type=turn.source_type,
        source_ref=turn.source_ref,
        reliability=_share(values, "reliability"),
        sensitivity=_share(values, "sensitivity"),
        memory_class=_term(values, "memory_class", MemoryClass),
        intent_tags=_get(values, "intent_tags", fields.as_texts, ()),
        metadata=fields.as_json(values.get("metadata"), "metadata"),
        ttl=_ttl(values),
        expires_at=_get(values, "expires_at", fields.as_moment, None),
        pin=_get(values, "pin", fields.as_flag, False),  # noqa: FBT003 - the default of a field
        status=_status(values, kind),
        priority=_task_only(values, "priority", kind, fields.as_integer),
        deadline=_task_only(values, "deadline", kind, fields.as_moment),
        derives_from=(turn.ref, *_refs(values, "derives_from", known)),
        depends_on=_refs(values, "depends_on", known),
        requires=_requires(values, kind, known),
        attaches_to_goal=_refs(values, "attaches_to_goal", known),
        contradicts=_refs(values, "contradicts", known),
        edges=_edges(fields.as_object(values.get("edges", {}), "edges"), known),
        mentions=mentions,
        relations=_relations(values.get("relations", []), {entity.name for entity in mentions}),
    )


def _get(values: Mapping[str, Any], name: str, read: Callable[[object, str], Any], default: Any) -> Any:  # noqa: ANN401
    """Return the field ``name`` as ``read`` has it, or ``default``; the type is that of the two."""
    return read(values[name], name) if name in values else default


def _share(values: Mapping[str, Any], name: str) -> float | None:
    return fields.as_number(values[name], name, 0, 1) if name in values else None


def _term(values: Mapping[str, Any], name: str, terms: type[MemoryClass]) -> MemoryClass | None:
    return fields.as_term(values[name], name, terms) if name in values else None


def _cardinality(values: Mapping[str, Any], key: str | None) -> Cardinality | None:
    if "cardinality" not in values:
        return None if key is None else Cardinality.SINGLE
    if key is None:
        msg = '"cardinality" is of a "key"; add the key or remove the cardinality'
        raise BadField(msg)
    return fields.as_term(values["cardinality"], "cardinality", Cardinality)


def _ttl(values: Mapping[str, Any]) -> str | None:
    if "ttl" not in values:
        return None
    if "expires_at" in values:
        msg = '"ttl" and "expires_at" say the same; keep one of them'
        raise BadField(msg)
    ttl = fields.as_text(values["ttl"], "ttl")
    if not _TTL.fullmatch(ttl):
        msg = '"ttl" is a number with s, m, h, d or w; write it as 30d'
        raise BadField(msg)
    return ttl


def _status(values: Mapping[str, Any], kind: Kind) -> TaskStatus | None:
    if kind is not Kind.TASK:
        _task_only(values, "status", kind, fields.as_text)
        return None
    return fields.as_term(values.get("status", TaskStatus.OPEN), "status", TaskStatus)


def _task_only(values: Mapping[str, Any], name: str, kind: Kind, read: Callable[[object, str], int | str]) -> Any:  # noqa: ANN401
    if name not in values:
        return None
    if kind is not Kind.TASK:
        msg = f'"{name}" is for tasks; remove it or make the kind task'
        raise BadField(msg)
    return read(values[name], name)


def _requires(values: Mapping[str, Any], kind: Kind, known: set[str]) -> tuple[str, ...]:
    if "requires" in values and kind is not Kind.TASK:
        msg = '"requires" is for tasks; use "depends_on" or make the kind task'
        raise BadField(msg)
    return _refs(values, "requires", known)


def _refs(values: Mapping[str, Any], name: str, known: set[str]) -> tuple[str, ...]:
    refs = fields.as_texts(values[name], name) if name in values else ()
    for ref in refs:
        if ref not in known and not ref.startswith("urn:uuid:"):
            msg = f'"{name}" names a fact that no earlier line defines; give that fact this "ref" or correct the name'
            raise BadField(msg)
    return refs


def _edges(values: Mapping[str, Any], known: set[str]) -> tuple[tuple[EdgeType, str], ...]:
    found: list[tuple[EdgeType, str]] = []
    for name in values:
        type_ = _relation(name)
        found += [(type_, ref) for ref in _refs(values, name, known)]
    return tuple(found)


def _relation(name: object) -> EdgeType:
    for type_ in sorted(_RELATIONS):
        if type_ == name:
            return type_
    msg = f"a relation is one of {', '.join(sorted(_RELATIONS))}; use one of these"
    raise BadField(msg)


def _mentions(value: object) -> tuple[EntityRef, ...]:
    items = fields.as_list(value, "mentions")
    entities = [
        EntityRef(fields.as_text(item, "mentions")) if isinstance(item, str) else _entity(item) for item in items
    ]
    if len({entity.name for entity in entities}) != len(entities):
        msg = '"mentions" names one entity twice; keep one of them'
        raise BadField(msg)
    return tuple(entities)


def _entity(item: object) -> EntityRef:
    values = fields.as_object(item, "mentions")
    if set(values) - {"name", "entity_type", "aliases", "same_as"}:
        msg = '"mentions" have name, entity_type, aliases and same_as only; remove the others'
        raise BadField(msg)
    same_as = _get(values, "same_as", fields.as_texts, ())
    if not all(_SAME_AS.fullmatch(iri) for iri in same_as):
        msg = '"same_as" must hold absolute IRIs; write them as https://example.org/people#ada'
        raise BadField(msg)
    return EntityRef(
        name=fields.as_text(fields.required(values, "name"), "name"),
        entity_type=_get(values, "entity_type", fields.as_text, None),
        aliases=_get(values, "aliases", fields.as_texts, ()),
        same_as=same_as,
    )


def _relations(value: object, names: set[str]) -> tuple[EntityRelation, ...]:
    found = []
    for item in fields.as_list(value, "relations"):
        values = fields.as_object(item, "relations")
        if set(values) != {"source", "type", "target"}:
            msg = '"relations" have source, type and target; correct the fields'
            raise BadField(msg)
        if values["source"] not in names or values["target"] not in names or values["source"] == values["target"]:
            msg = '"relations" run between two different entities of "mentions"; name them there'
            raise BadField(msg)
        found.append(EntityRelation(values["source"], _relation(values["type"]), values["target"]))
    return tuple(found)


def _payload(values: Mapping[str, Any], kind: Kind) -> dict[str, Value]:
    specs = {spec.name: spec for spec in PAYLOAD_FIELDS[kind]}
    unknown = sorted(set(values) - set(specs))
    if unknown:
        msg = f'"{unknown[0][:40]}" is no payload field of kind {kind}; use {", ".join(specs)}'
        raise BadField(msg)
    return {name: _value(values[name], specs[name]) for name in specs if name in values}


def _value(value: object, spec: Field) -> Value:
    if spec.many:
        return tuple(sorted(fields.as_texts(value, spec.name)))
    if spec.datatype is Datatype.DATETIME:
        return fields.as_moment(value, spec.name)
    if spec.digits:
        return fields.as_exact(value, spec.name)
    if spec.datatype is Datatype.DECIMAL:
        return fields.as_number(value, spec.name, spec.low, spec.high)
    return fields.as_text(value, spec.name)
