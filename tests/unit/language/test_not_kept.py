"""What asks, by its form, that a turn is not kept, and what only looks so, in five languages."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from marskg.language.not_kept.reading import Unkept, asked_not_to_keep

CASES = [
    tuple(line.split("\t"))
    for line in Path(__file__).parents[2].joinpath("data", "not_kept.tsv").read_text("utf-8").splitlines()
    if line and line[0] != "#"
]


PARTS = ("seen", "unseen", "built", "held", "further")
LANGUAGES = ("en", "de", "fr", "es", "zh")


@pytest.mark.parametrize(("part", "language"), [*product(PARTS, LANGUAGES), ("further", "mixed")])
def test_turns_ask_or_only_look_so(part: str, language: str) -> None:
    told = [(expected, turn) for one, expected, other, turn in CASES if (one, other) == (part, language)]
    assert told
    wrong = [
        (expected, turn)
        for expected, turn in told
        if (asked_not_to_keep(turn.replace("\\n", "\n")) is not None) is not (expected == "asks")
    ]
    assert wrong == []


def test_there_are_look_alikes_beside_turns_that_ask() -> None:
    told = [(part, expected) for part, expected, _, _ in CASES]
    for part in ("seen", "unseen"):
        assert told.count((part, "asks")) == told.count((part, "kept")) == 20
    # Those that only confide are kept.
    for part, asks, kept in (("built", 30, 29), ("held", 35, 25)):
        assert (told.count((part, "asks")), told.count((part, "kept"))) == (asks, kept)


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        # A letter left out, added, replaced or swapped: not so where the word is another one.
        ("please dont svae this my pin is 4711", "asks"),
        ("pleese don't stor this, I am ill", "asks"),
        ("Bitte nciht speichern, ich bin krank", "asks"),
        ("Ne garde pas ça en mémmoire", "asks"),
        ("No guadres esto: debo dinero", "asks"),
        ("Don't shave this", "kept"),
        ("Ich schreibe das nicht auf, ich merke es mir", "kept"),
    ],
)
def test_one_letter_may_be_wrong(turn: str, expected: str) -> None:
    assert (asked_not_to_keep(turn) is not None) is (expected == "asks")


@pytest.mark.parametrize(
    ("turn", "asked"),
    [
        ("Don't remember what I just said", Unkept.BEFORE),
        ("Speicher bitte nicht, was ich gerade gesagt habe.", Unkept.BEFORE),
        ("Ne retiens pas ce que je viens de dire", Unkept.BEFORE),
        ("No recuerdes lo que acabo de decir", Unkept.BEFORE),
        ("刚才说的别记", Unkept.BEFORE),
        ("Oh sorry, please don't store my last message, thanks", Unkept.BEFORE),
        ("forget i said that", Unkept.BEFORE),
        ("Kannst du bitte vergessen, was ich gerade gesagt habe?", Unkept.BEFORE),
        ("Tu peux oublier ce que je viens de dire ?", Unkept.BEFORE),
        ("Borra lo que te acabo de contar.", Unkept.BEFORE),
        ("把我刚才说的都忘了吧。", Unkept.BEFORE),
        ("Please delete that from your memory.", Unkept.THIS),
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
        "Forget what I said earlier, the meeting is on Wednesday.",
        "Vergiss, was ich gesagt habe, der Termin ist am Mittwoch.",
        "Anna: I lost my job. Don't save this.\nBen: I won't.\nAnna: Thanks.",
        "> Please don't store this\nI agree with her, it is her right",
        "```\n# don't save this\nreturn 1\n```\nWhat does it do?",
        "The sign reads: do not store this",
        "\ue000 \ue001 I keep no notes of it",
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
    assert asked_not_to_keep(f"{'ok now then ' * 30}zzz keep no note") is None


def test_a_word_of_a_million_letters_is_no_slip_of_a_wish() -> None:
    # It ends: a word has as many slips as letters, each as long as itself.
    assert asked_not_to_keep("x" * 1_000_000) is None
    assert asked_not_to_keep("Don't remember this: " + "x" * 1_000_000) is Unkept.THIS
