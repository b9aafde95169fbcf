"""Of two turns that tell one thing's value the newer is shown before the older (semantics section 13, ADR 100)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.support.stores import START

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.memory import AgentMemory
    from marskg.retrieval.assembly.hits import Hits
    from tests.support.stores import Stores

DAY = 86_400_000
OLD_HOME, NEW_HOME = "I live in Halle, near the station", "I moved to Leipzig, I live in the south now"
LIFE = (
    OLD_HOME,
    "my cat is called Minka",
    "The launch is on 1 July",
    "I'm allergic to peanuts",
    "Nice! Anything else?",
    "we bought a red Skoda last week",
    "my sister Jana studies law",
    "der Zahnarzttermin ist am Dienstag um neun",
    "flight to Oslo is on Monday at 9",
    "rent is 700 euros a month",
    "Actually no, the launch is on 2 July",
    "the Oslo flight was cancelled, the new one is on Tuesday at 11",
    NEW_HOME,
    "der Zahnarzttermin ist jetzt erst am Freitag um zehn",
    "we sold the Skoda and bought a blue Renault",
    "rent goes up to 760 euros from May",
    "I had noodles for dinner",
    "the weather is awful",
    "reading a book on bees",
    "Jana switched to medicine",
)
CHANGED = (
    ("When is the launch?", "The launch is on 1 July", "Actually no, the launch is on 2 July"),
    ("when is the launch", "The launch is on 1 July", "Actually no, the launch is on 2 July"),
    ("Where do I live?", OLD_HOME, NEW_HOME),
    (
        "When does my flight to Oslo leave?",
        "flight to Oslo is on Monday at 9",
        "the Oslo flight was cancelled, the new one is on Tuesday at 11",
    ),
    ("How much is my rent?", "rent is 700 euros a month", "rent goes up to 760 euros from May"),
    ("What does Jana study?", "my sister Jana studies law", "Jana switched to medicine"),
    (
        "Wann ist der Zahnarzttermin?",
        "der Zahnarzttermin ist am Dienstag um neun",
        "der Zahnarzttermin ist jetzt erst am Freitag um zehn",
    ),
)


def _told(memory: AgentMemory, life: Iterable[str] = LIFE, *, learn: bool = False) -> AgentMemory:
    for number, text in enumerate(life):
        at, session = START - (90 - number) * DAY, f"day-{number // 4}"
        role = "assistant" if text.endswith("?") else "user"
        if learn:
            memory.learn({"content": text, "role": role, "session": session, "timestamp": at})
        else:
            memory.remember(text, session=session, at=at, source_type=f"chat_{role}")
    return memory


def _texts(hits: Hits) -> list[str]:
    return [hit.memory.content or "" for hit in hits]


@pytest.mark.parametrize("learn", [False, True])
def test_the_newer_value_stands_before_the_older(stores: Stores, *, learn: bool) -> None:
    memory = _told(stores.open(embedding__model="static"), learn=learn)
    for question, old, new in CHANGED:
        shown = _texts(memory.retrieve(question))
        assert new in shown, question
        assert old not in shown or shown.index(new) < shown.index(old), question


def test_the_older_one_is_marked_in_every_form_and_in_its_record(stores: Stores) -> None:
    memory = _told(stores.open(embedding__model="static"))
    hits = memory.retrieve("How much is my rent?", k=4)
    by_text = {hit.memory.content: hit for hit in hits}
    old, new = by_text["rent is 700 euros a month"], by_text["rent goes up to 760 euros from May"]
    assert old.newer == new.memory.id
    assert new.newer is None
    assert ". perhaps outdated: rent is 700 euros a month" in hits.as_text()
    assert hits.as_text().count("perhaps outdated") == sum(hit.newer is not None for hit in hits)
    lines = {line["content"]: line["newer"] for line in hits.as_dict()["memories"]}
    assert lines["rent is 700 euros a month"] == new.memory.id
    events = memory.explain(old.memory.id).events
    assert any(f"perhaps outdated by {new.memory.id}" in (event.why or "") for event in events)
    # Where there are no headings with days, the line says its own.
    small = memory.retrieve("How much is my rent?", token_budget=50)
    assert "perhaps outdated, 10 Dec 2025: rent is 700 euros a month" in small.as_text()
    assert small.tokens <= small.budget


def test_a_question_about_the_past_keeps_its_order(stores: Stores) -> None:
    memory = _told(stores.open(embedding__model="static"))
    for question in ("Where did I live before?", "Wo habe ich früher gewohnt, in Halle?", "¿Dónde vivía antes?"):
        assert all(hit.newer is None for hit in memory.retrieve(question)), question
    assert _texts(memory.retrieve("Where did I live before?"))[0] == OLD_HOME
    assert all(hit.newer is None for hit in memory.retrieve("Where do I live?", superseded=True))
    # Of a day before the change there is nothing newer.
    past = memory.retrieve("Where do I live?", as_of=START - 80 * DAY)
    assert NEW_HOME not in _texts(past)
    assert all(hit.newer is None for hit in past if hit.memory.content == OLD_HOME)


def test_what_both_holds_is_both_shown(stores: Stores) -> None:
    life = (
        "I like hiking on Sundays",
        "my cat is called Minka",
        "I also like swimming on Sundays",
        "rent is 700 euros",
    )
    shown = _texts(_told(stores.open(embedding__model="static"), life).retrieve("What do I like to do on Sundays?"))
    assert {life[0], life[2]} <= {*shown}


def test_what_one_person_says_outdates_nothing_of_another(stores: Stores) -> None:
    memory = stores.open(embedding__model="static")
    for number, (name, text) in enumerate((("Ann", "I live in Halle"), ("Bob", "I live in Leipzig now"))):
        memory.remember(text, session="s", at=START - (9 - number) * DAY, subjects=[name])
    for number in range(6):
        memory.remember(f"chatter number {number} of many", session="s", at=START - DAY + number, subjects=["Ann"])
    assert all(hit.newer is None for hit in memory.retrieve("Where do I live?"))


def test_smaller_answers_begin_larger_ones(stores: Stores) -> None:
    memory = _told(stores.open(embedding__model="static"))
    for question, *_ in CHANGED[2:5]:
        by_k = [_texts(memory.retrieve(question, k=k)) for k in range(1, 12)]
        by_budget = [_texts(memory.retrieve(question, token_budget=tokens)) for tokens in range(40, 400, 23)]
        for smaller, larger in (*pairwise(by_k), *pairwise(by_budget)):
            assert larger[: len(smaller)] == smaller, question


def test_what_a_reader_may_not_see_moves_nothing_for_them(stores: Stores) -> None:
    answers = []
    for whole in (True, False):
        memory = stores.open(embedding__model="static")
        for number, text in enumerate(LIFE):
            secret = text == NEW_HOME
            if whole or not secret:
                role = "assistant" if text.endswith("?") else "user"
                memory.remember(
                    text,
                    session=f"day-{number // 4}",
                    at=START - (90 - number) * DAY,
                    source_type=f"chat_{role}",
                    sensitivity=0.9 if secret else 0.0,
                )
        hits = stores.open_as(memory, "agent:bot?ceiling=0.3").retrieve("Where do I live?")
        answers.append([(hit.memory.content, hit.score, hit.newer is None, hit.certain) for hit in hits])
    assert answers[0] == answers[1]
    assert NEW_HOME not in [content for content, *_ in answers[0]]


@pytest.mark.parametrize(
    ("life", "question"),
    [
        (("I drive a red Volvo.", "I sold the Volvo, I drive a Fiat now."), "Which car do I drive?"),
        (("my plan costs 20 euros", "noodles again", "from 1 May my plan costs 26 euros"), "what does my plan cost"),
        (("Mein Tarif kostet 20 Euro", "Ab Mai kostet mein Tarif 26 Euro"), "Was kostet mein Tarif?"),
    ],
)
def test_in_a_store_of_a_few_the_newer_stands_first(stores: Stores, life: tuple[str, ...], question: str) -> None:
    shown = _texts(_told(stores.open(embedding__model="e5"), life).retrieve(question))
    assert shown[0] == life[-1]


def test_what_names_its_day_leaves_the_older_one_beside_it(stores: Stores) -> None:
    life = ("my plan costs 20 euros", "noodles again", "from 1 May my plan costs 26 euros")
    memory = _told(stores.open(embedding__model="e5"), life)
    memory.maintenance.reembed()
    assert _texts(memory.retrieve("what does my plan cost"))[0] == life[2]
    assert life[0] in _texts(memory.retrieve("what does my plan cost"))


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("I drive a red Volvo.", "I sold the Volvo, I drive a Fiat now.", "Which car do I drive?"),
        (
            "For blood pressure I take 5 mg of amlodipine once a day.",
            "For blood pressure I take 10 mg of amlodipine once a day.",
            "what dose of amlodipine am i on",
        ),
        (
            "I'm down for the full marathon in Lisbon on 12 October, bib 4410.",
            "I'm down for the 10k in Lisbon on 12 October, they transferred my bib 4410.",
            "which race am I running in Lisbon?",
        ),
    ],
)
def test_of_two_that_tell_one_value_in_words_of_their_own_the_newer_is_shown_alone(
    stores: Stores, old: str, new: str, question: str
) -> None:
    memory = _told(stores.open(embedding__model="e5"), (old, "Pasta again", new))
    memory.maintenance.reembed()
    hits = memory.retrieve(question)
    assert new in _texts(hits)
    assert old not in _texts(hits)
    assert [one.rule for one in hits.resolved] == ["newer value"]


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("My birthday is on 3 May.", "My birthday is on 5 May.", "When is my birthday?"),
        ("I live in Halle.", "I live in Leipzig now.", "Where do I live?"),
        ("The meeting is on Monday at 10.", "The meeting is on Friday at 3.", "When is the meeting?"),
        ("The shop closes at six.", "The shop closes at eight.", "When does the shop close?"),
        ("Meine Miete beträgt 800 Euro", "Meine Miete beträgt 850 Euro", "Wie hoch ist meine Miete?"),
    ],
)
def test_of_two_that_cannot_both_hold_the_newer_is_shown_alone_in_a_store_of_a_few(
    stores: Stores, old: str, new: str, question: str
) -> None:
    memory = _told(stores.open(embedding__model="e5"), (old, "Pasta again", new))
    hits = memory.retrieve(question)
    assert _texts(hits)[0] == new
    assert old not in _texts(hits)
    assert [one.rule for one in hits.resolved] == ["newer value"]


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        ("I like hiking on Sundays", "I like swimming on Sundays", "What do I like to do on Sundays?"),
        ("My sister lives in Ulm", "My brother lives in Ulm", "Where do my siblings live?"),
        ("I spent 12 euros on lunch", "I spent 14 euros on lunch", "What did I spend on lunch?"),
        ("The bakery opens at six", "The chemist opens at eight", "When do the shops open?"),
        ("Chapter 2 tells of the garden", "Chapter 3 tells of the garden", "What tells of the garden?"),
        ("My mother is a nurse", "My father is a teacher", "What do my parents do?"),
        ("My left knee hurts", "My right shoulder hurts", "What hurts?"),
        ("Ich spreche Spanisch", "Ich spreche Italienisch", "Welche Sprachen spreche ich?"),
    ],
)
def test_two_that_both_hold_are_both_shown_however_much_alike_they_are(
    stores: Stores, first: str, second: str, question: str
) -> None:
    told = _told(stores.open(embedding__model="e5"), (first, *LIFE, second))
    told.maintenance.reembed()
    assert {first, second} <= {*_texts(told.retrieve(question))}


@pytest.mark.parametrize("conflicts", ["ignore", "flag", "newest"])
def test_of_two_that_cannot_both_hold_the_newer_is_shown_alone(stores: Stores, conflicts: str) -> None:
    memory = _told(stores.open(embedding__model="static", learning__conflicts=conflicts))
    old = memory.remember("The choir meets on Tuesday evening", session="a", at=START - 5 * DAY)
    memory.remember("Pasta again tonight", session="a", at=START - 5 * DAY + 1)
    new = memory.remember("The choir meets on Thursday evening", session="b", at=START - 2 * DAY)
    hits = memory.retrieve("When does the choir meet?")
    shown = [hit.memory.id for hit in hits]
    assert new.id in shown
    assert old.id not in shown
    if conflicts != "ignore":
        return
    assert (old.id, new.id, "newer value") in [(one.loser, one.winner, one.rule) for one in hits.resolved]
    # Nothing is stored for it: the older one holds for whoever asks about then.
    held = memory.get(old.id)
    assert held is not None
    assert held.valid_to is None
    assert old.id in [hit.memory.id for hit in memory.retrieve("When did the choir meet before?")]
