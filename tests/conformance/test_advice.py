"""The budget advisor on a store, on every engine: what of the access log counts as a showing, and what is refused."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import InvalidInput, InvalidMemory

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

TOPICS = ("tomato", "cat", "piano", "visa", "train")


def shown(stores: Stores, *, judge: bool = False) -> AgentMemory:
    """Return a store of five facts that were shown together four times; ``judge`` says that one of them was used."""
    memory = stores.open()
    ids = [memory.remember(f"A fact about the {topic}", kind="semantic", subjects=["ana"]).id for topic in TOPICS]
    for _ in range(4):
        hits = memory.retrieve("a fact", k=5, token_budget=500)
        assert {hit.memory.id for hit in hits} == set(ids)
        if judge:
            assert hits.id is not None
            memory.feedback(hits.id, used=ids[:1], unused=ids[1:])
    return memory


@pytest.mark.parametrize("policy", ["fifo", "lru", "priority-decay"])
def test_feedback_shows_nothing(stores: Stores, policy: str) -> None:
    told, untold = (
        shown(stores, judge=judge).policy.advise_budget(rate=0.9, policy=policy, recent="1d") for judge in (True, False)
    )
    assert told.showings == untold.showings == 4 * len(TOPICS)
    assert [(one.budget, one.kept, one.evicted) for one in told.replays] == [
        (one.budget, one.kept, one.evicted) for one in untold.replays
    ]


def test_a_report_on_a_person_is_no_showing_to_an_agent(stores: Stores) -> None:
    memory = shown(stores)
    before = memory.policy.advise_budget(policy="lru")
    memory.privacy.report("ana")
    assert memory.policy.advise_budget(policy="lru").showings == before.showings
    memory.control.record_access([one.id for one in memory.memories()][:1], purpose="call=subject_report")
    assert memory.policy.advise_budget(policy="lru").showings == before.showings + 1


@pytest.mark.parametrize("rate", [2, 0, -0.1, 1.01, math.nan, math.inf, True, "0.9", None, 10**400])
def test_a_rate_that_is_no_share_is_refused(stores: Stores, rate: Any) -> None:
    memory = stores.open()
    with pytest.raises(InvalidInput, match=r"rate (is|must be) .*") as refused:
        memory.policy.advise_budget(rate=rate, policy="lru")
    assert not isinstance(refused.value, InvalidMemory)


def test_a_rate_outside_its_range_is_named_with_the_rule(stores: Stores) -> None:
    with pytest.raises(InvalidInput, match=r"rate is 2\.0: it must be above 0 and at most 1, such as 0\.9"):
        stores.open().policy.advise_budget(rate=2, policy="lru")
