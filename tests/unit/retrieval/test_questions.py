"""What questions ask for, on questions of many domains, half of which nothing was written by."""

from __future__ import annotations

from pathlib import Path

import pytest

from marskg.language.en.question_words import asks
from marskg.language.questions import Wanted
from marskg.language.times import LONGEST, Unit

#: Each line: what is asked for, in the words of :class:`Wanted`'s names, and the question.
_QUESTIONS = Path(__file__).parents[2] / "data" / "questions.tsv"
_ALL = [line.split("\t") for line in _QUESTIONS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("rows", "precision", "recall"), [(_ALL[::2], 0.98, 0.98), (_ALL[1::2], 0.98, 0.95)], ids=["open", "held out"]
)
def test_questions_are_told_apart(rows: list[list[str]], precision: float, recall: float) -> None:
    found = {question: asks(question) for _, question in rows}
    wanted = {question for label, question in rows if label != "none"}
    fired = {question for question, asked in found.items() if asked is not None}
    assert len(fired & wanted) >= precision * len(fired)
    assert len(fired & wanted) >= recall * len(wanted)
    told = {question: asked.wanted.name.lower() for question, asked in found.items() if asked is not None}
    right = [question for label, question in rows if told.get(question) == label]
    assert len(right) >= 0.98 * len(fired & wanted)


def test_of_what_it_is_asked_is_left_of_the_words() -> None:
    asked = asks("How much have I spent on coffee and train tickets with Anna last month?")
    assert asked is not None
    assert asked.wanted is Wanted.SUM
    assert asked.topics == (("coffe",), ("train", "ticket", "anna"))
    assert asked.names == ("anna",)
    assert asked.generic
    by = asks("Which week this month did I spend the most on coffee?")
    assert by is not None
    assert by.by is Unit.WEEK


@pytest.mark.parametrize(
    "question",
    ["", "?", "how much", "how many", "\n", "💶" * 300, "when " * 300, "how many " * (LONGEST // 9 + 1), "a" * 100_000],
)
def test_odd_questions_are_no_exception(question: str) -> None:
    asked = asks(question)
    assert asked is None or asked.wanted in Wanted
