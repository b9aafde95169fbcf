"""Ways of tampering with an audit exported as JSON-LD, without the signing key."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from marskg.audit.document import head_to_jsonld, record_to_jsonld
from marskg.ontology.vocabulary import NS, Operation
from tests.redteam.tampering import HARMLESS, LIMIT, Evidence, Way

if TYPE_CHECKING:
    from collections.abc import Callable

    Document = list[dict[str, Any]]

#: The record that most ways change, whose details are all there.
WHOLE = 4
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def edited(change: Callable[[Document, Evidence], object]) -> Callable[[Evidence], str]:
    """Change the document in place, or return another."""

    def run(audit: Evidence) -> str:
        document = audit.document
        made = change(document, audit)
        return json.dumps(made if isinstance(made, list) else document, ensure_ascii=False)

    return run


def text(old: str, new: str) -> Callable[[Evidence], str]:
    def run(audit: Evidence) -> str:
        assert old in audit.text
        return audit.text.replace(old, new, 1)

    return run


def context(*places: int, **terms: Any) -> Callable[[Evidence], str]:
    """Define terms otherwise in the contexts of these objects, both if none is named; None takes a term out."""

    def change(document: Document, _: Evidence) -> None:
        for place in places or (0, 1):
            for name, meaning in terms.items():
                if meaning is None:
                    del document[place]["@context"][name]
                else:
                    document[place]["@context"][name] = meaning

    return edited(change)


def whole_context(make: Callable[[dict[str, Any]], object]) -> Callable[[Evidence], str]:
    def change(document: Document, _: Evidence) -> None:
        for place in document:
            place["@context"] = make(place["@context"])

    return edited(change)


def record(**values: Any) -> Callable[[Evidence], str]:
    """Change a record of the log; a value of None goes."""
    return edited(lambda document, audit: put(of(document, audit, WHOLE), values))


def slot(index: int, **values: Any) -> Callable[[Evidence], str]:
    return edited(lambda document, audit: put(of(document, audit, WHOLE)["slot"][index], values))


def of(document: Document, audit: Evidence, name: int | str) -> dict[str, Any]:
    (found,) = (node for node in document[1]["@included"] if node["@id"] == f"{audit.log}#{name}")
    return found  # type: ignore[no-any-return]  # JSON


def put(node: dict[str, Any], values: dict[str, Any]) -> None:
    for name, value in values.items():
        node[name.replace("at_", "@")] = value
        if value is None:
            del node[name.replace("at_", "@")]


def beside(make: Callable[[Evidence], dict[str, Any]], place: int = 0) -> Callable[[Evidence], str]:
    """Put a node more into an object, the memories' unless the other is named."""
    return edited(lambda document, audit: document[place]["@included"].append(make(audit)))


def memory(**values: Any) -> Callable[[Evidence], str]:
    """Say more of the first memory."""
    return edited(lambda document, _: put(document[0]["@included"][0], values))


def about(audit: Evidence, name: str = f"#{WHOLE}", **values: Any) -> dict[str, Any]:
    return {"@type": ["Memory"], "@id": f"{audit.log}{name}", **values}


def drop(*names: str) -> Callable[[Evidence], str]:
    """Take entries of the log out, by the ends of their names."""

    def change(document: Document, audit: Evidence) -> None:
        gone = {f"{audit.log}#{name}" for name in names}
        kept = [node for node in document[1]["@included"] if node["@id"] not in gone]
        assert len(kept) == len(document[1]["@included"]) - len(names)
        document[1]["@included"] = kept

    return edited(change)


def keep(test: Callable[[Evidence, str, int, bool], bool]) -> Callable[[Evidence], str]:
    """Keep the entries that pass a test of log, number or size, and whether they are a head."""

    def change(document: Document, audit: Evidence) -> None:
        def stays(node: dict[str, Any]) -> bool:
            log, _, name = node["@id"].partition("#")
            return test(audit, log, int(name.removeprefix("head-")), name.startswith("head-"))

        document[1]["@included"] = [node for node in document[1]["@included"] if stays(node)]

    return edited(change)


def foreign(document: Document, audit: Evidence) -> None:
    document[1]["@included"] += json.loads(audit.foreign)[1]["@included"]


def earlier(name: str) -> Callable[[Evidence], str]:
    """Put back a record as it was before an erasure or a sealing."""

    def change(document: Document, audit: Evidence) -> None:
        was, number = json.loads(audit.earlier), audit.named(name)
        of(document, audit, number)["slot"] = of(was, audit, number)["slot"]

    return edited(change)


