"""A store that is kept lean: what is bound to a use or a session, maintenance, kept answers, load, shared tenants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import InvalidMemory

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

HOUR = 3_600_000
DAY = 24 * HOUR


def contents(found: Any) -> list[str]:
    return [hit.memory.content for hit in found]


def sound(memory: AgentMemory) -> None:
    """Check that the audit and the shapes find nothing."""
    assert memory.verify().ok
    assert memory.validate(full=True).ok


# --- One use, one session ----------------------------------------------------------------------------------------


def test_a_use_bound_memory_is_gone_after_one_retrieval(stores: Stores) -> None:
    memory = stores.open()
    code = memory.remember("The door code of the workshop is on the blue note", kind="semantic", use_bound=True)
    note = memory.remember("With the note one gets in", kind="semantic", depends_on=code.id)
    kept = memory.remember("The workshop opens at nine", kind="semantic")
    assert code.content in contents(memory.retrieve("workshop door code"))
    assert memory.get(code.id) is None
    assert memory.get(note.id) is None
    assert contents(memory.retrieve("workshop door code")) == [kept.content]
    assert "used: it was use-bound" in memory.explain(code.id).as_text()
    sound(memory)


@pytest.mark.parametrize("way", ["recall", "read_all", "record_access"])
def test_every_way_of_showing_is_a_use(stores: Stores, way: str) -> None:
    memory = stores.open()
    code = memory.remember("Ann has the key to the shed", kind="semantic", use_bound=True, mentions=["Ann"])
    if way == "recall":
        memory.recall("Ann", social="all")
    elif way == "read_all":
        memory.read_all()
    else:
        memory.record_access([code.id])
    assert memory.get(code.id) is None
    sound(memory)


def test_what_is_looked_up_by_id_is_not_used(stores: Stores) -> None:
    memory = stores.open()
    code = memory.remember("Ann has the key to the shed", kind="semantic", use_bound=True)
    assert memory.get(code.id) is not None
    assert memory.get(code.id) is not None


def test_the_end_of_a_session_takes_what_is_bound_to_it(stores: Stores) -> None:
    memory = stores.open()
    bound = memory.remember("We look at the second flat now", kind="episodic", session="flat", session_bound=True)
    note = memory.remember("The second flat is bright", kind="semantic", depends_on=bound.id)
    fleeting = memory.remember("Hold on a moment", kind="episodic", session="flat", memory_class="ephemeral")
    kept = memory.remember("I want a flat with a balcony", kind="episodic", session="flat")
    other = memory.remember("We look at cars", kind="episodic", session="car", session_bound=True)
    assert memory.end_session("flat") == 3
    assert [memory.get(item.id) for item in (bound, note, fleeting)] == [None] * 3
    assert memory.get(kept.id) is not None
    assert memory.get(other.id) is not None
    assert memory.end_session("flat") == 0
    assert memory.end_session("never held") == 0
    sound(memory)


def test_an_ephemeral_memory_outlives_no_hour_even_if_its_session_never_ends(stores: Stores) -> None:
    memory = stores.open()
    fleeting = memory.remember("Hold on a moment", kind="episodic", session="flat", memory_class="ephemeral")
    stores.clock(memory).advance(HOUR + 1)
    assert memory.get(fleeting.id) is None


@pytest.mark.parametrize("session", ["", None, 7])
def test_a_session_without_a_name_cannot_end(stores: Stores, session: Any) -> None:
    with pytest.raises(InvalidMemory):
        stores.open().end_session(session)


# --- Maintenance -------------------------------------------------------------------------------------------------


def live(memory: AgentMemory, subject: str) -> list[str]:
    """Return the content of the live memories about a subject, in the order of their sequence."""
    found = [one for one in memory.memories() if one.tier == "live" and subject in one.subjects]
    return [str(one.content) for one in sorted(found, key=lambda one: one.sequence)]


def test_the_cap_of_a_subject_takes_the_lowest_scores_and_keeps_what_is_protected(stores: Stores) -> None:
    memory = stores.open(lean__cap_per_subject=3)
    pinned = memory.remember("Ann hates cilantro", kind="episodic", subjects=["ann"], session="a", pin=True)
    base = memory.remember("Ann has a cat", kind="episodic", subjects=["ann"], session="a")
    memory.remember("The cat of Ann is called Tom", kind="semantic", subjects=["ann"], depends_on=base.id)
    memory.remember("Ann asked for the time", kind="episodic", subjects=["ann"], session="a")
    memory.remember("Ann likes tea", kind="semantic", subjects=["ann"])
    memory.remember("Bob likes coffee", kind="episodic", subjects=["bob"], session="b")
    proposed = memory.maintain(dry_run=True)
    assert len(live(memory, "ann")) == 5
    done = memory.maintain()
    assert [action.id for action in done.plan.actions] == [action.id for action in proposed.plan.actions]
    assert done.plan.digest == proposed.plan.digest
    left = live(memory, "ann")
    assert len(left) == 3
    assert pinned.content in left
    assert memory.get(base.id) is None or "The cat of Ann is called Tom" not in left or base.content in left
    assert live(memory, "bob") == ["Bob likes coffee"]
    assert all("may have 3" in action.reason and "Ann" not in action.reason for action in done.plan.actions)
    assert "may have 3" in memory.explain(done.plan.actions[0].id).as_text()
    assert not memory.maintain().plan.actions
    sound(memory)


def test_a_cap_below_what_is_protected_takes_all_the_rest(stores: Stores) -> None:
    memory = stores.open(lean__cap_per_subject=1)
    kept = [
        memory.remember("Ann is allergic to nuts", kind="semantic", subjects=["ann"], pin=True),
        memory.remember("Ann was born in Oslo", kind="semantic", subjects=["ann"], memory_class="canonical"),
    ]
    memory.remember("Ann likes tea", kind="semantic", subjects=["ann"])
    memory.maintain()
    assert live(memory, "ann") == [one.content for one in kept]
    sound(memory)


def test_what_faded_is_archived_and_can_come_back(stores: Stores) -> None:
    memory = stores.open(lean__archive_below=40, lean__archive_after="30d", policy__grace="1h")
    chat = memory.remember("The weather is nice in Bergen", kind="episodic", session="a", ttl="900d")
    fact = memory.remember("Bergen has a fish market", kind="semantic", ttl="900d")
    canonical = memory.remember("The user lives in Bergen", kind="episodic", session="a", memory_class="canonical")
    assert chat.score < 40 or fact.score >= 40
    stores.clock(memory).advance(365 * DAY)
    memory.confirm_clock()
    done = memory.maintain()
    assert {action.rule for action in done.plan.actions} == {"archive"}
    assert [str(memory.get(one.id).tier) for one in (chat, canonical)] == ["latent", "live"]  # type: ignore[union-attr]
    stores.clock(memory).advance(2 * HOUR)
    memory.expire()
    # The policy's grace is for what it evicts: what was archived stays.
    assert memory.get(chat.id) is not None
    assert memory.restore(chat.id).tier == "live"
    sound(memory)


def test_a_full_latent_tier_takes_no_more(stores: Stores) -> None:
    memory = stores.open(lean__archive_below=100, lean__archive_after="1d", latent_budget=6)
    for number in range(4):
        memory.remember(f"Note {number}", kind="semantic", ttl="900d")
    stores.clock(memory).advance(2 * HOUR + DAY)
    memory.confirm_clock()
    memory.maintain()
    stats = memory.stats()
    assert 0 < stats["latent_weight"] <= 6
    sound(memory)


def test_a_long_memory_of_low_score_becomes_an_excerpt_from_the_same_time(stores: Stores) -> None:
    memory = stores.open(lean__compress_below=60, lean__compress_longer_than=32, lean__archive_below=None)
    text = " ".join(f"In step {number} the kettle is filled, boiled and emptied again." for number in range(12))
    long = memory.remember(text, kind="episodic", session="a", subjects=["ann"])
    memory.remember("And then?", kind="episodic", session="a")
    pinned = memory.remember(text, kind="semantic", pin=True)
    stores.clock(memory).advance(HOUR)
    before = memory.weight
    assert memory.maintain(dry_run=True).shortened == (long.id,)
    assert memory.weight == before
    assert memory.maintain().shortened == (long.id,)
    assert memory.weight < before
    old, new = memory.history(long.id)
    assert (old.id, str(old.tier), old.content) == (long.id, "latent", text)
    assert str(new.content).replace(" …", "") in text
    assert (new.weight <= 16, new.valid_from, new.subjects) == (True, long.valid_from, ("ann",))
    assert memory.get(pinned.id).content == text  # type: ignore[union-attr]
    assert memory.maintain().shortened == ()
    assert "shortened to an excerpt" in memory.explain(long.id).as_text()
    sound(memory)


def test_a_pass_ends_what_is_due_and_what_was_used_and_signs_a_head(stores: Stores) -> None:
    memory = stores.open()
    memory.remember("Gone in an hour", kind="episodic", ttl="1h")
    stores.clock(memory).advance(2 * HOUR)
    proposed = memory.maintain(dry_run=True)
    assert (proposed.expired, proposed.applied) == (1, False)
    done = memory.maintain()
    assert (done.expired, done.applied) == (1, True)
    assert done.head is not None
    assert memory.maintain().head is None
    sound(memory)
