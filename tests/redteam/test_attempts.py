"""Every attempt is made, and tells nothing; and there are as many as there have to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.redteam.stage import SENTINELS, Told, leaks, spellings
from tests.redteam.suite import ALL, judged

if TYPE_CHECKING:
    from tests.redteam.attempt import Attempt
    from tests.redteam.stage import Side


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.id)
def test_an_attempt_tells_nothing(pair: tuple[Side, Side], one: Attempt) -> None:
    assert judged(one, *pair) == []


@pytest.mark.parametrize("one", [one for one in ALL if one.server], ids=lambda one: one.id)
def test_an_attempt_tells_nothing_on_a_server(server_pair: tuple[Side, Side], one: Attempt) -> None:
    assert judged(one, *server_pair) == []


def test_there_are_three_hundred_attempts_and_more_each_with_an_id_of_its_own() -> None:
    assert len(ALL) >= 300
    assert len({one.id for one in ALL}) == len(ALL)
    assert len({one.door for one in ALL}) >= 30
    assert len({one.technique for one in ALL}) >= 50


@pytest.mark.parametrize("word", [*SENTINELS.values(), "zqsaffron"])
def test_a_word_is_found_in_every_spelling(word: str) -> None:
    for form in spellings(word).values():
        assert leaks(Told("told", f"… {form.upper()} …"), None, [word])
    assert not leaks(Told("told", "nothing of it"), None, [word])


def test_a_difference_is_found() -> None:
    assert leaks(Told("told", "a"), Told("told", "b"), [])
    assert leaks(Told("told", "a"), Told("nothing", "a"), [])
    assert not leaks(Told("told", "a"), Told("told", "a"), [])