def continued(*operations: Operation, strip: tuple[int, ...] = (), **details: Any) -> Callable[[Evidence], str]:
    """Add forged records and a forged head; strip the details of some records."""

    def change(document: Document, audit: Evidence) -> None:
        own = {"public_key": audit.mallory.public_key} if operations[0] in KEYED else {}
        added = [
            audit.forged(operation, len(audit.records) + place, **(own | details if place == 1 else {}))
            for place, operation in enumerate(operations, 1)
        ]
        for number in strip:
            for stripped in of(document, audit, number)["slot"]:
                put(stripped, dict.fromkeys(set(stripped) - {"@id", "commitment"}))
        document[1]["@included"] += [record_to_jsonld(made) for made in added]
        document[1]["@included"].append(head_to_jsonld(audit.forged_head([*audit.records, *added])))

    return edited(change)


def forged_head(document: Document, audit: Evidence) -> None:
    head = head_to_jsonld(audit.forged_head(list(audit.records)))
    put(of(document, audit, f"head-{len(audit.records)}"), head)


def moved(document: Document, audit: Evidence) -> None:
    """Put a record among the memories."""
    found = of(document, audit, WHOLE)
    document[1]["@included"].remove(found)
    document[0]["@included"].append(found)


def moved_behind(document: Document, audit: Evidence) -> Document:
    """Put a record among the memories, and these behind the audit."""
    moved(document, audit)
    return document[::-1]


def backwards(value: Any) -> Any:
    """Return JSON-LD with each set in its opposite order; what is the user's own JSON has lists."""
    if isinstance(value, list):
        return [backwards(item) for item in reversed(value)]
    if isinstance(value, dict):
        return {name: item if name == "metadata" else backwards(item) for name, item in value.items()}
    return value


