"""A clock that is moved over an end and back: what is over is gone from every door at once, and does not come back.

Nobody sweeps and nothing is written between the move and the door, unless a test says so: what is over has to be gone
by what the clock says, not by what was done about it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import ClockJump, InvalidInput, MarsError, NotPermitted
from marskg.store import desk as desks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

SECRET = "zyxquartz"
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
READER = "reader:bot?ceiling=1&purpose=care"
OPENED: dict[str, Any] = {"embedding__model": "none", "sensitivity__assess": "off", "step_ms": 0}


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
        "memories": lambda mem: list(mem.memories()),
        "entities": lambda mem: list(mem.entities()),
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
    return SECRET in str(found)


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
            clock.advance(-back)
            assert not told(door, reader), f"{name} tells of what was over, {back} ms back"
        again = stores.open_as(memory, READER)
        for other in ("get", "read_all", "memories", "retrieve"):
            assert not told(doors(ident, tmp_path)[other], again), f"{other} tells of it after {name}"
        memory.expire()
        assert memory.get(ident) is None
        assert memory.verify().ok


@pytest.mark.parametrize("end", ["ttl", "horizon", "class"])
def test_the_operators_doors_do_not_tell_of_what_is_over(stores: Stores, tmp_path: Path, end: str) -> None:
    for name in ("get", "retrieve", "recall", "read_all"):
        memory, ident = filled(stores, end)
        door, clock = doors(ident, tmp_path)[name], stores.clock(memory)
        assert told(door, memory)
        clock.advance(HOUR)
        assert not told(door, memory), name
        clock.advance(-2 * HOUR)
        assert not told(door, memory), f"{name}, the clock put back"
        assert memory.get(ident) is None


@pytest.mark.parametrize("end", sorted(ENDS))
def test_what_was_recorded_holds_for_whoever_opens_the_store_next(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    memory, ident = filled(stores, end)
    clock = stores.clock(memory)
    clock.advance(HOUR)
    memory.remember("Somebody wrote meanwhile")
    clock.advance(-2 * HOUR)
    # As another process finds it: nothing is known but what is stored.
    monkeypatch.setattr(memory._writer.desk, "latest", 0)
    reader = stores.open_as(memory, READER)
    for name, door in doors(ident, tmp_path).items():
        if name not in {"sparql", "export", "plan", "stats"}:
            assert not told(door, reader), name


def test_a_jump_hides_takes_nothing_and_its_end_shows_it_again(stores: Stores) -> None:
    memory, ident = filled(stores, "ttl")
    clock = stores.clock(memory)
    clock.advance(3 * DAY)
    assert memory.get(ident) is None
    assert memory.stats()["expiry_suspended"]
    assert memory.expire() == 0
    clock.advance(-3 * DAY)
    assert memory.get(ident) is not None, "nobody recorded the jump, so that it was none"
    assert not memory.stats()["expiry_suspended"]
    clock.advance(3 * DAY)
    memory.remember("Written after the jump")
    clock.advance(-3 * DAY)
    assert memory.get(ident) is None, "what is recorded is not taken back"
    assert any(one.id == ident and one.content for one in memory.memories()), "and takes nothing unconfirmed"
    memory.confirm_clock()
    assert all(one.id != ident for one in memory.memories())
    assert memory.verify().ok


def test_a_clock_that_shows_no_time_tells_nothing(stores: Stores) -> None:
    memory, ident = filled(stores, "ttl")
    clock = stores.clock(memory)
    now = memory.now()
    clock.set(1 << 62)
    for door in (lambda: memory.get(ident), lambda: memory.retrieve("garden"), memory.now):
        with pytest.raises(ClockJump, match="set the clock"):
            door()
    clock.set(now)
    assert memory.get(ident) is not None


def test_private_mode_that_is_over_stays_over(stores: Stores) -> None:
    for back in (10 * MINUTE, 2 * DAY):
        memory = stores.open(**OPENED)
        clock = stores.clock(memory)
        mode = memory.private_mode("30m", keep=True)
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
    given = memory.grant("reader:bot", ceiling=0.95, lasts="10m", calls=None)
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
    assert [one.id for one in memory.review().quarantined] == [aside.id]
    clock.advance(1)
    for door in ("retrieve", "review", "restore", "reject"):
        clock.advance(-5 * HOUR)
        if door == "retrieve":
            clock.advance(5 * HOUR)
        assert not list(memory.retrieve(SECRET, latent=True))
        assert memory.review().quarantined == ()
        with pytest.raises(MarsError):
            memory.restore(aside.id)
        with pytest.raises(InvalidInput, match="not on the list"):
            memory.reject(aside.id)
    assert all(SECRET not in str(one) for one in memory.memories())
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
    assert desks.desk_of(memory._opened.engine, memory.tenant).latest == memory.now()
