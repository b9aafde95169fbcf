"""Records and heads as documents, and the verification of an exported file alone."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING, Any

import pytest

from marskg.audit.document import (
    LineReader,
    head_from_jsonld,
    head_lines,
    head_to_jsonld,
    record_from_jsonld,
    record_lines,
    record_to_jsonld,
)
from marskg.audit.exported import ExportedAudit
from marskg.audit.verify_export import verify_export
from marskg.errors import InvalidDocument
from marskg.ontology.mapping import memory_lines
from marskg.ontology.vocabulary import Operation
from tests.unit.audit.world import Alice, World, codes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CONTEXT = json.loads((resources.files("marskg.ontology") / "context.jsonld").read_text("utf-8"))["@context"]


def erased() -> Alice:
    """A world with an erasure in it, and heads over everything."""
    world = Alice()
    world.erase(world.fact)
    world.head()
    world.head(world.accesses)
    return world


def jsonld(world: World) -> list[dict[str, Any]]:
    """The shape of an export with an audit."""
    entries = [record_to_jsonld(record) for record in world.records + world.accesses]
    entries += [head_to_jsonld(head) for head in world.heads]
    memories = [{"id": node.value.id, "type": ["Memory", "Episodic"]} for node in world.nodes.values()]
    return [{"@context": CONTEXT, "@included": memories}, {"@context": CONTEXT, "@included": entries}]


def lines(world: World) -> list[str]:
    found = [line for node in world.nodes.values() for line in memory_lines(node.value, node.edges)]
    for record in world.records + world.accesses:
        found += record_lines(record)
    for head in world.heads:
        found += head_lines(head)
    return found


def reordered(value: Any, order: Callable[[list[Any]], list[Any]]) -> Any:
    """Return JSON-LD that says the same: its arrays are sets, in the contexts there are none."""
    if isinstance(value, list):
        return order([reordered(item, order) for item in value])
    if isinstance(value, dict):
        return {name: reordered(item, order) for name, item in value.items()}
    return value


def backwards(document: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the whole document with each set in its opposite order."""
    made: list[dict[str, Any]] = reordered(document, lambda items: items[::-1])
    return made


def saved(folder: Path, document: object, indent: int | None = None) -> Path:
    path = folder / "export"
    text = "\n".join(document) + "\n" if isinstance(document, list) and isinstance(document[0], str) else None
    path.write_text(text or json.dumps(document, ensure_ascii=False, indent=indent), encoding="utf-8")
    return path


def test_entries_come_back_from_json_and_from_lines() -> None:
    world = erased()
    rng = random.Random(7)
    for record in world.records + world.accesses:
        bare = replace(record, tenant="")
        assert record_from_jsonld(json.loads(json.dumps(record_to_jsonld(record)))) == bare
        assert record_from_jsonld(record_to_jsonld(record), world.tenant) == record
        shuffled = record_lines(record)
        rng.shuffle(shuffled)
        reader = LineReader()
        for line in shuffled:
            reader.add(line + "\n")
        assert [reader.record(iri) for iri in reader.record_iris()] == [bare]
    for head in world.heads:
        assert head_from_jsonld(head_to_jsonld(head), world.tenant) == head


@pytest.mark.parametrize("indent", [None, 2])
def test_an_exported_audit_verifies_alone(tmp_path: Path, indent: int | None) -> None:
    world = erased()
    report = verify_export(saved(tmp_path, jsonld(world), indent), witness=world.heads)
    assert (report.findings, report.checked) == ((), len(world.records) + len(world.accesses))


def test_an_audit_in_lines_of_any_order_verifies_alone(tmp_path: Path) -> None:
    world = erased()
    for made in (lines(world), sorted(lines(world))):
        report = verify_export(saved(tmp_path, made), trusted_keys={world.first_key})
        assert (report.findings, report.checked) == ((), len(world.records) + len(world.accesses))


