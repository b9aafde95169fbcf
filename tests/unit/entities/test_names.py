"""Which names a text holds, of what type, and what is none."""

from __future__ import annotations

import pytest

from marskg.drafts import EntityRef
from marskg.entities import KnownNames, Recognised, Recogniser

RECOGNISER = Recogniser()


def named(text: str) -> dict[str, str | None]:
    """Return name → type of what is found in ``text``, things apart."""
    return {m.name: m.entity_type for m in RECOGNISER.find(text).mentions if m.entity_type != "thing"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I met Ann in Paris.", {"Ann": "person", "Paris": "place"}),
        ("Yesterday Ann told me a story.", {"Ann": "person"}),
        ("My sister Priya loves it.", {"Priya": "person"}),
        ("Dr. Lena Petrova will come.", {"Lena Petrova": "person"}),
        ("I read Vincent van Gogh and J. K. Rowling.", {"Vincent van Gogh": "person", "J. K. Rowling": "person"}),
        ("Chopin's music moves me.", {"Chopin": "person"}),
        ("I have two kids, Emma and Leo.", {"Emma": "person", "Leo": "person"}),
        ("Emma's teacher is kind.", {"Emma": "person"}),
        ("Ask Marketing Lead Maya Singh.", {"Maya Singh": "person"}),
        ("Her name is Laura.", {"Laura": "person"}),
        ("We talked to Isabella Chen, our Lead Content Strategist.", {"Isabella Chen": "person"}),
        ("I study at the University of Oxford.", {"University of Oxford": "organisation"}),
        ("She works for Initech GmbH.", {"Initech GmbH": "organisation"}),
        ("He works at NASA.", {"NASA": "organisation"}),
        ("I joined Zalando last week.", {"Zalando": "organisation"}),
        ("We moved to Austin, TX.", {"Austin": "place"}),
        ("The city of Porto is steep.", {"Porto": "place"}),
        ("I love Eastern Europe.", {"Eastern Europe": "place"}),
        ("They climbed Mount Elbrus.", {"Mount Elbrus": "place"}),
        ("I went to the Berlin Marathon.", {"Berlin Marathon": "event"}),
        ('I reread "Crime and Punishment".', {"Crime and Punishment": "work"}),
        ("I saw 'It's a Wonderful Life' again.", {"It's a Wonderful Life": "work"}),
        ("I rewatched *The Godfather*.", {"The Godfather": "work"}),
        ("See you at Christmas.", {"Christmas": "time"}),
    ],
)
def test_names_get_the_type_that_their_words_and_neighbours_give_them(
    text: str, expected: dict[str, str | None]
) -> None:
    assert named(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Honestly, that is fine. Dinner was great. Speaking of work, I am late.",
        "We meet on Friday, the 3rd of May, in summer.",
        "I speak French and German.",
        "North American and Southeast Asian markets grow.",
        "Please add 'Creative Director' and the Head of Marketing.",
        "The Regional Operations Director will come.",
        "Phase 2 follows Phase 1.",
        "The API uses AI, and the CEO likes KPIs.",
        "I SAID I WANT TO GO HOME NOW",
        "",
        "\n\n…",
    ],
)
def test_sentence_starts_times_languages_offices_and_acronyms_are_no_names(text: str) -> None:
    assert named(text) == {}


@pytest.mark.parametrize(
    "text",
    [
        "Write to Ann.Smith@Example.com today",
        "See https://Example.org/Ann/Smith or www.Example.org",
        "It is on Example.com and on Ann.dev/Smith",
        "Ask @AnnSmith about #AnnSmith",
        "My card is 4111 1111 1111 1111, my passport AB123456, my line +44 20 7946 0958",
    ],
)
def test_addresses_links_handles_and_account_numbers_are_never_entities(text: str) -> None:
    found = RECOGNISER.find(text)
    assert not [m for m in found.mentions if m.entity_type != "thing"]
    assert all(set("@#/.0123456789").isdisjoint(m.name) for m in found.mentions)


def test_a_common_word_at_the_start_is_a_name_when_it_has_its_capital_inside_a_sentence_too() -> None:
    assert "Rose" not in named("Rose called.")
    assert "Rose" in named("I met Rose. Rose called.")


def test_spans_are_where_the_names_stand() -> None:
    text = "I met Ann Lee in Paris, and Ann loved Paris."
    found = RECOGNISER.find(text)
    assert [(text[start:end], name) for start, end, name in found.spans] == [
        ("Ann Lee", "Ann Lee"),
        ("Paris", "Paris"),
        ("Ann", "Ann Lee"),
        ("Paris", "Paris"),
    ]


def aliases(found: Recognised) -> dict[str, tuple[str, ...]]:
    return {m.name: m.aliases for m in found.mentions if m.entity_type != "thing"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Robert (Bob) Smith called.", {"Robert Smith": ("Bob",)}),
        ("I met Bob, short for Robert.", {"Robert": ("Bob",)}),
        ("I met Samuel Clemens, also known as Mark Twain.", {"Samuel Clemens": ("Mark Twain",)}),
        ("I met Ann Lee. Ann was kind.", {"Ann Lee": ()}),
        ("I met Ann Lee and Ann Poe. Ann was kind.", {"Ann Lee": (), "Ann Poe": (), "Ann": ()}),
    ],
)
def test_names_of_one_person_are_joined_where_only_one_reading_is_possible(
    text: str, expected: dict[str, tuple[str, ...]]
) -> None:
    assert aliases(RECOGNISER.find(text)) == expected


def test_a_first_name_alone_is_nobody_who_is_known_and_an_alias_is_who_was_given_it() -> None:
    iri = ("https://example.org/ann",)
    one = KnownNames([EntityRef("Ann Lee", "person", ("Annie",), iri)])
    assert [m.name for m in RECOGNISER.find("I met Ann.", known=one).mentions] == ["Ann"]
    # What the store knows of her is not what the text gives.
    assert RECOGNISER.find("I met Annie.", known=one).mentions == (EntityRef("Annie", "person"),)


def test_known_names_follow_what_is_added_and_removed() -> None:
    known = KnownNames([EntityRef("Ann Lee", "person", ("Annie",)), EntityRef("Ann Poe", "person")])
    assert known.find("ann") is None
    assert known.find("annie") == EntityRef("Ann Lee", "person", ("Annie",))
    known.remove("ann poe")
    assert (known.find("ann poe"), known.find("ann lee")) == (None, EntityRef("Ann Lee", "person", ("Annie",)))
    known.add(EntityRef("Ann", "person"))
    assert known.find("ann") == EntityRef("Ann", "person")
    known.remove("Nobody")
    assert len(known) == 2


def test_a_dictionary_gives_names_types_and_aliases_in_any_case() -> None:
    recogniser = Recogniser(
        dictionary=[EntityRef("Raised bed 3", "thing", ("the long bed", "long bed")), EntityRef("Will", "person")]
    )
    assert [m.name for m in recogniser.find("The long bed needs water.").mentions] == ["Raised bed 3"]
    assert [m.name for m in recogniser.find("i will water it").mentions] == []
    assert [m.name for m in recogniser.find("I asked Will.").mentions] == ["Will"]


def test_no_more_entities_than_allowed() -> None:
    text = ", ".join(f"Anna Bel{chr(97 + n)}o" for n in range(26))
    assert len(Recogniser(max_mentions=5).find(f"I met {text}.").mentions) == 5
