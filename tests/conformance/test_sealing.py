"""Sealed segments: old details go, proofs stay, and the verifier accepts exactly that gap."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import marskg
from marskg.store.upkeep.seal import stretches
from tests.support import picture as pictures
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

DAY = 86_400_000
SCRIPT = Path(__file__).parents[2] / "examples" / "verify" / "verify_audit.py"


def assert_sound(stores: Stores, memory: AgentMemory) -> None:
    assert pictures.faults(pictures.take(stores.engine, memory.tenant)) == []
    assert memory.validate(full=True).ok
    assert memory.verify().findings == ()


def codes(memory: AgentMemory) -> set[str]:
    return {finding.code for finding in memory.verify().findings}


def outside(memory: AgentMemory, folder: Path) -> tuple[int, str]:
    """Verify an export with the verifier that has no code of the product."""
    export = folder / "evidence.nq"
    memory.export(export, audit=True)
    command = [sys.executable, str(SCRIPT), str(export)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS_S, check=False)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


def a_past(stores: Stores, **settings: Any) -> tuple[AgentMemory, dict[str, str], int]:
    """A store with an old and a new part, and the moment between them."""
    memory = stores.open(**settings)
    stays = memory.remember("It was there from the beginning", subjects=["bea"], mentions=["Bea"], ttl="900d")
    amended = memory.remember("It is changed later", ttl="900d")
    gone = memory.remember("It goes early", ttl="1h")
    replaced = memory.remember("Bea drinks coffee", kind="semantic", key="drink", subjects=["bea"], ttl="900d")
    memory.preferences.consent("bea", purpose="support")
    memory.control.record_access([stays.id], purpose="support")
    memory.audit.sign_head()
    stores.clock(memory).advance(2 * 3_600_000)
    memory.maintenance.expire()
    memory.audit.rotate_key()
    stores.clock(memory).advance(30 * DAY)
    memory.maintenance.expire()
    moment = memory.now()
    stores.clock(memory).advance(1_000)
    memory.policy.pin(amended.id)
    memory.remember("Bea drinks tea", kind="semantic", key="drink", subjects=["bea"], ttl="900d")
    memory.control.record_access([amended.id])
    ids = {"stays": stays.id, "amended": amended.id, "gone": gone.id, "replaced": replaced.id}
    return memory, ids, moment


def test_old_details_go_and_everything_still_verifies(stores: Stores, tmp_path: Path) -> None:
    memory, ids, moment = a_past(stores)
    before = {record.iri: record for log in ("transitions", "accesses") for record in memory.audit.records(log=log)}
    checked = memory.verify().checked
    looked = memory.audit.seal(before=moment, dry_run=True)
    assert not looked.applied
    assert memory.verify().checked == checked, "a dry run wrote something"
    done = memory.audit.seal(before=moment)
    assert (done.transitions, done.accesses, done.kept) == (looked.transitions, looked.accesses, looked.kept)
    assert done.transitions > 2
    assert done.accesses == 1
    assert_sound(stores, memory)
    emptied = set()
    for log in ("transitions", "accesses"):
        for record in memory.audit.records(log=log):
            was = before.get(record.iri)
            if was is None:
                continue
            assert (record.core, record.proof_value, record.leaf) == (was.core, was.proof_value, was.leaf)
            if record.details != was.details:
                assert not any((*record.details, *record.salts, *record.memories))
                assert record.recorded_at < moment
                emptied.add(record.iri)
    assert len(emptied) == done.transitions + done.accesses
    assert memory.store.reader.records_of(ids["gone"]) == []
    assert memory.store.reader.records_of(ids["stays"]), "what is in the store keeps its last record"
    assert memory.audit.heads()[-1].size == memory.stats()["audit_seq"], "a head covers the sealing"
    assert memory.audit.prove(2)["leafHash"]
    assert outside(memory, tmp_path)[0] == 0
    seen = memory.audit.who_saw(ids["stays"])
    assert (seen.seen, seen.sealed is not None) == ((), True)


def test_a_sealed_record_takes_less_than_a_kilobyte(stores: Stores) -> None:
    memory = stores.open()
    amended = memory.remember("It is changed, and changed again", subjects=["bea"])
    for _ in range(3):
        memory.policy.pin(amended.id)
        memory.policy.unpin(amended.id)
    cores = {record.iri: record.core for record in memory.audit.records()}
    stores.clock(memory).advance(DAY)
    done = memory.audit.seal(before=memory.now())
    assert done.transitions > 4
    rows = memory.store.engine.read(
        "MATCH (a:AuditRecord) WHERE a.ref STARTS WITH $t RETURN properties(a) AS record", {"t": f"{memory.tenant}|t|"}
    )
    sealed = [row["record"] for row in rows if not any(row["record"]["salts"])]
    assert len(sealed) == done.transitions
    assert max(len(json.dumps(record)) for record in sealed) < 1_000
    assert {record.iri: record.core for record in memory.audit.records() if record.iri in cores} == cores
    assert_sound(stores, memory)
    memory.store.engine.write(
        "MATCH (a:AuditRecord {ref: $ref}) SET a.recordedAt = a.recordedAt + 1", {"ref": sealed[0]["ref"]}
    )
    assert codes(memory), "what a sealed core is made of is signed with it"


def test_sealing_again_and_erasing_before_and_after(stores: Stores, tmp_path: Path) -> None:
    memory, ids, moment = a_past(stores)
    memory.erase(id=ids["amended"])
    memory.audit.seal(before=moment)
    memory.erase(subject="bea")
    assert_sound(stores, memory)
    stores.clock(memory).advance(DAY)
    next_day = memory.remember("Something of the next day", ttl="90d")
    memory.policy.pin(next_day.id)
    again = memory.audit.seal(before=memory.now())
    assert again.transitions > 0
    assert_sound(stores, memory)
    nothing = memory.audit.seal(before=moment)
    assert (nothing.transitions, nothing.accesses) == (0, 0)
    assert outside(memory, tmp_path)[0] == 0


def test_a_sequence_says_where_to_end(stores: Stores) -> None:
    memory, _, _ = a_past(stores)
    by_time = memory.audit.seal(before=next(memory.audit.records(first=4)).recorded_at, dry_run=True)
    assert memory.audit.seal(sequence=4, dry_run=True) == by_time


def test_details_that_come_back_are_found(stores: Stores, tmp_path: Path) -> None:
    memory, _, moment = a_past(stores)
    before = {record.sequence: record for record in memory.audit.records()}
    memory.audit.seal(before=moment)
    emptied = next(record for record in memory.audit.records() if record.operation == "expire")
    was = before[emptied.sequence]
    stores.engine.write(
        "MATCH (a:AuditRecord {ref: $ref}) SET a.details = $details, a.salts = $salts, a.memories = $memories",
        {
            "ref": f"{memory.tenant}|t|{was.sequence:012d}",
            "details": list(was.details),
            "salts": list(was.salts),
            "memories": list(was.memories),
        },
    )
    assert "seal-undone" in codes(memory)
    assert outside(memory, tmp_path)[0] == 1


def test_a_gap_that_no_sealing_lists_is_found(stores: Stores, tmp_path: Path) -> None:
    memory, _, moment = a_past(stores)
    memory.audit.seal(before=moment)
    later = next(record for record in memory.audit.records() if record.operation == "supersede")
    blank = [""] * len(later.details)
    stores.engine.write(
        "MATCH (a:AuditRecord {ref: $ref}) SET a.details = $blank, a.salts = $blank, a.memories = $none",
        {"ref": f"{memory.tenant}|t|{later.sequence:012d}", "blank": blank, "none": blank[1:]},
    )
    assert "slot-deleted" in codes(memory)
    assert outside(memory, tmp_path)[0] == 1


def test_a_list_of_stretches_that_was_changed_is_found(stores: Stores) -> None:
    memory, _, moment = a_past(stores)
    memory.audit.seal(before=moment)
    sealing = next(record for record in memory.audit.records() if record.operation == "seal")
    assert "sealedSlots" in sealing.details[0]
    wider = sealing.details[0].replace("-", "-9", 1)
    stores.engine.write(
        "MATCH (a:AuditRecord {ref: $ref}) SET a.details = $details",
        {"ref": f"{memory.tenant}|t|{sealing.sequence:012d}", "details": [wider]},
    )
    assert {"slot-mismatch", "slot-deleted"} <= codes(memory)


def test_a_sealing_cut_off_in_the_middle_is_sound(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("marskg.store.upkeep.seal._BATCH", 2)
    memory, _, moment = a_past(stores)
    writes = 0
    run = memory._writer.run

    def once(work: object) -> object:
        nonlocal writes
        writes += 1
        if writes > 1:
            raise KeyboardInterrupt
        return run(work)  # type: ignore[arg-type]  # a function of a unit

    monkeypatch.setattr(memory._writer, "run", once)
    with pytest.raises(KeyboardInterrupt):
        memory.audit.seal(before=moment)
    monkeypatch.setattr(memory._writer, "run", run)
    assert_sound(stores, memory)
    assert memory.audit.seal(before=moment).transitions > 0
    assert_sound(stores, memory)


def test_views_and_other_programs_go_on(stores: Stores) -> None:
    memory, ids, moment = a_past(stores)
    other = stores.open(memory.tenant, seed="another program")
    assert other.retrieve("coffee tea", k=9, token_budget=500)
    expiry = next(record for record in memory.audit.records() if record.operation == "expire")
    query = f"SELECT ?why WHERE {{ <{expiry.iri}.1> mars:reason ?why }}"
    assert len(memory.sparql(query).rows) == 1
    memory.audit.seal(before=moment)
    assert memory.sparql(query).rows == ()
    assert "Bea drinks tea" in {hit.memory.content for hit in other.retrieve("tea", k=9, token_budget=500)}
    assert "Bea drinks tea" in {hit.memory.content for hit in memory.retrieve("tea", k=9, token_budget=500)}
    assert memory.explain(ids["stays"]).memory is not None
    assert memory.audit.receipt(ids["stays"]).claim == "kept"


def test_maintenance_seals_by_the_settings(stores: Stores) -> None:
    memory, _, _ = a_past(stores, lean__archive_below=None, lean__compress_below=None)
    assert memory.maintain().sealed == 0
    memory.settings.set(None, {"keep_details": "10d"})
    looked = memory.maintain(dry_run=True)
    done = memory.maintain()
    assert looked.sealed == done.sealed > 2
    assert memory.maintain().sealed == 0
    assert_sound(stores, memory)


def test_bad_input(stores: Stores) -> None:
    memory = stores.open()
    memory.remember("Something")
    wrongs: tuple[dict[str, Any], ...] = (
        {},
        {"sequence": 1, "before": 1},
        {"sequence": 99},
        {"sequence": 0},
        {"before": -1},
        {"before": 2**60},
    )
    for wrong in wrongs:
        with pytest.raises(marskg.InvalidInput):
            memory.audit.seal(**wrong)
    assert memory.audit.seal(before=marskg.Moment(0)).transitions == 0
    assert memory.audit.seal(sequence=1).transitions == 0


@given(st.sets(st.integers(1, 60)))
def test_stretches_are_exactly_the_sequences(sequences: set[int]) -> None:
    found = [tuple(map(int, text.split("-"))) for text in stretches(sequences)]
    assert {one for first, last in found for one in range(first, last + 1)} == sequences
    assert all(after[0] > before[1] + 1 for before, after in pairwise(found))
