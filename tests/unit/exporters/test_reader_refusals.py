"""Documents that are not loaded: each is refused by an error that names the file, the place and the way out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import InvalidDocument, InvalidInput, InvalidMemory
from marskg.exporters.rdf.jsonld import packaged_context
from marskg.exporters.rdf.reader import Export
from marskg.exporters.rdf.writer import Content, write_export
from marskg.ontology.vocabulary import CONTEXT_IRI, NS
from tests.support.exports import episodes, loaded_from, signed_log

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from marskg.exporters.rdf.reader import Loaded
    from marskg.records import Entity, Memory, Preference

Node = dict[str, Any]
FIRST, SECOND = [memory.id for memory, _ in episodes(2)]
XSD = "http://www.w3.org/2001/XMLSchema#"


def refused(path: Path, **options: Any) -> str:
    """Return what the refusal of ``path`` says; it must name the file and say what to do."""
    with pytest.raises(InvalidDocument) as caught:
        Export(path, tenant="alice", **options).close()
    message = str(caught.value)
    assert path.name in message
    assert ";" in message or "(" in message, "the way out is missing"
    assert "tomatoes" not in message, "content is in the message"
    return message


def document(tmp_path: Path) -> Node:
    """Return an export of two memories as JSON."""
    path = tmp_path / "good.jsonld"
    write_export(path, Content(episodes(2)))
    loaded: Node = json.loads(path.read_bytes())
    return loaded


def saved(tmp_path: Path, content: object, name: str = "bad.jsonld") -> Path:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


# --- Our own JSON-LD -------------------------------------------------------------------------------------------------


def test_the_untouched_document_is_read(tmp_path: Path) -> None:
    with Export(saved(tmp_path, document(tmp_path)), tenant="alice") as export:
        assert (export.holdings.memories, export.holdings.edges) == (2, 1)


def test_the_context_may_be_named_by_its_iri(tmp_path: Path) -> None:
    path = saved(tmp_path, {**document(tmp_path), "@context": CONTEXT_IRI})
    assert [loaded.node.id for loaded in loaded_from(path, tenant="alice")] == [FIRST, SECOND]


BAD_NODES: list[tuple[str, Node, str]] = [
    ("an unknown term", {"contnet": "x"}, "unknown term 'contnet' in urn:uuid:"),
    ("a term of another node", {"treeSize": "4"}, f"unknown term {NS}treeSize"),
    ("an unknown kind", {"@type": ["Memory", "Procedural"]}, "unknown term 'Procedural' as @type"),
    ("two kinds", {"@type": ["Memory", "Episodic", "Task"]}, "no kind, or several"),
    (
        "an unknown type",
        {"@type": ["Memory", "Episodic", "mars:Entity"]},
        "which is not one of the ontology's memories",
    ),
    ("no type", {"@type": []}, "no type"),
    ("a payload field of another kind", {"goal": "x"}, f"unknown term {NS}goal"),
    ("a number", {"weight": 4}, "the weight of urn:uuid"),
    ("a null", {"session": None}, "the session of urn:uuid"),
    ("a value object", {"session": {"@value": "s"}}, "the session of urn:uuid"),
    ("a relative id", {"@id": "memory-1"}, "the id of a node is a relative or broken IRI"),
    ("a blank node", {"@id": "_:b0"}, "the id of a node is a relative or broken IRI"),
    ("an IRI with a space", {"@id": "urn:uuid: x"}, "the id of a node is a relative or broken IRI"),
    ("a foreign id", {"@id": "https://example.org/1"}, "no urn:uuid: IRI in lower case"),
    ("a relative target", {"derivesFrom": ["x"]}, "the derivesFrom of urn:uuid"),
    ("a target that is no node", {"derivesFrom": ["https://example.org/x"]}, "without a urn:uuid: IRI"),
    ("a lone surrogate", {"content": "\ud83c"}, "the content of urn:uuid"),
    ("two values of one field", {"session": ["a", "b"]}, "two values of session"),
    ("NaN", {"sensitivity": "NaN"}, "sensitivity that is no decimal from 0 to 1"),
    ("infinity", {"reliability": "1e999"}, "reliability that is no decimal from 0 to 1"),
    ("a sensitivity above its range", {"sensitivity": "1.000001"}, "sensitivity that is no decimal from 0 to 1"),
    ("a sensitivity below its range", {"sensitivity": "-0.1"}, "sensitivity that is no decimal from 0 to 1"),
    ("a weight that no engine can store", {"weight": "9223372036854775808"}, "weight that is no integer"),
    ("an integer that no door carries", {"weight": str(2**53 + 1)}, "weight that is no integer from 0 to 9007"),
    ("an integer with a fraction", {"weight": "4.5"}, "weight that is no integer"),
    ("digits of another script", {"weight": "٣"}, "weight that is no integer"),
    ("a thousand digits", {"weight": "9" * 5000}, "weight that is no integer"),
    ("a time without a zone", {"validFrom": "2026-01-01T00:00:00"}, "validFrom that is no dateTime"),
    ("a day that is none", {"validFrom": "2026-02-30T00:00:00Z"}, "validFrom that is no dateTime"),
    ("a boolean that is none", {"pinned": "yes"}, "pinned that is no boolean"),
    ("an unknown tier", {"tier": "gone-fishing"}, "unknown term 'gone-fishing' as tier"),
    ("a term of another field", {"tier": "chat_user"}, "tier that is no term"),
    ("no content", {"content": []}, "no content although it is no tombstone"),
    ("no creation time", {"created": []}, "no created"),
    ("a tombstone with content", {"tier": "tombstone"}, "which a tombstone cannot keep"),
]


@pytest.mark.parametrize(("change", "expected"), [case[1:] for case in BAD_NODES], ids=[case[0] for case in BAD_NODES])
def test_a_bad_node_is_refused(tmp_path: Path, change: Node, expected: str) -> None:
    good = document(tmp_path)
    good["@graph"][0] |= change
    assert expected in refused(saved(tmp_path, good))


BAD_TEXTS: list[tuple[str, Callable[[str], str], str]] = [
    ("cut in a node", lambda text: text[: len(text) // 2 + 4000], "truncated"),
    ("cut after a node", lambda text: text[: text.rindex("}\n")], "truncated"),
    ("cut before the end", lambda text: text.rstrip()[:-1], "truncated"),
    ("cut in the context", lambda text: text[:300], "truncated"),
    ("something after the end", lambda text: f"{text}{{}}", "something follows the end"),
    (
        "a name twice",
        lambda text: text.replace('"session":"s0"', '"session":"x","session":"s0"', 1),
        "'session' stands twice",
    ),
    ("a broken number", lambda text: text.replace('"weight":"20"', '"weight":2O', 1), "not JSON"),
    ("an id twice, side by side", lambda text: text.replace(SECOND, FIRST), "ids are unique"),
    ("not UTF-8", lambda text: text, "UTF-8"),
    (
        "something beside context and graph",
        lambda text: text.replace('"@graph"', '"more":1,"@graph"', 1),
        "an export has @context, then its nodes; remove the rest",
    ),
    (
        "10,000 levels in a node",
        lambda text: text.replace('"s0"', "[" * 10_000 + "]" * 10_000, 1),
        "nested deeper than 64 levels",
    ),
    ("10,000 levels at the top", lambda _: "[" * 10_000 + "]" * 10_000, "nested deeper than 64 levels"),
    ("10,000 levels in the context", lambda _: '{"@context":' * 10_000, "nested deeper than 64 levels"),
    ("nothing", lambda _: "", "truncated"),
    ("no JSON", lambda _: "hello", "not JSON"),
    ("a number of 5,000 digits", lambda _: "9" * 5000, "not JSON"),
    ("a string", lambda _: '"hello"', "neither a JSON object nor an array"),
]


@pytest.mark.parametrize(("change", "expected"), [case[1:] for case in BAD_TEXTS], ids=[c[0] for c in BAD_TEXTS])
def test_a_broken_document_is_refused(tmp_path: Path, change: Callable[[str], str], expected: str) -> None:
    document(tmp_path)
    path = saved(tmp_path, change((tmp_path / "good.jsonld").read_text("utf-8")))
    if expected == "UTF-8":
        path.write_bytes(path.read_bytes().replace(b"tomatoes", b"tomat\xf6es"))
    assert expected in refused(path)


def test_an_id_that_comes_back_later_is_refused(tmp_path: Path) -> None:
    good = document(tmp_path)
    good["@graph"].append(good["@graph"][0])
    assert f"{FIRST} has two nodes" in refused(saved(tmp_path, good))


def test_the_line_is_named(tmp_path: Path) -> None:
    document(tmp_path)
    path = saved(tmp_path, (tmp_path / "good.jsonld").read_text("utf-8").replace('"session":"s0"', '"sesion":"s0"', 1))
    assert f"{path}:3: unknown term 'sesion'" in refused(path)


def test_a_document_with_two_contexts_is_refused(tmp_path: Path) -> None:
    nodes = document(tmp_path)["@graph"]
    both = [{"@context": packaged_context(), "@included": nodes[:1]}, {"@context": {}, "@included": nodes[1:]}]
    assert "the second context" in refused(saved(tmp_path, both))


def test_an_edge_node_without_its_edge_is_refused(tmp_path: Path) -> None:
    good = document(tmp_path)
    good["@graph"].append(
        {
            "@type": ["Edge"],
            "@id": f"{FIRST}#dependsOn-{SECOND.removeprefix('urn:uuid:')}",
            "edgeSource": FIRST,
            "edgeType": "dependsOn",
            "edgeTarget": SECOND,
            "created": "2026-01-01T00:00:00Z",
        }
    )
    assert "an edge that its source does not have" in refused(saved(tmp_path, good))
    good["@graph"][-1]["@id"] = f"{FIRST}#dependsOn-x"
    assert "parts that do not make up its id" in refused(saved(tmp_path, good))
    del good["@graph"][-1]["edgeType"]
    assert "not one edgeSource, one edgeType and one edgeTarget" in refused(saved(tmp_path, good))


def test_what_is_withheld_does_not_load(tmp_path: Path) -> None:
    good = document(tmp_path)
    good["@graph"].append({"@id": "urn:uuid:01977420-dc00-7000-8000-05920c008edc", "@type": ["Withheld"]})
    assert "profile disclosure" in refused(saved(tmp_path, good))


def test_an_unknown_term_in_an_audit_record_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.nq"
    write_export(path, Content(records=signed_log(1)[0]))
    path.write_text(path.read_text("utf-8").replace("#actor>", "#actr>"), encoding="utf-8")
    assert f"unknown term {NS}actr" in refused(path)


# --- Lines and Turtle ------------------------------------------------------------------------------------------------

BAD_LINES = [
    ("a named graph", f'<{FIRST}> <{NS}session> "x" <urn:g> .', "named graph"),
    ("a blank subject", f'_:b <{NS}session> "x" .', "the subject _:"),
    ("a blank object", f"<{FIRST}> <{NS}derivesFrom> _:b .", "has no IRI"),
    ("a language", f'<{FIRST}> <{NS}session> "x"@en .', "language tag"),
    ("an unknown term", f'<{FIRST}> <https://example.org/p> "x" .', "unknown term https://example.org/p"),
    ("a relative IRI", f'<memory> <{NS}session> "x" .', "not nquads"),
    ("a lone surrogate", f'<{FIRST}> <{NS}session> "\\uD83C" .', "not nquads"),
    ("a wrong datatype", f'<{FIRST}> <{NS}priority> "4" .', "priority that is no integer; write it as integer"),
    ("a literal for an IRI", f'<{FIRST}> <{NS}derivesFrom> "{SECOND}" .', "without a urn:uuid: IRI"),
    ("an IRI for a literal", f"<{FIRST}> <{NS}key> <{SECOND}> .", "key that is no string"),
    ("another node", f'<urn:x:y> <{NS}session> "x" .', "no type"),
    ("a broken line", "<a> <b", "not nquads"),
]


@pytest.mark.parametrize(("line", "expected"), [case[1:] for case in BAD_LINES], ids=[case[0] for case in BAD_LINES])
def test_a_bad_line_is_refused(tmp_path: Path, line: str, expected: str) -> None:
    path = tmp_path / "bad.nq"
    write_export(path, Content(episodes(2)))
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([*lines[:-1], line, lines[-1]]) + "\n", encoding="utf-8")
    assert expected in refused(path)


@pytest.mark.parametrize("suffix", [".nq", ".nt", ".ttl", ".trig"])
def test_a_document_cut_off_anywhere_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"cut{suffix}"
    write_export(path, Content(episodes(3)))
    lines = path.read_bytes().splitlines(keepends=True)
    for count in (1, len(lines) // 2, len(lines) - 1):
        path.write_bytes(b"".join(lines[:count]))
        assert "truncated" in refused(path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for name in ("missing.nq", "missing.jsonld", "missing.ttl"):
        assert "cannot be read (No such file or directory)" in refused(tmp_path / name)
    assert "cannot be read (Is a directory)" in refused(tmp_path, format_name="nquads")
    assert "cannot be read (Is a directory)" in refused(tmp_path, format_name="jsonld")
    with pytest.raises(InvalidInput, match="has none of the suffixes"):
        Export(tmp_path / "export.txt", tenant="alice")


# --- Two phases ------------------------------------------------------------------------------------------------------


def test_nothing_is_given_out_before_the_last_node_was_checked(tmp_path: Path) -> None:
    good = document(tmp_path)
    good["@graph"][-1]["sensitivity"] = "2"
    with pytest.raises(InvalidDocument):
        next(loaded_from(saved(tmp_path, good), tenant="alice"))


def test_the_callers_own_check_runs_on_every_record_first(tmp_path: Path) -> None:
    path = saved(tmp_path, document(tmp_path))
    seen: list[str] = []

    def check(loaded: Loaded[Memory] | Loaded[Entity] | Loaded[Preference]) -> None:
        seen.append(loaded.node.id)
        if loaded.node.id == SECOND:
            raise InvalidMemory(SECOND)

    with pytest.raises(InvalidMemory):
        Export(path, tenant="alice", check=check)
    assert seen == [FIRST, SECOND]


def test_what_was_checked_is_what_is_given_out(tmp_path: Path) -> None:
    path = saved(tmp_path, document(tmp_path))
    with Export(path, tenant="alice") as export:
        path.write_text("changed meanwhile")
        assert [loaded.node.id for loaded in export.memories()] == [FIRST, SECOND]
