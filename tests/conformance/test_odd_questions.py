"""Odd stores and odd questions: an answer, or nothing with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from marskg.config import Settings
from marskg.drafts import Draft
from marskg.errors import InvalidInput
from marskg.ontology.vocabulary import Kind
from tests.support.stores import START

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

FACTS: Final = (
    "I live in Graz",
    "My sister is called Bea",
    "I like jazz and rye bread",
    "I don't like olives",
    "My passport expires on 3 May 2027",
    "The dentist is on Lindenstrasse 4",
)
#: What asks for all of them but what is not liked.
FIVE: Final = (
    "Where do I live?",
    "What is my sister called?",
    "What do I like?",
    "When does my passport expire?",
    "Where is the dentist?",
)
MANY: Final = 10_000


def opened(stores: Stores, *texts: str) -> AgentMemory:
    memory = stores.open(retrieval__min_confidence=Settings().retrieval.min_confidence)
    for number, text in enumerate(texts):
        memory.remember(text, session=f"day-{number}")
    return memory


def shown(memory: AgentMemory, question: str) -> list[str]:
    """Return what is shown; nothing only with the reason."""
    found = memory.retrieve(question, token_budget=1000)
    assert found.hits or found.notices, question
    assert found.tokens <= 1000
    return [one.memory.content or "" for one in found]


@pytest.mark.parametrize("question", ["Where do I live?", "x", "?", "What is my shoe size?", "Graz"])
def test_a_store_of_one_memory_answers_or_says_why_not(stores: Stores, question: str) -> None:
    assert shown(opened(stores, FACTS[0]), question) in ([FACTS[0]], [])


def test_a_store_of_nothing_says_so(stores: Stores) -> None:
    memory = opened(stores)
    assert shown(memory, "Where do I live?") == []


def test_many_memories_that_say_the_same_are_one_line_and_hide_no_other(stores: Stores) -> None:
    memory = opened(stores, FACTS[0])
    same = "The plant in the hall gets water on Mondays"
    memory.remember_many(
        Draft(ref=f"s{n}", kind=Kind.EPISODIC, content=same, at=START - n * 1000, identity=str(n)) for n in range(MANY)
    )
    assert shown(memory, "When does the plant get water?").count(same) == 1
    assert shown(memory, "Where do I live?")[0] == FACTS[0]


@pytest.mark.parametrize("question", ["a", "I", "7", "é", "本"])
def test_a_question_of_one_letter_has_an_answer_or_a_reason(stores: Stores, question: str) -> None:
    shown(opened(stores, *FACTS), question)


@pytest.mark.parametrize("question", ["?", "...", "?!?!", "-", "¿?", "—", "()[]{}", '"', "🙂", "%_*\\"])
def test_a_question_of_marks_has_an_answer_or_a_reason(stores: Stores, question: str) -> None:
    shown(opened(stores, *FACTS), question)


@pytest.mark.parametrize("question", ["", " ", "\n\t", "\u200b"])
def test_a_question_of_nothing_is_refused_or_has_a_reason(stores: Stores, question: str) -> None:
    memory = opened(stores, *FACTS)
    if question.strip():
        shown(memory, question)
        return
    with pytest.raises(InvalidInput, match="empty"):
        memory.retrieve(question)


def test_a_question_of_five_thousand_words_has_its_answer(stores: Stores) -> None:
    memory = opened(stores, *FACTS)
    words = "so today we talked for long about the weather and the news " * 416
    for question in (f"Where do I live? {words}", f"{words} Where do I live in Graz?", "where do I live " * 1250):
        assert len(question.split()) >= 4_990
        assert FACTS[0] in shown(memory, question)
    with pytest.raises(InvalidInput, match="bytes"):
        memory.retrieve("a question that goes on and on " * 5_000)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Where do I live and what is my sister called?", (0, 1)),
        ("Where is the dentist, and when does my passport expire?", (4, 5)),
        (" ".join((*FIVE, "Please.")), (0, 1, 2, 4, 5)),
    ],
)
def test_a_question_of_several_things_has_each(stores: Stores, question: str, wanted: tuple[int, ...]) -> None:
    found = shown(opened(stores, *FACTS), question)
    assert {FACTS[one] for one in wanted} <= {*found}


@pytest.mark.parametrize("question", ["What do I *not* like?", "What don't I like?", "What do I NOT like?"])
def test_a_question_that_denies_has_what_is_denied(stores: Stores, question: str) -> None:
    assert "I don't like olives" in shown(opened(stores, *FACTS), question)[:2]


@pytest.mark.parametrize(
    "question",
    [
        "What happened on 30 February?",
        "What did I do on 31 April 2026?",
        "Where was I on 2026-02-30?",
        "What is on 29 February 2027?",
        "What happened on the 45th of May?",
        "Was war am 31. Februar?",
    ],
)
def test_a_day_that_does_not_exist_has_an_answer_or_a_reason(stores: Stores, question: str) -> None:
    shown(opened(stores, *FACTS), question)
