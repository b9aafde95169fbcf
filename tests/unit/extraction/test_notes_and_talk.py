"""What is told of somebody's days in loose talk and in terse notes; and what only looks like it."""

from __future__ import annotations

import pytest

from marskg.language.en.facts.facts_said import facts_of
from marskg.language.facts import Fact, Said, Voice
from marskg.ontology.vocabulary import Cardinality

NOTES = {
    "Boiler check 12 mar": ["Boiler check 12 March"],
    "choir every thurs til june": ["Choir every Thursday until June"],
    "Lena starts on the 4th": ["Lena starts on the 4th"],
    "Roof quoted at 7,300": ["Roof quoted at 7,300"],
    "glue 14, sandpaper 8.50": ["Glue 14"],
    "paint 46, brushes 12.80": ["Paint 46", "Brushes 12.80"],
    "cleaner gets 45 a week": ["Cleaner gets 45 a week"],
    "tiles delivered. 310 eur": ["Tiles delivered", "Tiles delivered, 310 euros"],
    "curtains ordered": ["Curtains ordered"],
    "Rent not paid": ["Rent not paid"],
    "note: shelves white NOT cream": ["Shelves white NOT cream"],
    "goal this yr: 40k savings + 2 concerts": ["Goal this year: 40,000 savings", "Goal this year: 2 concerts"],
    "Meanwhile Selma graduated": ["Meanwhile Selma graduated"],
    "Selma wants Sundays off": ["Selma wants Sundays off"],
    "Otto owes me 15 quid": ["Otto owes me 15 quid"],
    "Gran is in hospital": ["Gran is in hospital"],
    "the landlord is selling the house": ["The landlord is selling the house"],
    "Bread supplier is now Moller's": ["Bread supplier is now Moller's"],
    "cod is 9.40 a kilo now": ["Cod is 9.40 a kilo now"],
    "must ring the surgery": ["To do for Vic: ring the surgery"],
    "Ivo can't do mon": ["Ivo can't do Monday"],
    "phone the bank re mortgage": ["To do for Vic: phone the bank about mortgage"],
    "todo: water the ferns on Sunday": ["To do for Vic: water the ferns on Sunday"],
}
NO_NOTES = """
If the roof leaks on 12 March, phone Lena
The roof may leak by Friday
Choir could end in June
Is the roof fixed?
Go there for two days? Ferry 90 a day
Imagine the house sold for 2 million
Lena said the roof is fixed
"Roof fixed", she wrote.
According to Lena the fair is on 3 May
Yeah right, roof fixed on 3 May
Roof fixed on 3 May, just kidding
I wish the roof was fixed by Friday
Lena passed? No way
They told me Ivo died on Friday
note: this is not true
Order now and save 50 dollars
Call me tomorrow
Pay Bob
Tell me about Lisbon
Please order more glue
Can you phone the bank?
Pay attention to the road
Call it a day
dont phone the bank
Should I phone Lena by Friday
Maybe phone Lena tomorrow
See you on Friday at 5pm
Happy birthday 3 May
Nothing is done
Room 12.30
Practice and patience seem like big factors
It ends on Friday
If the landlord is selling the house we move
The landlord says he is selling
"Selma wants Sundays off" said the list
Does Otto owe me 15 quid?
Otto owes me nothing
If Otto owes me 15 quid
Life is now better
The password is secret
The kids are so cute
Dad is right
Must have been fun
""".strip().splitlines()

TOLD = {
    "Hey Mo! I joined a rowing club last week - it was so much fun!": "Vic joined a rowing club last week",
    "Well, thanks! We actually just visited my aunt in Porto last month.": "Vic visited their aunt in Porto last month",
    "I started a pottery course in April because my sister gave me a voucher.": (
        "Vic started a pottery course in April because their sister gave them a voucher"
    ),
    "So nowadays I'm teaching two evening classes at the college.": (
        "Nowadays Vic is teaching two evening classes at the college"
    ),
    "ive been helping at the animal shelter lately": "Vic has been helping at the animal shelter",
    "I lost my wallet": "Vic lost their wallet",
    "we're closed on Mondays": "Vic is closed on Mondays",
    "I don't drive any more": "Vic does not drive any more",
    "I've never been to Spain": "Vic has never been to Spain",
    "My bike was stolen": "Vic's bike was stolen",
    "We visited the harbour museum in Turku yesterday.": "Vic visited the harbour museum in Turku yesterday",
}
NOT_TOLD = """
Did I join a rowing club last week?
If I had joined the rowing club last week I would be fit
She said I joined a rowing club last week
He wrote "I joined a rowing club last week"
The poster read "I joined a rowing club last week" in red
I didn't join the rowing club last week
i didnt join the rowing club last week
I never joined a rowing club in April
I dreamed I joined a rowing club last week
As if I joined a rowing club last week
I might join a rowing club next week
I would join a rowing club with my sister next year
I joined a rowing club last week... just kidding
Yeah right, I joined a rowing club last week
Your aunt joined a rowing club last week
Imagine I joined a rowing club last week
did I lose my wallet on Friday
how did I lose my wallet on Friday
I lost my wallet in the fridge lol
He lost my wallet
I nearly lost my wallet
I could have lost my wallet
I quit if they cut my pay
My bike was not stolen
My bike was stolen, just kidding
What if I don't drive any more
She said I've never been to Spain
I wonder whether I joined the right rowing club last week
""".strip().splitlines()


