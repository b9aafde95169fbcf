"""``mars bench integrity``: the public suite's nine edits of a real store are found, and what finds none is told so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from agmi.attacks.at_rest import SnapshotRollbackAttack, TamperAttack, TruncateAttack
from agmi.attacks.memory_specific import UpdatePoisoningAttack
from click.testing import CliRunner

import marskg
from marskg.errors import InvalidInput
from marskg.memory import AgentMemory
from marskg.records import Report
from marskg_bench import integrity
from marskg_bench.edits import front_door
from marskg_bench.edits.adapter import ALONE, WITH_HEAD, MarskgAdapter
from marskg_bench.integrity import command, measure

if TYPE_CHECKING:
    from collections.abc import Callable

#: Who finds each edit, and by which code first; docs/reference/bench.md has the same table.
FOUND = {
    "tamper": (ALONE, "node-mismatch"),
    "truncate": (ALONE, "state-mismatch"),
    "delete_middle": (ALONE, "sequence-gap"),
    "reorder": (ALONE, "out-of-order"),
    "forge": (ALONE, "slot-mismatch"),
    "cross_replay": (ALONE, "out-of-order"),
    "rollback_replay": (ALONE, "duplicate"),
    "metadata_tamper": (ALONE, "node-mismatch"),
    "snapshot_rollback": (WITH_HEAD, "missing-tail"),
}


def finds_nothing(_: AgentMemory, *, witness: object = ()) -> Report:
    del witness
    return Report(0)


def forgets_the_head(verify: Callable[[AgentMemory], Report]) -> Callable[..., Report]:
    """Return ``verify`` as it would be if it did not hold the log to what a witness kept."""

    def without(memory: AgentMemory, *, witness: object = ()) -> Report:
        del witness
        return verify(memory)

    return without


def test_each_of_the_nine_edits_is_found_and_only_the_rollback_needs_the_head() -> None:
    done = CliRunner().invoke(command, ["--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert {edit["name"]: (edit["found_by"], edit["code"]) for edit in result["edits"]} == FOUND
    assert [edit["edit"] for edit in result["edits"]] == [f"T{number}" for number in range(1, 10)]
    assert {edit["result"] for edit in result["edits"]} == {"rejected"}
    assert result["checked_at"] == "read"


def test_where_verification_finds_nothing_every_edit_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AgentMemory, "verify", finds_nothing)
    done = CliRunner(env={"COLUMNS": "120"}).invoke(command, [], catch_exceptions=False)
    assert done.exit_code == 1
    assert done.stdout.count("accepted") == len(FOUND)
    assert "rejected" not in done.stdout


def test_without_the_head_the_rollback_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AgentMemory, "verify", forgets_the_head(AgentMemory.verify))
    adapter = MarskgAdapter()
    assert SnapshotRollbackAttack().run(adapter).status == "VULNERABLE"
    assert adapter.seen is None


def test_reading_is_no_check(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[list[str | None]] = []

    def reading(memory: AgentMemory, **_: Any) -> Report:
        read.append([one.content for one in memory.memories()])
        return Report(0)

    monkeypatch.setattr(AgentMemory, "verify", reading)
    assert TamperAttack().run(MarskgAdapter()).status == "VULNERABLE"
    assert read[0][2] == "the first list has item 3"
    assert read[-1][2] == "the first list has item 3, and a forged one"


def test_an_edit_that_changes_nothing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MarskgAdapter, "delete_raw", lambda _, seq: seq)
    outcome = TruncateAttack().run(MarskgAdapter())
    assert outcome.status == "ERROR"
    assert "edit did not land" in outcome.guard


def test_a_store_that_cannot_be_opened_is_no_edit_that_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        msg = "no store today"
        raise marskg.EngineUnavailable(msg)

    monkeypatch.setattr(marskg, "open", refuse)
    done = CliRunner(env={"COLUMNS": "120"}).invoke(command, [], catch_exceptions=False)
    assert done.exit_code == 1
    assert done.stdout.count("no store today") == done.stdout.count("n/a") == len(FOUND)


def test_a_missing_suite_is_named_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(integrity, "find_spec", lambda _: None)
    with pytest.raises(InvalidInput, match="pip install agent-memory-integrity"):
        measure(print)


def test_by_the_front_door_the_users_own_word_is_told_from_what_others_wrote(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_door, "ALL_MEMORY_ATTACKS", [UpdatePoisoningAttack])
    done = CliRunner().invoke(command, ["--front-door", "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    default, own = json.loads(done.stdout)["attacks"]
    assert default["kept_out"] == {"external": 0, "laundered": 5, "agent-laundered": 0}
    assert own["kept_out"] == {"external": 5, "laundered": 5, "agent-laundered": 0}
    # Read without the filter, it would be told.
    monkeypatch.setattr(front_door, "READINGS", {front_door.OWN: {}})
    done = CliRunner().invoke(command, ["--front-door"], catch_exceptions=False)
    assert done.exit_code == integrity.MISSED
    assert "external 0 of 5" in " ".join(done.output.split())