KEYED = {Operation.OPEN_LOG, Operation.REPLACE_KEY, Operation.ROTATE_KEY}
NOT_OURS = "InvalidDocument"
JSON = [
    # What terms mean.
    Way("an operation means another", context(remember="mars:erase", erase="mars:remember"), NOT_OURS),
    Way("a tier means another", context(live="mars:tombstone"), NOT_OURS),
    Way("a field means another", context(reason="mars:rule", rule="mars:reason"), NOT_OURS),
    Way("a field means nothing", context(reason=None), "bad-document"),
    Way("a field is null", context(reason={"@id": None}), NOT_OURS),
    Way("a type means another", context(AuditRecord="mars:TreeHead"), NOT_OURS),
    Way("another datatype", context(sequence={"@id": "mars:sequence", "@type": "xsd:string"}), NOT_OURS),
    Way("no datatype", context(treeSize="mars:treeSize"), NOT_OURS),
    Way("a language of all texts", context(**{"@language": "en"}), NOT_OURS),
    Way("a language of a field", context(actor={"@id": "mars:actor", "@language": "en"}), NOT_OURS),
    Way("a direction of all texts", context(**{"@direction": "ltr"}), NOT_OURS),
    Way("another version", context(**{"@version": 1.0}), NOT_OURS),
    Way("a vocabulary for all else", context(**{"@vocab": NS}), NOT_OURS),
    Way("a base", context(**{"@base": "urn:x:"}), NOT_OURS),
    Way("an import", context(**{"@import": "https://x.example/"}), NOT_OURS),
    Way("no propagation", context(**{"@propagate": False}), NOT_OURS),
    Way("protected terms", context(**{"@protected": True}), NOT_OURS),
    Way("a term backwards", context(derivesFrom={"@reverse": "mars:derivesFrom", "@type": "@id"}), NOT_OURS),
    Way(
        "a term with a context",
        context(slot={"@id": "mars:slot", "@type": "@id", "@context": {"weight": None}}),
        NOT_OURS,
    ),
    Way(
        "a type with a context", context(AuditRecord={"@id": "mars:AuditRecord", "@context": {"actor": None}}), NOT_OURS
    ),
    Way("a term that nests", context(more="@nest"), NOT_OURS),
    Way("another name of a keyword", context(backwards="@reverse"), NOT_OURS),
    Way("a term as JSON", context(features={"@id": "mars:features", "@type": "@json"}), NOT_OURS),
    Way("a term as a list", context(slot={"@id": "mars:slot", "@type": "@id", "@container": "@list"}), NOT_OURS),
    Way("a term as an index", context(slot={"@id": "mars:slot", "@container": "@id"}), NOT_OURS),
    Way("another vocabulary", context(mars="https://x.example/ns#"), NOT_OURS),
    Way("no vocabulary", context(mars=None), NOT_OURS),
    Way("a prefix for the log", lambda a: context(ours=f"{a.log}#")(a), NOT_OURS),
    Way("a term more", context(good="mars:good"), NOT_OURS),
    Way("a context by name", whole_context(lambda _: "https://w3id.org/mars-kg/context.jsonld"), NOT_OURS),
    Way("a list of contexts", whole_context(lambda ours: [ours, {"reason": "mars:rule"}]), NOT_OURS),
    Way("no context", whole_context(lambda _: None), NOT_OURS),
    Way("the memories' context", context(0, remember="mars:erase"), NOT_OURS),
    Way("the audit's context", context(1, remember="mars:erase"), NOT_OURS),
    # Beside the audit.
    Way("a reason among the memories", beside(lambda a: about(a, reason="Alice asked for it")), "bad-document"),
    Way("a detail among the memories", beside(lambda a: about(a, f"#{WHOLE}.1", reason="x")), "bad-document"),
    Way("a memory's field of a record", beside(lambda a: about(a, content="x")), "bad-document"),
    Way("a type of a record", beside(about), "bad-document"),
    Way("of a head", beside(lambda a: about(a, "#head-4", content="x")), "bad-document"),
    Way("of the log", beside(lambda a: about(a, "", content="x")), "bad-document"),
    Way("of a fragment of the log", beside(lambda a: about(a, "#x", content="x")), "bad-document"),
    Way(
        "by another name of @id",
        beside(lambda a: {"id": f"{a.log}#{WHOLE}", "type": "Memory", "content": "x"}),
        "bad-document",
    ),
    Way("of a term", beside(lambda _: {"@id": "mars:erase", "sameAs": ["mars:remember"]}), "bad-document"),
    Way("of a term in full", beside(lambda _: {"@id": f"{NS}erase", "sameAs": [f"{NS}remember"]}), "bad-document"),
    Way("of a key", beside(lambda a: {"@id": a.records[0].signing_key, "content": "x"}), "bad-document"),
    Way(
        "a copy of a record",
        beside(lambda a: {**record_to_jsonld(a.records[3]), "@id": "urn:x:record"}),
        "bad-document",
    ),
    Way("a copy of a head", beside(lambda a: {**head_to_jsonld(a.newest), "@id": "urn:x:head"}), "bad-document"),
    Way("a forged record", beside(lambda a: record_to_jsonld(a.forged(Operation.EVICT))), "bad-document"),
    Way("a record among the memories", edited(moved), "bad-document"),
    Way("a record without a name", beside(lambda _: {"@type": "AuditRecord", "content": "x"}), "bad-document"),
    Way("a blank node", beside(lambda _: {"@id": "_:b", "@type": "AuditRecord"}), "bad-document"),
    Way("a memory that is a record", memory(at_type=["Memory", "Episodic", "AuditRecord"]), "bad-document"),
    Way("a memory that is a record, in full", memory(at_type=["Memory", f"{NS}AuditRecord"]), "bad-document"),
    Way("a memory with a leaf", memory(leafHash="0" * 64), "bad-document"),
    Way("a term written in full", memory(**{f"{NS}leafHash": "0" * 64}), "bad-document"),
    Way("a term written short", memory(**{"mars:leafHash": "0" * 64}), "bad-document"),
    Way("a type written in full", memory(**{TYPE: f"{NS}AuditRecord"}), "bad-document"),
    Way("backwards", lambda a: memory(at_reverse={"mars:memory": {"@id": f"{a.log}#4.1"}})(a), "bad-document"),
    Way("a node in a memory", lambda a: memory(derivesFrom=[about(a, reason="x")])(a), "bad-document"),
    Way("a node in an edge", lambda a: memory(mentions={"@id": f"{a.log}#4", "reason": "x"})(a), "bad-document"),
    Way("nodes in a memory", lambda a: memory(at_included=[about(a, reason="x")])(a), "bad-document"),
    Way("a graph in a memory", lambda a: memory(at_graph=[about(a, reason="x")])(a), "bad-document"),
    Way("a context in a memory", memory(at_context={"content": "mars:reason"}), "bad-document"),
    Way("two names of a node", lambda a: memory(id=f"{a.log}#4")(a), "bad-document"),
    Way("a nest in a memory", lambda a: memory(at_nest={"@id": f"{a.log}#4"})(a), "bad-document"),
    # Entries of the audit.
    Way("operation", record(operation="erase"), "bad-signature"),
    Way("operation by its whole name", record(operation=f"{NS}remember"), "bad-document"),
    Way("time", record(recordedAt="2020-01-01T00:00:00Z"), "bad-core"),
    Way("number", record(sequence="6"), "bad-document"),
    Way("a number as a number", record(sequence=4), "bad-document"),
    Way("a value object", record(leafHash={"@value": "0" * 64}), "bad-document"),
    Way("a type more", record(at_type=["AuditRecord", "Memory"]), "bad-document"),
    Way("an entry more", record(reason="x"), "bad-document"),
    Way("an unknown entry more", record(comment="x"), "bad-document"),
    Way("a context in a record", record(at_context={"operation": "mars:reason"}), "bad-document"),
    Way("an entry less", record(leafHash=None), "bad-document"),
    Way("no type", record(at_type=None), "bad-document"),
    Way("proof", record(proofValue="z1"), "bad-signature"),
    Way("leaf", record(leafHash="0" * 64), "bad-leaf"),
    Way("weight", slot(1, weight="300"), "slot-mismatch"),
    Way("a detail more", slot(1, reason="x"), "slot-mismatch"),
    Way("a node in a slot", slot(1, memory={"@id": "urn:x:y", "content": "x"}), "bad-document"),
    Way("commitment", slot(1, commitment="u" + "A" * 43), "bad-signature"),
    Way("salt", slot(1, salt="u" + "A" * 43), "slot-mismatch"),
    Way(
        "details",
        edited(lambda d, a: put(s := of(d, a, WHOLE)["slot"][1], dict.fromkeys(set(s) - {"@id", "commitment"}))),
        "slot-deleted",
    ),
    Way("erased details", earlier("~erased"), "erasure-undone"),
    Way("sealed details", earlier("2"), "seal-undone"),
    Way("a record less", drop(str(WHOLE)), "sequence-gap"),
    Way("a record twice", edited(lambda d, a: d[1]["@included"].append(of(d, a, WHOLE))), "duplicate"),
    Way("the last record less", lambda a: drop(str(len(a.records)), f"head-{len(a.records)}")(a), "missing-head"),
    Way("all heads less", keep(lambda _, __, ___, head: not head), "missing-head"),
    Way("all after six", keep(lambda a, log, at, _: log != a.log or at <= 6), "missing-head"),
    Way("all after the last stored head", keep(lambda a, log, at, _: log != a.log or at <= a.heads[-1].size), LIMIT),
    Way("the accesses but the first", keep(lambda a, log, at, _: log == a.log or at == 1), "missing-head"),
    Way("the accesses", keep(lambda a, log, _, __: log == a.log), "missing-log"),
    Way("a forged head over all", edited(forged_head), "unknown-key"),
    Way("log opened anew", continued(Operation.OPEN_LOG, Operation.EVICT), "key-announcement"),
    Way(
        "log opened anew, details stripped",
        continued(Operation.OPEN_LOG, strip=(4,), deleted_slots=("4.0", "4.1")),
        "key-announcement",
    ),
    Way("a lost key replaced", continued(Operation.REPLACE_KEY, Operation.EVICT), "lost-key"),
    Way("a rotation by the new key", continued(Operation.ROTATE_KEY), "unknown-key"),
    Way(
        "an erasure by another key", continued(Operation.ERASE, strip=(4,), deleted_slots=("4.0", "4.1")), "unknown-key"
    ),
    Way("another tenant's logs more", edited(foreign), "missing-log"),
    Way("another tenant's export", lambda a: a.foreign, LIMIT),
    # The document.
    Way("a memory among the entries", beside(lambda a: about(a, content="x"), 1), "bad-document"),
    Way("a third object", edited(lambda d, _: d.append(d[1])), NOT_OURS),
    Way("an object less", edited(lambda d, _: d[1:]), NOT_OURS),
    Way("a member more", edited(lambda d, _: d[1].update({"@graph": []})), NOT_OURS),
    Way("a name of the object", text('"@included"', '"@id":"urn:x:y","@included"'), NOT_OURS),
    Way("a name twice", text('"operation":', '"operation":"erase","operation":'), NOT_OURS),
    Way("not a number", text('"sequence":"1"', '"sequence":NaN'), NOT_OURS),
    Way("cut", lambda a: a.text[: len(a.text) // 2], NOT_OURS),
    Way("more behind it", lambda a: f"{a.text}{a.foreign}", NOT_OURS),
    Way("no array", lambda a: a.text.strip()[1:-1], NOT_OURS),
    Way("other white space", lambda a: json.dumps(a.document, indent=1), HARMLESS),
    Way("escaped letters", lambda a: re.sub("operator", r"\\u006fperator", a.text), HARMLESS),
    Way("everything in another order", edited(lambda d, _: backwards(d)), HARMLESS),
    Way("entries in another order", edited(lambda d, _: d[1]["@included"].reverse()), HARMLESS),
    Way("slots in another order", edited(lambda d, a: of(d, a, WHOLE)["slot"].reverse()), HARMLESS),
    Way("objects in another order", edited(lambda d, _: d[::-1]), HARMLESS),
    Way("a record among the memories, which come behind", edited(moved_behind), "bad-document"),
    Way("fewer terms, as of an older version", context(clause=None), HARMLESS),
]
