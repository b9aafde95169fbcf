"""A text gives somebody another name only if it says so: a wrong one would make two people one, and erase both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.stores import Stores

#: ``{a}`` and ``{b}`` are two people, firms or places, whatever verb stands between them.
TWO = (
    "{a} also called {b} about the roof.",
    "{a} once called {b} a thief.",
    "{a} since then called {b} twice.",
    "{a} previously called {b} about the lease.",
    "{a} nicknamed {b} the Bear.",
    "{a} named {b} as the culprit.",
    "{a} has also nicknamed {b}.",
    "Please pay {a} once {b} has signed.",
    "Remind me to write to {a} once {b} is home, he called.",
    "Texted {a}, called {b}, and went home.",
    "I texted {a}, called {b}, went home.",
    "On Monday {a}, called {b}, then me.",
    "{a}, called {b}, then me.",
    "{a} (called {b}) left at nine.",
    "I rang {a}, also called {b}, and slept.",
    "Ask {a} (or {b}) what the new road is called.",
    "{a}'s boss is {b} now, call him.",
    "The head of {a} is {b} now, they called.",
    "{a} is {b} now in the play, they called.",
    "{a} said her husband changed his name to {b}.",
    "{a} lives in Linz; the town changed its name to {b}.",
    "{a} and her band changed their name to {b}.",
    "The sister of {a} changed her name to {b}.",
    "{a} has a son and everyone calls him {b}.",
    "I have a dog from {a}, everyone calls him {b}.",
    "The bus from {a} goes by {b} twice a day.",
    "{a} goes by {b}'s every morning.",
    "{a}, formerly {b}'s, is closed.",
    "{a}, formerly known as {b}'s place, is closed.",
    "{a} (previously {b}'s tenant) has moved.",
    "{a}, formerly {b}, joined us in May.",
    "{a}, once {b}, always late.",
    "{a}, born {b}.",
    "{a} geb. {b}'s Tochter.",
    "{a} geb. {b}.",
    "Die Frau von {a}, geborene {b}, singt.",
    "I work at {a}, formerly {b}, as a cook.",
    "{a}, formerly {b}.",
    "{a} aka {b} fan club met.",
    "The new {a} is now called {b}.",
    "The firm that bought {a} is now called {b}.",
    "{a}, nee {b} heeft gebeld.",
    "The husband of {a}, known as {b}, cooks.",
    "I met a man from {a}, also known as {b}.",
    "The woman who married {a}, also known as {b}, cooks.",
    "Carl Ode and {a}, also known as {b}, play on Friday.",
    "{a} was short for {b}'s liking.",
    "{a} is short for {b}'s team.",
    "{a}, short for {b}, jumped high.",
    "I called {a} (formerly called {b}'s aide) today.",
    "{a} was called {b}'s heir.",
    "{a} is now called by {b} every day.",
    "{a} was called once {b} had left.",
    "Everyone calls {a} {b}'s shadow.",
)
#: What is said, but not by who writes, or not as true.
FRAMED = (
    "I doubt that {a} is now known as {b}.",
    "I doubt that Dr. {a} is now known as {b}.",
    "I don't think\n{a} is now known as {b}.",
    "I heard that {a}, also known as {b}, was seen.",
    "I wonder whether {a} is also known as {b}.",
    "Is it true that {a} is also known as {b}?",
    "{a}, also known as {b}, was seen, wasn't she?",
    "If {a}, also known as {b}, comes, hide.",
    "Nobody says {a} is now called {b}.",
    "It is false that {a} is now known as {b}.",
    "Somebody told me {a} changed her name to {b}.",
    "{a} is now known as {b}, the neighbour says.",
    "{a} is now known as {b}, I guess.",
    "{a} changed her name to {b}, or tried to.",
    "{a}, also known as {b}, was seen, according to the paper.",
    "Maybe {a} is now called {b}.",
    "{a} is now known as {b}. Just kidding!",
    "{a} is now known as {b}. That is not true.",
    "Write a story: {a}, also known as {b}, rides a dragon.",
    "Write me a tale. {a}, also known as {b}, rides a dragon.",
    "In the film {a} (also known as {b}) dies.",
    "{a}, also known as {b}, is a character of mine.",
    "In my dream {a} is now known as {b}.",
    'The bot said: "{a}, also known as {b}, was seen"',
    'He wrote "Hello. {a}, also known as {b}, was seen."',
    "She wrote “{a}, also known as {b}, was seen”.",
    "Er schrieb: „{a}, geborene {b}, singt.“",
    "Elle a écrit « {a}, née {b}, chante ».",
    "He wrote '{a}, also known as {b}, was seen' to me.",
    "> {a}, also known as {b}, was seen",
    "Bot: {a}, also known as {b}, was seen",
    "Assistant: Hello.\n\n{a}, also known as {b}, was seen",
    "Carl:\n{a}, also known as {b}, was seen",
    "Translate this: {a} is now called {b}.",
    "Example: {a} is now called {b}.",
    "Carl says: {a}, also known as {b}, was seen.",
    "Carl wrote:\n\n{a}, also known as {b}, was seen.",
    "[Bot] {a}, also known as {b}, was seen.",
    "I dreamt of {a}. {a} is now called {b}.",
    "{a} is now called {b}. No, she isn't.",
    "{a}, also known as {b}, was seen. I doubt it.",
    "{a} is not also known as {b}.",
    "Make sure that {a} is now called {b}.",
    "Je doute que {a}, née {b}, chante.",
    "Angeblich singt {a}, geborene {b}.",
)
SAID = (
    ("Maria Silva, called Mia, works at the bank.", "Maria Silva", "Mia"),
    ("My sister Maria Silva, called Mia, works at the bank.", "Maria Silva", "Mia"),
    ("Robert Quill (called Bob) came.", "Robert Quill", "Bob"),
    ("Robert (Bob) Smith came.", "Robert Smith", "Bob"),
    ('I met Dwayne "Zqrock" Johnson.', "Dwayne Johnson", "Zqrock"),
    ("Bob, short for Robert Quill, came.", "Robert Quill", "Bob"),
    ("Robert Quill, everyone calls him Bob.", "Robert Quill", "Bob"),
    ("Lena Weiss, also known as Otto Weiss, was seen.", "Lena Weiss", "Otto Weiss"),
    ("Lena Weiss (aka Otto Berg) was seen.", "Lena Weiss", "Otto Berg"),
    ("Ola Brant aka Ossi rang.", "Ola Brant", "Ossi"),
    ("Note: Ola Brant, better known as Ossi, rang.", "Ola Brant", "Ossi"),
    ("I live in Zqennai, formerly known as Zqadras.", "Zqennai", "Zqadras"),
    ("Ola Stern, formerly Ola Brant, rows.", "Ola Stern", "Ola Brant"),
    ("Quantix Labs, formerly Nordlicht Labs, hired me.", "Quantix Labs", "Nordlicht Labs"),
    ("Quantix, previously known as Nordlicht Labs, hired me.", "Quantix", "Nordlicht Labs"),
    ("Tom Ek is now called Tom Alm.", "Tom Ek", "Tom Alm"),
    ("Tom Ek is now known as Otto Lind and lives in Kiel.", "Tom Ek", "Otto Lind"),
    ("Tom Ek is Tom Alm now, he is called so since May.", "Tom Ek", "Tom Alm"),
    ("Ana Ruiz changed her name to Ana Bell.", "Ana Ruiz", "Ana Bell"),
    ("Ana Ruiz changed her name to Ana Bell when she married.", "Ana Ruiz", "Ana Bell"),
    ("Ana Ruiz has changed her name to Ana Bell last spring.", "Ana Ruiz", "Ana Bell"),
    ("Tom Ek is now called Tom Alm in all letters.", "Tom Ek", "Tom Alm"),
    ("My colleague Ana Ruiz legally changed her last name to Bell.", "Ana Ruiz", "Ana Bell"),
    ("Olga Weiss, née Lind, sings.", "Olga Weiss", "Olga Lind"),
    ("Olga Weiss (born Lind) sings.", "Olga Weiss", "Olga Lind"),
    ("Olga Weiss, née Ida Lind, sings.", "Olga Weiss", "Ida Lind"),
    ("Lena Weiss, geborene Koch, singt.", "Lena Weiss", "Lena Koch"),
    ("Ola Brant, nicknamed Ossi, rows.", "Ola Brant", "Ossi"),
    ("Ola Brant goes by Ossi these days.", "Ola Brant", "Ossi"),
)


def matched(stores: Stores, text: str, a: str, b: str) -> tuple[int, int]:
    """Return how many memories an erasure of either takes, of ``text`` and one of each."""
    memory = stores.open(embedding__model="none", entities__recognise="on")
    for content in (text, f"{a} keeps bees", f"{b} plays the cello"):
        memory.remember(content)
    first, second = (memory.erase(entity=name, dry_run=True).matched for name in (a, b))
    return first, second


@pytest.mark.parametrize("text", [*TWO, *FRAMED])
def test_a_text_that_says_no_name_leaves_two_people_two(embedded_stores: Stores, text: str) -> None:
    said = text.format(a="Anna Reyes", b="Tom Berg")
    assert max(matched(embedded_stores, said, "Anna Reyes", "Tom Berg")) <= 2


@pytest.mark.parametrize(
    "text",
    [
        "I will call {a} once {b} is back.",
        "I texted {a}, called {b}, and went home.",
        "We could meet {a} (or {b}), what is it called?",
        "{a} also called {b} about the roof.",
        "The bus from {a} goes by {b} twice a day.",
        "I doubt that {a} is now known as {b}.",
    ],
)
def test_first_names_alone_stay_two_as_well(embedded_stores: Stores, text: str) -> None:
    assert max(matched(embedded_stores, text.format(a="Anna", b="Tom"), "Anna", "Tom")) <= 2


@pytest.mark.parametrize(("text", "name", "alias"), SAID)
def test_a_text_that_says_a_name_gives_it(embedded_stores: Stores, text: str, name: str, alias: str) -> None:
    assert matched(embedded_stores, text, name, alias) == (3, 3)


def test_who_speaks_may_have_their_own_name_before_what_they_say(embedded_stores: Stores) -> None:
    text = "Ida Moe: Ola Brant, also known as Ossi, rang."
    memory = embedded_stores.open(embedding__model="none", entities__recognise="on")
    memory.remember(text, subjects=["Ida Moe"])
    memory.remember("Ossi sang")
    assert memory.erase(entity="Ola Brant", dry_run=True).matched == 2


def test_a_name_that_two_are_given_is_nobodys(embedded_stores: Stores) -> None:
    memory = embedded_stores.open(embedding__model="none", entities__recognise="on")
    memory.remember("Ola Brant, also known as Ossi, rows. Oskar Lund, also known as Ossi, swims.")
    memory.remember("Ossi sang")
    for name in ("Ola Brant", "Oskar Lund"):
        assert memory.erase(entity=name, dry_run=True).matched == 1


_SHARED = (
    "Verena Ostrow, called Roo, lives in Kent.",
    "Ludmila Haas, called Roo, sells cars.",
    "Roo rang about the roof.",
    "Ludmila Haas hates lemons.",
    "Verena Ostrow likes pears.",
)


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (1, 0, 2, 4, 3), (2, 0, 1, 3, 4), (2, 1, 0, 3, 4), (4, 0, 2, 1, 3)])
@pytest.mark.parametrize(("erased", "gone"), [("Verena Ostrow", {0, 4}), ("Ludmila Haas", {1, 3})])
def test_a_nickname_that_two_have_takes_nothing_of_either(
    embedded_stores: Stores, order: tuple[int, ...], erased: str, gone: set[int]
) -> None:
    memory = embedded_stores.open(embedding__model="none", entities__recognise="on")
    told = {memory.remember(_SHARED[place]).id: place for place in order}
    receipt = memory.erase(entity=erased)
    assert {told[one.id] for one in receipt.near} == {2}
    assert {place for ident, place in told.items() if ident not in {one.id for one in memory.memories()}} == gone


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Maria Silva, called Mia, is my aunt.", "Mia Silva, called Mia, is her daughter."),
        ("Robert Smith, called Bob, is old.", "Bob Smith, called Bob, is young."),
        ("Robert Smith, called Bob, is old.", "Robert J. Smith, called Bob, is young."),
        ("Peter Hahn, called Hahn, sells wood.", "Hahn & Sons, called Hahn, buys it."),
        ("Bernard Ostrow, called Ben, rows.", "Benjamin (Ben) Haas swims."),
    ],
)
@pytest.mark.parametrize("backwards", [False, True])
def test_relatives_of_one_nickname_stay_two(embedded_stores: Stores, one: str, other: str, *, backwards: bool) -> None:
    memory = embedded_stores.open(embedding__model="none", entities__recognise="on")
    for text in (other, one) if backwards else (one, other):
        memory.remember(text)
    name = other.partition(",")[0] if "," in other else "Benjamin Haas"
    stays = memory.remember(f"{name} passed the exam.")
    memory.erase(entity=one.partition(",")[0])
    assert {one.content for one in memory.memories()} >= {other, stays.content}


def test_who_is_like_a_thing_that_was_told_first_has_parts(embedded_stores: Stores) -> None:
    memory = embedded_stores.open(embedding__model="none", entities__recognise="on")
    memory.remember("She keeps an amber stone on her desk.")
    memory.remember("Amber Stone moved to Kent.")
    short = memory.remember("Amber rang.")
    assert short.id in {one.id for one in memory.erase(entity="Amber Stone", dry_run=True).near}
