"""What is shown says whether it is sure to bear on the question; who wants precision gets nothing else."""

from __future__ import annotations

from itertools import pairwise
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
    """Return what is sure to bear."""
    return [hit.memory.content for hit in found if hit.certain]


def unsure(found: Any) -> list[str]:
    return [hit.memory.content for hit in found if not hit.certain]


def _told(stores: Stores) -> AgentMemory:
    memory = stores.open(**FLOOR)
    for fact in FACTS:
        memory.remember(fact, kind="semantic", subjects=["mira"])
    return memory


def test_what_is_nearest_is_marked_where_nothing_is_sure_to_bear(stores: Stores) -> None:
    memory = _told(stores)
    for question in STRANGE:
        hits = memory.retrieve(question)
        assert not contents(hits)
        assert set(unsure(hits)) == {*FACTS}  # All that there is fits.
        assert hits.as_text().splitlines()[1] == "# Perhaps not about this"
        assert {line["section"] for line in hits.as_dict()["memories"]} == {"Perhaps not about this"}
        assert any("perhaps does not bear on this" in notice for notice in hits.notices)
        assert question not in str(hits.notices)
        assert hits.confidence is not None
        assert hits.confidence < 0.5


def test_who_wants_precision_gets_nothing_where_nothing_is_sure_to_bear(stores: Stores) -> None:
    memory = _told(stores)
    for question in STRANGE:
        hits = memory.retrieve(question, min_confidence=0.5)
        assert (len(hits), hits.tokens, hits.as_text(), hits.id) == (0, 0, "", None)
        assert any("nothing that is remembered bears on this" in notice for notice in hits.notices)


def test_what_is_not_sure_to_bear_takes_a_third_of_the_budget_and_no_place_of_what_is(stores: Stores) -> None:
    memory = _told(stores)
    for number in range(200):
        memory.remember(f"Parcel {number} left the northern dock in the morning", kind="semantic")
    for budget in (60, 250, 600):
        hits = memory.retrieve("Who composed Fidelio?", token_budget=budget)
        assert not contents(hits)
        spent = sum(hit.tokens for hit in hits)
        assert len(hits) <= 8 or spent <= budget // 3
        assert len(hits) >= 8 or hits.tokens > budget - 40
    asked, place = ASKED[0]
    hits = memory.retrieve(asked)
    assert hits[0].certain
    assert hits[0].memory.content == FACTS[place]
    marks = [hit.certain for hit in hits]
    assert marks == sorted(marks, reverse=True)


def test_what_perhaps_does_not_bear_is_recorded_and_counts_as_no_access(stores: Stores) -> None:
    memory = _told(stores)
    once = memory.remember("The parcel is at the kiosk", kind="semantic", use_bound=True)
    before = {one.id: (one.access_count, one.last_access, one.score) for one in memory.memories()}
    hits = memory.retrieve(STRANGE[2])
    assert set(unsure(hits)) == {*FACTS}  # What may be shown once is not spent.
    assert {one.id: (one.access_count, one.last_access, one.score) for one in memory.memories()} == before
    assert "and perhaps does not bear" in memory.explain(hits[0].memory.id).as_text()
    assert once.content in contents(memory.retrieve("Where is the parcel, at the kiosk?"))
    left = memory.get(once.id)
    assert left is None or not left.content
    assert memory.verify().ok


def test_in_a_small_budget_each_line_says_that_it_may_not_bear(stores: Stores) -> None:
    memory = _told(stores)
    hits = memory.retrieve("Who composed Fidelio?", token_budget=40)
    assert len(hits)
    assert all(line.split(" ", 1)[1].startswith("perhaps: ") for line in hits.as_text().splitlines())


def test_a_short_store_is_shown_whole_where_it_fits(stores: Stores) -> None:
    memory = stores.open(**FLOOR)
    for number in range(40):
        memory.remember(f"{number} pears", kind="semantic")
    assert len(memory.retrieve("How is the weather in Lima?")) == 40


@pytest.mark.parametrize(("question", "place"), ASKED)
def test_a_question_in_other_words_is_answered(stores: Stores, question: str, place: int) -> None:
    hits = _told(stores).retrieve(question)
    assert contents(hits)[0] == FACTS[place]
    assert hits.confidence is not None
    assert 0.5 <= hits.confidence <= 1
    assert hits.notices == ()


def test_the_caller_sets_how_sure_an_answer_has_to_be(stores: Stores) -> None:
    memory = _told(stores)
    assert unsure(memory.retrieve(STRANGE[0]))
    assert contents(memory.retrieve(STRANGE[0], min_confidence=0))
    sure = memory.retrieve(ASKED[2][0])
    assert sure.confidence is not None
    strict = memory.retrieve(ASKED[2][0], min_confidence=sure.confidence)
    assert contents(strict) == contents(sure)
    assert not unsure(strict)
    assert len(memory.retrieve(ASKED[2][0], min_confidence=min(1, sure.confidence + 0.000_01))) in {0, len(strict)}
    memory.settings.set(None, {"retrieval.min_confidence": 0})
    assert contents(memory.retrieve(STRANGE[0]))
    assert not len(memory.retrieve(STRANGE[0], min_confidence=0.5))


def test_the_more_precision_is_asked_for_the_less_is_shown(stores: Stores) -> None:
    memory = stores.open(**FLOOR)
    for fact in HOUSE:
        memory.remember(fact, kind="semantic")
    question = "Is the blue dinghy in the attic?"
    shown = [set(contents(memory.retrieve(question, min_confidence=least / 20))) for least in range(1, 21)]
    assert all(more <= less for less, more in pairwise(shown))
    assert {0, 1, 2} <= {len(one) for one in shown}, "each is weighed for itself"


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
    sure, doubtful = memory.retrieve("the lift on the north side"), memory.retrieve("Tell me a joke about opera")
    assert sure.confidence is not None
    assert doubtful.confidence is not None
    assert sure.confidence > 0.9 > doubtful.confidence
    assert not len(doubtful)
    for question in ("Tell me a joke about opera", "the of and", "?!…"):
        assert memory.retrieve(question).notices == ("nothing that is remembered bears on this",)


