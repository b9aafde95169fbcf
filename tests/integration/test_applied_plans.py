"""What an applied plan emptied is skipped by the next one, and never anything that is there."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from marskg.drafts import Draft
from marskg.ontology.vocabulary import Kind
from marskg.policies.registry import POLICY_NAMES
from tests.support import stores as support
from tests.support.proof import amount

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[support.Stores]:
    made = support.embedded(tmp_path_factory.mktemp("plans"))
    yield made
    made.engine.close()


#: Enough for the range that is skipped to have been left by several plans.
NOTES = amount(300, 400)


#: After an access, those that go by accesses; the proof has the others.
SOON = {"lru", "priority-decay", "hybrid"}


@pytest.mark.parametrize(
    ("policy", "overtaken"),
    [
        *((name, False) for name in POLICY_NAMES),
        *(pytest.param(name, True, marks=[] if name in SOON else pytest.mark.proof) for name in POLICY_NAMES),
    ],
)
def test_the_next_plan_is_that_of_a_process_that_remembers_nothing(
    stores: support.Stores, policy: str, *, overtaken: bool
) -> None:
    chance = random.Random(f"{policy} {overtaken}")
    memory = stores.open(budget=1_000_000)
    texts = (f"note {number} " + "word " * chance.randrange(9) for number in range(NOTES))
    now = memory.now()
    memory.remember_many(Draft(ref=text, kind=Kind.EPISODIC, content=text, at=now) for text in texts)
    ids = [one.id for one in memory.memories()]
    for _ in range(3):
        plan = memory.plan(policy=policy, budget=memory.weight - 400)
        assert len(plan.actions) > 32, "enough for the range to be worth skipping"
        if overtaken:
            memory.control.record_access(chance.sample(ids, 20))
        memory.forget(plan)
        fresh = stores.open(memory.tenant, seed="fresh")
        planned, expected = (each.plan(policy=policy, budget=memory.weight - 100, seed=7) for each in (memory, fresh))
        # The clock moved between the two, so their words differ: "stored 1 second ago".
        assert [action.id for action in planned.actions] == [action.id for action in expected.actions]
        ids += [memory.remember(f"later {number}").id for number in range(3)]
