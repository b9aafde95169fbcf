"""What ended is cut out of the turn that says it, on every engine; what the turn says besides is found as before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.ontology.vocabulary import Kind
from tests.conformance.test_learn import Reader, by_rules, learn, said, sound

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

BOTH = "I am allergic to peanuts. The spare key is under the blue pot."
KEY = "Where is the spare key?"
BOOKS = "Oh, that's easy! I enjoy books that delve into war and conflict. What they tell of people stays with me."
POINTS = "I want to include a case study of a regional brand's success and an invitation to a free session."


def shown(mem: AgentMemory, question: str, **asked: Any) -> list[str]:
    return [hit.memory.content or "" for hit in mem.retrieve(question, token_budget=2_000, k=20, **asked)]


def facts(mem: AgentMemory, *, current: bool) -> list[str]:
    found = [one for one in mem.memories() if one.kind is not Kind.EPISODIC and one.current is current]
    return sorted(one.content or "" for one in found)


def held(mem: AgentMemory, ident: str) -> bool:
    found = mem.get(ident)
    return found is not None and found.current


def test_what_a_turn_says_besides_is_found_after_its_fact_ended(stores: Stores) -> None:
    mem = stores.open()
    by_rules(mem, said(BOTH, session="first"))
    by_rules(mem, said("I'm not allergic to peanuts any more.", 1, session="second"))
    (found,) = [text for text in shown(mem, KEY) if "key" in text]
    assert found == "[…]. The spare key is under the blue pot."
    assert BOTH in shown(mem, KEY, superseded=True)
    assert not [text for text in shown(mem, "What am I allergic to?") if "key" in text]
    assert facts(mem, current=True) == []
    sound(mem)


def test_a_turn_that_says_no_more_goes_with_its_fact(stores: Stores) -> None:
    mem = stores.open()
    by_rules(mem, said("I am allergic to peanuts, you know!", session="first"))
    by_rules(mem, said("I'm not allergic to peanuts any more.", 1, session="second"))
    assert [text for text in shown(mem, "What am I allergic to?") if "you know" in text] == []
    sound(mem)


def test_of_a_list_one_value_ends(stores: Stores) -> None:
    mem = stores.open()
    by_rules(
        mem, said("I like jazz, chess and hiking, and the rest of the week belongs to the garden.", session="first")
    )
    by_rules(mem, said("I no longer like jazz.", 1, session="second"))
    found = shown(mem, "What do I like?")
    assert "I like […], chess and hiking, and the rest of the week belongs to the garden." in found
    sound(mem)


def test_a_reading_that_was_taken_back_hides_nothing(stores: Stores) -> None:
    mem = stores.open()
    first = by_rules(mem, said("I am allergic to peanuts.", session="first"))
    mem.learning.undo(first.call)
    assert shown(mem, "What am I allergic to?") == ["I am allergic to peanuts."]
    sound(mem)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "I've always had a soft spot for Duke Ellington.",
            "I used to like Duke Ellington, but these days I prefer silence.",
        ),
        (
            "I've always disliked the idea of the Swiss Alps.",
            "I used to dislike the Swiss Alps, but now I really like them.",
        ),
    ],
)
def test_a_taste_ends_in_all_its_words(stores: Stores, before: str, after: str) -> None:
    mem = stores.open()
    by_rules(mem, said(before, session="first"))
    by_rules(mem, said(after, 1, session="second"))
    assert before not in shown(mem, "What do I like, and what do I not like?")
    assert before in shown(mem, "What do I like, and what do I not like?", superseded=True)
    sound(mem)


def test_what_tells_both_or_is_about_others_does_not_end(stores: Stores) -> None:
    mem = stores.open()
    told = "I love the calm of the sea, but I never liked sand between my toes."
    by_rules(mem, said(told, session="first"))
    by_rules(mem, said("I've always had a soft spot for sand.", 0, session="other", speaker="Bo", subjects=["Bo"]))
    by_rules(mem, said("I used to love sand, but now I hate it.", 1, session="second"))
    assert any("soft spot" in text for text in shown(mem, "Who likes sand?"))
    sound(mem)


@pytest.mark.parametrize(
    ("turn", "end", "gone", "left"),
    [
        (
            BOOKS,
            "I used to be really into books about war and conflict, but lately I read poems.",
            "war and conflict",
            "Oh, that's easy! […]. What they tell of people stays with me.",
        ),
        (
            POINTS,
            "Please remove 'Case study of a regional brand's success' from the key points.",
            "regional",
            "I want to include a […] and an invitation to a free session.",
        ),
    ],
)
def test_what_only_a_turn_says_ends_with_its_value(stores: Stores, turn: str, end: str, gone: str, left: str) -> None:
    mem = stores.open()
    mem.remember(turn, session="first", subjects=["Ana"], at=said("")["timestamp"])
    read = by_rules(mem, said(end, 1, session="second"))
    question = "What stays with me of people?" if turn is BOOKS else "What is in the invitation of the key points?"
    assert left in shown(mem, question)
    assert [text for text in facts(mem, current=False) if gone in text]
    assert turn in shown(mem, question, superseded=True)
    mem.learning.undo(read.call)
    assert turn in shown(mem, question)
    sound(mem)


def test_what_was_erased_is_not_read_again_to_be_ended(stores: Stores) -> None:
    mem = stores.open()
    by_rules(mem, said("I like jazz.", session="first"))
    (fact,) = [one.id for one in mem.memories() if one.spans]
    mem.erase(id=fact)
    by_rules(mem, said("I used to like jazz, but now I am into silence.", 1, session="second"))
    assert [one for one in facts(mem, current=False) if "jazz" in one] == []
    sound(mem)


def test_a_turn_that_waits_is_left_to_its_reader(stores: Stores) -> None:
    mem = stores.open()
    learn(mem, said(BOOKS, session="first"), reader=Reader(fails=True, stores_first=True))
    by_rules(
        mem, said("I used to be really into books about war and conflict, but lately I read poems.", 1, session="x")
    )
    assert [one.content for one in mem.memories() if one.unread] == [BOOKS]
    sound(mem)


def test_an_assistants_echo_goes_with_the_taste_and_its_long_answers_stay(stores: Stores) -> None:
    mem = stores.open()
    echo = "James Stewart is a fantastic choice; I'll note that you like him."
    answer = " ".join(
        ["James Stewart made several films with Hitchcock."] + [f"Film number {n} is one of them." for n in range(20)]
    )
    assistant = {"role": "assistant", "speaker": "Helper", "subjects": ["Ana"]}
    by_rules(
        mem,
        said("I like James Stewart.", session="first"),
        {**said(echo, session="first"), **assistant, "timestamp": said("")["timestamp"] + 1},
        {**said(answer, session="first"), **assistant, "timestamp": said("")["timestamp"] + 2},
    )
    question = "Which films with James Stewart would I like?"
    assert echo in shown(mem, question)
    by_rules(mem, said("I no longer like James Stewart.", 1, session="second"))
    assert echo not in shown(mem, question)
    assert echo in shown(mem, question, superseded=True)
    assert any(text.startswith("James Stewart made") for text in shown(mem, question))
    sound(mem)


def test_undo_brings_back_a_turn_that_said_no_more_than_what_was_read_then(stores: Stores) -> None:
    mem = stores.open()
    turn = mem.remember("I love coffee.", session="first", subjects=["Ana"], at=said("")["timestamp"]).id
    read = by_rules(mem, said("I used to love coffee, but now I hate it.", 1, session="second"))
    assert not held(mem, turn)
    mem.learning.undo(read.call)
    assert held(mem, turn)
    # The prompt has the newer of two that contradict each other, and says so.
    assert turn in [one.loser for one in mem.retrieve("Do I love coffee?").resolved]
    sound(mem)


def test_a_pinned_turn_stays_and_so_do_the_words_that_ended_something(stores: Stores) -> None:
    mem = stores.open()
    when = said("")["timestamp"]
    pinned = mem.remember(
        "I enjoy coffee from Elm Street. I love coffee.", session="x", subjects=["Ana"], at=when, pin=True
    )
    end = "I used to love coffee, but now I hate it."
    by_rules(mem, said(end, 1, session="second"))
    by_rules(mem, said("I no longer like coffee.", 2, session="third"))
    left = {one.content for one in mem.memories() if one.kind is Kind.EPISODIC and one.current}
    assert {pinned.content, end} <= left
    sound(mem)


def test_an_assistants_answer_about_another_or_to_another_question_stays(stores: Stores) -> None:
    mem = stores.open()
    dose = "Take 400 mg ibuprofen at most three times a day, with food rather than coffee."
    other = "Ana, your choice is noted: coffee with oat milk."
    assistant = {"role": "assistant", "speaker": "Helper"}
    by_rules(
        mem,
        said("I like coffee.", session="first", speaker="Bo", subjects=["Bo"]),
        {**said(dose, session="first", subjects=["Bo"]), **assistant, "timestamp": said("")["timestamp"] + 1},
        {**said(other, session="first", subjects=["Ana"]), **assistant, "timestamp": said("")["timestamp"] + 2},
    )
    by_rules(mem, said("I no longer like coffee.", 1, session="second", speaker="Bo", subjects=["Bo"]))
    assert dose in shown(mem, "Which dose of ibuprofen can I take?")
    assert other in shown(mem, "Which coffee is noted for Ana?")
    sound(mem)