@pytest.mark.parametrize("seed", range(3))
def test_an_audit_in_json_of_any_order_verifies_alone(tmp_path: Path, seed: int) -> None:
    world = erased()
    world.append(Operation.SET_BUDGET, record={"parameters": ("a=1", "b=2", "c=3"), "counts": ("x", "y")})
    world.head()
    report = verify_export(saved(tmp_path, jsonld(world)), witness=world.heads)
    assert (report.findings, report.checked) == ((), len(world.records) + len(world.accesses))
    rng = random.Random(seed)
    made = reordered(jsonld(world), lambda items: rng.sample(items, len(items)))
    assert made != jsonld(world)
    assert verify_export(saved(tmp_path, made), witness=world.heads) == report


def test_a_clock_put_back_is_explained_in_any_order(tmp_path: Path) -> None:
    world = World()
    if world.log < world.access_log:  # by its name the log that is explained comes before the one that explains it
        world.log, world.access_log = world.access_log, world.log
        world.records, world.accesses = world.accesses, world.records
    world.now += 10**6
    world.access()
    world.now -= 10**5
    world.append(Operation.CONFIRM_CLOCK)
    world.access()
    world.head()
    world.head(world.accesses)
    assert world.verify().ok
    for made in (jsonld(world), backwards(jsonld(world)), lines(world), lines(world)[::-1]):
        assert verify_export(saved(tmp_path, made)).findings == ()


def test_a_large_export_is_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("marskg.audit.exported._BLOCK", 7)
    document = jsonld(erased())
    document[0]["@included"][0]["content"] = "Grüße: 雨 and 🌧"  # a letter is one byte or several
    for made in (document, backwards(document)):
        assert verify_export(saved(tmp_path, made, indent=1)).ok
        path = saved(tmp_path, made, indent=1)
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        assert verify_export(path).ok


def test_an_export_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, jsonld(erased()))
    audit = ExportedAudit(path)
    for text in ("", "\xff" * path.stat().st_size, "1" * path.stat().st_size):
        path.write_text(text, encoding="latin-1")
        with pytest.raises(InvalidDocument, match="changed while it was read"):
            list(audit.records())


@pytest.mark.parametrize("make", [lines, jsonld])
def test_a_record_of_many_slots_is_sound(tmp_path: Path, make: Callable[[World], list[Any]]) -> None:
    world = World()
    world.access(*["urn:uuid:01920000-0000-7000-8000-000000000001"] * 10_000)
    world.head()
    world.head(world.accesses)
    assert verify_export(saved(tmp_path, make(world))).ok


def entry(document: list[dict[str, Any]], position: int = 4) -> dict[str, Any]:
    found: dict[str, Any] = document[1]["@included"][position]
    return found


def put(**values: Any) -> Callable[[list[dict[str, Any]]], None]:
    return lambda document: entry(document).update(values)


def slot(**values: Any) -> Callable[[list[dict[str, Any]]], None]:
    return lambda document: entry(document)["slot"][1].update(values)


def head(**values: Any) -> Callable[[list[dict[str, Any]]], None]:
    return lambda document: entry(document, -1).update(values)


