"""A name of which only a digest is known is found where the name itself is: by the same table, and for any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.language.naming.edges import Verdict
from marskg.language.naming.matcher import NameMatcher
from marskg.language.naming.sought import Candidates, Key, exact_key, like_keys
from tests.support.name_cases import CASES

#: Of letters of several scripts, and of what identifiers are made of.
_SIGNS = st.one_of(st.text("abcdé王芳мяд -.'", max_size=12), st.text("abcd王芳0123 -.@+", max_size=12))


def found(key: Key, text: str) -> bool:
    return key.text in Candidates(text).of(key.sort, key.length)


def verdict(name: str, text: str) -> Verdict:
    """Return what is decided of a text by who knows the keys of a name and not the name."""
    key = exact_key(name)
    said = NameMatcher((key.name,)).read(text).verdict if found(key, text) else Verdict.NONE
    if said is Verdict.NONE and any(found(like, text) for like in like_keys(name)):
        return Verdict.NEAR
    return said


def told(name: str, text: str) -> Verdict:
    """Return what the matcher says, as far as a rule goes by it, which keeps no capitals of its name."""
    said = NameMatcher((exact_key(name).name,)).read(text).verdict
    return said if said in {Verdict.IS, Verdict.NEAR} else Verdict.NONE


def missed(name: str, text: str) -> bool:
    return verdict(name, text).value < told(name, text).value


@pytest.mark.parametrize(("name", "text"), sorted({(name, text) for name, text, _ in CASES}))
def test_the_table(name: str, text: str) -> None:
    said, wanted = verdict(name, text), told(name, text)
    assert (said if said is not Verdict.OTHER else Verdict.NONE) is wanted


@given(_SIGNS, _SIGNS, _SIGNS)
def test_no_text_hides_a_name(before: str, after: str, name: str) -> None:
    if any(letter.isalnum() for letter in name):
        assert not missed(name, f"{before}{name}{after}")
        assert not missed(name, f"{before}{name.upper()} {after}")


@given(st.text(max_size=30), st.text(max_size=60))
def test_any_text_is_searched(name: str, text: str) -> None:
    verdict(name, text)
