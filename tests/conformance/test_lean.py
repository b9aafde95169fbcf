"""A store that is kept lean: what is bound to a use or a session, maintenance, kept answers, load, shared tenants."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from marskg.errors import BudgetInfeasible, InvalidInput, MarsError, NotPermitted, UnknownMemory
from marskg.learning.housekeeping.cycle import Housekeeper
from marskg.retrieval.query.load_shedding import Step, step
from marskg.retrieval.query.search import Search
from marskg.store.commit.listener import CommitListener
from marskg.store.commit.writer import Writer
from marskg.store.upkeep.auto_restore import restore_used
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from marskg.store.commit.listener import BudgetExcess
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


@pytest.mark.parametrize("way", ["recall", "read_all", "profile", "record_access"])
def test_every_way_of_showing_is_a_use(stores: Stores, way: str) -> None:
    memory = stores.open()
    code = memory.remember("Ann has the key to the shed", kind="semantic", use_bound=True, mentions=["Ann"])
    if way == "recall":
        memory.recall("Ann", social="all")
    elif way == "read_all":
        memory.read_all()
    elif way == "profile":
        memory.profile()
    else:
        memory.control.record_access([code.id])
    assert memory.get(code.id) is None
    sound(memory)


def test_what_is_looked_up_by_id_is_not_used(stores: Stores) -> None:
    memory = stores.open()
    code = memory.remember("Ann has the key to the shed", kind="semantic", use_bound=True)
    assert memory.get(code.id) is not None
    assert memory.get(code.id) is not None


def test_the_end_of_a_session_takes_what_is_bound_to_it(stores: Stores) -> None:
    memory = stores.open(lives="memoryarchitect")
    bound = memory.remember("We look at the second flat now", kind="episodic", session="flat", session_bound=True)
    note = memory.remember("The second flat is bright", kind="semantic", depends_on=bound.id)
    fleeting = memory.remember("Hold on a moment", kind="episodic", session="flat", memory_class="ephemeral")
    kept = memory.remember("I want a flat with a balcony", kind="episodic", session="flat")
    other = memory.remember("We look at cars", kind="episodic", session="car", session_bound=True)
    assert memory.maintenance.end_session("flat") == 3
    assert [memory.get(item.id) for item in (bound, note, fleeting)] == [None] * 3
    assert memory.get(kept.id) is not None
    assert memory.get(other.id) is not None
    assert memory.maintenance.end_session("flat") == 0
    assert memory.maintenance.end_session("never held") == 0
    sound(memory)


def test_an_ephemeral_memory_outlives_no_hour_even_if_its_session_never_ends(stores: Stores) -> None:
    memory = stores.open(lives="memoryarchitect")
    fleeting = memory.remember("Hold on a moment", kind="episodic", session="flat", memory_class="ephemeral")
    stores.clock(memory).advance(HOUR + 1)
    assert memory.get(fleeting.id) is None


@pytest.mark.parametrize("session", ["", None, 7])
def test_a_session_without_a_name_cannot_end(stores: Stores, session: Any) -> None:
    with pytest.raises(InvalidInput, match="session"):
        stores.open().maintenance.end_session(session)


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
    memory.maintenance.expire()
    done = memory.maintain()
    assert {action.rule for action in done.plan.actions} == {"archive"}
    assert [str(memory.get(one.id).tier) for one in (chat, canonical)] == ["latent", "live"]  # type: ignore[union-attr]
    stores.clock(memory).advance(2 * HOUR)
    memory.maintenance.expire()
    # The policy's grace is for what it evicts: what was archived stays.
    assert memory.get(chat.id) is not None
    assert memory.restore(chat.id).tier == "live"
    sound(memory)


def test_what_was_put_aside_comes_back_when_it_was_used(stores: Stores) -> None:
    memory = stores.open(budget=12, policy__evict_to="latent", policy__name="fifo", low_water=1)
    aside = memory.remember("one two three", kind="semantic")
    pinned = memory.remember("four five six seven eight nine", kind="semantic", pin=True)
    other = memory.remember("ten eleven twelve thirteen", kind="semantic")
    assert [str(memory.get(one.id).tier) for one in (aside, pinned, other)] == ["latent", "live", "live"]  # type: ignore[union-attr]
    writer = Writer(memory.store.engine, memory.tenant, memory.store.services, _NoRoom())
    assert restore_used(writer, [pinned.id, other.id, "urn:uuid:0"]) == []
    memory.settings.set_budget(40)
    writer.forget_cache()
    assert restore_used(writer, [aside.id, aside.id]) == [aside.id]
    assert memory.explain(aside.id).as_text().count("it was used") == 1
    sound(stores.open(memory.tenant))


class _NoRoom(CommitListener):
    def make_room(self, excess: BudgetExcess) -> NoReturn:  # noqa: ARG002 - the protocol's
        raise BudgetInfeasible("none", ())  # noqa: EM101 - a policy that finds nothing


def test_a_full_latent_tier_takes_no_more(stores: Stores) -> None:
    memory = stores.open(lean__archive_below=100, lean__archive_after="1d", latent_budget=6)
    for number in range(4):
        memory.remember(f"Note {number}", kind="semantic", ttl="900d")
    stores.clock(memory).advance(2 * HOUR + DAY)
    memory.maintenance.expire()
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


@pytest.mark.parametrize("first", ["long", "short"])
def test_an_excerpt_stays_compatible_with_what_a_person_found_compatible(stores: Stores, first: str) -> None:
    memory = stores.open(
        learning__conflicts="review", lean__compress_below=60, lean__compress_longer_than=32, lean__archive_below=None
    )
    text = "I like coffee. " + " ".join(f"In step {number} the kettle is filled and emptied." for number in range(12))
    texts = [text, "I no longer like coffee"]
    said = [memory.remember(one, kind="semantic") for one in (texts if first == "long" else reversed(texts))]
    assert memory.learning.reject(said[0].id).done == "no conflict"
    stores.clock(memory).advance(HOUR)
    (long,) = (one for one in said if one.content == text)
    assert memory.maintain().shortened == (long.id,)
    assert len(memory.history(long.id)) == 2
    assert memory.learning.conflicts(resolve="newest") == ()
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


def test_the_background_pass_runs_survives_errors_and_stops(
    stores: Stores, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    memory = stores.open()
    memory.remember("Gone in an hour", kind="episodic", ttl="1h")
    stores.clock(memory).advance(2 * HOUR)
    whole = Housekeeper.run
    passed = threading.Event()
    failures = iter([True])

    def run(keeper: Housekeeper) -> Any:
        if next(failures, False):
            raise ValueError("secret words of a memory")  # noqa: EM101, TRY003 - what a defect might say
        done = whole(keeper)
        passed.set()
        return done

    monkeypatch.setattr(Housekeeper, "run", run)
    memory.maintenance.run_every("20ms")
    assert passed.wait(HANGS_S)
    memory.maintenance.run_every("1d")
    assert "ValueError" in caplog.text
    assert "secret words" not in caplog.text
    memory.maintenance.stop()
    assert not [one for one in threading.enumerate() if one.name == "marskg-maintenance"]
    sound(memory)


def test_an_interval_that_is_none_is_refused(stores: Stores) -> None:
    memory = stores.open()
    for wrong in ("", "0s", "often"):
        with pytest.raises(InvalidInput, match="interval is"):
            memory.maintenance.run_every(wrong)
    with pytest.raises(InvalidInput, match="interval must be a string"):
        memory.maintenance.run_every(3600)  # type: ignore[arg-type]


# --- Kept answers ------------------------------------------------------------------------------------------------


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Give the queries that were really searched for, as they come."""
    found: list[str] = []
    whole = Search.retrieve

    def retrieve(search: Search, request: Any, *guests: Any) -> Any:
        found.append(request.query)
        return whole(search, request, *guests)

    monkeypatch.setattr(Search, "retrieve", retrieve)
    return found


