"""Which other name a text may say somebody has: a guess, which may be wrong, but does not find everything."""

# ruff: noqa: RUF001 - a name is Russian

from __future__ import annotations

import pytest

from marskg.language.naming.caution import initials_of
from marskg.language.naming.told_names import may_be_called, may_call_another

GUESSED = (
    ("Nora Vind goes by Pebble.", "Nora Vind", "Pebble"),
    ("Nora Vind is our goalkeeper, everybody calls her Wall.", "Nora Vind", "Wall"),
    ("Sticks is the nickname of Paul Amrein.", "Paul Amrein", "Sticks"),
    ("Moss, whose real name is Paul Amrein, drives the van.", "Paul Amrein", "Moss"),
    ("Jude is Paul Amrein in his papers.", "Paul Amrein", "Jude"),
    ("Paul Amrein signs as Quill.", "Paul Amrein", "Quill"),
    ("Paul Amrein's stage name is Bad Weather.", "Paul Amrein", "Bad Weather"),
    ("Since May Nora Vind is Nora Alm.", "Nora Vind", "Nora Alm"),
    ("Nora Vind, now Nora Alm, has moved.", "Nora Vind", "Nora Alm"),
    ("Sepp heißt eigentlich Josefus Kranz.", "Josefus Kranz", "Sepp"),
    ("Josefus Kranz, genannt Sepp, kocht.", "Josefus Kranz", "Sepp"),
    ("Der Spitzname von Josefus Kranz ist Mücke.", "Josefus Kranz", "Mücke"),
    ("Tout le monde appelle Léonie Vautrin Pépette.", "Léonie Vautrin", "Pépette"),
    ("Le surnom de Léonie Vautrin est Pépette.", "Léonie Vautrin", "Pépette"),
    ("A Pilar Otero le dicen la Flaca.", "Pilar Otero", "Flaca"),
    ("Il soprannome di Ugo Ferri è Lupo.", "Ugo Ferri", "Lupo"),
    ("O apelido de Rita Moura é Formiga.", "Rita Moura", "Formiga"),
    ("De bijnaam van Daan Vos is Bever.", "Daan Vos", "Bever"),
    ("Smeknamnet? Pelle Ström kallas Räven.", "Pelle Ström", "Räven"),
    ("Przezwisko Adama Wilka to Bocian, czyli Adam Wilk.", "Adam Wilk", "Bocian"),
    ("Honza se jmenuje Jan Dubský.", "Jan Dubský", "Honza"),
    ("Все зовут Павел Орлов Сова.", "Павел Орлов", "Сова"),
    ("Mama T's proper name is Efua Badu.", "Efua Badu", "Mama T"),
    ("J.R. is our nickname for Jonas Rehm.", "Jonas Rehm", "J.R."),
)
NOT_GUESSED = (
    ("Nora Vind called Paul about the roof.", "Nora Vind"),
    ("Nora Vind and Nora Alm came.", "Nora Vind"),
    ("Nora Vind met Nora Alm in town.", "Nora Vind"),
    ("Nora Vind is in Bergen.", "Nora Vind"),
    ("Nora Vind is happy. My dog is called Wall.", "Nora Vind"),
    ("Nora Vind is Catholic.", "Nora Vind"),
    ("Nora Vind und Sepp kochen.", "Nora Vind"),
    ("The name on the door is Nora Vind.", "Nora Vind"),
    ("Nobody is called Wall here.", "Nora Vind"),
    ("Nora Vind lives with Tom and works in Oslo on Mondays.", "Nora Vind"),
)


@pytest.mark.parametrize(("text", "name", "other"), GUESSED)
def test_a_name_is_guessed(text: str, name: str, other: str) -> None:
    assert other in may_be_called(text, [name])


@pytest.mark.parametrize(("text", "name"), NOT_GUESSED)
def test_no_name_is_guessed(text: str, name: str) -> None:
    assert not may_be_called(text, [name])


@pytest.mark.parametrize(
    "text",
    [
        "Paula Stern, called Wall as well, sings.",
        "Wall is also the nickname of Paula Stern.",
        "Paula Stern, known as Wall, too, came.",
        "Paula Stern heißt auch Wall.",
    ],
)
def test_a_nickname_may_be_anothers_too(text: str) -> None:
    assert may_call_another(text, "Wall", ["Nora Vind", "Wall"])


@pytest.mark.parametrize(
    "text",
    [
        "Wall called Paula Stern.",
        "Wall and Paula Stern are called in.",
        "Wall is the nickname of Nora Vind.",
        "Wall rang.",
    ],
)
def test_a_nickname_stays_of_whom_it_is(text: str) -> None:
    assert not may_call_another(text, "Wall", ["Nora Vind", "Wall"])


@pytest.mark.parametrize("text", ["Initials: C. D.", "C.A.D. signed", "signed C.D", "C. A. left", "by C.-D. as usual"])
def test_initials_are_found(text: str) -> None:
    found = initials_of("Cornelius Abel Drost")
    assert found is not None
    assert found.search(text)


@pytest.mark.parametrize("text", ["a CD and a DVD", "C. Dorn came", "U.C.D. is a college", "A. D. 300", "vitamin C, D"])
def test_other_signs_are_no_initials(text: str) -> None:
    found = initials_of("Cornelius Abel Drost")
    assert found is not None
    assert not found.search(text)
