"""What was shown is written with the others of a tenth of a second: nobody waits for it, and nothing shows it."""

from __future__ import annotations

import re
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import InvalidInput
from marskg.ontology.vocabulary import Operation
from marskg.store.commit.shared_state import shared_state_of
from marskg.store.engine.protocol import Capability
from marskg.store.unit.reader import GraphReader
from tests.support import picture as pictures
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

QUICK: dict[str, Any] = {"sensitivity__assess": "off", "embedding__model": "none"}
#: The digest of a plan is also of the tenant's name.
DIGEST = re.compile(r'planDigest> "[0-9a-f]*"')


class Held:
    """A timer that goes off when it is told to."""

    def __init__(self) -> None:
        self.work: list[Callable[[], None]] = []

    def __call__(self, done: threading.Event, work: Callable[[], None]) -> None:
        del done
        self.work.append(work)

    def go_off(self) -> None:
        work, self.work = self.work, []
        for one in work:
            one()


def opened(stores: Stores, tenant: str | None = None, **values: Any) -> tuple[AgentMemory, Held]:
    """Open a tenant of which nothing is written in the background but when it is told to."""
    memory, held = stores.open(tenant, **QUICK, **values), Held()
    memory._writer.shared.pending.later = held
    return memory, held


def written(stores: Stores, tenant: str) -> list[str]:
    """Return the operations in the access log as the store has it."""
    return [record.operation for record in GraphReader(stores.engine, tenant).records("a")]


def test_a_question_that_is_answered_by_nothing_waits_for_no_writer(stores: Stores) -> None:
    if Capability.EXCLUSIVE_FILES not in stores.engine.capabilities:
        pytest.skip("other processes write to a server: the tenant's row is read anew, in turn")
    memory, _ = opened(stores)
    memory.remember("The boat is crimson")
    assert len(memory.retrieve("boat")) == 1
    found: list[int] = []
    asking = threading.Thread(target=lambda: found.append(len(memory.retrieve("zeppelin"))), daemon=True)
    with memory._writer.alone():
        asking.start()
        asking.join(HANGS_S)
        assert found == [0]


def test_an_answer_is_given_before_its_record_is_written(stores: Stores) -> None:
    memory, held = opened(stores)
    one = memory.remember("The boat is crimson")
    before = written(stores, memory.tenant)
    assert [hit.memory.access_count for hit in memory.retrieve("boat")] == [0]
    # A question that is answered from a complete reading waits as little.
    assert [hit.memory.access_count for hit in memory.retrieve("How many crimson boats are there?")] == [1]
    assert written(stores, memory.tenant) == before
    held.go_off()
    assert written(stores, memory.tenant) == [*before, Operation.ACCESS, Operation.ACCESS]
    found = memory.get(one.id)
    assert found is not None
    assert found.access_count == 2
    assert memory.verify().ok


def test_a_record_is_written_in_the_background(stores: Stores) -> None:
    memory = stores.open(**QUICK)
    memory.remember("The boat is crimson")
    before = len(written(stores, memory.tenant))
    memory.retrieve("boat")
    end = time.monotonic() + HANGS_S
    while len(written(stores, memory.tenant)) == before and time.monotonic() < end:
        time.sleep(0.02)
    assert len(written(stores, memory.tenant)) == before + 1


DOORS: dict[str, Callable[[AgentMemory, Path], object]] = {
    "remember": lambda memory, _: memory.remember("The oar is blue"),
    "plan": lambda memory, _: memory.plan(policy="lru", budget=memory.weight),
    "head": lambda memory, _: memory.audit.sign_head(),
    "verify": lambda memory, _: memory.verify(),
    "export": lambda memory, folder: memory.export(folder / "out.ttl"),
    "snapshot": lambda memory, folder: memory.snapshots.save(folder / "copy.mars"),
    "stats": lambda memory, _: memory.stats(),
    "records": lambda memory, _: list(memory.audit.records(log="accesses")),
    "cypher": lambda memory, _: memory.cypher("MATCH (a:AuditRecord) RETURN count(a) AS n"),
    "maintain": lambda memory, _: memory.maintain(),
}


@pytest.mark.parametrize("door", DOORS)
def test_what_was_shown_is_written_before_anything_else_is_done(stores: Stores, door: str, tmp_path: Path) -> None:
    memory, _ = opened(stores)
    memory.remember("The boat is crimson")
    before = len(written(stores, memory.tenant))
    memory.retrieve("boat")
    DOORS[door](memory, tmp_path)
    assert len(written(stores, memory.tenant)) == before + 1


def test_when_it_is_written_shows_nowhere(stores: Stores) -> None:
    stores.open()  # makes the store's key, for which secrets are drawn once
    seen = []
    for at_once in (True, False):
        memory, held = opened(stores, seed=7, budget=40, policy__name="lru")
        for number in range(12):
            memory.remember(f"Thing {number} of the boat is crimson")
            for question in ("boat", "crimson thing", f"thing {number // 2}"):
                shown = memory.retrieve(question, k=2)
                if at_once:
                    held.go_off()
            if number % 4 == 3:
                memory.feedback(shown.id or "", used=[shown[0].memory.id])
        plan = memory.plan(policy="priority-decay", budget=20)
        audit = [
            (record.recorded_at, record.salts, [DIGEST.sub("", text) for text in record.details])
            for log in ("transitions", "accesses")
            for record in memory.audit.records(log=log, first=2)  # the first one has the tenant's name
        ]
        row = GraphReader(stores.engine, memory.tenant).tenant_row()
        content = [(one.id, one.access_count, one.last_access, one.score) for one in memory.memories()]
        seen.append((plan.actions, audit, content, row["lastTime"], row["usage"]))
        assert pictures.faults(pictures.take(stores.engine, memory.tenant)) == []
    assert seen[0] == seen[1]


