"""A filter that names nobody shows nothing, None asks for nothing: through all doors in the table of operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from marskg.api.operations import operations
from marskg.errors import InvalidInput, UnknownMemory
from marskg.privacy.principals import Principal, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from marskg.api.private_mode import PrivateMode
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

#: Filters by their doors: parameters that take a list of names, or None. A new one needs no line here.
FILTERS: Final = [
    (operation.name, name)
    for operation in operations()
    for name, rule in operation.parameters.items()
    if rule.expected.startswith(("a list of strings", "a string, or a list of strings"))
    and any(part.expected == "None" for part in rule.parts)
]
#: What each door needs besides; a new door with filters needs a line here.
NEEDED: Final[Mapping[str, Mapping[str, Any]]] = {
    "retrieve": {"query": "Ann waters the tomatoes", "min_confidence": 0, "conversation": "s"},
    "recall": {"entity": "Ann"},
    "read_all": {},
    "profile": {},
}
#: Doors where None and a list have other meanings: who may read above a ceiling, and a preference's regions.
ELSEWHERE: Final = {"privacy.grant", "preferences.set"}
EMPTY: Final[Mapping[str, Callable[[], Iterable[str]]]] = {
    "list": list, "tuple": tuple, "set": set, "iterator": lambda: iter(()), "generator": lambda: (one for one in ""),
}  # fmt: skip


def garden(stores: Stores) -> AgentMemory:
    memory = stores.open(embedding__model="none")
    memory.remember("Ann waters the tomatoes", subjects=["ann"], session="s", intent_tags=["garden"], mentions=["Ann"])
    return memory


def shown(memory: AgentMemory | PrivateMode, door: str, **filters: Any) -> int:
    try:
        return len(getattr(memory, door)(**{**NEEDED[door], **filters}))
    except UnknownMemory:
        return 0  # A recall from what nothing mentions that may be shown.


def test_every_door_with_filters_is_looked_at() -> None:
    assert {door for door, _ in FILTERS} == {*NEEDED} | ELSEWHERE
    assert {name for door, name in FILTERS if door == "read_all"} == {
        "kinds", "classes", "sources", "subjects", "sessions", "tags", "entity", "goal"
    }  # fmt: skip


def test_nobody_is_not_everybody_and_none_asks_for_nothing(stores: Stores) -> None:
    memory = garden(stores)
    agent, reader = (stores.open_as(memory, who) for who in ("agent:helper", "reader:bot?ceiling=1&jurisdiction=EU"))
    wrong = []
    with memory.privacy.private_mode() as private:
        for who, one in (("operator", memory), ("agent", agent), ("reader", reader), ("private mode", private)):
            for door, name in FILTERS:
                if door in ELSEWHERE:
                    continue
                if not shown(one, door, **{name: None}):
                    wrong.append(f"{who}: {door}({name}=None) shows nothing")
                for what, empty in EMPTY.items():
                    if shown(one, door, **{name: empty()}):
                        wrong.append(f"{who}: {door}({name}=an empty {what}) shows somebody")
    assert wrong == []


def test_a_text_is_one_name_an_iterator_is_read_once_and_what_is_no_text_is_refused(stores: Stores) -> None:
    memory = garden(stores)
    for door in NEEDED:
        assert shown(memory, door, subjects="ann")
        assert shown(memory, door, subjects=iter(["ben", "ann"]))
        assert not shown(memory, door, subjects=[""])
        assert not shown(memory, door, subjects=["a", "n"])
    for door, name in FILTERS:
        for value in (5, True, {"ann": 1}, b"ann", ["ann", None], [b"ann"], [["ann"]]):
            if door in NEEDED:
                with pytest.raises(InvalidInput, match=rf"^{name}:? (must be a|item \d must be a)"):
                    shown(memory, door, **{name: value})


def test_a_principal_who_is_limited_to_nobody_sees_nothing(stores: Stores) -> None:
    memory = garden(stores)
    for role in (Role.READER, Role.AGENT, Role.CONTROLLER):
        nobody, anybody = (
            stores.open_as(memory, Principal(role, "bot", ceiling=1, jurisdiction="EU", subjects=subjects))
            for subjects in ((), None)
        )
        assert [shown(nobody, door) for door in ("retrieve", "read_all")] == [0, 0]
        assert [*nobody.memories(), *nobody.entities.list()] == []
        assert shown(anybody, "retrieve") == 1
    with pytest.raises(InvalidInput, match="an operator has no limits"):
        Principal(Role.OPERATOR, subjects=())


def test_a_grant_for_nobody_is_refused_and_writing_about_nobody_is_not(stores: Stores) -> None:
    memory = garden(stores)
    with pytest.raises(InvalidInput, match="subjects names nobody, so that the grant allows nothing"):
        memory.privacy.grant("reader:bot", ceiling=0.9, subjects=[])
    assert memory.privacy.grant("reader:bot", ceiling=0.9).subjects is None
    assert memory.remember("It rained", subjects=[]).subjects == ()
