"""Two handles on one tenant: nothing that one of them does is lost to, or hidden from, the other one.

On the embedded engine the second handle is another opening of the same folder in this process; on Neo4j it has a
connection of its own, as another process would have.
"""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from marskg.errors import BudgetInfeasible, ConsentRequired, ErasedContentRefused, NotPermitted, StalePlan
from marskg.ontology.vocabulary import Operation
from marskg.store.rows.index_gaps import WORTH_SKIPPING
from tests.support import picture as pictures
from tests.support.names import name as fresh

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

QUICK: dict[str, Any] = {
    "entities__recognise": "off",
    "sensitivity__assess": "off",
    "embedding__model": "none",
}
THREADS = 4
ROUNDS = 10
PEOPLE = ("ann", "bob", "carl")


@pytest.fixture
def doors(stores: Stores) -> Iterator[tuple[Stores, Stores]]:
    """Give two ways into one store."""
    other = stores.another_door()
    yield stores, other
    other.engine.close()


def assert_whole(stores: Stores, memory: AgentMemory) -> None:
    """Hold a tenant that many wrote to: no gap in either log, sums and protection right, audit and shapes in order."""
    assert pictures.faults(pictures.take(stores.engine, memory.tenant)) == []
    for log in ("transitions", "accesses"):
        sequences = [record.sequence for record in memory.audit.records(log=log)]
        assert sequences == list(range(1, len(sequences) + 1))
    for report in (memory.verify(), memory.validate(full=True)):
        assert report.ok, report.findings


