"""Each thing of a list is read, and none of them twice: pets, what was agreed, the people and points of a document."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.unit.extraction.test_denied_and_ended import read


def values(text: str, key: str) -> list[str]:
    """Return the contents of what is read with a key that begins with ``key``."""
    return [one.content for one in read(text) if (one.key or "").startswith(key)]


@pytest.mark.parametrize(
    ("text", "pets"),
    [
        ("I have three cats and a dog named Rex.", ["three cats", "a dog named Rex"]),
        ("I have a dog and two cats.", ["a dog", "two cats"]),
        ("We have a cat, two goldfish and a parrot called Kiki!", ["a cat", "two goldfish", "a parrot named Kiki"]),
        ("I have two cats named Ann and Bob and a dog.", ["two cats named Ann and Bob", "a dog"]),
        ("I have two cats, and a dog bit me.", ["two cats"]),
    ],
)
def test_each_pet_of_a_list_is_read(text: str, pets: list[str]) -> None:
    assert [said.partition(" ha")[2].partition(" ")[2] for said in values(text, "profile/pets")] == pets


def test_children_of_a_list_are_one_value() -> None:
    assert values("I have two sons and a daughter named Mia.", "profile/children") == [
        "Ana has two sons and a daughter named Mia"
    ]


def test_what_was_agreed_is_a_task_each_with_its_own_time() -> None:
    report, room = read("We agreed to send the report on Friday and to book the room.")
    assert (report.key, room.key) == ("todo/send report", "todo/book room")
    assert report.valid_to is not None
    assert datetime.fromtimestamp(report.valid_to / 1000, UTC).weekday() == 4
    assert room.valid_to is None
    assert [one.key for one in read("I promised Tom to mend the bike, to wash the car and to call Bo.")] == [
        "todo/mend bike",
        "todo/wash car",
        "todo/call bo",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "We agreed to disagree.",
        "We never agreed to sell the house.",
        "Last year we agreed to sell the house.",
        "They agreed to send the report.",
        "We agreed to sell the house but changed our minds.",
        "We agreed to stay friends.",
        "If we agreed to sell the house, we'd be rich.",
    ],
)
def test_what_was_not_agreed_to_be_done_is_no_task(text: str) -> None:
    assert values(text, "todo/") == []


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        ("The deadline was 3 May but it moved to 5 May.", "document/deadlin", ["Deadline: 5 May"]),
        ("Our deadline was Monday but has been pushed to Friday.", "document/deadlin", ["Deadline: Friday"]),
        ("The deadline was 3 May, and then we moved it to 5 May.", "document/deadlin", ["Deadline: 5 May"]),
        ("The deadline was 3 May, but now it's 5 May.", "document/deadlin", ["Deadline: 5 May"]),
        ("The budget was 400 EUR but it went up to 550 EUR.", "document/budget", ["Budget: 550 EUR"]),
        ("The deadline was 3 May but it moved.", "document/deadlin", []),
        ("The deadline is 3 May, but I moved to Oslo.", "document/deadlin", ["Deadline: 3 May"]),
        ("The title is Moved and Shaken.", "document/titl", ["Title: Moved and Shaken"]),
    ],
)
def test_of_a_field_that_changed_in_its_sentence_the_last_value_holds(text: str, key: str, said: list[str]) -> None:
    assert values(text, key) == said


@pytest.mark.parametrize(
    "text",
    [
        "The recipients are Ann Bell, Head of Sales, Toys Division; Tom Reed, CEO.",
        "The recipients are Ann Bell, Head of Sales, Toys Division; and Tom Reed, CEO.",
        'The recipients are "Ann Bell, Head of Sales, Toys Division" and "Tom Reed, CEO".',
        "The email should be sent to Ann Bell, Head of Sales, Toys Division and Tom Reed, CEO.",
        "The recipients are Ann Bell, Head of Sales, Toys Division, Tom Reed, CEO.",
    ],
)
def test_a_role_stays_with_its_name_and_a_division_with_its_role(text: str) -> None:
    assert values(text, "document/recipi") == [
        "Recipients: Ann Bell, Head of Sales, Toys Division",
        "Recipients: Tom Reed, CEO",
    ]


def test_a_role_of_two_words_with_and_is_one() -> None:
    assert values("The attendees are Ann Bell, Head of Sales and Service.", "document/") == [
        "Attendees: Ann Bell, Head of Sales and Service"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "For the proposal, key points should include: cost, pricing and upkeep.",
        "Please draft an email to Bo. The key points must cover cost, pricing and upkeep.",
        "Can you draft a report for the board; key points should include: cost, pricing and upkeep?",
    ],
)
def test_what_a_document_should_say_is_read_from_its_request(text: str) -> None:
    assert values(text, "document/point") == ["Points: cost", "Points: pricing", "Points: upkeep"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I like tea, chess and hiking, whatever she likes.", ["tea", "chess", "hiking"]),
        (
            "The stakeholders include the City Council, the Harbour Trust, and two schools.",
            ["City Council", "Harbour Trust", "two schools"],
        ),
        ("I live in Oslo.", ["I live in Oslo"]),
    ],
)
def test_each_thing_of_a_list_has_its_own_words(text: str, words: list[str]) -> None:
    assert [text[one.span.start : one.span.end] for one in read(text)] == words
