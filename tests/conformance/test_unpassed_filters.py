"""On every engine: a filter that leaves an answer empty says so; and a question in capitals is the usual one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.privacy.principals import Principal, Role

if TYPE_CHECKING:
    from tests.support.stores import Stores

GARDEN = "The tomatoes in the garden want water"


@pytest.mark.parametrize(
    ("filters", "told"),
    [
        ({"sessions": ["none"]}, "nothing here passes the filter sessions"),
        ({"tags": "none"}, "nothing here passes the filter tags"),
        ({"kinds": "task"}, "nothing here passes the filter kinds"),
        ({"sources": "doc"}, "nothing here passes the filter sources"),
        ({"key_prefix": "no/such"}, "nothing here passes the filter key_prefix"),
        ({"metadata": {"user-id": "b"}}, "nothing here passes the filter metadata"),
        ({"metadata": {"user_id": "a-1"}}, "nothing here has the key 'user_id' in its metadata"),
        ({"sessions": ["s"], "metadata": {"2024": 1}}, "nothing here passes the filters sessions, metadata together"),
    ],
)
def test_a_filter_that_nothing_passes_says_so(stores: Stores, filters: dict[str, Any], told: str) -> None:
    memory = stores.open()
    memory.remember(GARDEN, session="s", metadata={"user-id": "a-1"})
    memory.remember("The beans are fine", session="other", metadata={"2024": 1})
    found = memory.retrieve("Who waters the tomatoes?", **filters)
    assert not len(found)
    assert [notice for notice in found.notices if notice.startswith("nothing here")] == [told]


def test_filters_that_something_passes_and_an_empty_store_say_nothing(stores: Stores) -> None:
    memory = stores.open()
    assert not any("filter" in notice for notice in memory.retrieve("tomatoes", sessions=["s"]).notices)
    memory.remember(GARDEN, session="s")
    found = memory.retrieve("Who paints the fence in Madrid?", sessions=["s"], min_confidence=0.99)
    assert not len(found)
    assert not any("filter" in notice for notice in found.notices)


def test_what_is_hidden_tells_nobody_whether_it_passes_a_filter(stores: Stores) -> None:
    memory = stores.open()
    memory.remember(GARDEN, session="s")
    told = []
    for hidden in (False, True):
        if hidden:
            memory.remember("The diagnosis came by letter", session="doctor", sensitivity=0.9)
        reader = stores.open_as(memory, Principal(Role.READER, "bot", ceiling=0.3))
        told.append(reader.retrieve("What came?", sessions=["doctor"]).notices)
    assert told[0] == told[1]


def test_a_question_in_capitals_is_the_usual_one(stores: Stores) -> None:
    memory = stores.open()
    for day in range(40):
        memory.remember(f"The weather on day {day} was ordinary")
    memory.remember("My physiotherapist is Jane")
    memory.remember("İstanbul'da oturuyorum")
    for question, first in (("PHYSIOTHERAPIST", "Jane"), ("ISTANBUL", "oturuyorum"), ("WHO IS JANE?", "Jane")):
        hit = next(iter(memory.retrieve(question)))
        assert first in (hit.memory.content or "")
        assert hit.certain
