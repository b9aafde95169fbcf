"""What people say of others and of their days, in talk and in notes to themselves; and what only looks like it."""

from __future__ import annotations

import pytest

from marskg.language.en.facts.facts_said import facts_of
from marskg.language.facts import Fact, Voice

SAID = {
    "My sister Hermine is a nurse.": {
        "person/sister": "Vic's sister is Hermine",
        "person/hermin/job": "Vic's sister Hermine is a nurse",
    },
    "My brother, Luca, lives in Turin.": {
        "person/brother": "Vic's brother is Luca",
        "person/luca/home": "Vic's brother, Luca, lives in Turin",
    },
    "my husband is vegan": {"person/husband/diet": "Vic's husband is vegan"},
    "our son Theo has asthma": {
        "person/son": "Vic's son is Theo",
        "person/theo/health": "Vic's son Theo has asthma",
    },
    "my mum lives with us": {None: "Vic's mum lives with them"},
    "Tom is allergic to nuts": {"person/tom/allergies": "Tom is allergic to nuts"},
    "Ann works at the library": {"person/ann/employer": "Ann works at the library"},
    "Mia's birthday is on 3 May": {"person/mia/birthday": "Mia's birthday is 3 May"},
    "I'm married to Jo": {"profile/marital status": "Vic is married to Jo"},
    "I have two kids, Mia and Leo": {"profile/children": "Vic has two kids, Mia and Leo"},
    "I've two cats, Miso and Soy": {"profile/pets": "Vic has two cats, Miso and Soy"},
    "we live in a flat in Leeds": {"profile/home": "Vic lives in Leeds"},
    "we moved from Leeds to York in May": {"profile/home": "Vic lives in York"},
    "I don't work at the bank any more": {"profile/employer": "Vic no longer works at the bank"},
    "I no longer live in Berlin": {"profile/home": "Vic no longer lives in Berlin"},
    "I work for a small bakery in Ghent": {"profile/employer": "Vic works for a small bakery in Ghent"},
    "I got promoted to team lead!": {"profile/job": "Vic works as team lead"},
    "I teach maths at a secondary school": {"profile/job": "Vic teaches maths at a secondary school"},
    "I run a small bike shop": {"profile/business": "Vic runs a small bike shop"},
    "I work nights": {"profile/working hours": "Vic works nights"},
    "I take metformin twice a day": {"profile/medication": "Vic takes metformin twice a day"},
    "I have a peanut allergy": {"profile/allergies": "Vic has a peanut allergy"},
    "I don't eat pork": {"profile/avoids": "Vic does not eat pork"},
    "I've stopped eating meat": {"profile/given up": "Vic has stopped eating meat"},
    "I play the cello": {"profile/hobbies": "Vic plays the cello"},
    "I'm learning Japanese": {"profile/learning": "Vic is learning Japanese"},
    "I usually get up at 6": {"profile/habits": "Vic usually gets up at 6"},
    "I drive an old Volvo": {"profile/car": "Vic drives an old Volvo"},
    "I'm 1.78 m tall": {"profile/height": "Vic is 1.78 m tall"},
    "my blood type is O negative": {"profile/blood type": "Vic's blood type is O negative"},
    "my new number is 07700 900123": {"profile/phone": "Vic's phone is 07700 900123"},
    "my rent is 850 a month": {"profile/rent": "Vic's rent is 850 a month"},
    "Hi, I'm Sam, nice to meet you": {"profile/name": "Vic's name is Sam"},
    "please call me Dr. Weber": {"profile/name": "Vic's name is Dr. Weber"},
    # Subjects left out.
    "just bought a new Pixel phone": {"profile/possessions": "Vic bought a new Pixel phone"},
    "need to call the plumber": {"todo/call plumber": "To do for Vic: call the plumber"},
    "not a fan of olives": {"preference/oliv": "Vic dislikes olives"},
    # Notes.
    "dentist 16 April 10:30": {"calendar/dentist": "Vic has dentist 16 April 10:30"},
    "lunch with Ana on Wednesday": {"calendar/lunch ana": "Vic has lunch with Ana on Wednesday"},
    "Groceries: 54.20 €": {"ledger/expenses/food/groceri": "Vic spent 54.20 EUR on groceries"},
    "Electricity bill: £92": {"ledger/expenses/home/electr bill": "Vic spent 92 GBP on electricity bill"},
    "paid 120 for the electricity": {"ledger/expenses/home/electr": "Vic spent 120 on electricity"},
    "we're going to Lisbon in May": {"calendar/trip lisbon": "Vic and others are going to Lisbon in May"},
}
NOTHING = """
My sister is such a pain
My car is a mess
If my sister moves to Rome I'll visit
Maybe my brother will come
My friend says she is vegan
Is your brother a nurse?
"My sister is a nurse," he read aloud.
I don't play the piano
I can't play tennis today
I never take aspirin
I take it back
I take the bus
I'm learning a ton
Gotta stay resilient
Must have been awesome
I don't have a recipe
I usually don't mind
I'm going to bed
We're going to be fine
Lunch was great
The dentist was nice
Paris is lovely in May
Coffee is life
This works at night
Everyone is allergic to something
Room 12.30
I'm German, by the way
Lunch 12.30
Train 5.40
Django works with Postgres
Apple is from California
Chrome has moved to Manifest V3
Mozart was born in Salzburg
The author says my sister is a nurse
translate: I live in Berlin
Write an email saying I moved to Rome
Let's say I have two kids
For example, I spend 300 dollars on food
I dreamed I moved to Spain
I work with Tom
I left Anna a note
I can't eat another bite
I don't eat after 8 pm
I teach my kids to swim
""".strip().splitlines()


def read(text: str) -> list[Fact]:
    """Return what the rules read, but for what happens in somebody's life, told in its own words."""
    return [fact for fact in facts_of(text, Voice("Vic")) if not fact.rule.startswith("event.")]


@pytest.mark.parametrize("text", SAID)
def test_what_is_said_becomes_facts_with_their_keys(text: str) -> None:
    facts = read(text)
    assert {fact.key: fact.content for fact in facts} == SAID[text]
    assert all(0 <= fact.start < fact.end <= len(text) for fact in facts)


@pytest.mark.parametrize("text", NOTHING)
def test_what_only_looks_like_it_is_no_fact(text: str) -> None:
    assert not read(text)


def test_a_value_that_there_is_one_of_supersedes_and_others_stand_side_by_side() -> None:
    cardinality = {fact.key: str(fact.cardinality) for text in SAID for fact in read(text) if fact.key}
    assert {cardinality[key] for key in ("person/luca/home", "profile/car", "profile/rent")} == {"single"}
    assert {cardinality[key] for key in ("person/tom/allergies", "profile/hobbies", "profile/medication")} == {"set"}