def test_what_is_bound_to_one_use_is_recorded_before_it_is_shown(stores: Stores) -> None:
    memory, _ = opened(stores)
    memory.remember("The door code is 4711", use_bound=True, memory_class="private")
    memory.remember("The boat is crimson")
    before = len(written(stores, memory.tenant))
    memory.retrieve("boat")
    assert [hit.memory.content for hit in memory.retrieve("door code", k=1)] == ["The door code is 4711"]
    assert len(written(stores, memory.tenant)) == before + 2
    assert len(memory.retrieve("door code", k=1, kinds="semantic")) == 0


def test_what_somebody_else_reads_is_recorded_before_they_see_it(stores: Stores) -> None:
    memory, _ = opened(stores)
    memory.remember("The boat is crimson")
    before = len(written(stores, memory.tenant))
    assert len(stores.open_as(memory, "reader:bot?ceiling=0.9").retrieve("boat")) == 1
    assert len(written(stores, memory.tenant)) == before + 1


def test_strict_records_before_anything_is_shown(stores: Stores) -> None:
    memory, held = opened(stores, audit__access="strict")
    memory.remember("The boat is crimson")
    before = len(written(stores, memory.tenant))
    shown = memory.retrieve("boat")
    assert len(written(stores, memory.tenant)) == before + 1
    assert shown.id == list(memory.audit.records(log="accesses"))[-1].iri
    assert held.work == []


def test_another_handle_sees_what_was_shown(stores: Stores) -> None:
    memory, _ = opened(stores)
    memory.remember("The boat is crimson")
    other = stores.open(memory.tenant, seed=2, **QUICK)
    counts = [handle.retrieve(f"boat {turn}")[0].memory.access_count for turn in range(4) for handle in (memory, other)]
    assert counts == list(range(8))
    assert memory.verify().ok


def test_many_readings_do_not_wait_for_ever(stores: Stores) -> None:
    memory, _ = opened(stores)
    memory.remember("The boat is crimson")
    before = len(written(stores, memory.tenant))
    for number in range(70):
        memory.retrieve(f"boat {number}")
    assert len(written(stores, memory.tenant)) > before


def test_feedback_on_a_reading_that_was_lost_is_refused_and_goes_to_no_other(stores: Stores) -> None:
    memory, _ = opened(stores)
    one = memory.remember("The boat is crimson")
    lost = memory.retrieve("boat").id or ""
    # As a crash leaves it: another process finds the log without the record, and records its own under that number.
    survivor = stores.apart().open(memory.tenant, seed="after the crash", **QUICK)
    shown = survivor.retrieve("boat").id or ""
    assert shown != lost
    assert shown.rpartition("-")[0] == lost.rpartition("-")[0]
    with pytest.raises(InvalidInput, match="names no retrieval"):
        survivor.feedback(lost, used=[one.id])
    assert survivor.feedback(shown, used=[one.id]).assessed[0].id == one.id
    shared_state_of(stores.engine, memory.tenant).pending.__init__()  # type: ignore[misc]  # the process is gone


@pytest.mark.neo4j
def test_processes_on_one_server_number_their_readings_without_a_gap(server_stores: Stores) -> None:
    memory, held = opened(server_stores)
    one = memory.remember("The boat is crimson")
    other = server_stores.apart().open(memory.tenant, seed="another process", **QUICK)
    names = []
    for _ in range(3):
        first = memory.retrieve("boat").id or ""
        second = other.retrieve("boat").id or ""
        other.get(one.id)  # writes its own
        names += [first, second]
        held.go_off()
    sequences = [record.sequence for record in memory.audit.records(log="accesses")]
    assert sequences == list(range(1, len(sequences) + 1))
    found = memory.get(one.id)
    assert found is not None
    assert found.access_count == 6
    assert memory.retrieve("boat")[0].memory.access_count == 6
    # What this process showed has another number now, and its name leads there; to another process it names nothing.
    told = {memory.feedback(name, used=[one.id]).retrieval for name in names[::2]}
    assert len(told) == 3
    with pytest.raises(InvalidInput, match="names no retrieval"):
        other.feedback(names[0], used=[one.id])
    assert other.feedback(names[1], used=[one.id]).retrieval not in told
    assert memory.verify().ok


@pytest.mark.neo4j
def test_what_another_process_erased_is_not_recorded_again(server_stores: Stores) -> None:
    memory, held = opened(server_stores)
    gone = memory.remember("The boat is crimson", subjects=["ann"])
    kept = memory.remember("The oar is crimson", subjects=["bob"])
    memory.retrieve("crimson")
    server_stores.apart().open(memory.tenant, seed="another process", **QUICK).erase(subject="ann")
    held.go_off()
    last = list(memory.audit.records(log="accesses"))[-1]
    assert last.memories == (kept.id,)
    assert gone.id not in "".join(last.details)
    assert memory.verify().ok
