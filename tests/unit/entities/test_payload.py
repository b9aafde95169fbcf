"""What the typed payload of a memory names outright."""

from __future__ import annotations

import pytest

from marskg.drafts import EntityRef, EntityRelation
from marskg.entities import Recogniser
from marskg.ontology.vocabulary import EdgeType

RECOGNISER = Recogniser()


def test_participants_are_people_but_for_the_ones_who_are_nobody_in_particular() -> None:
    found = RECOGNISER.find("We had lunch.", payload={"participants": ("Ann Lee", "me", "the user", "tom@example.org")})
    assert found.mentions == (EntityRef("Ann Lee", "person"),)
    assert found.spans == ()


@pytest.mark.parametrize(
    ("bond", "edge"),
    [
        ("friend", EdgeType.FRIEND_OF),
        ("close colleague", EdgeType.COLLEAGUE_OF),
        ("manager", EdgeType.REPORTS_TO),
        ("employer", EdgeType.WORKS_AT),
    ],
)
def test_a_relationship_is_the_speakers(bond: str, edge: EdgeType) -> None:
    found = RECOGNISER.find("…", speaker="Alice", payload={"entity": "Kim", "relationship_type": bond})
    assert found.relations == (EntityRelation("Alice", edge, "Kim"),)
    assert {m.name for m in found.mentions} == {"Alice", "Kim"}


@pytest.mark.parametrize("bond", ["former manager", "ex friend", "neighbour"])
def test_a_relationship_that_is_over_or_has_no_edge_states_none(bond: str) -> None:
    found = RECOGNISER.find("…", speaker="Alice", payload={"entity": "Kim", "relationship_type": bond})
    assert found.relations == ()
    assert [m.name for m in found.mentions] == ["Kim"]


def test_a_concept_and_its_typed_relations() -> None:
    payload = {"concept": "tomato", "relations": ("isA fruit", "part of: garden", "likes")}
    found = RECOGNISER.find("", payload=payload)
    assert {(r.source, r.type, r.target) for r in found.relations} == {
        ("tomato", EdgeType.IS_A, "fruit"),
        ("tomato", EdgeType.PART_OF, "garden"),
    }
    assert [m.name for m in found.mentions] == ["tomato", "fruit", "garden"]


def test_a_payload_of_the_wrong_types_is_left_to_its_own_check() -> None:
    assert RECOGNISER.find("", payload={"participants": 3, "entity": None, "concept": ["", "  ", "42"]}).mentions == ()


def test_the_same_name_in_payload_and_text_is_one_entity_with_its_place() -> None:
    found = RECOGNISER.find("I met Ann Lee.", payload={"participants": ("Ann Lee",)})
    assert [m.name for m in found.mentions] == ["Ann Lee"]
    assert found.spans == ((6, 13, "Ann Lee"),)
