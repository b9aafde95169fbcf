"""Invariants of entity recognition on any text."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from marskg.drafts import EntityRef
from marskg.entities import MAX_MENTIONS, MAX_THINGS, KnownNames, Recognised, Recogniser
from marskg.language.en.tokens import Tokens, masked

RECOGNISER = Recogniser(dictionary=[EntityRef("raised bed", "thing", ("bed",)), EntityRef("Ann Lee", "person")])

_PIECES = st.one_of(
    st.sampled_from(["my manager Ann Lee", "Ann", "Bob (Rob) Smith", "Acme Corp", "University of Oxford", "J. R. R."]),
    st.sampled_from(["works at", "is part of", "report to", "is a kind of", "short for", "is", "friends", "the", "I"]),
    st.sampled_from(["ann@example.com", "https://x.org/Ann", "www.Foo.org", "Example.com", "#Tag", "@handle"]),
    st.sampled_from(
        ["+44 20 7946 0958", "AB123456", "Straße", "İstanbul", "ΑΘΗΝΑ", "東京", "tomatoes", "de la", "Dr. "]
    ),
    st.sampled_from(
        ["'", '"', "“", "”", "*", "and", ",", ". ", "?", "’s", "'s", "&", "-", "\n", "\x00", "\x01", "\x02"]
    ),
)
_TEXTS = st.one_of(
    st.text(max_size=200), st.lists(_PIECES, max_size=25).map(" ".join), st.lists(_PIECES, max_size=25).map("".join)
)


def check(text: str, found: Recognised) -> None:
    names = [m.name for m in found.mentions]
    assert len(set(names)) == len(names) <= MAX_MENTIONS + 1
    assert sum(m.entity_type == "thing" for m in found.mentions) <= MAX_THINGS + text.lower().count("bed")
    end = 0
    for start, stop, name in found.spans:
        assert end <= start < stop <= len(text)
        assert name in names
        end = stop
    for relation in found.relations:
        assert relation.source != relation.target
        assert {relation.source, relation.target} <= set(names)


@given(text=_TEXTS, speaker=st.none() | st.text(max_size=12) | st.just("Alice"))
def test_any_text_gives_places_in_order_and_relations_between_mentions(text: str, speaker: str | None) -> None:
    found = RECOGNISER.find(text, speaker=speaker)
    check(text, found)
    assert RECOGNISER.find(text, speaker=speaker) == found


@given(text=_TEXTS)
def test_no_address_link_or_number_is_ever_an_entity(text: str) -> None:
    for mention in Recogniser().find(text).mentions:
        for name in (mention.name, *mention.aliases):
            assert "@" not in name
            assert "://" not in name
            assert "\0" not in name
            assert any(map(str.isalpha, name))
            assert re.search(r"\d{3}", name) is None


@given(text=_TEXTS)
def test_what_was_found_can_be_known(text: str) -> None:
    found = Recogniser().find(text)
    known = KnownNames(found.mentions)
    again = Recogniser().find(text, known=known)
    check(text, again)


@given(text=_TEXTS)
def test_masking_keeps_the_length_and_words_lie_in_order(text: str) -> None:
    assert len(masked(text)) == len(text)
    tokens = Tokens(text)
    end = 0
    for place in range(len(tokens)):
        assert end <= tokens.starts[place] < tokens.ends[place] <= len(text)
        end = tokens.ends[place]
