"""What a handle reads of the log to go on with its tree: no more than the tile that is not full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marskg.store.rows import codec

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest

    from marskg.store.unit.reader import GraphReader
    from tests.support.stores import Stores


def test_leaves_end_where_they_are_told_to(stores: Stores) -> None:
    memory = stores.open(sensitivity__assess="off")
    for number in range(6):
        memory.remember(f"Thing {number}", kind="semantic")
    reader = memory.store.reader
    everything = list(reader.leaves("t", 1))
    assert len(everything) == memory._writer.state.sequence
    assert list(reader.leaves("t", 2, 4)) == everything[1:4]
    assert list(reader.leaves("t", 5, len(everything) + 9)) == everything[4:]
    assert list(reader.leaves("t", 5, 4)) == []


def test_a_new_handle_reads_the_open_tile_and_not_all_that_came_after_its_head(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = stores.open(sensitivity__assess="off", head_interval=1_000)
    memory.remember("One thing", kind="semantic")
    head = memory.audit.sign_head()
    for number in range(8):
        memory.remember(f"Thing {number}", kind="semantic")
    ledger, reader = memory.store.ledger, memory.store.reader
    ledger.restart(memory._writer.state.log)
    asked: list[Mapping[str, Any]] = []
    run = reader.run

    def noted(_reader: GraphReader, name: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        if name == "leaves":
            asked.append(parameters)
        return run(name, parameters)

    monkeypatch.setattr(type(reader), "run", noted)
    tree = ledger._load()
    assert tree.size == head.size
    assert [one["high"] for one in asked] == [codec.audit_ref(memory.tenant, "t", head.size + 1)]
