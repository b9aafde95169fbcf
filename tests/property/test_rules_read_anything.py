"""Rules read whatever they are given: no text makes them raise, and a span is always part of its turn."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from marskg.extraction.by_rules import RuleExtractor
from marskg.extraction.proposal import Turn

#: Words that rules look for, so that drawn texts come near to what they read.
_WORDS = (
    "I I'm my not no longer used to like love hate spent $5 km on lunch budget is 300 euros a month goal walk 9,000 "
    "steps every day remind me to remove from the attendees add moved Oslo Malmö always answer when say forget that "
    "actually but and need have tomorrow May 3rd 31st allergic dog named Title: 'x' ' -"
)
_CUES = [*_WORDS.split(" "), '"y"', ",", ".", "!", "?", "…", '"', "\ud800", "茶", "İ", "\x00", "\n"]
_NEAR = st.lists(st.sampled_from(_CUES), max_size=120).map(" ".join)
_ANY = st.text(st.characters(codec=None), max_size=10_000)


@given(st.lists(st.one_of(_NEAR, _ANY), max_size=4), st.sampled_from(["Ana", None]), st.integers(0, 4_000_000_000_000))
def test_no_text_makes_the_rules_raise(texts: list[str], speaker: str | None, at: int) -> None:
    turns = [Turn(text, at, speaker) for text in texts]
    found = list(RuleExtractor().extract(turns))
    for proposal in found:
        assert 0 <= proposal.span.start <= proposal.span.end <= len(turns[proposal.span.turn].text)
        assert 0 <= proposal.confidence <= 1
        assert proposal.content
    assert found == list(RuleExtractor().extract(turns))
