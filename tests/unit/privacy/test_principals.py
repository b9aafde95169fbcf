"""Who may do what: the table of rights covers every door, and a door that it does not name is the operator's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from marskg.errors import InvalidInput, NotPermitted
from marskg.gated import GatedMemory
from marskg.memory import AgentMemory
from marskg.privacy.principals import (
    OPERATOR,
    READER_CEILING,
    RIGHTS,
    Principal,
    Right,
    Role,
    as_table,
    permit,
    right_to,
)

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "principals.md"
DOORS = {name for name in dir(AgentMemory) if not name.startswith("_")}
#: What says nothing of what is stored, or works through doors that are asked themselves.
HARMLESS = {"tenant", "settings", "subscriptions", "principal", "now", "close", "stop_maintaining"}


def test_every_door_stands_in_the_table_once() -> None:
    named = [name for row in RIGHTS for name in row.operations]
    assert len(named) == len(set(named))
    assert set(named) == DOORS


@pytest.mark.parametrize("role", [Role.READER, Role.SUBJECT])
def test_a_door_that_lets_a_reader_in_is_one_of_the_gated_memory_itself(role: Role) -> None:
    open_to = {name for name in DOORS if right_to(role, name) is not Right.NO}
    assert open_to - HARMLESS <= set(vars(GatedMemory))
    # Inherited doors are wrapped, and their code is that of the operator's: they must not be among them.
    inherited = {name for name in open_to - HARMLESS if _origin(name) == "marskg.memory"}
    assert inherited == set()


def _origin(name: str) -> str:
    door: Any = vars(GatedMemory)[name]
    asked = getattr(door, "fget", door)
    module: str = asked.__wrapped__.__module__
    return module


@pytest.mark.parametrize("name", sorted(DOORS))
def test_every_door_of_the_gated_memory_asks_first(name: str) -> None:
    """A door that is added to the facade is wrapped and refused, whatever it does."""
    door: Any = vars(GatedMemory)[name]
    asked = getattr(door, "fget", door)
    stranger = object.__new__(GatedMemory)
    for role in (Role.READER, Role.SUBJECT, Role.CONTROLLER):
        stranger._principal = Principal(role, "bot")
        if right_to(role, name) is Right.NO:
            with pytest.raises(NotPermitted, match="bot"):
                asked(stranger)


def test_what_no_row_names_is_the_operators() -> None:
    for role in (Role.CONTROLLER, Role.SUBJECT, Role.READER):
        assert right_to(role, "a_door_of_tomorrow") is Right.NO
    assert right_to(Role.OPERATOR, "a_door_of_tomorrow") is Right.ALL


def test_a_refusal_names_who_what_and_who_may() -> None:
    with pytest.raises(NotPermitted) as refused:
        permit(Principal.of("reader:bot"), "erase")
    assert str(refused.value) == (
        "the reader 'bot' may not use erase: it is for the operator or the controller; "
        "act as that: principal=… or mars --as …"
    )


def test_the_documents_have_the_table_of_the_code() -> None:
    assert as_table() in PAGE.read_text("utf-8")


def test_a_principal_is_read_from_a_text() -> None:
    assert Principal.of("operator") == OPERATOR
    assert Principal.of("reader") == Principal(Role.READER, ceiling=READER_CEILING)
    whole = Principal.of("reader:a%3Fb?ceiling=0.3&purpose=care&jurisdiction=EU&subject=Ann&subject=Bob&grant=1-2")
    assert whole == Principal(Role.READER, "a?b", 0.3, "care", "EU", ("Ann", "Bob"), "1-2")
    assert Principal.of("subject:Ann").subjects == ("Ann",)
    assert Principal.of("subject:Ann?subject=Annie").subjects == ("Ann", "Annie")
    assert Principal.of(whole) is whole


def test_the_audit_does_not_name_a_subject() -> None:
    assert Principal.of("subject:Ann").actor == "subject"
    assert Principal.of("reader:bot").actor == "reader:bot"
    assert OPERATOR.actor == "operator"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "admin",
        "Reader:bot",
        "subject",
        "operator?ceiling=0.3",
        "operator:x?subject=Ann",
        "reader:bot?ceiling=2",
        "reader:bot?ceiling=-0.1",
        "reader:bot?ceiling=nan",
        "reader:bot?ceiling=high",
        "reader:bot?ceiling=0.1&ceiling=1",
        "reader:bot?celling=0.3",
        "reader:bot?purpose=",
        "reader:bot?x",
        "reader:a\nb",
        "reader:" + "x" * 201,
    ],
)
def test_a_wrong_principal_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        Principal.of(text)


@pytest.mark.parametrize("given", [None, 5, b"operator"])
def test_what_is_no_text_is_no_principal(given: object) -> None:
    with pytest.raises(InvalidInput, match="a principal is a text such as"):
        Principal.of(given)
