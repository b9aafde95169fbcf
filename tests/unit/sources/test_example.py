"""The example conversation is what the examples' README says it is, and hangs together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rdflib import Graph, URIRef

from marskg.ontology.vocabulary import ACTIVE_STATUSES, Cardinality, EdgeType, Kind, MemoryClass
from marskg.sources.chat import ChatFile, read_chat
from tests.support.slots import Slots

if TYPE_CHECKING:
    from marskg.drafts import Draft

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="module")
def conversation() -> ChatFile:
    return read_chat(EXAMPLES / "conversation.jsonl")


@pytest.fixture(scope="module")
def made(conversation: ChatFile) -> list[Draft]:
    return [draft for draft in conversation if draft.action == "remember"]


def test_it_has_the_size_that_is_promised(made: list[Draft]) -> None:
    turns = [draft for draft in made if draft.ref.startswith("line:") and "." not in draft.ref]
    assert len(turns) == 359
    assert len({draft.session for draft in turns}) == 25
    span = turns[-1].at - turns[0].at
    assert span > 49 * 86_400_000
    assert [draft.at for draft in turns] == sorted(draft.at for draft in turns)


def test_it_shows_all_that_a_memory_can_be(conversation: ChatFile, made: list[Draft]) -> None:
    facts = [draft for draft in made if draft.derives_from]
    assert {draft.kind for draft in facts} == set(Kind)
    assert {draft.cardinality for draft in facts if draft.key} == set(Cardinality)
    assert {draft.action for draft in conversation} == {"remember", "retract", "close_task"}
    used = {type_ for draft in made for type_, _ in draft.links()}
    assert used >= {
        EdgeType.DERIVES_FROM,
        EdgeType.DEPENDS_ON,
        EdgeType.REQUIRES,
        EdgeType.ATTACHES_TO_GOAL,
        EdgeType.CONTRADICTS,
    }
    assert sum(draft.memory_class is MemoryClass.PRIVATE for draft in facts) >= 20
    assert {draft.subjects for draft in facts} >= {("ines",), ("ines", "teresa"), ("ines", "daniel")}


def test_no_sentence_is_said_twice(made: list[Draft]) -> None:
    said = [draft.content for draft in made if draft.kind is Kind.EPISODIC and len(draft.content.split()) > 4]
    assert len(set(said)) == len(said)


def test_endings_end_something_and_keys_are_used_one_way(conversation: ChatFile) -> None:
    cardinalities: dict[tuple[tuple[str, ...], str], Cardinality | None] = {}
    for draft in conversation:
        if draft.key is not None and draft.action == "remember":
            assert cardinalities.setdefault((draft.subjects, draft.key), draft.cardinality) is draft.cardinality
    slots = Slots().replay(conversation)
    assert slots.misses == []
    now = {key: [draft.content for draft in current] for (_, key), current in slots.held.items()}
    assert now["preference/hot-drink"] == ["Inês drinks tea; she has given up coffee because of her migraines"]
    assert now["family/wedding/gift"][0].startswith("Inês and Daniel give 350 euros")
    assert now["home/wish"] == []
    assert len(now["home/candidate"]) == 1
    undated = [
        draft
        for current in slots.held.values()
        for draft in current
        if draft.kind is Kind.TASK and draft.status in ACTIVE_STATUSES and draft.deadline is None
    ]
    assert len(undated) >= 4, "whatever the date, some tasks are active"


def test_what_the_assistant_adds_up_is_right(made: list[Draft]) -> None:
    moving = [float(str(draft.payload["amount"])) for draft in made if draft.key == "ledger/expenses/moving"]
    assert round(sum(moving[:3]), 2) == 1304.60
    assert round(sum(moving[1:]), 2) == 281.10


def test_the_directory_knows_who_is_named_as_the_same(made: list[Draft]) -> None:
    graph = Graph().parse(EXAMPLES / "org.ttl")
    named = {iri for draft in made for entity in draft.mentions for iri in entity.same_as}
    assert len(named) >= 8
    for iri in named:
        assert (URIRef(iri), None, None) in graph, iri


def test_lines_are_written_in_one_form() -> None:
    lines = (EXAMPLES / "conversation.jsonl").read_text(encoding="utf-8").splitlines()
    assert all(json.dumps(json.loads(line), ensure_ascii=False) == line for line in lines)