class Done:
    """What the handles say that they did, to be found again in the logs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.said: list[str] = []
        self.shown = 0
        self.erased: set[str] = set()

    def note(self, *, said: str | None = None, shown: int = 0, erased: str | None = None) -> None:
        with self._lock:
            self.said += [] if said is None else [said]
            self.shown += shown
            self.erased |= set() if erased is None else {erased}

    def one(self) -> str | None:
        with self._lock:
            return self.said[-1] if self.said else None

    def assert_recorded(self, memory: AgentMemory) -> None:
        """Hold the logs to it: each showing has its record, and each memory its own but for what was erased."""
        accesses = [record.operation for record in memory.audit.records(log="accesses")]
        # An answer that an erasure overtook is made anew, and the record of its first showing stays.
        assert accesses.count(Operation.ACCESS) >= self.shown
        recorded = [
            one
            for record in memory.audit.records()
            if record.operation is Operation.REMEMBER
            for one in record.memories
        ]
        assert set(self.said) - self.erased <= set(recorded) | self.erased
        assert len([record for record in memory.audit.records() if record.operation is Operation.REMEMBER]) == len(
            self.said
        )


def remember(memory: AgentMemory, done: Done, number: int, choice: int) -> None:
    who = PEOPLE[choice % len(PEOPLE)]
    text = f"{who} said number {number} of the things"
    done.note(said=memory.remember(text, subjects=[who], session=f"s{choice % 2}").id)


def retrieve(memory: AgentMemory, done: Done, _number: int, choice: int) -> None:
    who = PEOPLE[choice % len(PEOPLE)]
    done.note(shown=memory.retrieve(f"what {who} said of the things").id is not None)


def access(memory: AgentMemory, done: Done, _number: int, _choice: int) -> None:
    last = done.one()
    if last is not None:
        memory.control.record_access([last])
        done.note(shown=1)


def forget(memory: AgentMemory, _done: Done, _number: int, _choice: int) -> None:
    memory.forget(memory.plan(policy="fifo", budget=60))


def erase(memory: AgentMemory, done: Done, _number: int, _choice: int) -> None:
    last = done.one()
    if last is not None:
        memory.erase(id=last)
        done.note(erased=last)


def pin(memory: AgentMemory, done: Done, _number: int, _choice: int) -> None:
    last = done.one()
    if last is not None and memory.get(last) is not None:
        memory.policy.pin(last)
        memory.policy.unpin(last)


def budget(memory: AgentMemory, _done: Done, _number: int, choice: int) -> None:
    memory.settings.set_budget(100 + 10 * (choice % 4))


def consent(memory: AgentMemory, _done: Done, _number: int, choice: int) -> None:
    memory.preferences.consent(PEOPLE[choice % len(PEOPLE)], purpose="care")


#: What a handle may do; each is given the handle, what was done so far, a number of its own and a number to choose by.
STEPS = {one.__name__: one for one in (remember, retrieve, access, forget, erase, pin, budget, consent)}
#: What is refused where another handle was there between two calls.
IN_TWO_CALLS = {"pin", "forget"}


def step(memory: AgentMemory, name: str, done: Done, number: int, choice: int) -> None:
    """Do one thing by a handle; that there is no room, or that it was erased, is an answer."""
    with suppress(BudgetInfeasible, ErasedContentRefused, ConsentRequired):
        STEPS[name](memory, done, number, choice)


# Shrinking would open hundreds of tenants.
@settings(
    max_examples=6,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    steps=st.lists(
        st.tuples(st.integers(0, 1), st.sampled_from(["remember", "remember", *STEPS]), st.integers(0, 11)),
        min_size=4,
        max_size=25,
    )
)
def test_interleaved_handles_are_one_writer(doors: tuple[Stores, Stores], steps: list[tuple[int, str, int]]) -> None:
    tenant = fresh()
    handles = [one.open(tenant, seed=f"{tenant} {place}", budget=120, **QUICK) for place, one in enumerate(doors)]
    done = Done()
    for number, (which, name, choice) in enumerate(steps):
        step(handles[which], name, done, number, choice)
    for memory in handles:
        done.assert_recorded(memory)
        assert memory.verify().ok
    assert_whole(doors[0], handles[0])
    first, second = (memory.stats() for memory in handles)
    assert first == second
    assert handles[0].preferences.list() == handles[1].preferences.list()


def test_threads_with_handles_of_their_own(doors: tuple[Stores, Stores], tenant: str) -> None:
    doors[0].open(tenant, budget=150, **QUICK)
    done = Done()

    def work(thread: int) -> None:
        memory = doors[thread % 2].open(tenant, seed=f"{tenant} {thread}", **QUICK)
        chance = random.Random(thread)
        for number in range(ROUNDS):
            name = chance.choice(["remember", "remember", *sorted(STEPS.keys() - IN_TWO_CALLS)])
            step(memory, name, done, 100 * thread + number, chance.randrange(12))

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(THREADS)))
    # What the other one showed last may still wait to be written, for a tenth of a second.
    doors[1].open(tenant, seed=f"{tenant} last", **QUICK).policy.explain()
    memory = doors[0].open(tenant, seed=f"{tenant} after", **QUICK)
    done.assert_recorded(memory)
    assert_whole(doors[0], memory)


def test_a_plan_is_made_and_carried_out_beside_another_writer(doors: tuple[Stores, Stores], tenant: str) -> None:
    one, other = (door.open(tenant, seed=f"{tenant} {place}", **QUICK) for place, door in enumerate(doors))
    one.remember("The kettle is red")
    plan = one.plan(policy="fifo", budget=0)
    other.remember("The kettle is blue")
    with pytest.raises(StalePlan, match="plan again"):
        one.forget(plan)
    one.forget(one.plan(policy="fifo", budget=0))
    assert other.stats()["live"] == 0


@pytest.mark.parametrize("policy", ["fifo", "priority-decay"])
def test_what_a_plan_emptied_is_not_taken_for_empty_after_another_wrote(
    doors: tuple[Stores, Stores], tenant: str, policy: str
) -> None:
    one, other = (door.open(tenant, seed=f"{tenant} {place}", **QUICK) for place, door in enumerate(doors))
    for number in range(WORTH_SKIPPING + 4):
        one.remember(f"Fact {number} of the kettle", kind="semantic")
    one.forget(one.plan(policy=policy, budget=0))
    # Of less importance than what went: its place in the order is among theirs.
    later = other.remember("The kettle was mentioned", kind="episodic")
    plan = one.plan(policy=policy, budget=0)
    assert [action.id for action in plan.actions] == [later.id]
    one.forget(plan)
    assert other.stats()["live"] == one.stats()["live"] == 0
    assert_whole(doors[0], other)


def test_a_plan_of_one_handle_is_carried_out_by_the_other_or_not_at_all(
    doors: tuple[Stores, Stores], tenant: str
) -> None:
    one, other = (door.open(tenant, seed=f"{tenant} {place}", **QUICK) for place, door in enumerate(doors))
    said = [one.remember(f"The kettle number {number} is red").id for number in range(3)]
    plan = other.plan(policy="fifo", budget=0)
    one.policy.pin(said[1])
    for memory in (one, other):
        with pytest.raises(StalePlan, match="plan again"):
            memory.forget(plan)
    one.policy.unpin(said[1])
    one.forget(other.plan(policy="fifo", budget=0))
    assert (one.weight, other.weight) == (0, 0)
    assert_whole(doors[1], one)


def test_what_one_handle_forbids_the_other_does_not_show(doors: tuple[Stores, Stores], tenant: str) -> None:
    one, other = (door.open(tenant, seed=f"{tenant} {place}", **QUICK) for place, door in enumerate(doors))
    said = one.remember("Ann sleeps badly", kind="semantic", subjects=["ann"], purpose=["care"])
    one.preferences.consent("ann", purpose="care")
    assert [hit.memory.id for hit in other.retrieve("how does Ann sleep", purpose="care")] == [said.id]
    one.preferences.withdraw("ann", purpose="care")
    assert not list(other.retrieve("how does Ann sleep", purpose="care"))
    one.preferences.set("blacklisted_entity", target="Zyx")
    with pytest.raises(NotPermitted, match="blacklisted"):
        other.remember("Zyx rang")


def test_what_one_handle_forbids_to_read_the_other_refuses_while_it_is_there(
    doors: tuple[Stores, Stores], tenant: str
) -> None:
    """What is stored stays as it is: nothing but the rule stands between it and the reader."""
    one, other = (door.open(tenant, seed=f"{tenant} {place}", **QUICK) for place, door in enumerate(doors))
    said = one.remember("Ann sleeps badly", kind="semantic", subjects=["ann"], jurisdiction="EU", purpose=["care"])

    def shown(**asked: Any) -> list[bool]:
        asked = {"purpose": "care", "jurisdiction": "EU"} | asked
        return [
            bool(list(other.retrieve("how does Ann sleep", **asked))),
            bool(other.read_all(**asked).hits),
        ]

    assert shown() == [True, True]
    one.preferences.set("reading_regions", "EU", regions=["CH"])
    assert shown() == [True, True]
    assert shown(jurisdiction="FR") == [False, False]
    one.preferences.set("reading_regions", "EU", regions=["CH", "FR"])
    rule = one.preferences.set("consent_required", "care").preferences[0]
    assert shown() == [False, False]
    assert one.get(said.id) is not None
    assert other.get(said.id) == one.get(said.id)
    one.preferences.consent("ann", "care", until=one.now() + 3_600_000)
    assert shown() == [True, True]
    doors[0].clock(one).advance(3_600_000)
    assert shown() == [False, False]
    one.preferences.remove(rule.id)
    assert [item.preference_rule for item in other.preferences.list()] == [
        item.preference_rule for item in one.preferences.list()
    ]


@pytest.mark.parametrize(
    ("rule", "given"),
    [
        ("opt_out_kind", {"target": "social"}),
        ("opt_out_source", {"target": "doc"}),
        ("blacklisted_conversation", {"target": "s"}),
        ("blacklisted_entity", {"target": "Zyx"}),
    ],
)
def test_what_one_handle_forbids_to_store_the_other_refuses(
    doors: tuple[Stores, Stores], tenant: str, rule: str, given: dict[str, Any]
) -> None:
    one, other = (door.open(tenant, seed=f"{tenant} {place}", **QUICK) for place, door in enumerate(doors))
    unwanted: dict[str, Any] = {"kind": "social", "source_type": "doc", "session": "s"}
    # Both have read the rules before.
    kept = other.remember("Ann plays chess", kind="semantic")
    assert one.preferences.list() == other.preferences.list() == ()
    there = other.remember("Zyx rang before", **unwanted)
    made = one.preferences.set(rule, **given)
    assert made.expired == (there.id,)
    before = one.stats()["audit_seq"]
    with pytest.raises(NotPermitted, match=rule):
        other.remember("Zyx rang", **unwanted)
    assert [one.id for one in other.memories() if one.content] == [kept.id]
    assert other.stats()["audit_seq"] == before
    one.preferences.remove(made.preferences[0].id)
    assert other.remember("Zyx rang", **unwanted).content
    assert_whole(doors[0], one)


def test_a_wish_that_one_handle_hears_counts_for_the_other(doors: tuple[Stores, Stores], tenant: str) -> None:
    one, other = (door.open(tenant, seed=f"{tenant} {place}", **QUICK) for place, door in enumerate(doors))
    other.remember("The kettle is red", kind="semantic")
    assert list(other.retrieve("which colour has the kettle"))
    one.learning.wish("stop mentioning the kettle")
    assert not list(other.retrieve("which colour has the kettle"))


def test_a_key_that_one_handle_rotates_signs_for_the_other(doors: tuple[Stores, Stores], tenant: str) -> None:
    one, other = (door.open(tenant, seed=f"{tenant} {place}", **QUICK) for place, door in enumerate(doors))
    one.remember("Before")
    key = one.audit.rotate_key()
    other.remember("After")
    other.retrieve("after")
    assert other._writer.state.signing_key == key
    assert_whole(doors[1], other)


def test_what_one_handle_erases_the_other_has_not_kept(doors: tuple[Stores, Stores], tenant: str) -> None:
    one, other = (door.open(tenant, seed=f"{tenant} {place}", **QUICK) for place, door in enumerate(doors))
    said = one.remember("Ann keeps bees", kind="semantic", subjects=["ann"])
    assert list(other.retrieve("who keeps bees"))
    one.erase(subject="ann")
    assert not list(other.retrieve("who keeps bees"))
    assert other.get(said.id) is None
    assert said.id not in {one.id for one in other.memories()}
