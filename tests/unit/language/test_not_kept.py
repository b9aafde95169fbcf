"""What asks, by its form, that a turn is not kept, and what only looks so, in five languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from marskg.language.not_kept.reading import Unkept, asked_not_to_keep

CASES = [
    tuple(line.split("\t"))
    for line in Path(__file__).parents[2].joinpath("data", "not_kept.tsv").read_text("utf-8").splitlines()
    if line and line[0] != "#"
]


@pytest.mark.parametrize(("half", "expected", "language", "turn"), CASES)
def test_a_turn_asks_or_only_looks_so(half: str, expected: str, language: str, turn: str) -> None:
    asked = asked_not_to_keep(turn.replace("\\n", "\n"))
    assert (asked is not None) is (expected == "asks"), (half, language, turn, asked)


def test_there_are_as_many_look_alikes_as_turns_that_ask() -> None:
    told = [(half, expected) for half, expected, _, _ in CASES]
    for half in ("seen", "unseen"):
        assert told.count((half, "asks")) == told.count((half, "kept")) == 20
    assert {language for _, _, language, _ in CASES} == {"en", "de", "fr", "es", "zh"}


@pytest.mark.parametrize(
    ("turn", "asked"),
    [
        ("Don't remember what I just said", Unkept.BEFORE),
        ("Speicher bitte nicht, was ich gerade gesagt habe.", Unkept.BEFORE),
        ("Ne retiens pas ce que je viens de dire", Unkept.BEFORE),
        ("No recuerdes lo que acabo de decir", Unkept.BEFORE),
        ("刚才说的别记", Unkept.BEFORE),
        ("Oh sorry, please don't store my last message, thanks", Unkept.BEFORE),
        # What stands before it in its own turn is what it points at.
        ("My PIN is 4711. Don't save what I just said.", Unkept.THIS),
        ("Don't write down what I say next.", Unkept.NEXT),
        ("Don't write down what I say next: I am ill.", Unkept.THIS),
    ],
)
def test_a_wish_points_at_its_turn_the_one_before_or_the_next(turn: str, asked: Unkept) -> None:
    assert asked_not_to_keep(turn) is asked


@pytest.mark.parametrize(
    "turn",
    [
        "Anna: I lost my job. Don't save this.\nBen: I won't.\nAnna: Thanks.",
        "> Please don't store this\nI agree with her, it is her right",
        "```\n# don't save this\nreturn 1\n```\nWhat does it do?",
        "The sign reads: do not store this",
        "5.200 people came, 3:30 in the morning",
        "",
        "…",
    ],
)
def test_what_others_wrote_and_code_ask_nothing(turn: str) -> None:
    assert asked_not_to_keep(turn) is None


def test_a_long_text_is_read_in_time_that_grows_with_it() -> None:
    assert asked_not_to_keep("I keep my recipes, and I save every note " * 5_000) is None
    assert asked_not_to_keep("don't " * 50_000) is None
