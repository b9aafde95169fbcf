"""Wishes as people say them, what is none, and how far a wish can go."""

from __future__ import annotations

import pytest

from marskg.errors import InvalidConfig
from marskg.language.en.wish_phrases import parse_wishes
from marskg.language.wish_kinds import Wish, WishKind
from marskg.learning.rules.wish_effects import Effect, WishRules, effect_on, lived, matches, ranked, started

SAID = [
    ("Please remember more about my garden.", WishKind.MORE, "my garden"),
    ("Remember everything about Ann!", WishKind.MORE, "Ann"),
    ("Pay more attention to my diet", WishKind.MORE, "my diet"),
    ("Don’t forget my mother's birthday", WishKind.MORE, "my mother's birthday"),
    ("Can you remember less about my job?", WishKind.LESS, "my job"),
    ("You don't need to remember so much about football", WishKind.LESS, "football"),
    ("Forget about my ex-husband.", WishKind.FORGET, "my ex-husband"),
    ("Please forget what I said about the surgery", WishKind.FORGET, "the surgery"),
    ("Delete everything you know about Acme", WishKind.FORGET, "Acme"),
    ("Don't remember this.", WishKind.FORGET, ""),
    ("Forget everything.", WishKind.FORGET, ""),
    ("Please forget all of it", WishKind.FORGET, ""),
    ("Forget all my memories", WishKind.FORGET, ""),
    ("Forget everything that I told you about", WishKind.FORGET, ""),
    ("Delete everything you know about me", WishKind.FORGET, ""),
    ("Forget everything about all the things in the shed", WishKind.FORGET, "all the things in the shed"),
    ("Forget about Dr. Berg.", WishKind.FORGET, "Dr. Berg"),
    ("Forget flat no. 12, please.", WishKind.FORGET, "flat no. 12"),
    ("Forget everything about nora@fjord.no, please.", WishKind.FORGET, "nora@fjord.no"),
    ("Stop mentioning 10.0.0.12!", WishKind.UNMENTIONED, "10.0.0.12"),
    ("Stop mentioning my weight, please!", WishKind.UNMENTIONED, "my weight"),
    ("Don't bring up Bob again.", WishKind.UNMENTIONED, "Bob"),
    ("Never mention the accident again", WishKind.UNMENTIONED, "the accident"),
    ("That's wrong.", WishKind.WRONG, ""),
    ("No, that is not true anymore!", WishKind.WRONG, ""),
    ("It's not true that I like tea", WishKind.WRONG, "I like tea"),
    ("You're wrong about my birthday.", WishKind.WRONG, "my birthday"),
    ("I never said I like tea.", WishKind.WRONG, "I like tea"),
]

NO_WISH = [
    "I forgot my keys",
    "I can't remember the name of the song",
    "I don't remember anything about school",
    "I'll never forget that day",
    "Do you remember my dog?",
    "I stopped talking about it",
    "What did I tell you about Ann?",
    "That's right.",
    "",
    "wrong",
]


@pytest.mark.parametrize(("utterance", "kind", "topic"), SAID)
def test_wishes_are_understood(utterance: str, kind: WishKind, topic: str) -> None:
    assert parse_wishes(utterance) == (Wish(kind, topic),)


@pytest.mark.parametrize("utterance", NO_WISH)
def test_what_is_no_wish_is_none(utterance: str) -> None:
    assert parse_wishes(utterance) == ()


def test_each_sentence_may_hold_a_wish() -> None:
    found = parse_wishes("That's wrong. Forget about Acme. The sun shines.")
    assert found == (Wish(WishKind.WRONG), Wish(WishKind.FORGET, "Acme"))


def test_a_topic_matches_by_its_terms_and_by_tags() -> None:
    wish = Wish(WishKind.LESS, "my old jobs")
    assert matches(wish, "The old job was dull")
    assert not matches(wish, "The new job is fine")
    assert matches(Wish(WishKind.LESS, "gardening"), "Water daily", ["gardening"])
    assert not matches(Wish(WishKind.WRONG), "anything")


@pytest.mark.parametrize(
    ("topic", "text", "hit"),
    [
        ("Dr. Berg", "Dr. Berg called", True),
        ("Dr. Berg", "Dr. Dahl called", False),
        ("Dr. Berg", "The berg melts, dr", False),
        ("nora@fjord.no", "Write to nora@fjord.no.uk", False),
        ("the card 4111-1111-1111-1111", "His card is 4111 1111 1111 1111", True),
        ("Zhang Wei aka 张伟", "张伟的订单", True),
        ("Berlin trip", "Berlin is cold", False),
        ("Berlin trip", "The trip to Berlin was long", True),
        ("Nora", "Nora-Lynn likes figs", False),
        ("service billing ownership", "Service billing has an owner: Ines owns it", True),
        ("service billing owner", "Service billing-export: Tom is the owner", False),
        ("user role editor rights", "User role editor-in-chief has all rights", False),
        ("user role editor rights", "User roles editor and editor-in-chief: the user has rights", True),
        ("lib-tea version", "The version of lib-tea", True),
        ("lib-tea version", "The version of lib-tea-client", False),
        ("peanut allergy plan", "The plan for my peanut-allergy", True),
        ("information about Aiden the patient", "Aiden has an allergy", True),
    ],
)
def test_a_wish_names_exactly_whom_it_names(topic: str, text: str, hit: bool) -> None:  # noqa: FBT001 - a column
    assert matches(Wish(WishKind.FORGET, topic), text) is hit


def test_the_latest_wish_about_a_memory_counts() -> None:
    wishes = [Wish(WishKind.UNMENTIONED, "tea"), Wish(WishKind.MORE, "tea"), Wish(WishKind.LESS, "coffee")]
    effect = effect_on(wishes, "Alice drinks tea")
    assert ranked(400_000, effect) == 600_000
    assert effect_on(wishes[:1], "Alice drinks tea").rank_percent == 0
    assert effect_on(wishes, "Alice has a cat") == Effect()


def test_effects_stay_in_their_bounds() -> None:
    more, forget = (WishRules().effects[kind] for kind in (WishKind.MORE, WishKind.FORGET))
    assert started(95, more) == 100
    assert started(30, forget) == 0
    assert (lived(1000, more), lived(None, more), lived(1000, forget), lived(None, forget)) == (2000, None, 0, 0)


@pytest.mark.parametrize("values", [{"rank_percent": 201}, {"rank_percent": -1}, {"life_percent": 401}])
def test_effects_out_of_bounds_are_refused(values: dict[str, int]) -> None:
    with pytest.raises(InvalidConfig, match="must be an integer"):
        Effect(**values)


def test_a_long_utterance_is_read_in_reasonable_time() -> None:
    assert parse_wishes("please " * 20_000 + "forget") == ()
    assert parse_wishes("that is " * 20_000) == ()
