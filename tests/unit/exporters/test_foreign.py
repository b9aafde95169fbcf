"""Other people's JSON-LD, in a context of its own: loaded only if nothing of it would be lost."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import InvalidDocument
from marskg.exporters.rdf.reader import Export
from marskg.ontology.vocabulary import NS, EdgeType, Kind, Tier
from marskg.records import Edge
from tests.support.exports import loaded_from

if TYPE_CHECKING:
    from pathlib import Path

Node = dict[str, Any]
NOTE = "urn:uuid:01977420-dc00-7000-8000-05920c008edc"
OTHER = "urn:uuid:01977420-dc00-7000-8000-05920c008edd"
CONTEXT: Node = {
    "mars": NS,
    "Note": "mars:Semantic",
    "text": "mars:content",
    "when": {"@id": "mars:created", "@type": "http://www.w3.org/2001/XMLSchema#dateTime"},
    "secrecy": "mars:sensitivity",
    "state": {"@id": "mars:tier", "@type": "@vocab"},
    "alive": "mars:live",
    "from": {"@id": "mars:derivesFrom", "@type": "@id"},
}
GOOD: Node = {
    "@id": NOTE,
    "@type": "Note",
    "text": "basil likes sun",
    "when": "2026-01-01T01:00:00+01:00",
    "secrecy": 0.25,
    "state": "alive",
}


def saved(tmp_path: Path, document: object) -> Path:
    path = tmp_path / "foreign.jsonld"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@pytest.fixture
def context(tmp_path: Path) -> Path:
    path = tmp_path / "context.jsonld"
    path.write_text(json.dumps({"@context": CONTEXT}), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda nodes: nodes,
        lambda nodes: {"@context": "https://example.org/context", "@graph": nodes},
        lambda nodes: {"@context": ["https://example.org/context", {}], "@graph": nodes},
        lambda nodes: {"@graph": nodes},
    ],
    ids=["without a context", "naming one", "in a list", "a bare graph"],
)
def test_the_pinned_file_is_the_documents_context(tmp_path: Path, context: Path, wrapped: Any) -> None:
    child = {**GOOD, "@id": OTHER, "from": NOTE}
    path = saved(tmp_path, wrapped([GOOD, child]))
    with Export(path, tenant="alice", context=context) as export:
        assert export.context_sha256 == hashlib.sha256(context.read_bytes()).hexdigest()
        (note, _), (_, edges) = export.memories()
    assert (note.kind, note.content, note.created) == (Kind.SEMANTIC, "basil likes sun", 1767225600000)
    assert (note.sensitivity, note.tier, note.valid_from) == (0.25, Tier.LIVE, note.created)
    assert edges == (Edge(OTHER, EdgeType.DERIVES_FROM, NOTE, note.created),)


def test_a_context_by_value_needs_no_file(tmp_path: Path) -> None:
    (loaded,) = loaded_from(saved(tmp_path, {"@context": CONTEXT, **GOOD}), tenant="alice")
    assert loaded.node.id == NOTE


LOSSES: list[tuple[str, Node, str]] = [
    ("a term that the context lacks", {"mood": "x"}, "no context defines the term 'mood'"),
    ("a term mapped to null", {"@context": {**CONTEXT, "mood": None}, "mood": "x"}, "no context defines a term"),
    ("a term in a node inside", {"from": {"@id": OTHER, "mood": "x"}}, "no context defines the term 'mood'"),
    ("a term of the namespace that is none", {"mars:mood": "x"}, f"unknown term {NS}mood"),
    ("a type that the context lacks", {"@type": ["Note", "Memo"]}, "the IRI 'Memo' is relative"),
    ("a relative id", {"@id": "note-1"}, "the IRI 'note-1' is relative"),
    ("a blank id", {"@id": "_:n"}, "the IRI '_:n' is relative, blank or broken"),
    ("a node inside without an id", {"from": {"text": "x"}}, "has no id"),
    ("a language", {"text": {"@value": "x", "@language": "en"}}, "language tag"),
    ("a direction", {"text": {"@value": "x", "@direction": "rtl"}}, "a direction"),
    ("a list", {"text": {"@list": ["x"]}}, "has a list"),
    ("a JSON literal", {"text": {"@value": {"a": 1}, "@type": "@json"}}, "content that is no string"),
    ("a graph with a name", {"@graph": [{"@id": OTHER, "text": "x"}]}, "the named graph"),
    ("a lone surrogate", {"text": "\ud83c"}, "lone surrogate"),
    ("a type that no reader can know", {"text": {"@value": "x", "@type": "urn:x:t"}}, "content that is no string"),
    ("nesting", {"text": json.loads("[" * 100 + "]" * 100)}, "nested deeper than 64 levels"),
    ("a context of the net inside", {"from": {"@context": "https://evil.example/", "@id": OTHER}}, "remote context"),
    ("a context of the net by import", {"@context": {"@import": "https://evil.example/"}}, "remote context"),
    (
        "a context of the net in a term",
        {"@context": {"x": {"@id": "urn:x", "@context": "http://e.vil/"}}, "x": {}},
        "remote",
    ),
]


@pytest.mark.parametrize(("change", "expected"), [case[1:] for case in LOSSES], ids=[case[0] for case in LOSSES])
def test_what_would_be_lost_or_fetched_is_refused(tmp_path: Path, change: Node, expected: str) -> None:
    path = saved(tmp_path, {"@context": CONTEXT, **GOOD, **change})
    with pytest.raises(InvalidDocument, match=r"foreign\.jsonld.*") as caught:
        Export(path, tenant="alice")
    assert expected in str(caught.value)
    assert "basil" not in str(caught.value)


def test_remote_contexts_are_never_fetched(tmp_path: Path, context: Path) -> None:
    named = saved(tmp_path, {"@context": "https://example.org/context", **GOOD})
    with pytest.raises(InvalidDocument, match=r"names the remote context https://example.org/context; nothing is"):
        Export(named, tenant="alice")
    two = saved(tmp_path, {"@context": ["https://a.example/", "https://b.example/"], **GOOD})
    with pytest.raises(InvalidDocument, match="join them in one file"):
        Export(two, tenant="alice", context=context)


def test_a_document_that_says_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidDocument, match="says nothing"):
        Export(saved(tmp_path, {"@context": CONTEXT, "@id": NOTE}), tenant="alice")


def test_a_context_file_must_be_one(tmp_path: Path) -> None:
    path = saved(tmp_path, [GOOD])
    with pytest.raises(InvalidDocument, match="has no @context"):
        Export(path, tenant="alice", context=path)
    with pytest.raises(InvalidDocument, match="cannot be read"):
        Export(path, tenant="alice", context=tmp_path / "missing")
