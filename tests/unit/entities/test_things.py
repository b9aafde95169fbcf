"""Which noun phrases become things."""

from __future__ import annotations

import pytest

from marskg.drafts import EntityRef
from marskg.entities import MAX_THINGS, KnownNames, Recogniser
from marskg.language.en.morphology import singular

RECOGNISER = Recogniser()


def things(text: str) -> list[str]:
    return [m.name for m in RECOGNISER.find(text).mentions if m.entity_type == "thing"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I planted tomatoes and peppers in the raised bed.", ["tomato", "pepper", "raised bed"]),
        ("My garden needs compost.", ["garden"]),
        ("Our dog chased her neighbour's black cat.", ["dog", "black cat"]),
        ("A tomato is a kind of fruit.", ["tomato", "fruit"]),
        ("It costs 3 apples.", ["apple"]),
        ("She waters the tomatoes.", ["tomato"]),
        ("I love my new electric bike and a good book.", ["electric bike"]),
        ("The raised bed dries out.", ["raised bed"]),
        ("The garden is green.", []),
        ("My favourite is best, and my sister really came.", []),
        ("She works and he likes to cook every day.", []),
        ("A lot of people had a great time this week.", []),
    ],
)
def test_things_are_what_english_marks_as_nouns(text: str, expected: list[str]) -> None:
    assert things(text) == expected


def test_what_is_known_is_found_without_a_determiner_and_in_both_numbers() -> None:
    known = KnownNames([EntityRef("tomato", "thing")])
    for text in ("recall tomatoes", "tomato", "water the tomato now"):
        assert [m.name for m in RECOGNISER.find(text, known=known).mentions] == ["tomato"]
    assert RECOGNISER.find("recall tomatoes").mentions == ()


def test_the_form_that_was_said_is_an_alias() -> None:
    assert RECOGNISER.find("I planted tomatoes.").mentions == (EntityRef("tomato", "thing", ("tomatoes",)),)


def test_things_are_capped_and_can_be_left_out() -> None:
    nouns = ["apples", "pears", "plums", "beans", "onions", "carrots", "lemons", "grapes", "berries", "nuts"]
    text = "I bought " + " and ".join(nouns) + "."
    assert things(text) == [singular(noun) for noun in nouns][:MAX_THINGS]
    assert Recogniser(max_things=0).find(text).mentions == ()


@pytest.mark.parametrize(
    ("plural", "expected"),
    [
        ("tomatoes", "tomato"),
        ("berries", "berry"),
        ("boxes", "box"),
        ("shoes", "shoe"),
        ("news", "news"),
        ("glass", "glass"),
        ("radishes", "radish"),
        ("bus", "bus"),
        ("pies", "pie"),
        ("physics", "physics"),
    ],
)
def test_regular_plurals(plural: str, expected: str) -> None:
    assert singular(plural) == expected
