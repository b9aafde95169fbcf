"""What is left of a cut sentence never says what the sentence denied, for random sentences and random spans."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.language.spans import GAP
from marskg.language.whole_clauses import left_whole

VERBS = ["send", "call", "share", "sell", "print"]
DENIALS = ["do not", "never", "don't", "will not ever", "must not, under any circumstances,", "do not, I repeat,"]
JOINTS = [". ", ", and ", " and ", "; ", ", but ", ", ", " \u2014 ", "! ", "\n"]
WORDS = re.compile(r"[\w']+")


@st.composite
def sentences(draw: st.DrawFn) -> tuple[str, dict[str, str]]:
    """Draw a text of clauses, each with a verb of its own, and what of them is denied by which word."""
    text, denied = "", {}
    for verb in draw(st.permutations(VERBS))[: draw(st.integers(1, len(VERBS)))]:
        denial = draw(st.one_of(st.none(), st.sampled_from(DENIALS)))
        subject = draw(st.sampled_from(["I ", "you ", "Please ", ""]))
        text += f"{subject}{denial + ' ' if denial else ''}{verb} the {verb}thing{draw(st.sampled_from(JOINTS))}"
        if denial:
            denied[verb] = next(word for word in ("not", "never", "don't") if word in WORDS.findall(denial))
    return text, denied


@given(sentences(), st.data())
def test_a_verb_that_was_denied_is_shown_only_with_its_denial(
    drawn: tuple[str, dict[str, str]], data: st.DataObject
) -> None:
    text, denied = drawn
    bounds = st.integers(0, len(text))
    parts = data.draw(st.lists(st.tuples(bounds, bounds).map(lambda pair: (min(pair), max(pair))), max_size=3))
    left = left_whole(text, [part for part in parts if part[0] < part[1]])
    shown = [WORDS.findall(piece) for piece in left.split(GAP)]
    for verb, word in denied.items():
        for piece in shown:
            if verb in piece:
                assert word in piece[: piece.index(verb)], (text, parts, left)


#: What was said of what else was said, by words that mean nothing: no list could know them.
FRAMES = ["Zorb the quixel that ", "It is blurf that ", "Vexed among glim: ", "Nobody flurbs why ", "Top gleep: "]
TAILS = [", or so the drumble thinks", ": frobnicate both", ", wubbed by all", " is what the zum glarks"]
LIVES = "I live in Graz"


@pytest.mark.parametrize("other", ["I ride a horse", "my brother Tom owns a boat", "the old mill has a cellar"])
@pytest.mark.parametrize("joint", [" and ", ", and ", "; ", ", but "])
def test_what_a_sentence_says_of_its_clauses_is_shown_with_them(other: str, joint: str) -> None:
    for frame in FRAMES:
        text = f"{frame}{LIVES}{joint}{other}. The rest stays."
        start = text.index(LIVES)
        left = left_whole(text, [(start, start + len(LIVES))])
        assert other not in left or frame.strip() in left[: left.index(other)]
        assert "The rest stays." in left
    for tail in TAILS:
        text = f"{other[0].upper()}{other[1:]}{joint}{LIVES}{tail}."
        start = text.index(LIVES)
        left = left_whole(text, [(start, start + len(LIVES))])
        assert other[1:] not in left or tail in left


def test_clauses_of_their_own_stay() -> None:
    text = f"{LIVES} with my cat and I ride a horse on Sundays, but it is old."
    assert left_whole(text, [(0, len(LIVES))]) == "[…] and I ride a horse on Sundays, but it is old."
    text = f"I ride a horse on Sundays and {LIVES} with my cat."
    start = text.index(LIVES)
    assert left_whole(text, [(start, start + len(LIVES))]) == "I ride a horse on Sundays and […]."
