"""What is stored without intent tags gets topics by its keywords, which filter where a profile or a caller asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.drafts import Draft
from marskg.ontology.vocabulary import Kind
from tests.support.stores import START

if TYPE_CHECKING:
    from tests.support.stores import Stores

GARDEN = "I planted tomatoes beside the compost"
TRIP = "The flight to Porto leaves from the small airport"


def test_what_has_no_tag_gets_topics_and_what_has_one_keeps_it(stores: Stores) -> None:
    memory = stores.open()
    garden = memory.remember(GARDEN)
    assert garden.intent_tags == ("topic:gardening",)
    assert memory.remember(TRIP, intent_tags=["porto"]).intent_tags == ("porto",)
    assert memory.remember("Yes, exactly so").intent_tags == ()
    memory.remember_many([Draft(ref="", kind=Kind.EPISODIC, content=TRIP, at=START, session="s")])
    assert [one.intent_tags for one in memory.memories() if one.session == "s"] == [("topic:travel",)]
    assert memory.verify().ok
    assert memory.validate(full=True).ok


def test_a_new_text_has_its_own_topics_and_a_given_tag_stays(stores: Stores) -> None:
    memory = stores.open()
    assert memory.update(memory.remember(GARDEN).id, TRIP).intent_tags == ("topic:travel",)
    assert memory.update(memory.remember(GARDEN, intent_tags=["plot"]).id, TRIP).intent_tags == ("plot",)


def test_a_profile_that_filters_leaves_other_topics_of_a_store_of_turns_out(stores: Stores) -> None:
    memory = stores.open(retrieval__profile="memoryarchitect")
    for text in (GARDEN, TRIP, "It is the one behind the mill"):
        memory.remember(text)
    shown = {hit.memory.content for hit in memory.retrieve("how is gardening going, and the mill?", k=9)}
    assert GARDEN in shown
    assert TRIP not in shown
    assert {hit.memory.content for hit in memory.retrieve("what did I say", tags=["topic:travel"])} == {TRIP}


def test_a_derived_topic_lifts_nothing_by_default_and_a_given_one_does(stores: Stores) -> None:
    memory = stores.open()
    memory.remember(GARDEN)
    memory.remember(TRIP, intent_tags=["gardening"])
    lifted = {hit.memory.content: hit.why["intent"] for hit in memory.retrieve("gardening at the airport", k=9)}
    assert lifted == {GARDEN: 0, TRIP: 1}
