"""What asks, by its form, that a turn is not kept, and what only looks so, in five languages."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from marskg.language.not_kept.reading import Unkept, asked_by_frames, asked_not_to_keep

CASES = [
    tuple(line.split("\t"))
    for line in Path(__file__).parents[2].joinpath("data", "not_kept.tsv").read_text("utf-8").splitlines()
    if line and line[0] != "#"
]


DATA = Path(__file__).parents[2] / "data"
#: By six writers who saw neither frames nor signs, and one who asks to keep what is not so;
#: and by one of whom nothing was learned.
OTHERS = json.loads((DATA / "not_kept_others.json").read_text("utf-8"))
UNSEEN = json.loads((DATA / "not_kept_unseen.json").read_text("utf-8"))
PARTS = ("seen", "unseen", "built", "held", "further")
LANGUAGES = ("en", "de", "fr", "es", "zh")


@pytest.mark.parametrize(("part", "language"), [*product(PARTS, LANGUAGES), ("further", "mixed")])
def test_turns_ask_or_only_look_so(part: str, language: str) -> None:
    told = [(expected, turn) for one, expected, other, turn in CASES if (one, other) == (part, language)]
    assert told
    wrong = [
        (expected, turn)
        for expected, turn in told
        if (asked_by_frames(turn.replace("\\n", "\n")) is not None) is not (expected == "asks")
    ]
    assert wrong == []


def test_few_of_what_was_written_to_look_so_are_taken_by_signs() -> None:
    kept = [turn.replace("\\n", "\n") for _, expected, _, turn in CASES if expected == "kept"]
    assert len(kept) == 388
    assert sum(asked_not_to_keep(turn) is not None for turn in kept) <= 15


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
        ("Ne retiens pas ce dont nous venons de parler", Unkept.BEFORE),
        ("Merk dir nicht, was wir gerade besprochen haben", Unkept.BEFORE),
        ("No guardes esto que hablamos entre nosotros", Unkept.THIS),
        ("Speichere nicht, worüber wir hier reden", Unkept.THIS),
        ("No guardes lo que te voy a contar de mi hermana", Unkept.NEXT),
        ("Forget what I'm about to tell you about my sister", Unkept.NEXT),
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


def taken(told: list[dict[str, Any]], *, asks: bool) -> int:
    return sum(asked_not_to_keep(one["text"]) is not None for one in told if one["asks"] is asks)


def test_turns_of_a_writer_of_whom_nothing_was_learned_are_told_apart() -> None:
    assert taken(UNSEEN, asks=True) >= 70
    assert taken(UNSEEN, asks=False) <= 5
    assert sum(asked_by_frames(one["text"]) is not None for one in UNSEEN if one["asks"]) <= 60, "signs add nothing"


@pytest.mark.parametrize(("writer", "least"), [("a", 48), ("b", 50), ("c", 65), ("d", 75), ("f", 50), ("g", 55)])
def test_turns_of_other_writers_are_told_apart(writer: str, least: int) -> None:
    told = [one for one in OTHERS if one["writer"] == writer]
    assert taken(told, asks=True) >= least
    assert taken(told, asks=False) <= 15


def test_who_asks_to_keep_what_is_not_so_is_kept() -> None:
    told = [one for one in OTHERS if one["writer"] == "h"]
    assert len(told) == 150
    assert taken(told, asks=False) <= 7
    for turn in (
        "Please remember that I can't eat nuts",
        "Merk dir bitte, dass ich keine Nüsse vertrage",
        "Aisle seat, always. I get claustrophobic at the window, but please don't write that into the travel form.",
        "Please forget what I said about my divorce.",
        "I actually just scheduled my dentist appointment, so you can remove that from my to-do list.",
        "Could you remove him from my preferences?",
    ):
        assert asked_not_to_keep(turn) is None


def test_what_no_frame_knows_asks_of_its_own_turn_alone() -> None:
    turn = "once we are done here i want no trace of it left on your side"
    assert asked_by_frames(turn) is None
    assert asked_not_to_keep(turn) is Unkept.THIS
    assert asked_not_to_keep(f'She wrote to me: "{turn}"') is None


def test_of_a_long_turn_the_first_and_the_last_sentences_are_looked_at() -> None:
    wish, talk = "once we're done here i want zero trace of it on your side. ", "It rained on our way to Porto. "
    assert asked_by_frames(wish) is None
    for place in (0, 200):
        assert asked_not_to_keep(talk * place + wish + talk * (200 - place)) is Unkept.THIS
    assert asked_not_to_keep("a" * 1_000_000) is None
