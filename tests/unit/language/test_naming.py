"""Whom a name means: the table of names, and what holds for every name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.language.naming.asked import names_asked
from marskg.language.naming.edges import Verdict
from marskg.language.naming.matcher import NameMatcher
from tests.support.name_cases import CASES, IS, MAY, OTHER

_ALLOWED = {
    IS: {Verdict.IS},
    MAY: {Verdict.IS, Verdict.NEAR},
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
        ("", (), ()),
    ],
)
def test_the_names_in_a_request(request_: str, names: tuple[str, ...], others: tuple[str, ...]) -> None:
    found = names_asked(request_)
    assert (found.names, found.others) == (names, others)


def test_a_name_of_ten_thousand_letters() -> None:
    name = "nora" * 2_500
    assert NameMatcher((name,)).read(f"a {name} b").verdict is Verdict.IS
    assert NameMatcher((name,)).read(f"a {name}x b").verdict is Verdict.NONE
