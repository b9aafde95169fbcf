"""Every attempt is made, and tells nothing; and there are as many as there have to be."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import pytest

from marskg.api.operations import operations
from marskg.privacy.principals import Right, Role, right_to
from tests.redteam.stage import SENTINELS, Told, leaks, listening, spellings
from tests.redteam.suite import ALL, judged
from tests.redteam.table import PAGE, page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from _pytest.mark import ParameterSet

    from tests.redteam.attempt import Attempt
    from tests.redteam.stage import Side


def attempts() -> Iterator[ParameterSet]:
    """Yield all attempts, the first at each door and by each technique for ``make test``, the others for the proof."""
    doors, techniques = set[str](), set[str]()
    for one in ALL:
        known = one.door in doors and one.technique in techniques
        yield pytest.param(one, marks=pytest.mark.proof if known else [], id=one.id)
        doors.add(one.door)
        techniques.add(one.technique)


@pytest.mark.parametrize("one", list(attempts()))
def test_an_attempt_tells_nothing(pair: tuple[Side, Side], one: Attempt) -> None:
    assert judged(one, *pair) == []


#: The first attempt at each door; the proof makes the others on a server as well.
FIRST = {one.door: one for one in reversed(ALL) if one.server}
ON_A_SERVER = [
    pytest.param(one, marks=[] if FIRST[one.door] is one else pytest.mark.proof, id=one.id) for one in ALL if one.server
]


@pytest.mark.parametrize("one", ON_A_SERVER)
def test_an_attempt_tells_nothing_on_a_server(server_pair: tuple[Side, Side], one: Attempt) -> None:
    assert judged(one, *server_pair) == []


def test_there_are_three_hundred_attempts_and_more_each_with_an_id_of_its_own() -> None:
    assert len(ALL) >= 300
    assert len({one.id for one in ALL}) == len(ALL)
    assert len({one.door for one in ALL}) >= 30
    assert len({one.technique for one in ALL}) >= 50


#: What tells nothing and takes nothing.
HARMLESS = {"close", "maintenance.stop"}


def test_every_operation_that_others_than_the_operator_have_is_attempted() -> None:
    limited = (Role.AGENT, Role.SUBJECT, Role.READER)
    theirs = {one.name for one in operations() if any(right_to(role, one.name) is not Right.NO for role in limited)}
    assert theirs - {one.door for one in ALL} == HARMLESS


def test_what_another_test_left_open_is_nothing_that_was_told(tmp_path: Path) -> None:
    said: list[str] = []
    with listening(said):
        warnings.warn("told", UserWarning, stacklevel=1)
        (tmp_path / "left").open("w")
    assert said == ["told", ""]


@pytest.mark.parametrize("word", [*SENTINELS.values(), "zqsaffron"])
def test_a_word_is_found_in_every_spelling(word: str) -> None:
    for form in spellings(word).values():
        assert leaks(Told("told", f"… {form.upper()} …"), None, [word])
    assert not leaks(Told("told", "nothing of it"), None, [word])


def test_a_difference_is_found() -> None:
    assert leaks(Told("told", "a"), Told("told", "b"), [])
    assert leaks(Told("told", "a"), Told("nothing", "a"), [])
    assert not leaks(Told("told", "a"), Told("told", "a"), [])


def test_the_page_has_the_table_of_these_attempts() -> None:
    assert PAGE.read_text("utf-8") == page(), "run: python -m tests.redteam.table"