def read(text: str, other: str | None = None) -> list[Fact]:
    return facts_of(text, Voice("Vic", other))


@pytest.mark.parametrize("text", NOTES)
def test_a_note_is_told_with_its_short_forms_written_out(text: str) -> None:
    facts = read(text)
    assert [fact.content for fact in facts] == NOTES[text]
    assert all(0 <= fact.start < fact.end <= len(text) for fact in facts)


@pytest.mark.parametrize("text", NO_NOTES)
def test_what_only_looks_like_a_note_is_none(text: str) -> None:
    assert read(text) == []


def test_a_note_takes_no_key_and_an_errand_is_a_task_of_who_is_alone() -> None:
    (noted,) = read("Boiler check 12 mar")
    assert (noted.key, noted.cardinality, noted.does) == (None, None, Said.ADD)
    (errand,) = read("phone the bank re mortgage")
    assert (errand.key, errand.cardinality) == ("todo/phone bank mortgag", Cardinality.SINGLE)
    # What is said to somebody is asked of them.
    assert read("phone the bank re mortgage", other="Mo") == []


@pytest.mark.parametrize("text", TOLD)
def test_talk_is_told_without_its_padding(text: str) -> None:
    (fact,) = read(text)
    assert (fact.content, fact.key) == (TOLD[text], None)
    assert 0 <= fact.start < fact.end <= len(text)


@pytest.mark.parametrize("text", NOT_TOLD)
def test_what_was_not_said_to_have_happened_is_not_told(text: str) -> None:
    assert read(text) == []


def test_two_things_that_a_speaker_says_are_two_facts() -> None:
    text = "I visited the harbour museum in Turku yesterday. My sister joined a rowing club last month."
    # A deed also closes the task of its words.
    first, second = (fact for fact in read(text) if fact.does is Said.ADD)
    assert (first.content, second.content) == (
        "Vic visited the harbour museum in Turku yesterday",
        "Vic's sister joined a rowing club last month",
    )


def test_apostrophes_that_are_left_out_do_not_move_what_a_fact_points_to() -> None:
    text = "dont worry, thats fine. im allergic to walnuts"
    (fact,) = read(text)
    assert (fact.content, text[fact.start : fact.end]) == ("Vic is allergic to walnuts", "im allergic to walnuts")


@pytest.mark.parametrize("text", ["i dont like walnuts", "I'm not really a fan of walnuts"])
def test_a_dislike_is_read_however_it_is_written(text: str) -> None:
    assert [(fact.key, fact.payload["relations"]) for fact in read(text)] == [("preference/walnut", ("dislikes",))]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("I really like the director Jo Wick; her films are well made.", "preference/jo wick"),
        ("Speaking of sound, I enjoy harp music.", "preference/harp"),
        ("I just saw how much I like the movie *Blue Harbour*.", "preference/movi blue harbour"),
    ],
)
def test_what_kind_of_thing_is_liked_hides_nothing(text: str, key: str) -> None:
    assert key in [fact.key for fact in read(text)]


@pytest.mark.parametrize(
    "text",
    [
        "I like new movies.",
        "I love your style.",
        "I like actors with a bit more range.",
        "Love the colours!",
        "Love and acceptance can be found everywhere.",
        "I like it. Not really!",
        "My boss said the project is cancelled.",
    ],
)
def test_what_names_no_taste_is_none(text: str) -> None:
    assert [fact.key for fact in read(text) if fact.key] == []
