"""A clock that is moved over an end and back: what is over is gone from every door at once, and does not come back.

Nobody sweeps and nothing is written between the move and the door, unless a test says so: what is over has to be gone
by what the clock says, not by what was done about it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, cast

import pytest

from marskg.answer import plain
from marskg.audit.verify_export import verify_export
from marskg.clock import ManualClock, SystemClock
from marskg.drafts import Draft
from marskg.errors import BudgetInfeasible, ClockJump, InvalidInput, MarsError, NotPermitted
from marskg.ontology.vocabulary import Kind, MemoryClass, Operation
from marskg.store.commit import shared_state as states
from tests.support import names
from tests.support.stores import START

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from marskg.learning.from_text.plan import Learned
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

SECRET = "zyxquartz"
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
READER = "reader:bot?ceiling=1&purpose=care"
OPENED: dict[str, Any] = {
    "lives__ephemeral": "1h",
    "embedding__model": "none",
    "sensitivity__assess": "off",
    "step_ms": 0,
}


def ttl(_: AgentMemory) -> dict[str, Any]:
    return {"ttl": "1h"}


def horizon(memory: AgentMemory) -> dict[str, Any]:
    memory.preferences.set("retention", "semantic", subject="ada", horizon="1h")
    return {}


def consent(memory: AgentMemory) -> dict[str, Any]:
    memory.preferences.set("consent_required", "care")
    memory.preferences.consent("ada", "care", until=memory.now() + HOUR)
    return {"purpose": ["care"]}


def class_of_an_hour(_: AgentMemory) -> dict[str, Any]:
    return {"memory_class": "ephemeral"}


#: What ends an hour after it was stored, each with what makes it so.
ENDS: Mapping[str, Callable[[AgentMemory], dict[str, Any]]] = {
    "ttl": ttl,
    "horizon": horizon,
    "consent": consent,
    "class": class_of_an_hour,
}


def filled(stores: Stores, end: str) -> tuple[AgentMemory, str]:
    """Return a tenant with one memory that ends in an hour and one that stays, and the id of the first."""
    memory = stores.open(**OPENED)
    limited = ENDS[end](memory)
    text = f"Ada keeps the {SECRET} garden behind the house"
    over = memory.remember(
        text, kind="semantic", subjects=["ada"], mentions=[f"{SECRET} garden"], key="k/one", **limited
    )
    memory.remember("The gate of the garden is green", kind="semantic")
    return memory, over.id


def doors(ident: str, folder: Path) -> dict[str, Callable[[AgentMemory], Any]]:
    """Return the doors through which a reader could be told of a memory, each of which says it in a text."""

    def exported(mem: AgentMemory) -> str:
        path = folder / "out.jsonld"
        mem.export(path, profile="disclosure")
        return path.read_text("utf-8")

    return {
        "get": lambda mem: mem.get(ident),
        "edges": lambda mem: [edge.target for edge in mem.edges(ident)],
        "history": lambda mem: mem.history(ident),
        "explain": lambda mem: (mem.explain(ident).memory is not None) * SECRET,
        "retrieve": lambda mem: mem.retrieve(f"where is the {SECRET}?", k=50).as_dict(),
        "recall": lambda mem: mem.recall(f"{SECRET} garden", social="all").as_dict(),
        "read_all": lambda mem: mem.read_all(),
        "profile": lambda mem: mem.profile("ada"),
        "memories": lambda mem: list(mem.memories()),
        "entities": lambda mem: list(mem.entities.list()),
        "stats": lambda mem: mem.stats()["live"] == 2 and SECRET,
        "plan": lambda mem: [action.id for action in mem.plan(policy="fifo", budget=1).actions].count(ident) * SECRET,
        "sparql": lambda mem: mem.sparql("SELECT ?o { ?s ?p ?o }").rows,
        "export": exported,
    }


def told(door: Callable[[AgentMemory], Any], memory: AgentMemory) -> bool:
    """Return whether a door still tells of the memory; its errors are answers as well."""
    try:
        found = door(memory)
    except MarsError as error:
        # They repeat what was asked for, and nothing else.
        return "green" in str(error)
    finally:
        memory._queries.close()
    return SECRET in str(plain(found))


@pytest.mark.parametrize("end", sorted(ENDS))
def test_what_is_over_is_gone_from_every_door_and_stays_gone_when_the_clock_goes_back(
    stores: Stores, tmp_path: Path, end: str
) -> None:
    names = sorted(doors("", tmp_path))
    if stores.engine.name == "neo4j":
        names = ["export", "get", "memories", "read_all", "retrieve", "sparql"]
    if end in {"class", "horizon"}:
        # They end as a time to live does; what takes a second to answer is asked of that.
        names = [name for name in names if name not in {"export", "plan", "sparql"}]
    for name in names:
        memory, ident = filled(stores, end)
        reader, clock = stores.open_as(memory, READER), stores.clock(memory)
        door = doors(ident, tmp_path)[name]
        clock.advance(HOUR - 1)
        if name != "edges":
            assert told(door, reader), f"{name} does not tell of it while it is there"
        clock.advance(1)
        assert not told(door, reader), f"{name} tells of what is over"
        for back in (1, MINUTE, 2 * HOUR, 12 * HOUR):
            clock.jump(-back)
            assert not told(door, reader), f"{name} tells of what was over, {back} ms back"
        again = stores.open_as(memory, READER)
        for other in ("get", "read_all", "memories", "retrieve"):
            assert not told(doors(ident, tmp_path)[other], again), f"{other} tells of it after {name}"
        clock.jump(1 + MINUTE + 14 * HOUR)
        # What was read meanwhile may have recorded that the clock had jumped.
        memory.maintenance.confirm_clock()
        memory.maintenance.expire()
        assert memory.get(ident) is None
        assert memory.verify().ok


@pytest.mark.parametrize("end", ["ttl", "horizon", "class"])
def test_the_operators_doors_do_not_tell_of_what_is_over(stores: Stores, tmp_path: Path, end: str) -> None:
    for name in ("get", "retrieve", "recall", "read_all", "profile"):
        memory, ident = filled(stores, end)
        door, clock = doors(ident, tmp_path)[name], stores.clock(memory)
        assert told(door, memory)
        clock.advance(HOUR)
        assert not told(door, memory), name
        clock.advance(-2 * HOUR)
        assert not told(door, memory), f"{name}, the clock put back"
        assert memory.get(ident) is None


@pytest.mark.parametrize("end", sorted(ENDS))
def test_what_was_recorded_holds_for_whoever_opens_the_store_next(stores: Stores, tmp_path: Path, end: str) -> None:
    memory, ident = filled(stores, end)
    clock = stores.clock(memory)
    clock.advance(HOUR)
    memory.remember("Somebody wrote meanwhile")
    clock.advance(-2 * HOUR)
    # As another process finds it: nothing is known but what is stored.
    memory._writer.shared.watch.forget()
    reader = stores.open_as(memory, READER)
    for name, door in doors(ident, tmp_path).items():
        if name not in {"sparql", "export", "plan", "stats"}:
            assert not told(door, reader), name


def test_a_jump_hides_and_takes_nothing_and_its_end_shows_it_again(stores: Stores) -> None:
    memory, ident = filled(stores, "ttl")
    clock = stores.clock(memory)
    clock.jump(3 * DAY)
    assert memory.get(ident) is None
    assert memory.stats()["expiry_suspended"]
    assert memory.maintenance.expire() == 0
    clock.jump(-3 * DAY)
    assert memory.get(ident) is not None, "nobody recorded the jump, so that it was none"
    assert not memory.stats()["expiry_suspended"]
    clock.jump(3 * DAY)
    memory.remember("Written after the jump")
    clock.jump(-3 * DAY)
    assert memory.get(ident) is None, "what is recorded is not taken back"
    assert any(one.id == ident and one.content for one in memory.memories()), "and takes nothing unconfirmed"
    memory.maintenance.confirm_clock()
    assert memory.now() < START + DAY, "a confirmation sets the recorded time back"
    assert memory.get(ident) is not None, "the wrong time ahead was none"
    clock.advance(HOUR)
    memory.maintenance.expire()
    assert all(one.id != ident for one in memory.memories())
    assert memory.verify().ok
    assert memory.validate(full=True).ok


@pytest.mark.parametrize("idle", [2 * DAY, 400 * DAY])
@pytest.mark.parametrize("reopened", [False, True])
def test_an_idle_gap_is_no_jump(stores: Stores, idle: int, *, reopened: bool) -> None:
    memory, ident = filled(stores, "ttl")
    stores.clock(memory).advance(idle)
    if reopened:
        memory._writer.shared.watch.forget()
        memory = stores.open(memory.tenant, seed="next", **OPENED)
    assert not memory.stats()["expiry_suspended"]
    memory.maintenance.expire()
    assert all(one.id != ident for one in memory.memories())
    assert memory.remember("It goes on").notices == ()


def test_every_answer_has_a_notice_while_expiry_is_suspended(stores: Stores) -> None:
    memory, _ = filled(stores, "ttl")
    stores.clock(memory).jump(6 * MINUTE)
    reader = stores.open_as(memory, READER)
    wide = Draft(ref="", kind=Kind.SEMANTIC, content="The gate is wide", at=START)
    answers: dict[str, Any] = {
        "remember": memory.remember("The gate is shut").notices,
        "remember_many": memory.remember_many([wide]).notices,
        "update": memory.update(memory.remember("The gate").id, "The gate is old").notices,
        "learn": cast("Learned", memory.learn("I live in Porto.")).notices,
        "retrieve": memory.retrieve("the gate").notices,
        "recall": memory.recall(f"{SECRET} garden").notices,
        "read_all": memory.read_all().notices,
        "profile": memory.profile().notices,
        "maintain": memory.maintain().notices,
        "dry run": memory.maintain(dry_run=True).notices,
        "stats": memory.stats()["notices"],
        "a reader": reader.retrieve("the gate").notices,
        "a reader's stats": reader.stats()["notices"],
        "notices": memory.notices,
    }
    assert {
        name: any("mars maintenance confirm-clock" in text for text in told) for name, told in answers.items()
    } == dict.fromkeys(answers, True)
    memory.maintenance.confirm_clock()
    assert memory.notices == () == memory.retrieve("the gate").notices


def test_a_clock_that_runs_evenly_for_an_hour_is_believed_again(stores: Stores) -> None:
    memory, ident = filled(stores, "ttl")
    clock = stores.clock(memory)
    clock.jump(3 * DAY)
    memory.remember("Written after the jump")
    for _ in range(5):
        clock.advance(11 * MINUTE)
        assert memory.maintenance.expire() == 0, "not yet"
    clock.advance(5 * MINUTE)
    assert memory.maintenance.expire() == 1
    assert all(one.id != ident for one in memory.memories())
    assert memory.notices == ()
    recorded = [one for one in memory.audit.records() if one.operation == "confirmClock"]
    assert ["agreement" in "".join(one.details) for one in recorded] == [True]
    assert memory.verify().ok


def test_a_clock_behind_the_last_record_is_believed_after_an_hour_and_the_mark_goes_back(stores: Stores) -> None:
    memory, ident = filled(stores, "ttl")
    clock = stores.clock(memory)
    clock.advance(900 * DAY)
    late = memory.remember("Written at a wrong time", kind="semantic", key="k/two")
    memory.retrieve("what was written at a wrong time?")
    clock.advance(-900 * DAY)
    memory._writer.shared.watch.forget()
    assert memory.stats()["expiry_suspended"]
    clock.advance(HOUR)
    memory.maintenance.expire()
    assert memory.now() < START + DAY
    memory.retrieve("what was written at a wrong time?")
    memory.remember("Written at the right time", kind="semantic", key="k/two")
    newest = memory.get(late.id)
    assert newest is not None
    memory.maintain()
    assert memory.verify().findings == ()
    assert memory.validate(full=True).findings == ()
    assert memory.get(ident) is None, "it was swept while the time was wrong"


def test_what_is_private_is_never_held_back(stores: Stores) -> None:
    memory = stores.open(**OPENED)
    kept = [memory.remember(f"Public note {number}", kind="semantic", ttl="1h") for number in range(3)]
    hush = memory.remember(f"The {SECRET} is private", kind="semantic", memory_class="private", ttl="2h")
    stores.clock(memory).jump(DAY)
    memory.maintenance.expire()
    left = {one.id: one.content for one in memory.memories()}
    assert hush.id not in left
    assert all(left[one.id] for one in kept)
    assert memory.validate(full=True).ok


def test_all_that_is_private_and_due_in_one_millisecond_goes_during_a_suspension(stores: Stores) -> None:
    memory = stores.open(budget=100_000, **OPENED)
    due = memory.now() + HOUR
    memory.remember_many(
        Draft(
            ref=f"d{number}",
            kind=Kind.SEMANTIC,
            content=f"Note {number}",
            at=START,
            expires_at=due,
            # Which of them a page begins with is the engine's business.
            memory_class=MemoryClass.PRIVATE if number % 300 else None,
        )
        for number in range(600)
    )
    stores.clock(memory).jump(DAY)
    memory.maintenance.expire()
    assert memory.stats()["expiry_suspended"]
    assert sorted(one.content or "" for one in memory.memories()) == ["Note 0", "Note 300"]


def test_what_is_private_ends_by_the_elapsed_clock_where_the_wall_clock_goes_back_or_stands(stores: Stores) -> None:
    class Standing:
        """A wall clock whose battery is empty."""

        elapsed = 0

        def now_ms(self) -> int:
            return START

        def elapsed_ms(self) -> int:
            return self.elapsed

    def back(memory: AgentMemory) -> Callable[[int], None]:
        clock = stores.clock(memory)
        clock.jump(-365 * DAY)
        return clock.advance

    def stand(memory: AgentMemory) -> Callable[[int], None]:
        clock = cast("Standing", stores.clocks[memory.tenant])

        def passes(span: int) -> None:
            clock.elapsed += span

        return passes

    for wrong in (back, stand):
        tenant = None
        if wrong is stand:
            tenant = names.name()
            stores.clocks[tenant] = Standing()  # type: ignore[assignment]
        memory = stores.open(tenant, **OPENED)
        hush = memory.remember(f"The {SECRET} is private", kind="semantic", memory_class="private", ttl="1h")
        public = memory.remember("This is not", kind="semantic", ttl="30m")
        passes = wrong(memory)
        for _ in range(6):
            passes(10 * MINUTE - 1)
            memory.remember("Time goes on", kind="semantic")
        assert memory.stats()["expiry_suspended"]
        assert memory.get(public.id) is None
        assert memory.get(hush.id) is not None
        passes(6)
        memory.maintenance.expire()
        left = {one.id for one in memory.memories() if one.content}
        assert hush.id not in left, wrong.__name__
        assert public.id in left
        assert memory.verify().ok
        assert memory.validate(full=True).ok


def test_what_is_private_ends_after_its_life_although_it_was_told_at_a_wrong_time_ahead(stores: Stores) -> None:
    memory = stores.open(**OPENED)
    clock = stores.clock(memory)
    clock.jump(365 * DAY)
    hush = memory.remember(f"The {SECRET} is private", kind="semantic", memory_class="private", ttl="2h")
    rests = memory.remember("This rests on it", kind="semantic", depends_on=[hush.id], ttl="90m")
    public = memory.remember("This is not private", kind="semantic", ttl="2h")
    clock.jump(-365 * DAY)
    memory.maintenance.confirm_clock()
    clock.advance(2 * HOUR - 1)
    memory.maintenance.expire()
    assert {hush.id, public.id} <= {one.id for one in memory.memories() if one.content}
    clock.advance(1)
    memory.maintenance.expire()
    left = {one.id for one in memory.memories() if one.content}
    assert left == {public.id}, rests
    assert memory.verify().ok
    assert memory.validate(full=True).ok


def test_a_clock_that_is_put_right_several_times_takes_no_life_of_what_is_private(stores: Stores) -> None:
    memory = stores.open(**OPENED)
    clock = stores.clock(memory)
    clock.jump(365 * DAY)
    hush = memory.remember(f"The {SECRET} is private", kind="semantic", memory_class="private", ttl="4d")
    for back in (3 * DAY, 2 * DAY, 300 * DAY):
        clock.jump(-back)
        memory.maintenance.confirm_clock()
        clock.advance(DAY)
        memory.maintenance.expire()
        assert memory.get(hush.id) is not None, back
    clock.advance(DAY - MINUTE)
    memory.maintenance.expire()
    assert memory.get(hush.id) is not None
    clock.advance(MINUTE)
    memory.maintenance.expire()
    assert memory.get(hush.id) is None
    assert memory.verify().ok
    assert memory.validate(full=True).ok


def test_a_clock_that_ran_evenly_while_the_store_was_closed_is_believed(stores: Stores) -> None:
    def reopened(memory: AgentMemory) -> AgentMemory:
        """As the command line does: a process for each call."""
        memory._writer.shared.watch.forget()
        return stores.open(memory.tenant, seed="next", **OPENED)

    for ahead in (3 * DAY, -3 * DAY):
        memory, ident = filled(stores, "ttl")
        clock = stores.clock(memory)
        clock.jump(ahead)
        memory.remember("Written after the jump")
        clock.jump(-ahead)
        memory = reopened(memory)
        clock.advance(HOUR - 1)
        memory = reopened(memory)
        assert memory.notices, "not yet"
        assert any(one.id == ident and one.content for one in memory.memories())
        clock.advance(HOUR)
        memory = reopened(memory)
        assert memory.notices == ()
        assert abs(memory.now() - clock.now_ms()) < MINUTE
        assert all(one.id != ident for one in memory.memories())
        assert memory.verify().ok
        assert memory.validate(full=True).ok


def test_a_second_jump_in_a_process_begins_the_hour_anew(stores: Stores) -> None:
    memory, _ = filled(stores, "ttl")
    clock = stores.clock(memory)
    clock.jump(DAY)
    memory.remember("Written after the jump")
    clock.jump(DAY)
    assert memory.stats()["expiry_suspended"]
    memory.maintenance.expire()
    assert memory.stats()["expiry_suspended"]


def test_figures_say_at_once_that_both_clocks_have_agreed_for_an_hour(stores: Stores) -> None:
    memory, _ = filled(stores, "ttl")
    clock = stores.clock(memory)
    clock.jump(DAY)
    memory.remember("Written after the jump")
    assert memory.stats()["expiry_suspended"]
    clock.advance(HOUR)
    assert not memory.stats()["expiry_suspended"]
    assert memory.notices == ()


def test_handles_with_clocks_of_their_own_do_not_take_them_for_one_that_jumped(stores: Stores) -> None:
    memory, ident = filled(stores, "ttl")
    clock = stores.clock(memory)
    clock.advance(3 * DAY)
    # The same time, and another elapsed one.
    stores.clocks[memory.tenant] = ManualClock(clock.now_ms())
    other = stores.open(memory.tenant, seed="other", **OPENED)
    assert [one.stats()["expiry_suspended"] for one in (memory, other)] == [False, False]
    other.maintenance.expire()
    assert all(one.id != ident for one in memory.memories())
    clock.jump(DAY)
    assert [one.stats()["expiry_suspended"] for one in (memory, other)] == [True, False]


def test_a_clock_without_elapsed_time_that_was_ahead_is_set_right_by_a_confirmation(stores: Stores) -> None:
    class Wall:
        now = START

        def now_ms(self) -> int:
            return self.now

    wall, tenant = Wall(), names.name()
    stores.clocks[tenant] = wall  # type: ignore[assignment]
    memory = stores.open(tenant, **OPENED)
    wall.now += 365 * DAY
    memory.remember("Written at a wrong time")
    wall.now -= 365 * DAY
    assert memory.now() == START + 365 * DAY
    memory.maintenance.confirm_clock()
    assert memory.now() == START
    memory.maintenance.confirm_clock()
    assert [one.operation for one in memory.audit.records()].count(Operation.CONFIRM_CLOCK) == 1
    assert memory.verify().ok


@pytest.mark.parametrize("reads", [1, 2])
def test_both_logs_hold_however_often_a_clock_was_put_right(stores: Stores, tmp_path: Path, reads: int) -> None:
    memory = stores.open(**OPENED)
    clock, ident = stores.clock(memory), memory.remember("Read again and again").id
    for round_ in range(1, 7):
        for _ in range(reads):
            clock.advance(2 * DAY)
            memory.control.record_access([ident])
        clock.jump(-round_ * DAY)
        memory.maintenance.confirm_clock()
        if round_ % 3:  # or nobody reads between two confirmations
            memory.control.record_access([ident])
    memory.control.record_access([ident])
    assert memory.verify().findings == ()
    memory.export(tmp_path / "all.nq", audit=True)
    assert verify_export(tmp_path / "all.nq").findings == ()


@pytest.mark.parametrize("tier", ["live", "latent"])
def test_a_task_is_due_by_the_grace_that_the_tenant_has_now(stores: Stores, tier: str) -> None:
    memory = stores.open(task_grace="7d", policy__evict_to="latent")
    clock = stores.clock(memory)
    need = memory.remember("The form is in the drawer", kind="semantic", session="s")
    task = memory.remember("Send the form", kind="task", status="done", requires=[need.id], session="s")
    if tier == "latent":
        memory.forget(memory.plan(policy="fifo", budget=0))
    assert task.id in {one.id for one in memory.memories() if one.tier == tier}
    memory.tasks.amend(task.id, status="open", deadline=clock.now_ms() + HOUR)
    memory.settings.set(None, {"task_grace": "1m"})
    memory.remember("Anything")
    assert memory.verify().findings == ()
    clock.advance(HOUR + MINUTE)
    memory.maintenance.expire()
    assert [
        details for one in memory.audit.records() for details in one.details if "deadline and grace passed" in details
    ]
    assert memory.verify().ok
    assert memory.validate(full=True).ok


def put_right(memory: AgentMemory, clock: ManualClock) -> None:
    """Let the clock be a month ahead for a while, which somebody takes for right."""
    for jump in (30 * DAY, -30 * DAY):
        clock.jump(jump)
        memory.maintenance.confirm_clock()
        memory.maintenance.expire()


def lengthen_grace(memory: AgentMemory, clock: ManualClock) -> None:
    """Let the grace of tasks be none for a while."""
    clock.advance(DAY)
    for grace in ("0s", "7d"):
        memory.settings.set(None, {"task_grace": grace})
        memory.maintenance.expire()


@pytest.mark.parametrize("history", [put_right, lengthen_grace])
def test_a_task_whose_deadline_is_ahead_again_protects_what_it_requires(
    stores: Stores, history: Callable[[AgentMemory, ManualClock], None]
) -> None:
    memory = stores.open(task_grace="7d")
    need = memory.remember("The form is in the drawer", kind="semantic")
    task = memory.remember("Send the form", kind="task", requires=[need.id], deadline=START + HOUR)
    other = memory.remember("The drawer is in the kitchen", kind="semantic")
    protected = memory.stats()["protected_weight"]
    assert protected
    history(memory, stores.clock(memory))
    assert memory.stats()["protected_weight"] == protected
    for policy in ("fifo", "lru", "priority-decay", "density", "greedy", "removal-priority", "randomised-tie-break"):
        assert [one.id for one in memory.plan(policy=policy, budget=protected).actions] == [other.id], policy
        with pytest.raises(BudgetInfeasible):
            memory.plan(policy=policy, budget=protected - 1)
    ended = [one for one in memory.audit.records() if any("deadline" in details for details in one.details)]
    assert [one.memories for one in ended if one.operation is Operation.AMEND] == [(task.id,)] * 2
    assert memory.verify().ok
    assert memory.validate(full=True).ok


def test_the_machine_tells_suspended_time_by_whichever_clock_counts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def told(clock: int) -> int:
        asked.append(clock)
        return 5_000_000

    monkeypatch.setattr(time, "clock_gettime_ns", told)
    assert SystemClock().elapsed_ms() == 5
    if hasattr(time, "CLOCK_BOOTTIME"):
        assert asked == [time.CLOCK_BOOTTIME]
        monkeypatch.delattr(time, "CLOCK_BOOTTIME")
    asked.clear()
    assert SystemClock().elapsed_ms() == 5
    assert asked == [time.CLOCK_MONOTONIC], "as on macOS, where Python's monotonic clock stops in suspension"


def test_a_clock_without_elapsed_time_never_jumps(stores: Stores) -> None:
    class Wall:
        now = START

        def now_ms(self) -> int:
            return self.now

    memory = stores.open(**OPENED)
    wall = Wall()
    stores.clocks[memory.tenant] = wall  # type: ignore[assignment]  # a user's own clock, with nothing but a wall
    memory._writer.shared.watch.forget()
    memory = stores.open(memory.tenant, seed="next", **OPENED)
    short = memory.remember("Short", kind="semantic", ttl="1h")
    wall.now += 30 * DAY
    assert not memory.stats()["expiry_suspended"]
    assert memory.maintenance.expire() == 1
    wall.now -= 30 * DAY
    assert memory.get(short.id) is None
    assert not memory.stats()["expiry_suspended"]


def test_a_clock_that_shows_no_time_tells_nothing(stores: Stores) -> None:
    memory, ident = filled(stores, "ttl")
    clock = stores.clock(memory)
    now = memory.now()
    clock.set(1 << 62)
    doors = (
        lambda: memory.get(ident),
        lambda: memory.retrieve("garden"),
        lambda: memory.remember("garden"),
        memory.maintenance.confirm_clock,
        memory.now,
    )
    for door in doors:
        with pytest.raises(ClockJump, match="set the clock"):
            door()
    clock.set(now)
    assert memory.stats()["live"] == 2
    assert memory.get(ident) is not None


def test_a_clock_before_1970_can_be_confirmed(stores: Stores) -> None:
    memory, _ = filled(stores, "ttl")
    stores.clock(memory).jump(-(1 << 80))
    assert memory.stats()["expiry_suspended"]
    memory.maintenance.confirm_clock()
    assert memory.now() == 0
    assert not memory.stats()["expiry_suspended"]
    assert memory.verify().ok


def test_private_mode_that_is_over_stays_over(stores: Stores) -> None:
    for back in (10 * MINUTE, 2 * DAY):
        memory = stores.open(**OPENED)
        clock = stores.clock(memory)
        mode = memory.privacy.private_mode("30m", keep=True)
        hush = mode.remember(f"The {SECRET} is private", kind="semantic")
        clock.advance(30 * MINUTE)
        assert memory.get(hush.id) is None
        with pytest.raises(NotPermitted, match="private mode is over"):
            mode.get(hush.id)
        clock.advance(-back)
        with pytest.raises(NotPermitted, match="private mode is over"):
            mode.retrieve(SECRET)
        with pytest.raises(NotPermitted, match="private mode is over"):
            mode.remember("More of it")
        mode.close()
        assert memory.get(hush.id) is None
        assert not list(memory.retrieve(SECRET))


def test_a_grant_that_is_over_stays_over(stores: Stores) -> None:
    memory = stores.open(**OPENED)
    memory.remember(f"The {SECRET} is hidden", kind="semantic", sensitivity=0.9)
    given = memory.privacy.grant("reader:bot", ceiling=0.95, lasts="10m", calls=None)
    reader, clock = stores.open_as(memory, "reader:bot?ceiling=0.3"), stores.clock(memory)
    assert list(reader.retrieve(SECRET, grant=given.id))
    clock.advance(10 * MINUTE)
    with pytest.raises(NotPermitted, match="allows nothing"):
        reader.retrieve(SECRET, grant=given.id)
    clock.advance(-10 * MINUTE)
    with pytest.raises(NotPermitted, match="allows nothing"):
        reader.retrieve(SECRET, grant=given.id)
    assert not list(reader.retrieve(SECRET))


def test_a_quarantine_that_is_over_stays_over(stores: Stores) -> None:
    memory = stores.open(**OPENED, policy__review="all", policy__quarantine="10h", policy__name="fifo")
    aside = memory.remember(f"The {SECRET} waits for somebody to decide", kind="semantic")
    stays = memory.remember("What is said last of all stays", kind="semantic")
    memory.forget(memory.plan(budget=stays.weight))
    clock = stores.clock(memory)
    clock.advance(10 * HOUR - 1)
    assert [one.id for one in memory.learning.review().quarantined] == [aside.id]
    clock.advance(1)
    for door in ("retrieve", "review", "restore", "reject"):
        if door != "retrieve":
            clock.jump(-5 * HOUR)
        assert not list(memory.retrieve(SECRET, latent=True))
        assert memory.learning.review().quarantined == ()
        with pytest.raises(MarsError):
            memory.restore(aside.id)
        with pytest.raises(InvalidInput, match="not on the list"):
            memory.learning.reject(aside.id)
    assert all(SECRET not in str(plain(one)) for one in memory.memories())
    assert memory.verify().ok


def test_handles_of_a_process_read_one_clock(stores: Stores) -> None:
    memory, ident = filled(stores, "ttl")
    other = stores.open(memory.tenant, seed="other", **OPENED)
    clock = stores.clock(memory)
    clock.advance(HOUR)
    assert memory.get(ident) is None
    clock.advance(-HOUR)
    assert other.get(ident) is None, "the other handle had been told"
    assert other.now() == memory.now()
    assert states.shared_state_of(memory._opened.engine, memory.tenant).watch is memory._writer.shared.watch
