"""A document is evidence: its passage goes before talk that only has the question's words, and yields to an answer."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from marskg.config import Settings
from marskg.drafts import Draft
from marskg.language.answering.kinds import KINDS, kind_asked, kinds_told
from marskg.ontology.vocabulary import Kind, SourceType
from tests.support.stores import START

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

DATA: Final = Path(__file__).parents[1] / "data"
HOUR: Final = 3_600_000
#: Of 40 questions, how many have the passage first at least.
FIRST: Final = {"static": 26, "e5": 36}
#: How many of the user's answers may stand behind what is written.
MISSED = {"static": 1, "e5": 1}


def rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


PASSAGES: Final = rows("document_passages.tsv")
OVERRULED: Final = rows("document_overruled.tsv")


def filled(stores: Stores, model: str, said: Sequence[str], written: Sequence[str]) -> AgentMemory:
    """Return a store of a chat, eight turns a session, and of what is written, older than all of it."""
    floor = Settings().retrieval.min_confidence
    memory = stores.open(embedding__model=model, retrieval__min_confidence=floor)
    turns = [
        Draft(ref=f"t{n}", kind=Kind.EPISODIC, content=text, at=START - (500 - n) * HOUR, session=f"chat-{n // 8}",
              source_type=SourceType.CHAT_USER)
        for n, text in enumerate(said)
    ]  # fmt: skip
    passages = [
        Draft(ref=f"d{n}", kind=Kind.SEMANTIC, content=text, at=START - 1000 * HOUR + n, source_type=SourceType.DOC)
        for n, text in enumerate(written)
    ]
    memory.remember_many([*turns, *passages])
    assert memory._components.late.finish(120)
    return memory


def contents(memory: AgentMemory, question: str) -> list[str]:
    return [one.memory.content or "" for one in memory.retrieve(question, token_budget=1000)]


@pytest.mark.parametrize("model", FIRST)
def test_the_passage_that_answers_goes_before_talk_with_the_words_of_the_question(stores: Stores, model: str) -> None:
    passages = [f"{one['heading']}. {one['passage']}" for one in PASSAGES]
    memory = filled(stores, model, [one["turn"] for one in PASSAGES], passages)
    found = [contents(memory, one["question"])[:1] == [text] for one, text in zip(PASSAGES, passages, strict=True)]
    assert sum(found) >= FIRST[model]


@pytest.mark.parametrize("model", FIRST)
def test_what_the_user_says_that_answers_goes_before_what_is_written(stores: Stores, model: str) -> None:
    said = [one["turn"] for one in PASSAGES] + [one["statement"] for one in OVERRULED]
    memory = filled(stores, model, said, [one["passage"] for one in OVERRULED])
    missed = []
    for one in OVERRULED:
        found = contents(memory, one["question"])
        assert one["statement"] in found
        after = found[found.index(one["statement"]) :]
        if one["passage"] not in after and one["passage"] in found:
            missed.append(one["question"])
    assert len(missed) <= MISSED[model], missed


def test_a_document_that_does_not_bear_goes_before_nothing(stores: Stores) -> None:
    said = ["We went to the lake on the weekend", "Jonas made pancakes", "The tent leaked"]
    memory = filled(stores, "static", said, [f"{one['heading']}. {one['passage']}" for one in PASSAGES])
    assert contents(memory, "Did the tent leak at the lake?")[0] in said


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How much is the rent?", "amount"),
        ("And by how much may it go up?", "amount"),
        ("Please tell me, who repairs it?", "person"),
        ("Wie hoch ist die Kaution?", "amount"),
        ("¿Dónde pongo la bicicleta?", "place"),
        ("Pourquoi la pompe fait du bruit ?", "reason"),
        ("When did I buy it?", ""),
        ("What is the notice period?", ""),
    ],
)
def test_what_kind_of_answer_a_question_asks_for(question: str, kind: str) -> None:
    width = len(KINDS)
    assert bool(kind_asked(question)) == bool(kind)
    if kind:
        assert 1 << (kind_asked(question).bit_length() - 1) % width == KINDS[kind]


def test_a_long_text_may_have_any_answer() -> None:
    assert kinds_told("The rent is a mystery. " * 20) == 0
