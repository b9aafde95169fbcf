"""Free JSON in JSON-LD: one literal for our reader and for a JSON-LD processor, and in exports of older versions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import InvalidDocument
from marskg.exporters.rdf.jsonld import NodeWriter, packaged_context
from marskg.exporters.rdf.own_jsonld import is_own
from marskg.exporters.rdf.reader import Export
from marskg.json_object import JsonObject
from marskg.ontology.vocabulary import Kind
from marskg.records import Memory

if TYPE_CHECKING:
    from pathlib import Path

GIVEN = {"z": [1.0, 1e-7, -0.5, {"b": None, "a": True}], "ü\n\x7f": '"\\', "list": [[]], "@id": "x", "empty": {}}
MEMORY = Memory(
    id="urn:uuid:01999999-0000-7000-8000-000000000001",
    tenant="alice",
    kind=Kind.SEMANTIC,
    content="tea is green",
    created=1,
    sequence=1,
    valid_from=1,
    metadata=JsonObject.of(GIVEN),
)


def saved(folder: Path, context: Any, memory: Memory = MEMORY) -> Path:
    path = folder / "document.jsonld"
    node = json.loads(NodeWriter().memory(memory, ()))
    path.write_text(json.dumps({"@context": context, "@graph": [node]}), encoding="utf-8")
    return path


def test_a_processor_reads_the_literal_that_we_read(tmp_path: Path) -> None:
    for context, own in ((packaged_context(), True), ([packaged_context(), {}], False)):
        path = saved(tmp_path, context)
        assert is_own(path) is own
        with Export(path, tenant="alice") as export:
            ((memory, _),) = export.memories()
        assert memory.metadata == GIVEN
        assert memory.metadata.text == MEMORY.metadata.text  # type: ignore[union-attr]  # both have some


def test_an_export_of_an_older_version_is_ours_and_has_its_own_terms_alone(tmp_path: Path) -> None:
    older = {name: term for name, term in packaged_context().items() if name != "metadata"}
    path = saved(tmp_path, older)
    assert is_own(path)
    with pytest.raises(InvalidDocument, match="unknown term 'metadata'"):
        Export(path, tenant="alice")
    changed = {**packaged_context(), "content": "mars:key"}
    assert not is_own(saved(tmp_path, changed))


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ([1], "must be a JSON object .*; correct it"),
        ("x", "must be a JSON object"),
        (7, "must be a JSON object"),
        ({"n": 2**60}, "number outside"),
        ({"a": "x" * 20_000}, "is larger than"),
        ({"a": "\x00"}, "NUL"),
        ({"a": [[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}, "nested more than"),
    ],
)
def test_what_no_memory_can_have_is_refused_by_its_rule(tmp_path: Path, value: Any, rule: str) -> None:
    path = saved(tmp_path, packaged_context())
    document = json.loads(path.read_text("utf-8"))
    document["@graph"][0]["metadata"] = value
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InvalidDocument, match=f"metadata.*{rule}"):
        Export(path, tenant="alice")


def test_an_empty_object_is_none(tmp_path: Path) -> None:
    path = saved(tmp_path, packaged_context())
    document = json.loads(path.read_text("utf-8"))
    document["@graph"][0]["metadata"] = {}
    path.write_text(json.dumps(document), encoding="utf-8")
    with Export(path, tenant="alice") as export:
        ((memory, _),) = export.memories()
    assert memory.metadata is None
