"""Which relations a text states, and which it only seems to."""

from __future__ import annotations

import pytest

from marskg.drafts import EntityRef
from marskg.entities import KnownNames, Recogniser

RECOGNISER = Recogniser()


def related(text: str, speaker: str | None = "Alice", known: KnownNames | None = None) -> set[tuple[str, str, str]]:
    found = RECOGNISER.find(text, speaker=speaker, known=known)
    names = {m.name for m in found.mentions}
    assert all({r.source, r.target} <= names for r in found.relations)
    return {(r.source, str(r.type), r.target) for r in found.relations}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My manager Ann is on leave.", {("Alice", "reportsTo", "Ann")}),
        ("Did you ask my manager Ann?", {("Alice", "reportsTo", "Ann")}),
        ("Tom, my boss, called.", {("Alice", "reportsTo", "Tom")}),
        ("I report to Dr. Ann Lee.", {("Alice", "reportsTo", "Ann Lee")}),
        ("Ann reports to Bob Smith.", {("Ann", "reportsTo", "Bob Smith")}),
        ("Priya manages Ann.", {("Ann", "reportsTo", "Priya")}),
        ("Ann's manager is Tom.", {("Ann", "reportsTo", "Tom")}),
        ("Ben reports to me.", {("Ben", "reportsTo", "Alice")}),
        ("Ann works at Acme Corp.", {("Ann", "worksAt", "Acme Corp")}),
        ("I work as a nurse at the University of Oxford.", {("Alice", "worksAt", "University of Oxford")}),
        ("Ann Lee, an engineer at Acme Corp, called.", {("Ann Lee", "worksAt", "Acme Corp")}),
        ("I joined Acme Corp.", {("Alice", "worksAt", "Acme Corp")}),
        ("Acme Corp hired Ann Lee.", {("Ann Lee", "worksAt", "Acme Corp")}),
        ("I work for Ann Lee.", {("Alice", "reportsTo", "Ann Lee")}),
        ("My friend Tom called.", {("Alice", "friendOf", "Tom")}),
        ("My best friends Tom and Ann came.", {("Alice", "friendOf", "Tom"), ("Alice", "friendOf", "Ann")}),
        ("Tom, a friend of mine, came.", {("Alice", "friendOf", "Tom")}),
        ("Tom and Ann are friends.", {("Tom", "friendOf", "Ann")}),
        ("Tom is a friend of Ann.", {("Tom", "friendOf", "Ann")}),
        ("Priya is my colleague.", {("Alice", "colleagueOf", "Priya")}),
        ("Priya is a teammate of mine.", {("Alice", "colleagueOf", "Priya")}),
        ("I work with Priya Rao.", {("Alice", "colleagueOf", "Priya Rao")}),
        ("The Platform Team is part of Acme Corp.", {("Platform Team", "partOf", "Acme Corp")}),
        ("Initech GmbH belongs to Acme Corp.", {("Initech GmbH", "partOf", "Acme Corp")}),
        ("A tomato is a kind of fruit.", {("tomato", "isA", "fruit")}),
    ],
)
def test_relations_that_are_said_in_so_many_words(text: str, expected: set[tuple[str, str, str]]) -> None:
    assert related(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Ann no longer works at Acme Corp.",
        "Ann doesn't work at Acme Corp.",
        "Ann works at Acme Corp no longer.",
        "Ann used to work at Acme Corp.",
        "Does Ann work at Acme Corp?",
        "I wish Ann were my manager.",
        "If Tom is my boss, I leave.",
        "My former manager Ann called.",
        "Tom was a friend of mine.",
        "The car belongs to Ann.",
        "My manager called Ann Lee's dentist.",
        "My manager left. Ann came.",
    ],
)
def test_what_is_denied_asked_supposed_or_past_is_no_relation(text: str) -> None:
    assert related(text) == set()


def test_relations_to_the_speaker_need_a_speaker() -> None:
    assert related("My manager Ann left.", speaker=None) == set()
    assert [m.name for m in RECOGNISER.find("My manager Ann left.").mentions] == ["Ann"]
    assert related("My manager Ann left.", speaker="alice@example.org") == set()


def test_nobody_is_related_to_themselves() -> None:
    assert related("My manager Alice left.") == set()


def test_the_speaker_is_the_one_that_the_store_knows() -> None:
    known = KnownNames([EntityRef("Alice Moore", "person", ("Alice",))])
    assert related("My manager Ann left.", "Alice", known) == {("Alice Moore", "reportsTo", "Ann")}


def test_a_relation_tells_the_type_of_its_ends() -> None:
    found = RECOGNISER.find("Acme hired Zanele.", speaker="Alice")
    assert {m.name: m.entity_type for m in found.mentions} == {"Acme": "organisation", "Zanele": "person"}
