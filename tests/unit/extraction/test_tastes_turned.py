"""Tastes that came, went, cooled or turned, in other words than like and dislike; and what only sounds like one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.extraction.test_denied_and_ended import read

if TYPE_CHECKING:
    from marskg.extraction.proposal import Proposal


def tastes(text: str) -> list[Proposal]:
    return [one for one in read(text) if (one.key or "").startswith("preference/")]


@pytest.mark.parametrize(
    "text",
    [
        "Chess has lost its charm for me.",
        "Chess is losing all its appeal for me.",
        "The novelty of chess has worn off.",
        "I've gone right off chess.",
        "I've had more than enough of chess.",
        "I've had my fill of chess.",
        "I've had it with chess.",
        "I'm sick and tired of chess.",
        "I'm getting bored with chess.",
        "I'm fed up with chess.",
        "I'm over chess.",
        "I'm so over chess.",
        "I've cooled on chess.",
        "I burned out on chess.",
        "I've soured on chess.",
        "I've outgrown chess.",
        "I fell out of love with chess.",
        "I've turned my back on chess.",
        "I've lost my passion for chess.",
        "Chess doesn't do it for me any more.",
        "Chess no longer appeals to me.",
        "Honestly, chess isn't my thing anymore.",
        "Chess used to be my thing.",
    ],
)
def test_a_taste_that_went_ends(text: str) -> None:
    assert [(one.operation.value, one.key) for one in tastes(text)] == [("end", "preference/chess")]


@pytest.mark.parametrize(
    "text",
    [
        "I've been enjoying chess less lately.",
        "I like chess less than I used to.",
        "I like chess less and less.",
        "I don't enjoy chess as much anymore.",
        "I'm not as keen on chess as I was.",
    ],
)
def test_what_is_liked_less_ends_by_these_words(text: str) -> None:
    (found,) = tastes(text)
    assert (found.operation.value, found.key, found.content) == (
        "end",
        "preference/chess",
        "Ana likes chess less than before",
    )


@pytest.mark.parametrize(
    "text",
    [
        "I've come round to chess.",
        "I've come around to playing chess.",
        "I've warmed to chess.",
        "I've developed a taste for chess.",
        "I've discovered a love of chess.",
        "I fell in love with chess.",
        "I can't get enough of chess.",
        "I've always had a soft spot for chess.",
        "I'm a sucker for chess.",
        "I'm partial to chess.",
        "I'm really digging chess.",
        "I'm finding myself really into chess.",
        "I became obsessed with chess.",
        "Chess has grown on me.",
        "Lately, chess has won me over.",
        "Chess is right up my alley.",
        "Chess is my new favourite game.",
        "Give me chess over poker any day.",
        "I'd take chess over poker any day.",
        "These days I prefer chess over poker.",
        "I've been preferring chess to poker lately.",
        "I'm a huge chess fan.",
        "I'm more of a chess person.",
    ],
)
def test_a_taste_that_came_is_one(text: str) -> None:
    assert [(one.payload["relations"], one.key) for one in tastes(text)] == [(("likes",), "preference/chess")]


@pytest.mark.parametrize(
    "text",
    [
        "Turns out chess isn't for me.",
        "Chess is not really my cup of tea.",
        "Chess doesn't do it for me.",
        "Chess leaves me cold.",
        "Chess bores me.",
        "I can't bear chess.",
        "Once I loved chess; now I hate it.",
    ],
)
def test_what_is_not_for_one_is_disliked(text: str) -> None:
    assert [(one.payload["relations"], one.key) for one in tastes(text)] == [(("dislikes",), "preference/chess")]


@pytest.mark.parametrize(
    "text",
    ["Chess used to be my thing, but now it's poker.", "My tastes have shifted from chess to poker."],
)
def test_a_taste_that_turned_ends_and_begins(text: str) -> None:
    assert [(one.operation.value, one.key) for one in tastes(text)] == [
        ("end", "preference/chess"),
        ("add", "preference/poker"),
    ]


def test_a_last_name_is_the_name_that_was_said_before_it() -> None:
    first, second = tastes("I adore Bo Lindqvist's books. Lindqvist has won me over.")
    assert (first.key, second.key) == ("preference/bo lindqvist", "preference/bo lindqvist")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Please don't suggest golf again.", "rule/suggest golf"),
        ("Please stop recommending horror films.", "rule/recommend horror film"),
    ],
)
def test_what_is_not_to_be_suggested_is_a_rule(text: str, rule: str) -> None:
    assert [one.key for one in read(text)] == [rule]


@pytest.mark.parametrize(
    "text",
    [
        "I'm over 40.",
        "I'm over it.",
        "I'm over my cold.",
        "I'm over the moon about chess.",
        "I'm over at Bo's.",
        "I've had enough of this week.",
        "I've had enough of the noise.",
        "I'm tired of waiting.",
        "I'm fed up with my boss.",
        "I burned out at work.",
        "The parcel isn't for me.",
        "It doesn't work for me any more.",
        "The house has lost its charm for the buyers.",
        "My hair has grown on me.",
        "The cake used to be my job, now it's Bo's.",
        "I've come round to see Bo.",
        "I've come round to the idea.",
        "I've taken to bed with flu.",
        "I got into trouble.",
        "I got into the car.",
        "I like chess less than poker.",
        "Give me the list over email any day.",
        "I'm a morning person.",
        "I'm a huge fan.",
        "Is chess for me?",
        "Don't suggest that again.",
    ],
)
def test_what_only_sounds_like_a_taste_is_none(text: str) -> None:
    assert not [one for one in read(text) if (one.key or "").startswith(("preference/", "rule/"))]
