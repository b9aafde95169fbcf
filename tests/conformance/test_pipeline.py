"""``remember_many`` builds a batch while the one before it is being written: nothing of that may show."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.drafts import Draft
from marskg.ontology.vocabulary import Kind
from marskg.store.commit.writer import Writer
from marskg.store.engine.protocol import Conflict
from marskg.store.ingest.prepare import BATCH
from tests.support.stores import START

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from marskg.memory import AgentMemory
    from marskg.store.commit.flush import Step
    from marskg.store.engine.protocol import Row
    from marskg.store.unit.unit_of_work import Unit
    from tests.support.stores import Stores

SESSIONS = 3


def turn(number: int) -> Draft:
    """Return the ``number``-th turn of a conversation in some sessions; each fifth derives from the one before it."""
    before = (f"t{number - 1}",) if number % 5 == 4 else ()
    return Draft(
        ref=f"t{number}",
        kind=Kind.EPISODIC,
        content=f"turn {number}",
        at=1_772_000_000_000 + number,
        session=f"s{number % SESSIONS}",
        derives_from=before,
    )


def contents(memory: AgentMemory) -> list[str]:
    return sorted(str(found.content) for found in memory.memories())


def broken_chains(memory: AgentMemory) -> list[str]:
    """Return the sessions whose turns do not follow one another in the order of their numbers."""
    query = (
        "MATCH (m:Memory)-[:temporalNext]->(n:Memory) WHERE m.tenant = $tenant "
        "RETURN m.session AS session, m.content AS first, n.content AS second"
    )
    rows = memory.cypher(query, {"tenant": memory.tenant}).rows
    numbers = [(str(session), int(str(one)[5:]), int(str(two)[5:])) for session, one, two in rows]
    return [session for session, one, two in numbers if two != one + SESSIONS]


def before_write(
    patch: pytest.MonkeyPatch, memory: AgentMemory, number: int, action: Callable[[], object]
) -> list[int]:
    """Do something just before the ``number``-th transaction of a memory; returns a list that grows with each."""
    seen: list[int] = []
    write = Writer.write

    def told(writer: Writer, unit: Unit, steps: list[Step]) -> list[Unit]:
        if writer is memory._writer:
            seen.append(len(seen) + 1)
            if len(seen) == number:
                action()
        return write(writer, unit, steps)

    patch.setattr(Writer, "write", told)
    return seen


def test_batches_follow_one_another(stores: Stores) -> None:
    memory = stores.open()
    heard: list[int] = []
    count = 4 * BATCH + 7
    assert memory.remember_many(map(turn, range(count)), progress=heard.append) == count
    assert heard == [BATCH, 2 * BATCH, 3 * BATCH, 4 * BATCH, count]
    assert contents(memory) == sorted(f"turn {number}" for number in range(count))
    assert broken_chains(memory) == []
    assert memory.verify().ok
    assert memory.validate(full=True).ok


def test_a_batch_that_was_overtaken_is_built_again_with_what_was_built_on_it(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = stores.open()
    other = stores.apart().open(memory.tenant, seed="other")
    written = before_write(monkeypatch, memory, 2, lambda: other.remember("in between", session="s1", at=START))
    count = 4 * BATCH
    assert memory.remember_many(map(turn, range(count))) == count
    assert len(written) == 5, "the second one twice"
    assert contents(memory) == sorted(["in between", *(f"turn {number}" for number in range(count))])
    assert memory.stats()["audit_seq"] == len(list(memory.audit.records())), "no gap"
    assert memory.verify().ok
    assert memory.validate(full=True).ok


def test_a_read_that_another_writer_overtook_starts_the_batch_again(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = stores.open()
    read, lost = Writer.read, iter([False, True])

    def overtaken(writer: Writer, name: str, parameters: Mapping[str, Any]) -> list[Row]:
        if name == "sessions_episodes" and next(lost, False):
            raise Conflict
        return read(writer, name, parameters)

    monkeypatch.setattr(Writer, "read", overtaken)
    drafts = [replace(turn(number), session=f"s{number // BATCH} {number % 2}") for number in range(3 * BATCH)]
    assert memory.remember_many(drafts) == len(drafts)
    assert contents(memory) == sorted(f"turn {number}" for number in range(len(drafts)))
    assert memory.verify().ok
    assert memory.validate(full=True).ok


def test_a_batch_that_fails_leaves_those_before_it(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = stores.open()

    def fail() -> None:
        message = "the server went away"
        raise marskg.EngineUnavailable(message)

    before_write(monkeypatch, memory, 3, fail)
    with pytest.raises(marskg.EngineUnavailable):
        memory.remember_many(map(turn, range(5 * BATCH)))
    assert contents(memory) == sorted(f"turn {number}" for number in range(2 * BATCH))
    memory.remember("and on it goes", session="s1")
    assert memory.verify().ok


def test_a_reader_that_fails_leaves_what_it_gave_before(stores: Stores) -> None:
    memory = stores.open()

    def cut_short() -> Iterator[Draft]:
        yield from map(turn, range(2 * BATCH))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.remember_many(cut_short())
    assert contents(memory) in (sorted(f"turn {number}" for number in range(whole * BATCH)) for whole in (1, 2))
    assert memory.verify().ok


def test_a_reader_of_drafts_may_use_the_memory_meanwhile(stores: Stores) -> None:
    memory = stores.open()
    count = 3 * BATCH

    def busy() -> Iterator[Draft]:
        for number in range(count):
            if number % BATCH == 5:
                note = memory.remember(f"note {number}", kind="semantic")
                assert memory.get(note.id) is not None
                memory.forget(memory.plan(policy="fifo", budget=memory.weight - 1))
            yield turn(number)

    assert memory.remember_many(busy()) == count
    assert memory.stats()["audit_seq"] == len(list(memory.audit.records()))
    assert memory.verify().ok
    assert memory.validate(full=True).ok


def test_a_budget_that_a_batch_goes_over_is_kept_to(stores: Stores) -> None:
    memory = stores.open(budget=4 * BATCH)
    count = 5 * BATCH
    assert memory.remember_many(map(turn, range(count))) == count
    assert memory.weight <= memory.settings.current.budget
    assert memory.verify().ok
    assert memory.validate(full=True).ok
