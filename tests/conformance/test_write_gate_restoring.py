"""The write gate before a restore: a snapshot whose graph the shapes refuse is refused whole, and nothing changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import InvalidDocument
from marskg.exporters.snapshot.file import Snapshot, SnapshotContent, write_snapshot
from marskg.ontology.vocabulary import EdgeType
from marskg.records import Edge
from tests.conformance.test_write_gate import NOWHERE, assert_sound

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from marskg.records import Memory
    from tests.support.stores import Stores

    Changed = Callable[[list[Memory]], dict[int, tuple[dict[str, Any], tuple[tuple[str, str], ...]]]]

FAULTS: dict[str, tuple[Changed, str]] = {
    "an episode requires": (lambda all_: {0: ({}, (("requires", all_[1].id),))}, "TaskEdges"),
    "an edge leads nowhere": (lambda _: {2: ({}, (("derivesFrom", NOWHERE),))}, "LinkClosure"),
    "a chain leads back": (lambda all_: {1: ({}, (("temporalNext", all_[0].id),))}, "TemporalChain"),
    "a chain crosses sessions": (lambda all_: {2: ({}, (("temporalNext", all_[0].id),))}, "TemporalChain"),
    "a cycle of three": (
        lambda all_: {
            0: ({}, (("derivesFrom", all_[1].id),)),
            1: ({}, (("dependsOn", all_[2].id),)),
            2: ({}, (("derivesFrom", all_[0].id),)),
        },
        "Acyclicity",
    ),
    "a sensitivity of seven": (lambda _: {0: ({"sensitivity": 7.0}, ())}, "Memory-sensitivity"),
    "a fact with a status": (lambda _: {2: ({"status": "open"}, ())}, "Task"),
    "a fact without content": (lambda _: {2: ({"content": None}, ())}, "Whole"),
}


def altered(source: Path, target: Path, change: Changed) -> None:
    """Write the snapshot ``source`` to ``target`` with other memories; the audit stays as it is."""
    with Snapshot(source) as saved:
        memories = list(saved.memories())
        wanted = change([memory for memory, _, _ in memories])
        for place, (fields, links) in wanted.items():
            memory, edges, salt = memories[place]
            drawn = tuple(Edge(memory.id, EdgeType(type_), end, memory.created) for type_, end in links)
            memories[place] = (replace(memory, **fields), (*edges, *drawn), salt)
        content = SnapshotContent(
            saved.tenant, saved.keys(), saved.entities(), memories, list(saved.records()), list(saved.heads())
        )
        write_snapshot(target, content)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_snapshot_passes_the_gate_before_it_is_restored(stores: Stores, tmp_path: Path, fault: str) -> None:
    memory = stores.open()
    memory.remember("the first", session="s")
    memory.remember("the second", session="s")
    memory.remember("a fact", kind="semantic")
    memory.snapshots.save(tmp_path / "sound")
    memory.remember("said since")
    before = sorted(one.id for one in memory.memories())
    change, shape = FAULTS[fault]
    altered(tmp_path / "sound", tmp_path / "broken", change)
    with pytest.raises(InvalidDocument, match=f"breaks a rule: {shape}.*Nothing was restored"):
        memory.snapshots.load(tmp_path / "broken")
    assert sorted(one.id for one in memory.memories()) == before
    assert_sound(memory)
    assert memory.snapshots.load(tmp_path / "sound") == len(before) - 1
    assert_sound(memory)