def test_a_few_tastes_are_first_where_they_are_asked_for_however_much_else_is_known(stores: Stores) -> None:
    memory = stores.open(**FLOOR)
    for number in range(60):
        memory.remember(f"Invoice {number} was paid", kind="semantic")
    for taste in ("ragtime", "bebop"):
        memory.remember(f"Likes {taste} (genre)", kind="semantic", key=f"preference/genres/{taste}")
    first = list(memory.retrieve("Can you suggest me some music?"))[:2]
    assert {hit.memory.content for hit in first} == {"Likes ragtime (genre)", "Likes bebop (genre)"}
    assert not contents(memory.retrieve("Who composed Fidelio?"))


#: What stands alone: no session, nothing said around it.
HOUSE = (
    "The boiler is a Halden 300 and is serviced each October",
    "The spare key of the cellar hangs behind the mirror",
    "Tilda from next door waters the orchids when we are away",
    "We sail on Saturdays with the blue dinghy",
    "The dinghy needs a new mast before spring",
    "Grandfather's accordion is in the attic",
    "Recycling is collected every second Wednesday",
    "The plumber's number is on the fridge",
)
#: Each with the places of all that bears on it.
ALONE = (
    ("Who waters the orchids?", {2}),
    ("Where is the spare key?", {1}),
    ("What kind of boiler do we have?", {0}),
    ("What about the dinghy?", {3, 4}),
)


@pytest.mark.parametrize(("question", "places"), ALONE)
@pytest.mark.parametrize("kind", ["semantic", "episodic"])
def test_what_stands_alone_is_not_shown_because_something_else_answers(
    stores: Stores, kind: str, question: str, places: set[int]
) -> None:
    memory = stores.open(**FLOOR)
    for fact in HOUSE:
        memory.remember(fact, kind=kind)
    assert set(contents(memory.retrieve(question))) == {HOUSE[place] for place in places}
    # Who wants what is nearest, however little it says, gets all of it.
    assert len(memory.retrieve(question, min_confidence=0)) == len(HOUSE)


def test_a_question_that_wants_many_gets_them_all(stores: Stores) -> None:
    memory = stores.open(**FLOOR)
    instruments = ("the cello", "the oboe", "the bassoon", "the harp", "the viola", "the tuba")
    for fact in (
        *HOUSE,
        *(f"{name} plays {what} in the orchestra" for name, what in zip("ABCDEF", instruments, strict=True)),
    ):
        memory.remember(fact, kind="semantic")
    found = contents(memory.retrieve("Who plays what in the orchestra?"))
    assert len(found) == len(instruments)
    assert all("orchestra" in one for one in found)


def test_a_turn_is_shown_with_what_was_said_around_it(stores: Stores) -> None:
    memory = stores.open(**FLOOR)
    for turn in ("Who waters the orchids?", "Tilda does", "And she has the key?", "Behind the mirror, yes"):
        memory.remember(turn, session="away")
    assert "Tilda does" in contents(memory.retrieve("Who waters the orchids?"))


def test_a_fact_is_shown_with_the_turn_that_it_was_read_from(stores: Stores) -> None:
    memory = stores.open(**FLOOR)
    said = "How to reach my partner Daniel? Write to him, he hates phone calls."
    turn = memory.remember(said, session="monday")
    for fact in HOUSE:
        memory.remember(fact, kind="semantic")
    read = memory.remember("He wants letters", kind="semantic", derives_from=[turn.id])
    assert set(contents(memory.retrieve("How do I reach my partner Daniel?"))) == {said, read.content}


def test_a_topic_that_is_filtered_for_is_no_reason_to_show_all_of_it(stores: Stores) -> None:
    memory = stores.open(**FLOOR)
    for fact in HOUSE:
        memory.remember(fact, kind="semantic", intent_tags=["house"])
    question = "Who waters the orchids?"
    (hit,) = (one for one in memory.retrieve(question, tags=["house"]) if one.certain)
    assert (hit.memory.content, hit.why["intent"]) == (HOUSE[2], 0)
    # Nor is one that only the nearest have: who asks names it, or gets what bears on the question.
    for number in range(4):
        memory.remember(f"Invoice {number} was paid", kind="semantic", intent_tags=["office"])
    assert contents(memory.retrieve(question)) == [HOUSE[2]]
    assert set(contents(memory.retrieve("Tell me about the house"))) >= {*HOUSE}


def test_an_allergy_of_whom_the_question_names_is_not_left_out_for_what_names_two(stores: Stores) -> None:
    memory = stores.open(**FLOOR)
    facts = "Ben is Anna's brother", "Anna is a vegetarian", "Ben loves spicy food", "Ben collects vinyl records"
    for fact in (*facts, "Ben is allergic to shellfish", "Clara is lactose intolerant", "Clara lives in Bonn"):
        memory.remember(fact, kind="semantic")
    shown = contents(memory.retrieve("what should I cook for Anna and Ben?"))
    assert {"Ben is allergic to shellfish", "Anna is a vegetarian"} <= set(shown)
    assert "Clara is lactose intolerant" not in shown
    shown = contents(memory.retrieve("which food can I serve to all of them?"))
    assert {"Ben is allergic to shellfish", "Anna is a vegetarian", "Clara is lactose intolerant"} <= set(shown)