def trips(stores: Stores, **settings: Any) -> AgentMemory:
    memory = stores.open(retrieval__cache=8, **settings)
    memory.remember("The train to Bergen leaves at nine", kind="semantic", ttl="30d")
    memory.remember("The ferry to Bergen leaves at ten", kind="semantic", sensitivity=0.8, ttl="30d")
    return memory


def test_the_same_question_is_searched_once_and_recorded_each_time(stores: Stores, searched: list[str]) -> None:
    memory = trips(stores)
    first = memory.retrieve("to Bergen")
    second = memory.retrieve("to Bergen")
    assert searched == ["to Bergen"]
    assert contents(second) == contents(first)
    assert second.as_text() == first.as_text()
    assert second.id != first.id
    accesses = [record for record in memory.audit.records(log="accesses") if record.operation == "access"]
    assert len(accesses) == 2
    assert memory.get(first[0].memory.id).access_count == 2  # type: ignore[union-attr]
    sound(memory)


def test_another_gate_budget_or_number_is_another_question(stores: Stores, searched: list[str]) -> None:
    memory = trips(stores)
    assert len(memory.retrieve("to Bergen")) == 2
    assert contents(memory.retrieve("to Bergen", max_sensitivity=0.5)) == ["The train to Bergen leaves at nine"]
    assert len(memory.retrieve("to Bergen", k=1)) == 1
    memory.retrieve("to Bergen", token_budget=12)
    memory.retrieve("to Bergen", purpose="travel")
    memory.retrieve("to Bergen", profile="memoryarchitect")
    assert len(searched) == 6


