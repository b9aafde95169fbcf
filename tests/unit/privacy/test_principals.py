"""Who may do what: the table of rights covers every door, and a door that it does not name is the operator's."""

from __future__ import annotations

from inspect import getattr_static, isfunction
from pathlib import Path
from typing import Any

import pytest

from marskg.api.components import Components
from marskg.api.doors import Doorkeeper
from marskg.api.namespaces.flat_names import FlatNames
from marskg.api.namespaces.moved import Moved
from marskg.api.operations import NAMESPACES
from marskg.api.restricted.restricted_memory import RestrictedMemory
from marskg.errors import InvalidInput, NotPermitted
from marskg.memory import AgentMemory
from marskg.privacy.principals import (
    OPERATOR,
    READER_CEILING,
    RIGHTS,
    Principal,
    Right,
    Role,
    permit,
    right_to,
)

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "principals.md"
#: What says nothing of what is stored, or works through doors that are asked themselves.
HARMLESS = {
    "tenant",
    "settings.current",
    "settings.subscriptions",
    "principal",
    "now",
    "close",
    "maintenance.stop",
}


def stranger(role: Role) -> RestrictedMemory:
    """Return a memory that can do nothing but ask who comes."""
    memory, components = object.__new__(RestrictedMemory), object.__new__(Components)
    components.principal = Principal(role, "bot")
    keeper = object.__new__(Doorkeeper)
    keeper._principal, keeper._closed = components.principal, False
    components.ask = keeper.ask
    memory._components = components
    memory._ask = components.ask
    return memory


def doors() -> dict[str, tuple[str, str]]:
    """Return each public method and property of the memory and its namespaces, with where it is."""
    found = {}
    for place in ("", *(one.NAME for one in NAMESPACES)):
        owner = getattr(stranger(Role.OPERATOR), place) if place else stranger(Role.OPERATOR)
        for name in dir(type(owner)):
            door = getattr_static(type(owner), name)
            flat = not place and name in vars(FlatNames)
            if name[0] != "_" and (isfunction(door) or isinstance(door, property)) and not flat:
                found[f"{place}.{name}".lstrip(".")] = (place, name)
    return {**found, "preferences": ("", "preferences")}


DOORS = doors()


def test_every_door_stands_in_the_table_once() -> None:
    named = [name for row in RIGHTS for name in row.operations]
    assert len(named) == len(set(named))
    assert set(named) == set(DOORS)


@pytest.mark.parametrize("role", [Role.READER, Role.SUBJECT])
def test_a_door_that_lets_a_reader_in_is_one_of_the_gated_memory_itself(role: Role) -> None:
    # The code of a door that is inherited is the operator's.
    memory = stranger(role)
    for door in {name for name in DOORS if right_to(role, name) is not Right.NO} - HARMLESS:
        place, name = DOORS[door]
        assert name in vars(type(getattr(memory, place) if place else memory)), door


@pytest.mark.parametrize("door", sorted(DOORS))
def test_every_door_of_the_gated_memory_asks_first(door: str) -> None:
    """A door that is added to the facade or to a namespace is wrapped and refused, whatever it does."""
    place, name = DOORS[door]
    for role in (Role.READER, Role.SUBJECT, Role.CONTROLLER):
        memory = stranger(role)
        owner: Any = getattr(memory, place) if place else memory
        found: Any = getattr_static(type(owner), name)
        if right_to(role, door) is Right.NO:
            with pytest.raises(NotPermitted, match=f"bot.* may not use {door}"):
                getattr(found, "fget", found)(owner)


@pytest.mark.parametrize("old", sorted(name for name, one in vars(FlatNames).items() if isinstance(one, Moved)))
def test_a_flat_name_is_the_door_of_the_namespace_and_says_so(old: str) -> None:
    moved = vars(FlatNames)[old]
    memory: Any = stranger(Role.READER)
    with pytest.warns(DeprecationWarning, match=rf"^mem\.{old} is mem\.{moved.new} now; .* until 1\.0$"):
        door = getattr(memory, old)
    assert door == getattr(getattr(memory, moved.namespace), moved.method)
    assert moved.new in DOORS
    assert getattr(AgentMemory, old).__doc__.startswith(f"Deprecated name of ``mem.{moved.new}``: ")


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
    lines = [f"| | {' | '.join(Role)} |", f"|---|{'---|' * len(Role)}"]
    lines += [f"| {row.title} | {' | '.join(row.of(role).value for role in Role)} |" for row in RIGHTS]
    assert "\n".join(lines) in PAGE.read_text("utf-8")


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
