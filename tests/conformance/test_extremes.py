"""What a field may be at its utmost: stored, with every door open afterwards, or refused, with nothing stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.clock import MAX_MS
from marskg.drafts import EntityRef
from marskg.errors import InvalidInput
from marskg.given_time import Moment
from tests.support import reading

if TYPE_CHECKING:
    from tests.support.stores import Stores

#: Around what 32, 53 and 64 bits hold.
UTMOST = (2**31 - 1, 2**31, -(2**31) - 1, 2**53, -(2**53))
BEYOND = (2**53 + 1, -(2**53) - 1, 2**63 - 1, 2**63)


def test_whatever_number_a_task_has_every_door_reads(stores: Stores) -> None:
    memory = stores.open(embedding__model="none")
    for priority in UTMOST:
        task = memory.remember("Send the rent", kind="task", priority=priority)
        assert reading.shut(memory, reading.DAILY) == [], priority
        memory.tasks.amend(task.id, priority=-priority)
    memory.remember("Ann owes it all", kind="semantic", subjects=["ann"], mentions=["Ann"], payload={"amount": 2**53})
    memory.remember("Nothing lasts", at=Moment(0), valid_to=Moment(1), reliability=5e-324, sensitivity=5e-324)
    memory.remember("Everything lasts", at=Moment(MAX_MS), ttl="36500d", kind="task", deadline=Moment(MAX_MS))
    assert reading.shut(memory) == []


@pytest.mark.parametrize(
    "iri", ["http://x/%zz", "x:#a#b", "http://x/\ue000", "http://x/\x80", "http://[x", "\u212aey:x", "x"]
)
def test_an_iri_that_no_reader_takes_is_refused(stores: Stores, iri: str) -> None:
    memory = stores.open(embedding__model="none")
    with pytest.raises(InvalidInput, match="same_as must be an absolute IRI"):
        memory.remember("Ann is here", mentions=[EntityRef("Ann", same_as=(iri,))])
    memory.remember("Ann is here", mentions=[EntityRef("Ann", same_as=("tag:x,2026:\u00a0é%20",))])
    assert reading.shut(memory) == []


@pytest.mark.parametrize("unseen", ["\u3164", "\uffa0 \u115f", "\u1160\u200b", "\u2800\u2800", "\u200d"])
def test_a_text_of_which_nothing_is_seen_is_refused(stores: Stores, unseen: str) -> None:
    memory = stores.open(embedding__model="none")
    given: tuple[dict[str, Any], ...] = ({"content": unseen}, {"content": "a", "session": unseen})
    for fields in given:
        with pytest.raises(InvalidInput, match="has only characters that are not seen"):
            memory.remember(**fields)


@pytest.mark.parametrize("number", BEYOND)
def test_a_number_that_not_every_door_carries_is_refused(stores: Stores, number: int) -> None:
    memory = stores.open(embedding__model="none")
    task = memory.remember("Send the rent", kind="task", priority=1)
    before = memory.stats()["audit_seq"]
    calls: list[dict[str, Any]] = [{"priority": number}, {"deadline": number}]
    for given in calls:
        with pytest.raises(InvalidInput, match=r"(priority|deadline).*outside \["):
            memory.remember("Send it all", kind="task", **given)
    with pytest.raises(InvalidInput, match=r"priority.*outside \[-2\^53, 2\^53\]"):
        memory.tasks.amend(task.id, priority=number)
    assert memory.stats()["audit_seq"] == before
