"""The report on one subject as JSON-LD: loads in any RDF library, and has a SHACL shape of its own.

Guarantees: the context is in the document, so nothing is fetched; every term is the ontology's, DPV's or PROV-O's; each
node has an IRI. What a record of the log says stands under the record's own IRI, as in the log. A value is written as
exports write it, so that ``subject_report.ttl`` beside this module, the shape, holds it to the vocabulary's datatypes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from marskg.ontology.fields import MEMORY_FIELDS, PAYLOAD_FIELDS, PREFERENCE_FIELDS
from marskg.ontology.mapping import decimal_lexical, time_lexical
from marskg.ontology.vocabulary import NS, XSD, Datatype

if TYPE_CHECKING:
    from marskg.ontology.fields import Field
    from marskg.privacy.report.gather import Done, Held, Holdings, Shown
    from marskg.records import Preference

_FIELDS: Final = tuple(field for field in MEMORY_FIELDS if field.reported)
_DPV: Final = "https://w3id.org/dpv#"
_IDS: Final = (
    "log",
    "operation",
    "reportMemory",
    "reportEntity",
    "reportPreference",
    "disclosure",
    "lifeRecord",
    "derivesFrom",
    "slot",
    "memory",
)
_TEXTS: Final = ("reportSubject", "disclosedTo", "disclosedFor", "disclosedBy", "rule", "reason", "actor", "policy")
_TIMES: Final = ("recordedAt", "firstDisclosed", "lastDisclosed")
_NUMBERS: Final = ("disclosureCount", "otherSubjects", "withheldMemories")
_FLAGS: Final = ("withheldContent", "filedUnderSubject", "subjectSuppressed", "automatedDecision")
_CLASSES: Final = ("SubjectReport", "Disclosure", "AuditRecord", "Entity", "Memory", "Preference")


def _term(field: Field) -> dict[str, str]:
    if field.datatype is Datatype.JSON:
        return {"@id": f"mars:{field.local}", "@type": "@json"}
    kind = "@id" if field.datatype in {Datatype.TERM, Datatype.IRI} else f"{XSD}{field.datatype.value}"
    term = {"@id": f"mars:{field.local}"}
    if field.datatype is not Datatype.STRING:
        term["@type"] = kind
    return term


_CONTEXT: Final = {
    "@version": 1.1,
    "dpv": _DPV,
    "mars": NS,
    "id": "@id",
    "type": "@type",
    **{name: {"@id": f"mars:{name}"} for name in (*_CLASSES, *(kind.label for kind in PAYLOAD_FIELDS))},
    **{name: {"@id": f"mars:{name}", "@type": "@id"} for name in _IDS},
    **{name: {"@id": f"mars:{name}"} for name in (*_TEXTS, "name", "aliases", "entityType", "reportLine")},
    **{name: {"@id": f"mars:{name}", "@type": f"{XSD}dateTime"} for name in _TIMES},
    **{name: {"@id": f"mars:{name}", "@type": f"{XSD}integer"} for name in _NUMBERS},
    **{name: {"@id": f"mars:{name}", "@type": f"{XSD}boolean"} for name in _FLAGS},
    **{field.local: _term(field) for field in _FIELDS},
    **{field.local: _term(field) for fields in PAYLOAD_FIELDS.values() for field in fields},
    **{field.local: _term(field) for field in PREFERENCE_FIELDS},
    "hasRight": {"@id": "dpv:hasRight", "@type": "@id"},
}


def document(found: Holdings) -> dict[str, Any]:
    """Return the report as JSON-LD."""
    return {
        "@context": _CONTEXT,
        "id": found.id,
        "type": "SubjectReport",
        "hasRight": "https://w3id.org/dpv/legal/eu/gdpr#A15",
        "reportSubject": found.subject,
        "log": found.log,
        "recordedAt": time_lexical(found.made),
        "subjectSuppressed": found.suppressed,
        "policy": found.policy,
        "withheldMemories": sum(one.withheld for one in found.held),
        "reportEntity": [
            {
                "id": one.id,
                "type": "Entity",
                "name": one.name,
                **({"aliases": list(one.aliases)} if one.aliases else {}),
                **({"entityType": one.entity_type} if one.entity_type else {}),
            }
            for one in found.names
        ],
        "reportPreference": [_preference(item) for item in found.preferences],
        "reportMemory": [_memory(one) for one in found.held],
    }


def _preference(item: Preference) -> dict[str, Any]:
    said: dict[str, Any] = {"id": item.id, "type": "Preference"}
    for field in PREFERENCE_FIELDS:
        said |= _value(field, getattr(item, field.name))
    return said


def _memory(one: Held) -> dict[str, Any]:
    memory = one.memory
    said: dict[str, Any] = {"id": memory.id, "type": ["Memory", memory.kind.label]}
    for field in _FIELDS:
        said |= _value(field, getattr(memory, field.name))
    for field in PAYLOAD_FIELDS[memory.kind]:
        said |= _value(field, memory.payload.get(field.name))
    said |= {"filedUnderSubject": one.filed, "withheldContent": one.withheld, "otherSubjects": one.others}
    if one.lines:
        said["reportLine"] = list(one.lines)
    if one.sources:
        said["derivesFrom"] = list(one.sources)
    if one.shown:
        said["disclosure"] = [_disclosure(memory.id, place, shown) for place, shown in enumerate(one.shown, 1)]
    if one.done:
        said["lifeRecord"] = [_record(done) for done in one.done]
    return said


def _value(field: Field, value: Any) -> dict[str, Any]:  # noqa: ANN401 - as many types as fields
    if value is None or value == ():
        return {}
    return {field.local: [_lexical(field, item) for item in value] if field.many else _lexical(field, value)}


def _lexical(field: Field, value: Any) -> Any:  # noqa: ANN401 - as many types as fields
    if field.datatype is Datatype.JSON:
        return dict(value)
    if field.datatype is Datatype.DATETIME:
        return time_lexical(value)
    if field.datatype is Datatype.DECIMAL:
        return decimal_lexical(value)
    if field.datatype is Datatype.TERM:
        return f"{NS}{value}"
    return value if isinstance(value, bool) else str(value)


def _disclosure(ident: str, place: int, one: Shown) -> dict[str, Any]:
    return {
        "id": f"{ident}#disclosure-{place}",
        "type": "Disclosure",
        "disclosedTo": one.by,
        **({"disclosedFor": one.purpose} if one.purpose is not None else {}),
        "disclosedBy": one.call,
        "disclosureCount": one.times,
        "firstDisclosed": time_lexical(one.first),
        "lastDisclosed": time_lexical(one.last),
    }


def _record(one: Done) -> dict[str, Any]:
    slot = {name: value for name, value in (("rule", one.rule), ("reason", one.reason)) if value is not None}
    return {
        "id": one.record,
        "type": "AuditRecord",
        "operation": f"{NS}{one.operation}",
        "recordedAt": time_lexical(one.at),
        "automatedDecision": one.automated,
        **({"slot": {"id": f"{one.record}.1", **slot}} if slot else {}),
    }