def graph(document: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = document[1]["@included"]
    return found


CHANGES: list[tuple[str, Callable[[list[dict[str, Any]]], object], str]] = [
    ("unknown entry", put(comment="x"), "bad-document"),
    ("missing entry", lambda d: entry(d).pop("leafHash"), "bad-document"),
    ("another type", put(**{"@type": ["AuditRecord"]}), "bad-document"),
    ("no type", lambda d: graph(d).append({"@id": "urn:x:a"}), "bad-document"),
    ("another id", put(**{"@id": "urn:x:a"}), "bad-document"),
    ("a number", put(sequence=4), "bad-document"),
    ("a number with a zero", put(sequence="04"), "bad-document"),
    ("a huge number", put(sequence="9" * 30), "bad-document"),
    ("a time with an offset", put(recordedAt="2025-06-15T15:06:40+00:00"), "bad-document"),
    ("an unknown operation", put(operation="forgive"), "bad-document"),
    ("slots that are none", put(slot=["x"]), "bad-document"),
    ("no slots", put(slot=[]), "bad-document"),
    ("slot of an unknown entry", slot(comment="x"), "bad-document"),
    ("slot of a wrong number", slot(**{"@id": "urn:x:a"}), "bad-document"),
    ("slot's value a list", slot(weight=["4"]), "bad-document"),
    ("slot's list empty", slot(features=[]), "bad-document"),
    ("slot's list with a value twice", slot(features=["a", "a"]), "bad-document"),
    ("slot's value no string", slot(weight=4), "bad-document"),
    ("slot's value not canonical", slot(weight="+4"), "bad-document"),
    ("slot's salt empty", slot(salt=""), "bad-document"),
    ("slot's salt missing", lambda d: entry(d)["slot"][1].pop("salt"), "bad-document"),
    ("slot's commitment missing", lambda d: entry(d)["slot"][1].pop("commitment"), "bad-document"),
    ("slot's detail edited", slot(weight="5"), "slot-mismatch"),
    ("slot's detail added", slot(reason="x"), "slot-mismatch"),
    ("details deleted", lambda d: _delete_details(entry(d)["slot"][1]), "slot-deleted"),
    ("record edited", put(operation="amend"), "bad-signature"),
    ("record's proof edited", put(proofCreated="2025-06-15T15:06:49Z"), "bad-core"),
    ("record's leaf edited", put(leafHash="x"), "bad-leaf"),
    ("record deleted", lambda d: graph(d).pop(3), "sequence-gap"),
    ("record twice", lambda d: graph(d).insert(3, entry(d)), "duplicate"),
    ("slot twice", lambda d: entry(d)["slot"].append(entry(d)["slot"][1]), "bad-document"),
    ("slot less", lambda d: entry(d)["slot"].pop(0), "bad-document"),
    ("numbers of slots swapped", lambda d: _swap_numbers(*entry(d)["slot"]), "bad-document"),
    ("head's entry missing", lambda d: entry(d, -1).pop("rootHash"), "bad-document"),
    ("head's size not canonical", head(treeSize="-0"), "bad-document"),
    ("head's id another", head(**{"@id": "urn:x:a"}), "bad-document"),
    ("head's root no hash", head(rootHash="u"), "bad-document"),
    ("head's time edited", head(recordedAt="2025-06-15T15:06:49Z"), "bad-head"),
]


def _delete_details(values: dict[str, Any]) -> None:
    for name in set(values) - {"@id", "commitment"}:
        del values[name]


def _swap_numbers(first: dict[str, Any], second: dict[str, Any]) -> None:
    first["@id"], second["@id"] = second["@id"], first["@id"]


@pytest.mark.parametrize(("change", "code"), [case[1:] for case in CHANGES], ids=[case[0] for case in CHANGES])
def test_a_changed_entry_is_found(tmp_path: Path, change: Callable[[list[dict[str, Any]]], object], code: str) -> None:
    document = jsonld(erased())
    change(document)
    assert code in codes(verify_export(saved(tmp_path, document)))
    assert code in codes(verify_export(saved(tmp_path, backwards(document))))


LINE_CHANGES: list[tuple[str, Callable[[str], str], str]] = [
    ("a statement more", lambda t: re.sub(r"(<\S+#4>) ", r"\1 <urn:x:p> <urn:x:o> .\n\1 ", t, count=1), "bad-document"),
    ("a statement twice", lambda t: re.sub(r"(<\S+#4> <.*\n)", r"\1\1", t, count=1), "bad-document"),
    (
        "a second leaf",
        lambda t: re.sub(r"(<\S+#4> <\S+leafHash>) .*\n", r'\g<0>\1 "x" .\n', t, count=1),
        "bad-document",
    ),
    ("a statement less", lambda t: re.sub(r"<\S+#4> <\S+leafHash> .*\n", "", t, count=1), "bad-document"),
    ("a commitment less", lambda t: re.sub(r"<\S+#4.1> <\S+commitment> .*\n", "", t, count=1), "bad-document"),
    ("a slot more", lambda t: re.sub(r"(<\S+#4)(> <\S+slot> ).*\n", r"\g<0>\1\2\1.9> .\n", t, count=1), "bad-document"),
    ("an odd value", lambda t: re.sub(r"(<\S+#4> <\S+leafHash>) .*\n", r'\1 "x"@en .\n', t, count=1), "bad-document"),
    ("a detail edited", lambda t: t.replace('"fifo"', '"lru"'), "slot-mismatch"),
    ("a head less its root", lambda t: re.sub(r"<\S+#head-4> <\S+rootHash> .*\n", "", t), "bad-document"),
    ("a head and more", lambda t: re.sub(r"(<\S+#head-4>) ", r'\1 <urn:x:p> "x" .\n\1 ', t, count=1), "bad-document"),
    ("a record less", lambda t: re.sub(r"<\S+#4(\.\d)?> .*\n", "", t), "sequence-gap"),
]


@pytest.mark.parametrize(("change", "code"), [c[1:] for c in LINE_CHANGES], ids=[c[0] for c in LINE_CHANGES])
def test_a_changed_line_is_found(tmp_path: Path, change: Callable[[str], str], code: str) -> None:
    path = saved(tmp_path, lines(erased()))
    honest = path.read_text(encoding="utf-8")
    tampered = change(honest)
    assert tampered != honest
    path.write_text(tampered, encoding="utf-8")
    assert code in codes(verify_export(path))


BROKEN: list[tuple[str, Callable[[str], str], str]] = [
    ("empty", lambda _: "", "no JSON-LD or N-Quads"),
    ("prose", lambda _: "dear diary", "no JSON-LD or N-Quads"),
    ("without an audit", lambda _: '{"@context":{},"@included":[]}', "export it with --audit"),
    ("cut short", lambda text: text[: len(text) // 2], "cut short"),
    ("cut at its end", lambda text: text[:-1], "is missing"),
    ("followed by something", lambda text: text + "[]", "something after its end"),
    ("an entry twice in an object", lambda text: text.replace('"log":', '"sequence":"1","log":', 1), "entry twice"),
    ("not a number", lambda text: text.replace('"sequence": "1"', '"sequence": NaN', 1), "NaN"),
    ("another shape", lambda text: text.replace('"@included"', '"@graph"', 1), "no @included"),
    ("an entry that is no object", lambda text: text.replace('"@included": [', '"@included": ["x", ', 1), "no object"),
    (
        "nested too deeply",
        lambda text: text.replace('"@included": [', '"@included": [' + "[" * 100_000, 1),
        "too deeply",
    ),
    ("a term of another meaning", lambda text: text.replace("mars:salt", "mars:pepper"), "not the one of an export"),
    ("a vocabulary for all else", lambda text: text.replace('"mars":', '"@vocab": "urn:x:", "mars":'), "not the one"),
    ("a context by name", lambda _: '[{"@context":"https://x.example/","@included":[]}]', "not the one of an export"),
]


@pytest.mark.parametrize(("change", "message"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_file_that_is_no_export_is_refused(tmp_path: Path, change: Callable[[str], str], message: str) -> None:
    path = saved(tmp_path, jsonld(Alice()))
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(InvalidDocument, match=message):
        verify_export(path)


@pytest.mark.parametrize("data", [b"\xff\xfe[", b"[\xff", b"<urn:x:a>\n\xff"])
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "export"
    path.write_bytes(data)
    with pytest.raises(InvalidDocument, match="UTF-8"):
        verify_export(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidDocument, match="cannot be read"):
        verify_export(tmp_path / "nothing.jsonld")


def test_a_record_with_unsound_details_is_not_exported() -> None:
    record = Alice().records[3]
    with pytest.raises(InvalidDocument, match="no audit entry"):
        record_to_jsonld(replace(record, details=("nonsense", "nonsense")))
