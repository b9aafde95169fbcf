"""Whom a name means: the table of names, and what holds for every name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.language.naming.asked import labelled_number, names_asked
from marskg.language.naming.edges import Verdict
from marskg.language.naming.matcher import INSIDE, NameMatcher
from marskg.language.naming.other_writings import written_otherwise
from marskg.language.naming.spellings import name_form
from tests.support.name_cases import CASES, IS, MAY, NEAR, OTHER

_ALLOWED = {
    IS: {Verdict.IS},
    MAY: {Verdict.IS, Verdict.NEAR},
    NEAR: {Verdict.NEAR},
    OTHER: {Verdict.NONE, Verdict.OTHER, Verdict.NEAR},
}


@pytest.mark.parametrize(("name", "text", "verdict"), CASES)
def test_the_table(name: str, text: str, verdict: str) -> None:
    found = NameMatcher((name,)).read(text)
    assert found.verdict in _ALLOWED[verdict], found
    assert found.verdict in {Verdict.NONE, Verdict.IS} or found.reason


@pytest.mark.parametrize("name", sorted({name for name, _, _ in CASES}))
def test_a_name_alone_is_the_name(name: str) -> None:
    assert NameMatcher((name,)).is_one(name)
    assert NameMatcher((name,)).read(f"who? {name} …").verdict in {Verdict.IS, Verdict.NEAR}


@pytest.mark.parametrize("name", ["", " ", "\u200b", "?!", "-", "\u202e", ".", "'"])
def test_punctuation_alone_is_found_nowhere_by_chance(name: str) -> None:
    assert NameMatcher((name,)).read("Nora likes figs, and plums").verdict is Verdict.NONE


@given(st.text(max_size=30), st.text(max_size=60))
def test_any_text_is_read(name: str, text: str) -> None:
    assert NameMatcher((name,)).read(text).verdict in Verdict


@given(st.text(alphabet="abcdé王芳мяд 0123-.@'", min_size=1, max_size=12))
def test_what_is_asked_for_is_found_as_a_whole_name(name: str) -> None:
    if any(letter.isalnum() for letter in name):
        assert NameMatcher((name,)).is_one(name)


@pytest.mark.parametrize(
    ("request_", "names", "others"),
    [
        ("everything about Dana", ("Dana",), ()),
        ("Olivia's languages", ("Olivia",), ("languages",)),
        ("Book A", ("Book A",), ()),
        ("Robert Smith / Bob Smith employee record", ("Robert Smith", "Bob Smith"), ()),
        ("patient Park Jimin (박지민)", ("Park Jimin", "박지민"), ()),
        ("employee Galit Cohen גלית", ("Galit Cohen", "גלית"), ()),
        ("case_id 12345 district court", ("12345",), ()),
        ("ISBN 9780134685991", ("9780134685991",), ()),
        ("0475 555 219", ("0475 555 219",), ()),
        ("the weather in Berlin", ("Berlin",), ("weather", "in")),
        ("Aiden the patient", ("Aiden",), ()),
        ("my ex-husband", (), ("my", "ex-husband")),
        ("chef Søren Kjær", ("Søren Kjær",), ()),
        ("the chef's knife of Søren", ("Søren",), ("chef's", "knife", "of")),
        ("guest Olga Sidorova, in Russian Ольга Сидорова", ("Olga Sidorova", "Ольга Сидорова"), ()),
        ("singer Bjork / Björk 🎵", ("Bjork", "Björk"), ()),
        ("MacBook charger", ("MacBook", "Mac-Book"), ("charger",)),
        ("山田 はなこ", ("山田 はなこ",), ()),
        ("", (), ()),
    ],
)
def test_the_names_in_a_request(request_: str, names: tuple[str, ...], others: tuple[str, ...]) -> None:
    found = names_asked(request_)
    assert (found.names, found.others) == (names, others)


@pytest.mark.parametrize(
    ("name", "text", "likely"),
    [
        ("lena@post.example", "to lena+news@post.example.", True),
        ("lena@post.example", "to lena+news@post.example.org", False),
        ("lena@post.example", "to helena+news@post.example", False),
        ("lena+news@post.example", "to lena@post.example", False),
        ("@pix_el", "on the forum: pix_el.", True),
        ("@pix_el", "pix_elated", False),
        ("@pixel", "a pixel is dead", False),
        ("0171 2345678", "+49 171 2345678", True),
        ("+49 171 2345678", "0171 2345678", False),
        ("412", "member 00412", True),
        ("412", "member 4120", False),
        ("412", "it costs 0.0412", False),
        ("srv/tea/list.csv", r"in D:\srv\tea\list.csv.", True),
        ("srv/tea/list.csv", r"in D:\srv\tea\list.csv.old", False),
        ("HELP-77", "HELP77", True),
        ("HELP-77", "HELP-777", False),
        ("A1-12", "A11-2", False),
        ("v1.10", "v11.0", False),
        ("SAVE20", "save 20 crowns", False),
        ("00:1b:44:11:3a:b7", "00-1B-44-11-3A-B7", True),
        ("Dr Berg", "Doctor Berg's", True),
        ("Dr Berg", "Doctor Bergman", False),
        ("NDEAFIHH", "the code is NDEAFIHHXXX", True),
        ("NDEAFIHH", "the code is NDEAFIHH500", False),
        ("2026-02-17", "on February 17, 2026", True),
        ("2026-02-17", "on 17.02.2026", True),
        ("2026-02-07", "on 02/07/2026", False),
        ("Nora", "Nora", False),
    ],
)
def test_what_is_very_likely_an_identifier_written_otherwise(name: str, text: str, likely: bool) -> None:  # noqa: FBT001 - a column
    pattern = written_otherwise(name)
    assert (pattern is not None and pattern.search(name_form(text)) is not None) is likely


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("IBAN DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 00"),
        ("card no. 4929 1234 5678 9012", "4929 1234 5678 9012"),
        ("card ending 9012", ""),
        ("order 2024-1001", ""),
        ("Card Nora", ""),
    ],
)
def test_a_number_that_nothing_else_has_is_one_without_its_label(name: str, number: str) -> None:
    assert labelled_number(name) == number


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Maria Costa told me", Verdict.OTHER),
        ("Costa, Maria wrote", Verdict.OTHER),
        ("I met Ana Maria Braga there", Verdict.OTHER),
        ("maria costa said so", Verdict.OTHER),
        ("MARIA COSTA SAID SO", Verdict.OTHER),
        ("Maria Costa told me that Maria called", Verdict.IS),
        ("Maria Silva and Maria Costa came", Verdict.IS),
        ("Maria called", Verdict.IS),
        ("Nobody called", Verdict.NONE),
    ],
)
def test_what_stands_inside_anothers_longer_name_is_a_namesake(text: str, verdict: Verdict) -> None:
    found = NameMatcher(("Maria", "Maria Silva"), ("Maria Costa", "Ana Maria Braga", "Bo Ek", "Maria")).read(text)
    assert found.verdict is verdict
    assert found.reason == (INSIDE if verdict is Verdict.OTHER else "")


def test_what_stands_inside_anothers_longer_name_in_a_script_without_blanks() -> None:
    matcher = NameMatcher(("王芳",), ("王芳玲",))
    assert [matcher.read(text).verdict for text in ("王芳玲的订单", "王芳的订单")] == [Verdict.OTHER, Verdict.IS]


def test_a_name_of_ten_thousand_letters() -> None:
    name = "nora" * 2_500
    assert NameMatcher((name,)).read(f"see {name} here").verdict is Verdict.IS
    assert NameMatcher((name,)).read(f"see {name}x here").verdict is Verdict.NONE