def test_writes_time_and_the_gate_end_a_kept_answer(stores: Stores, searched: list[str]) -> None:
    memory = trips(stores)
    memory.retrieve("to Bergen")
    new = memory.remember("The bus to Bergen leaves at eleven", kind="semantic", ttl="1h")
    assert new.content in contents(memory.retrieve("to Bergen"))
    assert len(searched) == 2
    stores.clock(memory).advance(HOUR)
    assert new.content not in contents(memory.retrieve("to Bergen"))
    assert len(searched) == 3
    memory.retrieve("to Bergen")
    assert len(searched) == 3
    stores.clock(memory).advance(6 * 60_000)  # longer than retrieval.cache_life
    memory.retrieve("to Bergen")
    assert len(searched) == 4


def test_no_cache_keeps_nothing_and_a_small_one_the_latest(stores: Stores, searched: list[str]) -> None:
    memory = trips(stores)
    memory.settings.set(None, {"retrieval.cache": 1})
    for query in ("train", "train", "ferry", "train"):
        memory.retrieve(query)
    assert searched == ["train", "ferry", "train"]
    memory.settings.set(None, {"retrieval.cache": 0})
    memory.retrieve("train")
    memory.retrieve("train")
    assert searched == ["train", "ferry", "train", "train", "train"]


def test_a_use_bound_memory_is_not_kept_in_an_answer(stores: Stores) -> None:
    memory = trips(stores)
    code = memory.remember("The code of the locker in Bergen", kind="semantic", use_bound=True)
    assert code.content in contents(memory.retrieve("in Bergen"))
    assert code.content not in contents(memory.retrieve("in Bergen"))


# --- Load --------------------------------------------------------------------------------------------------------


def test_the_order_of_what_is_left_out_is_the_stated_one() -> None:
    assert [int(step(reads, 8)) for reads in (1, 8, 9, 10, 11, 12, 13, 14, 15, 16, 99)] == [
        0,
        0,
        1,
        1,
        2,
        2,
        3,
        3,
        4,
        4,
        4,
    ]
    assert [int(step(reads, 1)) for reads in (1, 2, 3, 4, 5, 6)] == [0, 1, 2, 3, 4, 4]
    assert step(10_000, None) is Step.NOTHING


