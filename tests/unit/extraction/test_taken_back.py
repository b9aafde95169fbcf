"""What is taken back in one breath is not said: a jest, a guess, a wrong finding, a habit that came back."""

from __future__ import annotations

import pytest

from marskg.extraction.proposal import Proposal, ProposalOperation
from tests.unit.extraction.test_denied_and_ended import read


def kept(text: str) -> list[Proposal]:
    """Return what is read as a value or a change of one, without what only happened."""
    return [one for one in read(text) if one.key or one.operation is not ProposalOperation.ADD]


@pytest.mark.parametrize(
    "text",
    [
        "I live in Lund, said nobody ever.",
        "I live in Lund. That was a lie.",
        "I live in Lund. That was all made up, of course.",
        "I'm a welder. I was joking!",
        "I'm a welder. Nah, I'm pulling your leg.",
        "I'm allergic to latex. Haha. Just kidding.",
        "I have a dog. I'm a welder. None of that is true.",
        "Maybe I'm a vegetarian.",
        "Perhaps my brother is allergic to latex.",
        "I'm a vegetarian, maybe.",
        "I'm allergic to latex, not sure.",
        "I quit coffee, then started again.",
        "I gave up smoking but I'm back to it.",
        "I gave up smoking. Sadly I started again in May.",
        "I'm no longer vegan, but I might as well say I went back to it.",
        "They ruled out that I'm allergic to latex.",
        "There's no proof that I have asthma.",
        "I was told I'm allergic to latex but the test was wrong.",
        "I have asthma, but it was a misdiagnosis.",
        "I'm allergic to latex. Luckily, the test turned out to be wrong.",
    ],
)
def test_what_is_taken_back_in_one_breath_was_not_said(text: str) -> None:
    assert kept(text) == []


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("I have a dog. I was joking with Tom about cats.", "profile/pets"),
        ("I live in Lund. It is true.", "profile/home"),
        ("That's not true. I live in Lund.", "profile/home"),
        ("Maybe later, but I'm a vegetarian.", "profile/diet"),
        ("I quit coffee and started yoga.", "profile/given up"),
        ("I gave up sugar, then went back to Oslo.", "profile/given up"),
        ("I work as a nurse, but my first job was wrong for me.", "profile/job"),
        ("I'm allergic to latex, and it was a mistake to wear gloves.", "profile/allergies"),
    ],
)
def test_what_only_sounds_like_taking_back_leaves_what_was_said(text: str, key: str) -> None:
    assert [one.key for one in kept(text)] == [key]


@pytest.mark.parametrize(
    "text",
    [
        "My sister was a nurse.",
        "My brother Tom was a nurse until 2019.",
        "Tom was a nurse.",
        "My father had diabetes.",
        "I must have called the dentist ten times.",
        "I must have left my keys at work.",
        "My daughter is 12 weeks pregnant.",
        "My nephew is three months old.",
        "My notice period is 3 months.",
        "My mum is in tomorrow.",
        "I don't like jazz when it is too loud.",
        "I hate jazz unless it's live.",
        "I don't like jazz as much as blues.",
        "I'm not a fan of jazz anymore when it's loud.",
        "I hate coffee after noon.",
        "Summarise this: the deadline is 3 May. I'm allergic to latex.",
        "Please summarize the following text.\nI live in Lund. Budget: 300 EUR.",
        "Rewrite this paragraph for me: I'm a nurse in Leeds.",
        "Translate to German: I live in Lund. My deadline is 3 May.",
    ],
)
def test_what_was_is_for_a_while_or_somebody_elses_is_no_value(text: str) -> None:
    assert kept(text) == []


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("My sister is a nurse.", "person/sister/job"),
        ("I must have a blood test by Friday.", "todo/blood test"),
        ("My exam is in two weeks.", "calendar/exam"),
        ("My exam is two weeks from now.", "calendar/exam"),
        ("I don't like jazz at all.", "preference/jazz"),
        ("I don't like jazz if I'm honest.", "preference/jazz"),
        ("I'm not a fan of jazz when it comes to music.", "preference/jazz"),
        ("Can you summarise my week? I live in Lund.", "profile/home"),
    ],
)
def test_what_is_said_for_good_stays_a_value(text: str, key: str) -> None:
    assert [one.key for one in kept(text)] == [key]
