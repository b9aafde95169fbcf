"""What a thing has come to is one value, what was never done is a fact, and no question behind it hides either."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from marskg.extraction.by_rules import RuleExtractor
from marskg.extraction.proposal import Proposal, Turn
from marskg.language.en.facts.changes.denials_said import denied

#: A Wednesday.
NOW = int(datetime(2025, 3, 12, 9, tzinfo=UTC).timestamp() * 1000)


def read(text: str) -> list[Proposal]:
    return list(RuleExtractor().extract([Turn(text, NOW, "Ana", "user")]))


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I live in Ghent, how do I register there?", "Ana lives in Ghent"),
        ("I'm allergic to latex, so can you suggest other gloves?", "Ana is allergic to latex"),
        ("I work as a nurse, and I'm wondering how to ask for a day off", "Ana works as nurse"),
        ("I live in Ghent, where do I begin?", "Ana lives in Ghent"),
    ],
)
def test_a_question_behind_a_statement_leaves_it_told(text: str, content: str) -> None:
    assert content in [one.content for one in read(text)]


@pytest.mark.parametrize(
    "text",
    [
        "I live in Ghent, is that right?",
        "I live in Ghent, don't I?",
        "If I live in Ghent, how do I register there?",
        "I have three dogs and sell one, how many are left?",
        'I read "I live in Ghent, how do I register there?"',
        "Do I live in Ghent, or where do I live now?",
        "Should I say I live in Ghent, how do you see it?",
    ],
)
def test_what_is_asked_of_the_statement_itself_is_not_told(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I've completed 10 drills so far.", "I recently completed 15 drills, can you give me some more?"),
        ("I only secured 3 viewings for the flat.", "How can I use the fact that I secured 5 viewings?"),
        ("My seed box holds 45 packets.", "Now that my seed box has 52 packets, how can I sort them?"),
        ("My bench press has gone up to 60 kg.", "My bench press dropped from 60 kg to 55 kg."),
        ("I have a deadline of April 1, 2025, for the grant.", "I know the grant deadline of April 5, can you help?"),
        (
            "I have a meeting with Dr Lind on March 22 at 3 PM.",
            "I might miss the meeting with Dr Lind, so can you remind me that it's moved to March 23 at noon?",
        ),
    ],
)
def test_what_a_thing_has_come_to_is_one_value(before: str, after: str) -> None:
    old, new = ({one.key for one in read(text) if one.key} for text in (before, after))
    assert old & new


@pytest.mark.parametrize(
    "text",
    [
        "I've read 3 books this week.",
        "I've visited 4 times.",
        "I haven't completed 10 drills.",
        "Have I completed 10 drills?",
        "She says I've completed 10 drills.",
        "If my seed box had 45 packets, I would stop.",
    ],
)
def test_what_is_counted_in_its_own_time_or_not_at_all_is_no_level(text: str) -> None:
    assert not [one for one in read(text) if (one.key or "").startswith(("count/", "measure/"))]


def test_what_was_never_done_is_told() -> None:
    (told,) = read("I've never used any mapping app, like the one you named.")
    assert (told.content, told.maker.rule) == ("Ana has never used any mapping app", "denial.never")
    either = [deed.split() for deed in denied("Ana has never tasted tea or coffee at Kiln House before.")]
    assert either == [["tasted", drink, "at", "Kiln", "House"] for drink in ("tea", "coffee")]