def test_reads_at_once_leave_things_out_and_say_so(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = trips(stores, lean__shed_at=1)
    together = threading.Barrier(5)
    whole = Search.retrieve

    def retrieve(search: Search, request: Any, *guests: Any) -> Any:
        together.wait(HANGS_S)
        return whole(search, request, *guests)

    monkeypatch.setattr(Search, "retrieve", retrieve)
    with ThreadPoolExecutor(5) as pool:
        asked = [pool.submit(memory.retrieve, "to Bergen", max_sensitivity=0.5, token_budget=40) for _ in range(5)]
        found = [one.result(HANGS_S) for one in asked]
    told = sorted(" ".join(hits.notices) for hits in found)
    assert told[0] == ""
    steps = ["explanation numbers", "conversation summary", "graph walk", "lexical search"]
    for place, text in enumerate(told[1:]):
        assert text.startswith(f"left out under load ({place + 2} reads at once, lean.shed_at is 1)")
        assert text.endswith(": " + ", ".join(steps[: place + 1]))
    # Neither the gate, nor the budget, nor the record is ever left out.
    for hits in found:
        assert contents(hits) == ["The train to Bergen leaves at nine"]
        assert hits.tokens <= 40
        assert hits.id is not None
        assert bool(hits[0].why) is not bool(hits.notices)
    assert len({hits.id for hits in found}) == 5
    monkeypatch.undo()
    assert memory.retrieve("to Bergen").notices == ()
    sound(memory)


# --- Shared tenants ----------------------------------------------------------------------------------------------


def library(stores: Stores) -> AgentMemory:
    """Return a shared tenant with common knowledge."""
    # Secrets of its own: ids are unique within a tenant only, and of two equal ones the reader's own is taken.
    shared = stores.open(seed=2, lean__shared=True)
    shared.remember("Tomatoes need six hours of sun", kind="semantic", mentions=["tomatoes"], source_type="doc")
    shared.remember("The salaries of the staff are in the safe", kind="semantic", sensitivity=0.9)
    shared.remember("Tomatoes: the one-time code of the greenhouse", kind="semantic", use_bound=True)
    return shared


def test_a_subscriber_reads_the_shared_tenant_and_writes_nothing_there(stores: Stores) -> None:
    shared, memory = library(stores), stores.open()
    own = memory.remember("My tomatoes stand in the shade", kind="semantic")
    assert len(memory.retrieve("tomatoes in the sun")) == 1
    assert memory.settings.subscribe(shared.tenant) == (shared.tenant,) == memory.settings.subscriptions
    stores.clock(memory).advance(1_000)  # each tenant's clock of these tests runs by itself
    records = [len(list(shared.audit.records())), len(list(shared.audit.records(log="accesses")))]
    content = sorted(one.id for one in shared.memories())
    found = memory.retrieve("tomatoes in the sun", max_sensitivity=0.5)
    assert {(hit.memory.tenant, hit.memory.content) for hit in found} == {
        (memory.tenant, own.content), (shared.tenant, "Tomatoes need six hours of sun")
    }  # fmt: skip
    everything = memory.read_all(max_sensitivity=0.5)
    assert (everything.count, len({hit.memory.tenant for hit in everything})) == (2, 2)
    recalled = memory.recall("tomatoes", max_sensitivity=0.5)
    assert shared.tenant in {hit.memory.tenant for hit in recalled}
    assert [len(list(shared.audit.records())), len(list(shared.audit.records(log="accesses")))] == records
    assert sorted(one.id for one in shared.memories()) == content
    assert all(one.access_count == 0 for one in shared.memories())
    theirs = next(hit.memory.id for hit in found if hit.memory.tenant == shared.tenant)
    last = next(
        record
        for record in reversed(list(memory.audit.records(log="accesses")))
        if str(found.id).startswith(f"{record.iri}-")
    )
    assert f"shared={shared.tenant}:{theirs}" in last.details[0]
    assert theirs not in last.memories
    for act in (memory.policy.pin, memory.learning.affirm, memory.restore):
        with pytest.raises(MarsError):
            act(theirs)
    sound(memory)
    sound(shared)


def test_feedback_passes_over_what_a_shared_tenant_gave_and_keeps_the_rest(stores: Stores) -> None:
    shared, memory = library(stores), stores.open()
    own = memory.remember("My tomatoes stand in the shade", kind="semantic")
    memory.settings.subscribe(shared.tenant)
    stores.clock(memory).advance(1_000)
    found = memory.retrieve("tomatoes in the sun", max_sensitivity=0.5)
    (theirs,) = (hit.memory.id for hit in found if hit.memory.tenant == shared.tenant)
    assert found.id is not None
    with pytest.raises(InvalidInput, match="was not shown by"):
        memory.feedback(found.id, used=["urn:uuid:0198a000-0000-7000-8000-000000000000"])
    said = memory.feedback(found.id, used=[hit.memory.id for hit in found])
    assert [item.id for item in said.assessed] == [own.id]
    assert (said.shared, said.gone) == ((theirs,), ())
    assert {one.score for one in shared.memories() if one.id == theirs} == {50}
    with pytest.raises(UnknownMemory, match=f"shared tenant '{shared.tenant}'.*mars explain --tenant"):
        memory.explain(theirs)
    sound(memory)
    sound(shared)


def test_an_entity_of_the_shared_tenant_is_read_beside_one_of_ones_own(stores: Stores) -> None:
    shared, memory = library(stores), stores.open()
    memory.remember("Ann stands in the shade", kind="semantic", mentions=["Ann"])
    memory.settings.subscribe(shared.tenant)
    stores.clock(memory).advance(1_000)
    assert len(memory.read_all(entity=["Ann", "tomatoes"], max_sensitivity=0.5)) == 2
    with pytest.raises(UnknownMemory, match="mentions 'Zorro';"):
        memory.read_all(entity=["Ann", "tomatoes", "Zorro"])


def test_k_and_the_budget_are_of_all_tenants_together(stores: Stores) -> None:
    shared, memory = library(stores), stores.open()
    memory.remember("My tomatoes stand in the sun", kind="semantic")
    memory.settings.subscribe(shared.tenant)
    stores.clock(memory).advance(1_000)
    assert len(memory.retrieve("tomatoes in the sun", k=1)) == 1
    assert memory.retrieve("tomatoes in the sun", token_budget=9).tokens <= 9


def test_a_subscriber_sees_what_is_written_and_that_sharing_ended(stores: Stores) -> None:
    shared, memory = library(stores), stores.open(retrieval__cache=8)
    memory.settings.subscribe(shared.tenant)
    new = shared.remember("Tomatoes ripen in August", kind="semantic")
    stores.clock(memory).advance(1_000)  # each tenant's clock of these tests runs by itself
    assert new.content in contents(memory.retrieve("when do tomatoes ripen?"))
    shared.settings.set(None, {"lean.shared": False})
    found = memory.retrieve("when do tomatoes ripen?")
    assert (contents(found), "not shared any more" in found.notices[0]) == ([], True)
    assert len(memory.read_all()) == 0
    assert memory.settings.unsubscribe(shared.tenant) == ()
    assert memory.retrieve("when do tomatoes ripen?").notices == ()


def test_nobody_reads_a_private_tenant_or_another_subscriber(stores: Stores) -> None:
    shared, one, other, private = library(stores), stores.open(), stores.open(), stores.open()
    secret = other.remember("Ann grows tomatoes in secret", kind="semantic")
    other.settings.subscribe(shared.tenant)
    one.settings.subscribe(shared.tenant)
    assert secret.content not in contents(one.retrieve("tomatoes", max_sensitivity=0.5))
    refused = []
    for name in (private.tenant, "nobody-here"):
        with pytest.raises(NotPermitted) as error:
            one.settings.subscribe(name)
        refused.append(str(error.value).replace(name, "X"))
    assert refused[0] == refused[1]
    for wrong in (one.tenant, "", "a b"):
        with pytest.raises(InvalidInput):
            one.settings.subscribe(wrong)
    with pytest.raises(InvalidInput, match="has no subscription"):
        one.settings.unsubscribe(private.tenant)
    sound(one)


def test_subscriptions_are_audited_and_outlive_the_program(stores: Stores) -> None:
    shared, memory = library(stores), stores.open()
    memory.settings.subscribe(shared.tenant)
    assert f"subscriptions={shared.tenant}" in list(memory.audit.records())[-1].details[0]
    count = len(list(memory.audit.records()))
    memory.settings.subscribe(shared.tenant)
    assert len(list(memory.audit.records())) == count
    assert stores.open(memory.tenant).settings.subscriptions == (shared.tenant,)


def test_a_kept_answer_is_of_the_times_that_the_question_names_where_its_reader_is(stores: Stores) -> None:
    memory = stores.open(retrieval__cache=10)
    # On 5 May 2025 at 10 and at 20 o'clock in UTC.
    memory.remember("Tove ran along the river", at=1_746_439_200_000)
    night = memory.remember("Tove ran around the lake", at=1_746_475_200_000).id

    def then(zone: str) -> set[str]:
        found = memory.retrieve("where did Tove run on 6 May 2025?", time_zone=zone, explain=True)
        assert len(found) == 2
        return {hit.memory.id for hit in found if hit.why["period"]}

    assert [then("UTC"), then("Asia/Tokyo"), then("UTC")] == [set(), {night}, set()]
