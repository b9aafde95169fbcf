"""What makes a longer name another's: no ending, title or article, nor whose something is; and what is no person.

What is told of here is the matcher; the public door is ``erase`` (tests/conformance/test_longer_names.py).
"""

# ruff: noqa: RUF001 - names as they are written

from __future__ import annotations

import pytest

from marskg.language.naming.edges import Verdict
from marskg.language.naming.matcher import NameMatcher

#: The name, the longer one that a recogniser made of the text, and the text.
STILL_THEIRS = [
    ("Emre Doğan", "Emre Doğan'a", "anahtarı Emre Doğan'a verdim"),
    ("Zeynep Aksoy", "Zeynep Aksoy'un", "Zeynep Aksoy'un telefonu kapalı"),
    ("Tóth Judit", "Tóth Juditnak", "Add oda Tóth Juditnak a füzetet"),
    ("Nagy Péter", "Nagy Pétert", "láttam Nagy Pétert a boltban"),
    ("Rosário", "A Dona Rosário", "A Dona Rosário deixou o ferro ligado"),
    ("Ayşe", "Ayşe Hanım", "Ayşe Hanım perdeleri bitirdi"),
    ("Eugen", "Eugens Säge", "Eugens Säge ist stumpf"),
    ("Ruben Haverkamp", "Die Rechnung von Ruben Haverkamp", "Die Rechnung von Ruben Haverkamp liegt auf dem Tisch"),
    ("Peter Lund", "The Office of Peter Lund", "The Office of Peter Lund called"),
    ("Thibault Maréchal", "Facture de Thibault Maréchal", "Facture de Thibault Maréchal à payer"),
]
OTHERS = [
    ("Maria Silva", "Maria Silva Costa", "Maria Silva Costa called"),
    ("Maria", "Maria Costa", "Maria Costa called"),
    ("Anna", "Anna von Berg", "we met Anna von Berg"),
    ("Silva", "Ana da Silva", "we met Ana da Silva"),
]


@pytest.mark.parametrize(("name", "longer", "text"), STILL_THEIRS)
def test_no_others_name_is_made_of_an_ending_a_title_or_whose_it_is(name: str, longer: str, text: str) -> None:
    assert NameMatcher([name], [longer]).judge([], [text]).verdict in {Verdict.IS, Verdict.NEAR}


@pytest.mark.parametrize(("name", "longer", "text"), OTHERS)
def test_a_name_inside_anothers_is_theirs(name: str, longer: str, text: str) -> None:
    assert NameMatcher([name], [longer]).judge([], [text]).verdict is Verdict.OTHER


@pytest.mark.parametrize(
    "text",
    [
        "we spent a week in Virginia Beach",
        "the zoo in Virginia Beach is free",
        "nos quedamos en Virginia Beach",
        "my son wants a Virginia Beach hoodie",
        "a Virginia Beach shirt for 80 euros",
        "the Virginia Beach store on the high street closed",
        "la avenida de Virginia Beach está cortada",
        "the novel Virginia Beach never ends",
    ],
)
def test_a_person_is_hardly_told_of_as_a_place_or_a_thing_is(text: str) -> None:
    assert NameMatcher(["Virginia Beach"], person=True).read(text).verdict is Verdict.NEAR


@pytest.mark.parametrize(
    "text",
    [
        "Virginia Beach called about the rent",
        "I gave it to Virginia Beach",
        "we slept in Virginia Beach's kitchen",
        "Vi a Virginia Beach ayer",
        "Pieter en Virginia Beach kwamen te laat",
    ],
)
def test_a_person_is_still_one(text: str) -> None:
    assert NameMatcher(["Virginia Beach"], person=True).read(text).verdict is Verdict.IS


def test_of_a_place_all_of_it_is_one() -> None:
    assert NameMatcher(["New York"]).read("we spent a week in New York").verdict is Verdict.IS
