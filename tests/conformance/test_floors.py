"""Nothing is shown to fill a budget: a question about nothing in the store is answered with nothing, and says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import InvalidInput

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

#: The default, which other tests turn off.
FLOOR: dict[str, Any] = {"retrieval__min_confidence": 0.5}
FACTS = (
    "Mira is allergic to walnuts",
    "Mira lives in Porto",
    "The lift on the north side is out of order",
    "Mira's cat is called Pepper",
    "The insurance is due on the ninth",
)
#: Each with the place of the fact that answers it, in other words than its own.
ASKED = (
    ("which town is Mira's home?", 1),
    ("what lift does not work?", 2),
    ("what is the name of the cat?", 3),
    ("when must the insurance be paid?", 4),
)
STRANGE = ("Tell me a joke", "What is 12 times 12?", "Who composed Fidelio?", "Translate 'bread' into Danish")


def contents(found: Any) -> list[str]:
    return [hit.memory.content for hit in found]


def _told(stores: Stores) -> AgentMemory:
    memory = stores.open(**FLOOR)
    for fact in FACTS:
        memory.remember(fact, kind="semantic", subjects=["mira"])
    return memory


def test_a_question_about_nothing_in_the_store_is_answered_with_nothing(stores: Stores) -> None:
    memory = _told(stores)
    before = memory.verify().ok
    for question in STRANGE:
        hits = memory.retrieve(question)
        assert (len(hits), hits.tokens, hits.as_text(), hits.id) == (0, 0, "", None)
        assert any("nothing that is remembered bears on this" in notice for notice in hits.notices)
        assert question not in str(hits.notices)
        assert hits.confidence is not None
        assert hits.confidence < 0.5
    assert before


@pytest.mark.parametrize(("question", "place"), ASKED)
def test_a_question_in_other_words_is_answered(stores: Stores, question: str, place: int) -> None:
    hits = _told(stores).retrieve(question)
    assert contents(hits)[0] == FACTS[place]
    assert hits.confidence is not None
    assert 0.5 <= hits.confidence <= 1
    assert hits.notices == ()


def test_the_caller_sets_how_sure_an_answer_has_to_be(stores: Stores) -> None:
    memory = _told(stores)
    assert contents(memory.retrieve(STRANGE[0], min_confidence=0))
    sure = memory.retrieve(ASKED[2][0])
    assert sure.confidence is not None
    assert len(memory.retrieve(ASKED[2][0], min_confidence=sure.confidence)) == len(sure)
    assert len(memory.retrieve(ASKED[2][0], min_confidence=min(1, sure.confidence + 0.000_01))) in {0, len(sure)}
    memory.settings.set(None, {"retrieval.min_confidence": 0})
    assert contents(memory.retrieve(STRANGE[0]))
    assert not contents(memory.retrieve(STRANGE[0], min_confidence=0.5))


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), "much", True])
def test_a_confidence_that_is_none_is_refused(stores: Stores, value: Any) -> None:
    with pytest.raises(InvalidInput, match="min_confidence"):
        _told(stores).retrieve("where?", min_confidence=value)


def test_what_is_hidden_makes_no_answer_surer(stores: Stores) -> None:
    found = []
    for hidden in (False, True):
        memory = _told(stores)
        if hidden:
            memory.remember("A joke: why did the chicken cross the road?", kind="semantic", sensitivity=0.9)
        hits = memory.retrieve("Tell me a joke", max_sensitivity=0.5)
        found.append((hits.confidence, len(hits), hits.notices))
    assert found[0] == found[1]


def test_without_vectors_words_alone_say_how_sure_an_answer_is(stores: Stores) -> None:
    memory = stores.open(embedding__model="none", **FLOOR)
    for fact in FACTS:
        memory.remember(fact, kind="semantic")
    sure, unsure = memory.retrieve("the lift on the north side"), memory.retrieve("Tell me a joke about opera")
    assert sure.confidence is not None
    assert unsure.confidence is not None
    assert sure.confidence > 0.9 > unsure.confidence
    assert not contents(unsure)
    for question in ("Tell me a joke about opera", "the of and", "?!…"):
        assert memory.retrieve(question).notices == ("nothing that is remembered bears on this",)


def test_a_few_tastes_bear_on_a_question_for_them_however_much_else_is_known(stores: Stores) -> None:
    memory = stores.open(**FLOOR)
    for number in range(60):
        memory.remember(f"Invoice {number} was paid", kind="semantic")
    for taste in ("ragtime", "bebop"):
        memory.remember(f"Likes {taste} (genre)", kind="semantic", key=f"preference/genres/{taste}")
    assert set(contents(memory.retrieve("Can you suggest me some music?"))) == {
        "Likes ragtime (genre)",
        "Likes bebop (genre)",
    }
    assert not contents(memory.retrieve("Who composed Fidelio?"))
