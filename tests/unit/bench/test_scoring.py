"""FAMA by hand, and what must not be able to cheat it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg_bench.fama.scoring import Criterion, Item, Said, mean, score


def criterion(*values: str, sessions: tuple[str, ...] = ("s1",)) -> Criterion:
    return Criterion(tuple(Said(value, frozenset(sessions)) for value in values))


def item(content: str, session: str = "s1", tokens: int = 10) -> Item:
    return Item(content, session, tokens)


PRESENCE = (criterion("jazz", sessions=("s2",)), criterion("ferns"), criterion("violin"))
FORGETTING = (criterion("opera"),)


def test_the_arithmetic() -> None:
    got = [item("jazz it is", "s2"), item("opera is grand"), item("ferns and a violin", tokens=5)]
    outcome = score(PRESENCE, FORGETTING, got)
    assert outcome.presence == 1
    assert outcome.stale == 1
    assert outcome.fama == pytest.approx(1 - 1 / 4)
    assert (outcome.tokens, outcome.stale_tokens) == (25, 10)


def test_it_never_falls_below_nothing() -> None:
    assert score(PRESENCE, FORGETTING, [item("opera")]).fama == 0
    assert score(PRESENCE, FORGETTING, []).fama == 0


def test_without_anything_to_forget_it_is_presence() -> None:
    outcome = score(PRESENCE, (), [item("ferns")])
    assert outcome.fama == outcome.presence == pytest.approx(1 / 3)
    assert outcome.stale is None


def test_a_retraction_that_quotes_is_raw_and_not_stale() -> None:
    outcome = score(PRESENCE, FORGETTING, [item("I used to love opera, now jazz", "s2")])
    assert (outcome.stale, outcome.raw) == (0, 1)
    assert outcome.presence == pytest.approx(1 / 3)


def test_the_right_words_from_another_session_are_no_presence() -> None:
    assert score(PRESENCE, FORGETTING, [item("jazz", "s1"), item("jazz", "s9")]).presence == 0


def test_a_list_is_one_criterion_met_by_its_share() -> None:
    whole = criterion("apples", "pears", "plums", "figs")
    outcome = score((whole, criterion("jazz")), (), [item("apples and pears"), item("plums")])
    assert outcome.presence == pytest.approx(0.75 / 2)


def test_the_mean_of_stale_leaves_out_questions_with_nothing_to_forget() -> None:
    both = mean([score(PRESENCE, FORGETTING, [item("opera")]), score(PRESENCE, (), [item("ferns")])])
    assert both.stale == 1
    assert both.presence == pytest.approx(1 / 6)


WORDS = st.sampled_from(["jazz", "ferns", "violin", "opera", "rain"])
ITEMS = st.lists(st.builds(Item, WORDS, st.sampled_from(["s1", "s2"]), st.integers(1, 9)), max_size=6)


@given(ITEMS, ITEMS)
def test_more_items_never_lower_presence_nor_staleness(some: list[Item], more: list[Item]) -> None:
    few, many = (score(PRESENCE, FORGETTING, items) for items in (some, some + more))
    assert few.presence <= many.presence
    assert (few.stale or 0) <= (many.stale or 0)
    assert 0 <= many.fama <= many.presence


@given(ITEMS)
def test_dropping_what_is_stale_never_lowers_fama(items: list[Item]) -> None:
    kept = [one for one in items if not any(part.by(one) for c in FORGETTING for part in c.parts)]
    assert score(PRESENCE, FORGETTING, kept).fama >= score(PRESENCE, FORGETTING, items).fama
